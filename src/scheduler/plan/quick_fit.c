/* quick_fit.c - the first look at a job: do all vnodes together have enough?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan.h"
#include "scheduler/plan/shortage.h"

#include <string.h>
#include <strings.h>

/* What the vnodes of one queue have together. Kept from job to job: only vnodes that
 * got a job since are looked at again. */
struct sums {
    const char *queue;
    size_t n_vnodes;
    size_t n_free;      /* vnodes that could take a job now */
    int64_t *total;     /* [res] */
    int64_t *of_host;   /* [res] the most that vnodes of one host have together */
    int64_t *of_vnode;  /* [res] the most that one vnode has */
    int64_t *available; /* [res] of the free vnodes, now */
    bool *is_free;      /* [vnode] */
    int64_t *part;      /* [vnode * n_res] what each one added to 'available' */
    struct sums *next;
};

/* True when the vnode could take a job this second: its state is "free", somebody
 * may still be added, and it has a processor left if it has any at all. */
static bool is_free_now(const struct world *w, size_t vnode, const int64_t *free)
{
    size_t ncpus = snap_res_find(w->s, "ncpus");

    if (!w->s->vnodes[vnode].usable || !w->s->vnodes[vnode].idle ||
        free[RES_PRESENCE] < 1)
        return false;
    return ncpus == SIZE_MAX || w->total[vnode * w->n_res + ncpus] == 0 ||
           free[ncpus] > 0;
}

/* Add the vnode's part as it is now. */
static void add_part(const struct world *w, size_t vnode, struct sums *sums)
{
    int64_t *part = &sums->part[vnode * w->n_res];

    world_least_all(w, vnode, w->now_at, w->now_at + 1, part);
    sums->is_free[vnode] = is_free_now(w, vnode, part);
    sums->n_free += sums->is_free[vnode];
    for (size_t r = 1; r < w->n_res; r++) {
        if (!sums->is_free[vnode] || part[r] < 0)
            part[r] = 0;
        sums->available[r] += part[r];
    }
}

static void take_part_back(const struct world *w, size_t vnode, struct sums *sums)
{
    MUST(sums->n_free >= sums->is_free[vnode]);
    sums->n_free -= sums->is_free[vnode];
    for (size_t r = 1; r < w->n_res; r++)
        sums->available[r] -= sums->part[vnode * w->n_res + r];
}

/* The most that one host has together, and that one vnode has, of what serves the
 * queue. Time: as often as there are vnodes and resources. */
static void note_largest(const struct world *w, struct sums *sums)
{
    int64_t *together = arena_zero(w->arena, w->n_res * sizeof(*together));

    for (size_t h = 0; h < w->n_hosts; h++) {
        memset(together, 0, w->n_res * sizeof(*together));
        for (size_t i = w->host_first[h]; i < w->host_first[h + 1]; i++) {
            const int64_t *has = &w->total[w->on_host[i] * w->n_res];

            if (!str_same(w->s->vnodes[w->on_host[i]].queue, sums->queue))
                continue;
            for (size_t r = 1; r < w->n_res; r++) {
                together[r] += has[r];
                sums->of_vnode[r] = MAX_OF(sums->of_vnode[r], has[r]);
            }
        }
        for (size_t r = 1; r < w->n_res; r++)
            sums->of_host[r] = MAX_OF(sums->of_host[r], together[r]);
    }
}

/* The most that is free in one place: on a host, or on a vnode. */
static int64_t most_free(const struct world *w, const struct sums *sums, size_t res,
                         bool vnode)
{
    int64_t most = 0;

    for (size_t h = 0; h < w->n_hosts; h++) {
        int64_t together = 0;

        for (size_t i = w->host_first[h]; i < w->host_first[h + 1]; i++) {
            int64_t part = sums->part[w->on_host[i] * w->n_res + res];

            together = vnode ? MAX_OF(together, part) : together + part;
        }
        most = MAX_OF(most, together);
    }
    return most;
}

/* Add up the vnodes of one queue, or those of no queue (NULL). */
static struct sums *make_sums(const struct world *w, const char *queue)
{
    struct sums *sums = arena_zero(w->arena, sizeof(*sums));

