/* Unit tests of server/model/resv_state.c: the table of a reservation's life, every
 * phase with every event.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_words.h"
#include "server/model/resv_state.h"

#include "../unit.h"

#include <string.h>

/* The legal transitions as reservations.md 3.3 lists them, and nothing else. */
static const struct {
    enum resv_phase from;
    enum resv_event event;
    enum resv_phase to;
} legal[] = {
    { PHASE_UNCONFIRMED, RESV_EV_CONFIRM, PHASE_CONFIRMED },
    { PHASE_UNCONFIRMED, RESV_EV_DENY, PHASE_DELETED },
    { PHASE_UNCONFIRMED, RESV_EV_END, PHASE_ENDING },
    { PHASE_CONFIRMED, RESV_EV_CONFIRM, PHASE_CONFIRMED },
    { PHASE_CONFIRMED, RESV_EV_NODES_LOST, PHASE_DEGRADED },
    { PHASE_CONFIRMED, RESV_EV_OPEN, PHASE_RUNNING },
    { PHASE_CONFIRMED, RESV_EV_OVER, PHASE_BETWEEN },
    { PHASE_CONFIRMED, RESV_EV_END, PHASE_ENDING },
    { PHASE_DEGRADED, RESV_EV_CONFIRM, PHASE_CONFIRMED },
    { PHASE_DEGRADED, RESV_EV_DENY, PHASE_DEGRADED },
    { PHASE_DEGRADED, RESV_EV_NODES_LOST, PHASE_DEGRADED },
    { PHASE_DEGRADED, RESV_EV_HEAL, PHASE_CONFIRMED },
    { PHASE_DEGRADED, RESV_EV_OPEN, PHASE_RUNNING_DEGRADED },
    { PHASE_DEGRADED, RESV_EV_OVER, PHASE_BETWEEN_DEGRADED },
    { PHASE_DEGRADED, RESV_EV_END, PHASE_ENDING },
    { PHASE_RUNNING, RESV_EV_CONFIRM, PHASE_RUNNING },
    { PHASE_RUNNING, RESV_EV_NODES_LOST, PHASE_RUNNING_DEGRADED },
    { PHASE_RUNNING, RESV_EV_MOVE_OUT, PHASE_CONFIRMED },
    { PHASE_RUNNING, RESV_EV_OVER, PHASE_BETWEEN },
    { PHASE_RUNNING, RESV_EV_END, PHASE_ENDING },
    { PHASE_RUNNING_DEGRADED, RESV_EV_CONFIRM, PHASE_RUNNING },
    { PHASE_RUNNING_DEGRADED, RESV_EV_DENY, PHASE_RUNNING_DEGRADED },
    { PHASE_RUNNING_DEGRADED, RESV_EV_NODES_LOST, PHASE_RUNNING_DEGRADED },
    { PHASE_RUNNING_DEGRADED, RESV_EV_HEAL, PHASE_RUNNING },
    { PHASE_RUNNING_DEGRADED, RESV_EV_MOVE_OUT, PHASE_CONFIRMED },
    { PHASE_RUNNING_DEGRADED, RESV_EV_OVER, PHASE_BETWEEN_DEGRADED },
    { PHASE_RUNNING_DEGRADED, RESV_EV_END, PHASE_ENDING },
    { PHASE_CONFIRMED, RESV_EV_CONFLICT, PHASE_CONFLICT },
    { PHASE_DEGRADED, RESV_EV_CONFLICT, PHASE_CONFLICT },
    { PHASE_RUNNING, RESV_EV_CONFLICT, PHASE_RUNNING_CONFLICT },
    { PHASE_RUNNING_DEGRADED, RESV_EV_CONFLICT, PHASE_RUNNING_CONFLICT },
    { PHASE_CONFLICT, RESV_EV_CONFIRM, PHASE_CONFIRMED },
    { PHASE_CONFLICT, RESV_EV_DENY, PHASE_CONFLICT },
    { PHASE_CONFLICT, RESV_EV_OPEN, PHASE_RUNNING_CONFLICT },
    { PHASE_CONFLICT, RESV_EV_OVER, PHASE_BETWEEN_CONFLICT },
    { PHASE_CONFLICT, RESV_EV_CONFLICT, PHASE_CONFLICT },
    { PHASE_CONFLICT, RESV_EV_END, PHASE_ENDING },
    { PHASE_RUNNING_CONFLICT, RESV_EV_CONFIRM, PHASE_RUNNING },
    { PHASE_RUNNING_CONFLICT, RESV_EV_MOVE_OUT, PHASE_CONFLICT },
    { PHASE_RUNNING_CONFLICT, RESV_EV_OVER, PHASE_BETWEEN_CONFLICT },
    { PHASE_RUNNING_CONFLICT, RESV_EV_CONFLICT, PHASE_RUNNING_CONFLICT },
    { PHASE_RUNNING_CONFLICT, RESV_EV_END, PHASE_ENDING },
    { PHASE_BETWEEN, RESV_EV_TURN, PHASE_CONFIRMED },
    { PHASE_BETWEEN, RESV_EV_END, PHASE_ENDING },
    { PHASE_BETWEEN_DEGRADED, RESV_EV_TURN, PHASE_CONFIRMED },
    { PHASE_BETWEEN_DEGRADED, RESV_EV_END, PHASE_ENDING },
    { PHASE_BETWEEN_CONFLICT, RESV_EV_TURN, PHASE_CONFIRMED },
    { PHASE_BETWEEN_CONFLICT, RESV_EV_END, PHASE_ENDING },
    { PHASE_ENDING, RESV_EV_EMPTY, PHASE_DELETED },
    { PHASE_ENDING, RESV_EV_END, PHASE_ENDING },
    { PHASE_DELETED, RESV_EV_EMPTY, PHASE_DELETED },
    { PHASE_DELETED, RESV_EV_END, PHASE_DELETED },
};

