/* job_phase.c - the table of a job's life (attributes.md 14.1, execution.md 20).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_phase.h"

#include "server/model/job_array.h"

#include <string.h>

static const struct {
    char state;
    int substate;
} pairs[JOB_PHASE_COUNT] = {
    [JOB_IN_TRANSIT] = { 'T', JOB_SUB_TRANSIT_IN },
    [JOB_LEAVING] = { 'T', JOB_SUB_TRANSIT_OUT },
    [JOB_QUEUED] = { 'Q', JOB_SUB_QUEUED },
    [JOB_TO_STAGE_IN] = { 'Q', JOB_SUB_PRE_STAGE_IN },
    [JOB_STAGED_IN] = { 'Q', JOB_SUB_STAGED_IN },
    [JOB_HELD] = { 'H', JOB_SUB_HELD },
    [JOB_SYNC_HELD] = { 'H', JOB_SUB_SYNC_HOLD },
    [JOB_DEPEND_HELD] = { 'H', JOB_SUB_DEPEND_HOLD },
    [JOB_WAITING] = { 'W', JOB_SUB_WAITING },
    [JOB_STAGE_FAILED] = { 'W', JOB_SUB_STAGE_FAILED },
    [JOB_STARTING] = { 'R', JOB_SUB_PRERUN },
    [JOB_RUNNING] = { 'R', JOB_SUB_RUNNING },
    [JOB_SUSPENDED] = { 'R', JOB_SUB_SUSPENDED },
    [JOB_SCHED_SUSPENDED] = { 'R', JOB_SUB_SCHED_SUSPENDED },
    [JOB_DELIVERING] = { 'E', JOB_SUB_STAGE_OUT },
    [JOB_EXITED] = { 'E', JOB_SUB_EXITED },
    [JOB_BEGUN] = { 'B', JOB_SUB_BEGUN },
    [JOB_EXPIRED] = { 'X', JOB_SUB_EXPIRED },
    [JOB_MOVED] = { 'M', JOB_SUB_MOVED },
    [JOB_FINISHED] = { 'F', JOB_SUB_FINISHED },
    [JOB_FAILED] = { 'F', JOB_SUB_FAILED },
    [JOB_TERMINATED] = { 'F', JOB_SUB_TERMINATED },
};

/* Rows that several phases share. A job that does not run goes where its holds, its
 * time and its files send it; one that runs may be sent back there when its MoM refuses
 * it, loses it or gives it up. */
/* clang-format off */
#define GOES_WHERE_IT_BELONGS                                                          \
    [JOB_EV_QUEUE]         = JOB_QUEUED,                                               \
    [JOB_EV_STAGE_IN]      = JOB_TO_STAGE_IN,                                          \
    [JOB_EV_HOLD]          = JOB_HELD,                                                 \
    [JOB_EV_WAIT]          = JOB_WAITING,                                              \
    [JOB_EV_DEPEND]        = JOB_DEPEND_HELD
#define LEAVES_THE_QUEUE                                                               \
    [JOB_EV_LEAVE]         = JOB_LEAVING,                                              \
    [JOB_EV_TERMINATE]     = JOB_TERMINATED
/* An array that is held or waits may have begun before. */
#define MAY_HAVE_BEGUN                                                                 \
    [JOB_EV_BEGIN]         = JOB_BEGUN,                                                \
    [JOB_EV_FINISH]        = JOB_FINISHED,                                             \
    [JOB_EV_FAIL]          = JOB_FAILED
#define RUN_MAY_END                                                                    \
    [JOB_EV_END_WITH_FILES] = JOB_DELIVERING,                                          \
    [JOB_EV_EXPIRE]        = JOB_EXPIRED, /* given up without its MoM */               \
    [JOB_EV_END]           = JOB_EXITED,                                               \
    BECOMES_HISTORY /* it is given up without its MoM */
#define BECOMES_HISTORY                                                                \
    [JOB_EV_FINISH]        = JOB_FINISHED,                                             \
    [JOB_EV_FAIL]          = JOB_FAILED,                                               \
    [JOB_EV_TERMINATE]     = JOB_TERMINATED

