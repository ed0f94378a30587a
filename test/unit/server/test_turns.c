/* test_turns.c - which records make the next transaction, and what leaves when: each
 * turn is a word, each effect a letter.
 *
 *   R  a record with the next number       r  a reply that has seen the last record
 *   a  an accounting line, likewise        m  a message to a MoM, likewise
 *   q  a reply that has seen nothing       l  a log line that has seen nothing
 *   c  a command to a scheduler, likewise  C  one that has seen the last record
 *   x  the end of the server, after the last record
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/turns.h"

#include "test/unit/unit.h"

#include <ctype.h>
#include <string.h>

struct bench {
    struct turns *ts;
    uint64_t seq; /* of the last record */
    char told[64];
    char taken[64];
    char over[64]; /* what was kept with turns that are over */
};

static void note_over(void *arg, void *kept)
{
    struct bench *b = arg;

    strcat(b->over, kept);
}

static void init(struct bench *b)
{
    memset(b, 0, sizeof(*b));
    b->ts = turns_new(100, note_over, b);
    b->seq = 100;
}

static void add_letter(struct bench *b, char letter)
{
    struct effects *out = turns_effects(b->ts);
    enum effect_kind kind = letter == 'R'                    ? EFFECT_RECORD
                            : letter == 'a'                  ? EFFECT_ACCOUNT
                            : letter == 'm'                  ? EFFECT_MOM_MESSAGE
                            : letter == 'l' || letter == 't' ? EFFECT_LOG
                            : letter == 'x'                  ? EFFECT_EXIT
                            : letter == 'c' || letter == 'C' ? EFFECT_SCHED_COMMAND
                                                             : EFFECT_REPLY;
    if (letter == 'R')
        b->seq++;
    effect_add(out, kind, strchr("qtc", letter) ? 0 : letter == 'l' ? 1 : b->seq);
}

static void turn(struct bench *b, const char *letters)
{
    for (; *letters; letters++)
        add_letter(b, *letters);
    turns_end(b->ts);
}

static char letter_of(const struct effect *e, bool given_up)
{
    static const char letters[] = {
        [EFFECT_RECORD] = 'R',       [EFFECT_REPLY] = 'r', [EFFECT_MOM_MESSAGE] = 'm',
        [EFFECT_ACCOUNT] = 'a',      [EFFECT_LOG] = 'l',   [EFFECT_EXIT] = 'x',
        [EFFECT_SCHED_COMMAND] = 'c'
    };
    char c = letters[e->kind];

    if (e->seq == 0 && e->kind == EFFECT_REPLY)
        c = 'q';
    if (e->seq == 0 && e->kind == EFFECT_LOG)
        c = 't'; /* what is attempted, and told whatever comes of it */

    return given_up ? (char)toupper((unsigned char)c) : c;
}

/* What leaves now; a reply that is given up is 'R' like a record, which never stands in
 * the same test. */
static const char *leaves(struct bench *b)
{
    struct turns_leaving l;
    size_t n = 0;

    while (turns_next(b->ts, &l))
        b->told[n++] = letter_of(l.effect, l.given_up);
    b->told[n] = '\0';
    return b->told;
}

static void take(void *arg, const struct effect *e, struct arena *arena)
{
    struct bench *b = arg;
    size_t n = strlen(b->taken);

    CU_ASSERT_PTR_NOT_NULL(arena);
    b->taken[n] = letter_of(e, false);
    b->taken[n + 1] = '\0';
}

static const char *commit(struct bench *b)
{
    b->taken[0] = '\0';
    turns_take_work(b->ts, take, b);
    turns_commit_begins(b->ts);
    return b->taken;
}

#define LEAVES(b, text) CU_ASSERT_STRING_EQUAL(leaves(b), text)

static void effects_wait_for_their_records(void)
{
    struct bench b;

    init(&b);
    turn(&b, "Rrm");
    CU_ASSERT_TRUE(turns_wait_for_store(b.ts));
    LEAVES(&b, "");
    CU_ASSERT_STRING_EQUAL(commit(&b), "R");
    CU_ASSERT_FALSE(turns_wait_for_store(b.ts));
    LEAVES(&b, "");
    turn(&b, "Rra"); /* shares the next transaction with what follows */
    turn(&b, "m");
    turn(&b, "Rr");
    CU_ASSERT_EQUAL(turns_decided(b.ts), 103);
    turns_commit_ended(b.ts, 101);
    CU_ASSERT_EQUAL(turns_durable(b.ts), 101);
    LEAVES(&b, "Rrm");
    CU_ASSERT_STRING_EQUAL(commit(&b), "RaR");
    turns_commit_ended(b.ts, 103);
    LEAVES(&b, "RramRr");
    CU_ASSERT_TRUE(turns_are_empty(b.ts));
    turns_free(b.ts);
}

