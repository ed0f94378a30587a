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

/* "10.1.2.3" in host byte order; 0: not an address. */
static uint32_t parse_addr(const char *text)
{
    uint32_t addr = 0;
    const char *p = text;

    for (int i = 0; i < 4; i++) {
        unsigned part = 0;
        const char *start = p;

        while (*p >= '0' && *p <= '9' && p - start < 3)
            part = part * 10 + (unsigned)(*p++ - '0');
        if (p == start || part > 255 || *p != (i < 3 ? '.' : '\0'))
            return 0;
        addr = addr << 8 | part;
        p++;
    }
    return addr;
}

static size_t addrs_of(const struct svr_config *cfg, const char *host, uint32_t *ret,
                       size_t max)
{
    uint32_t addr = parse_addr(host);

    if (addr) {
        ret[0] = addr;
        return 1;
    }
    return cfg->host_addrs ? cfg->host_addrs(cfg->arg, host, ret, max) : 0;
}

static bool has_addr(const uint32_t *addrs, size_t n, uint32_t addr)
{
    for (size_t i = 0; i < n; i++)
        if (addrs[i] == addr)
            return true;
    return false;
}

static bool is_loopback(uint32_t addr)
{
    return addr >> 24 == 127;
}

static void resolve(const struct moms_turn *t, struct mom *mom)
{
    if (mom->n_addrs == 0)
        mom->n_addrs = addrs_of(t->cfg, mom->host, mom->addrs, MOM_ADDRS_MAX);
}

/* A MoM on this very host may come from any of its addresses. */
static bool is_local(const struct moms_turn *t, const struct mom *mom)
{
    uint32_t own[MOM_ADDRS_MAX];
    size_t n = addrs_of(t->cfg, t->cfg->server_host, own, MOM_ADDRS_MAX);

    for (size_t i = 0; i < mom->n_addrs; i++)
        if (is_loopback(mom->addrs[i]) || has_addr(own, n, mom->addrs[i]))
            return true;
    return false;
}

static bool is_peer(const struct moms_turn *t, struct mom *mom, const char *host,
                    uint32_t addr)
{
    if (strcasecmp(mom->host, host) == 0)
        return true;
    if (!addr)
        return false;
    resolve(t, mom);
    if (has_addr(mom->addrs, mom->n_addrs, addr))
        return true;
    return is_loopback(addr) && is_local(t, mom);
}

static struct mom *find_peer(const struct moms *ms, const struct moms_turn *t,
                             const char *host, uint32_t service_port)
{
    uint32_t addr = parse_addr(host);
    struct mom *mom, *next;

    HASH_ITER (hh, ms->by_key, mom, next)
        if (mom->port == service_port && mom->nodes && is_peer(t, mom, host, addr))
            return mom;
    return NULL;
}

/* REPLYHELLO. */

static int by_addr(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Every host of the cluster, the own one too: MoMs talk to no others. */
static size_t all_addrs(const struct moms *ms, const struct moms_turn *t, uint32_t *v)
{
    size_t n = addrs_of(t->cfg, t->cfg->server_host, v, MOM_ADDRS_MAX);
    struct mom *mom, *next;

    HASH_ITER (hh, ms->by_key, mom, next) {
        uint32_t peer = mom->peer_host ? parse_addr(mom->peer_host) : 0;

        resolve(t, mom);
        memcpy(v + n, mom->addrs, mom->n_addrs * sizeof(*v));
        n += mom->n_addrs;
        if (peer)
            v[n++] = peer;
    }
    qsort(v, n, sizeof(*v), by_addr);
    return n;
}

static void make_ranges(const uint32_t *v, size_t n, struct arena *arena,
                        struct is_message *msg)
{
    msg->ranges = ARENA_ARRAY(arena, struct is_range, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct is_range *last = msg->n_ranges ? &msg->ranges[msg->n_ranges - 1] : NULL;

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
    size_t max = (HASH_COUNT(ms->by_key) + 1) * (MOM_ADDRS_MAX + 1);
    uint32_t *v = ARENA_ARRAY(t->effects->arena, uint32_t, max);

    make_ranges(v, all_addrs(ms, t, v), t->effects->arena, &msg);
    mom_send(t, mom, &msg);
}

void mom_hello(struct moms *ms, struct moms_turn *t, uint64_t stream, const char *host,
               uint32_t port, const struct is_message *msg)
{
    /* The leaf's port is one more than the service port of its vnodes (tpp.md 1). */
    bool is_its_leaf = port > 0 && msg->mom_port == port - 1;
    struct mom *mom = is_its_leaf ? find_peer(ms, t, host, msg->mom_port) : NULL;

    if (!mom) {
        effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER, "is_request",
                   "bad attempt to connect from %s:%" PRIu32 ", reason=tfind2:pmom",
                   host, port);
        mom_close(t, stream);
        return;
    }
    effect_log(t->effects, t->m->seq, LOG_EV_SYSTEM, LOG_IN_NODE, mom->host,
               "Hello from MoM on port=%" PRIu32, msg->mom_port);
    if (mom->stream && mom->stream != stream)
        mom_close(t, mom->stream);
    if (mom->stream)
        mom_stream_over(ms, t, mom);
    mom_bind(ms, mom, stream);
    mom->peer_host = xstrdup(host);
    mom->peer_port = port;
    mom_reply_hello(ms, t, mom);
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
