/* topology.c - see topology.h.
 *
 * The program runs as nobody, with no variable of ours: it reads what is under /sys, or
 * the descriptor that it is given. Whatever becomes of it, the MoM goes on with the
 * text that it had.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/topology.h"

#include "lib/io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGIN    "hwloc<?xml "
#define END      "</topology>"
#define TEXT_MAX (256u << 10)
#define LIMIT_MS 15000 /* the program gives up sooner */
#define NOBODY   65534

struct topology {
    struct shell *shell;
    char *text; /* what the host is said to have; NULL: the least */
    bool is_asked;
    pid_t pid; /* 0: it has ended */
    int fd;
    struct loop_fd *read; /* while the loop runs */
    struct loop_timer *limit;
    struct buf answer;
};

bool topology_is_text(const char *text, size_t len)
{
    size_t end = strlen(END);

    if (len > TEXT_MAX || len < strlen(BEGIN) + end ||
        strncmp(text, BEGIN, strlen(BEGIN)) != 0)
        return false;
    for (size_t i = 0; i < len; i++)
        if ((text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] > '~')
            return false;
    while (len > end && text[len - 1] == '\n')
        len--;
    return strncmp(text + len - end, END, end) == 0;
}

static unsigned count(const char *text, const char *words)
{
    unsigned n = 0;

    for (; (text = strstr(text, words)) != NULL; text += strlen(words))
        n++;
    return n;
}

struct topology_counts topology_count(const char *text)
{
    /* In a value of the text a quotation mark would be written "&quot;". */
    return (struct topology_counts){ .pus = count(text, "<object type=\"PU\""),
                                     .cores = count(text, "<object type=\"Core\"") };
}

int topology_open_xml(const char *path, struct diag *why)
{
    /* A FIFO would wait for a writer. */
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0) {
        diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode) || (st.st_mode & 022) ||
               (st.st_uid != 0 && st.st_uid != geteuid())) {
        diag_set(why, PBSE_SYSTEM, "%s: it is no plain file that only root may write",
                 path);
        close(fd);
        fd = -1;
    }
    return fd;
}

static void say(struct shell *s, int event, const char *words)
{
    shell_log(s, event, LOG_IN_SERVER, "topology", words);
}

static void on_end(void *arg, pid_t pid, int status)
{
    struct topology *t = arg;

    (void)status; /* the text says whether it is whole */
    if (t->pid == pid)
        t->pid = 0;
}

/* An answer that is another one than the last is kept. True: it was. */
static bool take_answer(struct topology *t)
{
    const char *now = t->text ? t->text : TOPOLOGY_LEAST;
    bool is_new;

    if (!t->answer.data || !topology_is_text(t->answer.data, t->answer.len)) {
        say(t->shell, LOG_EV_ERROR,
            "pbs_topology has not described the host; run it to see why");
        return false;
    }
    t->answer.data[t->answer.len] = '\0';
    is_new = strcmp(t->answer.data, now) != 0;
    if (is_new) {
        free(t->text);
        t->text = xstrdup(t->answer.data);
    }
    return is_new;
}

static void stop_asking(struct topology *t)
{
    if (!t->is_asked)
        return;
    loop_fd_free(t->read);
    t->read = NULL;
    loop_timer_free(t->limit);
    t->limit = NULL;
    close(t->fd);
    if (t->pid > 0)
        kill(t->pid, SIGKILL);
    buf_fini(&t->answer);
    t->is_asked = false;
}

