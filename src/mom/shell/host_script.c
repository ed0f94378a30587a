/* host_script.c - see host_script.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host_script.h"

#include "lib/base/arena.h"
#include "lib/io/protect.h"
#include "mom/shell/script.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIABLE "PBS_RM_"
#define MOMS_END 3 /* the descriptor that a command's guard reads */

/* What /bin/sh does before it becomes the command ($0): it leaves a guard in the
 * process group, which waits for the end of the MoM and kills the group then. Only the
 * MoM has the other end of what the guard reads, and nobody writes there. The guard is
 * no child of the command, which may wait for all of its own, and holds nothing of its
 * output. A command may send its group a signal that it catches itself: the guard
 * stays. First of all the process gives up the MoM's protection, if it has any ($1). */
/* clang-format off */
static const char guarded[] =
    "[ -z \"$1\" ] || { echo 0 >\"$1\"; } 2>/dev/null\n"
    "(trap '' HUP INT QUIT ALRM TERM USR1 USR2\n"
    "{ read -r word <&3; kill -KILL 0; } >/dev/null &)\n"
    "exec 3<&-\n"
    "exec /bin/sh -c \"$0\"";
/* clang-format on */

int64_t host_script_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void host_running_init(struct host_running *r)
{
    *r = (struct host_running){ 0 };
    pthread_mutex_init(&r->lock, NULL);
}

void host_running_fini(struct host_running *r)
{
    MUST(r->pid == 0);
    pthread_mutex_destroy(&r->lock);
}

void host_running_stop(struct host_running *r)
{
    pthread_mutex_lock(&r->lock);
    r->is_over = true;
    if (r->pid > 0)
        kill(-r->pid, SIGKILL);
    pthread_mutex_unlock(&r->lock);
}

bool host_script_is_fit(const char *command, char *file, size_t size, int *ret_errno)
{
    const char *word = command + strspn(command, " \t");
    size_t len = strcspn(word, " \t;&|<>()");

    *ret_errno = ENAMETOOLONG;
    snprintf(file, size, "%.*s", (int)MIN_OF(len, size - 1), word);
    if (len >= size)
        return false;
    *ret_errno = 0;
    /* Other words are found where root has put them: see PATH. */
    if (!memchr(word, '/', len))
        return true;
    switch (script_look(file)) {
    case SCRIPT_IS_FIT:
        return true;
    case SCRIPT_IS_MISSING:
        *ret_errno = ENOENT;
        return false;
    default:
        *ret_errno = EPERM;
        return false;
    }
}

static bool is_in_key(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Which of them has the key that stands there? 'n': none. */
static size_t param_at(const char *at, size_t n, const struct host_param *params,
                       size_t *ret_len)
{
    size_t i, len = 0;

    while (is_in_key(at[len]))
        len++;
    for (i = 0; i < n; i++)
        if (len > 0 && strlen(params[i].key) == len &&
            strncmp(params[i].key, at, len) == 0)
            break;
    *ret_len = len;
    return i;
}

/* Within quotes of the command's own these are left, or stay, so that the variable ends
 * up in double ones. */
static void add_variable(struct buf *out, char quote, size_t i)
{
    const char *around = quote == '"' ? "" : "\"";
    const char *other = quote == '\'' ? "'" : "";

    buf_printf(out, "%s%s${" VARIABLE "%zu}%s%s", other, around, i, around, other);
}

/* Should the shell see quotes otherwise, as in a here-document, the variable is split
 * into words or not replaced; it is never read as a part of the command. */
bool host_script_fill(const char *command, size_t n, const struct host_param *params,
                      struct buf *out)
{
    bool is_used[HOST_PARAMS] = { false };
    char quote = '\0';

    MUST(n <= HOST_PARAMS);
    buf_add_str(out, "");
    for (const char *at = command; *at; at++) {
        size_t len, i = *at == '%' ? param_at(at + 1, n, params, &len) : n;

        if (i < n) {
            add_variable(out, quote, i);
            is_used[i] = true;
            at += len;
            continue;
        }
        buf_add(out, at, 1);
        if (*at == '\\' && quote != '\'' && at[1])
            buf_add(out, ++at, 1);
        else if (*at == quote)
            quote = '\0';
        else if (!quote && (*at == '"' || *at == '\''))
            quote = *at;
    }
    for (size_t i = 0; i < n; i++)
        if (!is_used[i])
            return false;
    return true;
}

/* Signals as in a fresh program, a process group of its own, nothing of the MoM's
 * descriptors but 'output' and, for the guard, 'moms_end'. */
static bool begin(const char *command, const char *const *variables, int output,
                  int moms_end, pid_t *ret)
{
    const char *argv[] = { "/bin/sh", "-c", guarded, command, protect_file(), NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t all, none;
    int err;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    err = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!err)
        err = posix_spawn_file_actions_adddup2(&files, output, 1);
    if (!err)
        err = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    if (!err)
        err = posix_spawn_file_actions_adddup2(&files, moms_end, MOMS_END);
    if (!err)
        err = posix_spawn_file_actions_addclosefrom_np(&files, MOMS_END + 1);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                        POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    if (!err)
        err = posix_spawn(ret, "/bin/sh", &files, &attr, (char *const *)(void *)argv,
                          (char *const *)(void *)variables);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return err == 0;
}

/* Its process is known to whoever may have to end it as soon as it is there. */
static bool begin_known(struct host_running *r, const char *command,
                        const char *const *variables, int output, int moms_end)
{
    pid_t pid = 0;
    bool ok;

    pthread_mutex_lock(&r->lock);
    ok = !r->is_over && begin(command, variables, output, moms_end, &pid);
    r->pid = ok ? pid : 0;
    pthread_mutex_unlock(&r->lock);
    return ok;
}

/* Take the output to its end. What comes behind the most that is wanted is read, so
 * that the command can end, and not kept. False: the time was over. */
static bool read_all(int fd, int64_t until_ms, size_t most, struct buf *text)
{
    char part[4096];

    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int64_t left = until_ms - host_script_now();
        ssize_t n;

        if (left <= 0)
            return false;
        if (poll(&p, 1, (int)MIN_OF(left, INT32_MAX)) <= 0)
            continue;
        n = read(fd, part, sizeof(part));
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return n == 0;
        if (n > 0 && text->len <= most)
            buf_add(text, part, (size_t)n);
    }
}

