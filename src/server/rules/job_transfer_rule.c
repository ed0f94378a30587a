/* job_transfer_rule.c - a job that leaves for another server: it is offered until it is
 * known whether that server has it (doc/design/057-between-servers.md).
 *
 * The record that makes the job leave is durable before the first byte of it is sent.
 * Nothing else is stored on the way: a server that starts again asks again, and the
 * other one says whether it has the job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/decide/route_away.h"
#include "server/model/job_phase.h"
#include "server/rules/route_try.h"
#include "server/rules/rules.h"

#include <string.h>

/* An attempt that has not begun by then is not made: the next one is due soon. */
#define BEGIN_S      5
#define PAUSE_MAX_S  60
#define UNKNOWN_TEXT "Job held, whether %s has it is not known: look there first"

int64_t job_transfer_deadline(const struct model *m UNUSED, const struct object *o)
{
    if (!job_is_leaving(TO_JOB(o)))
        return INT64_MAX;
    return obj_num(o, JOB_A_HF_MOVE_AGAIN_AT, 0);
}

/* What became of an attempt, NULL: not known yet. */
static const struct finding *ask(const struct rule_context *c, const struct job *job)
{
    const struct request rq = {
        .now_at = c->now_at, .arena = c->arena, .cfg = c->cfg, .knows = c->knows
    };
    struct need need = { .kind = NEED_TRANSFER,
                         .name = job->obj.id,
                         .detail = obj_str(&job->obj, JOB_A_HF_MOVE_TO, ""),
                         .begin_until_at = c->now_at + BEGIN_S };

    need.data = transfer_requests(job, c->cfg->root_user, c->arena, &need.len);
    return request_know(&rq, &need);
}

static void end_move(struct record *rec, struct arena *arena)
{
    record_change(rec, arena, JOB_A_HF_MOVE_TO, NULL, NULL);
    record_change(rec, arena, JOB_A_HF_MOVE_UNTIL, NULL, NULL);
    record_change(rec, arena, JOB_A_HF_MOVE_AGAIN_AT, NULL, NULL);
    record_change(rec, arena, JOB_A_HF_MOVE_DOUBT, NULL, NULL);
}

/* The routing queue that sent it asks its next destination then. */
static void note_refusal(struct record *rec, const struct job *job,
                         const struct finding *answer, struct arena *arena)
{
    const struct object *o = &job->obj;

    if (!obj_num(o, JOB_A_HF_ROUTE_SENT, 0))
        return;
    record_change(rec, arena, JOB_A_HF_ROUTE_SENT, NULL, NULL);
    record_change(rec, arena, JOB_A_HF_ROUTE_SAID, NULL,
                  route_word_add(obj_str(o, JOB_A_HF_ROUTE_SAID, NULL),
                                 obj_str(o, JOB_A_HF_MOVE_TO, ""), answer, arena));
}

/* The job goes where its holds and its time send it, as if nobody had moved it. */
static void stay(const struct rule_context *c, const struct job *job,
                 const struct finding *answer, struct decision *out)
{
    struct record *rec = rule_decide(c, &job->obj, FACT_JOB_STAYS, out);
    int code = answer->code ? answer->code : PBSE_SYSTEM;
    const char *words = answer->words ? answer->words : pbse_text(code);

    rec->note = arena_printf(out->arena, "%d %s", code, words);
    record_job_event(rec, out->arena, job, job_place_now(job, c->now_at, out->arena),
                     c->now_at);
    note_refusal(rec, job, answer, out->arena);
    end_move(rec, out->arena);
}

static void waver(const struct rule_context *c, const struct job *job,
                  const struct finding *answer, struct decision *out)
{
    struct record *rec = rule_decide(c, &job->obj, FACT_JOB_WAVERS, out);
    int64_t began_at =
        obj_num(&job->obj, JOB_A_HF_MOVE_UNTIL, c->now_at) - TRANSFER_ASKS_S;
    int64_t pause_s = MAX_OF((c->now_at - began_at) / 2, (int64_t)1);

    rec->note = arena_printf(out->arena, "%d %s", PBSE_SYSTEM,
                             answer->words ? answer->words : "no answer to Commit");
    record_change(rec, out->arena, JOB_A_HF_MOVE_DOUBT, NULL, "True");
    record_change_num(rec, out->arena, JOB_A_HF_MOVE_AGAIN_AT,
                      c->now_at + MIN_OF(pause_s, (int64_t)PAUSE_MAX_S));
}

/* Nobody may run it, and nobody may forget it: an administrator has to look. */
static void give_up(const struct rule_context *c, const struct job *job,
                    struct decision *out)
{
    struct record *rec = rule_decide(c, &job->obj, FACT_JOB_STAYS, out);
    const char *to = obj_str(&job->obj, JOB_A_HF_MOVE_TO, "");
    const char *holds = job_holds_text(job, out->arena);
    const char *comment = arena_printf(out->arena, UNKNOWN_TEXT, to);

    rec->note = arena_printf(out->arena, "%d %s", PBSE_SYSTEM, comment);
    record_change(rec, out->arena, JOB_A_HOLD_TYPES, NULL,
                  strcmp(holds, "n") == 0 ? "s"
                  : strchr(holds, 's')    ? holds
                                          : arena_printf(out->arena, "%ss", holds));
    record_change(rec, out->arena, JOB_A_COMMENT, NULL, comment);
    record_job_event(rec, out->arena, job, JOB_EV_HOLD, c->now_at);
    record_change(rec, out->arena, JOB_A_HF_ROUTE_SENT, NULL, NULL);
    end_move(rec, out->arena);
}

bool job_transfer_due(const struct rule_context *c, const struct object *o,
                      struct decision *out)
{
    const struct job *job = TO_JOB(o);
    const struct finding *answer;

    if (job_transfer_deadline(c->m, o) > c->now_at)
        return false;
    if (obj_num(o, JOB_A_HF_MOVE_UNTIL, 0) <= c->now_at) {
        give_up(c, job, out);
        return true;
    }
    answer = ask(c, job);
    if (!answer)
        return false;
    switch (transfer_end(job, answer)) {
    case TRANSFER_TAKEN:
        transfer_left_record(c->m, job, c->server_actor, c->now_at, out);
        if (obj_num(o, JOB_A_HF_ROUTE_SENT, 0))
            route_goes_on(c, job, out);
        break;
    case TRANSFER_REFUSED:
        stay(c, job, answer, out);
        break;
    case TRANSFER_OPEN:
        waver(c, job, answer, out);
        break;
    }
    return true;
}
