/* hello.c - a MoM introduces itself and tells what it has (tpp.md 5.3, 5.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/model/hot_start.h"
#include "server/model/job_state.h"
#include "server/model/node_life.h"
#include "server/moms/moms_priv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

/* How long a job that its MoM did not list may still be heard of: its obituary may be
 * on the way. */
#define MISSING_GRACE_S 60

/* A MoM that was restarted lists what it had and may find out a little later that
 * nothing is left of it: a hot start waits so long before it believes that a job runs
 * on. */
#define SURE_AFTER_S    20

/* Who is it? */

static bool is_loopback(uint32_t addr)
{
    return addr >> 24 == 127;
}

/* A MoM on this very host may come from any of its addresses. */
static bool is_local(const struct moms *ms, const struct mom *mom)
{
    const struct book_host *own = host_book_own(ms->hosts);
    size_t n;
    const uint32_t *addrs = book_host_addrs(mom->at, &n);

    for (size_t i = 0; i < n; i++)
        if (is_loopback(addrs[i]) || book_host_has(own, addrs[i]))
            return true;
    return false;
}

static bool is_peer(const struct moms *ms, const struct mom *mom, const char *host,
                    uint32_t addr)
{
    if (strcasecmp(mom->host, host) == 0)
        return true;
    if (!addr)
        return false;
    return book_host_has(mom->at, addr) || (is_loopback(addr) && is_local(ms, mom));
}

static struct mom *find_peer(const struct moms *ms, const char *host,
                             uint32_t service_port)
{
    uint32_t addr = addr_of_text(host);
    struct mom *mom, *next;

    HASH_ITER (hh, ms->by_key, mom, next)
        if (mom->port == service_port && mom->nodes && is_peer(ms, mom, host, addr))
            return mom;
    return NULL;
}

/* REPLYHELLO. */

static int by_addr(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void add_addrs(const struct book_host *h, struct buf *to)
{
    size_t n;
    const uint32_t *addrs = book_host_addrs(h, &n);

    buf_add(to, addrs, n * sizeof(*addrs));
}

/* Every host of the cluster that is known, the own one too: MoMs talk to no others. */
static void all_addrs(const struct moms *ms, struct buf *to)
{
    struct mom *mom, *next;

    add_addrs(host_book_own(ms->hosts), to);
    HASH_ITER (hh, ms->by_key, mom, next) {
        uint32_t peer = mom->peer_host ? addr_of_text(mom->peer_host) : 0;

        if (mom->at)
            add_addrs(mom->at, to);
        if (peer)
            buf_add(to, &peer, sizeof(peer));
    }
}

static void make_ranges(const uint32_t *v, size_t n, struct arena *arena,
                        struct is_message *msg)
{
    msg->ranges = ARENA_ARRAY(arena, struct is_range, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct is_range *last = msg->n_ranges ? &msg->ranges[msg->n_ranges - 1] : NULL;

        MUST(!last || v[i] >= last->low_ip); /* the addresses are sorted */
        if (last && v[i] <= last->low_ip + last->extra)
            continue;
        if (last && v[i] == last->low_ip + last->extra + 1)
            last->extra++;
        else
            msg->ranges[msg->n_ranges++] = (struct is_range){ .low_ip = v[i] };
    }
}

void mom_reply_hello(struct moms *ms, struct moms_turn *t, struct mom *mom)
{
    struct is_message msg = { .command = IS_REPLYHELLO, .need_inventory = 1 };
    struct buf bytes = { 0 };
    uint32_t *v;
    size_t n;

    all_addrs(ms, &bytes);
    n = bytes.len / sizeof(*v);
    v = ARENA_ARRAY(t->effects->arena, uint32_t, n + 1);
    if (n > 0)
        memcpy(v, bytes.data, n * sizeof(*v));
    buf_fini(&bytes);
    qsort(v, n, sizeof(*v), by_addr);
    make_ranges(v, n, t->effects->arena, &msg);
    mom->told_version = host_book_version(ms->hosts);
    mom_send(t, mom, &msg);
}

/* Who is it? Its host may be one that nobody has said anything about yet. */

/* So many may wait; who says hello again is heard again. */
#define HELLOS_MAX 10000

static void hello_drop(struct moms *ms, struct hello *h)
{
    DL_DELETE(ms->hellos, h);
    free(h->host);
    free(h);
}

void hello_forget(struct moms *ms, uint64_t stream)
{
    struct hello *h, *next;

    DL_FOREACH_SAFE (ms->hellos, h, next) {
        if (h->stream == stream)
            hello_drop(ms, h);
    }
}

void hello_forget_all(struct moms *ms)
{
    while (ms->hellos)
        hello_drop(ms, ms->hellos);
}

static bool hello_waits(struct moms *ms, const struct hello *said)
{
    struct hello *h;
    size_t n = 0;

    if (!host_book_is_open(ms->hosts))
        return false;
    DL_COUNT(ms->hellos, h, n);
    if (n >= HELLOS_MAX)
        return false;
    h = xcalloc(1, sizeof(*h));
    *h = *said;
    h->host = xstrdup(said->host);
    DL_APPEND(ms->hellos, h);
    return true;
}

/* All are asked for again: the answers may be old. */
static void refuse_hello(struct moms *ms, struct moms_turn *t, const struct hello *said)
{
    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER, "is_request",
               "bad attempt to connect from %s:%" PRIu32 ", reason=tfind2:pmom",
               said->host, said->port);
    mom_close(t, said->stream);
    host_book_refresh(ms->hosts, t->now_at);
}

