/* sched_link.c - see sched_link.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/sched_link.h"

#include "server/decide/effect.h"
#include "server/model/node_life.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

static void job_free(struct sched_job *j)
{
    free(j->id);
    free(j);
}

static void link_free(struct sched_link *l)
{
    struct sched_job *j, *next;

    DL_FOREACH_SAFE (l->jobs, j, next)
        job_free(j);
    free(l->running_job);
    free(l->host);
    free(l->name);
    free(l);
}

void sched_links_fini(struct sched_links *links)
{
    struct sched_link *l, *next;

    HASH_ITER (hh, links->by_name, l, next) {
        HASH_DELETE(hh, links->by_name, l);
        link_free(l);
    }
}

struct sched_link *sched_link_find(const struct sched_links *links, const char *name)
{
    struct sched_link *l;

    HASH_FIND_STR(links->by_name, name, l);
    return l;
}

struct sched_link *sched_link_make(struct sched_links *links, const char *name)
{
    struct sched_link *l = sched_link_find(links, name);

    if (l)
        return l;
    l = xcalloc(1, sizeof(*l));
    l->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, links->by_name, l->name, strlen(l->name), l);
    MUST(!l->attached && !l->cycling);
    return l;
}

struct sched_link *sched_link_of_conn(const struct sched_links *links, uint64_t conn)
{
    struct sched_link *l, *next;

    if (conn == 0)
        return NULL;
    HASH_ITER (hh, links->by_name, l, next)
        if (l->conn[0] == conn || l->conn[1] == conn)
            return l;
    return NULL;
}

const char *sched_link_state(const struct sched_links *links, const char *name)
{
    const struct sched_link *l = links ? sched_link_find(links, name) : NULL;

    /* The default one is shown idle although it has not come yet, others down. */
    if (!l || (!l->attached && !l->was_lost))
        return strcmp(name, "default") == 0 ? "idle" : "down";
    if (l->was_lost)
        return "down";
    return l->cycling ? "scheduling" : "idle";
}

const struct object *sched_of_partition(const struct model *m, const char *partition)
{
    if (!partition || *partition == '\0')
        partition = "pbs-default";
    MODEL_EACH (m, OBJ_SCHED, o) {
        if (strcmp(obj_str(o, SCHED_A_PARTITION, ""), partition) == 0)
            return o;
    }
    return NULL;
}

void sched_link_wake(struct sched_link *l, int32_t command)
{
    MUST(command > SCHED_NULL && command <= SCHED_RESTART_CYCLE);
    MUST(command != SCHED_RUN_JOB); /* that one has a list of its own */
    if (command == SCHED_CONFIGURE)
        l->n_configure = MAX_OF(l->n_configure, 1);
    else if (l->pending != SCHED_FIRST || command == SCHED_QUIT)
        l->pending = command;
}

void sched_link_run_job(struct sched_link *l, const char *job_id)
{
    struct sched_job *j = xcalloc(1, sizeof(*j));

    j->id = xstrdup(job_id);
    DL_APPEND(l->jobs, j);
}

bool sched_links_run_job(const struct sched_links *links, const char *job_id)
{
    struct sched_link *l, *next;

    HASH_ITER (hh, links->by_name, l, next)
        if (l->running_job && strcmp(l->running_job, job_id) == 0)
            return true;
    return false;
}

void sched_link_forget_job(struct sched_link *l, const char *job_id)
{
    struct sched_job *j, *next;

    DL_FOREACH_SAFE (l->jobs, j, next)
        if (strcmp(j->id, job_id) == 0) {
            DL_DELETE(l->jobs, j);
            job_free(j);
            return;
        }
}

static struct effect *send(struct sched_link *l, int32_t command, uint64_t seq,
                           struct effects *out)
{
    struct effect *e = effect_add(out, EFFECT_SCHED_COMMAND, seq);

    e->u.sched.sched = arena_strdup(out->arena, l->name);
    e->u.sched.command = command;
    return e;
}

static bool scheduling_is_on(const struct sched_link *l, const struct model *m)
{
    const struct object *o = model_find(m, OBJ_SCHED, l->name);

    return o && obj_num(o, SCHED_A_SCHEDULING, 0);
}

/* A command that starts a cycle is sent only while scheduling is on (scheduling.md 3);
 * until then it waits. */
static bool pending_may_leave(const struct sched_link *l, const struct model *m)
{
    if (l->pending == SCHED_QUIT || l->pending == SCHED_RESTART_CYCLE)
        return true;
    return l->pending != 0 && scheduling_is_on(l, m);
}

static void send_job(struct sched_link *l, uint64_t seq, struct effects *out)
{
    struct sched_job *j = l->jobs;
    struct effect *e;

    MUST(j && !l->cycling);
    e = send(l, SCHED_RUN_JOB, seq, out);

    e->u.sched.job_id = arena_strdup(out->arena, j->id);
    free(l->running_job);
    l->running_job = j->id;
    DL_DELETE(l->jobs, j);
    free(j);
}

void sched_link_pump(struct sched_link *l, const struct model *m, int64_t now_at,
                     struct effects *out)
{
    uint64_t seq = m->seq;
    bool at_once = l->pending == SCHED_QUIT || l->pending == SCHED_RESTART_CYCLE;

    if (!l->attached)
        return;
    if (l->cycling && at_once) {
        send(l, l->pending, seq, out);
        l->pending = 0;
        return;
    }
    if (l->cycling || (l->n_configure == 0 && !l->jobs && !pending_may_leave(l, m)))
        return;
    if (l->n_configure > 0) {
        send(l, SCHED_CONFIGURE, seq, out);
        l->n_configure--;
    } else if (l->jobs) {
        /* The run of a job takes the place of a first cycle that is not wanted yet. */
        if (l->pending == SCHED_FIRST && !scheduling_is_on(l, m))
            l->pending = 0;
        send_job(l, seq, out);
    } else {
        send(l, l->pending, seq, out);
        l->pending = 0;
    }
    l->cycling = true;
    l->began_unsure = nodes_are_awaited(m);
    l->cycle_at = now_at;
}

void sched_link_reset(struct sched_link *l)
{
    l->conn[0] = l->conn[1] = 0;
    l->attached = false;
    l->cycling = false;
    free(l->host);
    l->host = NULL;
}
