/* job_track_rule.c - the server that made a job is told that it is here now (TrackJob,
 * wire.md 14): commands that ask there are sent to the right place, through however
 * many servers the job went.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/model/job_state.h"
#include "server/rules/rules.h"

#define PAUSE_S 60

int64_t job_track_deadline(const struct model *m UNUSED, const struct object *o)
{
    /* One that leaves again is the next server's to tell of. */
    if (job_is_leaving(TO_JOB(o)))
        return INT64_MAX;
    return obj_num(o, JOB_A_HF_TRACK_AT, INT64_MAX);
}

static const struct finding *tell(const struct rule_context *c, const struct job *job)
{
    const struct object *o = &job->obj;
    const struct request rq = {
        .now_at = c->now_at, .arena = c->arena, .cfg = c->cfg, .knows = c->knows
    };
    const struct body_track body = {
        .job_id = o->id,
        .hops = (uint32_t)obj_num(o, JOB_A_HOP_COUNT, 1),
        .location =
            arena_printf(c->arena, "%s:%u", c->cfg->server_host, c->cfg->server_port),
        .state = (uint32_t)job_state(job),
    };
    struct need need = { .kind = NEED_TOLD,
                         .name =
                             arena_printf(c->arena, "track %s %u", o->id, body.hops) };
    struct job_id parts = { 0 };
    bool is_id = job_id_parse(o->id, c->arena, &parts);

    MUST(is_id && parts.server); /* or it would not have been let in */
    need.detail = arena_printf(c->arena, "@%s", parts.server);
    need.data = server_request(BATCH_TRACK_JOB, c->cfg->root_user, &body,
                               obj_str(o, JOB_A_QUEUE, ""), c->arena, &need.len);
    return request_know(&rq, &need);
}

bool job_track_due(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    const struct finding *f;
    struct record *rec;
    int64_t here_s;

    if (job_track_deadline(c->m, o) > c->now_at)
        return false;
    f = tell(c, TO_JOB(o));
    if (!f)
        return false;
    /* What it answers is its own affair: it may have forgotten the job. One that cannot
     * be reached is asked at longer and longer intervals. */
    here_s = c->now_at - obj_num(o, JOB_A_QTIME, c->now_at);
    rec = rule_decide(c, o, FACT_SET, out);
    rec->reason = REASON_TRANSFER;
    if (f->failed && here_s < TRANSFER_ASKS_S)
        record_change_num(rec, out->arena, JOB_A_HF_TRACK_AT,
                          c->now_at + MAX_OF(here_s, (int64_t)PAUSE_S));
    else
        record_change(rec, out->arena, JOB_A_HF_TRACK_AT, NULL, NULL);
    return true;
}