static enum resv_phase expected(enum resv_phase from, enum resv_event event)
{
    for (size_t i = 0; i < ARRAY_LEN(legal); i++)
        if (legal[i].from == from && legal[i].event == event)
            return legal[i].to;
    return PHASE_NONE;
}

static void test_only_legal_transitions(void)
{
    for (enum resv_phase from = PHASE_NONE; from < PHASE_COUNT; from++)
        for (enum resv_event ev = 0; ev < RESV_EVENT_COUNT; ev++)
            CU_ASSERT_EQUAL(resv_next(from, ev), expected(from, ev));
}

static void test_every_life_can_end(void)
{
    for (enum resv_phase p = PHASE_NONE + 1; p < PHASE_COUNT; p++)
        CU_ASSERT_NOT_EQUAL(resv_next(p, RESV_EV_END), PHASE_NONE);
}

/* The dead stay dead: a vnode that comes back revives nothing that is being deleted. */
static void test_the_dead_stay_dead(void)
{
    static const enum resv_phase dead[] = { PHASE_ENDING, PHASE_DELETED };

    for (size_t i = 0; i < ARRAY_LEN(dead); i++)
        for (enum resv_event ev = 0; ev < RESV_EVENT_COUNT; ev++) {
            enum resv_phase to = resv_next(dead[i], ev);

            CU_ASSERT_TRUE(to == PHASE_NONE || to == PHASE_ENDING ||
                           to == PHASE_DELETED);
        }
}

static void test_pairs_are_the_wires(void)
{
    static const struct {
        enum resv_phase phase;
        int64_t state, substate;
        bool running, degraded, confirmed, conflict, replaced;
    } cases[] = {
        { PHASE_UNCONFIRMED, 1, 1, false, false, false, false, false },
        { PHASE_CONFIRMED, 2, 2, false, false, true, false, false },
        { PHASE_DEGRADED, 10, 10, false, true, true, false, true },
        { PHASE_RUNNING, 5, 5, true, false, true, false, false },
        { PHASE_RUNNING_DEGRADED, 5, 10, true, true, true, false, true },
        { PHASE_CONFLICT, 10, 12, false, false, true, true, true },
        { PHASE_RUNNING_CONFLICT, 5, 12, true, false, true, true, false },
        { PHASE_BETWEEN, 9, 5, false, false, false, false, false },
        { PHASE_BETWEEN_DEGRADED, 9, 10, false, false, false, false, false },
        { PHASE_BETWEEN_CONFLICT, 9, 12, false, false, false, false, false },
        { PHASE_ENDING, 7, 9, false, false, false, false, false },
        { PHASE_DELETED, 8, 8, false, false, false, false, false },
    };

    CU_ASSERT_EQUAL(ARRAY_LEN(cases), PHASE_COUNT - 1);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        enum resv_phase p = cases[i].phase;

        CU_ASSERT_EQUAL(resv_phase_state(p), cases[i].state);
        CU_ASSERT_EQUAL(resv_phase_substate(p), cases[i].substate);
        CU_ASSERT_EQUAL(resv_phase_find(cases[i].state, cases[i].substate), p);
        CU_ASSERT_EQUAL(phase_is_running(p), cases[i].running);
        CU_ASSERT_EQUAL(phase_is_degraded(p), cases[i].degraded);
        CU_ASSERT_EQUAL(phase_is_confirmed(p), cases[i].confirmed);
        CU_ASSERT_EQUAL(phase_is_in_conflict(p), cases[i].conflict);
        CU_ASSERT_EQUAL(phase_is_replaced(p), cases[i].replaced);
    }
    CU_ASSERT_EQUAL(resv_phase_find(7, 10), PHASE_NONE);
    CU_ASSERT_EQUAL(resv_phase_find(0, 0), PHASE_NONE);
    CU_ASSERT_EQUAL(resv_phase_find(INT64_MAX, -1), PHASE_NONE);
}

static void test_names(void)
{
    static const char *const brief[] = { "NO", "UN", "CO", "WT", "TR", "RN", "FN",
                                         "BD", "DE", "DJ", "DG", "AL", "IC" };

    CU_ASSERT_EQUAL(ARRAY_LEN(brief), RESV_STATE_COUNT);
    for (int64_t s = 0; s < RESV_STATE_COUNT; s++) {
        CU_ASSERT_STRING_EQUAL(resv_state_short(s), brief[s]);
        CU_ASSERT_EQUAL(strncmp(resv_state_long(s), "RESV_", 5), 0);
    }
    CU_ASSERT_STRING_EQUAL(resv_state_long(RESV_IN_CONFLICT), "RESV_IN_CONFLICT");
    CU_ASSERT_PTR_NULL(resv_state_short(-1));
    CU_ASSERT_PTR_NULL(resv_state_long(RESV_STATE_COUNT));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "only legal transitions exist", test_only_legal_transitions },
        { "every life can end", test_every_life_can_end },
        { "the dead stay dead", test_the_dead_stay_dead },
        { "pairs of state and substate are those of the wire",
          test_pairs_are_the_wires },
        { "states have their names", test_names },
    };

    return unit_main("resv_state", cases, ARRAY_LEN(cases));
}
