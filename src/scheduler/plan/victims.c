/* victims.c - see victims.h.
 *
 * Taking more candidates never takes room away from the job, so the shortest row of
 * them that suffices is found by halving. Who of them is needed is asked backwards: one
 * that may come back beside the place that was found is not, and where that fails a
 * place without its vnodes is searched, as often as the effort allows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/victims.h"

#include "lib/base/log.h"
#include "scheduler/plan/candidate.h"
#include "scheduler/plan/level.h"
#include "scheduler/plan/targets.h"
#include "scheduler/plan/vnode_limit.h"

#include <stdlib.h>
#include <string.h>

/* Searches for another place while victims are given back: many of a large job. */
#define OTHER_PLACES_MAX 64
/* How often those are chosen anew of whom one would rise above the job. */
#define CHOICES_MAX      20

#define EMPLOYING        "Employing preemption to try and run high priority job."

/* What the job lacks: only whoever has some of it is of use. */
struct lack {
    bool limit, of_all;             /* a limit holds it; that of everybody's jobs */
    bool sums;                      /* a queue, or the server, is short of 'res': */
    const struct snap_queue *queue; /* NULL: the server */
    size_t res;
    bool vnodes;
};

/* One choice. */
struct choice {
    struct planner *pl;
    struct preempting *p;
    const struct preemptor *who;
    struct pool pool; /* where it looks */
    int64_t level;
    size_t n, n_out;
    struct candidate **v; /* of use, in order; the first n_out have left */
    struct placement *found;
    struct plan_notes *notes;
};

/* The log's words for what the job lacks. */
static const char *why_not(const struct planner *pl, const struct preemptor *who)
{
    return failure_log(pl->arena, who->lacks, ASKER_JOB, who->resource, who->numbers);
}

void preempt_fini(struct preempting *p)
{
    if (p)
        HASH_CLEAR(hh, p->vain);
}

/* The first 'n' of the choice have left, the others have not. */
static void set_out(struct choice *ch, size_t n)
{
    for (; ch->n_out < n; ch->n_out++)
        candidate_leaves(ch->pl, ch->v[ch->n_out]);
    for (; ch->n_out > n; ch->n_out--)
        candidate_comes_back(ch->pl, ch->v[ch->n_out - 1]);
}

/* Limits and queue have room for the job. */
static bool is_let(struct choice *ch)
{
    const struct snap_job *j = ch->who->job;
    const char *resource, *numbers;
    struct limit_words words;
    bool never;

    return (ch->who->asked || limit_fit(ch->pl, j, ch->who->end_at, &words)) &&
           queue_fit(ch->pl, j, &resource, &numbers, &never) == FAIL_NONE;
}

/* Where is room for it? */
static bool has_place(struct choice *ch, struct placement *found)
{
    const struct preemptor *who = ch->who;
    struct pool pool = ch->pool;
    struct plan_short why = { 0 };

    if (who->own)
        return world_has(ch->pl->w, who->own, ch->pl->now_at, who->end_at);
    *found = (struct placement){ 0 };
    return pool_search(&pool, ch->pl->w, who->job->request, found, &why) == FAIL_NONE;
}

