/* dry_verdict.c - see dry_verdict.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/dry_verdict.h"

#include "server/decide/dry_moved.h"
#include "server/decide/dry_resv.h"
#include "server/model/occurrence.h"
#include "server/model/resv_claims.h"
#include "server/model/resv_oversub.h"

#include "lib/attr/execvnodes.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct telling {
    const struct model *m;
    const struct request *rq;
    const struct dry_verdict *v;
    struct arena *arena; /* of the reply */
    struct wire_attrs *to;
    const struct resv *after;           /* the reservation as the records make it */
    const struct occurrence *was, *now; /* the occurrence that is meant; 'was' NULL: of
                                         * a new one */
    bool is_gone;                       /* it would be */
    bool is_whole;                      /* the reservation would be gone */
};

static void say(const struct telling *t, const char *name, const char *text)
{
    if (text && *text)
        wire_attrs_add(t->to, t->arena, name, NULL, arena_strdup(t->arena, text),
                       WIRE_OP_SET);
}

static void say_num(const struct telling *t, const char *name, int64_t num)
{
    say(t, name, arena_printf(t->arena, "%" PRId64, num));
}

/* Names with commas between, each once. */
static void say_names(const struct telling *t, const char *name,
                      const char *const *names, size_t n)
{
    struct buf text = { 0 };

    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%s%s", i ? "," : "", names[i]);
    if (text.len > 0)
        say(t, name, text.data);
    buf_fini(&text);
}

/* Vnodes, each once and in order of creation when they are sorted. */
struct vnodes {
    size_t n, cap;
    const struct node **v;
};

static void add_bookings(const struct telling *t, struct vnodes *to,
                         const struct bookings *list)
{
    for (size_t i = 0; i < list->n; i++) {
        ARENA_ROOM(t->arena, to, v, 16);
        to->v[to->n++] = list->v[i].node;
    }
}

static void add_text(const struct telling *t, struct vnodes *to, const char *text)
{
    struct bookings list = { 0 };

    bookings_read(t->m, text, t->rq->arena, &list);
    add_bookings(t, to, &list);
    bookings_drop(&list);
}

static int by_creation(const void *a, const void *b)
{
    const struct node *const *x = a, *const *y = b;

    return ((*x)->obj.created_seq > (*y)->obj.created_seq) -
           ((*x)->obj.created_seq < (*y)->obj.created_seq);
}

static void sort(struct vnodes *list)
{
    size_t n = 0;

    if (list->n > 0)
        qsort(list->v, list->n, sizeof(*list->v), by_creation);
    for (size_t i = 0; i < list->n; i++)
        if (i == 0 || list->v[i] != list->v[i - 1])
            list->v[n++] = list->v[i];
    list->n = n;
}

/* Those of 'a' that are among 'b' ('in'), or are not; both are sorted. */
static void say_vnodes(const struct telling *t, const char *name,
                       const struct vnodes *a, const struct vnodes *b, bool in)
{
    const char **names = ARENA_ARRAY(t->rq->arena, const char *, a->n + 1);
    size_t n = 0, k = 0;

    for (size_t i = 0; i < a->n; i++) {
        while (k < b->n && by_creation(&b->v[k], &a->v[i]) < 0)
            k++;
        if ((k < b->n && b->v[k] == a->v[i]) == in)
            names[n++] = a->v[i]->obj.id;
    }
    say_names(t, name, names, n);
}

static struct vnodes vnodes_before(const struct telling *t)
{
    const struct occurrence *oc;
    struct vnodes ret = { 0 };

    if (!t->was)
        return ret;
    add_bookings(t, &ret, &t->was->bookings);
    if (t->is_whole)
        DL_FOREACH (t->v->r->later, oc)
            add_bookings(t, &ret, &oc->bookings);
    sort(&ret);
    return ret;
}

static const char *text_after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

/* The vnodes of the occurrences that come with a new series, in their order. */
static size_t texts_of_later(const struct telling *t, const char **ret)
{
    size_t n = 0;

    for (size_t i = 0; i < t->v->n_lists; i++)
        for (size_t k = 0; k < t->v->lists[i]->n; k++) {
            const struct record *rec = t->v->lists[i]->v[k];

            if (rec->kind == OBJ_OCCURRENCE && rec->fact == FACT_CREATED)
                ret[n++] = text_after(rec, OCCURRENCE_A_RESV_NODES);
        }
    return n;
}

