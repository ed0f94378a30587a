/* job_select.c - SelectJobs and SelStat: the jobs that meet every criterion, in order
 * of creation (wire.md 10.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_select.h"
#include "lib/attr/acl.h"
#include "lib/attr/bounds.h"
#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/model/history.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/walk.h"

#include <string.h>
#include <strings.h>

/* Every job is held against all of them; nobody's script has as many. */
#define MOST_CRITERIA    1000
#define MOST_VALUE_BYTES ((size_t)1 << 20)

enum criterion_kind {
    BY_QUEUE,
    BY_STATE,
    BY_USER,
    BY_RESOURCE,
    BY_ATTR
};

struct criterion {
    enum criterion_kind kind;
    uint32_t op;
    const char *text; /* BY_STATE: letters; BY_QUEUE: its name */
    uint64_t queue;   /* BY_QUEUE: its created_seq; 0: any */
    int attr;         /* BY_ATTR, BY_RESOURCE */
    const struct resource_def *def;
    struct attr_value value; /* BY_USER, BY_RESOURCE, BY_ATTR */
};

struct selection {
    const struct model *m;
    const struct request *rq;
    size_t n;
    struct criterion *v;
};

static const struct attr_type *value_type(const struct criterion *c)
{
    switch (c->kind) {
    case BY_RESOURCE:
        return c->def->type;
    case BY_USER:
        /* Whoever asks for jobs may name a user twice, which the attribute's own type
         * refuses. */
        return &attr_strings;
    case BY_ATTR:
        return job_rows[c->attr].type;
    default:
        return NULL;
    }
}

void selection_close(struct selection *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        if (value_type(&s->v[i]))
            value_type(&s->v[i])->clear(&s->v[i].value);
}

static int refuse_named(struct diag *why, int code, const struct wire_attr *a)
{
    return diag_set(why, code, "%s %s%s%s", pbse_text(code), a->name,
                    a->resource ? "." : "", a->resource ? a->resource : "");
}

static int read_queue(const struct selection *s, const struct wire_attr *a,
                      struct criterion *c, struct diag *why)
{
    size_t len = strcspn(a->value, "@");
    const struct queue *q;

    c->kind = BY_QUEUE;
    /* "@server" alone means every queue of this server. */
    if (len == 0)
        return 0;
    q = model_queue(s->m, arena_strndup(s->rq->arena, a->value, len));
    if (!q)
        return refuse_named(why, PBSE_UNKQUE, a);
    /* The queue is kept by its number: a queue of the same name that is made meanwhile
     * is another one. */
    c->queue = q->obj.created_seq;
    c->text = arena_strndup(s->rq->arena, a->value, len);
    return 0;
}

/* The decoded value of a criterion. */
static int read_value(const struct selection *s, const struct attr_type *type,
                      const struct wire_attr *a, struct criterion *c, struct diag *why)
{
    MUST(!c->value.set); /* a criterion has one value */
    /* The size is checked before the text is decoded into memory. */
    if (attr_text_excess(type, a->value) ||
        attr_value_set(type, &c->value, s->m->defs, NULL, a->value, WIRE_OP_SET))
        return refuse_named(why, PBSE_BADATVAL, a);
    return 0;
}

/* Of the list of resources that c->attr is. */
static int read_resource(const struct selection *s, const struct wire_attr *a,
                         struct criterion *c, struct diag *why)
{
    MUST(job_rows[c->attr].type == &attr_resources);
    c->def = a->resource ? resource_find(s->m->defs, a->resource) : NULL;
    if (!c->def)
        return refuse_named(why, PBSE_UNKRESC, a);
    c->kind = BY_RESOURCE;
    return read_value(s, c->def->type, a, c, why);
}

static int read_attr(const struct selection *s, const struct wire_attr *a,
                     struct criterion *c, struct diag *why)
{
    const struct attr_row *row = &job_rows[c->attr];

    MUST(c->attr >= 0 && (size_t)c->attr < job_table.n);
    c->kind = c->attr == JOB_A_USER_LIST ? BY_USER : BY_ATTR;
    if (attr_type_has_members(row->type))
        return diag_code(why, PBSE_IVALREQ);
    /* Some attributes have no order that users could mean by "less". */
    if ((row->flags & ATTR_SELECT_EQ) && a->op >= WIRE_OP_GE && a->op <= WIRE_OP_LT)
        return diag_code(why, PBSE_IVALREQ);
    /* No job has an empty name, and yet it may be asked for (cli.md 2): the value of
     * the criterion stays unset and differs from every name. */
    if (row->type == &attr_jobname && *a->value == '\0')
        return 0;
    return read_value(s, value_type(c), a, c, why);
}

