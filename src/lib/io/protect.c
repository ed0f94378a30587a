/* protect.c - see protect.h.
 *
 * All processes that daemons make come from fork() or from posix_spawn(). For the
 * first the C library calls a function in each child, so that no place which forks can
 * forget it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file of this process, once it is protected, and whether each fork is seen. */
static char own_file[PATH_MAX];
static bool is_watching;

/* Only what may be called between fork and exec. */
static int write_value(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;

    if (fd < 0)
        return errno;
    if (write(fd, value, strlen(value)) < 0)
        err = errno;
    close(fd);
    return err;
}

/* In each child of fork(): "/proc/self" is the child now. */
static void in_child(void)
{
    int saved = errno;

    if (own_file[0])
        (void)write_value(own_file, "0\n"); /* it may always be more than it was */
    errno = saved;
}

int protect_daemon(const char *dir)
{
    static const struct {
        const char *file, *value;
    } ways[] = { { "oom_score_adj", "-1000\n" }, { "oom_adj", "-17\n" } };
    char path[PATH_MAX];
    int err = ENOENT;

    if (!is_watching && pthread_atfork(NULL, NULL, in_child) != 0)
        return ENOMEM;
    is_watching = true;
    for (size_t i = 0; err == ENOENT && i < ARRAY_LEN(ways); i++) {
        int len = snprintf(path, sizeof(path), "%s/%s", dir, ways[i].file);

        if (len < 0 || (size_t)len >= sizeof(path))
            return ENAMETOOLONG;
        err = write_value(path, ways[i].value);
    }
    if (!err)
        memcpy(own_file, path, sizeof(own_file));
    return err;
}

void protect_logged(struct logfile *log, const char *name)
{
    int err = protect_daemon(PROTECT_PROC);

    if (err)
        logfile_printf(log, LOG_EV_ERROR, LOG_IN_SERVER, name,
                       "daemon_protect, write failed. ERR: %s", strerror(err));
}

const char *protect_file(void)
{
    return own_file;
}

void protect_spawned(pid_t pid)
{
    const char *base = strrchr(own_file, '/');
    char path[64];

    if (!base)
        return;
    snprintf(path, sizeof(path), "/proc/%ld%s", (long)pid, base);
    (void)write_value(path, "0\n");
}
