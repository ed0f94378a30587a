/* job_terminal.c - see job_terminal.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/job_terminal.h"

#include "lib/attr/ids.h"
#include "lib/base/buf.h"
#include "lib/io/net.h"
#include "mom/shell/plan.h"
#include "mom/shell/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define CLIENT_S    30 /* for the connection and what the client says */
#define PIECE_BYTES 4096
/* What the last process has printed is read until nothing has come for so long: others
 * may still hold the terminal. */
#define REST_MS     200
/* The job's end is looked for so often when nothing comes. */
#define LOOK_MS     500

static const int control_of[TERMINAL_N_CONTROL] = { VINTR, VQUIT, VERASE,
                                                    VKILL, VEOF,  VSUSP };

bool job_is_interactive(const struct wire_attrs *attrs)
{
    const char *port = wire_attrs_value(attrs, "interactive", NULL);

    return port && strtol(port, NULL, 10) > 0;
}

/* The value of a variable of Variable_List up to its comma; NULL when it is not there.
 * The names asked for have values without commas. */
static char *variable(const struct wire_attrs *attrs, const char *name)
{
    const char *list = wire_attrs_value(attrs, "Variable_List", NULL);
    size_t len = strlen(name);

    for (; list && *list; list += strcspn(list, ","), list += *list == ',')
        if (strncmp(list, name, len) == 0 && list[len] == '=')
            return xstrndup(list + len + 1, strcspn(list + len + 1, ","));
    return NULL;
}

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Wait until 'fd' is ready. False when it is not by then. */
static bool wait_ready(int fd, short events, int64_t until_ms)
{
    struct pollfd p = { .fd = fd, .events = events };
    int64_t left;

    while ((left = until_ms - now_ms()) > 0) {
        int n = poll(&p, 1, (int)left);

        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
    errno = ETIMEDOUT;
    return false;
}

/* Has the connection come about? */
static bool is_connected(int fd)
{
    int error = 0;
    socklen_t len = sizeof(error);

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
        return false;
    errno = error;
    return error == 0;
}

static void keep_alive(int fd)
{
    static const int on = 1, idle_s = 60, every_s = 15, times = 4;
    static const unsigned unanswered_ms = 120 * 1000;

    /* A client's host that vanishes says nothing, and its job must not stay. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms,
                     sizeof(unanswered_ms));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* A connection to the client, from a reserved port where this process may have one: by
 * that the client knows a MoM. -1 with errno. */
static int connect_client(const struct sockaddr_in *to, int64_t until_ms)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    if (geteuid() == 0 && bindresvport(fd, NULL) != 0)
        goto out;
    if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0 ||
        (errno == EINPROGRESS && wait_ready(fd, POLLOUT, until_ms) &&
         is_connected(fd))) {
        keep_alive(fd);
        return fd;
    }
out:
    close(fd);
    return -1;
}

int job_terminal_call(const struct sockaddr_in *to)
{
    return connect_client(to, now_ms() + CLIENT_S * 1000);
}

