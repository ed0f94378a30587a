/* job_groups.c - see job_groups.h. Which groups there are is read from the kernel and
 * kept nowhere else, so a MoM that was killed leaves nothing that the next one does not
 * find.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/job_groups.h"

#include "mom/shell/cgroup.h"
#include "mom/shell/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define AGAIN_MS 200 /* what was killed takes a moment to go */

static void on_again(void *arg)
{
    job_groups_sweep(arg);
}

/* Two MoMs of one host, in trials, may be given the same directory. */
static void prefix_of(const struct shell *s, char *ret, size_t size)
{
    snprintf(ret, size, "%s:", s->node_name);
    for (char *c = ret; *c; c++)
        if (*c == '/')
            *c = '_';
}

static void say_missing(struct shell *s, unsigned missing, const struct diag *why)
{
    for (unsigned bit = 1; bit <= CGROUP_ALL; bit <<= 1)
        if (missing & bit)
            logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_SERVER, "cgroups",
                           "controller %s is not to be had in %s, jobs are not limited "
                           "by it: %s",
                           cgroup_controller_name(bit), s->config.cgroup_root,
                           why->text);
}

void job_groups_open(struct shell *s)
{
    char prefix[sizeof(s->node_name) + 1];
    const struct cgroup_config cfg = { .root = s->config.cgroup_root,
                                       .prefix = prefix,
                                       .controllers = s->config.cgroup_controllers };
    unsigned missing;
    struct diag why;

    if (!cfg.root)
        return;
    prefix_of(s, prefix, sizeof(prefix));
    if (cgroup_open(&cfg, &s->groups, &missing, &why) != 0) {
        logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_SERVER, "cgroups",
                       "not available, jobs have no groups: %s", why.text);
        return;
    }
    s->groups_again = loop_timer_new(s->loop, on_again, s);
    say_missing(s, missing, &why);
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "cgroups",
                   "jobs have groups in %s", cfg.root);
}

void job_groups_close(struct shell *s)
{
    if (!s->groups)
        return;
    loop_timer_free(s->groups_again);
    cgroup_close(s->groups);
    s->groups = NULL;
}

/* vmem is memory and what of it was put aside: the kernel limits the two apart. */
static struct cgroup_limits limits_of(const struct shell *s,
                                      const struct mom_share *share)
{
    struct cgroup_limits l = { .mem_kb = MIN_OF(share->mem_kb, share->vmem_kb),
                               .swap_kb = CGROUP_NO_LIMIT,
                               .ncpus = share->ncpus,
                               .pids = s->config.cgroup_pids ? s->config.cgroup_pids
                                                             : CGROUP_NO_LIMIT };

    if (share->vmem_kb != INT64_MAX)
        l.swap_kb = share->vmem_kb - l.mem_kb;
    return l;
}

static void say_shares(struct shell *s, const char *job_id, int64_t ncpus)
{
    logfile_printf(s->log, LOG_EV_DEBUG2, LOG_IN_JOB, job_id,
                   "no %" PRId64 " processors are left for this job alone", ncpus);
}

int job_groups_enter(struct shell *s, const char *job_id, bool is_first, int *ret_door,
                     struct diag *why)
{
    struct cgroup_limits limits;
    struct mom_share share;
    bool shares = false;

    *ret_door = -1;
    if (!s->groups || !mom_job_share(s->mom, job_id, &share))
        return 0;
    limits = limits_of(s, &share);
    if ((is_first || !cgroup_exists(s->groups, job_id)) &&
        cgroup_make(s->groups, job_id, &limits, &shares, why) != 0)
        return why->code;
    if (shares)
        say_shares(s, job_id, limits.ncpus);
    *ret_door = cgroup_door(s->groups, job_id);
    if (*ret_door < 0)
        return diag_set(why, PBSE_SYSTEM, "no way into the group of %s: %s", job_id,
                        strerror(errno));
    return 0;
}

