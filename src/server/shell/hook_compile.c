/* hook_compile.c - see hook_compile.h.
 *
 * The script is a memory file on Python's standard input and what Python says comes
 * back through a pipe. compile() runs nothing of the script, but a script made for it
 * can ask for much time and memory: both have limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/hook_compile.h"

#include "lib/io/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_S 10
#define SAYS_NO                                                                        \
    3 /* exit status of the program below; any other is trouble of Python's */

static const char program[] =
    "import sys, resource\n"
    "resource.setrlimit(resource.RLIMIT_CPU, (5, 5))\n"
    "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
    "kind, name, text = sys.argv[1], sys.argv[2], sys.stdin.buffer.read()\n"
    "def no(words):\n"
    "    sys.stderr.write(words)\n"
    "    sys.exit(3)\n"
    "try:\n"
    "    if kind == 'json':\n"
    "        import json\n"
    "        json.loads(text)\n"
    "    elif kind == 'ini':\n"
    "        import configparser\n"
    "        configparser.ConfigParser(strict=False, allow_no_value=True,\n"
    "                                  interpolation=None).read_string(text.decode())\n"
    "    elif kind == 'xml':\n"
    "        import xml.etree.ElementTree\n"
    "        xml.etree.ElementTree.fromstring(text)\n"
    "    else:\n"
    "        compile(text, name, 'exec', dont_inherit=True)\n"
    "except ImportError:\n"
    "    raise\n"
    "except Exception as e:\n"
    "    if type(e).__module__ == 'builtins' and isinstance(e, SyntaxError):\n"
    "        no('line %s: %s' % (e.lineno, e.msg))\n"
    "    no('%s: %s' % (type(e).__name__, e))\n";

/* Signals as in a fresh program. */
static void plain_signals(posix_spawnattr_t *how)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(how, &none);
    posix_spawnattr_setsigdefault(how, &all);
    posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* 0 or an errno value. */
static int start_python(const char *exec, const char *kind, const char *name, int in,
                        int out, pid_t *pid)
{
    char *own = xasprintf("%s/python/bin/python", exec);
    /* A site may have a Python of its own; any other must be in the path. */
    const char *path = access(own, X_OK) == 0 ? own : "python3";
    /* "-I" and "-S" keep the environment, the user's directory and site packages
     * out. */
    const char *argv[] = { path, "-I", "-S", "-c", program, kind, name, NULL };
    static char locale[] = "LC_ALL=C.UTF-8";
    char *envp[] = { locale, NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int err;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
    /* Python inherits no descriptor of the server. */
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&how);
    plain_signals(&how);
    err = posix_spawnp(pid, path, &files, &how, (char *const *)argv, envp);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    free(own);
    if (!err)
        protect_spawned(*pid);
    return err;
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What it says, to its end; false: it does not end in time. */
static bool read_words(int from, char *words, size_t size)
{
    const int64_t until_ms = now_ms() + DEADLINE_S * 1000;
    size_t len = 0;

    MUST(size > 0);
    words[0] = '\0';
    for (;;) {
        struct pollfd p = { .fd = from, .events = POLLIN };
        int64_t left_ms = until_ms - now_ms();
        char more[512];
        ssize_t n;

        /* A script may be made to keep the compiler busy for ever. */
        if (left_ms <= 0)
            return false;
        if (poll(&p, 1, (int)left_ms) <= 0)
            continue;
        n = read(from, more, sizeof(more));
        if (n == 0 || (n < 0 && errno != EINTR))
            return true;
        /* The words become one line of a log, and what is too long is cut. */
        for (ssize_t i = 0; i < n && len + 1 < size; i++)
            words[len++] = more[i] == '\n' ? ' ' : more[i];
        words[len] = '\0';
    }
}

static enum hook_verdict judge(int status, bool in_time, const char *words,
                               struct diag *why)
{
    /* Whoever needs so much for compile() is not accepted. */
    if (!in_time || WIFSIGNALED(status)) {
        diag_set(why, PBSE_HOOKERROR, "Python did not come to an end with it");
        return HOOK_IS_WRONG;
    }
    if (WEXITSTATUS(status) == 0)
        return HOOK_IS_SOUND;
    diag_set(why, PBSE_HOOKERROR, "%.200s", words);
    return WEXITSTATUS(status) == SAYS_NO ? HOOK_IS_WRONG : HOOK_IS_UNKNOWN;
}

static int script_file(const char *data, size_t len)
{
    int fd = memfd_create("hook", MFD_CLOEXEC);

    if (fd < 0)
        return -1;
    /* A memory file takes everything, unless memory runs out. */
    while (len > 0) {
        ssize_t n = write(fd, data, len);

        if (n < 0) {
            close(fd);
            return -1;
        }
        data += n;
        len -= (size_t)n;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

enum hook_verdict hook_compile(const char *exec, const char *kind, const char *name,
                               const char *data, size_t len, struct diag *why)
{
    int in = script_file(data, len), out[2] = { -1, -1 }, err = 0, status = 0;
    char words[512];
    bool in_time;
    pid_t pid;

    if (in < 0 || pipe2(out, O_CLOEXEC) < 0)
        err = errno;
    else
        err = start_python(exec, kind, name, in, out[1], &pid);
    if (in >= 0)
        close(in);
    if (out[1] >= 0)
        close(out[1]);
    if (err) {
        if (out[0] >= 0)
            close(out[0]);
        diag_set(why, PBSE_SYSTEM, "python3: %s", strerror(err));
        return HOOK_IS_UNKNOWN;
    }
    in_time = read_words(out[0], words, sizeof(words));
    /* Python would be stopped by a full pipe otherwise. */
    close(out[0]);
    if (!in_time)
        kill(pid, SIGKILL);
    /* The child is waited for here, in this thread, and not by the loop. */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return judge(status, in_time, words, why);
}
