/* job_delete.c - DeleteJob and DeleteJobList (wire.md 8.3, 8.6, 10.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/bounds.h"
#include "lib/base/log.h"
#include "server/decide/job_end.h"
#include "server/decide/job_over.h"
#include "server/model/history.h"
#include "server/model/job_state.h"
#include "server/requests/array_delete.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"

#include <string.h>

/* Its constant in pbs_ifl.h is DELETEHISTORY. */
#define DELETEHISTORY_WORD "deletehist"

static uint32_t end_flags(const struct wire_request *wire)
{
    uint32_t flags = 0;

    /* The extension may have several words, so each is searched for wherever it
     * stands. */
    if (wire->extend && strstr(wire->extend, "force"))
        flags |= JOB_END_FORCE;
    if (wire->extend && strstr(wire->extend, "nomail"))
        flags |= JOB_END_NOMAIL;
    if (wire->extend && strstr(wire->extend, DELETEHISTORY_WORD))
        flags |= JOB_END_FORGET;
    return flags;
}

/* History of which nothing is to be kept: 15158 says that it was deleted, and is no
 * failure to those who asked for it. Other history is left alone: 15139. */
static int forget_history(const struct model *m, const struct request *rq,
                          const char *id, uint32_t flags, struct decision *out)
{
    const struct job *job = model_job(m, id);

    if (!job || !job->past || !(flags & JOB_END_FORGET))
        return 0;
    if (!requester_is_staff(rq) &&
        !requester_is_owner(m, rq->who, obj_str(&job->obj, JOB_A_JOB_OWNER, "")))
        return PBSE_PERM;
    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
               "Deleting job history upon request from %s", rq->actor);
    job_forget_record(job, rq->actor, rq->now_at, out);
    return PBSE_HISTJOBDELETED;
}

/* The job of that id is deleted, unless its MoM is away: nothing is remembered then
 * (cli.md 5.1). Force does not need the MoM. */
static int check_deletion(const struct job *job, uint32_t flags, struct decision *out)
{
    int err = flags & JOB_END_FORCE ? 0
              : job_is_leaving(job) ? PBSE_BADSTATE
                                    : job_mom_is_heard(job, out);

    if (err)
        decide_log(out, LOG_EV_JOB, LOG_IN_JOB, job->obj.id, "Delete failed %d", err);
    return err;
}

static void note_forgotten(const struct model *m, const char *id, uint32_t flags,
                           struct decision *out)
{
    if ((flags & JOB_END_FORGET) && history_is_kept(m))
        decide_log(out, LOG_EV_JOB, LOG_IN_JOB, id, "Also deleted job history");
}

/* Whatever the id names: a job, an array, subjobs. *failed is told of what cannot be
 * deleted. */
static int delete_named(const struct model *m, const struct request *rq, const char *id,
                        uint32_t flags, const char **failed, struct diag *why,
                        struct decision *out)
{
    struct array_deletion d = { 0 };
    const struct job *array, *job;
    struct index_set places;
    int err = subjobs_for_request(m, rq, id, &array, &places, why);

    *failed = id;
    if (!err && !array)
        err = job_for_request(m, rq, id, &job, why);
    if (err)
        return err;
    if (array) {
        d = subjobs_delete(m, rq, id, array, &places, flags, out);
        index_set_fini(&places);
    } else if (job->array) {
        d = array_delete(m, rq, job, flags, out);
        note_forgotten(m, job->obj.id, flags, out);
    } else {
        err = check_deletion(job, flags, out);
        if (err)
            return err;
        job_delete_records(m, job, rq->actor, rq->now_at, flags, out);
        note_forgotten(m, job->obj.id, flags, out);
    }
    *failed = d.err ? d.id : id;
    return d.err ? diag_code(why, d.err) : 0;
}

int handle_delete_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_manage *body = rq->body;
    uint32_t flags = end_flags(rq->wire);
    int err = forget_history(m, rq, body->object_name, flags, out);
    const char *failed;
    struct diag why;

    if (err)
        return err == PBSE_HISTJOBDELETED ? 0 : diag_code(&out->why, err);
    err = delete_named(m, rq, body->object_name, flags, &failed, &why, out);
    /* What was deleted of an array is fact, whatever became of the rest. */
    return err && out->records.n == 0 ? diag_code(&out->why, err) : 0;
}

/* What a deletion costs, in the units of request_slice_cost(). */
#define DELETION_COST 60

/* Jobs of this request that are being deleted: a job is deleted once. By id, since a
 * job may be gone when it is named again. */
struct seen {
    const char *id;
    UT_hash_handle hh;
};

/* A list of jobs being deleted, in its order; it goes on in several turns when it is
 * long. What was deleted is fact with its slice, whatever becomes of the rest. */
struct deletion {
    const struct wire_strings *ids;
    uint32_t flags;
    struct arena *arena; /* lives as long as the deletion */
    size_t next;         /* of the ids */
    size_t n_deleted;
    struct seen *seen;
    struct wire_deleted_job *failed; /* in the order of the request */
    size_t n_failed;
    bool all_unknown;
};

static struct deletion *deletion_new(const struct request *rq, struct arena *arena)
{
    struct deletion *d = ARENA_NEW(arena, struct deletion);