    sums->queue = queue;
    sums->total = arena_zero(w->arena, w->n_res * sizeof(*sums->total));
    sums->available = arena_zero(w->arena, w->n_res * sizeof(*sums->available));
    sums->of_host = arena_zero(w->arena, w->n_res * sizeof(*sums->of_host));
    sums->of_vnode = arena_zero(w->arena, w->n_res * sizeof(*sums->of_vnode));
    sums->is_free = arena_zero(w->arena, w->n * sizeof(*sums->is_free) + 1);
    sums->part = arena_zero(w->arena, w->n * w->n_res * sizeof(*sums->part) + 1);
    for (size_t i = 0; i < w->n; i++) {
        if (!str_same(w->s->vnodes[i].queue, queue))
            continue;
        sums->n_vnodes++;
        for (size_t r = 1; r < w->n_res; r++)
            sums->total[r] += w->total[i * w->n_res + r];
        add_part(w, i, sums);
    }
    note_largest(w, sums);
    return sums;
}

/* The sums of that queue, made at the first question of the plan. */
static const struct sums *find_sums(struct planner *pl, const char *queue)
{
    struct sums *sums = pl->sums;

    while (sums && !str_same(sums->queue, queue))
        sums = sums->next;
    if (sums)
        return sums;
    sums = make_sums(pl->w, queue);
    sums->next = pl->sums;
    pl->sums = sums;
    return sums;
}

void quick_fit_took(struct planner *pl, const struct placement *found)
{
    for (struct sums *sums = pl->sums; sums; sums = sums->next) {
        for (size_t c = 0; c < found->n; c++) {
            for (size_t i = 0; i < found->chunks[c].n; i++) {
                size_t vnode = found->chunks[c].pieces[i].vnode;

                if (!str_same(pl->s->vnodes[vnode].queue, sums->queue))
                    continue;
                take_part_back(pl->w, vnode, sums);
                add_part(pl->w, vnode, sums);
            }
        }
    }
}

struct verdict {
    enum plan_failure failure;
    const char *resource;
    const char *numbers;
};

const char *plan_numbers(struct planner *pl, const struct res *res, int64_t asked,
                         int64_t left, int64_t total)
{
    struct numbers *last = &pl->numbers;

    /* Jobs that ask for the same stand behind each other, and share the text. */
    if (last->text && last->res == res && last->asked == asked && last->left == left &&
        last->total == total)
        return last->text;
    *last = (struct numbers){ res, asked, left, total, .text = NULL };
    last->text = numbers_text(pl->arena, res, asked, left, total);
    return last->text;
}

static struct verdict short_of(struct planner *pl, const struct sums *sums, size_t res,
                               int64_t wanted)
{
    const struct res *row = &pl->s->res.v[res];

    return (struct verdict){
        .failure = FAIL_SHORT,
        .resource = row->name,
        .numbers =
            plan_numbers(pl, row, wanted, sums->available[res], sums->total[res]),
    };
}

/* "(rx != r2,r1)": what all vnodes offer together, in order of discovery, as far as it
 * is told. */
static const char *offered_together(const struct world *w, const char *queue,
                                    const struct need *n)
{
    struct buf out = { 0 };
    const char *text;

    for (size_t i = 0; i < w->n && out.len <= FAILURE_MAX_BYTES; i++) {
        const struct res_values *values = &w->s->vnodes[i].available;

        if (!str_same(w->s->vnodes[i].queue, queue))
            continue;
        for (size_t k = 0; k < values->n; k++) {
            if (values->v[k].res != n->res ||
                policy_list_has(out.data, values->v[k].text))
                continue;
            buf_printf(&out, "%s%s", out.len ? "," : "", values->v[k].text);
        }
    }
    text = arena_strndup(w->arena, out.data ? out.data : "", out.len);
    buf_fini(&out);
    return text;
}

/* Check the needs of one chunk against what all vnodes have together. What is not
 * counted, as a text, must be met by one vnode at least. */
static struct verdict check_chunk(struct planner *pl, const struct sums *sums,
                                  const int64_t *has, const char *queue,
                                  const struct req_chunk *chunk)
{
    const struct world *w = pl->w;

    for (size_t i = 0; i < chunk->n; i++) {
        const struct need *n = &chunk->needs[i];
        bool met = false;

        if (fit_is_counted(w, n)) {
            if (n->amount > has[n->res] && !w->infinite[n->res] &&
                !world_is_lent(w, n->res))
                return short_of(pl, sums, n->res, n->amount);
            continue;
        }
        for (size_t v = 0; v < w->n && !met; v++)
            met = str_same(w->s->vnodes[v].queue, queue) && fit_need_is_met(w, n, v);
        if (!met)
            return (struct verdict){
                .failure = FAIL_SHORT,
                .resource = w->s->res.v[n->res].name,
                .numbers = arena_printf(pl->arena, "(%s != %s)", n->text,
                                        offered_together(w, queue, n)),
            };
    }
    return (struct verdict){ 0 };
}