static size_t n_records(const struct telling *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->v->n_lists; i++)
        n += t->v->lists[i]->n;
    return n;
}

/* The vnodes of all occurrences that are told of: the one that is meant and new ones.
 */
static struct vnodes vnodes_after(const struct telling *t)
{
    const char **texts = ARENA_ARRAY(t->rq->arena, const char *, n_records(t) + 1);
    const char *last = occurrence_vnodes(t->now);
    size_t n = texts_of_later(t, texts);
    struct vnodes ret = { 0 };

    if (t->is_gone)
        return ret;
    add_text(t, &ret, last);
    /* Most occurrences have the same vnodes. */
    for (size_t i = 0; i < n; i++) {
        if (texts[i] && !str_same(texts[i], last))
            add_text(t, &ret, texts[i]);
        last = texts[i];
    }
    sort(&ret);
    return ret;
}

static void say_window(const struct telling *t)
{
    struct window w = occurrence_window(t->now);

    if (t->is_gone)
        return;
    say_num(t, "reserve_start", w.start_at);
    say_num(t, "reserve_end", w.end_at);
    say(t, "resv_nodes", occurrence_vnodes(t->now));
    if (obj_num(&t->after->obj, RESV_A_RESERVE_STANDING, 0) && !t->rq->occurrence)
        say_num(t, "reserve_count", obj_num(&t->after->obj, RESV_A_RESERVE_COUNT, 1));
}

/* A job is in the records when something becomes of it; of reservations these are those
 * that lose vnodes. One whose later occurrence does is only to be asked about again. */
static bool is_touched(const struct record *rec)
{
    return rec->kind == OBJ_JOB || rec->fact == FACT_RESV_CONFLICT ||
           rec->fact == FACT_RESV_RETRY;
}

/* Jobs and reservations that records name, other than the reservation itself. */
static void say_named(const struct telling *t, enum obj_kind kind, const char *name)
{
    const char **ids = ARENA_ARRAY(t->rq->arena, const char *, n_records(t) + 1);
    size_t len = strcspn(t->v->id, ".");
    size_t n = 0;

    for (size_t i = 0; i < t->v->n_lists; i++)
        for (size_t k = 0; k < t->v->lists[i]->n; k++) {
            const struct record *rec = t->v->lists[i]->v[k];
            /* "S5[3].svr" is one of S5.svr, too. */
            bool own = strncmp(rec->id, t->v->id, len) == 0 &&
                       (rec->id[len] == '.' || rec->id[len] == '[');

            if (rec->kind == kind && !own && is_touched(rec))
                ids[n++] = rec->id;
        }
    say_names(t, name, ids, n);
}

/* Jobs in it that would be told to end: all of them when it is deleted, and those that
 * it would have when its end has come. None is in an occurrence that comes later. */
static void say_jobs_ended(const struct telling *t)
{
    const struct queue *q = t->v->r ? t->v->r->queue : NULL;
    bool ends = t->is_gone || occurrence_end_at(t->now, INT64_MAX) <= t->rq->now_at;
    const char **ids;
    size_t n = 0;

    if (!q || !ends || t->v->later)
        return;
    ids = ARENA_ARRAY(t->rq->arena, const char *, q->n_jobs + 1);
    QUEUE_EACH_JOB (q, j)
        ids[n++] = j->obj.id;
    say_names(t, "jobs_deleted", ids, n);
}

/* A job for which the reservation is made is on the same vnodes by right. */
static size_t without_own_job(const struct telling *t, const char **ids, size_t n)
{
    const char *job = obj_str(&t->after->obj, RESV_A_RESERVE_JOB, NULL);
    const struct job *own = job ? model_job(t->m, job) : NULL;
    size_t left = 0;

    for (size_t i = 0; i < n; i++)
        if (!own || strcmp(ids[i], own->obj.id) != 0)
            ids[left++] = ids[i];
    return left;
}

/* Maintenance takes its vnodes from those that the records name, and a push moves them:
 * 'name' is that of an occurrence. */
static bool is_named(const struct telling *t, const char *name)
{
    for (size_t i = 0; i < t->v->n_lists; i++)
        for (size_t k = 0; k < t->v->lists[i]->n; k++) {
            const struct record *rec = t->v->lists[i]->v[k];
            const struct occurrence *oc = dry_moved(t->m, rec);

            if (strcmp(oc ? occurrence_name(oc, t->rq->arena) : rec->id, name) == 0)
                return true;
        }
    return false;
}