static const enum job_phase next[JOB_PHASE_COUNT][JOB_EVENT_COUNT] = {
    [JOB_IN_TRANSIT] = {
        GOES_WHERE_IT_BELONGS,
    },
    [JOB_LEAVING] = { /* it is taken, or it stays */
        GOES_WHERE_IT_BELONGS,
        [JOB_EV_MOVE]          = JOB_MOVED,
        [JOB_EV_TERMINATE]     = JOB_TERMINATED, /* by force alone */
    },
    [JOB_QUEUED] = {
        GOES_WHERE_IT_BELONGS, LEAVES_THE_QUEUE,
        [JOB_EV_RUN]           = JOB_STARTING,
        [JOB_EV_BEGIN]         = JOB_BEGUN,
        [JOB_EV_EXPIRE]        = JOB_EXPIRED, /* a subjob that was to run again */
    },
    [JOB_TO_STAGE_IN] = {
        GOES_WHERE_IT_BELONGS, LEAVES_THE_QUEUE,
        [JOB_EV_RUN]           = JOB_STARTING,
        [JOB_EV_BEGIN]         = JOB_BEGUN,
        [JOB_EV_EXPIRE]        = JOB_EXPIRED,
    },
    [JOB_STAGED_IN] = {
        GOES_WHERE_IT_BELONGS, LEAVES_THE_QUEUE,
        [JOB_EV_RUN]           = JOB_STARTING,
        [JOB_EV_BEGIN]         = JOB_BEGUN,
        [JOB_EV_EXPIRE]        = JOB_EXPIRED,
    },
    [JOB_HELD] = {
        GOES_WHERE_IT_BELONGS, LEAVES_THE_QUEUE, MAY_HAVE_BEGUN,
    },
    [JOB_SYNC_HELD] = { /* another hold keeps the substate */
        [JOB_EV_QUEUE]         = JOB_QUEUED,
        [JOB_EV_STAGE_IN]      = JOB_TO_STAGE_IN,
        [JOB_EV_HOLD]          = JOB_SYNC_HELD,
        [JOB_EV_WAIT]          = JOB_WAITING,
        LEAVES_THE_QUEUE,
    },
    [JOB_DEPEND_HELD] = {
        [JOB_EV_QUEUE]         = JOB_QUEUED,
        [JOB_EV_STAGE_IN]      = JOB_TO_STAGE_IN,
        [JOB_EV_HOLD]          = JOB_DEPEND_HELD,
        [JOB_EV_WAIT]          = JOB_WAITING,
        [JOB_EV_DEPEND]        = JOB_DEPEND_HELD,
        [JOB_EV_DEPEND_OVER]   = JOB_HELD,
        [JOB_EV_BEGIN]         = JOB_BEGUN, /* an array that was cut */
        LEAVES_THE_QUEUE,
    },
    [JOB_WAITING] = {
        GOES_WHERE_IT_BELONGS, LEAVES_THE_QUEUE, MAY_HAVE_BEGUN,
    },
    [JOB_STAGE_FAILED] = {
        GOES_WHERE_IT_BELONGS, LEAVES_THE_QUEUE,
    },
    [JOB_STARTING] = {
        GOES_WHERE_IT_BELONGS, RUN_MAY_END,
        [JOB_EV_START]         = JOB_RUNNING,
        [JOB_EV_STAGE_FAIL]    = JOB_STAGE_FAILED,
    },
    [JOB_RUNNING] = {
        GOES_WHERE_IT_BELONGS, RUN_MAY_END,
        [JOB_EV_SUSPEND]       = JOB_SUSPENDED,
        [JOB_EV_SCHED_SUSPEND] = JOB_SCHED_SUSPENDED,
    },
    [JOB_SUSPENDED] = {
        GOES_WHERE_IT_BELONGS, RUN_MAY_END,
        [JOB_EV_SCHED_SUSPEND] = JOB_SCHED_SUSPENDED, /* resumed when it has room */
        [JOB_EV_RESUME]        = JOB_RUNNING,         /* after admin-suspend */
    },
    [JOB_SCHED_SUSPENDED] = {
        GOES_WHERE_IT_BELONGS, RUN_MAY_END,
        [JOB_EV_SCHED_SUSPEND] = JOB_SCHED_SUSPENDED, /* asked for once more */
        [JOB_EV_RESUME]        = JOB_RUNNING,
    },
    [JOB_DELIVERING] = {
        GOES_WHERE_IT_BELONGS, BECOMES_HISTORY,
        [JOB_EV_EXPIRE]        = JOB_EXPIRED,
        [JOB_EV_DELIVERED]     = JOB_EXITED,
    },
    [JOB_EXITED] = {
        GOES_WHERE_IT_BELONGS, BECOMES_HISTORY,
        [JOB_EV_EXPIRE]        = JOB_EXPIRED,
    },
    [JOB_BEGUN] = {
        BECOMES_HISTORY,
        [JOB_EV_HOLD]          = JOB_HELD,
        [JOB_EV_WAIT]          = JOB_WAITING,
        [JOB_EV_DEPEND]        = JOB_DEPEND_HELD, /* nothing of it has run yet */
        [JOB_EV_BEGIN]         = JOB_BEGUN,
    },
    [JOB_EXPIRED] = {
        BECOMES_HISTORY,
        [JOB_EV_QUEUE]         = JOB_QUEUED, /* qrerun of the subjob */
    },
};
/* clang-format on */