static int read_criterion(const struct selection *s, const struct wire_attr *a,
                          struct criterion *c, struct diag *why)
{
    *c = (struct criterion){ .kind = BY_STATE, .op = a->op, .text = a->value };
    if (strcasecmp(a->name, "destination") == 0)
        return read_queue(s, a, c, why);
    c->attr = attr_find(&job_table, a->name);
    if (c->attr < 0)
        return refuse_named(why, PBSE_NOATTR, a);
    /* The letters of states are compared as they are, without a decoded value. */
    if (c->attr == JOB_A_JOB_STATE)
        return 0;
    /* Of the other lists only this one can be asked for: by the estimated start. */
    if (c->attr == JOB_A_RESOURCE_LIST || (c->attr == JOB_A_ESTIMATED && a->resource))
        return read_resource(s, a, c, why);
    return read_attr(s, a, c, why);
}

/* All of it is held against every job. */
static bool is_too_much(const struct wire_attrs *list)
{
    size_t bytes = 0;

    for (size_t i = 0; i < list->n && bytes <= MOST_VALUE_BYTES; i++)
        bytes += strlen(list->v[i].value);
    return list->n > MOST_CRITERIA || bytes > MOST_VALUE_BYTES;
}

static int read_criteria(struct selection *s, const struct wire_attrs *list,
                         struct arena *arena, struct diag *why)
{
    int err = 0;

    if (is_too_much(list))
        return diag_code(why, PBSE_IVALREQ);
    s->v = ARENA_ARRAY(arena, struct criterion, list->n + 1);
    for (size_t i = 0; i < list->n && !err; i++) {
        err = read_criterion(s, &list->v[i], &s->v[s->n], why);
        if (!err)
            s->n++;
    }
    MUST(err || s->n == list->n); /* one criterion for each entry */
    return err;
}

int selection_open(const struct model *m, const struct request *rq,
                   const struct wire_attrs *criteria, struct arena *arena,
                   struct selection **ret, struct diag *why)
{
    struct selection *s = ARENA_NEW(arena, struct selection);
    int err;

    s->m = m;
    s->rq = rq;
    err = read_criteria(s, criteria, arena, why);
    if (err)
        selection_close(s);
    else
        *ret = s;
    return err;
}

static bool holds_op(int cmp, uint32_t op)
{
    switch (op) {
    case WIRE_OP_SET: /* qselect of old clients */
    case WIRE_OP_EQ:
        return cmp == 0;
    case WIRE_OP_NE:
        return cmp != 0;
    case WIRE_OP_GE:
        return cmp >= 0;
    case WIRE_OP_GT:
        return cmp > 0;
    case WIRE_OP_LE:
        return cmp <= 0;
    case WIRE_OP_LT:
        return cmp < 0;
    default:
        return false;
    }
}

static bool compare(const struct attr_type *type, const struct attr_value *have,
                    const struct criterion *c)
{
    if (!have || !have->set)
        /* A value that is not there differs from any other, and is neither less nor
         * greater. */
        return c->op == WIRE_OP_NE;
    return holds_op(type->compare(have, &c->value), c->op);
}

/* How rarely a job is checkpointed: never, at a shutdown, after so many minutes, after
 * as many as its queue says, and not said (cli.md 6). */
static int64_t checkpoint_weight(const char *text)
{
    int64_t minutes = 0;

    if (*text == 'n')
        return INT64_MAX;
    if (*text == 's')
        return INT64_MAX - 1;
    if (*text != 'c' && *text != 'w')
        return 0;
    if (text[1] != '=')
        return 1;
    for (const char *p = text + 2; *p >= '0' && *p <= '9' && minutes < INT32_MAX; p++)
        minutes = minutes * 10 + (*p - '0');
    return 2 + minutes;
}

static bool compare_checkpoint(const struct object *o, const struct criterion *c)
{
    const char *have = obj_str(o, JOB_A_CHECKPOINT, "u"), *want = c->value.u.str;
    int64_t a = checkpoint_weight(have), b = checkpoint_weight(want);

    /* Two that are equally rare may still be of different kinds. */
    return holds_op(a != b ? (a > b) - (a < b) : strcmp(have, want), c->op);
}

static bool has_state(const struct job *job, const char *letters)
{
    /* To clients a suspended job is in state S, and one that its host has stopped in U,
     * while both are stored as R. */
    if (letters[0] == 'S' && job_is_suspended(job))
        return true;
    if (job_stopped_by_host(job) && !job_is_suspended(job))
        return strchr(letters, 'U') != NULL;
    if (letters[0] == 'R' && job_is_suspended(job))
        return false;
    return strchr(letters, job_state(job)) != NULL;
}

