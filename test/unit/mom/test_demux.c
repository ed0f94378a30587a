/* Unit tests of the process that takes what tasks on other hosts write.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/demux.h"

#include "mom/shell/demux_serve.h"
#include "mom/shell/shell.h"

#include "../unit.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COOKIE   "0123456789abcdef0123456789ABCDEF"
#define LIMIT_MS 60000

/* What stands for the rest of the MoM. */
static char all_logged[4096];
static const char *plan_fails_with;
static int n_prepared;
static bool was_prepared;

int plan_make(const struct plan_host *host, const char *job_id,
              const struct wire_attrs *attrs, const struct plan_terminal *terminal,
              struct arena *arena, struct plan *ret, struct diag *why)
{
    (void)host;
    (void)job_id;
    (void)attrs;
    (void)terminal;
    (void)arena;
    ret->user = "root";
    ret->uid = geteuid();
    ret->gid = getegid();
    ret->out.path = "/dev/null";
    return plan_fails_with ? diag_set(why, PBSE_SYSTEM, "%s", plan_fails_with) : 0;
}

const struct wire_attrs *mom_job_attrs(const struct mom *m, const char *job_id)
{
    (void)m;
    (void)job_id;
    return NULL;
}

void mom_prepared(struct mom *m, int64_t now_at, const char *job_id, const char *cookie,
                  uint16_t out_port, uint16_t err_port, struct mom_out *out)
{
    (void)m;
    (void)now_at;
    (void)out;
    CU_ASSERT_STRING_EQUAL(job_id, "1.svr");
    CU_ASSERT(!cookie || (out_port != 0 && err_port != 0));
    n_prepared++;
    was_prepared = cookie != NULL;
}

void shell_carry_out(struct shell *s, struct mom_out *out)
{
    (void)s;
    (void)out;
}

void shell_log(struct shell *s, int event, int log_class, const char *object,
               const char *text)
{
    size_t len = strlen(all_logged);

    (void)s;
    (void)event;
    (void)log_class;
    CU_ASSERT_STRING_EQUAL(object, "1.svr");
    snprintf(all_logged + len, sizeof(all_logged) - len, "%s\n", text);
}

struct stage {
    char dir[32], path[2][64];
    struct demux_work work;
    uint16_t ports[2];
    rlim_t files, bytes; /* limits of the process; 0: as they are */
    pid_t pid;
    int hold_fd, report_fd;
};

static int open_port(uint16_t *ret)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    CU_ASSERT_FATAL(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
                    listen(fd, 16) == 0 &&
                    getsockname(fd, (struct sockaddr *)&at, &len) == 0);
    *ret = ntohs(at.sin_port);
    return fd;
}

static void stage_init(struct stage *s)
{
    *s = (struct stage){ .dir = "/tmp/hf-demux-XXXXXX" };
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(s->dir));
    snprintf(s->path[0], sizeof(s->path[0]), "%s/out", s->dir);
    snprintf(s->path[1], sizeof(s->path[1]), "%s/err", s->dir);
    s->work = (struct demux_work){ .cookie = COOKIE,
                                   .path = { s->path[0], s->path[1] },
                                   .umask = 077,
                                   .most = 4,
                                   .drain_ms = LIMIT_MS };
}

static void limit(int which, rlim_t most)
{
    const struct rlimit l = { most, most };

    if (most && setrlimit((__rlimit_resource_t)which, &l) < 0)
        _exit(99);
}

static struct demux_remark next_remark(const struct stage *s)
{
    struct pollfd p = { .fd = s->report_fd, .events = POLLIN };
    struct demux_remark r = { .is_ready = false };

