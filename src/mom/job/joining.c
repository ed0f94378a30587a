/* joining.c - how a job over several hosts begins (tpp.md 7.3): its other hosts join,
 * and are ready, before its top task starts.
 *
 * Whoever is not ready ends the start, unless the job may go on without hosts that have
 * failed: then these leave it before it begins (doc/design/079).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/base/instant.h"

/* Exit statuses (execution.md 20). */
#define STATUS_RESTART     (-7)
#define STATUS_HOOK_RERUN  (-16)
#define STATUS_HOOK_DELETE (-17)
#define STATUS_JOIN        (-30)

void superior_begin(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    (void)m;
    MUST(j->phase == JOB_PRERUN && !j->is_sister && j->hosts.n > 1);
    j->is_joining = true;
    j->joins_by = IM_ALL_OKAY;
    out_job(out, MOM_PREPARE, j);
}

static void ask(struct mom *m, int64_t now_at, struct mom_job *j,
                enum im_command command, int64_t limit_s, struct mom_out *out)
{
    j->joins_by = command;
    j->answer_by = instant_after(now_at, limit_s);
    life_reckon(m, j);
    superior_ask_members(m, j, command, out);
}

void mom_prepared(struct mom *m, int64_t now_at, const char *job_id, const char *cookie,
                  uint16_t out_port, uint16_t err_port, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    /* The executor answers late: the server may have taken the job back meanwhile. */
    if (!j || !j->is_joining || j->phase != JOB_PRERUN || j->is_dropped)
        return;
    if (!cookie) {
        superior_give_up(m, now_at, j, STATUS_RETRY, out);
        return;
    }
    mom_set_cookie(m, job_id, cookie);
    j->out_port = out_port;
    j->err_port = err_port;
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].is_member = i != j->hosts.own;
    /* A restart must know whom to tell that the job is over. */
    out_job(out, MOM_SAVE, j);
    ask(m, now_at, j, IM_JOIN_JOB, m->cfg.join_alarm_s, out);
}

static bool image_stays(struct mom_job *j, int32_t status)
{
    /* It is the status of the end if none was set before. */
    life_preset(j, status);
    return job_is_to_rest(j);
}

/* Nothing of the job has begun there, or the image is not wanted, so nobody has to end
 * anything first: these are not answered (tpp.md 7.2). */
static void abort_members(struct mom *m, struct mom_job *j, int32_t status,
                          struct mom_out *out)
{
    /* The other hosts keep the images that the start began with as this one does. */
    bool drops = j->checkpoint.is_restart && !image_stays(j, status);

    superior_tell_members(m, j, drops ? IM_DELETE_JOB : IM_ABORT_JOB, out);
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].is_member = false;
}

void superior_give_up(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
                      struct mom_out *out)
{
    bool has_begun;

    MUST(j->is_joining);
    has_begun = j->joins_by == IM_RESTART && image_stays(j, status);
    j->is_joining = false;
    j->answer_by = INT64_MAX;
    asked_drop_all(j);
    /* Hosts that have restored their tasks end them as those of any run: their images
     * can be begun with again when the tasks are gone, and life_end() waits for that.
     */
    if (!has_begun)
        abort_members(m, j, status, out);
    life_end(m, now_at, j, status, out);
}

/* What the server is told of a start that failed (tpp.md 7.3): a hook's word as it is,
 * a host that was not reached by a number of its own, and all else is worth another
 * attempt. */
static int32_t status_of_join(int32_t code)
{
    switch (code) {
    case PBSE_HOOK_REJECT_RERUNJOB:
        return STATUS_HOOK_RERUN;
    case PBSE_HOOK_REJECT_DELETEJOB:
        return STATUS_HOOK_DELETE;
    case PBSE_SISCOMM:
        return STATUS_JOIN;
    default:
        return STATUS_RETRY;
    }
}

/* What the image has on a host that fails could not be brought back on the others. */
static bool tolerates(const struct mom_job *j)
{
    return job_tolerates_failures(j) && !j->checkpoint.is_restart;
}

void joining_failed(struct mom_job *j, const struct asked *a, int32_t code,
                    struct mom_out *out)
{
    struct job_host *h = &j->hosts.v[a->host];

    out_joblog(out, LOG_EV_ERROR, j,
               "job_start_error %d from node %s could not %s successfully", code,
               h->name, im_command_name(a->command));
    if (tolerates(j))
        h->has_failed = true;
    else if (a->command == IM_RESTART && code != PBSE_SISCOMM)
        j->start_status = STATUS_RESTART;
    else
        j->start_status = status_of_join(code);
}

static bool some_have_failed(const struct mom_job *j)
{
    for (size_t i = 0; i < j->hosts.n; i++)
        if (j->hosts.v[i].has_failed)
            return true;
    return false;
}

void joining_step(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    MUST(j->is_joining && j->joins_by);
    if (!j->start_status && some_have_failed(j) && !superior_prune(m, j, out))
        j->start_status = STATUS_JOIN;
    if (j->start_status) {
        superior_give_up(m, now_at, j, j->start_status, out);
        return;
    }
    /* Only those that may fail are asked: sisters run their prologues by themselves
     * otherwise. */
    if (j->joins_by == IM_JOIN_JOB && tolerates(j) && superior_n_members(j) > 0) {
        out_joblog(out, LOG_EV_DEBUG, j,
                   "waiting up to %" PRId64 " secs ($job_launch_delay) for mom hosts "
                   "status and prologue hooks ack",
                   m->cfg.launch_delay_s);
        ask(m, now_at, j, IM_EXEC_PROLOGUE, m->cfg.launch_delay_s, out);
        return;
    }
    if (j->joins_by != IM_RESTART && j->checkpoint.is_restart &&
        superior_n_members(j) > 0) {
        ask(m, now_at, j, IM_RESTART, image_limit_s(m, IM_RESTART), out);
        return;
    }
    j->is_joining = false;
    j->joins_by = IM_ALL_OKAY;
    j->answer_by = INT64_MAX;
    life_reckon(m, j);
    life_start_top(m, j, out);
}
