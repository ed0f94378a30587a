/* edges.c - see edges.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/edges.h"

#include "lib/attr/job_attrs.h"
#include "server/model/history.h"
#include "server/model/hot_start.h"
#include "server/model/job_array.h"
#include "server/model/model_priv.h"
#include "server/model/occurrence.h"

#include <utlist.h>

/* Whom to call, and with what. */
struct caller {
    void (*fn)(void *arg, struct object *to);
    void *arg;
};

static void call(const struct caller *c, struct object *to)
{
    c->fn(c->arg, to);
}

static void call_jobs(const struct caller *c, struct job *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        call(c, &v[i]->obj);
}

static void call_resvs(const struct caller *c, struct occurrence *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        /* An occurrence without its reservation has nobody whom a rule could look
         * at. */
        if (v[i]->resv)
            call(c, &v[i]->resv->obj);
}

static void call_bookings(const struct caller *c, const struct bookings *list)
{
    for (size_t i = 0; i < list->n; i++)
        call(c, &list->v[i].node->obj);
}

static void call_queue_jobs(const struct caller *c, const struct queue *q)
{
    if (!q)
        return;
    QUEUE_EACH_JOB (q, j)
        call(c, &j->obj);
}

/* The functions that follow walk one edge each, from the object to its neighbours. They
 * come in pairs, there and back. */
static void job_nodes(const struct model *m UNUSED, const struct object *from,
                      const struct caller *c)
{
    call_bookings(c, &TO_JOB(from)->bookings);
}

static void node_jobs(const struct model *m UNUSED, const struct object *from,
                      const struct caller *c)
{
    call_jobs(c, TO_NODE(from)->jobs, TO_NODE(from)->n_jobs);
}

static void job_queue(const struct model *m UNUSED, const struct object *from,
                      const struct caller *c)
{
    if (TO_JOB(from)->queue)
        call(c, &TO_JOB(from)->queue->obj);
}

static void queue_jobs(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    call_queue_jobs(c, TO_QUEUE(from));
}

static void job_resv(const struct model *m UNUSED, const struct object *from,
                     const struct caller *c)
{
    if (TO_JOB(from)->resv)
        call(c, &TO_JOB(from)->resv->obj);
}

static void resv_jobs(const struct model *m UNUSED, const struct object *from,
                      const struct caller *c)
{
    call_queue_jobs(c, TO_RESV(from)->queue);
}

static void resv_nodes(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    const struct occurrence *oc;

    call_bookings(c, &TO_RESV(from)->current.bookings);
    DL_FOREACH (TO_RESV(from)->later, oc)
        call_bookings(c, &oc->bookings);
}

static void resv_later(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    struct occurrence *oc;

    DL_FOREACH (TO_RESV(from)->later, oc)
        call(c, &STRUCT_OF(oc, struct later, occurrence)->obj);
}

static void later_resv(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    if (TO_LATER(from)->occurrence.resv)
        call(c, &TO_LATER(from)->occurrence.resv->obj);
}

static void later_nodes(const struct model *m UNUSED, const struct object *from,
                        const struct caller *c)
{
    call_bookings(c, &TO_LATER(from)->occurrence.bookings);
}

static void node_laters(const struct model *m UNUSED, const struct object *from,
                        const struct caller *c)
{
    const struct node *n = TO_NODE(from);

    for (size_t i = 0; i < n->n_occurrences; i++)
        if (!occurrence_is_current(n->occurrences[i]))
            call(c, &STRUCT_OF(n->occurrences[i], struct later, occurrence)->obj);
}

static void node_resvs(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    call_resvs(c, TO_NODE(from)->occurrences, TO_NODE(from)->n_occurrences);
}

static void resv_queue(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    if (TO_RESV(from)->queue)
        call(c, &TO_RESV(from)->queue->obj);
}

static void queue_resv(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    if (TO_QUEUE(from)->resv)
        call(c, &TO_QUEUE(from)->resv->obj);
}

static void node_queue(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    if (TO_NODE(from)->queue)
        call(c, &TO_NODE(from)->queue->obj);
}

