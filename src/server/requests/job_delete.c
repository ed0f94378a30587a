/* job_delete.c - DeleteJob and DeleteJobList (wire.md 8.3, 8.6, 10.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/bounds.h"
#include "lib/base/log.h"
#include "server/decide/job_end.h"
#include "server/decide/job_over.h"
#include "server/decide/said_id.h"
#include "server/model/history.h"
#include "server/model/job_array.h"
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
    const char *indices;
    const struct job *array = array_of_indices(m, id, rq->arena, &indices);
    const struct job *job = array ? array : model_job(m, id);

    if (!job || !job->past || !(flags & JOB_END_FORGET))
        return 0;
    if (!requester_is_staff(rq) &&
        !requester_is_owner(m, rq->who, obj_str(&job->obj, JOB_A_JOB_OWNER, "")))
        return PBSE_PERM;
    /* What is kept of a subjob is kept of its array. */
    if (array)
        return PBSE_NOHISTARRAYSUBJOB;
    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
               "Deleting job history upon request from %s", rq->actor);
    job_forget_record(job, rq->actor, rq->now_at, out);
    return PBSE_HISTJOBDELETED;
}

/* The job of that id is deleted, unless its MoM is away: nothing is remembered then
 * (cli.md 5.1). Force does not need the MoM. A job or an array that is leaving may be
 * at the other server already. */
