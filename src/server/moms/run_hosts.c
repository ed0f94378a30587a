/* run_hosts.c - the MoMs that have, or may have, a part of a run.
 *
 * The mother superior tells the others when a run is over, and she may be away, or be
 * lost for ever, or have lost her streams. So when a run ends without her word each of
 * them is told by the server as well. One that is away is told when it registers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/moms_priv.h"

#include <stdlib.h>

static void add(struct mom_job *j, struct mom *mom)
{
    j->hosts = xrealloc(j->hosts, (j->n_hosts + 1) * sizeof(struct mom *));
    j->hosts[j->n_hosts++] = mom;
}

void run_forget_hosts(struct mom_job *j)
{
    free(j->hosts);
    j->hosts = NULL;
    j->n_hosts = 0;
}

void run_note_hosts(const struct moms *ms, struct mom_job *j, const struct job *job)
{
    run_forget_hosts(j);
    for (size_t i = 0; i < job->bookings.n; i++) {
        struct mom *mom = mom_of_node(ms, job->bookings.v[i].node->obj.id);

        /* Vnodes of a host stand side by side mostly, and to be told twice does no
         * harm. */
        if (mom && (j->n_hosts == 0 || j->hosts[j->n_hosts - 1] != mom))
            add(j, mom);
    }
}

void run_note_host(struct mom_job *j, struct mom *mom)
{
    for (size_t i = 0; i < j->n_hosts; i++)
        if (j->hosts[i] == mom)
            return;
    add(j, mom);
}

void run_discard(struct moms_turn *t, const struct mom_job *j, const struct job *job)
{
    /* What a sister has of a job that is gone may be of an earlier run. */
    int64_t any = job && j->run_version > 0 ? j->run_version : -1;

    for (size_t i = 0; i < j->n_hosts; i++) {
        const struct mom *mom = j->hosts[i];

        if (mom->registered)
            mom_discard(t, mom, j->id, mom == j->mom ? j->run_version : any);
    }
}
