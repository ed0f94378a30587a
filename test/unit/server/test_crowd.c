/* Unit tests of server/shell/crowd: who may have a connection when there are many.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/crowd.h"

#include "../unit.h"

#include <string.h>

/* 100 connections: 4 of them for root, 6 for staff, 20 for strangers, so 70 for users.
 */
static struct crowd small_crowd(void)
{
    return (struct crowd){ .max = 100,
                           .for_root = 4,
                           .for_staff = 6,
                           .max_strangers = 20,
                           .max_host_strangers = 10,
                           .max_user = 40 };
}

struct member {
    enum crowd_rank rank;
    const char *key;
    size_t n;
};

struct crowd_case {
    const char *story;
    struct member there[4];
    struct member asks;
    enum crowd_verdict verdict;
    const char *whose;
};

static const struct crowd_case cases_of_crowd[] = {
    { "an empty table", { { 0 } }, { CROWD_STRANGER, "a", 1 }, CROWD_COME_IN, NULL },
    { "one below a host's limit",
      { { CROWD_STRANGER, "a", 9 } },
      { CROWD_STRANGER, "a", 1 },
      CROWD_COME_IN,
      NULL },
    { "a host's limit",
      { { CROWD_STRANGER, "a", 10 } },
      { CROWD_STRANGER, "a", 1 },
      CROWD_FOR_STRANGER,
      "a" },
    { "another host beside one at its limit",
      { { CROWD_STRANGER, "a", 10 } },
      { CROWD_STRANGER, "b", 1 },
      CROWD_COME_IN,
      NULL },
    { "too many strangers: who has most",
      { { CROWD_STRANGER, "a", 5 },
        { CROWD_STRANGER, "b", 8 },
        { CROWD_STRANGER, "c", 7 } },
      { CROWD_STRANGER, "d", 1 },
      CROWD_FOR_STRANGER,
      "b" },
    { "strangers of one host keep no user out",
      { { CROWD_STRANGER, "a", 10 }, { CROWD_STRANGER, "b", 10 } },
      { CROWD_USER, "u", 1 },
      CROWD_COME_IN,
      NULL },
    { "one below a user's limit",
      { { CROWD_USER, "u", 39 } },
      { CROWD_USER, "u", 1 },
      CROWD_COME_IN,
      NULL },
    { "a user's limit",
      { { CROWD_USER, "u", 40 } },
      { CROWD_USER, "u", 1 },
      CROWD_USER_FULL,
      NULL },
    { "another user beside one at the limit",
      { { CROWD_USER, "u", 40 } },
      { CROWD_USER, "v", 1 },
      CROWD_COME_IN,
      NULL },
    { "the room of users is taken by one: he gives way",
      { { CROWD_USER, "u", 40 }, { CROWD_USER, "v", 30 } },
      { CROWD_USER, "w", 1 },
      CROWD_FOR_IDLE,
      "u" },
    { "the room of users is taken, and nobody has more than the newcomer",
      { { CROWD_USER, "u", 35 }, { CROWD_USER, "v", 35 } },
      { CROWD_USER, "v", 1 },
      CROWD_FULL,
      NULL },
    { "staff while the room of users is taken",
      { { CROWD_USER, "u", 40 }, { CROWD_USER, "v", 30 } },
      { CROWD_STAFF, "m", 1 },
      CROWD_COME_IN,
      NULL },
    { "a stranger while the room of users is taken",
      { { CROWD_USER, "u", 40 }, { CROWD_USER, "v", 30 } },
      { CROWD_STRANGER, "a", 1 },
      CROWD_COME_IN,
      NULL },
    { "staff have no limit of a user's",
      { { CROWD_STAFF, "m", 60 } },
      { CROWD_STAFF, "m", 1 },
      CROWD_COME_IN,
      NULL },
    { "staff while all but root's is taken",
      { { CROWD_USER, "u", 40 },
        { CROWD_USER, "v", 30 },
        { CROWD_STRANGER, "a", 10 },
        { CROWD_STAFF, "m", 16 } },
      { CROWD_STAFF, "n", 1 },
      CROWD_FOR_STRANGER,
      "a" },
    { "root while all but root's is taken",
      { { CROWD_USER, "u", 40 }, { CROWD_USER, "v", 30 }, { CROWD_STAFF, "m", 26 } },
      { CROWD_ROOT, "root", 1 },
      CROWD_COME_IN,
      NULL },
    { "a stranger while staff have taken all but root's",
      { { CROWD_USER, "u", 40 }, { CROWD_USER, "v", 30 }, { CROWD_STAFF, "m", 26 } },
      { CROWD_STRANGER, "a", 1 },
      CROWD_FULL,
      NULL },
    { "root while root has all",
      { { CROWD_ROOT, "root", 100 } },
      { CROWD_ROOT, "root", 1 },
      CROWD_FULL,
      NULL },
};

