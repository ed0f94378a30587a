/* job_suspend.h - what a suspended job is and has.
 *
 * A job that a client or a scheduler has suspended gives back what it has of its
 * vnodes: all of it, or what restrict_res_to_release_on_suspend names. The rest is in
 * its exec_vnode_kept, which is set exactly while it has given something back, and
 * links and sums follow that in the place of exec_vnode. It stays on its vnodes: it is
 * resumed there and nowhere else. A job that was suspended with admin-suspend has given
 * nothing back, since nobody asks for room when it is resumed; instead its vnodes are
 * in maintenance (doc/design/064).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_SUSPEND_H
#define SERVER_MODEL_JOB_SUSPEND_H

#include "server/model/model.h"

/* How a job is suspended, or is to be. */
enum suspend_manner {
    SUSPEND_NOT,
    SUSPEND_BY_CLIENT,    /* qsig -s suspend: substate 43 until somebody resumes it */
    SUSPEND_BY_ADMIN,     /* qsig -s admin-suspend: 43, and maintenance */
    SUSPEND_BY_SCHEDULER, /* 45: resumed as soon as there is room */
    SUSPEND_MANNERS
};

/* The word of hf_suspend, and back. */
const char *suspend_word(enum suspend_manner manner);
enum suspend_manner suspend_manner_named(const char *word);
enum suspend_manner job_suspend_manner(const struct job *job);

/* Are its processes stopped, as far as the server knows? */
bool job_is_suspended(const struct job *job);
bool job_is_suspended_by_admin(const struct job *job);

/* Its MoM is to stop it, or to let it go on, and has not said yet that it has. */
bool job_is_to_stop(const struct job *job);
bool job_is_to_go_on(const struct job *job);

/* Has its host stopped it, which has too much to do or is in use? It keeps all that it
 * has, counts like one that runs, and goes on by itself; clients see it in state U
 * unless it is suspended as well (doc/design/087). */
bool job_stopped_by_host(const struct job *job);

/* Is it suspended, or is its MoM to stop it? Until it has its vnodes again it counts
 * for no limit of running jobs (scheduling.md 13). What links follow says so, not the
 * substate. */
bool job_is_stopped(const struct job *job);

/* It leaves its vnodes to others: it keeps nobody off them. */
bool job_gave_back(const struct job *job);

/* Of what is booked for the job: the text of an exec_vnode, and which list counts. */
const char *job_booked_text(const struct job *job);
int job_counted_list(const struct job *job);

/* Seconds that its processes have run up to 'now_at': the time in which it was
 * suspended or stood does not count. */
int64_t job_ran_s(const struct job *job, int64_t now_at);

/* Seconds of its walltime that are left when it is resumed, at least 1; INT64_MAX: it
 * has no limit. */
int64_t job_walltime_left(const struct job *job);

/* When the job ends by its walltime; the time that it was suspended or stood does not
 * count. One that is suspended or stands is taken to go on at 'now_at', the earliest
 * that can be: its end is later at each look. INT64_MAX: it has
 * no limit. */
int64_t job_ends_at(const struct job *job, int64_t now_at);

#endif
