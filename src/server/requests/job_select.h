/* job_select.h - the criteria of SelectJobs and SelStat (wire.md 10.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_SELECT_H
#define SERVER_REQUESTS_JOB_SELECT_H

#include "server/decide/request.h"

struct selection;

/* Read the criteria; memory from 'arena', 'rq' must live as long. Good until a resource
 * is defined anew (model.defs_seq). Refusals: 15002, 15014, 15018, 15035, 15004. */
int selection_open(const struct model *m, const struct request *rq,
                   const struct wire_attrs *criteria, struct arena *arena,
                   struct selection **ret, struct diag *why) MUST_CHECK;
void selection_close(struct selection *s); /* NULL is fine */

/* The job meets every criterion and the requester may see it. */
bool selection_has(const struct selection *s, const struct job *job);

/* The same of a subjob, an object or a view of one: what is said of arrays is asked of
 * its parent. */
bool selection_has_subjob(const struct selection *s, const struct job *array,
                          const struct job *subjob);

/* About what it costs to hold one job against all criteria, in the units of
 * request_slice_cost(). */
size_t selection_cost(const struct selection *s);

#endif
