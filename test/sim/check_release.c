/* check_release.c - vnodes that a running job has given back are free: no task of it is
 * left on a host that it has left, unless that host was not there to be told: then its
 * tasks end a little later, when the server hears of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include "lib/attr/job_attrs.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define THERE_MS 120000 /* longer than a release takes */

static size_t host_of(const struct sim *s, const struct node *n)
{
    const char *digits = strchr(n->obj.id, '[');

    return digits ? (size_t)(atoi(digits + 1) / s->cluster.vnodes_per_host) : SIZE_MAX;
}

static const char *exec_vnode_after(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_EXEC_VNODE)
            return rec->changes[i].after;
    return NULL;
}

/* Does the job keep a vnode of that host? */
static bool stays(const struct sim *s, const struct model *m, const char *text,
                  size_t host)
{
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };
    bool ret = false;

    if (exec_vnode_parse(text, m->defs, arena, &ev, NULL))
        ev.n = 0;
    for (size_t i = 0; i < ev.n; i++)
        for (size_t k = 0; k < ev.chunks[i].n; k++) {
            const struct node *n = model_node(m, ev.chunks[i].parts[k].vnode);

            ret = ret || (n && host_of(s, n) == host);
        }
    arena_free(arena);
    return ret;
}

/* Has it been reachable since before anybody asked for the release? */
static bool was_there(const struct sim *s, const struct mom_host *h)
{
    const struct comm_leaf *leaf = &s->comm.leaves[h->index + 1];

    return h->mom && !h->cut_off && s->comm.router && leaf->is_up &&
           leaf->up_ms + THERE_MS < s->clock.now_ms;
}

static void check_host(struct sim *s, const struct record *rec,
                       const struct mom_host *h)
{
    const struct extra *x;

    if (!was_there(s, h))
        return;
    DL_FOREACH (h->extras, x)
        if (strcmp(x->job_id, rec->id) == 0 && x->state == RUN_ON)
            check_failed(s, CHECK_PROMISE,
                         "job %s has left %s, where its task %08x still runs", rec->id,
                         h->name, x->task);
}

void check_release_record(struct sim *s, const struct model *m,
                          const struct record *rec)
{
    const struct job *j = rec->kind == OBJ_JOB ? model_job(m, rec->id) : NULL;
    const char *left = exec_vnode_after(rec);

    if (rec->fact != FACT_JOB_RELEASED || !j || !left)
        return;
    for (size_t i = 0; i < j->bookings.n; i++) {
        size_t host = host_of(s, j->bookings.v[i].node);

        if (host < (size_t)s->cluster.n_hosts && !stays(s, m, left, host))
            check_host(s, rec, &s->hosts[host]);
    }
}
