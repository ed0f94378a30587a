/* check_two.c - see check_two.h.
 *
 * It is known from durable records, at each server by itself, how often a job has come,
 * left and ended. Nothing of that is what servers note about the way between them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_two.h"

#include "lib/attr/job_attrs.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "server/model/waiters.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

/* A job, by what has become durable at one of the servers. */
struct stay {
    int n_come; /* it was submitted there, or came there */
    int n_left;
    int n_ended;
    bool is_given_up; /* an administrator has to look where it is */
    bool has_begun;
    bool has_exited; /* the last run that has ended did so by itself */
    int64_t status;  /* ... with that */
};

struct shared_job {
    char *id;
    struct stay at[2];
    UT_hash_handle hh;
};

struct two {
    struct shared_job *jobs;
};

struct two *two_new(void)
{
    return xcalloc(1, sizeof(struct two));
}

void two_free(struct two *t)
{
    struct shared_job *j, *next;

    if (!t)
        return;
    HASH_ITER (hh, t->jobs, j, next) {
        HASH_DEL(t->jobs, j);
        free(j->id);
        free(j);
    }
    free(t);
}

static struct shared_job *find(const struct sim *s, const char *id)
{
    struct shared_job *j;

    HASH_FIND_STR(s->two->jobs, id, j);
    return j;
}

static struct shared_job *make(struct sim *s, const char *id)
{
    struct shared_job *j = find(s, id);

    if (j)
        return j;
    j = xcalloc(1, sizeof(*j));
    j->id = xstrdup(id);
    HASH_ADD_KEYPTR(hh, s->two->jobs, j->id, strlen(j->id), j);
    return j;
}

/* The server whose name is in the id has made it. */
static bool is_of(const struct sim *s, const char *id)
{
    const char *dot = strchr(id, '.');

    return dot && strcmp(dot + 1, s->name) == 0;
}

static struct stay *stay(const struct sim *s, struct shared_job *j)
{
    return &j->at[s->index];
}

/* Durable facts. */

static bool ends(enum fact fact)
{
    return fact == FACT_JOB_ENDED || fact == FACT_JOB_DELETED ||
           fact == FACT_JOB_FINISHED || fact == FACT_JOB_WITHDRAWN;
}

/* Each time that it leaves it has come to the other one, once more than when that one
 * has made it. */
static void check_left(struct sim *s, struct shared_job *j)
{
    const struct stay *other = stay(s->other, j);

    if (other->n_come < stay(s, j)->n_left + is_of(s->other, j->id))
        check_failed(s, CHECK_TWO, "job %s has left %s, and %s has not got it", j->id,
                     s->name, s->other->name);
}

/* Nobody could say which one has it: an administrator decides. */
static bool is_given_up(const struct shared_job *j)
{
    return j->at[0].is_given_up || j->at[1].is_given_up;
}

static void note_exit(struct stay *at, const struct record *rec)
{
    at->has_exited = rec->reason != REASON_NODE_LOST;
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_EXIT_STATUS && rec->changes[i].after)
            at->status = atoll(rec->changes[i].after);
}

static bool changes(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return true;
    return false;
}

static void take(struct sim *s, const struct record *rec)
{
    struct shared_job *j = make(s, rec->id);
    struct stay *at = stay(s, j);

    at->n_come += rec->fact == FACT_JOB_QUEUED;
    at->has_begun |= rec->fact == FACT_JOB_RUN || rec->fact == FACT_ARRAY_BEGAN;
    if (rec->fact == FACT_JOB_RUN)
        at->has_exited = false;
    if (rec->fact == FACT_JOB_OBIT)
        note_exit(at, rec);
    if (rec->fact == FACT_JOB_STAYS && changes(rec, JOB_A_COMMENT))
        at->is_given_up = true;
    if (ends(rec->fact))
        at->n_ended++;
    if (rec->fact == FACT_JOB_LEFT || rec->fact == FACT_JOB_AWAY) {
        at->n_left++;
        check_left(s, j);
    }
}

void check_two_commit(struct sim *s, size_t n, const struct effect *const *facts)
{
    for (size_t i = 0; s->two && i < n; i++)
        if (facts[i]->kind == EFFECT_RECORD && facts[i]->u.record->kind == OBJ_JOB)
            take(s, facts[i]->u.record);
}

