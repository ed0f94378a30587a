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

/* clang-format off */
static const enum sched_state next_state[SCHED_STATES][SCHED_EVENTS] = {
    [SCHED_AWAY] = {
        [SCHED_EV_REGISTER] = SCHED_HALF,
    },
    [SCHED_HALF] = {
        [SCHED_EV_REGISTER] = SCHED_IDLE,
        [SCHED_EV_GONE]     = SCHED_AWAY,
    },
    [SCHED_IDLE] = {
        [SCHED_EV_COMMAND]  = SCHED_BUSY,
        [SCHED_EV_DONE]     = SCHED_IDLE, /* the value is not looked at, nor how many */
        [SCHED_EV_GONE]     = SCHED_AWAY,
    },
    [SCHED_BUSY] = {
        [SCHED_EV_COMMAND]  = SCHED_BUSY, /* quit and restart do not wait for the end */
        [SCHED_EV_DONE]     = SCHED_IDLE,
        [SCHED_EV_GONE]     = SCHED_AWAY,
    },
};
/* clang-format on */

enum sched_state sched_next(enum sched_state from, enum sched_event event)
{
    MUST(from > SCHED_NOT && from < SCHED_STATES && event < SCHED_EVENTS);
    return next_state[from][event];
}

/* The only writer of a link's state. */
static void happens(struct sched_link *l, enum sched_event event)
{
    enum sched_state to = sched_next(l->state, event);

    MUST(to != SCHED_NOT);
    l->state = to;
    MUST((l->conn[0] != 0) == (to != SCHED_AWAY));
    MUST((l->conn[1] != 0) == sched_link_is_up(l));
}

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

    /* There are a few schedulers, and each has a name of its own. */
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
    /* The link is there before its scheduler, so that commands for it can wait. */
    l->state = SCHED_AWAY;
    HASH_ADD_KEYPTR(hh, links->by_name, l->name, strlen(l->name), l);
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

bool sched_link_is_up(const struct sched_link *l)
{
    return l->state == SCHED_IDLE || l->state == SCHED_BUSY;
}

int sched_link_may_register(const struct sched_links *links, const char *name,
                            uint64_t conn, const char *host)
{
    const struct sched_link *l = sched_link_find(links, name);

    if (l && sched_next(l->state, SCHED_EV_REGISTER) == SCHED_NOT)
        return PBSE_SCHEDCONNECTED;
    /* A connection is one half of one scheduler. */
    if (sched_link_of_conn(links, conn))
        return PBSE_IVALREQ;
    /* The second connection must come from the host of the first one. */
    if (l && l->state == SCHED_HALF && strcmp(l->host, host) != 0)
        return PBSE_PERM;
    return 0;
}

static void greet(struct sched_link *l)
{
    /* A scheduler reads its configuration before its first cycle. One that the
     * server has never seen is told so twice. */
    l->n_configure = l->greeted ? 1 : 2;
    if (!l->greeted)
        l->pending = SCHED_FIRST;
    else if (l->pending == 0)
        l->pending = SCHED_NEW;
    l->greeted = true;
}

void sched_link_register(struct sched_link *l, uint64_t conn, const char *host,
                         const char *may)
{
    /* The first connection carries requests, and the second one commands. */
    bool first = l->state == SCHED_AWAY;

    MUST(conn != 0 && conn != l->conn[0]);
    l->conn[first ? 0 : 1] = conn;
    /* Both have to say so. */
    l->may_cut = str_list_has(may, REGISTER_MAY_CUT) && (first || l->may_cut);
    l->may_try = str_list_has(may, REGISTER_MAY_TRY) && (first || l->may_try);
    l->may_offer = str_list_has(may, REGISTER_MAY_OFFER) && (first || l->may_offer);
    if (first)
        l->host = xstrdup(host);
    happens(l, SCHED_EV_REGISTER);
    if (!first)
        greet(l);
}

void sched_link_done(struct sched_link *l)
{
    l->is_cut = l->in_cycle = false;
    happens(l, SCHED_EV_DONE);
    l->was_lost = false;
    /* The run that the cycle was for is over, whatever came of it. */
    free(l->running_job);
    l->running_job = NULL;
}

uint64_t sched_link_gone(struct sched_link *l, uint64_t conn)
{
    uint64_t other = l->conn[0] == conn ? l->conn[1] : l->conn[0];

    MUST(l->conn[0] == conn || l->conn[1] == conn);
    /* A scheduler that was there and went is shown as down, until it has finished a
     * cycle again. */
    l->was_lost |= sched_link_is_up(l);
    l->conn[0] = l->conn[1] = 0;
    l->may_cut = l->hurry = l->is_cut = l->in_cycle = false;
    l->may_try = l->may_offer = l->tries = l->tried = false;
    happens(l, SCHED_EV_GONE);
    free(l->host);
    l->host = NULL;
    return other;
}

const char *sched_link_state(const struct sched_links *links, const char *name)
{
    const struct sched_link *l = links ? sched_link_find(links, name) : NULL;

    /* The default one is shown idle although it has not come yet, others down. */
    if (!l || (!sched_link_is_up(l) && !l->was_lost))
        return strcmp(name, "default") == 0 ? "idle" : "down";
    if (l->was_lost)
        return "down";
    return l->state == SCHED_BUSY ? "scheduling" : "idle";
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
    /* The first cycle is not replaced by a smaller reason, but an end is always
     * sent. */
    else if (l->pending != SCHED_FIRST || command == SCHED_QUIT)
        l->pending = command;
}

void sched_link_ask(struct sched_link *l, int32_t command)
{
    sched_link_wake(l, command);
    l->hurry = true;
}

