/* find_out.c - see find_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/find_out.h"

#include "lib/io/pool.h"
#include "server/shell/outbox.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS        4
#define QUESTIONS_MAX  1000              /* that wait for a thread */
#define GROUPS_MAX     1024              /* of one user; the others are not looked at */
#define ENTRY_MAX_SIZE ((size_t)1 << 20) /* of an entry of a name service */

struct find_out {
    struct shell *sh;
    struct pool *pool;
};

struct question {
    struct pool_job job;
    struct find_out *all;
    struct need need;       /* owned */
    struct finding finding; /* owned */
};

static void question_free(struct question *q)
{
    for (size_t i = 0; i < q->finding.groups.n; i++)
        free((char *)q->finding.groups.v[i]);
    free(q->finding.groups.v);
    free((char *)q->need.name);
    free(q);
}

/* In a thread. */

static void add_group(struct finding *to, gid_t gid)
{
    struct group g, *found = NULL;
    size_t size = 4096;
    char *text = NULL;
    int err;

    do {
        size *= 2;
        text = xrealloc(text, size);
        err = getgrgid_r(gid, &g, text, size, &found);
    } while (err == ERANGE && size < ENTRY_MAX_SIZE);
    to->groups.v[to->groups.n++] =
        found ? xstrdup(found->gr_name) : xasprintf("%lu", (unsigned long)gid);
    free(text);
}

static void add_groups(struct finding *to, const char *user, gid_t primary)
{
    gid_t gids[GROUPS_MAX];
    int n = GROUPS_MAX;

    if (getgrouplist(user, primary, gids, &n) < 0)
        n = GROUPS_MAX;
    to->groups.v = xcalloc((size_t)n + 1, sizeof(*to->groups.v));
    add_group(to, primary);
    for (int i = 0; i < n; i++)
        if (gids[i] != primary)
            add_group(to, gids[i]);
}

static void ask_groups(const char *user, struct finding *to)
{
    struct passwd pw, *found = NULL;
    size_t size = 4096;
    char *text = NULL;
    int err;

    do {
        size *= 2;
        text = xrealloc(text, size);
        err = getpwnam_r(user, &pw, text, size, &found);
    } while (err == ERANGE && size < ENTRY_MAX_SIZE);
    to->found = found != NULL;
    if (found)
        add_groups(to, user, pw.pw_gid);
    free(text);
}

static void work(struct pool_job *job)
{
    struct question *q = (struct question *)(void *)job;

    MUST(q->need.kind == NEED_GROUPS);
    ask_groups(q->need.name, &q->finding);
}

/* In the loop. */

static void learn(struct find_out *f, const struct need *need,
                  const struct finding *finding)
{
    svr_learned(f->sh->svr, shell_now(f->sh), need, finding,
                outbox_effects(f->sh->outbox));
}

static void on_done(struct pool_job *job)
{
    struct question *q = (struct question *)(void *)job;

    learn(q->all, &q->need, &q->finding);
    question_free(q);
}

static void on_drop(struct pool_job *job)
{
    question_free((struct question *)(void *)job);
}

void find_out_begin(struct find_out *f, const struct need *need)
{
    static const struct finding nobody_knows = { .failed = true };
    struct question *q = xcalloc(1, sizeof(*q));

    q->job = (struct pool_job){ .work = work, .done = on_done, .drop = on_drop };
    q->all = f;
    q->need = (struct need){ need->kind, xstrdup(need->name) };
    if (pool_run(f->pool, &q->job))
        return;
    learn(f, need, &nobody_knows);
    question_free(q);
}

struct find_out *find_out_new(struct shell *sh)
{
    struct find_out *f = xcalloc(1, sizeof(*f));

    f->sh = sh;
    f->pool = pool_new(sh->loop, THREADS, QUESTIONS_MAX);
    return f;
}

void find_out_free(struct find_out *f)
{
    if (!f)
        return;
    pool_free(f->pool);
    free(f);
}