static size_t without_named(const struct telling *t, const char **ids, size_t n)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++)
        if (!is_named(t, ids[i]))
            ids[left++] = ids[i];
    return left;
}

/* Whoever was promised the same, and would go on being so. */
static void say_oversub(const struct telling *t)
{
    struct bookings held = { 0 };
    struct oversub found = { 0 };

    bookings_read(t->m, occurrence_vnodes(t->now), t->rq->arena, &held);
    found = resv_oversub_if(t->m,
                            &(struct held){ .own = t->was ? t->was : t->now,
                                            .bookings = &held,
                                            .window = occurrence_window(t->now),
                                            .list = occurrence_resources(t->now) },
                            t->rq->now_at, t->rq->arena);
    bookings_drop(&held);
    found.n_jobs = without_own_job(t, found.jobs, found.n_jobs);
    found.n_resvs = without_named(t, found.resvs, found.n_resvs);
    say_names(t, "oversubscribed_jobs", found.jobs, found.n_jobs);
    say_names(t, "oversubscribed_resv", found.resvs, found.n_resvs);
}

static void say_outcome(const struct telling *t)
{
    struct vnodes before = vnodes_before(t);
    struct vnodes now = vnodes_after(t);

    say_window(t);
    say_vnodes(t, "vnodes_kept", &before, &now, true);
    say_vnodes(t, "vnodes_released", &before, &now, false);
    say_vnodes(t, "vnodes_gained", &now, &before, false);
    if (!t->is_gone)
        say_oversub(t);
    dry_moved_say(t->m, t->v, t->arena, t->to);
    say_named(t, OBJ_RESV, "conflicts_resv");
    say_named(t, OBJ_OCCURRENCE, "conflicts_occurrences");
    say_named(t, OBJ_JOB, "jobs_moved");
    say_jobs_ended(t);
}

static bool has_fact(const struct telling *t, enum fact fact, const char *id)
{
    for (size_t i = 0; i < t->v->n_lists; i++)
        for (size_t k = 0; k < t->v->lists[i]->n; k++)
            if (t->v->lists[i]->v[k]->fact == fact &&
                strcmp(t->v->lists[i]->v[k]->id, id) == 0)
                return true;
    return false;
}

static void say_of_later(struct telling *t)
{
    const struct dry_verdict *v = t->v;
    struct dry_later later;

    dry_later_init(&later, t->m, v->later, v->lists, v->n_lists, t->rq->arena);
    t->was = v->later;
    t->now = &later.oc;
    t->is_gone = has_fact(t, FACT_DELETED, later.obj.id);
    say_outcome(t);
    dry_later_fini(&later);
}

/* Of the current occurrence, and of all when the reservation would be gone. */
static void say_of_current(struct telling *t)
{
    enum resv_phase phase = resv_phase(t->after);

    t->was = t->v->r ? resv_current(t->after) : NULL;
    t->now = &t->after->current;
    t->is_whole = phase == PHASE_ENDING || phase == PHASE_DELETED;
    t->is_gone = t->is_whole || has_fact(t, FACT_RESV_OVER, t->v->id);
    say_outcome(t);
}

void dry_verdict_reply(const struct model *m, const struct request *rq,
                       const struct dry_verdict *v, struct decision *out)
{
    static const char *const words[] = {
        [DRY_CONFIRM] = "confirm", [DRY_DENY] = "deny", [DRY_FORCE] = "force"
    };
    struct wire_object *o =
        wire_objects_add(&out->reply.objects, out->arena, OBJECT_RESV,
                         arena_strdup(out->arena, v->name));
    struct telling t = {
        .m = m, .rq = rq, .v = v, .arena = out->arena, .to = &o->attrs
    };
    struct dry_resv after;

    out->reply.choice = REPLY_STATUS;
    say(&t, "verdict", words[v->word]);
    say(&t, "reason", v->reason);
    if (v->earliest_at > 0)
        say_num(&t, "earliest_start", v->earliest_at);
    if (v->word == DRY_DENY)
        return;
    dry_resv_init(&after, m, v->id, v->r, v->lists, v->n_lists, rq->arena);
    t.after = &after.r;
    if (v->later)
        say_of_later(&t);
    else
        say_of_current(&t);
    dry_resv_fini(&after);
}
