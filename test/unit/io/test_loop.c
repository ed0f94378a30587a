/* Unit tests of lib/io: the loop, children, listeners, lock files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/child.h"
#include "lib/io/daemon.h"
#include "lib/io/listen.h"
#include "lib/io/loop.h"
#include "lib/io/net.h"

#include "../unit.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-loop-XXXXXX";

static void count(void *arg)
{
    ++*(int *)arg;
}

struct race {
    struct loop *loop;
    struct loop_timer *victim;
    int fired;
};

static void free_the_other(void *arg)
{
    struct race *r = arg;

    r->fired++;
    loop_timer_free(r->victim);
    r->victim = NULL;
}

static void test_timers_fire_once_and_can_be_freed(void)
{
    struct loop *l = loop_new();
    struct race r = { .loop = l };
    int n = 0, never = 0;
    struct loop_timer *t = loop_timer_new(l, count, &n);
    struct loop_timer *first = loop_timer_new(l, free_the_other, &r);
    struct loop_timer *cleared = loop_timer_new(l, count, &never);

    r.victim = loop_timer_new(l, count, &never);
    loop_timer_set(first, 0);
    loop_timer_set(r.victim, 0); /* due too, but freed before its turn */
    loop_timer_set(cleared, 0);
    loop_timer_clear(cleared);
    loop_timer_set(t, -5);
    CU_ASSERT_TRUE(loop_timer_is_set(t));
    while (n == 0)
        loop_turn(l, true);
    CU_ASSERT_EQUAL(r.fired, 1);
    CU_ASSERT_EQUAL(never, 0);
    CU_ASSERT_FALSE(loop_timer_is_set(t));
    CU_ASSERT_FALSE(loop_turn(l, true)); /* nothing to wait for */
    CU_ASSERT_EQUAL(n, 1);
    loop_timer_free(t);
    loop_timer_free(first);
    loop_timer_free(cleared);
    loop_free(l);
}

static void stop(void *arg)
{
    loop_stop(arg);
}

static void test_turn_ends_after_what_was_ready(void)
{
    struct loop *l = loop_new();
    int ends = 0;
    struct loop_timer *t = loop_timer_new(l, stop, l);

    loop_at_turn_end(l, count, &ends);
    loop_timer_set(t, 0);
    loop_run(l);
    CU_ASSERT_TRUE(ends >= 1);
    loop_timer_free(t);
    loop_free(l);
}

static void *poke_twice(void *arg)
{
    loop_notify_poke(arg);
    loop_notify_poke(arg);
    return NULL;
}

static void test_another_thread_wakes_the_loop(void)
{
    struct loop *l = loop_new();
    int n = 0;
    struct loop_notify *w = loop_notify_new(l, count, &n);
    pthread_t thread;

    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, poke_twice, w), 0);
    while (n == 0)
        loop_turn(l, true);
    pthread_join(thread, NULL);
    loop_notify_free(w);
    loop_free(l);
}

static void on_signal(void *arg, int signo)
{
    *(int *)arg = signo;
}

static void test_signals_arrive_in_the_loop(void)
{
    struct loop *l = loop_new();
    int got = 0;
    struct loop_signal *s = loop_signal_new(l, SIGUSR1, on_signal, &got);

    raise(SIGUSR1);
    while (got == 0)
        loop_turn(l, true);
    CU_ASSERT_EQUAL(got, SIGUSR1);
    loop_signal_free(s);
    loop_free(l);
}

struct ended {
    pid_t pid;
    int status;
};

static void on_ended(void *arg, pid_t pid, int status)
{
    *(struct ended *)arg = (struct ended){ pid, status };
}