/* Queues know only how many they have; who needs more of it may keep a list. */
static void queue_nodes(const struct model *m, const struct object *from,
                        const struct caller *c)
{
    if (TO_QUEUE(from)->n_nodes == 0)
        return;
    for (struct object *o = m->kinds[OBJ_NODE].first; o; o = o->next)
        if (TO_NODE(o)->queue == TO_QUEUE(from))
            call(c, o);
}

/* A vnode is shown otherwise when it is alone on its host: the first one becomes so, or
 * the second one does when the first one goes. */
static void node_first(const struct model *m UNUSED, const struct object *from,
                       const struct caller *c)
{
    const struct host *h = TO_NODE(from)->host;

    if (!h)
        return;
    call(c, &h->nodes->obj);
    if (h->nodes->host_next)
        call(c, &h->nodes->host_next->obj);
}

static void first_nodes(const struct model *m UNUSED, const struct object *from,
                        const struct caller *c)
{
    const struct host *h = TO_NODE(from)->host;

    if (!h || (h->nodes != TO_NODE(from) && h->nodes->host_next != TO_NODE(from)))
        return;
    for (struct node *n = h->nodes; n; n = n->host_next)
        call(c, &n->obj);
}

static void subjob_array(const struct model *m UNUSED, const struct object *from,
                         const struct caller *c)
{
    if (TO_JOB(from)->parent)
        call(c, &TO_JOB(from)->parent->obj);
}

static void array_subjobs(const struct model *m UNUSED, const struct object *from,
                          const struct caller *c)
{
    const struct job_array *a = TO_JOB(from)->array;

    for (struct job *j = a ? a->first : NULL; j; j = j->array_next)
        call(c, &j->obj);
}

/* The edges of a hot start lead from the jobs that are put back to whatever may keep
 * them from their old vnodes. Without such jobs they cost nothing. */
static void hot_job_queue(const struct model *m, const struct object *from,
                          const struct caller *c)
{
    if (TO_JOB(from)->hot)
        job_queue(m, from, c);
}

static void queue_hot_jobs(const struct model *m, const struct object *from,
                           const struct caller *c)
{
    /* Nearly always there are none, and then no job is visited. */
    if (m->n_hot == 0)
        return;
    QUEUE_EACH_JOB (TO_QUEUE(from), j)
        if (j->hot)
            call(c, &j->obj);
}

static void home_and_referrers(struct node *home, const struct caller *c)
{
    call(c, &home->obj);
    for (size_t i = 0; i < home->n_referrers; i++)
        call(c, &home->referrers[i]->obj);
}

/* The vnode, and those with which it shares a resource (indirect.h): what is free there
 * may be free here. */
static void sharing(struct node *n, const struct caller *c)
{
    home_and_referrers(n, c);
    for (size_t i = 0; i < n->n_borrowed; i++)
        home_and_referrers(n->borrowed[i].home, c);
}

static void sharing_with_bookings(const struct model *m, const struct bookings *list,
                                  const struct caller *c)
{
    if (m->n_hot == 0)
        return;
    for (size_t i = 0; i < list->n; i++)
        sharing(list->v[i].node, c);
}

static void jobs_on(void *arg, struct object *node)
{
    node_jobs(NULL, node, arg);
}

static void resv_of_later(void *arg, struct object *later)
{
    later_resv(NULL, later, arg);
}

static void resv_of_job(void *arg, struct object *job)
{
    job_resv(NULL, job, arg);
}

/* Those too that have a later occurrence there, or a job on a vnode that was taken from
 * them: a job stays no longer than its reservation. */
static void resvs_on(void *arg, struct object *node)
{
    const struct caller laters = { resv_of_later, arg };
    const struct caller jobs = { resv_of_job, arg };

    node_resvs(NULL, node, arg);
    node_laters(NULL, node, &laters);
    node_jobs(NULL, node, &jobs);
}

static void laters_on(void *arg, struct object *node)
{
    node_laters(NULL, node, arg);
}

static void awaiting(void *arg, struct object *node)
{
    call_jobs(arg, TO_NODE(node)->awaited, TO_NODE(node)->n_awaited);
}

static void hot_job_nodes(const struct model *m, const struct object *from,
                          const struct caller *c)
{
    sharing_with_bookings(m, &TO_JOB(from)->awaits, c);
}

