/* check_limits.h - a scheduler starts no more jobs on a vnode than the vnode's
 * max_running, max_user_run and max_group_run let it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_LIMITS_H
#define TEST_SIM_CHECK_LIMITS_H

struct sim;
struct planner;

/* It has decided, on a picture that is not older than the model. */
void check_limits_plan(struct sim *s, const struct planner *p);

#endif
