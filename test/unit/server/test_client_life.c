/* test_client_life.c - the life of a connection: the table over every state and event.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "lib/base/base.h"
#include "server/shell/client_life.h"

#include <string.h>

/* One letter for each state, in the order of the enum; '.': not possible. */
#define LETTERS ".YTKVLHSWGRDCX"

static void every_pair_of_state_and_event(void)
{
    /* clang-format off */
    static const struct {
        enum life_event event;
        const char *to; /* from ready, resting, choked, starved, ... in that order */
    } expected[] = {
        /*                      YTKVLHSWGRDCX */
        { LIFE_EV_ASKED,       "W......W....." },
        { LIFE_EV_ANSWERED,    ".......T.TC.." },
        { LIFE_EV_GATHER,      ".......G.G..." },
        { LIFE_EV_GATHERED,    "........W...." },
        { LIFE_EV_READ,        ".......R....." },
        { LIFE_EV_REGISTERED,  ".......D....." },
        { LIFE_EV_REST,        "T............" },
        { LIFE_EV_RESUME,      ".Y..........." },
        { LIFE_EV_CHOKE,       "K............" },
        { LIFE_EV_ROOM,        "..T.........." },
        { LIFE_EV_STARVE,      "V............" },
        { LIFE_EV_EASE,        "...T........." },
        { LIFE_EV_LOOK,        "L............" },
        { LIFE_EV_FOUND,       "....T........" },
        { LIFE_EV_SHAKE,       "H............" },
        { LIFE_EV_TOKEN,       ".....S......." },
        { LIFE_EV_SEEN,        "......H......" },
        { LIFE_EV_SHOOK,       ".....Y......." },
        { LIFE_EV_CLOSE,       "XXXXXXXXXXXXX" },
    };
    /* clang-format on */

    CU_ASSERT_EQUAL(ARRAY_LEN(expected), LIFE_EVENTS);
    CU_ASSERT_EQUAL(strlen(LETTERS), LIFE_COUNT);
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        for (int from = LIFE_READY; from < LIFE_COUNT; from++)
            CU_ASSERT_EQUAL(LETTERS[life_next((enum life)from, expected[i].event)],
                            expected[i].to[from - LIFE_READY]);
}

/* Packets are handed over only where somebody looks at them. */
static void who_is_owed_something_is_held(void)
{
    for (int from = LIFE_READY; from < LIFE_COUNT; from++) {
        bool taken = from == LIFE_READY || from == LIFE_HANDSHAKE ||
                     from == LIFE_COMMANDS || from == LIFE_CLOSING;

        CU_ASSERT_EQUAL(life_holds((enum life)from), !taken);
        CU_ASSERT_EQUAL(life_wants_room((enum life)from),
                        from == LIFE_CHOKED || from == LIFE_READING);
    }
}

/* Nobody waits for ever: from each state somebody's event leads to its end, and from
 * all but two of them back to where requests are served. */
static void no_state_is_a_trap(void)
{
    for (int from = LIFE_READY; from < LIFE_COUNT; from++) {
        bool reached[LIFE_COUNT] = { [LIFE_NONE] = false };

        reached[from] = true;
        for (int round = 0; round < LIFE_COUNT; round++)
            for (int state = LIFE_READY; state < LIFE_COUNT; state++)
                for (int event = 0; reached[state] && event < LIFE_EVENTS; event++)
                    reached[life_next((enum life)state, (enum life_event)event)] = true;
        CU_ASSERT(reached[LIFE_CLOSING]);
        CU_ASSERT_EQUAL(reached[LIFE_READY], from < LIFE_REGISTERED);
    }
}

static const struct unit_case cases[] = {
    { "every pair of state and event", every_pair_of_state_and_event },
    { "who is owed something is held", who_is_owed_something_is_held },
    { "no state is a trap", no_state_is_a_trap },
};

int main(void)
{
    return unit_main("life of a connection", cases, ARRAY_LEN(cases));
}
