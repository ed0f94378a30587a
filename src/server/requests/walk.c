/* walk.c - see walk.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/walk.h"

#include "lib/attr/bounds.h"
#include "server/decide/said_id.h"
#include "server/model/history.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"

#include <ctype.h>
#include <string.h>

static bool wants_all(const char *id)
{
    return *id == '\0' || *id == '@';
}

/* Other people's jobs are nobody's business when query_other_jobs is off. */
static bool may_see(const struct walk *w, const struct job *j)
{
    const struct requester *who = w->rq->who;

    if ((who->rights & (WHO_STAFF | WHO_DAEMON)) ||
        obj_num(w->m->server, SERVER_A_QUERY_OTHER_JOBS, 1))
        return true;
    return requester_is_owner(w->m, who, obj_str(&j->obj, JOB_A_JOB_OWNER, ""));
}

/* The kind of object that each request walks over. */
struct kind_row {
    uint32_t number;
    enum obj_kind kind;
    int unknown; /* code for an unknown id */
};

static const struct kind_row kind_rows[] = {
    { BATCH_STATUS_QUEUE, OBJ_QUEUE, PBSE_UNKQUE },
    { BATCH_STATUS_NODE, OBJ_NODE, PBSE_UNKNODE },
    { BATCH_STATUS_RESV, OBJ_RESV, PBSE_UNKRESVID },
    { BATCH_STATUS_JOB, OBJ_JOB, PBSE_UNKJOBID },
    { BATCH_SELECT_STATUS, OBJ_JOB, PBSE_UNKJOBID },
    { BATCH_SELECT_JOBS, OBJ_JOB, PBSE_UNKJOBID },
};

static const struct kind_row *kind_row(uint32_t number)
{
    for (size_t i = 0; i < ARRAY_LEN(kind_rows); i++)
        if (kind_rows[i].number == number)
            return &kind_rows[i];
    return NULL;
}

bool request_wants_history(const struct request *rq)
{
    /* The letter may stand anywhere (wire.md 9). */
    return rq->wire->extend && strchr(rq->wire->extend, 'x');
}

static void begin_kind(struct walk *w)
{
    w->ids = NULL;
    w->past = w->kind == OBJ_JOB && request_wants_history(w->rq);
    if (w->kind == OBJ_JOB)
        w->jobs = job_walk_begin(w->m, w->past);
    else
        w->next = model_first_live(w->m, w->kind);
}

static int open_objects(struct walk *w, const struct kind_row *row, struct diag *why)
{
    const struct body_status *body = w->rq->body;

    MUST(row->kind != OBJ_JOB); /* jobs are named in lists: open_jobs() */
    begin_kind(w);
    if (!wants_all(body->id)) {
        /* An unknown name is refused at once, before a reply is begun. */
        if (!model_find(w->m, row->kind, body->id))
            return diag_code(why, row->unknown);
        /* The name is copied: the walk may outlive the request's own arena. */
        w->ids = arena_strdup(w->arena, body->id);
    }
    return asked_parse(&body->wanted, row->kind, w->arena, &w->asked, why);
}

/* Commas stand between ids, and between the indices of one ("7[1,3].svr"). */
static size_t id_length(const char *list)
{
    size_t len = strcspn(list, ",[");

    if (list[len] == '[')
        len += strcspn(list + len, "]");
    return len + strcspn(list + len, ",");
}

/* The next job of a list; of one that names subjobs that are no objects the array, with
 * their indices in *ret_indices, else NULL. */
static const struct job *listed_job(const struct walk *w, const char **list,
                                    const char **ret_indices)
{
    size_t len = id_length(*list);
    const char *id;
    const struct job *j;

    MUST(**list != '\0'); /* the caller has seen that an id is left */
    id = said_job_id(w->m, w->rq, arena_strndup(w->rq->arena, *list, len));
    *list += len + ((*list)[len] == ',');
    *ret_indices = NULL;
    j = array_of_indices(w->m, id, w->arena, ret_indices);
    if (!j)
        return model_job(w->m, id);
    return array_has_indices(j, *ret_indices) ? j : NULL;
}

static bool has_too_many(const char *list)
{
    size_t n = 1;

    /* Counting stops at the bound, so a list of any length is counted quickly. */
    for (; (list = strchr(list, ',')) && n <= REQUEST_MAX_IDS; list++)
        n++;
    return n > REQUEST_MAX_IDS;
}