static void accept_hello(struct moms *ms, struct moms_turn *t, struct mom *mom,
                         const struct hello *said)
{
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, mom->host,
               "Hello from MoM on port=%" PRIu32, said->mom_port);
    if (mom->stream && mom->stream != said->stream)
        mom_close(t, mom->stream);
    if (mom->stream)
        mom_stream_over(ms, t, mom);
    mom_bind(ms, mom, said->stream);
    MUST(!mom->peer_host); /* it goes with the stream */
    mom->peer_host = xstrdup(said->host);
    mom->peer_port = said->port;
    mom_reply_hello(ms, t, mom);
}

static void take_hello(struct moms *ms, struct moms_turn *t, const struct hello *said)
{
    /* The leaf's port is one more than the service port of its vnodes (tpp.md 1). */
    bool is_its_leaf = said->port > 0 && said->mom_port == said->port - 1;
    struct mom *mom = is_its_leaf ? find_peer(ms, said->host, said->mom_port) : NULL;

    if (mom)
        accept_hello(ms, t, mom, said);
    else if (!is_its_leaf || !hello_waits(ms, said))
        refuse_hello(ms, t, said);
}

void mom_hello(struct moms *ms, struct moms_turn *t, uint64_t stream, const char *host,
               uint32_t port, const struct is_message *msg)
{
    char *own_host = xstrdup(host); /* of the stream that is over, perhaps */
    const struct hello said = {
        .stream = stream, .host = own_host, .port = port, .mom_port = msg->mom_port
    };

    hello_forget(ms, stream);
    take_hello(ms, t, &said);
    free(own_host);
}

/* May it be what that hello waits for? A MoM on this host may come from any address. */
static bool is_about(const struct moms *ms, const struct hello *h, const char *host)
{
    uint32_t addr = addr_of_text(h->host);
    struct mom *mom, *next;

    if (!host || is_loopback(addr))
        return true;
    HASH_ITER (hh, ms->by_key, mom, next) {
        if (mom->at && strcmp(mom->host, host) == 0)
            return book_host_has(mom->at, addr);
    }
    return false;
}

/* MoMs that were told of fewer hosts than are known now are told again. */
static void greet_untold(struct moms *ms)
{
    struct mom *mom, *next;

    HASH_ITER (hh, ms->by_key, mom, next) {
        mom->greet |= mom->registered && mom->stream &&
                      mom->told_version != host_book_version(ms->hosts);
        ms->greet |= mom->greet;
    }
}

void moms_host_learned(struct moms *ms, struct moms_turn *t, const char *host)
{
    bool all = !host_book_is_open(ms->hosts);
    struct hello *list = ms->hellos, *h, *next;

    ms->hellos = NULL;
    DL_FOREACH_SAFE (list, h, next) {
        DL_DELETE(list, h);
        if (all || is_about(ms, h, host)) {
            take_hello(ms, t, h);
            free(h->host);
            free(h);
        } else {
            DL_APPEND(ms->hellos, h);
        }
    }
    if (all)
        greet_untold(ms);
}

/* REGISTERMOM: which jobs are there? */

static void discard(struct moms_turn *t, const struct mom *mom,
                    const struct is_running *r, int64_t run_version, const char *why)
{
    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, r->job_id,
               "Discard running job, %s", why);
    mom_discard(t, mom, r->job_id, run_version);
}

