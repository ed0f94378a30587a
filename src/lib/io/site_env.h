/* site_env.h - pbs_environment: the environment of server, scheduler and MoM, and of
 * what they start (operations.md 4; doc/design/091).
 *
 * A line is "NAME=value", taken as it is, or "NAME": the value with which the daemon
 * was started, nothing when there was none. Empty lines and those that begin with '#'
 * or a blank are passed over. Of two lines with one name the later one counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_SITE_ENV_H
#define LIB_IO_SITE_ENV_H

#include "lib/base/arena.h"
#include "lib/base/diag.h"

#define SITE_ENV_MAX_LINES      64
#define SITE_ENV_MAX_LINE_BYTES 8191

struct site_env {
    size_t n;
    char **v;            /* "NAME=value", each name once, in the order of the lines */
    bool is_there;       /* there is a file */
    struct arena *arena; /* of 'v' */
};

/* Read the file. 'started_with' is the environment of the lines without '=', which ends
 * with NULL. A missing file is none of the reasons to fail: it says nothing. PBSE_PERM:
 * others could have written it; PBSE_SYSTEM: it cannot be read, or has too many or too
 * long lines. *ret is what it was then; else the caller ends it with site_env_fini().
 */
int site_env_read(const char *path, char *const *started_with, struct site_env *ret,
                  struct diag *why) MUST_CHECK;
/* One of zeros is fine. */
void site_env_fini(struct site_env *e);

/* A NULL-terminated list: first what the file says, then those of 'others' that it does
 * not name. Its texts are those of 'e' and 'others'. */
char **site_env_with(const struct site_env *e, char *const *others,
                     struct arena *arena) MUST_CHECK;

/* From now on this is the environment of the process, and nothing else is but
 * variables of 'started_with' that begin with PBS_ or HWLOC_ and that the file does not
 * name: they are settings of the daemon itself. Local time follows it. Nothing changes
 * when there is no file.
 *
 * What is replaced stays in memory until the process ends, since other threads may be
 * reading it. */
void site_env_take(const struct site_env *e, char *const *started_with);

#endif
