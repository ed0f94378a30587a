/* find_out.c - see find_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/find_out.h"

#include "lib/io/pool.h"
#include "lib/io/zonefile.h"
#include "server/shell/hand_over.h"
#include "server/shell/hook_compile.h"
#include "server/shell/hook_dir.h"
#include "server/shell/outbox.h"
#include "server/shell/site_names.h"

#include <stdlib.h>

#define ERRANDS_MAX 1000 /* of one kind of service, that wait for a thread */

enum service {
    SERVICE_ACCOUNTS,
    SERVICE_HOMES,   /* of users, which may be on file systems that hang */
    SERVICE_HOSTS,   /* that the settings or a client of ours name */
    SERVICE_PEERS,   /* strangers, whose name servers may be made to be slow */
    SERVICE_FILES,   /* and Python */
    SERVICE_SERVERS, /* other servers, which may be slow */
    SERVICE_COUNT,
};

/* Each service has threads of its own: a name service that does not answer must not
 * stop files, nor the other way round. */
static const unsigned n_threads[SERVICE_COUNT] = {
    [SERVICE_ACCOUNTS] = 4, [SERVICE_HOMES] = 4, [SERVICE_HOSTS] = 4,
    [SERVICE_PEERS] = 4,    [SERVICE_FILES] = 2, [SERVICE_SERVERS] = 16,
};

struct find_out {
    struct shell *sh;
    struct pool *pools[SERVICE_COUNT];
};

struct errand {
    struct pool_job job;
    found_fn found;
    void *arg;
    struct hook_dir *hooks; /* shared */
    unsigned server_port;   /* where other servers listen, unless they name one */
    struct arena *arena;    /* of all below */
    struct need need;
    struct finding finding;
};

static void errand_free(struct errand *e)
{
    hook_dir_close(e->hooks);
    arena_free(e->arena);
    free(e);
}

/* The functions that find out run in a thread of a pool, and use nothing but their
 * errand. */
static void find_file(struct errand *e)
{
    struct finding *f = &e->finding;
    struct diag why = { 0 };

    f->found =
        hook_dir_read(e->hooks, e->need.name, e->arena, &f->data, &f->len, &why) == 0;
    if (!f->found)
        f->words = arena_strdup(e->arena, why.text);
}

static void find_written(struct errand *e)
{
    struct diag why = { 0 };

    e->finding.found =
        hook_dir_write(e->hooks, e->need.name, e->need.data, e->need.len, &why) == 0;
    if (!e->finding.found)
        e->finding.words = arena_strdup(e->arena, why.text);
}

static void find_compiled(struct errand *e)
{
    struct diag why = { 0 };
    enum hook_verdict v = hook_compile(hook_dir_exec(e->hooks), e->need.detail,
                                       e->need.name, e->need.data, e->need.len, &why);

    e->finding.found = v == HOOK_IS_SOUND;
    e->finding.failed = v == HOOK_IS_UNKNOWN;
    e->finding.words = arena_strdup(e->arena, why.text);
}

static void find_groups(struct errand *e)
{
    site_groups(e->need.name, e->arena, &e->finding);
}

static void find_equivalent(struct errand *e)
{
    site_equivalent(e->need.name, e->need.detail, e->need.data, e->arena, &e->finding);
}

static void find_zone(struct errand *e)
{
    struct finding *f = &e->finding;
    struct buf data = { 0 };
    struct diag why = { 0 };

    f->found = zonefile_read(ZONEFILE_DIR, e->need.name, &data, &why) == 0;
    if (f->found) {
        f->data = arena_copy(e->arena, data.data, data.len);
        f->len = data.len;
    }
    buf_fini(&data);
}

static void find_addrs(struct errand *e)
{
    site_addrs(e->need.name, e->arena, &e->finding);
}

static void find_full_name(struct errand *e)
{
    site_full_name(e->need.name, &e->finding);
}

static void find_peer(struct errand *e)
{
    site_peer(e->need.name, e->arena, &e->finding);
}

static void find_user(struct errand *e)
{
    site_user(e->need.name, e->arena, &e->finding);
}