/* Its end, which follows that of its output soon, or never. */
static bool has_ended(pid_t pid, int64_t until_ms)
{
    const struct timespec soon = { .tv_nsec = 10000000 };

    while (host_script_now() < until_ms) {
        siginfo_t ended = { 0 };

        if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid == pid)
            return true;
        nanosleep(&soon, NULL);
    }
    return false;
}

/* As long as the first process has not been waited for, nobody else can have the number
 * of its group. */
static bool end(struct host_running *r, bool has_ended)
{
    pid_t pid = r->pid;
    siginfo_t ended;
    int status = 0;

    kill(-pid, SIGKILL);
    /* A process that the kernel keeps does not keep the lock. */
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&r->lock);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    r->pid = 0;
    pthread_mutex_unlock(&r->lock);
    return has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char **make_variables(size_t n, const struct host_param *params,
                                   struct arena *arena)
{
    const char **all = ARENA_ARRAY(arena, const char *, n + 3);
    size_t at = 0;

    all[at++] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    all[at++] = "LC_ALL=C";
    for (size_t i = 0; i < n; i++)
        all[at++] = arena_printf(arena, VARIABLE "%zu=%s", i, params[i].value);
    return all; /* the arena's memory is zero: a NULL ends it */
}

/* The first line, without NUL bytes. */
static bool take_line(const struct buf *text, size_t most, struct buf *out)
{
    const char *end = text->len > 0 ? memchr(text->data, '\n', text->len) : NULL;
    size_t len = end ? (size_t)(end - text->data) : text->len;

    if (len > 0 && memchr(text->data, '\0', len))
        return false;
    if (len > 0)
        buf_add(out, text->data, MIN_OF(len, most));
    return true;
}

/* Two pipes: what the command writes comes out of the first, and the second ends with
 * the MoM. */
static bool open_pipes(int fds[4])
{
    if (pipe2(fds, O_CLOEXEC) < 0)
        return false;
    if (pipe2(fds + 2, O_CLOEXEC) == 0)
        return true;
    close(fds[0]);
    close(fds[1]);
    return false;
}

bool host_script_run(struct host_running *r, const char *command, size_t n,
                     const struct host_param *params, int64_t until_ms, size_t most,
                     struct buf *out)
{
    struct arena *arena = arena_new();
    struct buf text = { 0 };
    bool ok = false;
    int fds[4];

    if (host_script_now() < until_ms && open_pipes(fds)) {
        bool began =
            begin_known(r, command, make_variables(n, params, arena), fds[1], fds[2]);

        close(fds[1]);
        close(fds[2]);
        ok = began && read_all(fds[0], until_ms, most, &text);
        ok = began && end(r, ok && has_ended(r->pid, until_ms));
        close(fds[0]);
        close(fds[3]);
    }
    ok = ok && take_line(&text, most, out);
    buf_fini(&text);
    arena_free(arena);
    return ok;
}
