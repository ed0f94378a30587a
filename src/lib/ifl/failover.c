/* failover.c - a pair of servers behind the primary's name (wire.md 16).
 *
 * Which of the two answered last is remembered for the user by a mark in the scratch
 * directory: it says that the secondary is to be asked first. Only a mark of the user's
 * own counts, since others may write there too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"
#include "lib/io/net.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* False: no name, or it is too long for a path. */
static bool mark_path(const struct conf *conf, char *path, size_t size)
{
    const char *user = ifl_user();

    return user &&
           (size_t)snprintf(path, size, "%s/.pbsrc.%s", conf->tmpdir, user) < size;
}

static bool is_marked(const struct conf *conf)
{
    char path[PBS_MAXHOSTNAME + 4096];
    struct stat st;

    return mark_path(conf, path, sizeof(path)) && lstat(path, &st) == 0 &&
           S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static void mark(const struct conf *conf)
{
    char path[PBS_MAXHOSTNAME + 4096];
    int fd;

    if (!mark_path(conf, path, sizeof(path)))
        return;
    /* The mode is PBS's, whose commands look for the same file (wire.md 16). Somebody
     * else's file under that name stays, and then nothing is remembered: the next
     * command asks the primary first, which costs time and no more. */
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0200);
    if (fd >= 0)
        close(fd);
}

static void unmark(const struct conf *conf)
{
    char path[PBS_MAXHOSTNAME + 4096];

    if (mark_path(conf, path, sizeof(path)))
        unlink(path);
}

void ifl_pair_find(const struct conf *conf, const char *host, unsigned port,
                   struct ifl_pair *ret)
{
    char primary[PBS_MAXHOSTNAME + 1];
    unsigned primary_port;

    /* Only the primary's name stands for the pair. Who names the secondary, or another
     * port, means that server alone (wire.md 16). */
    *ret = (struct ifl_pair){ .n = 1, .servers = { host } };
    if (!conf->primary || !conf->secondary ||
        !net_split(conf->primary, conf->batch_port, primary, sizeof(primary),
                   &primary_port) ||
        strcasecmp(primary, host) != 0 || primary_port != port)
        return;
    ret->n = 2;
    ret->marked = is_marked(conf);
    ret->servers[0] = ret->marked ? conf->secondary : conf->primary;
    ret->servers[1] = ret->marked ? conf->primary : conf->secondary;
}

void ifl_pair_used(const struct conf *conf, const struct ifl_pair *pair, int which)
{
    /* The first choice answered, so the order was right as it is. */
    if (which == 0)
        return;
    if (pair->marked)
        unmark(conf);
    else
        mark(conf);
}
