/* history_rule.c - history that is not kept any longer (attributes.md 14.7).
 *
 * PBS sweeps all of it every two minutes. Here the list of history is in the order in
 * which it ends, so that the server's deadline is that of its first job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_over.h"
#include "server/model/history.h"
#include "server/rules/rules.h"

/* What one record of the rule's takes along at least; and the rule speaks less often
 * than the engine allows, however much there is (settle.c). */
#define AT_ONCE 100

int64_t history_over_deadline(const struct model *m, const struct object *o UNUSED)
{
    return history_deadline(m);
}

/* From the first job on, as far as they are over. */
static size_t forget(const struct rule_context *c, size_t most, struct decision *out)
{
    size_t n = 0;

    for (const struct job *j = c->m->history.first; j && n < most; j = j->list_next) {
        if (history_ends_at(c->m, j) > c->now_at)
            break;
        job_forget_record(j, c->server_actor, c->now_at, out);
        n++;
    }
    return n;
}

bool history_over_due(const struct rule_context *c, const struct object *o UNUSED,
                      struct decision *out)
{
    if (history_deadline(c->m) > c->now_at)
        return false;
    return forget(c, MAX_OF(AT_ONCE, c->m->history.n / AT_ONCE), out) > 0;
}
