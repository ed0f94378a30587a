/* left_hosts.c - what the server is told when a job has left this host (tpp.md 5.2,
 * 6.5): HOOK_JOB_ACTION, kept until it is acknowledged and said again behind each
 * REPLYHELLO.
 *
 * Our server has the host free when the mother superior says that it is. One of another
 * make waits for this.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

/* A server that acknowledges nothing is told of the last ones only. */
#define MOST_UNHEARD 1000

struct left_host {
    uint64_t id; /* of the action */
    char *job_id;
    int32_t run_version;
    struct left_host *prev, *next;
};

static void forget(struct mom *m, struct left_host *l)
{
    DL_DELETE(m->left, l);
    m->n_left--;
    free(l->job_id);
    free(l);
}

static void send_some(struct mom *m, struct left_host *first, struct mom_out *out)
{
    struct is_message msg = { .command = IS_HOOK_JOB_ACTION };

    if (!m->registered || !first)
        return;
    msg.actions = ARENA_ARRAY(out->arena, struct is_job_action, m->n_left);
    for (struct left_host *l = first; l; l = l->next)
        msg.actions[msg.n_actions++] =
            (struct is_job_action){ .job_id = arena_strdup(out->arena, l->job_id),
                                    .id = l->id,
                                    .run_version = l->run_version,
                                    .action = IS_ACTION_DEALLOCATE };
    MUST(msg.n_actions <= m->n_left);
    out_send(out, m->server, &msg);
}

void left_host_tell(struct mom *m, const struct mom_job *j, struct mom_out *out)
{
    struct left_host *l = xcalloc(1, sizeof(*l));

    if (m->n_left == MOST_UNHEARD)
        forget(m, m->left);
    *l = (struct left_host){ .id = ++m->last_action,
                             .job_id = xstrdup(j->id),
                             .run_version = j->run_version };
    DL_APPEND(m->left, l);
    m->n_left++;
    send_some(m, l, out);
}

void left_hosts_tell_again(struct mom *m, struct mom_out *out)
{
    send_some(m, m->left, out);
}

void left_hosts_heard(struct mom *m, const struct is_message *ack)
{
    struct left_host *l, *next;

    if (ack->acked_type != IS_HOOK_JOB_ACTION)
        return;
    for (size_t i = 0; i < ack->n_acked; i++)
        DL_FOREACH_SAFE (m->left, l, next)
            if (l->id == ack->acked[i].id) {
                forget(m, l);
                break;
            }
}

void left_hosts_free(struct mom *m)
{
    while (m->left)
        forget(m, m->left);
}
