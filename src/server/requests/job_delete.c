/* job_delete.c - DeleteJob and DeleteJobList (wire.md 8.3, 8.6, 10.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/decide/job_end.h"

#include <string.h>

static uint32_t end_flags(const struct wire_request *wire)
{
    uint32_t flags = 0;

    if (wire->extend && strstr(wire->extend, "force"))
        flags |= JOB_END_FORCE;
    if (wire->extend && strstr(wire->extend, "nomail"))
        flags |= JOB_END_NOMAIL;
    return flags;
}

int handle_delete_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_manage *body = rq->body;
    const struct job *job;
    int err = job_for_request(m, rq, body->object_name, &job, &out->why);

    if (!err)
        job_delete_records(job, rq->actor, rq->now_at, end_flags(rq->wire), out);
    return err;
}

/* Jobs of this request that are being deleted: a job is deleted once. */
struct seen {
    const struct job *job;
    UT_hash_handle hh;
};

static bool seen_before(struct seen **seen, const struct job *job, struct arena *arena)
{
    struct seen *s;

    HASH_FIND(hh, *seen, &job, sizeof(job), s);
    if (s)
        return true;
    s = ARENA_NEW(arena, struct seen);
    s->job = job;
    HASH_ADD(hh, *seen, job, sizeof(s->job), s);
    return false;
}

struct failures {
    struct wire_deleted_job *v; /* in the order of the request */
    size_t n;
    bool all_unknown;
};

static void reply_deleted(const struct failures *f, size_t n_deleted,
                          struct decision *out)
{
    struct wire_reply *reply = &out->reply;
    size_t n = f->n;

    *reply = (struct wire_reply){ .choice = REPLY_DELETE };
    if (n > 0 && n_deleted == 0) {
        reply->code = (int32_t)f->v[n - 1].code;
        if (f->all_unknown)
            n = 1;
    }
    reply->deleted.v = ARENA_ARRAY(out->arena, struct wire_deleted_job, n + 1);
    for (size_t i = 0; i < n; i++)
        reply->deleted.v[i] = f->v[n - 1 - i];
    reply->deleted.n = n;
}

int handle_delete_job_list(const struct model *m, const struct request *rq,
                           struct decision *out)
{
    const struct wire_strings *ids = &((const struct body_list *)rq->body)->ids;
    struct failures f = { .all_unknown = true };
    uint32_t flags = end_flags(rq->wire);
    struct seen *seen = NULL;
    size_t n_deleted = 0;

    f.v = ARENA_ARRAY(out->arena, struct wire_deleted_job, ids->n + 1);
    for (size_t i = 0; i < ids->n; i++) {
        const struct job *job;
        struct diag why;
        int err;

        err = job_for_request(m, rq, ids->v[i], &job, &why);
        if (err) {
            f.v[f.n++] =
                (struct wire_deleted_job){ .id = ids->v[i], .code = (uint32_t)err };
            f.all_unknown &= err == PBSE_UNKJOBID;
            continue;
        }
        if (!seen_before(&seen, job, out->arena)) {
            job_delete_records(job, rq->actor, rq->now_at, flags, out);
            n_deleted++;
        }
    }
    HASH_CLEAR(hh, seen);
    reply_deleted(&f, n_deleted, out);
    return 0;
}