static int check_deletion(const struct job *job, uint32_t flags, struct decision *out)
{
    int err = flags & JOB_END_FORCE ? 0
              : job_is_leaving(job) ? PBSE_BADSTATE
              : job->array          ? 0 /* its subjobs are looked at one by one */
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

/* What a deletion costs, in the units of request_slice_cost(). */
#define DELETION_COST 60

/* Jobs of this request that are being deleted: a job is deleted once. By id, since a
 * job may be gone when it is named again. */
struct seen {
    const char *id;
    UT_hash_handle hh;
};

/* Jobs being deleted, in the order of the request; it goes on in several turns when it
 * is long. What was deleted is fact with its slice, whatever becomes of the rest. */
struct deletion {
    struct wire_strings ids;
    uint32_t flags;
    struct arena *arena;          /* lives as long as the deletion */
    size_t next;                  /* of the ids */
    struct array_deletion *array; /* of this id, while it is under way; else NULL */
    size_t n_deleted;
    bool any_record; /* something is fact */
    struct seen *seen;
    struct wire_deleted_job *failed; /* in the order of the request */
    size_t n_failed;
    bool all_unknown;
};

/* DeleteJob names one id, DeleteJobList several. */
static struct wire_strings ids_of(const struct request *rq, struct arena *arena)
{
    const char **one;

    if (rq->wire->number == BATCH_DELETE_JOB_LIST)
        return ((const struct body_list *)rq->body)->ids;
    one = ARENA_NEW(arena, const char *);
    *one = ((const struct body_manage *)rq->body)->object_name;
    return (struct wire_strings){ .n = 1, .v = one };
}

static struct deletion *deletion_new(const struct request *rq, struct arena *arena)
{
    struct deletion *d = ARENA_NEW(arena, struct deletion);

    MUST(!rq->progress || arena == rq->progress->arena); /* it outlives the slice */
    d->ids = ids_of(rq, arena);
    d->flags = end_flags(rq->wire);
    d->arena = arena;
    /* Each id may fail once, so the room never has to grow. */
    d->failed = ARENA_ARRAY(arena, struct wire_deleted_job, d->ids.n + 1);
    d->all_unknown = true;
    return d;
}

static void deletion_drop(void *state)
{
    struct deletion *d = state;

    if (d->array)
        array_deletion_fini(d->array);
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

/* What became of the next id is known. From here on a job that was deleted counts as
 * such in this request. */
static void finish(struct deletion *d, const char *id, const char *about, int err)
{
    if (err) {
        MUST(d->n_failed < d->ids.n); /* each id fails once at most */
        d->failed[d->n_failed++] =
            (struct wire_deleted_job){ .id = arena_strdup(d->arena, about),
                                       .code = (uint32_t)err };
        d->all_unknown &= err == PBSE_UNKJOBID;
    }
    /* What has become of history is no failure; its name is unknown from then on. */
    if (!err || err == PBSE_HISTJOBDELETED) {
        see(d, id);
        d->n_deleted++;
    }
    d->next++;
}

/* A job that is no array. */
static int delete_job(const struct model *m, const struct request *rq,
                      const struct job *job, uint32_t flags, struct decision *out)
{
    int err = check_deletion(job, flags, out);

    if (err)
        return err;
    job_delete_records(m, job, rq->actor, rq->now_at, flags, out);
    note_forgotten(m, job->obj.id, flags, out);
    return 0;
}

static void begin_array(struct deletion *d, const struct job *array, const char *id,
                        const struct index_set *places)
{
    d->array = ARENA_NEW(d->arena, struct array_deletion);
    *d->array = array_deletion_begin(array, id, places, d->flags, d->arena);
}

/* Whatever the id names: a job is deleted at once, the deletion of an array or of some
 * of its subjobs begins. */
static int delete_named(const struct model *m, const struct request *rq,
                        struct deletion *d, const char *id, struct decision *out)
{
    const struct job *array, *job;
    struct index_set places;
    struct diag why;
    int err = subjobs_for_request(m, rq, id, &array, &places, &why);

    if (!err && array) {
        begin_array(d, array, id, &places);
        return 0;
    }
    if (!err)
        err = job_for_request(m, rq, id, &job, &why);
    if (err)
        return err;
    if (!job->array)
        return delete_job(m, rq, job, d->flags, out);
    err = check_deletion(job, d->flags, out);
    if (err)
        return err;
    note_forgotten(m, job->obj.id, d->flags, out);
    begin_array(d, job, id, NULL);
    return 0;
}

static void go_on_with_array(const struct model *m, const struct request *rq,
                             struct deletion *d, size_t most, size_t *cost,
                             struct decision *out)
{
    const char *about;
    int err;

    if (!array_deletion_go_on(m, rq, d->array, most, cost, out))
        return;
    err = array_deletion_code(d->array, &about);
    finish(d, d->array->named, about, err);
    array_deletion_fini(d->array);
    d->array = NULL;
}

/* The next id. */
static size_t delete_one(const struct model *m, const struct request *rq,
                         struct deletion *d, struct decision *out)
{
    const char *id = said_job_id(m, rq, d->ids.v[d->next]);
    int err;

    /* A name that is given twice is neither deleted twice nor reported as unknown. */
    if (was_seen(d, id)) {
        d->next++;
        return 1;
    }
    err = forget_history(m, rq, id, d->flags, out);
    if (!err)
        err = delete_named(m, rq, d, id, out);
    if (!d->array)
        finish(d, id, id, err);
    return err && err != PBSE_HISTJOBDELETED ? 1 : DELETION_COST;
}

/* The reply outlives the deletion: texts become its own. */
static void reply_deleted(const struct deletion *d, struct decision *out)
{
    struct wire_reply *reply = &out->reply;
    size_t n = d->n_failed;

    MUST(d->next == d->ids.n); /* what comes of every id is known */
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
    /* What is not in slices runs to its end. */
    size_t most = rq->progress ? request_slice_cost(rq) : SIZE_MAX, cost = 0;

    /* A slice is bounded by what the ids cost and not by their number: unknown ids are
     * cheap. */
    while (d->next < d->ids.n && cost < most) {
        if (!d->array)
            cost += delete_one(m, rq, d, out);
        if (d->array)
            go_on_with_array(m, rq, d, most, &cost, out);
    }
    d->any_record |= out->records.n > 0;
    return d->next == d->ids.n;
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

/* Is it too much for one turn? One job never is. */
static bool is_long(const struct model *m, const struct request *rq)
{
    const struct wire_strings ids = ids_of(rq, rq->arena);
    bool one = rq->wire->number == BATCH_DELETE_JOB;
    size_t most = request_slice_cost(rq), cost = one ? 0 : ids.n * DELETION_COST;

    for (size_t i = 0; i < ids.n && cost <= most; i++)
        cost += array_deletion_cost(m, rq, said_job_id(m, rq, ids.v[i]),
                                    end_flags(rq->wire));
    return cost > most;
}

/* The whole of it or the next slice; NULL when more is to come. A long one is begun
 * again as a request in slices, so that others are served in between. */
static struct deletion *deletion_go_on(const struct model *m, const struct request *rq,
                                       struct decision *out)
{
    struct deletion *d;

    if (!rq->progress && is_long(m, rq)) {
        act_add(out, ACT_GO_ON);
        return NULL;
    }
    d = rq->progress ? deletion_of(rq) : deletion_new(rq, out->arena);
    if (delete_some(m, rq, d, out))
        return d;
    MUST(rq->progress);
    act_add(out, ACT_GO_ON);
    return NULL;
}

int handle_delete_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    struct deletion *d = deletion_go_on(m, rq, out);
    int err = 0;

    if (!d)
        return 0;
    /* What was deleted of an array is fact, whatever became of the rest. */
    if (d->n_failed > 0 && d->n_deleted == 0 && !d->any_record)
        err = diag_code(&out->why, (int)d->failed[0].code);
    if (!rq->progress)
        deletion_drop(d);
    return err;
}

static int refuse_list(struct decision *out)
{
    out->reply = (struct wire_reply){ .code = PBSE_IVALREQ, .choice = REPLY_DELETE };
    return 0;
}

int handle_delete_job_list(const struct model *m, const struct request *rq,
                           struct decision *out)
{
    struct deletion *d;

    /* The bound is checked before anything is allocated for the ids. */
    if (((const struct body_list *)rq->body)->ids.n > REQUEST_MAX_IDS)
        return refuse_list(out);
    d = deletion_go_on(m, rq, out);
    if (!d)
        return 0;
    reply_deleted(d, out);
    if (!rq->progress)
        deletion_drop(d);
    return 0;
}
