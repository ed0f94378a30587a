/* Unit tests of jobs that are alike: on random complexes a plan for many jobs places
 * each of them as a plan for that job alone does, when the jobs before it run already.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

enum {
    CASES = 3000,
    HOSTS_MAX = 4,
    JOBS_MAX = 10
};

static uint64_t next_random(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Some vnodes, a few of them promised later, and jobs of a few kinds. */
struct picture {
    int n_hosts;
    int n_vnodes[HOSTS_MAX];
    const char *sharing[HOSTS_MAX];
    const char *vnode_queue[HOSTS_MAX];
    int n_resvs;
    struct {
        int start, host, vnode;
    } resvs[3];
    int n_jobs;
    struct {
        const char *select, *place, *queue;
        int walltime;
    } jobs[JOBS_MAX];
};

static struct picture draw(uint64_t seed)
{
    static const char *const selects[] = { "1:ncpus=1", "1:ncpus=2", "2:ncpus=1",
                                           "1:ncpus=2+1:ncpus=1", "1:ncpus=3" };
    static const char *const places[] = { "free",     "free", "excl",    "scatter",
                                          "vscatter", "pack", "exclhost" };
    static const char *const sharing[] = { "default_shared", "default_shared",
                                           "force_excl", "default_exclhost" };
    struct picture p = { .n_hosts = 1 + (int)next_random(&seed, HOSTS_MAX) };
    uint64_t n_selects = 1 + next_random(&seed, COUNT(selects));
    uint64_t n_places = 1 + next_random(&seed, COUNT(places));
    uint64_t n_sharing = 1 + next_random(&seed, COUNT(sharing));

    for (int h = 0; h < p.n_hosts; h++) {
        p.n_vnodes[h] = 1 + (int)next_random(&seed, 3);
        p.sharing[h] = sharing[next_random(&seed, n_sharing)];
        p.vnode_queue[h] = next_random(&seed, 5) ? "" : "queue=short";
    }
    p.n_resvs = (int)next_random(&seed, COUNT(p.resvs) + 1);
    for (int i = 0; i < p.n_resvs; i++) {
        p.resvs[i].start = NOW + 10 + (int)next_random(&seed, 40);
        p.resvs[i].host = (int)next_random(&seed, (uint64_t)p.n_hosts);
        p.resvs[i].vnode =
            (int)next_random(&seed, (uint64_t)p.n_vnodes[p.resvs[i].host]);
    }
    p.n_jobs = 2 + (int)next_random(&seed, JOBS_MAX - 1);
    for (int i = 0; i < p.n_jobs; i++) {
        p.jobs[i].select = selects[next_random(&seed, n_selects)];
        p.jobs[i].place = places[next_random(&seed, n_places)];
        p.jobs[i].queue = next_random(&seed, 5) ? "workq" : "short";
        p.jobs[i].walltime = 5 + 10 * (int)next_random(&seed, 5);
    }
    return p;
}

/* Where a vnode borrows something, jobs are searched one by one: such a vnode, which no
 * job can use, is how the two ways are compared. */
static void search_one_by_one(struct scene *sc)
{
    scene_vnode(sc, "borrower", "borrower", 1,
                "queue=nobody resources_available.lic=@h0v0");
}

static struct scene complex_of(const struct picture *p)
{
    struct scene sc = scene_new();
    char name[32], host[32], more[128];

    scene_queue(&sc, "workq", true);
    scene_queue(&sc, "short", true);
    for (int h = 0; h < p->n_hosts; h++)
        for (int v = 0; v < p->n_vnodes[h]; v++) {
            snprintf(name, sizeof(name), "h%dv%d", h, v);
            snprintf(host, sizeof(host), "h%d", h);
            snprintf(more, sizeof(more), "sharing=%s %s", p->sharing[h],
                     p->vnode_queue[h]);
            scene_vnode(&sc, name, host, 2, more);
        }
    for (int i = 0; i < p->n_resvs; i++) {
        snprintf(more, sizeof(more), "resv_nodes=(h%dv%d:ncpus=1)", p->resvs[i].host,
                 p->resvs[i].vnode);
        scene_resv(&sc, 1 + i, "reserve_state=2 reserve_substate=2", p->resvs[i].start,
                   p->resvs[i].start + 100, "1:ncpus=1", more);
    }
    return sc;
}