    CU_ASSERT_EQUAL_FATAL(poll(&p, 1, LIMIT_MS), 1);
    if (read(s->report_fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
        snprintf(r.text, sizeof(r.text), "(end)");
    return r;
}

static void stage_begin(struct stage *s)
{
    int hold[2], report[2];

    CU_ASSERT_FATAL(pipe2(hold, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0);
    for (int i = 0; i < 2; i++)
        s->work.listen_fd[i] = open_port(&s->ports[i]);
    s->pid = fork();
    if (s->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(hold[1]);
        close(report[0]);
        s->work.hold_fd = hold[0];
        s->work.report_fd = report[1];
        if (s->bytes)
            signal(SIGXFSZ, SIG_IGN);
        limit(RLIMIT_FSIZE, s->bytes);
        limit(RLIMIT_NOFILE, s->files);
        demux_serve(&s->work);
    }
    close(hold[0]);
    close(report[1]);
    s->hold_fd = hold[1];
    s->report_fd = report[0];
    for (int i = 0; i < 2; i++)
        close(s->work.listen_fd[i]);
    CU_ASSERT_TRUE(next_remark(s).is_ready);
}

/* The top task has ended, and so does the process; what it says then is 'last'. */
static void stage_end(struct stage *s, const char *last)
{
    int status = -1;

    close(s->hold_fd);
    CU_ASSERT_STRING_EQUAL(next_remark(s).text, last);
    close(s->report_fd);
    CU_ASSERT_EQUAL(waitpid(s->pid, &status, 0), s->pid);
    CU_ASSERT_EQUAL(status, 0);
    for (int i = 0; i < 2; i++)
        (void)remove(s->path[i]);
    CU_ASSERT_EQUAL(rmdir(s->dir), 0);
}

static int task(const struct stage *s, bool error, const char *text)
{
    const struct sockaddr_in to = { .sin_family = AF_INET,
                                    .sin_port = htons(s->ports[error]),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CU_ASSERT_FATAL(fd >= 0 &&
                    connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0);
    CU_ASSERT_EQUAL(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
    return fd;
}

/* Whoever reads from the other end has gone. */
static bool is_closed(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char c;

    return poll(&p, 1, LIMIT_MS) == 1 && read(fd, &c, 1) <= 0;
}

static bool has(const char *path, const char *text)
{
    char all[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, all, sizeof(all) - 1);

    if (fd >= 0)
        close(fd);
    all[n < 0 ? 0 : n] = '\0';
    return n >= 0 && strcmp(all, text) == 0;
}

static bool comes_to_have(const char *path, const char *text)
{
    for (int i = 0; i < LIMIT_MS / 10; i++) {
        if (has(path, text))
            return true;
        (void)poll(NULL, 0, 10);
    }
    return false;
}

static void test_words_arrive(void)
{
    struct stage s;
    int out, err, other;

    stage_init(&s);
    stage_begin(&s);
    other = task(&s, false, "0123456789abcdefX");
    CU_ASSERT_TRUE(is_closed(other));
    out = task(&s, false, COOKIE "one\n");
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "one\n"));
    err = task(&s, true, COOKIE);
    CU_ASSERT_EQUAL(send(err, "two\n", 4, MSG_NOSIGNAL), 4);
    CU_ASSERT_TRUE(comes_to_have(s.path[1], "two\n"));
    close(other);
    close(out);
    close(err);
    stage_end(&s, "(end)");
}

static void test_a_file_that_cannot_be_opened_is_said_once(void)
{
    struct stage s;
    char said[128];
    int fds[3];

    stage_init(&s);
    CU_ASSERT_EQUAL_FATAL(mkdir(s.path[1], 0700), 0);
    snprintf(said, sizeof(said),
             "what tasks on other hosts write is lost: cannot open %s", s.path[1]);
    stage_begin(&s);
    fds[0] = task(&s, true, COOKIE "one\n");
    CU_ASSERT_EQUAL(strncmp(next_remark(&s).text, said, strlen(said)), 0);
    fds[1] = task(&s, true, COOKIE "two\n");
    fds[2] = task(&s, false, COOKIE "three\n");
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "three\n"));
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    stage_end(&s, "(end)");
}

static void test_a_full_file_is_said_once_and_keeps_nobody(void)
{
    struct stage s;
    char said[256];
    int out, err;

    stage_init(&s);
    s.bytes = 4;
    snprintf(said, sizeof(said),
             "what tasks on other hosts write is lost: cannot write %s: %s", s.path[0],
             strerror(EFBIG));
    stage_begin(&s);
    out = task(&s, false, COOKIE "one two\n");
    CU_ASSERT_STRING_EQUAL(next_remark(&s).text, said);
    CU_ASSERT_TRUE(has(s.path[0], "one "));
    CU_ASSERT_EQUAL(send(out, "three\n", 6, MSG_NOSIGNAL), 6);
    err = task(&s, true, COOKIE "four");
    CU_ASSERT_TRUE(comes_to_have(s.path[1], "four"));
    close(out);
    close(err);
    stage_end(&s, "(end)");
}

/* Strangers hold places for as long as there are enough of them. */
static void test_who_shows_no_cookie_keeps_nobody_out(void)
{
    struct stage s;
    int fds[5];

    stage_init(&s);
    s.work.most = 2;
    stage_begin(&s);
    fds[0] = task(&s, false, "0");
    fds[1] = task(&s, false, "0");
    fds[2] = task(&s, false, COOKIE "one\n");
    CU_ASSERT_TRUE(is_closed(fds[0]));
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "one\n"));
    fds[3] = task(&s, false, COOKIE "two\n");
    CU_ASSERT_TRUE(is_closed(fds[1]));
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "one\ntwo\n"));
    /* All places are those of tasks: the next one waits for one of them. */
    fds[4] = task(&s, false, COOKIE "three\n");
    CU_ASSERT_STRING_EQUAL(next_remark(&s).text,
                           "2 connections of tasks on other hosts are open: others "
                           "wait");
    CU_ASSERT_TRUE(has(s.path[0], "one\ntwo\n"));
    close(fds[2]);
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "one\ntwo\nthree\n"));
    for (int i = 0; i < 5; i++)
        if (i != 2)
            close(fds[i]);
    stage_end(&s, "(end)");
}

