/* peers.c - see peers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/peers.h"

#include "lib/io/clock.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A server that could not be reached is left alone for so long. */
#define SHUN_MS 60000

struct peer_job {
    char *id;
    char *queue;           /* the local one */
    struct server *server; /* NULL: the own one */
    UT_hash_handle hh;
};

/* A job that was not moved, although it could have run. Each cycle that tries it gives
 * its vnodes to nobody else, so it is left alone for ever longer, up to SHUN_MS. */
struct refused {
    char *id;
    unsigned n; /* times, one after the other */
    int64_t until_ms;
    UT_hash_handle hh;
};

/* Another server, for as long as the daemon runs. */
struct server {
    char *name; /* host[:port] */
    struct link *link;
    int64_t shunned_until_ms;
    UT_hash_handle hh;
};

struct peers {
    bool pull;
    struct server *servers;
    struct peer_job *jobs; /* of the pass */
    struct refused *refused;
};

struct peers *peers_new(void)
{
    return xcalloc(1, sizeof(struct peers));
}

static void forget_jobs(struct peers *p)
{
    struct peer_job *job, *next;

    HASH_ITER (hh, p->jobs, job, next) {
        HASH_DEL(p->jobs, job);
        free(job->id);
        free(job->queue);
        free(job);
    }
}

static void forget_refused(struct peers *p, struct refused *r)
{
    HASH_DEL(p->refused, r);
    free(r->id);
    free(r);
}

static struct refused *find_refused(const struct peers *p, const char *id)
{
    struct refused *r;

    HASH_FIND_STR(p->refused, id, r);
    return r;
}

/* The first time is forgiven: a limit may have been in the way for a moment. */
static void note_refused(struct peers *p, const char *id)
{
    struct refused *r = find_refused(p, id);
    int64_t pause_ms = 0;

    if (!r) {
        r = xcalloc(1, sizeof(*r));
        r->id = xstrdup(id);
        HASH_ADD_KEYPTR(hh, p->refused, r->id, strlen(r->id), r);
    }
    if (r->n > 0)
        pause_ms = MIN_OF((int64_t)1000 << MIN_OF(r->n - 1, 10u), SHUN_MS);
    r->n++;
    r->until_ms = clock_mono_ms() + pause_ms;
}

static void note_pulled(struct peers *p, const char *id)
{
    struct refused *r = find_refused(p, id);

    if (r)
        forget_refused(p, r);
}

/* What was not tried again when it might have been is gone, or cannot run. */
static void forget_old_refusals(struct peers *p)
{
    int64_t now_ms = clock_mono_ms();
    struct refused *r, *next;

    HASH_ITER (hh, p->refused, r, next)
        if (r->until_ms + 10 * (int64_t)SHUN_MS < now_ms)
            forget_refused(p, r);
}

static bool is_left_alone(const struct peers *p, const char *id)
{
    const struct refused *r = find_refused(p, id);

    return r && clock_mono_ms() < r->until_ms;
}

static void hang_up(struct server *s)
{
    link_close(s->link);
    s->link = NULL;
}

void peers_free(struct peers *p)
{
    struct server *s, *next;

    if (!p)
        return;
    forget_jobs(p);
    while (p->refused)
        forget_refused(p, p->refused);
    HASH_ITER (hh, p->servers, s, next) {
        HASH_DEL(p->servers, s);
        hang_up(s);
        free(s->name);
        free(s);
    }
    free(p);
}

void peers_begin(struct peers *p, bool pull)
{
    p->pull = pull;
    forget_old_refusals(p);
}

void peers_end(struct peers *p)
{
    struct server *s, *next;

    p->pull = false;
    forget_jobs(p);
    HASH_ITER (hh, p->servers, s, next)
        hang_up(s);
}

static struct server *server_named(struct peers *p, const char *name)
{
    struct server *s;

    HASH_FIND_STR(p->servers, name, s);
    if (s)
        return s;
    s = xcalloc(1, sizeof(*s));
    s->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, p->servers, s->name, strlen(s->name), s);
    return s;
}

static void add_job(struct peers *p, const char *id, const char *queue,
                    struct server *server)
{
    struct peer_job *job = xcalloc(1, sizeof(*job));

    MUST(!peers_find(p, id));
    job->id = xstrdup(id);
    job->queue = xstrdup(queue);
    job->server = server;
    HASH_ADD_KEYPTR(hh, p->jobs, job->id, strlen(job->id), job);
}

const struct peer_job *peers_find(const struct peers *p, const char *id)
{
    struct peer_job *job;

    HASH_FIND_STR(p->jobs, id, job);
    return job;
}

/* The server is of no use in this cycle, and is not tried in the next ones. */
static void shun(struct shell *sh, struct server *s, const char *queue,
                 const struct diag *why)
{
    logfile_printf(sh->log, LOG_EV_DEBUG2, LOG_IN_REQUEST, queue,
                   "Can not connect to peer %s", s->name);
    logfile_printf(sh->log, LOG_EV_DEBUG2, LOG_IN_REQUEST, queue, "%s", why->text);
    hang_up(s);
    s->shunned_until_ms = clock_mono_ms() + SHUN_MS;
}

static bool reach(struct shell *sh, struct server *s, const char *queue)
{
    struct diag why;

    if (s->link && !link_is_broken(s->link))
        return true;
    hang_up(s);
    if (clock_mono_ms() < s->shunned_until_ms)
        return false;
    if (link_open_peer(sh->conf, sh->resolver, s->name, sh->user, &s->link, &why) == 0)
        return true;
    s->link = NULL;
    shun(sh, s, queue, &why);
    return false;
}