static bool is_of_user(const struct job *job, const struct criterion *c,
                       struct arena *arena)
{
    const char *owner = obj_str(&job->obj, JOB_A_JOB_OWNER, "");
    size_t len = strcspn(owner, "@");

    return acl_allows_user(&c->value, arena_strndup(arena, owner, len),
                           owner[len] ? owner + len + 1 : "");
}

static bool meets(const struct selection *s, const struct job *job,
                  const struct criterion *c)
{
    const struct object *o = &job->obj;
    const struct resource_value *r;

    switch (c->kind) {
    /* The number 0 stands for every queue. */
    case BY_QUEUE:
        /* History is in no queue; it tells the name of the one where it was. */
        if (job->past)
            return !c->queue || str_same(obj_str(o, JOB_A_QUEUE, ""), c->text);
        return !c->queue || (job->queue && job->queue->obj.created_seq == c->queue);
    case BY_STATE:
        return holds_op(has_state(job, c->text) ? 0 : 1, c->op) &&
               (c->op == WIRE_OP_EQ || c->op == WIRE_OP_NE || c->op == WIRE_OP_SET);
    case BY_USER:
        return holds_op(is_of_user(job, c, s->rq->arena) ? 0 : 1, c->op);
    case BY_RESOURCE:
        r = resources_find(obj_resources(o, c->attr), c->def->name);
        return compare(c->def->type, r ? &r->value : NULL, c);
    case BY_ATTR:
        if (c->attr == JOB_A_CHECKPOINT && c->value.set)
            return compare_checkpoint(o, c);
        return compare(job_rows[c->attr].type, obj_attr(o, c->attr), c);
    }
    return false;
}

static bool is_visible(const struct selection *s, const struct job *job)
{
    return requester_is_staff(s->rq) ||
           obj_num(s->m->server, SERVER_A_QUERY_OTHER_JOBS, 1) ||
           requester_is_owner(s->m, s->rq->who,
                              obj_str(&job->obj, JOB_A_JOB_OWNER, ""));
}

static size_t criterion_cost(const struct criterion *c)
{
    const struct attr_type *type = value_type(c);

    if (type && type->list)
        return 1 + c->value.u.list.n / 4; /* each member is compared */
    return 1;
}

size_t selection_cost(const struct selection *s)
{
    size_t cost = 0;

    for (size_t i = 0; i < s->n; i++)
        cost += criterion_cost(&s->v[i]);
    return cost;
}

/* What the comparisons take is given back: there are many jobs. */
bool selection_has(const struct selection *s, const struct job *job)
{
    const struct arena_mark mark = arena_mark(s->rq->arena);
    bool has = true;

    /* The criteria come before the question whether the job may be seen, which is asked
     * of fewer jobs then. */
    for (size_t i = 0; has && i < s->n; i++)
        has = meets(s, job, &s->v[i]);
    has = has && is_visible(s, job);
    arena_rewind(s->rq->arena, &mark);
    return has;
}

/* Only the parent says that it is an array. */
static bool is_of_arrays(const struct criterion *c)
{
    return c->kind == BY_ATTR &&
           (c->attr == JOB_A_ARRAY || c->attr == JOB_A_ARRAY_INDICES_SUBMITTED);
}

bool selection_has_subjob(const struct selection *s, const struct job *array,
                          const struct job *subjob)
{
    const struct arena_mark mark = arena_mark(s->rq->arena);
    bool has = is_visible(s, array);

    for (size_t i = 0; has && i < s->n; i++)
        has = meets(s, is_of_arrays(&s->v[i]) ? array : subjob, &s->v[i]);
    arena_rewind(s->rq->arena, &mark);
    return has;
}

/* SelectJobs under way. */
struct selecting {
    struct request rq; /* of the slice; the walk looks at it */
    struct walk walk;
    size_t n, cap;
    const char **ids;
};

static void selecting_drop(void *state)
{
    walk_close(&((struct selecting *)state)->walk);
}

static void selecting_leave(void *state, const struct object *o, bool retires)
{
    walk_leave(&((struct selecting *)state)->walk, o, retires);
}

static void selecting_moved(void *state, const struct job *job, struct rank_place was)
{
    walk_moved(&((struct selecting *)state)->walk, job, was);
}

static int selecting_open(const struct model *m, const struct request *rq,
                          struct arena *arena, struct selecting **ret, struct diag *why)
{
    struct selecting *s = ARENA_NEW(arena, struct selecting);
    int err;