    MUST(!rq->progress || arena == rq->progress->arena); /* it outlives the slice */
    d->ids = &((const struct body_list *)rq->body)->ids;
    d->flags = end_flags(rq->wire);
    d->arena = arena;
    /* Each id may fail once, so the room never has to grow. */
    d->failed = ARENA_ARRAY(arena, struct wire_deleted_job, d->ids->n + 1);
    d->all_unknown = true;
    return d;
}

static void deletion_drop(void *state)
{
    struct deletion *d = state;

    HASH_CLEAR(hh, d->seen);
}

static bool was_seen(const struct deletion *d, const char *id)
{
    struct seen *s;

    HASH_FIND_STR(d->seen, id, s);
    return s != NULL;
}

static void see(struct deletion *d, const char *id)
{
    struct seen *s = ARENA_NEW(d->arena, struct seen);

    MUST(!was_seen(d, id));
    s->id = arena_strdup(d->arena, id);
    HASH_ADD_KEYPTR(hh, d->seen, s->id, strlen(s->id), s);
}

/* Returns what it cost. */
static size_t delete_one(const struct model *m, const struct request *rq,
                         struct deletion *d, const char *id, struct decision *out)
{
    const char *failed;
    struct diag why;
    int err;

    /* A name that is given twice is neither deleted twice nor reported as unknown. */
    if (was_seen(d, id))
        return 1;
    err = forget_history(m, rq, id, d->flags, out);
    failed = id;
    if (!err)
        err = delete_named(m, rq, id, d->flags, &failed, &why, out);
    if (err) {
        MUST(d->n_failed < d->ids->n); /* each id fails once at most */
        d->failed[d->n_failed++] =
            (struct wire_deleted_job){ .id = arena_strdup(d->arena, failed),
                                       .code = (uint32_t)err };
        d->all_unknown &= err == PBSE_UNKJOBID;
        if (err != PBSE_HISTJOBDELETED)
            return 1;
        /* It has gone with the slice, and its name is unknown from then on. */
        see(d, id);
        d->n_deleted++;
        return DELETION_COST;
    }
    /* From here on the job counts as deleted in this request. */
    see(d, id);
    d->n_deleted++;
    return DELETION_COST;
}

/* The reply outlives the deletion: texts become its own. */
static void reply_deleted(const struct deletion *d, struct decision *out)
{
    struct wire_reply *reply = &out->reply;
    size_t n = d->n_failed;

    MUST(d->next == d->ids->n); /* what comes of every id is known */
    *reply = (struct wire_reply){ .choice = REPLY_DELETE };
    /* The reply as a whole fails only when no job was deleted. Then it has the code of
     * the last failure. */
    if (n > 0 && d->n_deleted == 0) {
        reply->code = (int32_t)d->failed[n - 1].code;
        if (d->all_unknown)
            n = 1;
    }
    reply->deleted.v = ARENA_ARRAY(out->arena, struct wire_deleted_job, n + 1);
    /* The list begins with the last failure. */
    for (size_t i = 0; i < n; i++) {
        reply->deleted.v[i] = d->failed[n - 1 - i];
        reply->deleted.v[i].id = arena_strdup(out->arena, reply->deleted.v[i].id);
    }
    reply->deleted.n = n;
}

/* The next slice; true when that was the last id. */
static bool delete_some(const struct model *m, const struct request *rq,
                        struct deletion *d, struct decision *out)
{
    size_t most = request_slice_cost(rq), cost = 0;

    /* A slice is bounded by what the ids cost and not by their number: unknown ids are
     * cheap. */
    while (d->next < d->ids->n && cost < most)
        cost += delete_one(m, rq, d, d->ids->v[d->next++], out);
    return d->next == d->ids->n;
}

static struct deletion *deletion_of(const struct request *rq)
{
    struct progress *p = rq->progress;

    /* The first slice makes the state; the engine keeps it and drops it with the
     * request. */
    if (!p->state) {
        p->state = deletion_new(rq, p->arena);
        p->drop = deletion_drop;
    }
    return p->state;
}

static int refuse_list(struct decision *out)
{
    out->reply = (struct wire_reply){ .code = PBSE_IVALREQ, .choice = REPLY_DELETE };
    return 0;
}

int handle_delete_job_list(const struct model *m, const struct request *rq,
                           struct decision *out)
{
    size_t n = ((const struct body_list *)rq->body)->ids.n;
    struct deletion *d;

    /* The bound is checked before anything is allocated for the ids. */
    if (n > REQUEST_MAX_IDS)
        return refuse_list(out);
    /* A long list is begun again as a request in slices, so that others are served in
     * between. */
    if (!rq->progress && n * DELETION_COST > request_slice_cost(rq)) {
        act_add(out, ACT_GO_ON);
        return 0;
    }
    d = rq->progress ? deletion_of(rq) : deletion_new(rq, out->arena);
    if (delete_some(m, rq, d, out)) {
        reply_deleted(d, out);
    } else {
        MUST(rq->progress);
        act_add(out, ACT_GO_ON);
    }
    if (!rq->progress)
        deletion_drop(d);
    return 0;
}
