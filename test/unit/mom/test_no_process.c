/* Unit tests of a host that has no more processes or descriptors: whoever cannot fork
 * says so, and nothing of a user's is lost with it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/files.h"
#include "mom/shell/home.h"
#include "mom/shell/spawn.h"

#include "../unit.h"
#include "lib/io/loop.h"
#include "mom/shell/copy.h"
#include "mom/shell/restart.h"
#include "mom/shell/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t self;
static bool no_fork, no_pipe; /* whoever else than this process asks */
static bool no_fork_here;     /* this process, too */

/* In the place of the library's. */
pid_t fork(void)
{
    if (no_fork_here || (no_fork && getpid() != self)) {
        errno = EAGAIN;
        return -1;
    }
    return _Fork();
}

int pipe2(int fds[2], int flags)
{
    if (no_pipe && getpid() != self) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_pipe2, fds, flags);
}

/* No job here goes on from an image. */
void restart_run(const struct action_call *c, void (*done)(void *arg),
                 prologue_log_fn log, void *arg)
{
    (void)c;
    (void)done;
    (void)log;
    (void)arg;
    _exit(1);
}

struct site {
    struct conf conf;
    struct config config;
    struct plan_host host;
    char dir[32];
};

static void site_new(struct site *s)
{
    *s = (struct site){ .dir = "/tmp/hf-no-process-XXXXXX" };
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(s->dir));
    s->config.copy_alarm_s = 60;
    s->host = (struct plan_host){ &s->conf, &s->config, s->dir, "h1", 15003 };
}

static const char *in(const struct site *s, const char *name)
{
    static char path[2][256];
    static int turn;

    turn = !turn;
    snprintf(path[turn], sizeof(path[turn]), "%s/%s", s->dir, name);
    return path[turn];
}

/* What the shepherd of a job reports, and that it ends. */
static struct spawn_report report_of(const struct site *s)
{
    const struct wire_attrs attrs = { 0 };
    const struct spawn_order order = { .host = &s->host,
                                       .job_id = "7.svr",
                                       .attrs = &attrs,
                                       .hold_fd = -1,
                                       .group_fd = -1 };
    struct spawn_report r = { 0 };
    struct spawned sp;
    struct diag why;
    int status;

    CU_ASSERT_EQUAL_FATAL(spawn_start(&order, in(s, "7.svr.1.EX"), &sp, &why), 0);
    CU_ASSERT_EQUAL(waitpid(sp.shepherd, &status, 0), sp.shepherd);
    CU_ASSERT_EQUAL(read(sp.report_fd, &r, sizeof(r)), sizeof(r));
    close(sp.report_fd);
    close(sp.go_fd);
    return r;
}

static void test_a_shepherd_says_why_it_gives_up(void)
{
    static const struct {
        bool no_fork, no_pipe;
        const char *text;
    } rows[] = {
        { false, true, "pipe: Too many open files" },
        { true, false, "fork: Resource temporarily unavailable" },
    };
    struct site s;

    site_new(&s);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct spawn_report r;

        no_fork = rows[i].no_fork;
        no_pipe = rows[i].no_pipe;
        r = report_of(&s);
        no_fork = no_pipe = false;
        CU_ASSERT_EQUAL(r.session, 0);
        CU_ASSERT_EQUAL(r.status, START_RETRY);
        CU_ASSERT_STRING_EQUAL(r.text, rows[i].text);
    }
    CU_ASSERT(tree_remove(AT_FDCWD, s.dir));
}

static void not_called(void *arg, size_t n_done, int code, const char *text)
{
    (void)arg;
    (void)n_done;
    (void)code;
    (void)text;
    CU_FAIL("it cannot have begun");
}

static void nothing_logged(void *arg, int event, const char *object, const char *text)
{
    not_called(arg, (size_t)event, 0, object ? object : text);
}

/* The server lets the job go, with all that is in the spool of it. */
static void test_output_that_nobody_can_copy_is_kept(void)
{
    struct wire_file_pair pairs[] = { { COPY_STD_FILE, "7.svr.OU", "far:/out" },
                                      { COPY_STD_FILE, "7.svr.ER", "far:/err" },
                                      { 3, "data", "far:/data" } };
    const struct body_files body = { .job_id = "7.svr",
                                     .owner = "joe",
                                     .user = "joe",
                                     .group = "",
                                     .direction = COPY_OUT,
                                     .n_pairs = ARRAY_LEN(pairs),
                                     .pairs = pairs };
    struct loop *l = loop_new();
    struct buf words = { 0 };
    char kept[256];
    struct site s;
    int fd;

    site_new(&s);
    CU_ASSERT_EQUAL_FATAL(
        mkdir(in(&s, "spool"), 01777) | mkdir(in(&s, "undelivered"), 01777), 0);
    fd = open(in(&s, "spool/7.svr.OU"), O_WRONLY | O_CREAT, 0600);
    CU_ASSERT_EQUAL(write(fd, "out", 3), 3);
    close(fd);
    no_fork_here = true;
    CU_ASSERT_EQUAL(
        files_start(l, &s.host, &body, false, not_called, nothing_logged, NULL, &words),
        PBSE_SYSTEM);
    no_fork_here = false;
    snprintf(kept, sizeof(kept),
             "fork: Resource temporarily unavailable\n"
             "Output retained on that host in: %s/undelivered/7.svr.OU\n",
             s.dir);
    CU_ASSERT_STRING_EQUAL(words.data, kept);
    CU_ASSERT_EQUAL(access(in(&s, "undelivered/7.svr.OU"), F_OK), 0);
    CU_ASSERT_EQUAL(access(in(&s, "spool/7.svr.OU"), F_OK), -1);
    buf_fini(&words);
    loop_free(l);
    CU_ASSERT(tree_remove(AT_FDCWD, s.dir));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a shepherd says why it gives up", test_a_shepherd_says_why_it_gives_up },
        { "output that nobody can copy is kept",
          test_output_that_nobody_can_copy_is_kept },
    };

    self = getpid();
    return unit_main("no_process", cases, ARRAY_LEN(cases));
}
