/* job_rules.c - what follows for a job from the time and from what it depends on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "lib/attr/server_attrs.h"
#include "lib/base/instant.h"
#include "server/decide/job_end.h"
#include "server/decide/job_over.h"
#include "server/decide/node_used.h"
#include "server/model/job_exit.h"
#include "server/model/job_hosts.h"
#include "server/model/job_phase.h"
#include "server/model/node_life.h"
#include "server/rules/rules.h"

#define NODE_FAIL_REQUEUE_S 310

/* A job that waits for its time goes where it belongs when the time has come. A time
 * that has come is not shown any more, also of a job that is held then, or had passed
 * when it was asked for (cli.md 1.9). */
int64_t job_time_deadline(const struct model *m UNUSED, const struct object *o)
{
    char state = job_state(TO_JOB(o));

    if (state != 'W' && state != 'H' && state != 'Q')
        return INT64_MAX;
    /* A job that waits for no time does not wait. */
    return obj_num(o, JOB_A_EXECUTION_TIME, state == 'W' ? 0 : INT64_MAX);
}

bool job_time_due(const struct rule_context *c, const struct object *o,
                  struct decision *out)
{
    struct record *rec;

    if (job_time_deadline(c->m, o) > c->now_at)
        return false;
    rec = rule_decide(c, o, FACT_JOB_MODIFIED, out);
    record_change(rec, out->arena, JOB_A_EXECUTION_TIME, NULL, NULL);
    if (job_state(TO_JOB(o)) == 'W')
        record_job_event(rec, out->arena, TO_JOB(o),
                         job_place_now(TO_JOB(o), c->now_at, out->arena), c->now_at);
    return true;
}

/* How long the server waits for the MoM of a job before it gives the run up. */
static int64_t fail_requeue_s(const struct model *m, char state)
{
    int64_t s = obj_num(m->server, SERVER_A_NODE_FAIL_REQUEUE, NODE_FAIL_REQUEUE_S);

    if (s < 0)
        return 1;
    if (s == 0) /* never; but a job that has ended does not wait for ever */
        return state == 'E' ? NODE_FAIL_REQUEUE_S : INT64_MAX;
    return s;
}

int64_t job_node_fail_deadline(const struct model *m, const struct object *o)
{
    const struct job *job = TO_JOB(o);
    const struct node *n = job_first_node(job);

    if (!job_is_at_mom(job) || !n || node_may_be_reached(n))
        return INT64_MAX;
    return instant_after(obj_num(&n->obj, NODE_A_LAST_STATE_CHANGE_TIME, 0),
                         fail_requeue_s(m, job_state(job)));
}

/* End a run without its MoM. */
static void end_alone(const struct rule_context *c, const struct job *job,
                      const char *node, struct decision *out)
{
    int64_t status = obj_num(&job->obj, JOB_A_EXIT_STATUS, 0);
    struct record *rec;

    if (job_state(job) == 'R') {
        status = JOB_EXIT_MS_FAIL;
        rec = rule_decide(c, &job->obj, FACT_JOB_OBIT, out);
        rec->reason = REASON_NODE_LOST;
        rec->note =
            arena_printf(out->arena, "Job deleted, execution node %s down", node);
        record_job_event(rec, out->arena, job, JOB_EV_END, c->now_at);
        record_change_num(rec, out->arena, JOB_A_EXIT_STATUS, status);
        record_change_num(rec, out->arena, JOB_A_OBITTIME, c->now_at);
        record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, NULL);
    }
    nodes_used_records(&job->bookings, c->server_actor, c->now_at, out);
    job_over_record(c->m, job, c->server_actor, c->now_at, status, out);
}

bool job_node_fail_due(const struct rule_context *c, const struct object *o,
                       struct decision *out)
{
    const struct job *job = TO_JOB(o);
    const char *node;

    if (job_node_fail_deadline(c->m, o) > c->now_at)
        return false;
    MUST(job_is_at_mom(job)); /* the others have no deadline */
    node = job_first_node(job)->obj.id;
    if (job_state(job) == 'E' && obj_num(o, JOB_A_HF_REQUEUE, 0)) {
        struct record *rec = rule_decide(c, o, FACT_JOB_REQUEUED, out);

        job_back_in_queue(job, rec, obj_str(o, JOB_A_HF_OBIT_COMMENT, NULL), c->now_at,
                          out);
    } else if (job_state(job) == 'R' && obj_num(o, JOB_A_RERUNABLE, 1) &&
               !obj_is_set(o, JOB_A_HF_KILL_BY)) {
        job_requeue_records(
            job, c->server_actor, c->now_at, JOB_EXIT_MS_FAIL,
            arena_printf(out->arena, "Job requeued, execution node %s down", node),
            out);
    } else {
        end_alone(c, job, node, out);
    }
    return true;
}
