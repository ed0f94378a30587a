/* history_rule.c - history that is not kept any longer (attributes.md 14.7).
 *
 * PBS sweeps all of it every two minutes. Here history has the order in which it ends,
 * so that the server's deadline is that of its first job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/base/instant.h"
#include "server/decide/job_over.h"
#include "server/model/history.h"
#include "server/rules/rules.h"

/* So many at once: a turn takes up what a rule says whole. */
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
static size_t forget(const struct rule_context *c, const struct ranks *order,
                     struct decision *out)
{
    size_t n = 0;

    for (const struct job *j = history_next(order, NULL); j && n < AT_ONCE;
         j = history_next(order, j)) {
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
    size_t n;

    if (history_deadline(c->m) > c->now_at)
        return false;
    n = forget(c, &c->m->history.kept, out);
    return n + forget(c, &c->m->history.guests, out) > 0;
}