static void node_hot_jobs(const struct model *m, const struct object *from,
                          const struct caller *c)
{
    /* Two edges are walked one after the other: to the vnodes, and from each of them to
     * who awaits it. */
    const struct caller then = { awaiting, (void *)c };

    if (m->n_hot > 0)
        sharing(STRUCT_OF(from, struct node, obj), &then);
}

static void hot_job_jobs(const struct model *m, const struct object *from,
                         const struct caller *c)
{
    const struct caller then = { jobs_on, (void *)c };

    sharing_with_bookings(m, &TO_JOB(from)->awaits, &then);
}

static void job_hot_jobs(const struct model *m, const struct object *from,
                         const struct caller *c)
{
    const struct caller then = { awaiting, (void *)c };

    sharing_with_bookings(m, &TO_JOB(from)->bookings, &then);
}

static void hot_job_resvs(const struct model *m, const struct object *from,
                          const struct caller *c)
{
    const struct caller then = { resvs_on, (void *)c };

    sharing_with_bookings(m, &TO_JOB(from)->awaits, &then);
}

static void resv_hot_jobs(const struct model *m, const struct object *from,
                          const struct caller *c)
{
    const struct caller then = { awaiting, (void *)c };
    const struct queue *queue = TO_RESV(from)->queue;
    const struct occurrence *oc;

    /* Later occurrences are in the way, too: a job must end before they begin. */
    sharing_with_bookings(m, &TO_RESV(from)->current.bookings, &then);
    DL_FOREACH (TO_RESV(from)->later, oc)
        sharing_with_bookings(m, &oc->bookings, &then);
    if (m->n_hot == 0 || !queue)
        return;
    QUEUE_EACH_JOB (queue, j)
        sharing_with_bookings(m, &j->bookings, &then);
}

static void hot_job_laters(const struct model *m, const struct object *from,
                           const struct caller *c)
{
    const struct caller then = { laters_on, (void *)c };

    sharing_with_bookings(m, &TO_JOB(from)->awaits, &then);
}

static void later_hot_jobs(const struct model *m, const struct object *from,
                           const struct caller *c)
{
    const struct caller then = { awaiting, (void *)c };

    sharing_with_bookings(m, &TO_LATER(from)->occurrence.bookings, &then);
}

static void server_jobs(const struct model *m, const struct object *from UNUSED,
                        const struct caller *c)
{
    /* Jobs depend on the server only while a hot start is on. */
    if (!hot_start_is_on(m))
        return;
    for (struct job *j = m->live; j; j = j->list_next)
        call(c, &j->obj);
}

static void job_server(const struct model *m, const struct object *from,
                       const struct caller *c)
{
    if (hot_start_is_on(m) && !TO_JOB(from)->past)
        call(c, m->server);
}

static void job_parents(const struct model *m UNUSED, const struct object *from,
                        const struct caller *c)
{
    call_jobs(c, TO_JOB(from)->parents, TO_JOB(from)->n_parents);
}

static void job_children(const struct model *m UNUSED, const struct object *from,
                         const struct caller *c)
{
    call_jobs(c, TO_JOB(from)->children, TO_JOB(from)->n_children);
}

static bool waits_for_the_past(const struct job *j)
{
    for (size_t i = 0; i < j->n_parents; i++)
        if (j->parents[i]->past)
            return true;
    return false;
}

/* Only checks walk this one: what leads to the server is asked of one job. */
static void server_waiting(const struct model *m, const struct object *from UNUSED,
                           const struct caller *c)
{
    for (struct job *j = m->live; j; j = j->list_next)
        if (waits_for_the_past(j))
            call(c, &j->obj);
}

static void waiting_server(const struct model *m, const struct object *from,
                           const struct caller *c)
{
    if (waits_for_the_past(TO_JOB(from)))
        call(c, m->server);
}

static void server_waited(const struct model *m, const struct object *from UNUSED,
                          const struct caller *c)
{
    for (struct job *j = m->waited; j; j = j->waited_next)
        call(c, &j->obj);
}

static void waited_server(const struct model *m, const struct object *from,
                          const struct caller *c)
{
    if (TO_JOB(from)->is_waited)
        call(c, m->server);
}

