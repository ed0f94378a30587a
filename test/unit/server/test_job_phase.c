/* Unit tests of server/model/job_phase.c: the table of a job's life, every phase with
 * every event, and what an event writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_phase.h"

#include "../unit.h"

#include <string.h>

/* The legal transitions as attributes.md 14.1 lists them, and nothing else. */
static const struct {
    enum job_phase from;
    struct {
        enum job_event event;
        enum job_phase to;
    } to[JOB_EVENT_COUNT];
} legal[] = {
#define PLACES(hold)                                                                   \
    { JOB_EV_QUEUE, JOB_QUEUED }, { JOB_EV_STAGE_IN, JOB_TO_STAGE_IN },                \
        { JOB_EV_HOLD, hold }, { JOB_EV_DEPEND, JOB_DEPEND_HELD },                     \
    {                                                                                  \
        JOB_EV_WAIT, JOB_WAITING                                                       \
    }
#define LEAVES                                                                         \
    { JOB_EV_LEAVE, JOB_LEAVING },                                                     \
    {                                                                                  \
        JOB_EV_TERMINATE, JOB_TERMINATED                                               \
    }
#define ENDS                                                                           \
    { JOB_EV_END_WITH_FILES, JOB_DELIVERING }, { JOB_EV_END, JOB_EXITED },             \
        { JOB_EV_EXPIRE, JOB_EXPIRED }, HISTORY
/* arrays */
#define BEGUN                                                                          \
    { JOB_EV_BEGIN, JOB_BEGUN }, { JOB_EV_FINISH, JOB_FINISHED },                      \
    {                                                                                  \
        JOB_EV_FAIL, JOB_FAILED                                                        \
    }
#define HISTORY                                                                        \
    { JOB_EV_FINISH, JOB_FINISHED }, { JOB_EV_FAIL, JOB_FAILED },                      \
    {                                                                                  \
        JOB_EV_TERMINATE, JOB_TERMINATED                                               \
    }
    { JOB_IN_TRANSIT, { PLACES(JOB_HELD) } },
    { JOB_LEAVING,
      { PLACES(JOB_HELD),
        { JOB_EV_MOVE, JOB_MOVED },
        { JOB_EV_TERMINATE, JOB_TERMINATED } } },
    { JOB_QUEUED,
      { PLACES(JOB_HELD),
        LEAVES,
        { JOB_EV_RUN, JOB_STARTING },
        { JOB_EV_EXPIRE, JOB_EXPIRED },
        { JOB_EV_BEGIN, JOB_BEGUN } } },
    { JOB_TO_STAGE_IN,
      { PLACES(JOB_HELD),
        LEAVES,
        { JOB_EV_RUN, JOB_STARTING },
        { JOB_EV_EXPIRE, JOB_EXPIRED },
        { JOB_EV_BEGIN, JOB_BEGUN } } },
    { JOB_STAGED_IN,
      { PLACES(JOB_HELD),
        LEAVES,
        { JOB_EV_RUN, JOB_STARTING },
        { JOB_EV_EXPIRE, JOB_EXPIRED },
        { JOB_EV_BEGIN, JOB_BEGUN } } },
    { JOB_HELD, { PLACES(JOB_HELD), LEAVES, BEGUN } },
    { JOB_SYNC_HELD,
      { { JOB_EV_QUEUE, JOB_QUEUED },
        { JOB_EV_STAGE_IN, JOB_TO_STAGE_IN },
        { JOB_EV_HOLD, JOB_SYNC_HELD },
        { JOB_EV_WAIT, JOB_WAITING },
        LEAVES } },
    { JOB_DEPEND_HELD,
      { PLACES(JOB_DEPEND_HELD),
        LEAVES,
        { JOB_EV_DEPEND_OVER, JOB_HELD },
        { JOB_EV_BEGIN, JOB_BEGUN } } },
    { JOB_WAITING, { PLACES(JOB_HELD), LEAVES, BEGUN } },
    { JOB_STAGE_FAILED, { PLACES(JOB_HELD), LEAVES } },
    { JOB_STARTING,
      { PLACES(JOB_HELD),
        ENDS,
        { JOB_EV_START, JOB_RUNNING },
        { JOB_EV_STAGE_FAIL, JOB_STAGE_FAILED } } },
    { JOB_RUNNING,
      { PLACES(JOB_HELD),
        ENDS,
        { JOB_EV_SUSPEND, JOB_SUSPENDED },
        { JOB_EV_SCHED_SUSPEND, JOB_SCHED_SUSPENDED } } },
    { JOB_SUSPENDED,
      { PLACES(JOB_HELD),
        ENDS,
        { JOB_EV_SCHED_SUSPEND, JOB_SCHED_SUSPENDED },
        { JOB_EV_RESUME, JOB_RUNNING } } },
    { JOB_SCHED_SUSPENDED,
      { PLACES(JOB_HELD),
        ENDS,
        { JOB_EV_SCHED_SUSPEND, JOB_SCHED_SUSPENDED },
        { JOB_EV_RESUME, JOB_RUNNING } } },
    { JOB_DELIVERING,
      { PLACES(JOB_HELD),
        HISTORY,
        { JOB_EV_EXPIRE, JOB_EXPIRED },
        { JOB_EV_DELIVERED, JOB_EXITED } } },
    { JOB_EXITED, { PLACES(JOB_HELD), { JOB_EV_EXPIRE, JOB_EXPIRED }, HISTORY } },
    { JOB_BEGUN,
      { { JOB_EV_HOLD, JOB_HELD },
        { JOB_EV_WAIT, JOB_WAITING },
        { JOB_EV_DEPEND, JOB_DEPEND_HELD },
        { JOB_EV_BEGIN, JOB_BEGUN },
        HISTORY } },
    { JOB_EXPIRED, { { JOB_EV_QUEUE, JOB_QUEUED }, HISTORY } },
};