static struct verdict larger_than_any(struct planner *pl, const struct sums *sums,
                                      const struct need *n, bool vnode)
{
    const struct res *row = &pl->s->res.v[n->res];
    int64_t most = (vnode ? sums->of_vnode : sums->of_host)[n->res];

    if (!fit_is_counted(pl->w, n) || n->amount <= most || pl->w->infinite[n->res] ||
        world_is_lent(pl->w, n->res))
        return (struct verdict){ 0 };
    return (struct verdict){
        .failure = FAIL_SHORT,
        .resource = row->name,
        .numbers = plan_numbers(pl, row, n->amount,
                                most_free(pl->w, sums, n->res, vnode), most),
    };
}

static bool is_of_chunks(const struct request *rq, size_t res)
{
    for (size_t c = 0; c < rq->n; c++)
        for (size_t i = 0; i < rq->chunks[c].n; i++)
            if (rq->chunks[c].needs[i].res == res)
                return true;
    return false;
}

/* A chunk lies on one host, with vscatter on one vnode, and with pack all of them lie
 * on one host. What is larger than each can never run, however much all have together;
 * PBS says that only of the sums, and loses the numbers (scheduling.md 11). */
static struct verdict check_largest(struct planner *pl, const struct sums *sums,
                                    const struct snap_job *j)
{
    const struct request *rq = j->request;
    bool vnode = rq->place.arrange == PLACE_VSCATTER;
    struct verdict v = { 0 };

    for (size_t c = 0; c < rq->n; c++)
        for (size_t i = 0; i < rq->chunks[c].n && !v.failure; i++)
            v = larger_than_any(pl, sums, &rq->chunks[c].needs[i], vnode);
    for (size_t i = 0; rq->place.arrange == PLACE_PACK && i < rq->all.n; i++)
        if (!v.failure && is_of_chunks(rq, rq->all.v[i].res))
            v = larger_than_any(pl, sums, &rq->all.v[i], false);
    return v;
}

/* Check a whole job against all vnodes ('totals') or against the free ones: the
 * number of vnodes, then the job's sums, then chunk by chunk. The first failure is
 * returned. */
static struct verdict check(struct planner *pl, const struct sums *sums,
                            const struct snap_job *j, const char *queue, bool totals)
{
    const int64_t *has = totals ? sums->total : sums->available;
    size_t n = totals ? sums->n_vnodes : sums->n_free;
    enum place_arrange arrange = j->request->place.arrange;
    struct verdict v = { .failure = totals ? FAIL_FEW_VNODES : FAIL_FEW_FREE_VNODES };

    if (n == 0 || ((arrange == PLACE_SCATTER || arrange == PLACE_VSCATTER) &&
                   (int64_t)n < j->request->n_total))
        return v;
    for (size_t i = 0; i < j->asked.n; i++) {
        const struct res_value *value = &j->asked.v[i];
        const struct res *res = &pl->s->res.v[value->res];

        if (res->consumable && !pl->w->ignored[value->res] &&
            !pl->w->infinite[value->res] && !world_is_lent(pl->w, value->res) &&
            sums->total[value->res] > 0 && value->amount > has[value->res])
            return short_of(pl, sums, value->res, value->amount);
    }
    for (size_t c = 0; c < j->request->n; c++) {
        v = check_chunk(pl, sums, has, queue, &j->request->chunks[c]);
        if (v.failure)
            return v;
    }
    return (struct verdict){ 0 };
}

enum plan_failure quick_fit(struct planner *pl, const struct snap_job *j,
                            const char *queue, const char **resource,
                            const char **numbers, bool *never)
{
    const struct sums *sums = find_sums(pl, queue);
    struct verdict now, ever = { 0 };

    MUST(j->request && j->request->valid);
    now = check(pl, sums, j, queue, false);
    /* What a job lacks on the empty complex is the better answer: waiting does not
     * help. */
    if (now.failure)
        ever = check(pl, sums, j, queue, true);
    if (!ever.failure)
        ever = check_largest(pl, sums, j);
    *never = ever.failure != FAIL_NONE;
    if (*never)
        now = ever;
    if (!now.failure)
        return FAIL_NONE;
    *resource = now.resource;
    *numbers = now.numbers;
    return now.failure;
}