static void test_children_get_what_they_are_given(void)
{
    static const char *const argv[] = { "sh", "-c", "read x; echo got $x; pwd; exit 3",
                                        NULL };
    static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };
    struct loop *l = loop_new();
    struct ended e = { 0 };
    struct diag why;
    int in[2], out[2];
    pid_t pid;
    char text[64] = "";

    CU_ASSERT_EQUAL_FATAL(pipe(in) | pipe(out), 0);
    CU_ASSERT_EQUAL(write(in[1], "fish\n", 5), 5);
    struct child_config cfg = { .path = "/bin/sh",
                                .argv = argv,
                                .envp = envp,
                                .dir = "/",
                                .fd = { in[0], out[1], -1 } };
    CU_ASSERT_EQUAL_FATAL(child_start(l, &cfg, on_ended, &e, &pid, &why), 0);
    close(out[1]);
    while (e.pid == 0)
        loop_turn(l, true);
    CU_ASSERT_EQUAL(e.pid, pid);
    CU_ASSERT_TRUE(WIFEXITED(e.status));
    CU_ASSERT_EQUAL(WEXITSTATUS(e.status), 3);
    CU_ASSERT_TRUE(read(out[0], text, sizeof(text) - 1) > 0);
    CU_ASSERT_STRING_EQUAL(text, "got fish\n/\n");
    cfg.path = "/nonexistent/program";
    CU_ASSERT_EQUAL(child_start(l, &cfg, on_ended, &e, &pid, &why), PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(why.text, "/nonexistent/program: No such file or directory");
    close(in[0]);
    close(in[1]);
    close(out[0]);
    loop_free(l);
}

/* Only root can become somebody else; the refusal is anybody's. */
static void test_child_runs_as_another_user(void)
{
    const char *argv[] = { "sh", "-c", "echo $(id -u) $(id -g) $(id -G)", NULL };
    static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };
    struct loop *l = loop_new();
    struct ended e = { 0 };
    struct diag why;
    char text[64] = "";
    int out[2];
    pid_t pid;

    CU_ASSERT_EQUAL_FATAL(pipe(out), 0);
    struct child_config cfg = { .path = "/bin/sh",
                                .argv = argv,
                                .envp = envp,
                                .fd = { -1, out[1], -1 },
                                .as_other = true,
                                .uid = 4711,
                                .gid = 4712 };
    int err = child_start(l, &cfg, on_ended, &e, &pid, &why);

    close(out[1]);
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL_FATAL(err, 0);
        while (e.pid == 0)
            loop_turn(l, true);
        CU_ASSERT_TRUE(read(out[0], text, sizeof(text) - 1) > 0);
        CU_ASSERT_STRING_EQUAL(text, "4711 4712 4712\n");
    } else {
        CU_ASSERT_EQUAL(err, PBSE_SYSTEM);
    }
    close(out[0]);
    loop_free(l);
}

/* A process that ends with that status, and has ended when this returns. */
static pid_t ended_child(int status)
{
    siginfo_t info;
    pid_t pid = fork();

    if (pid == 0)
        _exit(status);
    CU_ASSERT_EQUAL_FATAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    return pid;
}

static void handler(int signo)
{
    (void)signo;
}

static bool is_handled_by(int signo, void (*by)(int))
{
    struct sigaction now;

    return sigaction(signo, NULL, &now) == 0 && now.sa_handler == by;
}

/* In a child; whose exit status says whether signals are as they have to be. */
static NORETURN void reset_signals(void)
{
    sigset_t blocked;

    signal(SIGTERM, handler);
    signal(SIGABRT, handler); /* as a sanitizer's */
    signal(SIGBUS, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigfillset(&blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    child_reset_signals();
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    _exit(!(is_handled_by(SIGTERM, SIG_DFL) && is_handled_by(SIGABRT, handler) &&
            is_handled_by(SIGBUS, SIG_DFL) && is_handled_by(SIGPIPE, SIG_DFL) &&
            !sigismember(&blocked, SIGTERM)));
}

static void test_a_child_has_signals_of_a_fresh_program(void)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0)
        reset_signals();
    CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
    CU_ASSERT_EQUAL(status, 0);
}

