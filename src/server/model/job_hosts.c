/* job_hosts.c - see job_hosts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_hosts.h"

#include "lib/attr/job_attrs.h"
#include "server/model/node_life.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A host that has a piece of this job already. */
struct tasks {
    const char *host; /* the natural vnode */
    size_t next;      /* tasks of the job are below it */
    const char *old;  /* where to look for the next one that the job has there */
    struct tasks *next_host;
};

struct piece {
    const char *host; /* the natural vnode */
    const char *full; /* its MoM */
    uint32_t port;
    int64_t ncpus;
    size_t task;
};

static struct tasks *tasks_of(struct tasks **list, const char *host,
                              struct arena *arena)
{
    struct tasks *t = *list;

    while (t && strcasecmp(t->host, host) != 0)
        t = t->next_host;
    if (t)
        return t;
    /* Numbers that this job takes are not in the model before its record is applied, so
     * they are counted here. */
    t = ARENA_NEW(arena, struct tasks);
    *t = (struct tasks){ .host = host, .next_host = *list };
    *list = t;
    return t;
}

static size_t next_task(const struct model *m, struct tasks *t)
{
    size_t task = model_free_task(m, t->host, t->next);

    t->next = task + 1;
    return task;
}

/* The next task that the job has on that host, of the text of its exec_host: a number
 * that was given stays what it is. The pieces that are left have no more tasks than
 * there were. */
static size_t old_task(struct tasks *t)
{
    size_t len = strlen(t->host);

    while (*t->old) {
        const char *at = t->old;
        size_t piece = strcspn(at, "+");

        t->old = at + piece + (at[piece] == '+');
        if (piece > len && at[len] == '/' && strncasecmp(at, t->host, len) == 0)
            return strtoul(at + len + 1, NULL, 10);
    }
    return 0;
}

static int64_t share_ncpus(const struct vnode_part *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcasecmp(s->res[i].name, "ncpus") == 0)
            /* The text was decoded as a number when the offer was parsed. */
            return strtoll(s->res[i].value, NULL, 10);
    return 0;
}

static void print_piece(const struct piece *p, struct buf *host, struct buf *host2)
{
    const char *plus = host->len ? "+" : "";

    buf_printf(host, "%s%s/%zu", plus, p->host, p->task);
    buf_printf(host2, "%s%s:%" PRIu32 "/%zu", plus, p->full, p->port, p->task);
    /* One cpu goes without saying, as in PBS. */
    if (p->ncpus != 1) {
        buf_printf(host, "*%" PRId64, p->ncpus);
        buf_printf(host2, "*%" PRId64, p->ncpus);
    }
}

struct making {
    const struct model *m;
    const char *old; /* exec_host of the job that has its tasks already; NULL: none */
    struct arena *arena;
    struct tasks *tasks;
    struct buf host, host2;
};

static bool same_mom(const struct piece *p, const struct node *n)
{
    return p->full && p->port == node_mom_port(n) &&
           strcasecmp(p->full, node_mom_host(n)) == 0;
}

/* A new piece on the MoM of 'n', with the lowest free task. */
static struct piece begin_piece(struct making *mk, const struct node *n)
{
    const char *full = node_mom_host(n);
    const char *host = node_natural(n)->obj.id; /* as it was created, not shortened */
    struct tasks *t = tasks_of(&mk->tasks, host, mk->arena);

    if (mk->old && !t->old)
        t->old = mk->old;
    return (struct piece){ host, full, node_mom_port(n), 0,
                           mk->old ? old_task(t) : next_task(mk->m, t) };
}

static int add_chunk(struct making *mk, const struct exec_chunk *chunk,
                     struct diag *why)
{
    struct piece piece = { 0 };

    for (size_t i = 0; i < chunk->n; i++) {
        const struct node *n = model_node(mk->m, chunk->parts[i].vnode);

        if (!n)
            return diag_set(why, PBSE_UNKNODE, "%s %s", pbse_text(PBSE_UNKNODE),
                            chunk->parts[i].vnode);
        /* Parts that follow each other on vnodes of one MoM are one piece and one
         * task. */
        if (!same_mom(&piece, n)) {
            if (piece.full)
                print_piece(&piece, &mk->host, &mk->host2);
            piece = begin_piece(mk, n);
        }
        piece.ncpus += share_ncpus(&chunk->parts[i]);
    }
    /* The last piece of the chunk is still open. */
    if (piece.full)
        print_piece(&piece, &mk->host, &mk->host2);
    return 0;
}

static int make(struct making *mk, const struct exec_vnode *ev, struct job_hosts *ret,
                struct diag *why)
{
    int err = 0;

    for (size_t i = 0; i < ev->n && !err; i++)
        err = add_chunk(mk, &ev->chunks[i], why);
    if (!err)
        *ret = (struct job_hosts){
            .exec_host = arena_strdup(mk->arena, mk->host.len ? mk->host.data : ""),
            .exec_host2 = arena_strdup(mk->arena, mk->host2.len ? mk->host2.data : ""),
        };
    buf_fini(&mk->host);
    buf_fini(&mk->host2);
    return err;
}

int job_hosts_make(const struct model *m, const struct exec_vnode *ev,
                   struct arena *arena, struct job_hosts *ret, struct diag *why)
{
    struct making mk = { .m = m, .arena = arena };

    return make(&mk, ev, ret, why);
}

int job_hosts_keep(const struct model *m, const struct job *job,
                   const struct exec_vnode *ev, struct arena *arena,
                   struct job_hosts *ret, struct diag *why)
{
    struct making mk = { .m = m,
                         .old = obj_str(&job->obj, JOB_A_EXEC_HOST, ""),
                         .arena = arena };

    return make(&mk, ev, ret, why);
}

const struct node *job_first_node(const struct job *job)
{
    return job->bookings.n ? job->bookings.v[0].node : NULL;
}