/* At both. */

static bool lives(const struct job *j)
{
    return j && !j->past && !job_is_leaving(j);
}

/* One that is leaving may be at the other one already. */
void check_two_settled(struct sim *s)
{
    const struct model *m = shell_model(s);
    const struct model *other = s->two ? shell_model(s->other) : NULL;

    if (!other)
        return;
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        const struct shared_job *j = find(s, o->id);

        if (lives(TO_JOB(o)) && lives(model_job(other, o->id)) &&
            !(j && is_given_up(j)))
            check_failed(s, CHECK_TWO, "job %s is at %s and at %s", o->id, s->name,
                         s->other->name);
    }
}

/* What the server has given up may go on for a while; that is watched in runs.c. */
void check_two_begins(const struct mom_host *h, const struct run *r)
{
    struct sim *s = h->sim;
    struct shared_job *j = s->two ? find(s, r->job_id) : NULL;
    struct ran *x, *next;

    if (j && !is_given_up(j) && j->at[0].n_ended + j->at[1].n_ended > 0)
        check_failed(s, CHECK_TWO, "run %d of job %s begins, and the job has ended",
                     r->run_version, r->job_id);
    if (!s->two)
        return;
    HASH_ITER (hh, s->other->runs.list, x, next)
        if (strcmp(x->job_id, r->job_id) == 0 && !x->is_over && !x->is_lost &&
            !x->is_awaited && !x->is_given_up)
            check_failed(s, CHECK_TWO,
                         "run %d of job %s begins, and its run %d at %s "
                         "goes on",
                         r->run_version, r->job_id, x->run_version, s->other->name);
}

/* Dependencies. */

enum outcome {
    NOBODY, /* there is no such job, as far as is durable */
    OPEN,
    MET,
    NEVER,
    EITHER /* of an array that is over: how it has ended is not known here */
};

/* In the words of cli.md 3.7. */
static enum outcome outcome(const struct sim *s, const struct depend_entry *e)
{
    struct shared_job *j = e->job ? find(s, e->job) : NULL;
    const struct stay *at = j ? stay(s->other, j) : NULL;
    bool over, well;

    if (!at || at->n_come == 0)
        return NOBODY;
    over = at->n_ended > 0;
    well = over && at->has_exited && at->status == 0;
    if (over && strchr(e->job, '[') &&
        (e->type == DEPEND_AFTEROK || e->type == DEPEND_AFTERNOTOK))
        return EITHER;
    switch (e->type) {
    case DEPEND_AFTER:
        return at->has_begun ? MET : over ? NEVER : OPEN;
    case DEPEND_AFTEROK:
        return well ? MET : over ? NEVER : OPEN;
    case DEPEND_AFTERNOTOK:
        return well ? NEVER : over ? MET : OPEN;
    case DEPEND_AFTERANY:
        return over ? MET : OPEN;
    default:
        return OPEN;
    }
}

/* Is nobody going to tell the job how that other one ends, as far as is known? */
static bool is_unknown_there(const struct sim *s, const char *id,
                             const struct depend_entry *e, struct arena *arena)
{
    const struct model *m = shell_model(s->other);
    const struct job *there = m ? model_job(m, e->job) : NULL;
    struct waiters list;

    if (!there)
        return m == NULL;
    list = waiters_of(there, arena);
    return waiters_find(&list, e->type, id) == list.n;
}

/* Was it not confirmed yet, or denied since? 'own': because the owner of the job wants
 * to wait. */
static bool is_unconfirmed(const struct job *j, const struct depend_entry *e, bool own,
                           struct arena *arena)
{
    const struct waiters list = waiters_in(j, JOB_A_HF_VERIFY, arena);
    size_t i = waiters_find(&list, e->type, e->job);

    return i < list.n && list.v[i].own == own && (!list.v[i].known || list.v[i].again);
}

