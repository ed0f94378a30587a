/* history_rule.c - history that is not kept any longer (attributes.md 14.7).
 *
 * PBS sweeps all of it every two minutes. Here the list of history is in the order in
 * which it ends, so that the server's deadline is that of its first job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/base/instant.h"
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

/* The server that a job came from may still ask for it: it is kept as a guest. */
static bool is_wanted_yet(const struct rule_context *c, const struct job *j)
{
    const struct object *o = &j->obj;

    return obj_num(o, JOB_A_HF_CAME, 0) && !history_is_guest(j) &&
           instant_after(obj_num(o, JOB_A_HISTORY_TIMESTAMP, 0), HISTORY_OF_GUESTS_S) >
               c->now_at;
}

static void keep_as_guest(const struct rule_context *c, const struct job *j,
                          struct decision *out)
{
    struct record *rec = rule_decide(c, &j->obj, FACT_SET, out);

    rec->reason = REASON_TRANSFER;
    record_change(rec, out->arena, JOB_A_HF_FORGET, NULL, "True");
}

/* From the first job on, as far as they are over. */
static size_t forget(const struct rule_context *c, const struct job *first, size_t most,
                     struct decision *out)
{
    size_t n = 0;

    for (const struct job *j = first; j && n < most; j = j->list_next) {
        if (history_ends_at(c->m, j) > c->now_at)
            break;
        if (is_wanted_yet(c, j))
            keep_as_guest(c, j, out);
        else
            job_forget_record(j, c->server_actor, c->now_at, out);
        n++;
    }
    return n;
}

bool history_over_due(const struct rule_context *c, const struct object *o UNUSED,
                      struct decision *out)
{
    size_t most, n;

    if (history_deadline(c->m) > c->now_at)
        return false;
    most = MAX_OF(AT_ONCE, c->m->history.n / AT_ONCE);
    n = forget(c, c->m->history.first, most, out);
    return n + forget(c, c->m->history.guests, most, out) > 0;
}
