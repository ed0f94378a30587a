/* moms_table.c - which MoMs, vnodes and jobs there are to look after.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_hosts.h"
#include "server/model/node_life.h"
#include "server/moms/tidings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct mom *mom_of_stream(const struct moms *ms, uint64_t stream)
{
    struct mom *mom;

    HASH_FIND(hh_stream, ms->by_stream, &stream, sizeof(stream), mom);
    return mom;
}

void mom_bind(struct moms *ms, struct mom *mom, uint64_t stream)
{
    MUST(stream != 0 && mom->stream == 0);
    MUST(!mom_of_stream(ms, stream)); /* a stream is one MoM's */
    mom->stream = stream;
    HASH_ADD(hh_stream, ms->by_stream, stream, sizeof(mom->stream), mom);
}

void mom_unbind(struct moms *ms, struct mom *mom)
{
    if (mom->stream)
        HASH_DELETE(hh_stream, ms->by_stream, mom);
    mom->stream = 0;
}

static struct mom *mom_make(struct moms *ms, const char *host, uint32_t port)
{
    char *key = xasprintf("%s:%" PRIu32, host, port);
    struct mom *mom;

    /* Names of hosts are the same in upper and lower case. */
    for (char *p = key; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    HASH_FIND_STR(ms->by_key, key, mom);
    if (mom) {
        free(key);
        return mom;
    }
    mom = xcalloc(1, sizeof(*mom));
    mom->key = key;
    mom->host = xstrdup(host);
    mom->port = port;
    HASH_ADD_KEYPTR(hh, ms->by_key, mom->key, strlen(mom->key), mom);
    return mom;
}

struct mom_node *moms_find_node(const struct moms *ms, const char *id)
{
    struct mom_node *n;

    HASH_FIND_STR(ms->by_node, id, n);
    return n;
}

struct mom *mom_of_node(const struct moms *ms, const char *node)
{
    const struct mom_node *n = moms_find_node(ms, node);

    return n ? n->mom : NULL;
}

bool vnodes_lie_at(const struct moms *ms, const struct exec_vnode *ev,
                   const struct mom *mom)
{
    for (size_t i = 0; i < ev->n; i++)
        for (size_t k = 0; k < ev->chunks[i].n; k++)
            if (mom_of_node(ms, ev->chunks[i].parts[k].vnode) == mom)
                return true;
    return false;
}

bool mom_has_job(const struct moms *ms, struct moms_turn *t, const struct mom *mom,
                 const struct job *job)
{
    const struct node *n = job_first_node(job);
    const struct mom *its_own = n ? mom_of_node(ms, n->obj.id) : NULL;

    if (its_own == mom)
        return true;
    /* A line of security: a MoM that speaks of other MoMs' jobs is wrong or means
     * harm. */
    effect_log(t->effects, t->m->seq, LOG_EV_SECURITY, LOG_IN_JOB, job->obj.id,
               "%s:%" PRIu32 " is not the MoM of this job, what it says is ignored",
               mom->host, mom->port);
    return false;
}

void moms_add_node(struct moms *ms, const struct node *n)
{
    struct mom_node *mn = moms_find_node(ms, n->obj.id);

    if (mn)
        return;
    mn = xcalloc(1, sizeof(*mn));
    mn->id = xstrdup(n->obj.id);
    mn->number = ++ms->n_nodes_ever;
    mn->mom = mom_make(ms, node_mom_host(n), node_mom_port(n));
    MUST(!mn->mom->at == !mn->mom->nodes);
    /* The first vnode of a MoM lets its host be looked up. The entry is released with
     * the last one. */
    if (!mn->mom->at)
        mn->mom->at = host_book_add(ms->hosts, mn->mom->host);
    DL_APPEND(mn->mom->nodes, mn);
    HASH_ADD_KEYPTR(hh, ms->by_node, mn->id, strlen(mn->id), mn);
}

void moms_forget_node(struct moms *ms, const char *id)
{
    struct mom_node *n = moms_find_node(ms, id);

    if (!n)
        return;
    MUST(n->mom->nodes);
    tidings_leave_node(ms, n);
    DL_DELETE(n->mom->nodes, n);
    /* The stream is closed by the next pump, which has a turn to put the effect
     * into. */
    ms->left |= !n->mom->nodes && n->mom->stream;
    if (!n->mom->nodes) {
        host_book_remove(ms->hosts, n->mom->at);
        n->mom->at = NULL;
    }
    HASH_DEL(ms->by_node, n);
    free(n->id);
    free(n);
}

struct mom_job *moms_job(struct moms *ms, const char *id)
{
    struct mom_job *j;