/* A job of the list that is not shown: why, if nothing else can be told. */
static int code_of_job(const struct walk *w, const struct job *j)
{
    if (!j || (!w->past && job_state(j) == 'M'))
        return PBSE_UNKJOBID; /* of one that moved its new server knows */
    if (!w->past && j->past)
        return PBSE_HISTJOBID;
    return may_see(w, j) ? 0 : PBSE_PERM;
}

/* A comma list: unknown ones are skipped as long as one is known. */
static int open_job_list(struct walk *w, const char *list, struct diag *why)
{
    int worst = PBSE_UNKJOBID;

    if (has_too_many(list))
        return diag_set(why, PBSE_IVALREQ, "%s: more than %d ids",
                        pbse_text(PBSE_IVALREQ), REQUEST_MAX_IDS);
    w->ids = arena_strdup(w->arena, list);
    while (*list) {
        const char *indices;
        int err = code_of_job(w, listed_job(w, &list, &indices));

        if (!err)
            return 0;
        /* What is known of a job outweighs that another one is not known. */
        if (err != PBSE_UNKJOBID && worst != PBSE_PERM)
            worst = err;
    }
    return diag_code(why, worst);
}

static int open_queue_jobs(struct walk *w, const char *name, struct diag *why)
{
    size_t len = strcspn(name, "@");
    const struct queue *q = model_queue(w->m, arena_strndup(w->arena, name, len));

    if (!q)
        return diag_code(why, PBSE_UNKQUE);
    MUST(q->obj.created_seq > 0); /* 0 stands for no queue */
    w->queue = q->obj.created_seq;
    w->queue_name = arena_strdup(w->arena, q->obj.id);
    if (!w->past) /* history is in no queue */
        job_walk_in_queue(&w->jobs, q, w->queue_name);
    return 0;
}

static int open_jobs(struct walk *w, struct diag *why)
{
    const struct body_status *body = w->rq->body;
    int err = asked_parse(&body->wanted, OBJ_JOB, w->arena, &w->asked, why);

    if (err)
        return err;
    begin_kind(w);
    if (w->past && !history_is_kept(w->m))
        return diag_code(why, PBSE_JOBHISTNOTSET);
    /* Ids of jobs begin with a digit, and names of queues do not. */
    if (isdigit((unsigned char)*body->id))
        return open_job_list(w, body->id, why);
    return wants_all(body->id) ? 0 : open_queue_jobs(w, body->id, why);
}

static int read_selection(struct walk *w, struct diag *why)
{
    const struct body_select *body = w->rq->body;

    MUST(!w->selection); /* one that is open would be lost */
    w->defs_seq = w->m->defs_seq;
    return selection_open(w->m, w->rq, &body->criteria, w->arena, &w->selection, why);
}

static int open_selection(struct walk *w, struct diag *why)
{
    const struct body_select *body = w->rq->body;
    int err = read_selection(w, why);

    begin_kind(w);
    if (err || w->rq->wire->number == BATCH_SELECT_JOBS)
        return err;
    err = asked_parse(&body->wanted, OBJ_JOB, w->arena, &w->asked, why);
    /* The criteria hold decoded values, which are given back with the walk. */
    if (err)
        walk_close(w);
    return err;
}

int walk_open(const struct model *m, const struct request *rq, struct arena *arena,
              struct walk *ret, struct diag *why)
{
    const struct kind_row *row = kind_row(rq->wire->number);

    *ret = (struct walk){ .m = m, .rq = rq, .arena = arena };
    if (rq->wire->number == BATCH_STATUS_CHANGES)
        return changes_open(ret, why);
    MUST(row); /* the table of requests sends no others here */
    ret->kind = row->kind;
    walk_open_subjobs(ret);
    if (row->number == BATCH_SELECT_STATUS || row->number == BATCH_SELECT_JOBS)
        return open_selection(ret, why);
    return row->kind == OBJ_JOB ? open_jobs(ret, why) : open_objects(ret, row, why);
}

static void drop_selection(struct walk *w)
{
    selection_close(w->selection);
    w->selection = NULL;
}

void walk_close(struct walk *w)
{
    drop_selection(w);
    job_walk_end(&w->jobs);
}

bool walk_is_lost(const struct walk *w)
{
    return w->jobs.lost;
}

