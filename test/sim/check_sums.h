/* check_sums.h - a scheduler gives away no more than the server has for all together,
 * through time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_SUMS_H
#define TEST_SIM_CHECK_SUMS_H

struct sim;
struct planner;

/* It has decided, on a picture that is not older than the model. */
void check_sums_plan(struct sim *s, const struct planner *p);

#endif
