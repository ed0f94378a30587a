/* mock.h - an executor that pretends: for trials with thousands of vnodes (pbs_mom -m,
 * execution.md 31), for tests and for simulations.
 *
 * A job starts at once, uses what it asked for, and ends with status 0 when its
 * walltime is over; without a walltime it runs until it is killed. Suspensions do not
 * count. SIGTERM and SIGKILL end it as they would a process, other signals do nothing.
 * Nothing is written, and nothing is copied. A task that is spawned ends as it begins.
 *
 * It is pure: the caller brings the time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_MOCK_MOCK_H
#define MOM_MOCK_MOCK_H

#include "mom/executor.h"

struct mock;

/* What such a run has nothing for, whatever the configuration says: the scripts of
 * $action, and signals of a site's own that stop and continue it. */
void mock_fill_rules(struct mom_config *cfg);

/* For the jobs of 'm', which must outlive it. 'wallmult' is that of m's configuration.
 */
struct mock *mock_new(struct mom *m, double wallmult);
void mock_free(struct mock *x); /* NULL is fine */
/* The configuration has another $wallmult now. */
void mock_set_wallmult(struct mock *x, double wallmult);
/* The door; good as long as 'x'. */
struct executor mock_executor(struct mock *x);

#endif
