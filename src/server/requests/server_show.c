/* server_show.c - what a status computes of the server, a queue and a scheduler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/config.h"
#include "server/decide/sched_link.h"
#include "server/model/history.h"
#include "server/model/hook_event.h"
#include "server/model/hot_start.h"
#include "server/requests/show.h"

#include <string.h>

/* What doc/extensions.md lists, as names joined by commas. */
#define EXTENSIONS                                                                     \
    EXTENSION_CHANGES "," EXTENSION_WHY "," EXTENSION_ON_END "," EXTENSION_AUTO_EXTEND \
                      "," EXTENSION_DRY_RUN "," EXTENSION_OCCURRENCE                   \
                      "," EXTENSION_PUSH "," EXTENSION_RELEASE "," EXTENSION_ANSWERS

static const char *state_count(const struct request *rq, const size_t *n)
{
    return arena_printf(rq->arena,
                        "Transit:%zu Queued:%zu Held:%zu Waiting:%zu Running:%zu "
                        "Exiting:%zu Begun:%zu ",
                        n[job_state_index('T')], n[job_state_index('Q')],
                        n[job_state_index('H')], n[job_state_index('W')],
                        n[job_state_index('R')], n[job_state_index('E')],
                        n[job_state_index('B')]);
}

static int64_t total(const size_t *n_state, size_t n_subjobs)
{
    size_t sum = 0;

    for (size_t i = 0; i < strlen(JOB_STATE_LETTERS); i++)
        sum += n_state[i];
    return (int64_t)(sum - n_subjobs);
}

static const char *server_state(const struct model *m, const struct request *rq)
{
    /* The order matters: an end hides everything else, and a hot start hides what the
     * scheduler does. */
    if (rq->view->stopping == STOP_DELAYED)
        return "Terminating_Delay";
    if (rq->view->stopping)
        return "Terminating";
    if (hot_start_is_on(m))
        return "Hot_Start";
    if (!obj_num(m->server, SERVER_A_SCHEDULING, 1))
        return "Idle";
    if (strcmp(sched_link_state(rq->view->links, "default"), "scheduling") == 0)
        return "Scheduling";
    return "Active";
}

/* Schedulers wait differently for a server that will ask a hook. */
static bool has_runjob_hook(const struct model *m)
{
    MODEL_EACH (m, OBJ_HOOK, o) {
        if (obj_num(o, HOOK_A_ENABLED, 1) &&
            (hook_events_of(obj_str(o, HOOK_A_EVENT, "")) & HOOK_RUNJOB))
            return true;
    }
    return false;
}

bool show_server(const struct model *m, const struct request *rq,
                 const struct object *o, int attr, struct wire_attrs *out)
{
    switch (attr) {
    case SERVER_A_SERVER_STATE:
        show_text(rq, o, attr, server_state(m, rq), out);
        return true;
    case SERVER_A_SERVER_HOST:
        show_text(rq, o, attr, rq->cfg->server_host, out);
        return true;
    case SERVER_A_TOTAL_JOBS:
        show_num(rq, o, attr, total(m->n_state, m->n_subjobs), out);
        return true;
    case SERVER_A_STATE_COUNT:
        show_text(rq, o, attr, state_count(rq, m->n_state), out);
        return true;
    case SERVER_A_RESOURCES_ASSIGNED:
        show_resources(rq, o, attr, &m->assigned.shown, out);
        return true;
    /* There is no licensing; the numbers are what clients of PBS expect of a server
     * without limits. */
    case SERVER_A_LICENSE_COUNT:
        show_text(rq, o, attr,
                  "Avail_Global:1000000 Avail_Local:1000000 Used:0 High_Use:0", out);
        return true;
    case SERVER_A_PBS_VERSION:
        show_text(rq, o, attr, rq->cfg->version, out);
        return true;
    case SERVER_A_HAS_RUNJOB_HOOK:
        show_num(rq, o, attr, has_runjob_hook(m), out);
        return true;
    case SERVER_A_HOLDFAST_EXTENSIONS:
        show_text(rq, o, attr, EXTENSIONS, out);
        return true;
    case SERVER_A_HOLDFAST_VERSION:
        show_text(rq, o, attr, rq->cfg->holdfast_version, out);
        return true;
    default:
        return false;
    }
}

bool show_queue(const struct model *m, const struct request *rq, const struct object *o,
                int attr, struct wire_attrs *out)
{
    MUST(o->kind == OBJ_QUEUE);

    const struct queue *q = TO_QUEUE(o);

    (void)m;
    switch (attr) {
    case QUEUE_A_TOTAL_JOBS:
        show_num(rq, o, attr,
                 total(q->n_state, q->n_subjobs) + (int64_t)history_of_queue(m, o->id),
                 out);
        return true;
    case QUEUE_A_STATE_COUNT:
        show_text(rq, o, attr, state_count(rq, q->n_state), out);
        return true;
    case QUEUE_A_RESOURCES_ASSIGNED:
        show_resources(rq, o, attr, &q->assigned.shown, out);
        return true;
    /* The attribute is shown only when vnodes belong to the queue. */
    case QUEUE_A_HASNODES:
        if (q->n_nodes > 0)
            show_num(rq, o, attr, 1, out);
        return true;
    default:
        return false;
    }
}

bool show_sched(const struct model *m, const struct request *rq, const struct object *o,
                int attr, struct wire_attrs *out)
{
    (void)m;
    if (attr != SCHED_A_STATE)
        return false;
    show_text(rq, o, attr, sched_link_state(rq->view->links, o->id), out);
    return true;
}