static bool read_all(int fd, uint8_t *bytes, size_t size, int64_t until_ms)
{
    while (size > 0) {
        ssize_t n;

        if (!wait_ready(fd, POLLIN, until_ms))
            return false;
        n = read(fd, bytes, size);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Tell the client which job it is, and hear what terminal it has. */
static bool greet(struct job_terminal *t, const char *job_id, int64_t until_ms)
{
    uint8_t id[TERMINAL_ID_BYTES], theirs[TERMINAL_BYTES];

    /* So few bytes go into the buffer of a new connection at once. */
    return terminal_put_id(job_id, id) &&
           send(t->client, id, sizeof(id), MSG_NOSIGNAL) == (ssize_t)sizeof(id) &&
           read_all(t->client, theirs, sizeof(theirs), until_ms) &&
           terminal_get(theirs, &t->client_has);
}

/* The method by which the client shall know this MoM: only reserved ports are served.
 */
static int check_methods(const struct wire_attrs *attrs, struct diag *why)
{
    char *method = variable(attrs, "PBS_O_INTERACTIVE_AUTH_METHOD");
    char *encrypt = variable(attrs, "PBS_O_INTERACTIVE_ENCRYPT_METHOD");
    int err = 0;

    if (!method)
        err = diag_set(why, PBSE_SYSTEM, "PBS_O_INTERACTIVE_AUTH_METHOD not set");
    else if (!encrypt)
        err = diag_set(why, PBSE_SYSTEM, "PBS_O_INTERACTIVE_ENCRYPT_METHOD not set");
    else if (strcmp(method, "resvport") != 0)
        err = diag_set(why, PBSE_SYSTEM,
                       "interactive authentication method %s not supported", method);
    else if (*encrypt)
        err = diag_set(why, PBSE_SYSTEM,
                       "interactive encryption method %s not supported", encrypt);
    free(method);
    free(encrypt);
    return err;
}

/* Where the client listens. Ports below 1024 are those of services, and this
 * connection may come from one as well: a user must not lead a MoM there. */
static int find_client(const struct wire_attrs *attrs, struct sockaddr_in *ret,
                       struct diag *why)
{
    char *host = variable(attrs, "PBS_O_HOST");
    const char *text = wire_attrs_value(attrs, "interactive", NULL);
    long port = text ? strtol(text, NULL, 10) : 0;
    int err = 0;

    *ret = (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port) };
    if (!host)
        err = diag_set(why, PBSE_SYSTEM, "PBS_O_HOST not set");
    else if (port < IPPORT_RESERVED || port > UINT16_MAX)
        err = diag_set(why, PBSE_SYSTEM, "no port of a client: %ld", port);
    else
        err = net_resolve(host, &ret->sin_addr, why);
    free(host);
    return err;
}

/* A terminal with the client's control characters and size. */
static void make_alike(int master, const struct terminal *theirs)
{
    const struct winsize size = { theirs->rows, theirs->cols, theirs->x_pixels,
                                  theirs->y_pixels };
    struct termios tio;

    if (tcgetattr(master, &tio) == 0) {
        for (size_t i = 0; i < TERMINAL_N_CONTROL; i++)
            tio.c_cc[control_of[i]] = theirs->control[i];
        (void)tcsetattr(master, TCSANOW, &tio);
    }
    (void)ioctl(master, TIOCSWINSZ, &size);
}

static bool open_pty(struct job_terminal *t)
{
    t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    return t->master >= 0 && grantpt(t->master) == 0 && unlockpt(t->master) == 0 &&
           ptsname_r(t->master, t->path, sizeof(t->path)) == 0 &&
           fcntl(t->master, F_SETFL, O_NONBLOCK) == 0;
}

int job_terminal_open(const struct wire_attrs *attrs, const char *job_id,
                      struct job_terminal *ret, struct diag *why)
{
    struct job_terminal t = { .client = -1, .master = -1 };
    int64_t until_ms = now_ms() + CLIENT_S * 1000;
    struct sockaddr_in to;

    if (check_methods(attrs, why) || find_client(attrs, &to, why))
        return START_FAILED_EARLY;
    t.client = connect_client(&to, until_ms);
    if (t.client < 0) {
        diag_set(why, PBSE_SYSTEM, "cannot open qsub sock for %s: %s", job_id,
                 strerror(errno));
    } else if (!greet(&t, job_id, until_ms)) {
        diag_set(why, PBSE_SYSTEM, "Failed to authenticate with qsub");
    } else if (!open_pty(&t)) {
        diag_set(why, PBSE_SYSTEM, "cannot open a terminal: %s", strerror(errno));
    } else {
        make_alike(t.master, &t.client_has);
        *ret = t;
        return 0;
    }
    if (t.client >= 0)
        close(t.client);
    if (t.master >= 0)
        close(t.master);
    return START_FAILED_EARLY;
}

bool job_terminal_take(const struct job_terminal *t, uid_t uid)
{
    int fd = open(t->path, O_RDWR | O_NOCTTY);
    bool ok = fd >= 0;

    /* The user's programs open it by its name. */
    if (ok && geteuid() == 0)
        ok = fchown(fd, uid, (gid_t)-1) == 0;
    ok = ok && ioctl(fd, TIOCSCTTY, 0) == 0;
    for (int i = 0; ok && i < 3; i++)
        ok = dup2(fd, i) == i;
    if (fd > 2)
        close(fd);
    return ok;
}

/* One direction: what was read and is not written yet. */
struct flow {
    size_t n;
    char bytes[PIECE_BYTES];
};

struct carried {
    struct job_terminal *t;
    pid_t job;
    struct flow to_client, to_job;
    bool has_ended;   /* the job's first process */
    int64_t until_ms; /* then: how long a client may take what was printed */
    bool client_is_gone;
    bool is_quiet;   /* nothing comes any more */
    bool is_nobodys; /* no process holds the terminal: reading it says EIO at once */
};

static bool is_passing(int error)
{
    return error == EINTR || error == EAGAIN;
}

/* False when the other end is gone. */
static bool fill(int fd, struct flow *f)
{
    ssize_t n = read(fd, f->bytes + f->n, sizeof(f->bytes) - f->n);

    if (n > 0)
        f->n += (size_t)n;
    return n > 0 || (n < 0 && is_passing(errno));
}

static bool drain(int fd, struct flow *f)
{
    ssize_t n = write(fd, f->bytes, f->n);

    MUST(f->n > 0 && n <= (ssize_t)f->n);
    if (n > 0) {
        f->n -= (size_t)n;
        memmove(f->bytes, f->bytes + n, f->n);
    }
    return n > 0 || (n < 0 && is_passing(errno));
}

/* One wait, and what it brings. */
static void go_on(struct carried *c)
{
    const struct job_terminal *t = c->t;
    bool read_job = c->to_client.n < PIECE_BYTES && !c->is_quiet;
    struct pollfd p[2] = {
        { .fd = t->client,
          .events = (short)((c->to_job.n < PIECE_BYTES ? POLLIN : 0) |
                            (c->to_client.n ? POLLOUT : 0)) },
        { .fd = c->is_quiet || c->is_nobodys ? -1 : t->master,
          .events = (short)((read_job ? POLLIN : 0) | (c->to_job.n ? POLLOUT : 0)) },
    };
    int n = poll(p, 2, c->has_ended ? REST_MS : LOOK_MS);

    /* A job may have given its terminal up, and a process of it may open it again. */
    if (n == 0)
        c->is_nobodys = false;
    if (n == 0 && c->has_ended)
        c->is_quiet = true;
    if (n <= 0)
        return;
    if (p[0].revents & POLLOUT && !drain(t->client, &c->to_client))
        c->client_is_gone = true;
    if (p[0].revents & (POLLIN | POLLHUP | POLLERR) && c->to_job.n < PIECE_BYTES &&
        !fill(t->client, &c->to_job))
        c->client_is_gone = true;
    if (p[1].revents & POLLOUT && !drain(t->master, &c->to_job))
        c->to_job.n = 0; /* nobody reads it any more */
    if (p[1].revents & (POLLIN | POLLHUP | POLLERR) && read_job &&
        !fill(t->master, &c->to_client)) {
        c->is_nobodys = true;
        c->is_quiet = c->has_ended;
    }
}

static bool job_has_ended(pid_t job)
{
    siginfo_t info = { 0 };

    /* The shepherd itself waits for it, and wants to know how it ended. */
    return waitid(P_PID, (id_t)job, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == job;
}

static void look_for_end(struct carried *c)
{
    if (c->has_ended || !job_has_ended(c->job))
        return;
    c->has_ended = true;
    c->is_quiet = c->is_nobodys;
    c->until_ms = now_ms() + CLIENT_S * 1000;
}

/* All that was printed before the end is sent, to a client that reads. */
static bool is_over(const struct carried *c)
{
    if (c->client_is_gone)
        return true;
    return c->has_ended &&
           ((c->is_quiet && c->to_client.n == 0) || now_ms() > c->until_ms);
}

void job_terminal_carry(struct job_terminal *t, pid_t job)
{
    struct carried *c = xcalloc(1, sizeof(*c));

    MUST(job > 1 && t->client >= 0 && t->master >= 0);
    c->t = t;
    c->job = job;
    while (!is_over(c)) {
        go_on(c);
        look_for_end(c);
    }
    if (!c->has_ended)
        (void)proc_signal_session(job, SIGKILL);
    close(t->client);
    close(t->master);
    t->client = t->master = -1;
    free(c);
}
