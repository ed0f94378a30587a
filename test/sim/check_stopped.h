/* check_stopped.h - no job stays stopped for ever: what the server takes for running
 * runs on all of its hosts, and what is suspended, or stands on a busy host, stands on
 * all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_STOPPED_H
#define TEST_SIM_CHECK_STOPPED_H

#include "lib/base/base.h"

struct sim;

/* Faults have stopped for a while. What is otherwise than the server says, now and at
 * an earlier look since then, is wrong. */
void check_stopped(struct sim *s);

/* The lines "J1 processes stand" and "J1 processes run": all of them do, and there are
 * some. */
void expect_processes(struct sim *s, const char *job_id, bool are_to_stand);

#endif