static void set_queue(struct wire_object *job, const char *queue)
{
    for (size_t i = 0; i < job->attrs.n; i++)
        if (strcmp(job->attrs.v[i].name, "queue") == 0)
            job->attrs.v[i].value = queue;
}

/* Arrays stay where they are. Without its user, which only managers see, a job could
 * not be held against any limit. */
static bool may_be_pulled(const struct peers *p, const struct wire_object *job)
{
    const char *state = wire_attrs_value(&job->attrs, "job_state", NULL);
    const char *user = wire_attrs_value(&job->attrs, "euser", NULL);

    return !strchr(job->name, '[') && state && strcmp(state, "Q") == 0 && user &&
           *user && !is_left_alone(p, job->name);
}

/* Ask for the jobs that wait in a queue of another server. */
static int ask_one(struct server *s, const char *queue, struct arena *arena,
                   struct wire_objects *ret, struct diag *why)
{
    struct body_select body = { 0 };
    const struct wire_request rq = { .number = BATCH_SELECT_STATUS, .body = &body };
    struct wire_reply reply;
    int err;

    wire_attrs_add(&body.criteria, arena, "destination", NULL, queue, WIRE_OP_EQ);
    wire_attrs_add(&body.criteria, arena, "job_state", NULL, "Q", WIRE_OP_EQ);
    snapshot_wants(OBJECT_JOB, false, arena, &body.wanted);
    err = link_call(s->link, &rq, arena, &reply, why);
    if (!err && reply.code)
        err = diag_set(why, reply.code, "%s: %s", queue, reply.text ? reply.text : "");
    if (!err)
        *ret = reply.objects;
    return err;
}

static void ask_server(struct shell *sh, const struct policy_peer *peer,
                       struct arena *arena, struct wire_objects *pulled)
{
    struct server *s = server_named(sh->peers, peer->server);
    struct wire_objects jobs;
    struct diag why;

    if (!reach(sh, s, peer->local))
        return;
    if (ask_one(s, peer->remote, arena, &jobs, &why)) {
        shun(sh, s, peer->local, &why);
        return;
    }
    for (size_t i = 0; i < jobs.n; i++) {
        struct wire_object *job;

        if (!may_be_pulled(sh->peers, &jobs.v[i]) ||
            peers_find(sh->peers, jobs.v[i].name))
            continue;
        job = wire_objects_add(pulled, arena, OBJECT_JOB, jobs.v[i].name);
        job->attrs = jobs.v[i].attrs;
        set_queue(job, peer->local);
        add_job(sh->peers, job->name, peer->local, s);
    }
}

static bool is_stopped(const struct wire_objects *queues, const char *name)
{
    for (size_t i = 0; i < queues->n; i++) {
        const char *started = wire_attrs_value(&queues->v[i].attrs, "started", NULL);

        if (strcmp(queues->v[i].name, name) == 0)
            return !started || strcmp(started, "True") != 0;
    }
    return false;
}

/* A queue that is started runs its jobs itself: they would be there twice. */
static void take_own(struct shell *sh, const struct policy_peer *peer,
                     const struct wire_objects *queues, struct wire_objects *jobs)
{
    if (!is_stopped(queues, peer->remote))
        return;
    for (size_t i = 0; i < jobs->n; i++) {
        struct wire_object *job = &jobs->v[i];

        if (!str_same(wire_attrs_value(&job->attrs, "queue", NULL), peer->remote) ||
            !may_be_pulled(sh->peers, job))
            continue;
        set_queue(job, peer->local);
        add_job(sh->peers, job->name, peer->local, NULL);
    }
}

void peers_ask(struct shell *sh, struct arena *arena, const struct wire_objects *queues,
               struct wire_objects *jobs, struct wire_objects *pulled)
{
    forget_jobs(sh->peers);
    for (size_t i = 0; sh->peers->pull && i < policy_peer_count(sh->policy); i++) {
        const struct policy_peer *peer = policy_peer(sh->policy, i);

        if (peer->server)
            ask_server(sh, peer, arena, pulled);
        else
            take_own(sh, peer, queues, jobs);
    }
}

bool peers_pull(struct shell *sh, const struct peer_job *job, struct arena *arena)
{
    struct link *l = job->server ? job->server->link : sh->primary;
    const struct body_move body = {
        .job_id = job->id,
        .destination =
            job->server ? arena_printf(arena, "%s@%s:%u", job->queue,
                                       conf_server_host(sh->conf), sh->conf->batch_port)
                        : job->queue,
    };
    const struct wire_request rq = { .number = BATCH_MOVE_JOB, .body = &body };
    struct wire_reply reply;
    struct diag why;
    int err;

    if (!l || link_is_broken(l))
        return false;
    err = link_call(l, &rq, arena, &reply, &why);
    if (!err && reply.code)
        err = diag_set(&why, reply.code, "%s", reply.text ? reply.text : "refused");
    if (err)
        note_refused(sh->peers, job->id);
    else
        note_pulled(sh->peers, job->id);
    if (err)
        logfile_printf(sh->log, LOG_EV_SCHED, LOG_IN_JOB, job->id,
                       "Failed to move the job to %s: %s (%d)", body.destination,
                       why.text, err);
    return err == 0;
}
