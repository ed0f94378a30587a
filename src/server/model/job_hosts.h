/* job_hosts.h - exec_host and exec_host2 from exec_vnode (attributes.md 11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_HOSTS_H
#define SERVER_MODEL_JOB_HOSTS_H

#include "server/model/model.h"

struct job_hosts {
    const char *exec_host;  /* "h/0*2+h/1", h being the natural vnode of the MoM */
    const char *exec_host2; /* "h.domain:15002/0*2+..." */
};

/* One piece per chunk and host; tasks count up from the lowest number that no running
 * job on that host has. Every vnode must be known: PBSE_UNKNODE with its name. */
int job_hosts_make(const struct model *m, const struct exec_vnode *ev,
                   struct arena *arena, struct job_hosts *ret,
                   struct diag *why) MUST_CHECK;

/* The same of a job that runs and keeps 'ev' of what it has: its pieces keep their
 * tasks. */
int job_hosts_keep(const struct model *m, const struct job *job,
                   const struct exec_vnode *ev, struct arena *arena,
                   struct job_hosts *ret, struct diag *why) MUST_CHECK;

/* The first vnode of the job's exec_vnode, NULL when it has none or it is gone. Its MoM
 * is the one that is told about the job. */
const struct node *job_first_node(const struct job *job);

#endif