    MUST(!rq->progress || arena == rq->progress->arena); /* it outlives the slice */
    s->rq = *rq;
    err = walk_open(m, &s->rq, arena, &s->walk, why);
    if (!err)
        *ret = s;
    return err;
}

/* The next slice; true when all jobs were looked at. */
static bool select_some(const struct request *rq, struct selecting *s,
                        struct arena *arena)
{
    size_t most = request_slice_cost(rq), cost = 0;
    const struct object *o;
    enum walk_step step;

    /* The request of this slice has this slice's clock and arena. */
    s->rq = *rq;
    /* Without progress the request is a short one and runs to its end. */
    while (!rq->progress || cost < most) {
        step = walk_next(&s->walk, &o);
        if (step == WALK_END)
            return true;
        /* A job that is passed over costs as much as one that is taken. */
        cost += walk_cost(&s->walk);
        if (step == WALK_PAST)
            continue;
        s->ids = arena_grow(arena, s->ids, s->n, &s->cap, 16, sizeof(*s->ids));
        MUST(s->n < s->cap);
        s->ids[s->n++] =
            arena_strdup(arena, step == WALK_OTHER ? s->walk.other.name : o->id);
    }
    return false;
}

static void reply_ids(const struct selecting *s, struct decision *out)
{
    struct wire_reply *reply = &out->reply;

    reply->choice = REPLY_SELECT;
    reply->ids.v = ARENA_ARRAY(out->arena, const char *, s->n + 1);
    reply->ids.n = s->n;
    for (size_t i = 0; i < s->n; i++)
        /* The reply outlives the arena of the selection. */
        reply->ids.v[i] = arena_strdup(out->arena, s->ids[i]);
}

/* How many are looked at: jobs, or in the place of an array its subjobs. The sum stops
 * behind 'most'. */
static size_t count_looks(const struct model *m, const struct request *rq, size_t most)
{
    const char *extend = rq->wire->extend;
    size_t n = request_wants_history(rq) ? m->kinds[OBJ_JOB].n : m->n_jobs;

    if (n > most || !extend || !strpbrk(extend, "tT"))
        return n;
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        const struct job_array *a = TO_JOB(o)->array;

        n += a ? a->waiting.n_places : 0;
        if (n > most)
            break;
    }
    return n;
}

/* Reading the criteria takes its time too. */
static bool is_long(const struct model *m, const struct request *rq)
{
    const struct body_select *body = rq->body;
    size_t n = count_looks(m, rq, request_slice_cost(rq));
    size_t bytes = 0;

    for (size_t i = 0; i < body->criteria.n; i++)
        /* An entry costs something even when its value is empty. */
        bytes += 64 + strlen(body->criteria.v[i].value);
    return n * (1 + bytes / 64) > request_slice_cost(rq);
}

static int select_in_slices(const struct model *m, const struct request *rq,
                            struct decision *out)
{
    struct progress *p = rq->progress;
    struct selecting *s = p->state;
    int err = s ? 0 : selecting_open(m, rq, p->arena, &s, &out->why);

    if (err)
        return err;
    p->state = s;
    p->drop = selecting_drop;
    /* A job that is deleted between two slices must not remain the next one of the
     * walk. */
    p->leave = selecting_leave;
    p->moved = selecting_moved;
    if (!select_some(rq, s, p->arena))
        act_add(out, ACT_GO_ON);
    else if (walk_is_lost(&s->walk))
        return diag_code(&out->why, PBSE_SYSTEM);
    else
        reply_ids(s, out);
    return 0;
}

static int select_jobs(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    struct selecting *s;
    bool all;
    int err;

    if (rq->progress)
        return select_in_slices(m, rq, out);
    if (is_long(m, rq)) {
        act_add(out, ACT_GO_ON);
        return 0;
    }
    err = selecting_open(m, rq, rq->arena, &s, &out->why);
    if (err)
        return err;
    all = select_some(rq, s, out->arena);
    MUST(all); /* only what may go on in a later slice is cut */
    reply_ids(s, out);
    selecting_drop(s);
    return 0;
}

int handle_select_jobs(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    /* Finished jobs are asked for, and this server keeps none without its history. */
    if (request_wants_history(rq) && !history_is_kept(m))
        return diag_code(&out->why, PBSE_JOBHISTNOTSET);
    /* With attributes the answer may be large, so it is written while the jobs are
     * walked. */
    if (rq->wire->number == BATCH_SELECT_STATUS)
        return decide_listing(m, rq, out);
    return select_jobs(m, rq, out);
}
