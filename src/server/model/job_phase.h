/* job_phase.h - the life of a job: phases, events, and what follows what.
 *
 * The wire knows a state letter and a substate number (attributes.md 14.1); only some
 * pairs are legal. A phase is one legal pair, so an illegal pair cannot be written
 * down. The table says which event leads where; the writer at the end of this header,
 * and edit_job_event() for alterations, are the only places that change a job's
 * state, its substate and its etime.
 *
 * Phases of array parents, of subjobs that have ended and of history have their rows
 * here before anything enters them (doc/design/010-jobs.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_PHASE_H
#define SERVER_MODEL_JOB_PHASE_H

#include "server/model/job_state.h"

enum job_phase {
    JOB_PHASE_NONE, /* no legal pair; what an impossible event leads to */
    JOB_IN_TRANSIT, /* not committed yet: no object of the model is in it */
    JOB_LEAVING,    /* on its way to another server */
    JOB_QUEUED,
    JOB_TO_STAGE_IN, /* queued, with files to be fetched before it runs */
    JOB_STAGED_IN,
    JOB_HELD,
    JOB_SYNC_HELD,
    JOB_DEPEND_HELD,
    JOB_WAITING,      /* for its Execution_Time */
    JOB_STAGE_FAILED, /* waits before its files are fetched again */
    JOB_STARTING,     /* has vnodes; its MoM has not told of a session */
    JOB_RUNNING,
    JOB_SUSPENDED,       /* by a client */
    JOB_SCHED_SUSPENDED, /* by the scheduler, or waiting for it to resume */
    JOB_DELIVERING,      /* the run is over, its files are being delivered */
    JOB_EXITED,          /* nothing is left but its MoM's cleaning up */
    JOB_BEGUN,           /* array parent: a subjob has started */
    JOB_EXPIRED,         /* subjob that has ended, of an array that has not */
    JOB_MOVED,           /* history: it went to another server */
    JOB_FINISHED,        /* history: its run ended well */
    JOB_FAILED,          /* history: its run did not end well */
    JOB_TERMINATED,      /* history: it was deleted */
    JOB_PHASE_COUNT,
};

enum job_event {
    /* Where a job goes that does not run: see job_place(). */
    JOB_EV_QUEUE,
    JOB_EV_STAGE_IN,
    JOB_EV_HOLD,
    JOB_EV_WAIT,
    JOB_EV_DEPEND,      /* it waits for other jobs */
    JOB_EV_DEPEND_OVER, /* not any more, and is held by somebody else */
    JOB_EV_RUN,         /* it is given vnodes */
    JOB_EV_STAGE_FAIL,  /* files for it could not be fetched */
    JOB_EV_START,       /* its MoM tells the session */
    JOB_EV_SUSPEND,     /* a client suspends it */
    JOB_EV_SCHED_SUSPEND,
    JOB_EV_RESUME,
    JOB_EV_END_WITH_FILES, /* its run is over, and there are files to deliver */
    JOB_EV_END,            /* its run is over, and there are none */
    JOB_EV_DELIVERED,      /* its files are where they belong, or cannot be */
    JOB_EV_BEGIN,          /* array parent: the first subjob starts */
    JOB_EV_EXPIRE,         /* subjob: its end is done */
    JOB_EV_LEAVE,          /* it is offered to another server */
    JOB_EV_MOVE,           /* another server has it */
    JOB_EV_FINISH,         /* into history, by how it ended */
    JOB_EV_FAIL,
    JOB_EV_TERMINATE,
    JOB_EVENT_COUNT,
};

/* JOB_PHASE_NONE: the event cannot happen in this phase. */
enum job_phase job_next(enum job_phase from, enum job_event event);

/* A pair as the wire knows it, JOB_PHASE_NONE when it is not legal; and back. */
enum job_phase job_phase_find(int64_t state, int64_t substate);
char job_phase_state(enum job_phase phase);
int64_t job_phase_substate(enum job_phase phase);

/* The phase of a job by its two attributes; JOB_IN_TRANSIT of NULL. */
enum job_phase job_phase(const struct job *job);

/* The event that puts a job where it belongs while it does not run: held, waiting for
 * its time, waiting for its files, or queued, in this order. 'holds' is the text of
 * Hold_Types, 'execution_at' the epoch second of Execution_Time or 0. */
enum job_event job_place(const char *holds, int64_t execution_at, bool stage_in,
                         int64_t now_at);

/* Where that place is for this job: an array of which not everything is queued is not
 * queued but goes on (JOB_EV_BEGIN; attributes.md 14.1). */
enum job_event job_place_of(const struct job *job, enum job_event place);

/* The same for a job with these holds. */
enum job_event job_place_held(const struct job *job, const char *holds, int64_t now_at);

/* The same for the job as it is now. */
enum job_event job_place_now(const struct job *job, int64_t now_at,
                             struct arena *arena);

/* What an event does to the three attributes that only these writers change. */
struct job_entry {
    enum job_phase phase;
    enum job_etime {
        JOB_ETIME_STAYS,
        JOB_ETIME_NOW,   /* it becomes eligible */
        JOB_ETIME_UNSET, /* held and waiting jobs are not eligible */
    } etime;
};

/* 'job' NULL: a job that is being committed. The event must be possible. */
struct job_entry job_enter(const struct job *job, enum job_event event);

/* Append to the record the changes that the event makes; 'job' as above. */
void record_job_event(struct record *rec, struct arena *arena, const struct job *job,
                      enum job_event event, int64_t now_at);

#endif
