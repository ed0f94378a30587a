/* as_user.c - see as_user.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/as_user.h"

#include "lib/io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct watched { /* a process that was started */
    void (*done)(void *arg, enum as_user_end end, const char *report);
    void *arg;
    pid_t pid;
    int report_fd;
    struct loop_timer *limit;
};

/* In the new process: whose rights these are, and where the user is at home. */
static bool find_account(struct as_user *a, struct buf *report)
{
    const struct passwd *pw = getpwnam(a->account);
    const struct group *gr = a->group && a->group[0] ? getgrnam(a->group) : NULL;

    if (!pw) {
        buf_printf(report, "No Password Entry for User %s\n", a->account);
        return false;
    }
    a->uid = pw->pw_uid;
    a->gid = gr ? gr->gr_gid : pw->pw_gid;
    if (!a->dir)
        a->dir = xstrdup(pw->pw_dir ? pw->pw_dir : "/"); /* this process soon ends */
    return true;
}

/* Become the user, in the new process. Groups come first, since only root may set them.
 */
static bool become(const struct as_user *a)
{
    if (geteuid() != 0)
        return geteuid() == a->uid;
    if ((a->account ? initgroups(a->account, a->gid) : setgroups(0, NULL)) < 0)
        return false;
    return setgid(a->gid) == 0 && setuid(a->uid) == 0;
}

/* In the new process: let nobody in, and end with the MoM. The MoM's memory is still in
 * this process, and the user must not look into it. A change of uid clears the signal
 * that tells of the parent's end, so it is asked for afterwards. */
static void shut_in(pid_t parent)
{
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

/* In the new process: become the user and do the work; the report says what failed. */
static bool work(const struct as_user *who, pid_t parent, struct buf *report)
{
    struct as_user self = *who, *a = &self;

    if (a->account && !find_account(a, report))
        return false;
    if (a->prepare)
        a->prepare(a, report);
    if (!become(a)) {
        buf_printf(report, "cannot become user %s: %s\n", a->account ? a->account : "",
                   strerror(errno));
        return false;
    }
    shut_in(parent);
    signal(SIGPIPE, SIG_IGN);
    if (chdir(a->dir) < 0 && chdir("/") < 0) {
        buf_printf(report, "%s: %s\n", a->dir, strerror(errno));
        return false;
    }
    return a->run(a->work, report);
}

/* The whole life of the new process. It ends with 0 when the work was done. */
static NORETURN void child_run(const struct as_user *a, pid_t parent, int report_fd)
{
    struct buf report = { 0 };
    int *const keep[] = { &report_fd };
    bool ok = child_keep_only(keep, 1) && work(a, parent, &report);

    if (report.len && write(report_fd, report.data,
                            MIN_OF(report.len, (size_t)AS_USER_MAX_REPORT_BYTES)) < 0)
        _exit(2);
    _exit(ok ? 0 : 1);
}

/* In the MoM: tell the outcome, once. */
static void finish(struct watched *w, enum as_user_end end)
{
    struct buf report = { 0 };
    ssize_t n;

    MUST(w->limit); /* on_end() and on_limit() come here once, whoever is first */
    loop_timer_free(w->limit);
    w->limit = NULL;
    while ((n = read(w->report_fd, buf_reserve(&report, 4096), 4096)) > 0)
        report.len += (size_t)n;
    close(w->report_fd);
    buf_add_str(&report, "");
    report.data[report.len] = '\0';
    if (w->done)
        w->done(w->arg, end, report.data);
    w->done = NULL;
    buf_fini(&report);
}

static void on_end(void *arg, pid_t pid, int status)
{
    struct watched *w = arg;

    (void)pid;
    if (w->limit) /* else its time was over, and that was told */
        finish(w, WIFEXITED(status) && WEXITSTATUS(status) == 0 ? AS_USER_DONE
                                                                : AS_USER_FAILED);
    free(w);
}

/* The time is over. The process is killed and told as late; on_end() frees what is
 * left. */
static void on_limit(void *arg)
{
    struct watched *w = arg;

    kill(w->pid, SIGKILL);
    finish(w, AS_USER_LATE);
}

/* The report never fills its pipe, so that the process does not wait for the MoM; and
 * the MoM does not wait for whoever else may hold the other end. */
static int make_pipe(int fds[2], struct diag *why)
{
    if (pipe2(fds, O_CLOEXEC) < 0)
        return diag_set(why, PBSE_SYSTEM, "pipe: %s", strerror(errno));
    (void)fcntl(fds[1], F_SETPIPE_SZ, AS_USER_MAX_REPORT_BYTES);
    (void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
    return 0;
}

int as_user_start(struct loop *l, const struct as_user *a, struct diag *why)
{
    pid_t parent = getpid(), pid;
    struct watched *w;
    int fds[2];

    MUST(a->run && a->limit_ms > 0);
    MUST(a->account || a->dir);
    if (make_pipe(fds, why) != 0)
        return why->code;
    pid = fork();
    if (pid == 0)
        child_run(a, parent, fds[1]);
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return diag_set(why, PBSE_SYSTEM, "fork: %s", strerror(errno));
    }
    w = xcalloc(1, sizeof(*w));
    *w = (struct watched){
        .done = a->done, .arg = a->arg, .pid = pid, .report_fd = fds[0]
    };
    if (a->ret_pid)
        *a->ret_pid = pid;
    w->limit = loop_timer_new(l, on_limit, w);
    loop_timer_set(w->limit, a->limit_ms);
    loop_child_watch(l, pid, on_end, w);
    return 0;
}
