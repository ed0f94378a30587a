/* node_file.h - the node file of a job, and the chunks that it is made of.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_NODE_FILE_H
#define MOM_SHELL_NODE_FILE_H

#include "lib/attr/select.h"
#include "lib/base/attrs.h"

/* The chunks of a job, as they were asked for and where they are. */
struct job_chunks {
    struct select asked;
    struct exec_vnode placed;
};

/* Read them from schedselect and exec_vnode, into the arena. 0, or the code with words
 * of the one that is malformed. */
int job_chunks_read(const struct wire_attrs *attrs, struct arena *arena,
                    struct job_chunks *ret, struct diag *why) MUST_CHECK;
/* What the first chunk asks for by that name; NULL when it does not. */
const char *job_chunks_first(const struct job_chunks *chunks, const char *name);

/* Write the file: for each task of each chunk a line with the chunk's host
 * (execution.md 15). 'host' is the name of hosts that exec_host2 does not have. 0, or
 * one of the reasons of a start that fails (plan.h). */
int node_file_write(const char *path, const struct wire_attrs *attrs, const char *host,
                    const struct job_chunks *chunks, struct arena *arena,
                    struct diag *why) MUST_CHECK;

#endif
