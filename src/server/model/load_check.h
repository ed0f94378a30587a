/* load_check.h - may an object of the store be loaded?
 *
 * model_apply() trusts its records, for a handler or a rule has checked them. What
 * comes out of the store may have been edited by hand or damaged, so it is asked here
 * before it is applied, and a start that finds something impossible ends with words
 * about the row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_LOAD_CHECK_H
#define SERVER_MODEL_LOAD_CHECK_H

#include "server/model/model.h"

/* Before a FACT_LOADED record is applied: its id is one of its kind, each value has the
 * form in which the server writes it, and a resource can be defined. Values that cannot
 * be decoded are found by model_load(), and those of resources that are not defined yet
 * by load_check_all().
 * PBSE_SYSTEM with words that name the row. */
int load_check(const struct model *m, const struct record *rec,
               struct diag *why) MUST_CHECK;

/* The words for a change that model_load() could not read. Returns PBSE_SYSTEM. */
int load_refuse_change(const struct record *rec, const struct change *c,
                       struct diag *why) MUST_CHECK;

/* When every object has been applied, before model_loaded(): the values that wait for
 * their resources can be read, states are ones that there are, and a later occurrence
 * has its reservation and times. PBSE_SYSTEM with words that name the row. */
int load_check_all(const struct model *m, struct diag *why) MUST_CHECK;

#endif
