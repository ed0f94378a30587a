/* directive_paths.c - directives that name a directory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/directive_rows.h"

#include "lib/base/log.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory in which everybody makes directories, and where nobody may touch those of
 * others: root's or ours, with mode 1777. A path that is relative would depend on where
 * the daemon was started. */
static bool is_for_all(struct reading *r, const char *dir)
{
    struct stat st;
    int error = EPERM;

    if (dir[0] == '/' && stat(dir, &st) < 0)
        error = errno;
    else if (dir[0] == '/' && S_ISDIR(st.st_mode) && (st.st_mode & 01777) == 01777 &&
             (st.st_uid == 0 || st.st_uid == geteuid()))
        return true;
    reading_fail(r, 0, error, "tmp_file_sec_user",
                 "Security violation \"%s\" resolves to \"(null)\"", dir);
    return false;
}

bool directive_tmpdir(struct reading *r, const struct directive *d, const char *arg)
{
    return is_for_all(r, arg) && directive_text(r, d, arg);
}

/* Whose it is and who may write there is looked at when the MoM starts. */
bool directive_checkpoint_path(struct reading *r, const struct directive *d,
                               const char *arg)
{
    if (!arg[0]) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "No value specified, no action taken.");
        return false;
    }
    return arg[0] == '/' && directive_text(r, d, arg);
}

/* "DIR" or "DIR shared". */
bool directive_jobdir_root(struct reading *r, const struct directive *d,
                           const char *arg)
{
    size_t len = strcspn(arg, " \t");
    const char *dir = arena_strndup(r->c->arena, arg, len);
    const char *word = arg + len + strspn(arg + len, " \t");

    if (*word && strcasecmp(word, "shared") != 0) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    r->c->jobdir_is_shared = *word != '\0';
    if (strcmp(dir, "PBS_USER_HOME") == 0) {
        r->c->jobdir_root = NULL;
        return true;
    }
    if (!is_for_all(r, dir))
        return false;
    r->c->jobdir_root = dir;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}