static void run_case(const struct crowd_case *c)
{
    struct crowd w = small_crowd();
    struct share *shares[ARRAY_LEN(c->there)] = { NULL };
    const struct share *whose = NULL;
    enum crowd_verdict verdict;

    crowd_init(&w, 100);
    w.max_user = 40; /* more than half of the room, so that two users fill it */
    for (size_t i = 0; i < ARRAY_LEN(c->there); i++)
        for (size_t n = 0; n < c->there[i].n; n++)
            shares[i] = crowd_enter(&w, c->there[i].rank, c->there[i].key);
    verdict = crowd_asks(&w, c->asks.rank, c->asks.key, &whose);
    if (verdict != c->verdict || (c->whose == NULL) != (whose == NULL) ||
        (whose && strcmp(whose->key, c->whose) != 0)) {
        printf("%s: verdict %d, %s\n", c->story, (int)verdict,
               whose ? whose->key : "-");
        CU_FAIL("another verdict");
    }
    for (size_t i = 0; i < ARRAY_LEN(c->there); i++)
        for (size_t n = 0; n < c->there[i].n; n++)
            crowd_leave(&w, c->there[i].rank, shares[i]);
    CU_ASSERT_EQUAL(crowd_size(&w), 0);
}

static void test_cases(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases_of_crowd); i++)
        run_case(&cases_of_crowd[i]);
}

static void test_a_small_table_is_divided(void)
{
    struct crowd w = { .for_root = 8,
                       .for_staff = 64,
                       .max_strangers = 1000,
                       .max_host_strangers = 250,
                       .max_user = 500 };

    crowd_init(&w, 128);
    CU_ASSERT_EQUAL(w.max_strangers, 32);
    CU_ASSERT_EQUAL(w.for_staff, 16);
    CU_ASSERT_EQUAL(crowd_room_for_users(&w), 72);
    CU_ASSERT_EQUAL(w.max_user, 36);
}

static void test_all_memory_is_counted_together(void)
{
    struct crowd w = small_crowd();
    struct share *a, *u;

    crowd_init(&w, 100);
    a = crowd_enter(&w, CROWD_STRANGER, "a");
    u = crowd_enter(&w, CROWD_USER, "u");
    budget_recount(&a->memory, 0, 3);
    budget_recount(&u->memory, 0, 4);
    budget_recount(&u->unsaved, 0, 50);
    CU_ASSERT_EQUAL(w.memory.bytes, 7);
    CU_ASSERT_EQUAL(w.strangers.memory.bytes, 3);
    CU_ASSERT_EQUAL(w.unsaved.bytes, 50);
    budget_recount(&a->memory, 3, 0);
    budget_recount(&u->memory, 4, 0);
    budget_recount(&u->unsaved, 50, 0);
    crowd_leave(&w, CROWD_STRANGER, a);
    crowd_leave(&w, CROWD_USER, u);
}

static const struct unit_case cases[] = {
    { "each rank has its room and each party its limit", test_cases },
    { "a small table is divided", test_a_small_table_is_divided },
    { "all memory is counted together", test_all_memory_is_counted_together },
};

int main(void)
{
    return unit_main("server/crowd", cases, ARRAY_LEN(cases));
}
