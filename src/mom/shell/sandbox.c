/* sandbox.c - see sandbox.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/sandbox.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool sandbox_is_private(const struct wire_attrs *attrs)
{
    const char *word = wire_attrs_value(attrs, "sandbox", NULL);

    return word && strcasecmp(word, "PRIVATE") == 0;
}

const char *sandbox_path(const struct config *config, const char *job_id,
                         const char *user_home, struct arena *arena)
{
    return arena_printf(arena, "%s/pbs.%s.x8z",
                        config->jobdir_root ? config->jobdir_root : user_home, job_id);
}

enum sandbox_made sandbox_make(const char *path, struct diag *why)
{
    struct stat st;

    if (mkdir(path, 0700) == 0)
        return SANDBOX_IS_NEW;
    if (errno == EEXIST && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
        st.st_uid == geteuid())
        return SANDBOX_WAS_THERE;
    /* Where everybody may make names somebody else may have had this one. */
    diag_set(why, PBSE_SYSTEM, "cannot make the job directory %s: %s", path,
             strerror(errno));
    return SANDBOX_REFUSED;
}

bool sandbox_is_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && strncmp(slash + 1, "pbs.", 4) == 0;
}
