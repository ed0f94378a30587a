/* transfer.c - see transfer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_TRIES        4
#define PAUSE_AFTER      2    /* tries */
#define MAX_WORDS_BYTES  4096 /* of what a program writes */
#define MAX_ARGS         16
#define DEFAULT_SCP_ARGS "-Brvp"

struct command {
    const char *argv[MAX_ARGS + 4];
    size_t n;
};

static void add_word(struct command *c, const char *word)
{
    if (c->n < MAX_ARGS)
        c->argv[c->n++] = word;
}

/* The arguments of an administrator are divided at blanks; no shell sees them. */
static void add_words(struct command *c, const char *words, struct arena *arena)
{
    char *save = NULL;

    for (char *w = strtok_r(arena_strdup(arena, words), " \t", &save); w;
         w = strtok_r(NULL, " \t", &save))
        add_word(c, w);
}

/* A name that begins with a dash would be an option. */
static const char *no_option(const char *path, struct arena *arena)
{
    return path[0] == '-' ? arena_printf(arena, "./%s", path) : path;
}

static struct command command_of(const struct transfer *t, int try, struct arena *arena)
{
    const struct conf *conf = t->conf;
    struct command c = { .n = 0 };

    if (!t->is_remote) {
        add_word(&c, conf->cp && *conf->cp ? conf->cp : "/bin/cp");
        add_word(&c, "-rp");
    } else if (conf->scp && *conf->scp && try % 2 == 1) {
        add_word(&c, conf->scp);
        add_words(&c,
                  conf->scp_args && *conf->scp_args ? conf->scp_args : DEFAULT_SCP_ARGS,
                  arena);
    } else {
        add_word(&c, conf->rcp && *conf->rcp
                         ? conf->rcp
                         : arena_printf(arena, "%s/sbin/pbs_rcp", conf->exec));
        add_word(&c, "-rp");
    }
    c.argv[c.n++] = no_option(t->from, arena);
    c.argv[c.n++] = no_option(t->to, arena);
    c.argv[c.n] = NULL;
    return c;
}

static NORETURN void become_program(const struct command *c, int words_fd)
{
    int null = open("/dev/null", O_RDWR);

    /* It ends with this process, which has a time limit. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (null < 0 || dup2(null, 0) < 0 || dup2(words_fd, 1) < 0 || dup2(words_fd, 2) < 0)
        _exit(126);
    close_range(3, ~0u, 0);
    signal(SIGPIPE, SIG_DFL);
    execv(c->argv[0], (char *const *)(uintptr_t)c->argv);
    dprintf(2, "%s: %s\n", c->argv[0], strerror(errno));
    _exit(127);
}

/* Read to the end, and keep the beginning. */
static void read_words(int fd, struct buf *words)
{
    char part[1024];
    ssize_t n;

    while ((n = read(fd, part, sizeof(part))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        if (words->len < MAX_WORDS_BYTES)
            buf_add(words, part,
                    MIN_OF((size_t)n, (size_t)MAX_WORDS_BYTES - words->len));
    }
}

static int run_once(const struct command *c, struct buf *words)
{
    int fds[2], status;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return TRANSFER_NO_FORK + errno;
    pid = fork();
    if (pid == 0)
        become_program(c, fds[1]);
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return TRANSFER_NO_FORK + errno;
    }
    buf_clear(words);
    read_words(fds[0], words);
    close(fds[0]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return TRANSFER_NO_END + errno;
    return WIFSIGNALED(status) ? TRANSFER_KILLED + WTERMSIG(status)
                               : WEXITSTATUS(status);
}

static void say_failed(const struct transfer *t, const struct command *c, int status,
                       int try)
{
    struct buf line = { 0 };

    buf_add_str(&line, "command:");
    for (size_t i = 0; i < c->n; i++)
        buf_printf(&line, " %s", c->argv[i]);
    buf_printf(&line, " status=%d, try=%d", status, try);
    t->log(t->arg, line.data);
    buf_fini(&line);
}

int transfer_run(const struct transfer *t, struct buf *words)
{
    int n_tries = t->is_remote ? MAX_TRIES : 1, status = 0;
    struct arena *arena = arena_new();

    for (int try = 1; try <= n_tries; try++) {
        struct command c = command_of(t, try, arena);

        status = run_once(&c, words);
        if (status == 0)
            break;
        say_failed(t, &c, status, try);
        /* What fails twice may be well again soon: a host that is restarted. */
        if (try == PAUSE_AFTER && try < n_tries)
            sleep((unsigned)t->pause_s);
    }
    arena_free(arena);
    return status;
}

const char *transfer_remote(const char *remote, const char *owner, struct arena *arena)
{
    const char *colon = strchr(remote, ':');
    struct buf text = { 0 };
    const char *copy;

    MUST(colon); /* else it is a path of this host */
    if (!memchr(remote, '@', (size_t)(colon - remote)))
        buf_printf(&text, "%s@", owner);
    buf_add(&text, remote, (size_t)(colon + 1 - remote));
    for (const char *c = colon + 1; *c; c++) {
        if (*c == ' ' || *c == '\t')
            buf_add_char(&text, '\\');
        buf_add_char(&text, *c);
    }
    copy = arena_strndup(arena, text.data, text.len);
    buf_fini(&text);
    return copy;
}
