/* mom_actions.c - what a MoM says of jobs and vnodes for its hooks (tpp.md 5.2): it is
 * acknowledged, since she says it again behind each hello until it is.
 *
 * That a job has left a host is known here from the job's mother superior (release.c).
 * This server gives its MoMs no hooks yet, so that anything else comes of hooks that a
 * MoM still has of another server's; that is not done, and the log says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/moms_priv.h"

static void acknowledge(struct moms_turn *t, const struct mom *mom,
                        enum is_command type, size_t n, struct is_acked *ids)
{
    const struct is_message ack = { .command = IS_HOOK_ACTION_ACK,
                                    .acked_type = (int32_t)type,
                                    .n_acked = n,
                                    .acked = ids };

    mom_send(t, mom, &ack);
}

void mom_take_actions(struct moms_turn *t, const struct mom *mom,
                      const struct is_message *msg)
{
    struct is_acked *ids =
        ARENA_ARRAY(t->effects->arena, struct is_acked, msg->n_actions + 1);

    for (size_t i = 0; i < msg->n_actions; i++) {
        const struct is_job_action *a = &msg->actions[i];

        ids[i].id = a->id;
        if (a->action != IS_ACTION_DEALLOCATE)
            effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_JOB, a->job_id,
                       "a hook of the MoM %s asks for action %d, which is not done: "
                       "this server gives MoMs no hooks",
                       mom->host, a->action);
    }
    acknowledge(t, mom, IS_HOOK_JOB_ACTION, msg->n_actions, ids);
}

void mom_take_hook_update(struct moms_turn *t, const struct mom *mom,
                          const struct is_message *msg)
{
    struct is_acked *id = ARENA_NEW(t->effects->arena, struct is_acked);

    id->id = msg->action_id;
    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_NODE, mom->host,
               "a hook of the MoM changes vnodes, which is not done: this server gives "
               "MoMs no hooks");
    /* Both kinds are acknowledged as the first one. */
    acknowledge(t, mom, IS_UPDATE_FROM_HOOK, 1, id);
}
