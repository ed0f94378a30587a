/* Unit tests of src/server/shell/lookups.c: who waits for a name service, and for how
 * long. The threads are played here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/find_out.h"
#include "server/shell/lookups.h"

#include "../unit.h"

#include <stdio.h>
#include <string.h>

#define ERRANDS_MAX 16

static struct shell sh;
/* Errands that were given to threads, oldest first. */
static struct {
    char name[64];
    struct need need;
    found_fn found;
    void *arg;
} errands[ERRANDS_MAX];
static size_t n_errands;
static bool full; /* no thread takes another one */

bool find_out_begin(struct find_out *f, const struct need *need, found_fn found,
                    void *arg)
{
    (void)f;
    if (full)
        return false;
    CU_ASSERT_FATAL(n_errands < ERRANDS_MAX);
    snprintf(errands[n_errands].name, sizeof(errands[0].name), "%s", need->name);
    errands[n_errands].need = *need;
    errands[n_errands].need.name = errands[n_errands].name;
    errands[n_errands].found = found;
    errands[n_errands++].arg = arg;
    return true;
}

void find_out_for_core(struct find_out *f, const struct need *need)
{
    (void)f;
    (void)need;
}

struct find_out *find_out_new(struct shell *s)
{
    (void)s;
    return NULL;
}

void find_out_free(struct find_out *f)
{
    (void)f;
}

static void answer(size_t i, const char *words)
{
    const struct finding f = { .found = words != NULL, .words = words };

    errands[i].found(errands[i].arg, &errands[i].need, &f);
}

/* Somebody who needs two names. */
struct person {
    struct seeker seeker;
    const char *names[2];
    const char *got[2];
    size_t n_told;
    struct person *ends; /* with it goes this one */
};

static bool ask(struct person *a)
{
    bool all = true;

    for (size_t i = 0; i < ARRAY_LEN(a->names) && a->names[i]; i++) {
        const struct need need = { .kind = NEED_PEER, .name = a->names[i] };
        const struct finding *f = lookup(sh.lookups, &a->seeker, &need);

        all = all && f;
        a->got[i] = !f ? NULL : f->failed ? "nobody knows" : f->words;
    }
    return all;
}

static void on_told(struct seeker *who)
{
    struct person *a = STRUCT_OF(who, struct person, seeker);

    a->n_told++;
    CU_ASSERT_FALSE(seeker_waits(who));
    if (a->ends)
        seeker_end(&a->ends->seeker);
}

static void setup(int64_t patience_s)
{
    n_errands = 0;
    full = false;
    sh = (struct shell){ .loop = loop_new() };
    sh.lookups = lookups_new(&sh, patience_s);
}

static void teardown(void)
{
    lookups_free(sh.lookups);
    loop_free(sh.loop);
}

static void what_was_found_out_is_known_to_everybody(void)
{
    struct person a = { .seeker.go_on = on_told, .names = { "x" } }, b = a, c = a;

    setup(30);
    CU_ASSERT_FALSE(ask(&a));
    CU_ASSERT_FALSE(ask(&b));
    CU_ASSERT_EQUAL(n_errands, 1); /* the same thing is asked once */
    CU_ASSERT(seeker_waits(&a.seeker) && !seeker_is_back(&a.seeker));
    answer(0, "its name");
    CU_ASSERT_EQUAL(a.n_told, 1);
    CU_ASSERT_EQUAL(b.n_told, 1);
    CU_ASSERT(seeker_is_back(&a.seeker));
    CU_ASSERT(ask(&a) && ask(&b) && ask(&c));
    CU_ASSERT_STRING_EQUAL(a.got[0], "its name");
    CU_ASSERT_STRING_EQUAL(c.got[0], "its name");
    CU_ASSERT_FALSE(seeker_is_back(&c.seeker)); /* it has not waited */
    seeker_end(&a.seeker);
    seeker_end(&b.seeker);
    CU_ASSERT_FALSE(seeker_is_back(&a.seeker));
    teardown();
}

