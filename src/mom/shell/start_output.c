/* start_output.c - where the output of a job goes that starts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/home.h"
#include "mom/shell/plain.h"
#include "mom/shell/safe_name.h"
#include "mom/shell/starting.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an earlier run has written elsewhere comes first. A start that was cut short may
 * have put it there before: the program has not begun, so nothing else is lost. */
static bool begin_with_earlier(struct starting *st, int fd, const char *earlier)
{
    if (!earlier || (access(earlier, F_OK) < 0 && errno == ENOENT))
        return true;
    if (ftruncate(fd, 0) == 0 && home_copy(earlier, fd))
        return true;
    start_say(st, "cannot begin with %s: %s", earlier, strerror(errno));
    return false;
}

/* Open an output in the spool, with the rights of the MoM: somebody else may have taken
 * the name, and only the MoM can move such a file aside. */
static int open_spooled(struct starting *st, const struct plan_output *o)
{
    const struct plan *p = st->plan;
    struct place at = { .uid = p->uid, .gid = p->gid, .mode = 0666 & ~p->umask };
    int fd = place_file(&at, o->path);

    if (fd < 0) {
        start_say(st, "cannot open %s: %s", o->path, strerror(errno));
        return -1;
    }
    start_say_aside(st, o->path, &at);
    if (begin_with_earlier(st, fd, o->earlier))
        return fd;
    close(fd);
    return -1;
}

/* Open an output in the home directory, with the rights of the user. */
static int open_kept(struct starting *st, const char *path)
{
    struct diag why;
    struct stat is;
    int fd;

    /* Who writes directly may write to nowhere; no other device is opened. */
    if (strcmp(path, "/dev/null") == 0)
        return open(path, O_WRONLY | O_CLOEXEC);
    fd = plain_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
                    0666 & ~st->plan->umask, &why);
    if (fd >= 0 && fstat(fd, &is) == 0 && is.st_uid == st->plan->uid)
        return fd;
    start_say(st, "cannot open %s", fd < 0 ? why.text : path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Connect an output to the mother superior's host, and show that it belongs to the job
 * (tpp.md 7.3). */
static int open_remote(struct starting *st, uint16_t port)
{
    const struct plan_remote *r = &st->plan->remote;
    const struct sockaddr_in to = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(r->ip) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 &&
        write(fd, r->cookie, strlen(r->cookie)) == (ssize_t)strlen(r->cookie))
        return fd;
    start_say(st, "cannot reach port %u of the mother superior: %s", port,
              strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool open_remotes(struct starting *st)
{
    st->output[0] = open_remote(st, st->plan->remote.out_port);
    st->output[1] = open_remote(st, st->plan->remote.err_port);
    return st->output[0] >= 0 && st->output[1] >= 0;
}

bool start_open_outputs(struct starting *st, bool kept)
{
    const struct plan_output *of[2] = { &st->plan->out, &st->plan->err };

    if (st->plan->remote.ip)
        return kept || open_remotes(st);
    for (size_t i = 0; i < 2; i++) {
        if (!of[i]->path || of[i]->is_users != kept)
            continue;
        MUST(st->output[i] < 0); /* each is opened once */
        st->output[i] = kept ? open_kept(st, of[i]->path) : open_spooled(st, of[i]);
        if (st->output[i] < 0)
            return false;
    }
    return true;
}

bool start_use_outputs(const struct starting *st)
{
    const int out = st->output[0], err = st->output[1];

    MUST(out >= 0 || err >= 0);
    if (dup2(out >= 0 ? out : err, 1) < 0 || dup2(err >= 0 ? err : out, 2) < 0)
        return false;
    if (out > 2)
        close(out);
    if (err > 2)
        close(err);
    return true;
}
