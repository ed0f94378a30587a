/* depend_chain.c - see depend_chain.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/depend_chain.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/depend_remote.h"
#include "server/decide/job_transfer.h"

#include <string.h>

struct depend_chain depend_chain(const struct model *m, const struct request *rq,
                                 bool asks, int64_t at)
{
    return (struct depend_chain){
        .m = m, .rq = rq, .asks = asks, .at = at, .jobs = { .arena = rq->arena }
    };
}

void depend_chain_fini(struct depend_chain *c)
{
    depend_search_fini(&c->jobs);
}

bool depend_chain_has(const struct depend_chain *c, const char *job)
{
    for (size_t i = 0; i < c->n; i++)
        if (str_same(c->far[i].job, job))
            return true;
    return false;
}

/* A chain through more jobs of others than are asked for is not followed to its end. */
static void meet_far(struct depend_chain *c, const struct depend_entry *e)
{
    for (size_t i = 0; i < c->n; i++)
        if (str_same(c->far[i].job, e->job) && str_same(c->far[i].server, e->server))
            return;
    if (c->n < DEPEND_FAR_MAX)
        c->far[c->n++] = (struct depend_far){ .job = e->job, .server = e->server };
}

/* Jobs in a set of which one runs do not wait for each other for ever, and whoever is
 * over waits for nobody. */
void depend_chain_entry(struct depend_chain *c, const struct depend_entry *e)
{
    const struct job *job;

    if (e->type < DEPEND_AFTER || e->type > DEPEND_AFTERANY)
        return;
    if (depend_is_remote(c->m, e) && !names_this_server(c->rq->cfg, e->server)) {
        meet_far(c, e);
        return;
    }
    job = model_job(c->m, e->job);
    if (job && !job->past)
        depend_search_meet(&c->jobs, job);
}

/* 'server': where the text is from, NULL: from here. */
static void add_text(struct depend_chain *c, const char *text, const char *server)
{
    struct depend_list list;

    if (!text || !*text || !depend_parse(text, c->rq->arena, &list))
        return;
    for (size_t i = 0; i < list.n; i++) {
        if (!list.v[i].server)
            list.v[i].server = server;
        depend_chain_entry(c, &list.v[i]);
    }
}

void depend_chain_text(struct depend_chain *c, const char *depend)
{
    add_text(c, depend, NULL);
}

/* False: nothing new is known of jobs of other servers. */
static bool ask_far(struct depend_chain *c)
{
    bool learned = false;

    c->is_cut = false;
    for (size_t i = 0; c->asks && i < c->n; i++) {
        struct depend_far *far = &c->far[i];
        const struct finding *f =
            far->is_known ? NULL
                          : depend_ask_server(c->rq, far->job, far->server, c->at);

        c->is_cut |= !f && !far->is_known;
        if (!f)
            continue;
        far->is_known = learned = true;
        if (f->found)
            add_text(c, f->words, far->server);
    }
    return learned;
}

const struct job *depend_chain_next(struct depend_chain *c)
{
    const struct job *job;

    while (!(job = depend_search_next(&c->jobs)))
        if (!ask_far(c))
            return NULL;
    depend_chain_text(c, obj_str(&job->obj, JOB_A_DEPEND, NULL));
    return job;
}