/* History ends with the job that became history first. */
static void server_oldest(const struct model *m, const struct object *from UNUSED,
                          const struct caller *c)
{
    const struct ranks *orders[] = { &m->history.kept, &m->history.guests };

    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        struct job *first = history_next(orders[i], NULL);

        if (first)
            call(c, &first->obj);
    }
}

static void oldest_server(const struct model *m, const struct object *from,
                          const struct caller *c)
{
    const struct job *job = TO_JOB(from);

    if (job->past && (history_next(&m->history.kept, NULL) == job ||
                      history_next(&m->history.guests, NULL) == job))
        call(c, m->server);
}

/* Only a job that its queue is to send on depends on it. */
static void routed_queue(const struct model *m, const struct object *from,
                         const struct caller *c)
{
    if (obj_num(from, JOB_A_QUEUE_TYPE, 'E') == 'R')
        job_queue(m, from, c);
}

/* A queue keeps its type as long as it has jobs. */
static bool routes(const struct object *queue)
{
    const char *type = obj_str(queue, QUEUE_A_QUEUE_TYPE, "");

    return *type == 'R' || *type == 'r';
}

static void queue_routed(const struct model *m UNUSED, const struct object *from,
                         const struct caller *c)
{
    if (!routes(from))
        return;
    QUEUE_EACH_JOB (TO_QUEUE(from), j)
        if (obj_num(&j->obj, JOB_A_QUEUE_TYPE, 'E') == 'R')
            call(c, &j->obj);
}