    HASH_FIND_STR(ms->by_job, id, j);
    if (j)
        return j;
    j = xcalloc(1, sizeof(*j));
    j->id = xstrdup(id);
    /* A new entry is in no list yet. */
    j->looked_at = true;
    j->retry_at = INT64_MIN;
    HASH_ADD_KEYPTR(hh, ms->by_job, j->id, strlen(j->id), j);
    return j;
}

void moms_forget_job(struct moms *ms, struct mom_job *j)
{
    /* The list must not keep a pointer to what is freed. */
    if (!j->looked_at)
        DL_DELETE(ms->touched, j);
    HASH_DEL(ms->by_job, j);
    run_forget_hosts(j);
    free(j->id);
    free(j);
}

void moms_touch_job(struct moms *ms, const char *job_id)
{
    struct mom_job *j = moms_job(ms, job_id);

    /* A job that is listed already keeps its place. */
    if (!j->looked_at)
        return;
    j->looked_at = false;
    DL_APPEND(ms->touched, j);
}

void moms_wake_at(struct moms *ms, int64_t at)
{
    /* The next deadline may only come nearer here; moms_pump() alone moves it away. */
    ms->next_at = MIN_OF(ms->next_at, at);
}

void moms_answer_obit(struct moms *ms, struct mom *mom, const char *job_id,
                      bool accepted)
{
    struct obit_answer *a = xcalloc(1, sizeof(*a));

    MUST(job_id);
    *a = (struct obit_answer){ .mom = mom,
                               .job_id = xstrdup(job_id),
                               .accepted = accepted };
    DL_APPEND(ms->answers, a);
}

static void mom_free(struct mom *mom)
{
    struct command *c, *next;

    MUST(!mom->nodes); /* they would lose their MoM */
    DL_FOREACH_SAFE (mom->commands, c, next) {
        if (c->forwarded)
            forwarded_drop(c->forwarded);
        c->forwarded = NULL;
        command_free(c);
    }
    free(mom->peer_host);
    free(mom->host);
    free(mom->key);
    free(mom);
}

struct moms *moms_new(struct host_book *hosts)
{
    struct moms *ms = xcalloc(1, sizeof(*ms));

    ms->hosts = hosts;
    ms->next_at = INT64_MAX;
    return ms;
}

void moms_free(struct moms *ms)
{
    struct mom_job *j, *next_job;
    struct mom_node *n, *next_node;
    struct mom *mom, *next_mom;
    struct obit_answer *a, *next_answer;

    if (!ms)
        return;
    hello_forget_all(ms);
    tidings_fini(ms);
    HASH_ITER (hh, ms->by_job, j, next_job)
        moms_forget_job(ms, j);
    /* Vnodes go before their MoMs, which they point to. */
    HASH_ITER (hh, ms->by_node, n, next_node)
        moms_forget_node(ms, n->id);
    HASH_ITER (hh, ms->by_key, mom, next_mom) {
        mom_unbind(ms, mom);
        HASH_DEL(ms->by_key, mom);
        mom_free(mom);
    }
    DL_FOREACH_SAFE (ms->answers, a, next_answer) {
        free(a->job_id);
        free(a);
    }
    for (size_t i = 0; i < ms->n_new_nodes; i++)
        free(ms->new_nodes[i]);
    free(ms->new_nodes);
    free(ms);
}
