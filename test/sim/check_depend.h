/* check_depend.h - the checker of jobs that wait for others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_DEPEND_H
#define TEST_SIM_CHECK_DEPEND_H

#include "sim.h"

/* A record that is about to be applied to 'm'. */
void check_depend_record(struct sim *s, const struct model *m,
                         const struct record *rec);

#endif