enum job_phase job_next(enum job_phase from, enum job_event event)
{
    MUST(from < JOB_PHASE_COUNT);
    MUST(event < JOB_EVENT_COUNT);
    return next[from][event];
}

enum job_phase job_phase_find(int64_t state, int64_t substate)
{
    /* There are so few phases that a search is as quick as an index. */
    for (enum job_phase p = JOB_PHASE_NONE + 1; p < JOB_PHASE_COUNT; p++)
        if (pairs[p].state == state && pairs[p].substate == substate)
            return p;
    return JOB_PHASE_NONE;
}

char job_phase_state(enum job_phase phase)
{
    MUST(phase < JOB_PHASE_COUNT);
    return pairs[phase].state;
}

int64_t job_phase_substate(enum job_phase phase)
{
    MUST(phase < JOB_PHASE_COUNT);
    return pairs[phase].substate;
}

enum job_phase job_phase(const struct job *job)
{
    /* A job that does not exist yet is on its way in. */
    return job ? job_phase_find(job_state(job), job_substate(job)) : JOB_IN_TRANSIT;
}

enum job_event job_place(const char *holds, int64_t execution_at, bool stage_in,
                         int64_t now_at)
{
    /* A hold outweighs the time, and the time outweighs files that are to come. */
    if (strpbrk(holds, "uosp"))
        return JOB_EV_HOLD;
    if (execution_at > now_at)
        return JOB_EV_WAIT;
    return stage_in ? JOB_EV_STAGE_IN : JOB_EV_QUEUE;
}

enum job_event job_place_of(const struct job *job, enum job_event place)
{
    /* Its subjobs have their files fetched one by one. */
    return (place == JOB_EV_QUEUE || place == JOB_EV_STAGE_IN) && array_has_begun(job)
               ? JOB_EV_BEGIN
               : place;
}

enum job_event job_place_held(const struct job *job, const char *holds, int64_t now_at)
{
    return job_place_of(job,
                        job_place(holds, obj_num(&job->obj, JOB_A_EXECUTION_TIME, 0),
                                  obj_is_set(&job->obj, JOB_A_STAGEIN), now_at));
}

enum job_event job_place_now(const struct job *job, int64_t now_at, struct arena *arena)
{
    return job_place_held(job, job_holds_text(job, arena), now_at);
}

/* A job that comes back from a run has been eligible since it was so first
 * (attributes.md 14.1). */
static enum job_etime etime_after(const struct job *job, enum job_phase to)
{
    char state = job_phase_state(to);

    /* A job that is held or waits is not eligible, whatever it was before. */
    if (state == 'H' || state == 'W')
        return JOB_ETIME_UNSET;
    /* It becomes eligible in the queue that it is routed to. */
    if (job && obj_num(&job->obj, JOB_A_QUEUE_TYPE, 'E') == 'R')
        return JOB_ETIME_UNSET;
    if (state == 'Q' && (!job || !obj_is_set(&job->obj, JOB_A_ETIME)))
        return JOB_ETIME_NOW;
    return JOB_ETIME_STAYS;
}

struct job_entry job_enter(const struct job *job, enum job_event event)
{
    enum job_phase to = job_next(job_phase(job), event);

    /* Whoever decides has asked the table before; an event that the phase does not have
     * is our mistake. */
    MUST(to != JOB_PHASE_NONE);
    return (struct job_entry){ .phase = to, .etime = etime_after(job, to) };
}

void record_job_event(struct record *rec, struct arena *arena, const struct job *job,
                      enum job_event event, int64_t now_at)
{
    struct job_entry in = job_enter(job, event);

    record_change(rec, arena, JOB_A_JOB_STATE, NULL,
                  arena_printf(arena, "%c", job_phase_state(in.phase)));
    record_change_num(rec, arena, JOB_A_SUBSTATE, job_phase_substate(in.phase));
    if (in.etime == JOB_ETIME_NOW)
        record_change_num(rec, arena, JOB_A_ETIME, now_at);
    else if (in.etime == JOB_ETIME_UNSET)
        record_change(rec, arena, JOB_A_ETIME, NULL, NULL);
}