void sched_link_try(struct sched_link *l)
{
    MUST(l->may_try);
    l->tries = l->hurry = true;
}

void sched_links_look_again(struct sched_links *links)
{
    struct sched_link *l, *next;

    HASH_ITER (hh, links->by_name, l, next)
        if (l->state == SCHED_BUSY && l->pending == 0)
            sched_link_wake(l, SCHED_NEW);
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
        /* A job stands in the list once. */
        if (strcmp(j->id, job_id) == 0) {
            DL_DELETE(l->jobs, j);
            job_free(j);
            return;
        }
}

/* What the other commands say is only that the scheduler has to look, and the status
 * that it asks for then waits for the disk. */
static bool tells_something(int32_t command)
{
    return command == SCHED_RUN_JOB || command == SCHED_QUIT;
}

static struct effect *send(struct sched_link *l, int32_t command,
                           const struct sched_turn *turn, struct effects *out)
{
    /* With a store that fails the status would be refused in the end, and nobody would
     * look again. */
    bool waits = tells_something(command) || turn->store_failed;
    struct effect *e = effect_add(out, EFFECT_SCHED_COMMAND, waits ? turn->m->seq : 0);

    e->u.sched.conn = l->conn[1];
    happens(l, SCHED_EV_COMMAND);
    e->u.sched.command = command;
    return e;
}

static bool scheduling_is_on(const struct sched_link *l, const struct model *m)
{
    const struct object *o = model_find(m, OBJ_SCHED, l->name);

    /* A scheduler that was deleted is not sent into cycles. */
    return o && obj_num(o, SCHED_A_SCHEDULING, 0);
}

/* A command that starts a cycle is sent only while scheduling is on (scheduling.md 3);
 * until then it waits. */
static bool pending_may_leave(const struct sched_link *l, const struct model *m)
{
    /* These two start no cycle, so they do not depend on the switch. */
    if (l->pending == SCHED_QUIT || l->pending == SCHED_RESTART_CYCLE)
        return true;
    return l->pending != 0 && scheduling_is_on(l, m);
}

static void send_job(struct sched_link *l, const struct sched_turn *turn,
                     struct effects *out)
{
    struct sched_job *j = l->jobs;
    struct effect *e;

    MUST(j && l->state == SCHED_IDLE);
    e = send(l, SCHED_RUN_JOB, turn, out);

    e->u.sched.job_id = arena_strdup(out->arena, j->id);
    free(l->running_job);
    /* The id is handed over and not copied. */
    l->running_job = j->id;
    DL_DELETE(l->jobs, j);
    free(j);
}

/* Dry runs go before a cycle, but not twice in a row: whoever asks for one after the
 * other must not keep the cycle from beginning. The first cycle of all goes first. */
static bool tries_may_leave(const struct sched_link *l, const struct model *m)
{
    bool waits = pending_may_leave(l, m);

    return l->tries && scheduling_is_on(l, m) &&
           !(waits && (l->tried || l->pending == SCHED_FIRST));
}

/* Is the cycle that runs to be cut short for a question? */
static bool is_to_be_cut(const struct sched_link *l, const struct model *m)
{
    return l->state == SCHED_BUSY && l->hurry && l->may_cut && !l->is_cut &&
           l->in_cycle && (pending_may_leave(l, m) || tries_may_leave(l, m));
}

/* It is no cycle, so the time of the next one does not depend on it. */
static void send_try(struct sched_link *l, const struct sched_turn *turn,
                     struct effects *out)
{
    send(l, SCHED_DRY_RUN, turn, out);
    l->tries = false;
    l->tried = true;
    l->hurry = l->hurry && l->pending != 0;
}

void sched_link_pump(struct sched_link *l, const struct sched_turn *turn,
                     struct effects *out)
{
    const struct model *m = turn->m;
    bool at_once = l->pending == SCHED_QUIT || l->pending == SCHED_RESTART_CYCLE;

    if (!sched_link_is_up(l))
        return;
    if (l->state == SCHED_BUSY && at_once) {
        send(l, l->pending, turn, out);
        l->pending = 0;
        return;
    }
    /* The command that waits starts the next cycle, when this one has ended. */
    if (is_to_be_cut(l, m)) {
        send(l, SCHED_RESTART_CYCLE, turn, out);
        l->is_cut = true;
        /* A cycle that is cut for a dry run goes on after that. */
        if (l->pending == 0)
            l->pending = SCHED_NEW;
        return;
    }
    /* One command at a time: the scheduler reads the next one when its cycle is
     * over. */
    if (l->state == SCHED_BUSY)
        return;
    if (l->n_configure == 0 && !l->jobs && tries_may_leave(l, m)) {
        send_try(l, turn, out);
        return;
    }
    if (l->n_configure == 0 && !l->jobs && !pending_may_leave(l, m))
        return;
    l->tried = false;
    /* The configuration goes before jobs, and jobs before cycles, since somebody waits
     * for each of them. */
    if (l->n_configure > 0) {
        send(l, SCHED_CONFIGURE, turn, out);
        l->n_configure--;
    } else if (l->jobs) {
        /* The run of a job takes the place of a first cycle that is not wanted yet. */
        if (l->pending == SCHED_FIRST && !scheduling_is_on(l, m))
            l->pending = 0;
        send_job(l, turn, out);
    } else {
        send(l, l->pending, turn, out);
        l->pending = 0;
        l->hurry = false; /* it looks at all questions */
        l->in_cycle = true;
    }
    /* A no of this cycle may be due to vnodes that had not reported yet. */
    l->began_unsure = nodes_are_awaited(m);
    l->cycle_at = turn->now_at;
}