static bool fits(struct choice *ch)
{
    return is_let(ch) && has_place(ch, ch->found);
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool lets(const struct lack *l, const struct snap_job *j,
                 const struct snap_job *victim)
{
    return l->of_all || is_same(j->user, victim->user) ||
           is_same(j->group, victim->group) || is_same(j->project, victim->project);
}

static bool is_in_the_way(const struct planner *pl, const struct preempting *p,
                          const struct snap_job *victim)
{
    const struct placement *at = &link_of_job(pl, victim)->at;

    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            if (p->may_use[at->chunks[c].pieces[i].vnode])
                return true;
    return false;
}

static bool is_of_use(const struct choice *ch, const struct lack *l,
                      const struct snap_job *victim)
{
    const struct planner *pl = ch->pl;

    return (l->limit && lets(l, ch->who->job, victim)) ||
           (l->sums && (!l->queue || link_of_job(pl, victim)->queue == l->queue) &&
            snap_values_find(&victim->asked, l->res)) ||
           (l->vnodes && is_in_the_way(pl, ch->p, victim));
}

static void note_vnodes(struct choice *ch)
{
    const struct preemptor *who = ch->who;
    bool *may = ch->p->may_use;

    if (!who->own) {
        pool_may_use(&ch->pool, ch->pl->w, who->job->request, may);
        return;
    }
    memset(may, 0, ch->pl->w->n * sizeof(*may));
    for (size_t i = 0; i < who->own->n; i++)
        may[who->own->vnodes[i]] = true;
}

/* All that the job lacks, and not only what is said of it first. */
static struct lack lack_of(struct choice *ch)
{
    const struct snap_job *j = ch->who->job;
    const char *resource = NULL, *numbers;
    struct limit_words words;
    struct placement found;
    struct lack l = { 0 };
    struct plan_short why = { 0 };
    enum plan_failure short_of;
    bool never;

    l.limit = !ch->who->asked && !limit_fit(ch->pl, j, ch->who->end_at, &words);
    l.of_all = l.limit && words.of_all;
    short_of = queue_fit(ch->pl, j, &resource, &numbers, &never);
    if (short_of == FAIL_QUEUE_SHORT)
        l.queue = link_of_job(ch->pl, j)->queue;
    if (!short_of) /* nor what others will want of the server before the job ends */
        short_of = pool_server_fit(&ch->pool, ch->pl->w, j->request, &why);
    if (why.of_server)
        resource = why.resource;
    l.sums = short_of != FAIL_NONE;
    if (l.sums)
        l.res = snap_res_find(ch->pl->s, resource);
    ch->pool.without_server = l.sums;
    l.vnodes = !has_place(ch, &found);
    ch->pool.without_server = false;
    if (l.vnodes)
        note_vnodes(ch);
    return l;
}

/* The job's preempt_targets leave 'm' of 'n' candidates. */
static void note_targets(struct choice *ch, size_t n, size_t m)
{
    plan_note_add(
        ch->pl, ch->notes, LOG_EV_DEBUG2, ch->who->job->id,
        arena_printf(ch->pl->arena,
                     "Limited running jobs used for preemption from %zu to %zu%s", n, m,
                     m ? "" : ": No jobs to preempt"));
}

/* Fill in those of use. */
static void choose_from(struct choice *ch)
{
    const struct planner *pl = ch->pl;
    const struct snap_job *j = ch->who->job;
    const char *targets = pl->s->preempt.ignores_targets ? NULL : j->targets;
    struct lack l = lack_of(ch);
    size_t n = 0, n_targets = 0;

    ch->v = ARENA_ARRAY(pl->arena, struct candidate *, ch->p->n + 1);
    for (size_t i = 0; i < ch->p->n && ch->p->v[i].level < ch->level; i++) {
        struct candidate *c = &ch->p->v[i];

        if (c->out || c->job == j)
            continue;
        n++;
        if (targets && !targets_have(pl->s, targets, c->job))
            continue;
        n_targets++;
        if (candidate_may_leave(pl, c) && is_of_use(ch, &l, c->job))
            ch->v[ch->n++] = c;
    }
    if (targets && n_targets < n)
        note_targets(ch, n, n_targets);
    else if (ch->n == 0)
        plan_note_add(ch->pl, ch->notes, LOG_EV_DEBUG2, j->id,
                      "Found no preemptable candidates");
}

/* So many as suffice: the shortest row of them. False: all together do not. */
static bool take_enough(struct choice *ch)
{
    size_t no = 0, yes;

    for (yes = 1;; yes *= 2) {
        yes = MIN_OF(yes, ch->n);
        set_out(ch, yes);
        if (fits(ch))
            break;
        if (yes == ch->n)
            return false;
        no = yes;
    }
    while (yes - no > 1) {
        size_t mid = no + (yes - no) / 2;

        set_out(ch, mid);
        if (fits(ch))
            yes = mid;
        else
            no = mid;
    }
    if (ch->n_out == yes)
        return true;
    set_out(ch, yes);
    return fits(ch);
}

/* The place that was found, as a demand whose vnodes are found by number. */
static struct demand demand_of(struct choice *ch)
{
    const struct preemptor *who = ch->who;
    struct demand d =
        who->own ? *who->own
                 : world_demand(ch->pl->w, ch->pl->arena, who->job->request, ch->found);

    memset(ch->p->at, 0, (ch->pl->w->n + 1) * sizeof(*ch->p->at));
    for (size_t i = 0; i < d.n; i++)
        ch->p->at[d.vnodes[i]] = i + 1;
    return d;
}

/* May this one be back beside the job? */
static bool is_not_needed(struct choice *ch, struct candidate *c, struct demand *d,
                          size_t *searches)
{
    const struct preemptor *who = ch->who;
    struct placement other;

    candidate_comes_back(ch->pl, c);
    if (is_let(ch)) {
        if (world_has_beside(ch->pl->w, d, ch->p->at, c->job->id, ch->pl->now_at,
                             who->end_at))
            return true;
        if (!who->own && *searches > 0) {
            --*searches;
            if (has_place(ch, &other)) {
                *ch->found = other;
                *d = demand_of(ch);
                return true;
            }
        }
    }
    candidate_leaves(ch->pl, c);
    return false;
}

/* Leave alone who is not needed; the last one is, or a shorter row would suffice. */
static void give_back(struct choice *ch)
{
    struct demand d = demand_of(ch);
    size_t searches = OTHER_PLACES_MAX, n = 0;

    for (size_t i = ch->n_out; i > 0; i--)
        if (i < ch->n_out && is_not_needed(ch, ch->v[i - 1], &d, &searches))
            plan_note_add(ch->pl, ch->notes, LOG_EV_DEBUG2, ch->v[i - 1]->job->id,
                          "Simulation: preemption of job not needed.");
    for (size_t i = 0; i < ch->n_out; i++)
        if (ch->v[i]->out)
            ch->v[n++] = ch->v[i];
    ch->n = ch->n_out = n;
}

static void note_taken(struct choice *ch)
{
    for (size_t i = 0; i < ch->n_out; i++)
        plan_note_add(ch->pl, ch->notes, LOG_EV_DEBUG2, ch->v[i]->job->id,
                      "Simulation: preempting job");
}

/* Somebody who leaves may bring his other jobs below a soft limit again. Those whose
 * own level would be above the job's then are barred; true when there are any. */
static bool bar_who_rises(struct choice *ch)
{
    bool any = false;

    for (size_t i = 0; i < ch->n_out; i++) {
        struct candidate *c = ch->v[i];

        if (level_of(ch->pl, c->job) <= ch->level)
            continue;
        c->barred = any = true;
        plan_note_add(
            ch->pl, ch->notes, LOG_EV_DEBUG2, c->job->id,
            "Preempting job will escalate its priority or priority of other jobs, not "
            "preempting it");
    }
    return any;
}

/* When it runs it may be over a soft limit itself, and its victims take it in turn. */
static bool would_fall(struct choice *ch)
{
    bool falls = false;
    int64_t level;

    if (ch->who->asked)
        return false;
    limit_fit_took(ch->pl, ch->who->job, ch->who->end_at);
    level = level_of(ch->pl, ch->who->job);
    for (size_t i = 0; level < ch->level && i < ch->n_out && !falls; i++)
        falls = level_of(ch->pl, ch->v[i]->job) > level;
    limit_fit_left(ch->pl, ch->who->job, ch->who->end_at);
    if (falls)
        plan_note_add(ch->pl, ch->notes, LOG_EV_DEBUG, ch->who->job->id,
                      "Job not run because it would immediately be preemptable.");
    return falls;
}

static void drop_barred(struct choice *ch)
{
    size_t n = 0;

    MUST(ch->n_out == 0);
    for (size_t i = 0; i < ch->n; i++)
        if (!ch->v[i]->barred)
            ch->v[n++] = ch->v[i];
    ch->n = n;
}

/* The victims of this choice; false: there are none that suffice, and all are back. */
static bool choose(struct choice *ch)
{
    struct candidate **all = ch->v;
    size_t n_all = ch->n;
    bool found = false;

    for (int i = 0; i < CHOICES_MAX && ch->n > 0; i++) {
        if (!take_enough(ch))
            break;
        note_taken(ch);
        if (!bar_who_rises(ch)) {
            found = true;
            break;
        }
        set_out(ch, 0);
        drop_barred(ch);
    }
    for (size_t i = 0; i < n_all; i++)
        all[i]->barred = false;
    if (found)
        give_back(ch);
    if (found && !would_fall(ch))
        return true;
    if (ch->n > 0 && !found)
        plan_note_add(ch->pl, ch->notes, LOG_EV_DEBUG2, ch->who->job->id,
                      arena_printf(ch->pl->arena,
                                   "Simulation: not enough work preempted: %.*s",
                                   FAILURE_MAX_BYTES, why_not(ch->pl, ch->who)));
    set_out(ch, 0);
    return false;
}

/* Jobs with this key lack the same, and find the same candidates. */
static const char *key_of(const struct planner *pl, const struct preemptor *who,
                          int64_t level)
{
    const struct snap_job *j = who->job;

    return arena_printf(pl->arena, "%p %p %lld %lld %s %s %s %s %s", (void *)j->request,
                        (void *)link_of_job(pl, j)->queue, (long long)who->end_at,
                        (long long)level, j->user ? j->user : "",
                        j->group ? j->group : "", j->project ? j->project : "",
                        j->targets ? j->targets : "", who->own ? j->id : "");
}

static bool was_in_vain(const struct preempting *p, const char *key)
{
    struct vain *x;

    HASH_FIND_STR(p->vain, key, x);
    return x != NULL;
}

static void note_vain(struct planner *pl, struct preempting *p, const char *key)
{
    struct vain *x = ARENA_NEW(pl->arena, struct vain);

    x->key = key;
    HASH_ADD_KEYPTR(hh, p->vain, x->key, strlen(x->key), x);
}

void preempt_hopeless(struct planner *pl, struct preempting **p,
                      const struct preemptor *who, struct plan_notes *notes)
{
    if (!candidates_for(pl, p, who))
        return;
    plan_note_add(pl, notes, LOG_EV_DEBUG2, who->job->id, EMPLOYING);
    plan_note_add(pl, notes, LOG_EV_DEBUG, who->job->id,
                  arena_printf(pl->arena, "Preempt: Can not preempt to run job: %.*s",
                               FAILURE_MAX_BYTES, why_not(pl, who)));
}

/* False: it is not even to be tried. */
static bool may_try(struct planner *pl, struct preempting *p,
                    const struct preemptor *who, struct plan_notes *notes)
{
    const char *targets = pl->s->preempt.ignores_targets ? NULL : who->job->targets;

    if (p->attempts >= pl->p->preempt_attempts) {
        plan_note_add(pl, notes, LOG_EV_DEBUG2, who->job->id,
                      "Not attempting to preempt: over max cycle preempt limit");
        return false;
    }
    p->attempts++;
    plan_note_add(pl, notes, LOG_EV_DEBUG2, who->job->id, EMPLOYING);
    if (!targets || !targets_none(targets))
        return true;
    plan_note_add(pl, notes, LOG_EV_DEBUG2, who->job->id,
                  "No preemption set specified for the job: Job will not preempt");
    return false;
}

/* The step with which they leave, before the one that runs the job. */
static void say_victims(struct choice *ch)
{
    struct planner *pl = ch->pl;
    struct plan_step *step;

    plan_note_add(pl, ch->notes, LOG_EV_DEBUG2, ch->who->job->id,
                  "Simulation: Preempted enough work to run job");
    step = plan_add(pl, PLAN_PREEMPT_JOBS, ch->who->id);
    step->victims.n = ch->n_out;
    step->victims.v = ARENA_ARRAY(pl->arena, const char *, ch->n_out + 1);
    step->n_notes = ch->notes->n;
    step->notes = ch->notes->v;
    for (size_t i = 0; i < ch->n_out; i++) {
        step->victims.v[i] = ch->v[i]->job->id;
        quick_fit_took(pl, &link_of_job(pl, ch->v[i]->job)->at);
    }
}

/* What the limits of vnodes close stays closed, whoever leaves. */
static void look_wherever(struct choice *ch)
{
    const struct snap_job *j = ch->who->job;
    enum plan_failure why;

    if (!ch->who->asked)
        ch->pool.closed = vnode_limit_closes(ch->pl, j, &why);
    ch->pool.sets =
        pool_sets(&ch->pool, ch->pl->w, j->request, link_of_job(ch->pl, j)->queue);
}

static bool find_victims(struct planner *pl, struct preempting *p,
                         const struct preemptor *who, struct placement *found,
                         struct plan_notes *notes)
{
    struct choice ch = { .pl = pl,
                         .p = p,
                         .who = who,
                         .pool = { .asker = ASKER_JOB,
                                   .queue = who->queue,
                                   .start_at = pl->now_at,
                                   .end_at = who->end_at },
                         .level = level_of_preemptor(pl, who),
                         .found = found,
                         .notes = notes };
    const char *key = key_of(pl, who, ch.level);

    if (who->job->gave_up || was_in_vain(p, key) || !may_try(pl, p, who, notes))
        return false;
    if (!who->own)
        look_wherever(&ch);
    choose_from(&ch);
    if (!choose(&ch)) {
        note_vain(pl, p, key);
        return false;
    }
    say_victims(&ch);
    /* With what they leave others may find what they did not find before. */
    HASH_CLEAR(hh, p->vain);
    return true;
}

bool preempt_for(struct planner *pl, struct preempting **p, const struct preemptor *who,
                 struct placement *found, struct plan_notes *notes)
{
    return candidates_for(pl, p, who) &&
           !policy_crossed(pl->p, pl->now_at, who->end_at) &&
           find_victims(pl, *p, who, found, notes);
}