static void find_account(struct errand *e)
{
    site_account(e->need.name, &e->finding);
}

/* This version keeps hooks and runs none, so no hook rejects anything. */
static void find_verdict(struct errand *e)
{
    e->finding.found = true;
}

static void find_transfer(struct errand *e)
{
    hand_over(&e->need, e->server_port, e->arena, &e->finding);
}

static const struct errand_row {
    enum service service;
    void (*find)(struct errand *e);
} errand_rows[NEED_KIND_COUNT] = {
    [NEED_GROUPS] = { SERVICE_ACCOUNTS, find_groups },
    [NEED_EQUIVALENT] = { SERVICE_HOMES, find_equivalent },
    [NEED_ADDRS] = { SERVICE_HOSTS, find_addrs },
    [NEED_FULL_NAME] = { SERVICE_HOSTS, find_full_name },
    [NEED_PEER] = { SERVICE_PEERS, find_peer },
    [NEED_USER] = { SERVICE_ACCOUNTS, find_user },
    [NEED_ACCOUNT] = { SERVICE_ACCOUNTS, find_account },
    [NEED_ZONE] = { SERVICE_FILES, find_zone },
    [NEED_FILE] = { SERVICE_FILES, find_file },
    [NEED_WRITTEN] = { SERVICE_FILES, find_written },
    [NEED_COMPILED] = { SERVICE_FILES, find_compiled },
    [NEED_TRANSFER] = { SERVICE_SERVERS, find_transfer },
    [NEED_TOLD] = { SERVICE_SERVERS, find_transfer },
    [NEED_VERDICT] = { SERVICE_FILES, find_verdict },
};

static const struct errand_row *row_of(const struct errand *e)
{
    MUST(e->need.kind < NEED_KIND_COUNT && errand_rows[e->need.kind].find);
    return &errand_rows[e->need.kind];
}

static void work(struct pool_job *job)
{
    struct errand *e = (struct errand *)(void *)job;

    row_of(e)->find(e);
}

static void on_done(struct pool_job *job)
{
    struct errand *e = (struct errand *)(void *)job;

    e->found(e->arg, &e->need, &e->finding);
    errand_free(e);
}

static void on_drop(struct pool_job *job)
{
    errand_free((struct errand *)(void *)job);
}

bool find_out_begin(struct find_out *f, const struct need *need, found_fn found,
                    void *arg)
{
    struct errand *e = xcalloc(1, sizeof(*e));

    e->job = (struct pool_job){ .work = work, .done = on_done, .drop = on_drop };
    e->found = found;
    e->arg = arg;
    /* The directory stays open until the errand has ended, even if the server ends
     * before. */
    e->hooks = hook_dir_share(f->sh->hooks);
    e->server_port = f->sh->conf->batch_port;
    if (need_is_deed(need->kind))
        e->server_port = hand_over_port(f->sh->conf->iff_servers, need->detail,
                                        f->sh->conf->batch_port);
    e->arena = arena_new();
    e->need = need_copy(need, e->arena);
    if (pool_run(f->pools[row_of(e)->service], &e->job))
        return true;
    errand_free(e);
    return false;
}

static void tell_core(void *arg, const struct need *need, const struct finding *f)
{
    struct shell *sh = arg;

    svr_learned(sh->svr, shell_now(sh), need, f, outbox_effects(sh->outbox));
}

void find_out_for_core(struct find_out *f, const struct need *need)
{
    static const struct finding nobody_knows = { .failed = true };

    if (!find_out_begin(f, need, tell_core, f->sh))
        tell_core(f->sh, need, &nobody_knows);
}

struct find_out *find_out_new(struct shell *sh)
{
    struct find_out *f = xcalloc(1, sizeof(*f));

    f->sh = sh;
    for (int i = 0; i < SERVICE_COUNT; i++)
        f->pools[i] = pool_new(sh->loop, n_threads[i], ERRANDS_MAX);
    return f;
}

void find_out_free(struct find_out *f)
{
    if (!f)
        return;
    for (int i = 0; i < SERVICE_COUNT; i++)
        /* What still waits is dropped, and nobody is told. */
        pool_free(f->pools[i]);
    free(f);
}