static void who_speaks_of_the_past_waits_for_nobody(void)
{
    struct bench b;

    init(&b);
    turn(&b, "Rr");
    commit(&b);
    turn(&b, "ql"); /* nothing for the store: all of it */
    LEAVES(&b, "ql");
    turn(&b, "qlR"); /* the reply alone */
    LEAVES(&b, "q");
    turn(&b, "mq"); /* the message has seen record 102 */
    LEAVES(&b, "q");
    turn(&b, "Cc"); /* the first names what is not durable */
    LEAVES(&b, "c");
    turn(&b, "tRlc"); /* an attempt is told before the scheduler hears of it */
    LEAVES(&b, "tc");
    turns_commit_ended(b.ts, 101);
    LEAVES(&b, "Rr");
    commit(&b);
    turns_commit_ended(b.ts, 103);
    LEAVES(&b, "lRmcRl");
    turns_free(b.ts);
}

static void accounting_lines_wait_until_they_are_planned(void)
{
    struct bench b;

    init(&b);
    turn(&b, "a"); /* of no record that is not durable, and still the store's */
    LEAVES(&b, "");
    turn(&b, "q");
    LEAVES(&b, "q");
    CU_ASSERT_STRING_EQUAL(commit(&b), "a");
    LEAVES(&b, "a");
    turns_commit_ended(b.ts, 0);
    CU_ASSERT_EQUAL(turns_durable(b.ts), 100);
    CU_ASSERT_TRUE(turns_are_empty(b.ts));
    turns_free(b.ts);
}

static void clients_do_not_wait_for_ever(void)
{
    struct bench b;

    init(&b);
    turn(&b, "Rmr");
    turn(&b, "Rx");
    commit(&b);
    turns_give_up(b.ts);
    CU_ASSERT_TRUE(turns_are_given_up(b.ts));
    LEAVES(&b, "RX");
    turn(&b, "lr"); /* who asks meanwhile does not begin to wait */
    LEAVES(&b, "R");
    turns_commit_ended(b.ts, 102);
    CU_ASSERT_FALSE(turns_are_given_up(b.ts));
    LEAVES(&b, "RmRl"); /* what was decided is done; nobody is told twice */
    CU_ASSERT_TRUE(turns_are_empty(b.ts));
    turns_free(b.ts);
}

static void what_leaves_may_bring_new_turns(void)
{
    struct turns_leaving l;
    struct bench b;

    init(&b);
    turn(&b, "mm");
    CU_ASSERT_TRUE(turns_next(b.ts, &l));
    turn(&b, "q"); /* from within: the effect stays alive, its turn goes on */
    CU_ASSERT_EQUAL(l.effect->kind, EFFECT_MOM_MESSAGE);
    LEAVES(&b, "mq");
    turn(&b, "R");
    commit(&b);
    turns_commit_ended(b.ts, 101);
    turn(&b, "Rr");
    LEAVES(&b, "R");
    turns_free(b.ts); /* with what waits */
}

/* What a turn takes is taken until the last of it has left. */
static void what_is_kept_with_a_turn_is_told_of_its_end(void)
{
    static char one[] = "a", two[] = "b", three[] = "c", four[] = "d";
    struct bench b;

    init(&b);
    *turns_kept(b.ts) = one;
    turn(&b, "Rr");
    CU_ASSERT_PTR_NULL(*turns_kept(b.ts));
    *turns_kept(b.ts) = two;
    turn(&b, "l");
    turn(&b, "q"); /* keeps nothing */
    LEAVES(&b, "lq");
    CU_ASSERT_STRING_EQUAL(b.over, "b");
    commit(&b);
    turns_commit_ended(b.ts, 101);
    LEAVES(&b, "Rr");
    CU_ASSERT_STRING_EQUAL(b.over, "ba");
    *turns_kept(b.ts) = three;
    turn(&b, "R");
    *turns_kept(b.ts) = four;
    turns_free(b.ts);
    CU_ASSERT_STRING_EQUAL(b.over, "bacd");
}

static void count_one(void *arg, const struct effect *e, struct arena *arena)
{
    (void)e, (void)arena;
    ++*(size_t *)arg;
}

static void a_transaction_has_a_size(void)
{
    struct bench b;
    size_t n = 0;

    init(&b);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 1000; k++)
            add_letter(&b, 'R');
        turns_end(b.ts);
    }
    turns_take_work(b.ts, count_one, &n);
    CU_ASSERT_EQUAL(n, 5000);
    CU_ASSERT_TRUE(turns_wait_for_store(b.ts));
    turns_commit_begins(b.ts);
    turns_commit_ended(b.ts, 5100);
    turns_take_work(b.ts, count_one, &n);
    CU_ASSERT_EQUAL(n, 6000);
    CU_ASSERT_FALSE(turns_wait_for_store(b.ts));
    turns_free(b.ts);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "effects wait for their records", effects_wait_for_their_records },
        { "who speaks of the past waits for nobody",
          who_speaks_of_the_past_waits_for_nobody },
        { "accounting lines wait until they are planned",
          accounting_lines_wait_until_they_are_planned },
        { "clients do not wait for ever", clients_do_not_wait_for_ever },
        { "what leaves may bring new turns", what_leaves_may_bring_new_turns },
        { "what is kept with a turn is told of its end",
          what_is_kept_with_a_turn_is_told_of_its_end },
        { "a transaction has a size", a_transaction_has_a_size },
    };

    return unit_main("turns", cases, ARRAY_LEN(cases));
}