/* A library's child that ended and was not asked for hides nobody, and stays. */
static void test_only_watched_children_are_taken(void)
{
    pid_t foreign = ended_child(1), first = ended_child(2), second = ended_child(3);
    struct loop *l = loop_new();
    struct ended e[2] = { { 0 } };
    int status;

    loop_child_watch(l, first, on_ended, &e[0]);
    loop_child_watch(l, second, on_ended, &e[1]);
    while (e[0].pid == 0 || e[1].pid == 0)
        loop_turn(l, true);
    CU_ASSERT_EQUAL(e[0].pid, first);
    CU_ASSERT_EQUAL(WEXITSTATUS(e[0].status), 2);
    CU_ASSERT_EQUAL(e[1].pid, second);
    CU_ASSERT_EQUAL(WEXITSTATUS(e[1].status), 3);
    CU_ASSERT_EQUAL(waitpid(foreign, &status, WNOHANG), foreign);
    loop_free(l);
}

struct crowd {
    struct loop *l;
    struct loop_timer *other;
    int n_ended, n_turns_of_other;
};

static void on_other(void *arg)
{
    struct crowd *c = arg;

    c->n_turns_of_other++;
    loop_timer_set(c->other, 0);
}

/* The end of each begins something new, as jobs do. */
static void on_one_ended(void *arg, pid_t pid, int status)
{
    struct crowd *c = arg;

    (void)pid;
    (void)status;
    if (c->n_ended++ < 5)
        loop_child_watch(c->l, ended_child(0), on_one_ended, c);
}

/* Thirty and the five that follow end at once, beside a foreign one in the second
 * round. Whoever else waits for the loop has a turn after some of them. */
static void test_children_that_end_together_have_turns(void)
{
    for (int with_foreign = 0; with_foreign <= 1; with_foreign++) {
        pid_t foreign = with_foreign ? ended_child(1) : 0;
        struct crowd c = { .l = loop_new() };
        int status, n_turns = 0;

        c.other = loop_timer_new(c.l, on_other, &c);
        loop_timer_set(c.other, 0);
        for (int i = 0; i < 30; i++)
            loop_child_watch(c.l, ended_child(0), on_one_ended, &c);
        for (int before = 0; c.n_ended < 35; before = c.n_ended, n_turns++) {
            loop_turn(c.l, true);
            CU_ASSERT_TRUE_FATAL(n_turns < 1000);
            CU_ASSERT(c.n_ended - before <= LOOP_CHILDREN_IN_TURN);
        }
        CU_ASSERT(n_turns >= 4);
        CU_ASSERT(c.n_turns_of_other >= 3);
        if (foreign)
            CU_ASSERT_EQUAL(waitpid(foreign, &status, WNOHANG), foreign);
        loop_timer_free(c.other);
        loop_free(c.l);
    }
}

struct accepted {
    int n, fd;
    bool tcp;
};

static void on_accept(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct accepted *a = arg;

    a->n++;
    a->tcp = peer != NULL;
    close(fd);
}

