/* links.c - see links.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/links.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40 /* as the kernel follows in a row */

/* How long the part of 'path' before its last name is. */
static size_t dir_len(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash + 1 - path) : 0;
}

static bool may_follow(const char *path, const struct stat *link)
{
    char dir[PATH_MAX];
    struct stat st;

    if (link->st_uid == geteuid() || link->st_uid == 0)
        return true;
    snprintf(dir, sizeof(dir), "%.*s.", (int)dir_len(path), path);
    return stat(dir, &st) == 0 && (!(st.st_mode & S_ISVTX) || !(st.st_mode & S_IWOTH) ||
                                   st.st_uid == link->st_uid);
}

/* Put 'to', of a link at 'path', in the place of 'path'. */
static bool go_on(char path[PATH_MAX], const char *to)
{
    size_t dir = to[0] == '/' ? 0 : dir_len(path), len = strlen(to);

    if (len == 0 || dir + len >= PATH_MAX)
        return false;
    memcpy(path + dir, to, len + 1);
    return true;
}

enum step {
    AT_END, /* there is something that is no link */
    NOWHERE,
    FURTHER,
    OF_OTHERS
};

/* The link is held open meanwhile: whose it is is asked of the one that is read. */
static enum step follow(char path[PATH_MAX], int fd)
{
    char to[PATH_MAX];
    struct stat st;
    ssize_t n;

    if (fd < 0 || fstat(fd, &st) < 0)
        return NOWHERE;
    if (!S_ISLNK(st.st_mode))
        return AT_END;
    if (!may_follow(path, &st))
        return OF_OTHERS;
    n = readlinkat(fd, "", to, sizeof(to) - 1);
    if (n < 0)
        return NOWHERE;
    to[n] = '\0';
    return go_on(path, to) ? FURTHER : NOWHERE;
}

static enum step step(char path[PATH_MAX])
{
    int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    enum step s = follow(path, fd);

    if (fd >= 0)
        close(fd);
    return s;
}

bool links_follow(const char *path, char ret[PATH_MAX], struct diag *why)
{
    size_t len = strlen(path), shown = len;
    enum step s = FURTHER;

    if (len >= PATH_MAX) {
        diag_set(why, PBSE_SYSTEM, "%.200s: the name is too long", path);
        return false;
    }
    /* With a slash at the end the kernel follows the link before it is looked at. */
    while (shown > 1 && path[shown - 1] == '/')
        shown--;
    memcpy(ret, path, shown);
    ret[shown] = '\0';
    for (int i = 0; s == FURTHER && i <= MAX_LINKS; i++)
        s = step(ret);
    if (s == OF_OTHERS) {
        diag_set(why, PBSE_SYSTEM, "%.200s is a symbolic link of somebody else's", ret);
        return false;
    }
    if (s != AT_END || shown < len)
        memcpy(ret, path, len + 1);
    return true;
}