/* A job may have left the queue since the walk began; one that is over was in it. */
static bool is_of_queue(const struct walk *w, const struct job *j)
{
    if (j->past)
        return str_same(obj_str(&j->obj, JOB_A_QUEUE, ""), w->queue_name);
    return j->queue && j->queue->obj.created_seq == w->queue;
}

static bool is_asked_for(const struct walk *w, const struct object *o)
{
    if (w->kind != OBJ_JOB)
        return true;
    /* Of an array whose subjobs are asked for each is held against the criteria. */
    if (w->selection && w->subjobs_alone && TO_JOB(o)->array)
        return true;
    if (w->selection)
        return selection_has(w->selection, TO_JOB(o));
    if (w->queue && !is_of_queue(w, TO_JOB(o)))
        return false;
    return may_see(w, TO_JOB(o));
}

static const struct object *next_by_id(struct walk *w)
{
    const struct job *j;
    const char *id = w->ids, *indices;

    if (w->kind == OBJ_JOB) {
        j = listed_job(w, &w->ids, &indices);
        if (j && (w->past || !j->past) && indices && is_asked_for(w, &j->obj)) {
            walk_indices(w, j, indices);
            return NULL;
        }
        /* A job of the list may be gone by now, or over; it is passed over. */
        return j && (w->past || !j->past) ? &j->obj : NULL;
    }
    w->ids = ""; /* of the others one is named, or all */
    return model_find(w->m, w->kind, id);
}

/* Its resources may mean something else by now. */
static bool selection_holds(struct walk *w)
{
    struct diag why;

    if (!w->selection || w->defs_seq == w->m->defs_seq)
        return true;
    drop_selection(w);
    return read_selection(w, &why) == 0;
}

/* *ret is NULL when the job is passed over. False: it was the last one. */
static bool next_job(struct walk *w, const struct object **ret)
{
    bool met;
    const struct job *job = job_walk_next(&w->jobs, &met);

    *ret = job && !met && !walk_passes_over(w, job) ? &job->obj : NULL;
    return job != NULL;
}

static bool next_of_kind(struct walk *w, const struct object **ret)
{
    if (w->kind == OBJ_JOB)
        return next_job(w, ret);
    *ret = w->next;
    if (!w->next)
        return false;
    /* The walk stands behind the object, which may be deleted before the next step. */
    w->next = w->next->next;
    return true;
}

enum walk_step walk_next(struct walk *w, const struct object **ret)
{
    const struct object *o;

    MUST(!w->selection || w->kind == OBJ_JOB); /* criteria are those of jobs */
    if (w->changes)
        return changes_next(w, ret);
    w->view_cost = 0;
    if (w->array)
        return walk_next_subjob(w);
    if ((w->ids && !*w->ids) || !selection_holds(w))
        return WALK_END;
    if (w->ids)
        o = next_by_id(w);
    else if (!next_of_kind(w, &o))
        return WALK_END;
    if (!o || !is_asked_for(w, o))
        return WALK_PAST;
    MUST(o->kind == w->kind);
    if (w->kind == OBJ_JOB)
        return walk_array(w, o, ret);
    *ret = o;
    return WALK_AT;
}

size_t walk_cost(const struct walk *w)
{
    return 1 + w->view_cost + (w->selection ? selection_cost(w->selection) : 0);
}

void walk_leave(struct walk *w, const struct object *o, bool retires)
{
    MUST(!w->next || w->next->kind == w->kind);
    if (w->array == o && !(retires && w->past))
        w->array = NULL;
    if (o->kind == OBJ_JOB)
        job_walk_leave(&w->jobs, TO_JOB(o), retires);
    /* Called before an object is removed, since the list no longer leads on from it
     * afterwards. */
    if (w->next == o)
        w->next = object_next_live(o);
}

void walk_moved(struct walk *w, const struct job *job, struct rank_place was)
{
    job_walk_moved(&w->jobs, job, was);
}

int decide_listing(const struct model *m, const struct request *rq,
                   struct decision *out)
{
    struct walk w;
    MUST(out->records.n == 0); /* who only looks changes nothing */

    /* The walk is opened here only to find errors; the engine opens it again and writes
     * the reply step by step. */
    int err = walk_open(m, rq, rq->arena, &w, &out->why);

    if (err)
        return err;
    walk_close(&w);
    act_add(out, ACT_LIST);
    return 0;
}