static int connect_unix(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void test_listeners_accept(void)
{
    struct loop *l = loop_new();
    struct accepted a = { 0 };
    struct listener *tcp, *other, *local;
    struct sockaddr_in to = { .sin_family = AF_INET };
    struct diag why;
    char path[64];
    int fd;

    CU_ASSERT_EQUAL_FATAL(listen_tcp(l, "127.0.0.1", 0, on_accept, &a, &tcp, &why), 0);
    CU_ASSERT_TRUE(listener_port(tcp) > 0);
    CU_ASSERT_EQUAL(
        listen_tcp(l, "127.0.0.1", listener_port(tcp), on_accept, &a, &other, &why),
        PBSE_SYSTEM);
    CU_ASSERT_EQUAL(listen_tcp(l, "localhost", 0, on_accept, &a, &other, &why),
                    PBSE_SYSTEM);
    to.sin_port = htons((uint16_t)listener_port(tcp));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CU_ASSERT_EQUAL(net_connect(&to, &fd), 0);
    while (a.n == 0)
        loop_turn(l, true);
    CU_ASSERT_TRUE(a.tcp);
    close(fd);

    snprintf(path, sizeof(path), "%s/sock", dir);
    CU_ASSERT_EQUAL_FATAL(listen_unix(l, path, on_accept, &a, &local, &why), 0);
    CU_ASSERT_EQUAL(listen_unix(l, path, on_accept, &a, &other, &why), PBSE_SYSTEM);
    fd = connect_unix(path);
    while (a.n < 2)
        loop_turn(l, true);
    CU_ASSERT_FALSE(a.tcp);
    close(fd);
    listener_free(local);
    CU_ASSERT_EQUAL(access(path, F_OK), -1);
    listener_free(tcp);
    loop_free(l);
}

static void test_dead_socket_is_replaced(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    struct loop *l = loop_new();
    struct accepted a = { 0 };
    struct listener *local;
    struct diag why;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(at.sun_path, sizeof(at.sun_path), "%s/dead", dir);
    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    close(fd);
    CU_ASSERT_EQUAL_FATAL(listen_unix(l, at.sun_path, on_accept, &a, &local, &why), 0);
    listener_free(local);
    loop_free(l);
}

/* In a child: may the lock be taken? Its exit status is the code's difference. */
static int lock_elsewhere(const char *path)
{
    int status, fd;
    struct diag why;
    pid_t pid = fork();

    if (pid == 0) {
        int err = daemon_lock(path, 0600, &fd, &why);

        _exit(err == 0 ? 0 : err == PBSE_OBJBUSY ? 1 : 2);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void test_lock_is_exclusive(void)
{
    char path[64], text[32] = "", expect[32];
    struct diag why;
    int fd;

    snprintf(path, sizeof(path), "%s/lock", dir);
    CU_ASSERT_EQUAL_FATAL(daemon_lock(path, 0600, &fd, &why), 0);
    CU_ASSERT_EQUAL(daemon_lock_pid(fd, &why), 0);
    CU_ASSERT_EQUAL(lock_elsewhere(path), 1);
    snprintf(expect, sizeof(expect), "%ld\n", (long)getpid());
    CU_ASSERT_TRUE(pread(fd, text, sizeof(text) - 1, 0) > 0);
    CU_ASSERT_STRING_EQUAL(text, expect);
    close(fd);
    CU_ASSERT_EQUAL(lock_elsewhere(path), 0); /* a file left behind locks nobody out */
    unlink(path);
    CU_ASSERT_EQUAL(lock_elsewhere("/nonexistent/lock"), 2);
}

/* The daemon's end is not over when it was killed: a thread of its may sit in a sync.
 */
static void test_lock_of_a_dying_daemon_is_waited_for(void)
{
    char path[64], byte = 0;
    struct diag why;
    int status, fd, freed[2];
    pid_t dying;

    snprintf(path, sizeof(path), "%s/lock", dir);
    CU_ASSERT_EQUAL_FATAL(pipe(freed), 0);
    dying = fork();
    if (dying == 0) {
        if (daemon_lock(path, 0600, &fd, &why) || write(freed[1], "x", 1) != 1)
            _exit(1);
        poll(NULL, 0, DAEMON_LOCK_WAIT_MS / 20);
        _exit(0);
    }
    CU_ASSERT_EQUAL(read(freed[0], &byte, 1), 1); /* it has the lock */
    CU_ASSERT_EQUAL(daemon_lock(path, 0600, &fd, &why), 0);
    waitpid(dying, &status, 0);
    CU_ASSERT_EQUAL(status, 0);
    close(fd);
    close(freed[0]);
    close(freed[1]);
    unlink(path);
}

/* The process that waits for a daemon to be ready holds nothing of it. */
static void test_the_waiting_parent_holds_no_lock(void)
{
    char path[64];
    struct diag why;
    int fd, up[2];
    pid_t parent, daemon = 0;

    snprintf(path, sizeof(path), "%s/lock", dir);
    CU_ASSERT_EQUAL_FATAL(pipe(up), 0);
    parent = fork();
    if (parent == 0) {
        if (daemon_lock(path, 0600, &fd, &why) || daemon_fork() != 0)
            _exit(1);
        daemon = getpid();
        if (write(up[1], &daemon, sizeof(daemon)) < 0)
            _exit(1);
        for (;;)
            pause(); /* never ready */
    }
    CU_ASSERT_EQUAL(read(up[0], &daemon, sizeof(daemon)), (ssize_t)sizeof(daemon));
    kill(parent, SIGSTOP); /* so that it does not notice its child's end */
    kill(daemon, SIGKILL);
    CU_ASSERT_EQUAL(daemon_lock(path, 0600, &fd, &why), 0);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    close(fd);
    close(up[0]);
    close(up[1]);
    unlink(path);
}

/* The exit status of a daemon whose child does 'ready' or fails with 'code'. */
static int start_daemon(bool ready, int code)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (daemon_fork() != 0)
            _exit(99);
        if (ready)
            daemon_ready();
        _exit(code);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void test_background_start_tells_its_status(void)
{
    CU_ASSERT_EQUAL(start_daemon(true, 7), 0);
    CU_ASSERT_EQUAL(start_daemon(false, 4), 4);
}

static void test_directories_are_made_with_parents(void)
{
    char path[80], cmd[100];
    struct stat st;
    struct diag why;

    snprintf(path, sizeof(path), "%s/a/b/c", dir);
    CU_ASSERT_EQUAL(daemon_mkdir(path, 0700, &why), 0);
    CU_ASSERT_EQUAL(daemon_mkdir(path, 0700, &why), 0);
    CU_ASSERT_EQUAL(stat(path, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 0777, 0700);
    CU_ASSERT_EQUAL(daemon_mkdir("/dev/null/x", 0700, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(daemon_mkdir("/dev/null", 0700, &why), PBSE_SYSTEM);
    for (const char *p = "cba"; *p; p++) {
        *strrchr(path, '/') = '\0';
        snprintf(cmd, sizeof(cmd), "%s/%c", path, *p);
        rmdir(cmd);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "timers fire once and can be freed", test_timers_fire_once_and_can_be_freed },
        { "a turn ends after what was ready", test_turn_ends_after_what_was_ready },
        { "another thread wakes the loop", test_another_thread_wakes_the_loop },
        { "signals arrive in the loop", test_signals_arrive_in_the_loop },
        { "children get what they are given", test_children_get_what_they_are_given },
        { "a child runs as another user", test_child_runs_as_another_user },
        { "a child has the signals of a fresh program, and faults are reported",
          test_a_child_has_signals_of_a_fresh_program },
        { "only watched children are taken", test_only_watched_children_are_taken },
        { "children that end together have turns",
          test_children_that_end_together_have_turns },
        { "listeners accept", test_listeners_accept },
        { "a dead socket is replaced", test_dead_socket_is_replaced },
        { "a lock is exclusive", test_lock_is_exclusive },
        { "the lock of a dying daemon is waited for",
          test_lock_of_a_dying_daemon_is_waited_for },
        { "the waiting parent holds no lock", test_the_waiting_parent_holds_no_lock },
        { "a background start tells its status",
          test_background_start_tells_its_status },
        { "directories are made with parents", test_directories_are_made_with_parents },
    };
    int rc;

    if (!mkdtemp(dir))
        return 2;
    rc = unit_main("loop", cases, ARRAY_LEN(cases));
    rmdir(dir);
    return rc;
}