static void test_descriptors_that_run_out_are_waited_for(void)
{
    struct stage s;
    int fds[64], n = 0;

    stage_init(&s);
    s.files = 24;
    s.work.most = 64;
    stage_begin(&s);
    /* The file is opened before the last descriptor is taken. */
    fds[n++] = task(&s, false, COOKIE "one\n");
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "one\n"));
    while (n < 30)
        fds[n++] = task(&s, false, COOKIE);
    CU_ASSERT_PTR_NOT_NULL(strstr(next_remark(&s).text, strerror(EMFILE)));
    fds[n++] = task(&s, false, COOKIE "two\n");
    for (int i = 0; i < 30; i++)
        close(fds[i]);
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "one\ntwo\n"));
    close(fds[30]);
    stage_end(&s, "(end)");
}

static void test_who_stays_silent_behind_the_job_is_left(void)
{
    struct stage s;
    int fd;

    stage_init(&s);
    s.work.drain_ms = 20;
    stage_begin(&s);
    fd = task(&s, false, COOKIE "one\n");
    CU_ASSERT_TRUE(comes_to_have(s.path[0], "one\n"));
    stage_end(&s, "1 tasks on other hosts say nothing and stay connected: they are not "
                  "heard any more");
    close(fd);
}

struct mom_side {
    struct shell s;
    struct mom_out out;
};

static void mom_begin(struct mom_side *m)
{
    *m = (struct mom_side){ .s = { .loop = loop_new(), .arena = arena_new() } };
    m->out.arena = m->s.arena;
    CU_ASSERT_PTR_NOT_NULL_FATAL(m->s.loop);
    all_logged[0] = '\0';
    n_prepared = 0;
    demux_start(&m->s, "1.svr", &m->out);
}

/* Nobody waits for ever: the alarm ends the test. */
static void turn_until(struct mom_side *m, bool ended)
{
    alarm(LIMIT_MS / 1000);
    while (ended ? m->s.demux_processes != NULL : n_prepared == 0)
        (void)loop_turn(m->s.loop, true);
    alarm(0);
}

static void mom_end(struct mom_side *m)
{
    demux_close_all(&m->s);
    loop_free(m->s.loop);
    arena_free(m->s.arena);
}

static void test_a_start_waits_for_it_and_fails_with_it(void)
{
    struct mom_side m;

    mom_begin(&m);
    CU_ASSERT_EQUAL(n_prepared, 0);
    turn_until(&m, false);
    CU_ASSERT_TRUE(was_prepared);
    CU_ASSERT(demux_hold(&m.s, "1.svr") >= 0);
    demux_release(&m.s, "1.svr");
    turn_until(&m, true);
    CU_ASSERT_EQUAL(n_prepared, 1);
    CU_ASSERT_STRING_EQUAL(all_logged, "");
    mom_end(&m);

    plan_fails_with = "No Password Entry for User u";
    mom_begin(&m);
    turn_until(&m, true);
    plan_fails_with = NULL;
    CU_ASSERT_EQUAL(n_prepared, 1);
    CU_ASSERT_FALSE(was_prepared);
    CU_ASSERT_EQUAL(demux_hold(&m.s, "1.svr"), -1);
    CU_ASSERT_STRING_EQUAL(
        all_logged, "cannot take the output of other hosts: No Password Entry for User "
                    "u\n"
                    "the process that takes the output of other hosts has ended, exit "
                    "status 1: the job cannot start\n");
    mom_end(&m);
}

static void test_an_unexpected_end_is_said(void)
{
    struct mom_side m;
    pid_t pid = -1;
    char path[64];
    FILE *f;

    mom_begin(&m);
    turn_until(&m, false);
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
    f = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL_FATAL(fscanf(f, "%d", &pid), 1);
    fclose(f);
    kill(pid, SIGKILL);
    turn_until(&m, true);
    CU_ASSERT_EQUAL(n_prepared, 1);
    CU_ASSERT_STRING_EQUAL(all_logged,
                           "the process that takes the output of other hosts has "
                           "ended, signal 9: what tasks there write from now on is "
                           "lost\n");
    mom_end(&m);
}

static void test_nobody_is_told_of_a_job_that_is_gone(void)
{
    struct mom_side m;

    mom_begin(&m);
    demux_release(&m.s, "1.svr");
    turn_until(&m, true);
    CU_ASSERT_EQUAL(n_prepared, 0);
    mom_end(&m);

    mom_begin(&m);
    mom_end(&m); /* a MoM that ends leaves it */
    CU_ASSERT_EQUAL(n_prepared, 0);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what tasks on other hosts write arrives", test_words_arrive },
        { "a file that cannot be opened is said once",
          test_a_file_that_cannot_be_opened_is_said_once },
        { "a full file is said once, and keeps nobody",
          test_a_full_file_is_said_once_and_keeps_nobody },
        { "who shows no cookie keeps nobody out",
          test_who_shows_no_cookie_keeps_nobody_out },
        { "descriptors that run out are waited for",
          test_descriptors_that_run_out_are_waited_for },
        { "who stays silent behind the job is left",
          test_who_stays_silent_behind_the_job_is_left },
        { "a start waits for it, and fails with it",
          test_a_start_waits_for_it_and_fails_with_it },
        { "an unexpected end is said", test_an_unexpected_end_is_said },
        { "nobody is told of a job that is gone",
          test_nobody_is_told_of_a_job_that_is_gone },
    };

    return unit_main("mom: output of other hosts", cases, ARRAY_LEN(cases));
}
