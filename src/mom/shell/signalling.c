/* signalling.c - see signalling.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/signalling.h"

#include "lib/io/loop.h"
#include "mom/shell/proc.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

#define PAUSE_FACTOR 9   /* of what a walk has taken, until the next one */
#define END_LOOKS    100 /* at those who are killed when the MoM ends */
#define END_LOOK_MS  10

struct signalled_job { /* signals wait for it */
    char *id;
    signalling_drop_fn fn; /* NULL: it is not dropped */
    struct mom_effect drop;
    char *sandbox, *user; /* of 'drop' */
    UT_hash_handle hh;
};

struct signalling {
    struct proc_signal *v;
    size_t n, cap;
    struct signalled_job *jobs;
};

static struct signalled_job *find(const struct shell *s, const char *job_id)
{
    struct signalled_job *j = NULL;

    if (s->signalling)
        HASH_FIND_STR(s->signalling->jobs, job_id, j);
    return j;
}

static void add_job(struct signalling *g, const char *job_id)
{
    struct signalled_job *j = xcalloc(1, sizeof(*j));

    j->id = xstrdup(job_id);
    HASH_ADD_KEYPTR(hh, g->jobs, j->id, strlen(j->id), j);
}

void signalling_add(struct shell *s, const char *job_id, int32_t session, int signo)
{
    struct signalling *g = s->signalling;

    if (!g)
        g = s->signalling = xcalloc(1, sizeof(*g));
    if (!find(s, job_id))
        add_job(g, job_id);
    if (g->n == g->cap) {
        g->cap = g->cap ? 2 * g->cap : 16;
        g->v = xrealloc(g->v, g->cap * sizeof(*g->v));
    }
    g->v[g->n++] =
        (struct proc_signal){ .session = session,
                              .signo = signo,
                              .group_has_it = proc_signal_group(session, signo) };
}

bool signalling_put_off(struct shell *s, const struct mom_effect *drop,
                        signalling_drop_fn fn)
{
    struct signalled_job *j = find(s, drop->job_id);

    MUST(drop->kind == MOM_DROP && fn);
    if (!j)
        return false;
    MUST(!j->fn); /* a job that comes back is settled first */
    j->fn = fn;
    j->sandbox = drop->u.drop.sandbox ? xstrdup(drop->u.drop.sandbox) : NULL;
    j->user = drop->u.drop.user ? xstrdup(drop->u.drop.user) : NULL;
    j->drop = *drop;
    j->drop.job_id = j->id;
    j->drop.u.drop.sandbox = j->sandbox;
    j->drop.u.drop.user = j->user;
    return true;
}

static void finish_job(struct shell *s, struct signalled_job *j)
{
    if (j->fn)
        j->fn(s, &j->drop);
    free(j->id);
    free(j->sandbox);
    free(j->user);
    free(j);
}

void signalling_send(struct shell *s)
{
    int64_t begun_ms = clock_mono_ms();

    /* Who drops a job may find further sessions of it. */
    while (s->signalling) {
        struct signalling *g = s->signalling;
        struct signalled_job *j, *next;

        s->signalling = NULL;
        (void)proc_signal(g->v, g->n);
        HASH_ITER (hh, g->jobs, j, next) {
            HASH_DEL(g->jobs, j);
            finish_job(s, j);
        }
        free(g->v);
        free(g);
        s->walk_again_ms =
            clock_mono_ms() + PAUSE_FACTOR * (clock_mono_ms() - begun_ms);
    }
}

/* The end of its turn sends. */
static void on_walk_time(void *arg)
{
    (void)arg;
}

void signalling_turn_end(struct shell *s)
{
    int64_t now_ms = clock_mono_ms();

    if (!s->signalling)
        return;
    if (now_ms >= s->walk_again_ms) {
        signalling_send(s);
        return;
    }
    if (!s->walk_timer)
        s->walk_timer = loop_timer_new(s->loop, on_walk_time, s);
    loop_timer_set(s->walk_timer, s->walk_again_ms - now_ms);
}

void signalling_settle(struct shell *s, const char *job_id)
{
    if (find(s, job_id))
        signalling_send(s);
}

static bool is_any_left(const struct proc_signal *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].signo == SIGKILL && v[i].session > 1 &&
            getsid(v[i].session) == v[i].session)
            return true;
    return false;
}

/* Whoever is killed takes a moment to go. A MoM that ends gives its jobs back to the
 * server, which may start them elsewhere at once. */
static void send_and_wait(struct shell *s)
{
    size_t n = s->signalling->n;
    struct proc_signal *v = xcalloc(n + 1, sizeof(*v));

    if (n)
        memcpy(v, s->signalling->v, n * sizeof(*v));
    signalling_send(s);
    for (int looks = 0; looks < END_LOOKS && is_any_left(v, n); looks++)
        (void)poll(NULL, 0, END_LOOK_MS);
    free(v);
}

void signalling_close(struct shell *s)
{
    if (s->signalling)
        send_and_wait(s);
    MUST(!s->signalling);
    if (s->walk_timer)
        loop_timer_free(s->walk_timer);
    s->walk_timer = NULL;
}