static const struct edge_row {
    const char *name;
    enum obj_kind from, to;
    enum edge back;
    void (*each)(const struct model *m, const struct object *from,
                 const struct caller *c);
    bool shown; /* a status of the ends shows something of where the edge begins */
    /* It shows more of that than links: a reservation lists who else was promised its
     * vnodes at that time, and the server counts all that changes. */
    enum lasts lasts;
} rows[EDGE_COUNT] = {
    /* clang-format off */
    [EDGE_JOB_NODES] = { "vnodes of a job", OBJ_JOB, OBJ_NODE, EDGE_NODE_JOBS,
                         job_nodes, true },
    [EDGE_NODE_JOBS] = { "jobs on a vnode", OBJ_NODE, OBJ_JOB, EDGE_JOB_NODES,
                         node_jobs, false },
    [EDGE_JOB_QUEUE] = { "queue of a job", OBJ_JOB, OBJ_QUEUE, EDGE_QUEUE_JOBS,
                         job_queue, true },
    [EDGE_QUEUE_JOBS] = { "jobs of a queue", OBJ_QUEUE, OBJ_JOB, EDGE_JOB_QUEUE,
                          queue_jobs, false },
    [EDGE_JOB_RESV] = { "reservation of a job", OBJ_JOB, OBJ_RESV, EDGE_RESV_JOBS,
                        job_resv, false },
    [EDGE_RESV_JOBS] = { "jobs of a reservation", OBJ_RESV, OBJ_JOB, EDGE_JOB_RESV,
                         resv_jobs, false },
    [EDGE_RESV_LATER] = { "later occurrences of a reservation", OBJ_RESV,
                          OBJ_OCCURRENCE, EDGE_LATER_RESV, resv_later, false },
    [EDGE_LATER_RESV] = { "reservation of a later occurrence", OBJ_OCCURRENCE, OBJ_RESV,
                          EDGE_RESV_LATER, later_resv, true },
    [EDGE_RESV_NODES] = { "vnodes of a reservation", OBJ_RESV, OBJ_NODE,
                          EDGE_NODE_RESVS, resv_nodes, true },
    [EDGE_NODE_RESVS] = { "reservations on a vnode", OBJ_NODE, OBJ_RESV,
                          EDGE_RESV_NODES, node_resvs, false, LASTS_A_WHILE },
    [EDGE_LATER_NODES] = { "vnodes of a later occurrence", OBJ_OCCURRENCE, OBJ_NODE,
                           EDGE_NODE_LATERS, later_nodes, true },
    [EDGE_NODE_LATERS] = { "later occurrences on a vnode", OBJ_NODE, OBJ_OCCURRENCE,
                           EDGE_LATER_NODES, node_laters, false },
    [EDGE_RESV_QUEUE] = { "queue of a reservation", OBJ_RESV, OBJ_QUEUE,
                          EDGE_QUEUE_RESV, resv_queue, false },
    [EDGE_QUEUE_RESV] = { "reservation of a queue", OBJ_QUEUE, OBJ_RESV,
                          EDGE_RESV_QUEUE, queue_resv, false },
    [EDGE_NODE_QUEUE] = { "queue of a vnode", OBJ_NODE, OBJ_QUEUE, EDGE_QUEUE_NODES,
                          node_queue, true },
    [EDGE_QUEUE_NODES] = { "vnodes of a queue", OBJ_QUEUE, OBJ_NODE, EDGE_NODE_QUEUE,
                           queue_nodes, false },
    [EDGE_NODE_FIRST] = { "first vnodes of a vnode's host", OBJ_NODE, OBJ_NODE,
                          EDGE_FIRST_NODES, node_first, true },
    [EDGE_FIRST_NODES] = { "vnodes of a first vnode's host", OBJ_NODE, OBJ_NODE,
                           EDGE_NODE_FIRST, first_nodes, false },
    [EDGE_SUBJOB_ARRAY] = { "array of a subjob", OBJ_JOB, OBJ_JOB, EDGE_ARRAY_SUBJOBS,
                            subjob_array, true },
    [EDGE_ARRAY_SUBJOBS] = { "subjobs of an array", OBJ_JOB, OBJ_JOB, EDGE_SUBJOB_ARRAY,
                             array_subjobs, false },
    [EDGE_HOT_JOB_QUEUE] = { "queue of a job that is put back", OBJ_JOB, OBJ_QUEUE,
                             EDGE_QUEUE_HOT_JOBS, hot_job_queue, false },
    [EDGE_QUEUE_HOT_JOBS] = { "jobs of a queue that are put back", OBJ_QUEUE, OBJ_JOB,
                              EDGE_HOT_JOB_QUEUE, queue_hot_jobs, false },
    [EDGE_HOT_JOB_NODES] = { "vnodes where a job is put back", OBJ_JOB, OBJ_NODE,
                             EDGE_NODE_HOT_JOBS, hot_job_nodes, false },
    [EDGE_NODE_HOT_JOBS] = { "jobs that are put back on a vnode", OBJ_NODE, OBJ_JOB,
                             EDGE_HOT_JOB_NODES, node_hot_jobs, false },
    [EDGE_HOT_JOB_JOBS] = { "jobs where a job is put back", OBJ_JOB, OBJ_JOB,
                            EDGE_JOB_HOT_JOBS, hot_job_jobs, false },
    [EDGE_JOB_HOT_JOBS] = { "jobs that are put back where a job is", OBJ_JOB, OBJ_JOB,
                            EDGE_HOT_JOB_JOBS, job_hot_jobs, false },
    [EDGE_HOT_JOB_RESVS] = { "reservations where a job is put back", OBJ_JOB, OBJ_RESV,
                             EDGE_RESV_HOT_JOBS, hot_job_resvs, false },
    [EDGE_RESV_HOT_JOBS] = { "jobs that are put back where a reservation is", OBJ_RESV,
                             OBJ_JOB, EDGE_HOT_JOB_RESVS, resv_hot_jobs, false },
    [EDGE_HOT_JOB_LATERS] = { "later occurrences where a job is put back", OBJ_JOB,
                              OBJ_OCCURRENCE, EDGE_LATER_HOT_JOBS, hot_job_laters,
                              false },
    [EDGE_LATER_HOT_JOBS] = { "jobs that are put back where a later occurrence is",
                              OBJ_OCCURRENCE, OBJ_JOB, EDGE_HOT_JOB_LATERS,
                              later_hot_jobs, false },
    [EDGE_SERVER_JOBS] = { "jobs of the server", OBJ_SERVER, OBJ_JOB, EDGE_JOB_SERVER,
                           server_jobs, false },
    [EDGE_JOB_SERVER] = { "server of a job", OBJ_JOB, OBJ_SERVER, EDGE_SERVER_JOBS,
                          job_server, false, LASTS_NEVER },
    [EDGE_JOB_PARENTS] = { "jobs that a job waits for", OBJ_JOB, OBJ_JOB,
                           EDGE_JOB_CHILDREN, job_parents, true },
    [EDGE_JOB_CHILDREN] = { "jobs that wait for a job", OBJ_JOB, OBJ_JOB,
                            EDGE_JOB_PARENTS, job_children, false },
    [EDGE_SERVER_WAITING] = { "jobs that wait for history", OBJ_SERVER, OBJ_JOB,
                              EDGE_WAITING_SERVER, server_waiting, false },
    [EDGE_WAITING_SERVER] = { "server whose history a job waits for", OBJ_JOB,
                              OBJ_SERVER, EDGE_SERVER_WAITING, waiting_server, false },
    [EDGE_SERVER_WAITED] = { "jobs awaited elsewhere", OBJ_SERVER, OBJ_JOB,
                             EDGE_WAITED_SERVER, server_waited, false },
    [EDGE_WAITED_SERVER] = { "server of a job awaited elsewhere", OBJ_JOB, OBJ_SERVER,
                             EDGE_SERVER_WAITED, waited_server, false },
    [EDGE_SERVER_OLDEST] = { "oldest history of the server", OBJ_SERVER, OBJ_JOB,
                             EDGE_OLDEST_SERVER, server_oldest, false },
    [EDGE_OLDEST_SERVER] = { "server of the oldest history", OBJ_JOB, OBJ_SERVER,
                             EDGE_SERVER_OLDEST, oldest_server, false },
    [EDGE_ROUTED_QUEUE] = { "routing queue of a job", OBJ_JOB, OBJ_QUEUE,
                            EDGE_QUEUE_ROUTED, routed_queue, false },
    [EDGE_QUEUE_ROUTED] = { "jobs that a queue routes", OBJ_QUEUE, OBJ_JOB,
                            EDGE_ROUTED_QUEUE, queue_routed, false },
    /* clang-format on */
};

