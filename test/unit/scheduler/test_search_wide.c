/* test_search_wide.c - feasibility on random small complexes (wide_toy.h), for
 * reservations and for jobs. An answer has to hold by the rules of the oracle.
 * test_search.c has the order of first fit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "wide_toy.h"

#include "scene.h"

/* As many as one wants to try once: HF_CASES=1000000. */
static uint64_t n_cases(void)
{
    const char *text = getenv("HF_CASES");

    return text ? strtoull(text, NULL, 10) : 100000;
}

/* What an answer takes. */
struct taken {
    struct toy left;
    int host[TOY_ITEMS_MAX], vnode[TOY_ITEMS_MAX]; /* of each chunk; the last vnode */
    unsigned used;                                 /* vnodes as bits */
};

static int amount_in(const char *part, const char *name)
{
    const char *p = strstr(part, name);

    return p ? atoi(p + strlen(name)) : 0;
}

static bool take_part(struct taken *k, int item, const char *part, bool is_first)
{
    struct toy *t = &k->left;
    int v = atoi(part + 1);
    int got[KINDS] = { amount_in(part, ":ncpus="), amount_in(part, ":mem=") / 1048576,
                       amount_in(part, ":lic=") };

    if (part[0] != 'v' || v >= t->n_vnodes || !toy_may_lie_on(t, item, v) ||
        (!is_first && (t->v[v].host != k->host[item] || toy_arranges(t, "vscatter"))))
        return false;
    k->host[item] = t->v[v].host;
    k->vnode[item] = v;
    k->used |= 1u << v;
    for (int kind = 0; kind < KINDS; kind++)
        t->need[item][kind] -= got[kind];
    t->lic[t->v[v].host] -= got[LIC];
    return (t->v[v].free[NCPUS] -= got[NCPUS]) >= 0 &&
           (t->v[v].free[MEM] -= got[MEM]) >= 0 && t->lic[t->v[v].host] >= 0;
}