static const char *job_id(struct scene *sc, int i)
{
    return arena_printf(sc->arena, "%d.svr", i);
}

/* 'on' NULL: it waits. */
static void add_job(struct scene *sc, const struct picture *p, int i, const char *on)
{
    char more[512];

    snprintf(more, sizeof(more),
             "queue_rank=%d Resource_List.walltime=%d Resource_List.place=%s %s%s", i,
             p->jobs[i].walltime, p->jobs[i].place,
             on ? "job_state=R stime=1000000 exec_vnode=" : "job_state=Q",
             on ? on : "");
    scene_job(sc, job_id(sc, i), p->jobs[i].queue, p->jobs[i].select, more);
}

/* What is said of job 'i' when those before it are where 'on' has them. */
static const char *said_alone(const struct picture *p, int i, char on[][256],
                              struct arena *arena)
{
    struct scene sc = complex_of(p);
    const char *said;

    search_one_by_one(&sc);
    for (int k = 0; k < i; k++)
        if (*on[k])
            add_job(&sc, p, k, on[k]);
    add_job(&sc, p, i, NULL);
    scene_plan(&sc);
    said = arena_strdup(arena, scene_said(&sc, job_id(&sc, i)));
    scene_free(&sc);
    return said;
}

static bool is_placement(const char *said)
{
    return *said == '(';
}

/* How many jobs run. */
static int compare(const struct picture *p, uint64_t seed)
{
    struct scene sc = complex_of(p);
    char on[JOBS_MAX][256] = { "" };
    int n = 0;

    for (int i = 0; i < p->n_jobs; i++)
        add_job(&sc, p, i, NULL);
    scene_plan(&sc);
    for (int i = 0; i < p->n_jobs; i++) {
        const char *said = scene_said(&sc, job_id(&sc, i));
        const char *alone = said_alone(p, i, on, sc.arena);
        bool same =
            is_placement(said) || is_placement(alone) ? strcmp(said, alone) == 0 : true;

        if (!same)
            fprintf(stderr, "seed %llu, job %d: %s, alone %s\n",
                    (unsigned long long)seed, i, said, alone);
        CU_ASSERT_TRUE(same);
        if (is_placement(said)) {
            snprintf(on[i], sizeof(on[i]), "%s", said);
            n++;
        }
    }
    scene_free(&sc);
    return n;
}

static void test_jobs_as_if_alone(void)
{
    int n = 0;

    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct picture p = draw(seed * 7919);

        n += compare(&p, seed);
    }
    CU_ASSERT(n > 2 * CASES); /* the pictures have room */
}

/* More kinds of jobs than are remembered, and more lengths. */
static void test_many_kinds(void)
{
    struct scene sc = scene_new();
    char id[32], select[32], more[128];
    int n = 0;

    scene_queue(&sc, "workq", true);
    scene_hosts(&sc, 30, 100);
    for (int i = 0; i < 400; i++) {
        snprintf(id, sizeof(id), "%d.svr", i);
        snprintf(select, sizeof(select), "1:ncpus=%d", 1 + i % 20);
        snprintf(more, sizeof(more), "queue_rank=%d Resource_List.walltime=%d", i,
                 1000 - i % 90);
        scene_job(&sc, id, "workq", select, more);
    }
    scene_plan(&sc);
    for (size_t i = 0; i < sc.plan.n; i++)
        n += sc.plan.steps[i].kind == PLAN_RUN_JOB;
    /* 20 times 1 to 20 cpus are 4,200; 3,000 are there. All but what is too little for
     * those that come is used. */
    CU_ASSERT(n > 250);
    CU_ASSERT_EQUAL(sc.plan.n, 400);
    scene_free(&sc);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "each job is placed as if it were planned alone", test_jobs_as_if_alone },
        { "more kinds of jobs and more lengths than are remembered", test_many_kinds },
    };

    return unit_main("scheduler/alike", cases, COUNT(cases));
}