static void signal_job(struct moms *ms, struct moms_turn *t, const char *job_id,
                       const char *name)
{
    struct body_signal *body = ARENA_NEW(t->effects->arena, struct body_signal);
    struct wire_request rq = { .number = BATCH_SIGNAL_JOB, .user = "root" };

    body->job_id = arena_strdup(t->effects->arena, job_id);
    body->signal = name;
    rq.body = body;
    moms_forward(ms, t, 0, job_id, &rq);
}

static void confirm_running(struct moms *ms, struct moms_turn *t, struct mom *mom,
                            const struct is_running *r, const struct job *job)
{
    struct mom_job *j = moms_job(ms, job->obj.id);
    int64_t substate = job_substate(job);

    j->mom = mom;
    j->run_version = obj_num(&job->obj, JOB_A_RUN_VERSION, 0);
    j->known = true;
    j->lost_at = 0;
    if (job_state(job) != 'R')
        return;
    if (job_ran_before(job) && obj_num(&job->obj, JOB_A_HF_SENT, 0)) {
        j->sure_at = t->now_at + SURE_AFTER_S;
        moms_wake_at(ms, j->sure_at);
    }
    job_is_taken(t, job);
    if ((substate == JOB_SUB_SUSPENDED || substate == JOB_SUB_SCHED_SUSPENDED) &&
        r->substate == JOB_SUB_RUNNING)
        signal_job(ms, t, job->obj.id, "suspend");
    else if (substate == JOB_SUB_RUNNING && r->substate == JOB_SUB_SUSPENDED)
        signal_job(ms, t, job->obj.id, "resume");
}

/* The table of tpp.md 5.4. A run version is always known here, so the rows for jobs
 * without one speak of a job that does not run. */
static void reconcile(struct moms *ms, struct moms_turn *t, struct mom *mom,
                      const struct is_running *r)
{
    const struct job *job = model_job(t->m, r->job_id);
    int64_t run_version;

    if (!job) {
        discard(t, mom, r, -1, "not known to Server ");
        return;
    }
    run_version = obj_num(&job->obj, JOB_A_RUN_VERSION, 0);
    if (r->node_id == 0 && job_is_at_mom(job) && !mom_has_job(ms, t, mom, job))
        discard(t, mom, r, r->run_version, "runs at another MoM ");
    else if (run_version > 0 && run_version != r->run_version)
        discard(t, mom, r, r->run_version, "has been run again ");
    else if (!job_is_at_mom(job))
        discard(t, mom, r, r->run_version, "state mismatch ");
    else if (r->node_id == 0)
        confirm_running(ms, t, mom, r, job);
}

static bool is_listed(const struct is_message *msg, const char *job_id)
{
    for (size_t i = 0; i < msg->n_running; i++)
        if (strcasecmp(msg->running[i].job_id, job_id) == 0)
            return true;
    return false;
}

/* Jobs of this MoM that it did not list: what was never taken is sent now, what ends
 * goes on ending, and what ran is missed. */
static void look_at_jobs(struct moms *ms, struct moms_turn *t, const struct mom *mom,
                         const struct is_message *msg)
{
    for (const struct mom_node *mn = mom->nodes; mn; mn = mn->next) {
        const struct node *n = model_node(t->m, mn->id);

        for (size_t i = 0; n && i < n->n_jobs; i++) {
            const struct job *job = n->jobs[i];

            moms_look(ms, job->obj.id);
            MUST(job->bookings.n > 0); /* this one's vnode at least */
            if (job_state(job) != 'R' || !obj_num(&job->obj, JOB_A_HF_SENT, 0) ||
                job->bookings.v[0].node != n || is_listed(msg, job->obj.id))
                continue;
            moms_job(ms, job->obj.id)->lost_at = t->now_at + MISSING_GRACE_S;
            moms_job(ms, job->obj.id)->sure_at = 0;
            moms_wake_at(ms, t->now_at + MISSING_GRACE_S);
        }
    }
}

void mom_register(struct moms *ms, struct moms_turn *t, struct mom *mom,
                  const struct is_message *msg)
{
    mom->registered = true;
    mom_take_state(ms, t, mom, &msg->state);
    for (size_t i = 0; i < msg->n_running; i++)
        reconcile(ms, t, mom, &msg->running[i]);
    look_at_jobs(ms, t, mom, msg);
}
