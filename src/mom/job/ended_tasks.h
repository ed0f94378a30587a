/* ended_tasks.h - what is kept of tasks that have ended: the status of each, which TM
 * tells whoever asks for it later (tpp.md 8), and nothing else.
 *
 * A task that has ended costs eight bytes, twice that with the places that are free,
 * and a job's host gives out MAX_TASKS numbers. So a job's ended tasks take 2 MiB at
 * most.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_ENDED_TASKS_H
#define MOM_JOB_ENDED_TASKS_H

#include "lib/base/base.h"

struct ended_task {
    uint32_t number; /* 0: the place is free */
    int32_t status;
};

/* All zero: none has ended. */
struct ended_tasks {
    size_t n, n_places; /* a power of two, or 0 */
    struct ended_task *v;
};

/* The task has ended with that status, which takes the place of an earlier one.
 * 'number' is not 0. */
void ended_tasks_put(struct ended_tasks *e, uint32_t number, int32_t status);
/* False: it has not ended, or there never was one of that number. */
bool ended_tasks_find(const struct ended_tasks *e, uint32_t number, int32_t *ret);
void ended_tasks_fini(struct ended_tasks *e);

#endif
