/* script_copy.c - see script_copy.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/script_copy.h"

#include "lib/io/conf.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_OPEN_EXIT 8

/* The signals that end this program while it reads or sends a script. Most often
 * somebody thinks better of a script that he types. */
static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM };

/* For the handler, which has no argument of ours: the path while there is a copy. */
static char at_end[PATH_MAX];

/* The default action is back by SA_RESETHAND, and ends the program when the handler
 * returns. */
static void on_end(int signal_number)
{
    int before = errno;

    unlink(at_end);
    (void)raise(signal_number);
    errno = before;
}

static void remove_at_end(const char *path)
{
    struct sigaction sa = { .sa_handler = on_end, .sa_flags = (int)SA_RESETHAND };

    sigemptyset(&sa.sa_mask);
    snprintf(at_end, sizeof(at_end), "%s", path);
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct sigaction old;

        /* Whoever ignores a signal, nohup(1) say, goes on ignoring it. */
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ends[i], &sa, NULL);
    }
}

static void removed(void)
{
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct sigaction now;

        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler == on_end)
            signal(ends[i], SIG_DFL);
    }
}

static FILE *open_script(const char *path, int *code)
{
    struct stat st;
    FILE *in = NULL;

    *code = 1;
    if (!path) {
        if (isatty(STDIN_FILENO))
            puts("Job script will be read from standard input. Submit with CTRL+D.");
        fflush(stdout);
        return stdin;
    }
    /* Opening a directory or a device would succeed, and reading it could wait for
     * ever. */
    if (stat(path, &st) < 0) {
        fprintf(stderr, "%s: script file:: %s\n", CMD, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        fprintf(stderr, "%s: script not a file\n", CMD);
        return NULL;
    }
    in = fopen(path, "re");
    if (!in) {
        fprintf(stderr, "%s: opening script file:: %s\n", CMD, strerror(errno));
        *code = NO_OPEN_EXIT;
    }
    return in;
}

/* Where the copy of a script lies: the environment says it before pbs.conf does (cli.md
 * 1.8). Settings that cannot be read are told when the command connects. */
static const char *scratch_dir(void)
{
    static char dir[PATH_MAX] = "/var/tmp";
    static bool known;
    struct conf *conf;
    struct diag why;

    if (!known && conf_load_without_ports(&conf, &why) == 0) {
        snprintf(dir, sizeof(dir), "%s", conf->tmpdir);
        conf_free(conf);
    }
    known = true;
    return dir;
}

/* Close the copy of a script; 'code', or 1 after telling that it is not complete. A
 * full disk may show only when the rest of the buffer is written. */
static int close_copy(FILE *out, int code)
{
    int error = ferror(out) ? errno : 0;

    if (fclose(out) != 0 && code == 0)
        error = errno;
    if (error == 0)
        return code;
    fprintf(stderr, "%s: could not copy the script to %s: %s\n", CMD, scratch_dir(),
            strerror(error));
    return 1;
}

/* mkstemp() makes a file that nobody else has, with mode 0600: a script may hold
 * secrets, and scratch directories are everybody's. From the first moment on a signal
 * finds the path. */
static int make_copy(char *path)
{
    sigset_t set, before;
    int fd;

    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        sigaddset(&set, ends[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    fd = mkstemp(path);
    if (fd >= 0)
        remove_at_end(path);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fd;
}

void script_copy_remove(char **script)
{
    if (!*script)
        return;
    unlink(*script);
    removed();
    free(*script);
    *script = NULL;
}

char *script_copy_take(struct qsub *q, const char *path, int *code)
{
    FILE *in = open_script(path, code), *out;
    char *copy;
    int fd;

    if (!in)
        return NULL;
    copy = xasprintf("%s/pbsscrptXXXXXX", scratch_dir());
    fd = make_copy(copy);
    out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out) {
        fprintf(stderr,
                "mkstemp: %s\n%s: could not create/open tmp file %s for script\n",
                strerror(errno), CMD, copy);
        if (fd >= 0)
            close(fd);
        *code = 1;
    } else {
        *code = qsub_script(q, in, out);
        *code = close_copy(out, *code);
    }
    if (in != stdin)
        fclose(in);
    /* Where mkstemp() failed there is no file, and the name is no file's. */
    if (*code)
        script_copy_remove(&copy);
    return copy;
}
