/* Unit tests of the first later start: a request that takes whatever start comes first,
 * and the start that a denial names, on random complexes against asking for each
 * instant by itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_number.h"
#include "scene.h"

#define UN "reserve_state=1 reserve_substate=1"
#define CO "reserve_state=2 reserve_substate=2"

enum {
    CASES = 1500,
    HOSTS_MAX = 3,
    RESVS_MAX = 6,
    LATER_AT = NOW + 20
};

static uint64_t next_random(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* A complex of hosts with one or two vnodes, some of which are promised. */
struct picture {
    int n_hosts;
    int n_vnodes[HOSTS_MAX];
    int n_resvs;
    struct {
        int start, end, host, vnode, ncpus;
        const char *place;
    } resvs[RESVS_MAX];
    char select[64];
    char place[64];
    int length;
    int dedicated_from, dedicated_to; /* 0: none */
};

static struct picture draw(uint64_t seed)
{
    static const char *const places[] = { "free", "excl", "exclhost", "scatter",
                                          "vscatter:excl" };
    struct picture p = { .n_hosts = 1 + (int)next_random(&seed, HOSTS_MAX) };

    for (int h = 0; h < p.n_hosts; h++)
        p.n_vnodes[h] = 1 + (int)next_random(&seed, 2);
    p.n_resvs = (int)next_random(&seed, RESVS_MAX + 1);
    for (int i = 0; i < p.n_resvs; i++) {
        p.resvs[i].start = NOW + 1 + (int)next_random(&seed, 60);
        p.resvs[i].end = p.resvs[i].start + 1 + (int)next_random(&seed, 40);
        p.resvs[i].host = (int)next_random(&seed, (uint64_t)p.n_hosts);
        p.resvs[i].vnode =
            (int)next_random(&seed, (uint64_t)p.n_vnodes[p.resvs[i].host]);
        p.resvs[i].ncpus = 1 + (int)next_random(&seed, 2);
        p.resvs[i].place = next_random(&seed, 4) ? "free" : "excl";
    }
    p.length = 1 + (int)next_random(&seed, 30);
    if (next_random(&seed, 4) == 0) {
        p.dedicated_from = NOW + 1 + (int)next_random(&seed, 60);
        p.dedicated_to = p.dedicated_from + 1 + (int)next_random(&seed, 20);
    }
    snprintf(p.select, sizeof(p.select), "%d:ncpus=%d", 1 + (int)next_random(&seed, 4),
             1 + (int)next_random(&seed, 2));
    snprintf(p.place, sizeof(p.place), "Resource_List.place=%s",
             places[next_random(&seed, COUNT(places))]);
    return p;
}

/* Ask for [start, start + length); RESV_START_OPEN: for whatever comes first. The
 * answer is in the scene, which the caller ends. */
static struct scene ask(const struct picture *p, int start)
{
    struct scene sc = scene_new();
    char name[32], host[32], more[128];

    for (int h = 0; h < p->n_hosts; h++)
        for (int v = 0; v < p->n_vnodes[h]; v++) {
            snprintf(name, sizeof(name), "h%dv%d", h, v);
            snprintf(host, sizeof(host), "h%d", h);
            scene_vnode(&sc, name, host, 2, "");
        }
    for (int i = 0; i < p->n_resvs; i++) {
        snprintf(
            more, sizeof(more), "Resource_List.place=%s resv_nodes=(h%dv%d:ncpus=%d)",
            p->resvs[i].place, p->resvs[i].host, p->resvs[i].vnode, p->resvs[i].ncpus);
        scene_resv(&sc, 2 + i, CO, p->resvs[i].start, p->resvs[i].end, "1:ncpus=1",
                   more);
    }
    if (p->dedicated_to)
        CU_ASSERT_TRUE(
            policy_add_dedicated(sc.policy, p->dedicated_from, p->dedicated_to));
    scene_resv(&sc, 1, UN, start, start + p->length, p->select, p->place);
    scene_plan(&sc);
    return sc;
}

static bool fits_at(const struct picture *p, int start)
{
    struct scene sc = ask(p, start);
    const struct plan_step *step = scene_step(&sc, "R1.svr");
    bool ret = step && step->kind == PLAN_CONFIRM_RESV;

    scene_free(&sc);
    return ret;
}

/* The first instant from 'from' on at which the request is granted; 0: none. All that
 * happens is over by NOW + 200. */
static int64_t first_by_asking(const struct picture *p, int from)
{
    for (int at = from; at < NOW + 200; at++)
        if (fits_at(p, at))
            return at;
    return 0;
}

static bool is_crossed(const struct picture *p, int start)
{
    return p->dedicated_to && start < p->dedicated_to &&
           start + p->length > p->dedicated_from;
}

static void report(uint64_t seed, const struct picture *p, int64_t said, int64_t first)
{
    fprintf(stderr, "seed %llu: %s %s: %lld, not %lld\n", (unsigned long long)seed,
            p->select, p->place, (long long)said - NOW, (long long)first - NOW);
}

static void test_any_start(void)
{
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct picture p = draw(seed * 7919);
        struct scene sc = ask(&p, RESV_START_OPEN);
        const struct plan_step *step = scene_step(&sc, "R1.svr");
        int64_t first = first_by_asking(&p, NOW);
        int64_t said = step && step->kind == PLAN_CONFIRM_RESV ? step->start_at : 0;

        if (said != first)
            report(seed, &p, said, first);
        CU_ASSERT_EQUAL(said, first);
        scene_free(&sc);
    }
}

static void test_start_of_a_denial(void)
{
    int n_named = 0;

    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct picture p = draw(seed * 104729);
        struct scene sc = ask(&p, LATER_AT);
        const struct plan_step *step = scene_step(&sc, "R1.svr");

        /* One that crosses dedicated time is refused for that, without a search. */
        if (step && step->kind == PLAN_DENY_RESV && !is_crossed(&p, LATER_AT)) {
            int64_t first = first_by_asking(&p, LATER_AT + 1);

            if (step->why.earliest_at != first)
                report(seed, &p, step->why.earliest_at, first);
            CU_ASSERT_EQUAL(step->why.earliest_at, first);
            n_named += first > 0;
        }
        scene_free(&sc);
    }
    CU_ASSERT(n_named > CASES / 20); /* the pictures are not all empty */
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "any start: the first at which the request would be granted",
          test_any_start },
        { "a denial names the first start that would be granted",
          test_start_of_a_denial },
    };

    return unit_main("scheduler/earliest", cases, COUNT(cases));
}
