/* transfer.h - copies by the programs of pbs.conf: PBS_CP on this host, PBS_SCP or
 * PBS_RCP to and from others (execution.md 22).
 *
 * All of this is for processes that have the rights of the job's user.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_TRANSFER_H
#define MOM_SHELL_TRANSFER_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/io/conf.h"

/* Return values beside the exit status of a program. */
#define TRANSFER_NO_FORK   10000 /* plus errno */
#define TRANSFER_NO_END    20000 /* plus errno: nobody can say how it ended */
#define TRANSFER_KILLED    40000 /* plus the signal */
#define TRANSFER_UNTOUCHED 13    /* it ended well, and there is no file */

struct transfer {
    const struct conf *conf;
    const char *from, *to; /* as the program takes them */
    bool is_remote;
    int64_t pause_s; /* between the second and the third try */
    /* One line about each try that failed. */
    void (*log)(void *arg, const char *line);
    void *arg;
};

#define TRANSFER_PAUSE_S 11

/* 0, or what the last of up to four tries returned (a copy on this host is tried once);
 * 'words' gets what the programs wrote, at most a few KiB of the last try. */
int transfer_run(const struct transfer *t, struct buf *words);

/* "user@host:path" as the programs take it: blanks of the path are escaped. 'remote' is
 * "host:path" or "user@host:path". */
const char *transfer_remote(const char *remote, const char *owner, struct arena *arena);

#endif
