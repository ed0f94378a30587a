/* job_admit.h - may this job enter that queue? (attributes.md 9)
 *
 * The checks run in the documented order and the first failure is the answer. They are
 * pure: the job is an edit, its account a small struct.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_JOB_ADMIT_H
#define SERVER_REQUESTS_JOB_ADMIT_H

#include "server/decide/edit.h"
#include "server/decide/queue_door.h"

/* Attributes that make a job a kind of job that is not offered (blocking ones,
 * dependencies, staging in): 15029. Such a job is refused, never half served. */
int job_attrs_offered(const struct wire_attrs *attrs, struct diag *why) MUST_CHECK;

/* Who may set or release which hold: u and p the owner, o an operator, s a manager.
 * 15007; 15014 for other letters. */
int check_hold_letters(const struct request *rq, const char *letters,
                       struct diag *why) MUST_CHECK;

/* An alteration leaves the job with the holds 'after', as they are printed: whoever
 * asks for it needs the right to release each of those that go. 15007. */
int check_holds_taken(const struct request *rq, const struct job *job,
                      const char *after, struct diag *why) MUST_CHECK;

/* Check 1: User_List, group_list, the rule about root. 15023, 15045. 'owner' is the
 * job's: only the user is read, and the host for acl_roots. */
int job_find_account(const struct model *m, const struct request *rq,
                     const struct requester *owner, const struct edit *job,
                     struct job_account *ret, struct diag *why) MUST_CHECK;

/* Check 0: the queue that a destination names ("", "q", "q@server", "@server"). 15018,
 * 15037; another server: 15029. */
int job_find_queue(const struct model *m, const struct request *rq,
                   const char *destination, const struct queue **ret,
                   struct diag *why) MUST_CHECK;

/* What entries say together: the limits of a job that may be shrunk (15162, 15163),
 * soft_walltime beside them (15180) or above walltime (15014), a limit of subjobs
 * without any (15231). */
int job_entries_agree(const struct edit *job, struct diag *why) MUST_CHECK;

/* The running jobs that may leave for this one: NONE, or queues (15018) and amounts of
 * resources (15035, 15014) that there are. */
int job_targets_are_known(const struct model *m, const struct edit *job,
                          struct arena *arena, struct diag *why) MUST_CHECK;

/* What follows from an entry whatever others say: an interactive job is not run again
 * (attributes.md 7). */
void job_force_entries(struct edit *job);

/* A job in a reservation: its place must not ask for more than the reservation's
 * (15156), and it cannot ask for a reservation of its own (15181). */
int job_fits_resv(const struct queue *q, const struct edit *job, struct arena *arena,
                  struct diag *why) MUST_CHECK;

#endif