static void who_needs_two_things_is_told_once(void)
{
    struct person a = { .seeker.go_on = on_told, .names = { "x", "y" } };

    setup(30);
    CU_ASSERT_FALSE(ask(&a));
    CU_ASSERT_EQUAL(n_errands, 2); /* both at the same time */
    answer(1, "name of y");
    CU_ASSERT_EQUAL(a.n_told, 0);
    answer(0, NULL);
    CU_ASSERT_EQUAL(a.n_told, 1);
    CU_ASSERT(ask(&a));
    CU_ASSERT_PTR_NULL(a.got[0]);
    CU_ASSERT_STRING_EQUAL(a.got[1], "name of y");
    seeker_end(&a.seeker);
    teardown();
}

static void who_goes_is_not_told(void)
{
    struct person a = { .seeker.go_on = on_told, .names = { "x" } }, b = a;

    setup(30);
    a.ends = &b;
    CU_ASSERT_FALSE(ask(&a));
    CU_ASSERT_FALSE(ask(&b)); /* goes while the first one is told */
    answer(0, "its name");
    CU_ASSERT_EQUAL(a.n_told, 1);
    CU_ASSERT_EQUAL(b.n_told, 0);
    seeker_end(&a.seeker);
    teardown();
}

static void what_it_was_told_stays_true_for_it(void)
{
    struct person a = { .seeker.go_on = on_told, .names = { "x", "y" } };

    setup(30);
    CU_ASSERT_FALSE(ask(&a));
    answer(0, "its name");
    answer(0, "another name"); /* known to whoever asks from now on */
    answer(1, "name of y");
    CU_ASSERT(ask(&a));
    CU_ASSERT_STRING_EQUAL(a.got[0], "its name");
    seeker_end(&a.seeker);
    CU_ASSERT(ask(&a));
    CU_ASSERT_STRING_EQUAL(a.got[0], "another name");
    seeker_end(&a.seeker);
    teardown();
}

static void nobody_waits_for_ever(void)
{
    struct person a = { .seeker.go_on = on_told, .names = { "x", "y" } };

    setup(0);
    CU_ASSERT_FALSE(ask(&a));
    while (a.n_told == 0)
        loop_turn(sh.loop, true);
    CU_ASSERT(ask(&a));
    CU_ASSERT_STRING_EQUAL(a.got[0], "nobody knows");
    CU_ASSERT_STRING_EQUAL(a.got[1], "nobody knows");
    seeker_end(&a.seeker);
    answer(0, "its name"); /* late, and worth knowing */
    a.names[1] = NULL;
    CU_ASSERT(ask(&a));
    CU_ASSERT_STRING_EQUAL(a.got[0], "its name");
    CU_ASSERT_EQUAL(a.n_told, 1);
    teardown();
}

static void too_many_questions_have_an_answer_too(void)
{
    struct person a = { .seeker.go_on = on_told, .names = { "x" } };

    setup(30);
    full = true;
    CU_ASSERT(ask(&a));
    CU_ASSERT_STRING_EQUAL(a.got[0], "nobody knows");
    CU_ASSERT_FALSE(seeker_waits(&a.seeker));
    full = false; /* and that is not kept */
    CU_ASSERT_FALSE(ask(&a));
    seeker_end(&a.seeker);
    teardown();
}

static void root_is_known_beforehand(void)
{
    const struct need root = { .kind = NEED_USER, .name = "0" };
    struct person a = { .seeker.go_on = on_told };
    const struct finding *f;

    setup(30);
    f = lookup(sh.lookups, &a.seeker, &root);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_STRING_EQUAL(f->words, "root");
    CU_ASSERT_EQUAL(n_errands, 0);
    teardown();
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what was found out is known to everybody",
          what_was_found_out_is_known_to_everybody },
        { "who needs two things is told once", who_needs_two_things_is_told_once },
        { "who goes is not told", who_goes_is_not_told },
        { "what it was told stays true for it", what_it_was_told_stays_true_for_it },
        { "nobody waits for ever", nobody_waits_for_ever },
        { "too many questions have an answer too",
          too_many_questions_have_an_answer_too },
        { "root is known beforehand", root_is_known_beforehand },
    };

    return unit_main("lookups", cases, ARRAY_LEN(cases));
}
