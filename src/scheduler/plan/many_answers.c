/* many_answers.c - the answers of a plan that travel in one request, AnswerResvs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/sched.h"

#include <string.h>

/* A request of this size is small beside what a server reads at once. */
#define ANSWERS_MOST_BYTES ((size_t)1 << 20)

/* Does it travel as a ConfirmResv? An answer with other times has a request of its own.
 */
static bool is_answer(const struct plan_step *step)
{
    return (step->kind == PLAN_CONFIRM_RESV || step->kind == PLAN_DENY_RESV) &&
           step->n_places == 0;
}

size_t plan_answers(const struct plan *plan, size_t from)
{
    size_t n = 0, bytes = 0;

    MUST(from <= plan->n);
    while (from + n < plan->n && n < ANSWERS_MOST && bytes < ANSWERS_MOST_BYTES &&
           is_answer(&plan->steps[from + n])) {
        const char *vnodes = plan->steps[from + n].vnodes;

        bytes += vnodes ? strlen(vnodes) : 0;
        n++;
    }
    return n;
}

void plan_answers_request(const struct plan_step *steps, size_t n, struct arena *arena,
                          struct wire_request *ret)
{
    struct body_answer_resvs *body = ARENA_NEW(arena, struct body_answer_resvs);

    MUST(n > 0 && n <= ANSWERS_MOST);
    body->n = n;
    body->answers = ARENA_ARRAY(arena, struct wire_answer, n);
    for (size_t i = 0; i < n; i++) {
        struct wire_request one;
        const struct body_run *run;
        bool any = plan_step_request(&steps[i], arena, &one);

        MUST(any && one.number == BATCH_CONFIRM_RESV);
        run = one.body;
        body->answers[i] = (struct wire_answer){ .id = run->object_id,
                                                 .vnodes = run->vnodes,
                                                 .start_at = run->argument,
                                                 .extend = one.extend };
    }
    *ret = (struct wire_request){ .number = BATCH_ANSWER_RESVS, .body = body };
}