/* Take what is there. False: that was all of it, or more than is taken. */
static bool read_more(struct topology *t)
{
    ssize_t n = read(t->fd, buf_reserve(&t->answer, 65536), 65536);

    if (n > 0)
        t->answer.len += (size_t)n;
    return (n > 0 && t->answer.len <= TEXT_MAX) ||
           (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static void on_readable(void *arg, int fd, unsigned ready)
{
    struct topology *t = arg;
    struct shell *s = t->shell;
    bool is_new;

    (void)fd;
    (void)ready;
    if (read_more(t))
        return;
    is_new = take_answer(t);
    stop_asking(t);
    if (is_new)
        shell_report_topology(s, t->text);
}

static void on_limit(void *arg)
{
    struct topology *t = arg;

    say(t->shell, LOG_EV_ERROR, "pbs_topology has not ended in time");
    stop_asking(t);
}

/* Begin to ask; t->fd will bring the answer. */
static int start(struct topology *t, struct diag *why)
{
    static const char *const none[] = { "LC_ALL=C", NULL };
    const char *xml = getenv("HWLOC_XMLFILE"), *words = getenv("HWLOC_SYNTHETIC");
    struct shell *s = t->shell;
    char *path = xasprintf("%s/sbin/pbs_topology", s->conf->exec);
    const char *argv[] = { path, NULL, NULL, NULL };
    struct child_config cfg = { .path = path,
                                .argv = argv,
                                .envp = none,
                                .dir = "/",
                                .fd = { -1, -1, -1 },
                                .as_other = geteuid() == 0,
                                .uid = NOBODY,
                                .gid = NOBODY };
    int fds[2], err;

    if (xml && xml[0]) {
        cfg.fd[0] = topology_open_xml(xml, why);
        if (cfg.fd[0] < 0)
            say(s, LOG_EV_ERROR | LOG_EV_SECURITY, why->text);
        else
            argv[1] = "-x";
    } else if (words && words[0]) {
        argv[1] = "-s";
        argv[2] = words;
    }
    if (pipe2(fds, O_CLOEXEC) < 0) {
        err = diag_set(why, PBSE_SYSTEM, "pipe: %s", strerror(errno));
    } else {
        cfg.fd[1] = fds[1];
        err = child_start(s->loop, &cfg, on_end, t, &t->pid, why);
        close(fds[1]);
        t->fd = fds[0];
        if (err)
            close(fds[0]);
    }
    if (cfg.fd[0] >= 0)
        close(cfg.fd[0]);
    free(path);
    t->is_asked = !err;
    return err;
}

static struct topology *topology_of(struct shell *s)
{
    if (!s->topology) {
        s->topology = xcalloc(1, sizeof(*s->topology));
        s->topology->shell = s;
    }
    return s->topology;
}

const char *topology_find(struct shell *s)
{
    struct topology *t = topology_of(s);
    int64_t until_ms = clock_mono_ms() + LIMIT_MS, left_ms;
    struct pollfd p = { .events = POLLIN };
    struct diag why;

    MUST(!t->is_asked);
    if (start(t, &why) != 0) {
        /* It is not built without libhwloc. */
        say(s, LOG_EV_SYSTEM, why.text);
        return TOPOLOGY_LEAST;
    }
    p.fd = t->fd;
    do {
        left_ms = until_ms - clock_mono_ms();
        if (left_ms <= 0)
            break;
        p.revents = 0;
        (void)poll(&p, 1, (int)left_ms);
    } while (p.revents == 0 || read_more(t));
    (void)take_answer(t);
    stop_asking(t);
    return t->text ? t->text : TOPOLOGY_LEAST;
}

void topology_ask(struct shell *s)
{
    struct topology *t = topology_of(s);
    struct diag why;

    if (t->is_asked || start(t, &why) != 0)
        return; /* the answer comes soon, or the text stays */
    (void)fcntl(t->fd, F_SETFL, O_NONBLOCK);
    t->read = loop_fd_new(s->loop, t->fd, on_readable, t);
    loop_fd_want(t->read, LOOP_READ);
    t->limit = loop_timer_new(s->loop, on_limit, t);
    loop_timer_set(t->limit, LIMIT_MS);
}

void topology_close(struct shell *s)
{
    if (!s->topology)
        return;
    stop_asking(s->topology);
    free(s->topology->text);
    free(s->topology);
    s->topology = NULL;
}
