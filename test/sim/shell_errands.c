/* shell_errands.c - what the core asks of its surroundings, and is told later.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell_parts.h"

#include "../unit/cal/zones.h"

#include <stdlib.h>
#include <string.h>

#define OTHER_ADDR 0x0a0000f1 /* of the other server */

size_t shell_host_addrs(const struct sim *s, const char *host, uint32_t *ret,
                        size_t max)
{
    for (int i = 0; i < s->cluster.n_hosts; i++)
        if (strcmp(s->hosts[i].name, host) == 0 && max > 0) {
            ret[0] = s->hosts[i].addr;
            return 1;
        }
    if (max == 0)
        return 0;
    if (s->other && strcmp(host, s->other->name) == 0)
        ret[0] = OTHER_ADDR;
    else if (strcmp(host, s->name) == 0)
        ret[0] = SERVER_ADDR;
    else
        return 0;
    return 1;
}

/* What somebody finds out about the world outside, and tells later. */
struct errand {
    uint64_t life;
    struct arena *arena;
    struct need need;
    struct finding verdict; /* of hooks, as they are now */
};

static void errand_drop(void *arg)
{
    struct errand *e = arg;

    arena_free(e->arena);
    free(e);
}

static bool is_account(const char *user)
{
    return strncmp(user, "user", 4) == 0 || strcmp(user, "root") == 0;
}

static struct finding zone_found(const char *name, struct arena *arena)
{
    struct finding f = { 0 };

    f.data = zone_bytes(name, arena, &f.len);
    f.found = f.data != NULL;
    return f;
}

/* Who has an account has one group; hosts are those of the cluster. */
static struct finding look_up(struct sim *s, const struct need *need, uint32_t *addr,
                              struct arena *arena)
{
    static const char *groups[] = { "users" };
    struct finding f = { .failed = true };

    if (need->kind == NEED_GROUPS && is_account(need->name))
        f = (struct finding){ .found = true, .groups = { 1, groups } };
    else if (need->kind == NEED_GROUPS)
        f = (struct finding){ 0 };
    else if (need->kind == NEED_ADDRS && shell_host_addrs(s, need->name, addr, 1) > 0)
        f = (struct finding){ .found = true, .n_addrs = 1, .addrs = addr };
    else if (need->kind == NEED_FULL_NAME)
        f = (struct finding){ .found = true };
    else if (need->kind == NEED_ZONE)
        f = zone_found(need->name, arena);
    return f;
}

static void is_found_out(struct sim *s, void *arg)
{
    const struct errand *e = arg;
    uint32_t addr;
    struct finding finding;

    if (e->life != s->shell.life || !shell_is_ready(s))
        return;
    if (e->need.kind == NEED_VERDICT) {
        finding = e->verdict;
        verdicts_learned(s, &e->need, &finding);
    } else {
        finding = look_up(s, &e->need, &addr, e->arena);
    }
    svr_learned(s->shell.svr, sim_now_at(s), &e->need, &finding, begin_turn(s));
    shell_end_turn(s);
}

void shell_learned(struct sim *s, const struct need *need, const struct finding *f)
{
    if (!shell_is_ready(s))
        return;
    svr_learned(s->shell.svr, sim_now_at(s), need, f, begin_turn(s));
    shell_end_turn(s);
}

/* In rough weather name services take their time too. */
void shell_find_out(struct sim *s, const struct need *need)
{
    struct errand *e;
    int64_t takes_ms = 0;

    if (s->other && need_is_deed(need->kind)) {
        peers_ask(s, need);
        return;
    }
    e = xcalloc(1, sizeof(*e));
    e->life = s->shell.life;
    e->arena = arena_new();
    e->need = need_copy(need, e->arena);
    if (need->kind == NEED_VERDICT &&
        !verdicts_say(s, need, e->arena, &e->verdict, &takes_ms))
        errand_drop(e);
    else
        sim_after(s, takes_ms + sim_latency_ms(s), is_found_out, e, errand_drop);
}
