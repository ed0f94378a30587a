/* staged.c - see staged.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/staged.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define NAME      "user.pbs_staged"
#define MAX_BYTES 512 /* an id is shorter */

bool staged_mark(const char *path, const char *job_id)
{
    return lsetxattr(path, NAME, job_id, strlen(job_id), 0) == 0;
}

bool staged_is(const char *path, const char *job_id)
{
    char id[MAX_BYTES];
    ssize_t n = lgetxattr(path, NAME, id, sizeof(id));

    return n > 0 && (size_t)n == strlen(job_id) && memcmp(id, job_id, (size_t)n) == 0;
}

bool staged_is_foreign(const char *path, const char *job_id)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && !staged_is(path, job_id);
}