static enum job_phase expected(enum job_phase from, enum job_event event)
{
    for (size_t i = 0; i < ARRAY_LEN(legal); i++)
        for (size_t k = 0; legal[i].from == from && k < JOB_EVENT_COUNT; k++)
            if (legal[i].to[k].to && legal[i].to[k].event == event)
                return legal[i].to[k].to;
    return JOB_PHASE_NONE;
}

static void only_legal_transitions_happen(void)
{
    for (enum job_phase from = JOB_PHASE_NONE; from < JOB_PHASE_COUNT; from++)
        for (enum job_event ev = 0; ev < JOB_EVENT_COUNT; ev++)
            CU_ASSERT_EQUAL(job_next(from, ev), expected(from, ev));
}

static bool is_history(enum job_phase p)
{
    return p == JOB_MOVED || p == JOB_FINISHED || p == JOB_FAILED ||
           p == JOB_TERMINATED;
}

static void nothing_happens_to_history(void)
{
    for (enum job_phase p = JOB_PHASE_NONE + 1; p < JOB_PHASE_COUNT; p++)
        for (enum job_event ev = 0; is_history(p) && ev < JOB_EVENT_COUNT; ev++)
            CU_ASSERT_EQUAL(job_next(p, ev), JOB_PHASE_NONE);
}

static bool step_may_end(const bool *ends, enum job_phase p)
{
    for (enum job_event ev = 0; ev < JOB_EVENT_COUNT; ev++)
        if (ends[job_next(p, ev)])
            return true;
    return false;
}

/* From everywhere there is a way into history. */
static void every_life_can_end(void)
{
    bool ends[JOB_PHASE_COUNT] = { [JOB_MOVED] = true, [JOB_TERMINATED] = true };

    for (int round = 0; round < JOB_PHASE_COUNT; round++)
        for (enum job_phase p = JOB_PHASE_NONE + 1; p < JOB_PHASE_COUNT; p++)
            ends[p] = ends[p] || is_history(p) || step_may_end(ends, p);
    for (enum job_phase p = JOB_PHASE_NONE + 1; p < JOB_PHASE_COUNT; p++)
        CU_ASSERT(ends[p]);
}

