/* sched_command.h - the commands that a server sends to a scheduler on its secondary
 * connection (wire.md 12.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_SCHED_COMMAND_H
#define LIB_WIRE_SCHED_COMMAND_H

enum sched_command {
    SCHED_NULL = 0,
    SCHED_NEW = 1,   /* a job came, or may run now */
    SCHED_ENDED = 2, /* a job ended */
    SCHED_TIMER = 3, /* scheduler_iteration has passed */
    SCHED_ON_COMMAND = 5,
    SCHED_CONFIGURE = 6, /* read the configuration anew */
    SCHED_QUIT = 7,
    SCHED_RULESET = 8,
    SCHED_FIRST = 9,
    SCHED_RESV_STARTS = 10,
    SCHED_RUN_JOB = 11, /* followed by a job's id: run this one */
    SCHED_QUEUE_STARTED = 12,
    SCHED_MOVED = 13,
    SCHED_ELIGIBLE_TIME = 14,
    SCHED_RECONFIRM = 15,
    SCHED_RESTART_CYCLE = 16,

    SCHED_DRY_RUN = 200, /* ask for dry runs, which no status shows */
};

/* The words of the extension of RegisterSched, with commas between (doc/extensions.md):
 * SCHED_RESTART_CYCLE may be sent to our scheduler while a cycle runs, and it sends no
 * "+0" of its own for that; SCHED_DRY_RUN may be sent to it; it may be given a dry run
 * of a push, which it answers with DryOffer. */
#define REGISTER_MAY_CUT   "cut"
#define REGISTER_MAY_TRY   "dry_run"
#define REGISTER_MAY_OFFER "dry_push"

#endif