static bool take_chunk(struct taken *k, int item, char *chunk)
{
    char *rest = NULL;
    bool is_first = true;

    for (char *part = strtok_r(chunk, "+", &rest); part;
         part = strtok_r(NULL, "+", &rest)) {
        if (!take_part(k, item, part, is_first))
            return false;
        is_first = false;
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (k->left.need[item][kind] != 0)
            return false;
    return true;
}

/* Hosts that are taken whole are named with all of their vnodes; those that no chunk
 * lies on stand alone. */
static bool whole_hosts_are_named(const struct toy *t, const int *named,
                                  const int *host)
{
    for (int v = 0; v < t->n_vnodes; v++) {
        bool taken = false;

        for (int i = 0; i < t->n_items; i++)
            taken |= host[i] == t->v[v].host;
        if (named[v] > 1 || (named[v] > 0 && !taken) ||
            (t->use == USE_EXCLHOST && taken && !named[v]))
            return false;
    }
    return true;
}

static bool arrangement_is_kept(const struct toy *t, const struct taken *k)
{
    if (toy_arranges(t, "pack"))
        return toy_together(k->host, t->n_items);
    if (toy_arranges(t, "scatter"))
        return toy_apart(k->host, t->n_items);
    return !toy_arranges(t, "vscatter") || toy_apart(k->vnode, t->n_items);
}

/* All chunks lie in one of these racks; the rest of a whole host may lie elsewhere. */
static bool lies_in_a_set(const struct toy *t, unsigned sets, unsigned used)
{
    for (int r = 0; r < TOY_RACKS; r++)
        if ((sets >> r & 1) && !(used & ~toy_rack(t, r)))
            return true;
    return sets == 0;
}

static bool answer_is_right(const struct toy *t, unsigned sets, const char *answer)
{
    struct taken k = { .left = *t };
    char text[1024], *rest = NULL;
    int named[TOY_VNODES_MAX] = { 0 }, n = 0;

    snprintf(text, sizeof(text), "%s", answer);
    for (char *chunk = strtok_r(text, "()", &rest); chunk;
         chunk = strtok_r(NULL, "()", &rest)) {
        if (strcmp(chunk, "+") == 0)
            continue;
        if (!strchr(chunk, ':')) {
            if (t->use != USE_EXCLHOST || *chunk != 'v' ||
                atoi(chunk + 1) >= t->n_vnodes)
                return false;
            named[atoi(chunk + 1)]++;
        } else if (n == t->n_items || !take_chunk(&k, n++, chunk)) {
            return false;
        }
    }
    for (int v = 0; v < t->n_vnodes; v++)
        named[v] += !!(k.used >> v & 1);
    return n == t->n_items && whole_hosts_are_named(t, named, k.host) &&
           arrangement_is_kept(t, &k) && lies_in_a_set(t, sets, k.used);
}

/* The words that a server says about a vnode that somebody has alone. */
static const char *state_of(const struct toy *t, int at)
{
    for (int i = 0; i < t->n_others; i++) {
        const struct toy_other *o = &t->others[i];

        if (o->vnode == at && o->from < 0 && o->use == USE_EXCL &&
            t->v[at].sharing != 3)
            return o->kind == OTHER_JOB ? "job-exclusive" : "resv-exclusive";
    }
    return "free";
}

static void add_vnode(struct scene *sc, const struct toy *t, int at, int *first)
{
    static const char *const racks[] = { "", "", "A", "", "B", "", "A,B" };
    const struct toy_vnode *v = &t->v[at];
    char name[16], host[16], more[320];
    size_t len;

    if (first[v->host] < 0)
        first[v->host] = at;
    snprintf(name, sizeof(name), "v%d", at);
    snprintf(host, sizeof(host), "h%d", v->host);
    len = (size_t)snprintf(more, sizeof(more),
                           "resources_available.mem=%dgb sharing=%s state=%s",
                           v->total[MEM], toy_sharings[v->sharing], state_of(t, at));
    if (v->colour)
        len +=
            (size_t)snprintf(more + len, sizeof(more) - len,
                             " resources_available.colour=%s", toy_colours[v->colour]);
    if (*racks[v->racks])
        len += (size_t)snprintf(more + len, sizeof(more) - len,
                                " resources_available.rack=%s", racks[v->racks]);
    if (!t->lends)
        ; /* a complex in which nobody borrows is searched in other ways */
    else if (first[v->host] == at)
        snprintf(more + len, sizeof(more) - len, " resources_available.lic=%d",
                 t->lic_total[v->host]);
    else
        snprintf(more + len, sizeof(more) - len, " resources_available.lic=@v%d",
                 first[v->host]);
    scene_vnode(sc, name, host, v->total[NCPUS], more);
}

static void say_amounts(const struct toy_other *o, char *text, size_t size)
{
    size_t len = (size_t)snprintf(text, size, "ncpus=%d", o->has[NCPUS]);

    if (o->has[MEM])
        len += (size_t)snprintf(text + len, size - len, ":mem=%dkb",
                                o->has[MEM] * 1048576);
    if (o->has[LIC])
        snprintf(text + len, size - len, ":lic=%d", o->has[LIC]);
}

/* A job that runs on all of it, in that queue. */
static void add_job(struct scene *sc, const struct toy_other *o, int number,
                    const char *queue, const char *amounts)
{
    char id[16], select[64], more[256];
    size_t len;

    snprintf(id, sizeof(id), "%d.svr", number);
    snprintf(select, sizeof(select), "1:%s", amounts);
    len = (size_t)snprintf(more, sizeof(more),
                           "job_state=R substate=42 stime=%d exec_vnode=(v%d:%s) "
                           "Resource_List.place=free%s",
                           NOW + o->from, o->vnode, amounts, toy_uses[o->use]);
    /* One without a walltime has its vnode for five years. */
    if (o->until < 100)
        snprintf(more + len, sizeof(more) - len, " Resource_List.walltime=%d",
                 o->until - o->from);
    scene_job(sc, id, queue, select, more);
}

static void add_other(struct scene *sc, const struct toy_other *o, int number)
{
    bool runs = o->kind != OTHER_CONFIRMED;
    char amounts[48], select[64], more[128], queue[16];

    say_amounts(o, amounts, sizeof(amounts));
    if (o->kind == OTHER_JOB) {
        add_job(sc, o, number, "workq", amounts);
        return;
    }
    snprintf(select, sizeof(select), "1:%s", amounts);
    snprintf(more, sizeof(more), "Resource_List.place=free%s resv_nodes=(v%d:%s)",
             toy_uses[o->use], o->vnode, amounts);
    scene_resv(sc, number,
               runs ? "reserve_state=5 reserve_substate=5"
                    : "reserve_state=2 reserve_substate=2",
               NOW + o->from, NOW + o->until, select, more);
    snprintf(queue, sizeof(queue), "R%d", number);
    if (o->kind == OTHER_RUNNING_USED)
        add_job(sc, o, 100 + number, queue, amounts);
}

static void add_request(struct scene *sc, const struct toy *t)
{
    char more[128];

    snprintf(more, sizeof(more), "Resource_List.place=%s%s%s Resource_List.walltime=%d",
             t->arrangement, toy_uses[t->use],
             t->sets == SETS_GROUP ? ":group=rack" : "", t->until - t->from);
    if (t->is_job)
        scene_job(sc, "1.svr", "workq", t->select, more);
    else
        scene_resv(sc, 1, "reserve_state=1 reserve_substate=1", NOW + t->from,
                   NOW + t->until, t->select, more);
}

static void add_settings(struct scene *sc, const struct toy *t)
{
    char more[96];

    scene_add(sc, OBJECT_RESOURCE, "lic", "type=1 flag=163840");
    scene_add(sc, OBJECT_RESOURCE, "colour", "type=3 flag=131072");
    scene_add(sc, OBJECT_RESOURCE, "rack", "type=13 flag=131087");
    scene_add(sc, OBJECT_SERVER, "svr",
              t->sets == SETS_SERVER ? "node_group_enable=True node_group_key=rack"
                                     : "node_group_key=rack");
    snprintf(more, sizeof(more), "do_not_span_psets=%s only_explicit_psets=%s",
             t->may_not_span ? "True" : "False", t->only_explicit ? "True" : "False");
    scene_add(sc, OBJECT_SCHED, "default", more);
    scene_queue(sc, "workq", true);
}

/* Whatever the order of vnodes is, it does not decide what is feasible. */
static const char *const orders[] = {
    "node_sort_key: \"sort_priority HIGH\"",
    "node_sort_key: \"ncpus HIGH unused\"",
    "node_sort_key: \"mem LOW unused\"",
    "node_sort_key: \"ncpus HIGH assigned\"",
};

static void set_scene(struct scene *sc, const struct toy *t, const char *order)
{
    int first[TOY_HOSTS_MAX] = { -1, -1, -1 };
    struct diag why = { 0 };

    CU_ASSERT_EQUAL(policy_line(sc->policy, order, &why), POLICY_FINE);
    add_settings(sc, t);
    for (int v = 0; v < t->n_vnodes; v++)
        add_vnode(sc, t, v, first);
    for (int i = 0; i < t->n_others; i++)
        add_other(sc, &t->others[i], 10 + i);
    add_request(sc, t);
}

static void say_toy(const struct toy *t, uint64_t seed, const char *said, bool feasible)
{
    static const char *const sets[] = { "", " group=rack", " by node_group_key" };
    static const char *const kinds[] = { "reservation", "running reservation",
                                         "running reservation with a job", "job" };

    fprintf(stderr, "seed %llu: %s %s place=%s%s%s%s%s, feasible %d: %s\n",
            (unsigned long long)seed, t->is_job ? "job" : "reservation", t->select,
            t->arrangement, toy_uses[t->use], sets[t->sets],
            t->only_explicit ? " explicit" : "", t->may_not_span ? " no spanning" : "",
            feasible, said);
    for (int v = 0; v < t->n_vnodes; v++)
        fprintf(stderr,
                "  v%d h%d racks %u ncpus %d of %d mem %d of %d lic %d of %d %s %s%s\n",
                v, t->v[v].host, t->v[v].racks, t->v[v].free[NCPUS],
                t->v[v].total[NCPUS], t->v[v].free[MEM], t->v[v].total[MEM],
                t->lic[t->v[v].host], t->lic_total[t->v[v].host],
                toy_colours[t->v[v].colour], toy_sharings[t->v[v].sharing],
                t->v[v].usable ? "" : " not usable");
    for (int i = 0; i < t->n_others; i++)
        fprintf(stderr, "  v%d has a %s%s, %d cpus from %d to %d\n", t->others[i].vnode,
                kinds[t->others[i].kind], toy_uses[t->others[i].use],
                t->others[i].has[NCPUS], t->others[i].from, t->others[i].until);
}

/* What was tried, and how much of it was of each sort. */
struct tally {
    size_t n, n_feasible, n_jobs, n_in_sets, n_wrong;
};

static void try_toy(uint64_t seed, struct tally *tally)
{
    struct rnd rnd = rnd_seeded(seed);
    struct toy t = toy_make(&rnd);
    const char *id = t.is_job ? "1.svr" : "R1.svr";
    unsigned sets;
    bool feasible = toy_is_feasible(&t, &sets), right, granted;
    struct scene sc = scene_new();

    set_scene(&sc, &t, orders[rnd_range(&rnd, 0, COUNT(orders) - 1)]);
    scene_plan(&sc);
    granted = scene_step(&sc, id) && scene_step(&sc, id)->kind ==
                                         (t.is_job ? PLAN_RUN_JOB : PLAN_CONFIRM_RESV);
    right = scene_step(&sc, id) && granted == feasible &&
            (!feasible || answer_is_right(&t, sets, scene_said(&sc, id)));
    if (!right)
        say_toy(&t, seed, scene_said(&sc, id), feasible);
    *tally = (struct tally){ tally->n + 1, tally->n_feasible + feasible,
                             tally->n_jobs + t.is_job, tally->n_in_sets + (sets != 0),
                             tally->n_wrong + !right };
    scene_free(&sc);
}

static void test_feasible_is_never_refused(void)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 1; seed <= n_cases() && tally.n_wrong < 10; seed++)
        try_toy(seed, &tally);
    printf("%zu complexes, %zu requests are feasible, %zu of them in a set; %zu jobs\n",
           tally.n, tally.n_feasible, tally.n_in_sets, tally.n_jobs);
    CU_ASSERT_EQUAL(tally.n_wrong, 0);
    /* All answers are common enough to say something. */
    CU_ASSERT_TRUE(tally.n_feasible > tally.n / 5 &&
                   tally.n_feasible < tally.n / 5 * 4);
    CU_ASSERT_TRUE(tally.n_in_sets > tally.n / 20 && tally.n_jobs > tally.n / 5);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what is feasible is never refused, and answers hold",
          test_feasible_is_never_refused },
    };

    return unit_main("scheduler/search_wide", cases, COUNT(cases));
}