void job_groups_limit(struct shell *s, const char *job_id)
{
    struct cgroup_limits limits;
    struct mom_share share;
    struct diag why;
    bool shares;

    if (!s->groups || !cgroup_exists(s->groups, job_id) ||
        !mom_job_share(s->mom, job_id, &share))
        return;
    limits = limits_of(s, &share);
    if (cgroup_limit(s->groups, job_id, &limits, &shares, &why) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, why.text);
    else if (shares)
        say_shares(s, job_id, limits.ncpus);
}

static void limit_one(void *arg, const char *job_id)
{
    job_groups_limit(arg, job_id);
}

void job_groups_reread(struct shell *s)
{
    const char *root = s->config.cgroup_root;
    unsigned missing;
    struct diag why;

    if (!root && !s->groups)
        return;
    if (!root || !s->groups || strcmp(root, cgroup_root(s->groups)) != 0) {
        logfile_printf(
            s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "cgroups",
            "%s is taken when the MoM is started again; until then jobs have %s",
            root ? root : "off", s->groups ? "the groups that they had" : "no groups");
        return;
    }
    cgroup_use_controllers(s->groups, s->config.cgroup_controllers, &missing, &why);
    say_missing(s, missing, &why);
    cgroup_each(s->groups, limit_one, s);
}

struct adopting {
    struct shell *shell;
    const char *job_id;
};

static void take_process(void *arg, int32_t pid)
{
    const struct adopting *a = arg;

    /* One that has ended meanwhile is in no group; one that may not be moved is still
     * in its session, by which it is found as without groups. */
    if (!cgroup_take(a->shell->groups, a->job_id, pid) && errno != ESRCH)
        logfile_printf(a->shell->log, LOG_EV_ERROR, LOG_IN_JOB, a->job_id,
                       "process %d stays outside of the group: %s", (int)pid,
                       strerror(errno));
}

void job_groups_adopt(struct shell *s, const char *job_id, int32_t session)
{
    struct adopting a = { .shell = s, .job_id = job_id };

    if (s->groups && cgroup_exists(s->groups, job_id))
        proc_each_of_session(session, take_process, &a);
}

bool job_groups_tell_use(struct shell *s, const char *job_id,
                         const struct mom_usage *used, struct mom_out *out)
{
    struct mom_usage all = *used;
    struct cgroup_use group;

    if (!s->groups || !cgroup_read(s->groups, job_id, &group))
        return false;
    all.cput_s = group.cput_s;
    if (group.mem_kb >= 0)
        all.mem_kb = group.mem_kb;
    mom_used_in_all(s->mom, clock_steady(), job_id, &all);
    if (group.oom_kills > 0)
        mom_out_of_memory(s->mom, clock_steady(), job_id, out);
    return true;
}

void job_groups_kill(struct shell *s, const char *job_id)
{
    /* Processes are killed by their sessions as well, so a failure loses nothing. */
    if (s->groups)
        (void)cgroup_kill(s->groups, job_id);
}

/* False while something in it lives. */
static bool remove_group(struct shell *s, const char *job_id)
{
    int error;

    (void)cgroup_kill(s->groups, job_id);
    error = cgroup_remove(s->groups, job_id);
    if (error && error != EBUSY)
        logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_JOB, job_id,
                       "cannot remove the group of the job: %s", strerror(error));
    return error != EBUSY;
}

void job_groups_drop(struct shell *s, const char *job_id)
{
    if (s->groups && cgroup_exists(s->groups, job_id) && !remove_group(s, job_id))
        loop_timer_set(s->groups_again, AGAIN_MS);
}

struct sweeping {
    struct shell *shell;
    bool is_left;
};

static void sweep_one(void *arg, const char *job_id)
{
    struct sweeping *w = arg;

    if (!mom_job_attrs(w->shell->mom, job_id) && !remove_group(w->shell, job_id))
        w->is_left = true;
}

void job_groups_sweep(struct shell *s)
{
    struct sweeping w = { .shell = s };

    if (!s->groups)
        return;
    cgroup_each(s->groups, sweep_one, &w);
    if (w.is_left)
        loop_timer_set(s->groups_again, AGAIN_MS);
}
