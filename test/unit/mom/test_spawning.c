/* Unit test of tasks that wait to be started: how many a turn of the loop starts, and
 * whose. The core and the starts are played.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/spawning.h"

#include "mom/shell/shell.h"

#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char history[400]; /* "A1": started, "-A1": told as not started, "|": a turn */
static const char *first_word;

static void note(const char *sign, const char *job_id, uint32_t number)
{
    size_t len = strlen(history);

    snprintf(history + len, sizeof(history) - len, "%s%s%u ", sign, job_id, number);
}

/* What spawning needs of the core and of the shell. */

void tasks_spawn(struct shell *s, const char *job_id, uint32_t number,
                 const struct plan_task *task, int32_t restart_session,
                 struct mom_out *out)
{
    (void)s;
    (void)out;
    (void)restart_session;
    first_word = task->args->n > 0 ? task->args->v[0] : NULL;
    CU_ASSERT_STRING_EQUAL(first_word, "/bin/true");
    CU_ASSERT(task->env->n == 1 && strcmp(task->env->v[0], "A=1") == 0);
    CU_ASSERT_EQUAL(task->vnode, 3);
    note("", job_id, number);
}

void mom_task_started(struct mom *m, int64_t now_at, const char *job_id, uint32_t task,
                      int32_t session, int32_t status, const char *text,
                      struct mom_out *out)
{
    (void)m;
    (void)now_at;
    (void)text;
    (void)out;
    CU_ASSERT(session == 0 && status == START_RETRY);
    note("-", job_id, task);
}

bool mom_job_outputs(const struct mom *m, const char *job_id, uint32_t *ip,
                     uint16_t *out_port, uint16_t *err_port)
{
    (void)m;
    (void)job_id;
    *ip = *out_port = *err_port = 0;
    return false;
}

void shell_carry_out(struct shell *s, struct mom_out *out)
{
    (void)s;
    CU_ASSERT_EQUAL(out->n, 0);
}

/* The tests. */

static struct shell s;

static void begin(void)
{
    s = (struct shell){ .loop = loop_new(), .arena = arena_new() };
    history[0] = '\0';
}

static void end(void)
{
    spawning_close(&s);
    CU_ASSERT_PTR_NULL(s.spawning);
    loop_free(s.loop);
    arena_free(s.arena);
}

static void add(const char *job_id, uint32_t number, const char *second_word)
{
    const char *args[] = { "/bin/true", second_word }, *env[] = { "A=1" };
    const struct wire_strings words = { second_word ? 2 : 1, args }, set = { 1, env };
    struct mom_out out = { .arena = s.arena };
    struct mom_effect e = { .kind = MOM_SPAWN };

    e.job_id = job_id;
    e.task = number;
    e.u.spawn.vnode = 3;
    e.u.spawn.args = &words;
    e.u.spawn.env = &set;
    spawning_add(&s, &e, &out);
}

static void turns(int n)
{
    while (n-- > 0) {
        note("|", "", 0);
        (void)loop_turn(s.loop, false);
    }
}

/* A job that wants many leaves the turn to others, and those of another job are not
 * behind all of them. */
static void test_jobs_take_turns(void)
{
    begin();
    for (uint32_t i = 1; i <= 10; i++)
        add("A", i, NULL);
    for (uint32_t i = 1; i <= 3; i++)
        add("B", i, NULL);
    turns(4);
    add("C", 1, NULL); /* nothing waits any more */
    CU_ASSERT_STRING_EQUAL(history, "A1 A2 A3 A4 |0 A5 B1 A6 B2 |0 A7 B3 A8 A9 |0 A10 "
                                    "|0 C1 ");
    end();
}

static void test_what_waits_of_a_job_that_ends_is_not_started(void)
{
    begin();
    for (uint32_t i = 1; i <= 6; i++)
        add("A", i, NULL);
    add("B", 1, NULL);
    add("B", 2, NULL);
    spawning_end(&s, "A");
    spawning_drop(&s, "B");
    spawning_end(&s, "none");
    spawning_drop(&s, "none");
    turns(2);
    CU_ASSERT_STRING_EQUAL(history, "A1 A2 A3 A4 |0 -A5 -A6 |0 ");
    end();
}

static void test_what_waits_has_a_limit(void)
{
    const size_t large = 1u << 20, most = SPAWNING_MOST_BYTES / large;
    char *word = calloc(1, large + 1);

    begin();
    memset(word, 'x', large);
    for (uint32_t i = 1; i <= SPAWNING_A_TURN; i++)
        add("A", i, word);
    history[0] = '\0';
    for (uint32_t i = 1; i <= most + 2; i++)
        add("A", 100 + i, word);
    CU_ASSERT_NOT_EQUAL(history[0], '\0');
    history[0] = '\0';
    add("B", 1, word);
    CU_ASSERT_STRING_EQUAL(history, ""); /* it waits: the limit is of a job */
    free(word);
    end();
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "jobs take turns", test_jobs_take_turns },
        { "what waits of a job that ends is not started",
          test_what_waits_of_a_job_that_ends_is_not_started },
        { "what waits has a limit", test_what_waits_has_a_limit },
    };

    return unit_main("tasks that wait", tests, ARRAY_LEN(tests));
}