static void pairs_are_the_wires(void)
{
    static const struct {
        enum job_phase phase;
        char state;
        int64_t substate;
    } rows[] = {
        { JOB_IN_TRANSIT, 'T', 0 },  { JOB_LEAVING, 'T', 3 },
        { JOB_QUEUED, 'Q', 10 },     { JOB_TO_STAGE_IN, 'Q', 11 },
        { JOB_STAGED_IN, 'Q', 16 },  { JOB_HELD, 'H', 20 },
        { JOB_SYNC_HELD, 'H', 21 },  { JOB_DEPEND_HELD, 'H', 22 },
        { JOB_WAITING, 'W', 30 },    { JOB_STAGE_FAILED, 'W', 37 },
        { JOB_STARTING, 'R', 41 },   { JOB_RUNNING, 'R', 42 },
        { JOB_SUSPENDED, 'R', 43 },  { JOB_SCHED_SUSPENDED, 'R', 45 },
        { JOB_DELIVERING, 'E', 51 }, { JOB_EXITED, 'E', 53 },
        { JOB_BEGUN, 'B', 70 },      { JOB_EXPIRED, 'X', 69 },
        { JOB_MOVED, 'M', 94 },      { JOB_FINISHED, 'F', 92 },
        { JOB_FAILED, 'F', 93 },     { JOB_TERMINATED, 'F', 91 },
    };

    CU_ASSERT_EQUAL(ARRAY_LEN(rows), JOB_PHASE_COUNT - 1);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_EQUAL(job_phase_state(rows[i].phase), rows[i].state);
        CU_ASSERT_EQUAL(job_phase_substate(rows[i].phase), rows[i].substate);
        CU_ASSERT_EQUAL(job_phase_find(rows[i].state, rows[i].substate), rows[i].phase);
    }
    CU_ASSERT_EQUAL(job_phase_find('R', 10), JOB_PHASE_NONE);
    CU_ASSERT_EQUAL(job_phase_find('Q', 42), JOB_PHASE_NONE);
    CU_ASSERT_EQUAL(job_phase_find(INT64_MIN, INT64_MAX), JOB_PHASE_NONE);
}

static const char *change_to(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return "not changed";
}

/* A job that is committed and queued is eligible from now on; a held one is not. */
static void an_event_writes_all_three(void)
{
    struct arena *arena = arena_new();
    struct record queued = { .kind = OBJ_JOB }, held = { .kind = OBJ_JOB };

    record_job_event(&queued, arena, NULL, JOB_EV_QUEUE, 500);
    CU_ASSERT_STRING_EQUAL(change_to(&queued, JOB_A_JOB_STATE), "Q");
    CU_ASSERT_STRING_EQUAL(change_to(&queued, JOB_A_SUBSTATE), "10");
    CU_ASSERT_STRING_EQUAL(change_to(&queued, JOB_A_ETIME), "500");
    record_job_event(&held, arena, NULL, JOB_EV_HOLD, 500);
    CU_ASSERT_STRING_EQUAL(change_to(&held, JOB_A_JOB_STATE), "H");
    CU_ASSERT_STRING_EQUAL(change_to(&held, JOB_A_SUBSTATE), "20");
    CU_ASSERT_PTR_NULL(change_to(&held, JOB_A_ETIME));
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "only legal transitions happen", only_legal_transitions_happen },
        { "nothing happens to history", nothing_happens_to_history },
        { "every life can end", every_life_can_end },
        { "pairs are the wire's", pairs_are_the_wires },
        { "an event writes all three", an_event_writes_all_three },
    };

    return unit_main("job_phase", cases, ARRAY_LEN(cases));
}