struct reader {
    edge_fn fn;
    void *arg;
};

static void read_end(void *arg, struct object *to)
{
    const struct reader *r = arg;

    r->fn(r->arg, to);
}

void edge_each(const struct model *m, enum edge e, const struct object *from,
               edge_fn fn, void *arg)
{
    struct reader r = { fn, arg };
    const struct caller c = { read_end, &r };

    /* An edge begins at objects of one kind; a rule that asks another one is wrong. */
    MUST(e < EDGE_COUNT && from->kind == rows[e].from);
    rows[e].each(m, from, &c);
}

static void end_looks_new(void *arg, struct object *to)
{
    looks_new(arg, to);
}

void ends_look_new(struct model *m, const struct object *o)
{
    const struct caller c = { end_looks_new, m };

    for (size_t e = 0; e < EDGE_COUNT; e++)
        /* Only edges of which a status shows something make the other end look new. */
        if (rows[e].shown && rows[e].from == o->kind)
            rows[e].each(m, o, &c);
}

enum lasts kind_lasts(enum obj_kind kind)
{
    bool is_end = false;
    enum lasts least = LASTS;

    MUST(kind < OBJ_KIND_COUNT);
    for (size_t e = 0; e < EDGE_COUNT; e++) {
        if (rows[e].to != kind)
            continue;
        is_end = true;
        least = MAX_OF(least, rows[e].lasts);
    }
    return is_end ? least : LASTS_NEVER;
}

bool edge_leads_to_queue(enum edge e)
{
    return e == EDGE_QUEUE_ROUTED || e == EDGE_RESV_JOBS;
}

const struct queue *edge_queue(enum edge e, const struct object *from)
{
    MUST(edge_leads_to_queue(e) && from->kind == rows[e].from);
    if (e == EDGE_RESV_JOBS)
        return TO_RESV(from)->queue;
    return routes(from) ? TO_QUEUE(from) : NULL;
}

const char *edge_name(enum edge e)
{
    MUST(e < EDGE_COUNT);
    return rows[e].name;
}

enum obj_kind edge_from(enum edge e)
{
    MUST(e < EDGE_COUNT);
    return rows[e].from;
}

enum obj_kind edge_to(enum edge e)
{
    MUST(e < EDGE_COUNT);
    return rows[e].to;
}

enum edge edge_back(enum edge e)
{
    MUST(e < EDGE_COUNT);
    return rows[e].back;
}