bool check_two_may_go(const struct sim *s, const struct job *j,
                      const struct depend_entry *e, struct arena *arena)
{
    enum outcome what = s->two ? outcome(s, e) : OPEN;

    if (what == OPEN || what == NEVER)
        return s->two && is_unconfirmed(j, e, false, arena) &&
               is_unknown_there(s, j->obj.id, e, arena);
    return true;
}

static bool depends(const struct job *j, struct arena *arena, struct depend_list *ret)
{
    const char *text = obj_str(&j->obj, JOB_A_DEPEND, NULL);

    return text && depend_parse(text, arena, ret);
}

/* Who is deleted since it would wait for ever does so because of somebody. Jobs of its
 * own server are looked at elsewhere. What a server has lost it cannot tell. */
static void check_deleted(struct sim *s, const struct model *m, const struct job *j)
{
    struct arena *arena;
    struct depend_list list = { 0 };
    size_t n_never = 0, n_here = 0;

    if (s->other->peers.have_lost)
        return;
    arena = arena_new();
    if (depends(j, arena, &list))
        for (size_t i = 0; i < list.n; i++) {
            bool is_there = depend_is_remote(m, &list.v[i]);

            n_here += !is_there;
            n_never += is_there && (outcome(s, &list.v[i]) == NEVER ||
                                    outcome(s, &list.v[i]) == EITHER);
        }
    if (list.n > 0 && n_here + n_never == 0)
        check_failed(s, CHECK_TWO, "job %s is deleted, and %s may still end as wanted",
                     j->obj.id, list.v[0].job ? list.v[0].job : "its count");
    arena_free(arena);
}

void check_two_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct job *j = s->two && rec->kind == OBJ_JOB ? model_job(m, rec->id) : NULL;

    if (j && rec->reason == REASON_DEPENDENCY && ends(rec->fact))
        check_deleted(s, m, j);
}

static void check_waits_for(struct sim *s, const struct job *j,
                            const struct depend_entry *e, struct arena *arena)
{
    enum outcome what = outcome(s, e);

    if (what == NOBODY || what == MET || what == NEVER || what == EITHER)
        check_failed(s, CHECK_TWO, "job %s still waits for %s of %s, %s", j->obj.id,
                     e->job, s->other->name,
                     what == NOBODY ? "which there is not" : "which is so far");
    else if (is_unknown_there(s, j->obj.id, e, arena) &&
             !is_unconfirmed(j, e, false, arena) && !is_unconfirmed(j, e, true, arena))
        check_failed(s, CHECK_TWO, "job %s waits for %s, and %s will not tell it",
                     j->obj.id, e->job, s->other->name);
}

static void check_waits(struct sim *s, const struct model *m, const struct job *j)
{
    struct arena *arena = arena_new();
    struct depend_list list = { 0 };

    if (depends(j, arena, &list))
        for (size_t i = 0; i < list.n; i++)
            if (depend_is_remote(m, &list.v[i]))
                check_waits_for(s, j, &list.v[i], arena);
    arena_free(arena);
}

static void check_one_agrees(struct sim *s)
{
    const struct model *m = shell_model(s);

    if (!m)
        return;
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        if (job_is_leaving(TO_JOB(o)))
            check_failed(s, CHECK_TWO, "job %s does not arrive and does not stay",
                         o->id);
        check_waits(s, m, TO_JOB(o));
    }
}

void check_two_agree(struct sim *s)
{
    if (!s->two)
        return;
    check_one_agrees(s);
    check_one_agrees(s->other);
}

void check_two_end(struct sim *s)
{
    struct shared_job *j, *next;

    if (!s->two)
        return;
    HASH_ITER (hh, s->two->jobs, j, next) {
        const struct stay *a = &j->at[0], *b = &j->at[1];

        /* A subjob, or one about which an administrator has decided. */
        if (a->n_come + b->n_come == 0 || is_given_up(j))
            continue;
        if (a->n_ended + b->n_ended != 1)
            check_failed(s, CHECK_TWO, "job %s has ended %d times", j->id,
                         a->n_ended + b->n_ended);
        if (a->n_come + b->n_come != a->n_left + b->n_left + 1)
            check_failed(s, CHECK_TWO, "job %s has come %d times and left %d times",
                         j->id, a->n_come + b->n_come, a->n_left + b->n_left);
    }
}
