/* job_release.h - what a running job keeps when it gives vnodes back (execution.md 28).
 *
 * A release is planned once, when it is asked for, as one sign for each part of the
 * job's exec_vnode: '+' stays, '-' goes. The signs are an attribute of the job
 * (hf_release) until its MoM has let the hosts go; what the MoM is told and what is
 * recorded afterwards are both made of the signs by the same function, so that the two
 * cannot differ.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_RELEASE_H
#define SERVER_DECIDE_JOB_RELEASE_H

#include "server/decide/request.h"

#define RELEASE_STAYS '+'
#define RELEASE_GOES  '-'

struct job_release {
    const struct model *m;
    const struct job *job; /* it runs */
    const char *vnodes;    /* "a+b", vnodes or hosts; "": all but the first host's */
    const char *keep;      /* a select of what stays; NULL: 'vnodes' counts */
};

/* The signs, in the arena. A release that would change nothing has no '-': PBS calls
 * that a success where a select names what stays.
 * Refused: a vnode that is not the job's or is on its first host (15010, with the
 * name), a select that is none (15014), one that the job's chunks do not satisfy
 * (15183). */
int job_release_plan(const struct job_release *r, struct arena *arena,
                     const char **ret_signs, struct diag *why) MUST_CHECK;

/* exec_vnode, exec_host, exec_host2, schedselect and Resource_List of the job as the
 * signs leave it; a member of the list that nothing asks for any more has the value "".
 * Fails when the signs are not of this job's exec_vnode, or vnodes of it are gone. */
int job_release_attrs(const struct model *m, const struct job *job, const char *signs,
                      struct arena *arena, struct wire_attrs *ret,
                      struct diag *why) MUST_CHECK;

/* Add to the record what the release changes: the attributes above, what accounting
 * needs of the phase that ends, and, at the first release, what the job was at its
 * start. The record's note becomes what the job has used in that phase. */
int job_release_changes(const struct model *m, const struct job *job, const char *signs,
                        struct arena *arena, struct record *rec,
                        struct diag *why) MUST_CHECK;

/* The job comes back to its queue and wants again what it wanted at first. */
void job_release_undo(const struct job *job, struct arena *arena, struct record *rec);

/* What has been used since the last release: "resources_used.cput=... ". */
void job_phase_usage(const struct object *job, struct arena *arena, struct buf *out);

#endif
