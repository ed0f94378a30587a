/* in_step.c - the tasks of a job run on all of its hosts, or stand on all of them
 * (tpp.md 7.4).
 *
 * The mother superior's own phase says which. For each other host she keeps what it has
 * said last, or that she does not know: an order was not answered, or she was killed
 * between her order and her own record. A host that is not as she is, is told so when
 * nobody else's order is under way, and when it is heard of. So it does not matter
 * where an order was lost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

static bool is_stop_or_go(enum im_command command)
{
    return command == IM_SUSPEND || command == IM_RESUME;
}

void in_step_heard(struct mom_job *j, size_t host, enum im_command command,
                   bool is_done)
{
    if (!is_stop_or_go(command))
        return;
    MUST(host < j->hosts.n && host != j->hosts.own);
    j->hosts.v[host].stance = !is_done                ? STANCE_UNKNOWN
                              : command == IM_SUSPEND ? STANCE_STANDS
                                                      : STANCE_RUNS;
}

static bool is_asked(const struct mom_job *j, size_t host)
{
    const struct asked *a;

    DL_FOREACH (j->asked, a)
        if (a->host == host && is_stop_or_go(a->command))
            return true;
    return false;
}

void in_step_settle(struct mom *m, struct mom_job *j, size_t host, struct mom_out *out)
{
    bool stands = j->phase == JOB_SUSPENDED;
    const struct job_host *h = &j->hosts.v[host];

    MUST(host < j->hosts.n && !j->is_sister);
    /* The phase is about to change, and all hosts are asked for that. */
    if (j->waiter_msgid && is_stop_or_go(j->waits_for))
        return;
    if (!job_has_processes(j) || !h->is_member || is_asked(j, host) ||
        h->stance == (stands ? STANCE_STANDS : STANCE_RUNS))
        return;
    m->last_event++;
    asked_add(m, j, host, stands ? IM_SUSPEND : IM_RESUME, out);
}

void in_step_settle_all(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    for (size_t i = 0; i < j->hosts.n; i++)
        in_step_settle(m, j, i, out);
}

void in_step_recover(struct mom_job *j)
{
    for (size_t i = 0; i < j->hosts.n; i++)
        if (j->hosts.v[i].is_member)
            j->hosts.v[i].stance = STANCE_UNKNOWN;
}
