/* together.c - see together.h.
 *
 * A part takes the first place that it finds, and that may be the only one of another
 * part. So a part that finds none is put before the others and all are searched again,
 * a few times. What is feasible may still be refused then; nothing is ever given twice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/together.h"

#include "scheduler/plan/jobs_beside.h"

/* How many orders are tried; each costs as much as searching all parts. */
enum {
    ORDERS_MAX = 8
};

struct part {
    const struct snap_resv *r;
    struct question q;
    struct verdict v;
    struct booking *trial;  /* booked while the others are searched; NULL: nothing */
    struct bookings beside; /* likewise, for its jobs */
};

struct parts {
    struct planner *pl;
    size_t n;
    struct part *v;
    size_t *order; /* in which they are searched */
};

static bool is_same_proposal(const struct snap_resv *a, const struct snap_resv *b)
{
    return !a->alien && !b->alien && a->state == RESV_BEING_ALTERED &&
           b->state == RESV_BEING_ALTERED && a->question.is_set && b->question.is_set &&
           a->question.value != 0 && a->question.value == b->question.value;
}

const struct snap_resv *together_first(const struct planner *pl,
                                       const struct snap_resv *r)
{
    const struct snap_resv *first = NULL;
    size_t n = 0;

    for (size_t i = 0; i < pl->s->n_resvs; i++) {
        const struct snap_resv *part = &pl->s->resvs[i];

        if (!is_same_proposal(part, r))
            continue;
        n++;
        if (!first && !part->skip)
            first = part;
    }
    return n > 1 ? first : NULL;
}

/* Those that run are searched first: they keep what works, the others may go anywhere.
 */
static void find_order(struct parts *ps)
{
    size_t n = 0;

    for (int running = 1; running >= 0; running--)
        for (size_t i = 0; i < ps->n; i++)
            if (ps->v[i].q.running == running)
                ps->order[n++] = i;
}

static struct parts find_parts(struct planner *pl, const struct snap_resv *r)
{
    struct parts ps = { .pl = pl };

    ps.v = arena_zero(pl->arena, pl->s->n_resvs * sizeof(*ps.v));
    ps.order = arena_zero(pl->arena, pl->s->n_resvs * sizeof(*ps.order));
    for (size_t i = 0; i < pl->s->n_resvs; i++) {
        const struct snap_resv *other = &pl->s->resvs[i];

        if (!is_same_proposal(other, r))
            continue;
        ps.v[ps.n++] = (struct part){
            .r = other,
        };
        ps.v[ps.n - 1].q = question_about(pl, other);
    }
    find_order(&ps);
    MUST(ps.n > 0);
    return ps;
}

static void leave_vnodes(struct parts *ps)
{
    for (size_t i = 0; i < ps->n; i++)
        world_drop(ps->pl->w, ps->v[i].r->id);
}

static void end_trial_of(struct world *w, struct part *part)
{
    jobs_beside_give(&part->q, &part->beside);
    if (part->trial)
        world_unbook(w, part->trial);
    part->trial = NULL;
}

static void end_trial(struct parts *ps)
{
    for (size_t i = 0; i < ps->n; i++)
        end_trial_of(ps->pl->w, &ps->v[i]);
}

static void come_back(struct parts *ps)
{
    for (size_t i = 0; i < ps->n; i++)
        world_restore(ps->pl->w, ps->v[i].r->id);
}

/* Under the id of the reservation, so that a denial names it. */
static void take_place(const struct parts *ps, struct part *part)
{
    part->trial = world_book(ps->pl->w, part->r->id, part->r->request, &part->v.found,
                             part->q.start_at, part->q.end_at);
    jobs_beside_take(&part->q, &part->beside);
}

/* Search them in that order. SIZE_MAX when all have found a place: they are dropped in
 * the world then, and have a yes each. Otherwise the place in the order of the one that
 * found none; the world is as it was. */
static size_t search_in_order(struct parts *ps)
{
    size_t failed = SIZE_MAX;

    leave_vnodes(ps);
    for (size_t i = 0; i < ps->n && failed == SIZE_MAX; i++) {
        struct part *part = &ps->v[ps->order[i]];

        part->q = question_about(ps->pl, part->r);
        part->v = question_find(&part->q);
        if (part->v.failure != FAIL_NONE)
            failed = i;
        else
            take_place(ps, part);
    }
    end_trial(ps);
    if (failed != SIZE_MAX)
        come_back(ps);
    return failed;
}

static void put_first(struct parts *ps, size_t place)
{
    size_t part = ps->order[place];

    for (size_t i = place; i > 0; i--)
        ps->order[i] = ps->order[i - 1];
    ps->order[0] = part;
}

/* What was answered in this cycle is not said again, but its place is taken. */
static void say(const struct parts *ps, struct part *part)
{
    if (!part->r->skip)
        question_say(&part->q, &part->v);
    else if (part->v.failure == FAIL_NONE)
        take_place(ps, part);
}

/* Answer the others one by one: first those that have a yes, so that it is known when
 * the denial comes; a denial of another part is of no use but to another scheduler. */
static void answer_alone(struct parts *ps, struct part *denied)
{
    for (size_t i = 0; i < ps->n; i++) {
        struct part *part = &ps->v[i];

        if (part == denied)
            continue;
        part->q = question_about(ps->pl, part->r);
        part->v = question_find(&part->q);
        if (part->v.failure == FAIL_NONE)
            say(ps, part);
    }
    say(ps, denied);
    for (size_t i = 0; i < ps->n; i++)
        if (&ps->v[i] != denied && ps->v[i].v.failure != FAIL_NONE)
            say(ps, &ps->v[i]);
}

void plan_together(struct planner *pl, const struct snap_resv *r)
{
    struct parts ps = find_parts(pl, r);
    struct part denied = { 0 };
    size_t who = 0;

    for (int tries = 0; tries < ORDERS_MAX; tries++) {
        size_t failed = search_in_order(&ps);

        if (failed == SIZE_MAX) {
            for (size_t i = 0; i < ps.n; i++)
                say(&ps, &ps.v[i]);
            return;
        }
        if (tries == 0 || failed == 0) {
            who = ps.order[failed];
            denied = ps.v[who];
        }
        if (failed == 0)
            break; /* there is no place for it either when all others are gone */
        put_first(&ps, failed);
    }
    ps.v[who] = denied;
    answer_alone(&ps, &ps.v[who]);
}
