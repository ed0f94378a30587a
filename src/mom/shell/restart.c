/* restart.c - see restart.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/restart.h"

#include "lib/base/log.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT_RUN 254 /* as of a program that cannot be run */

/* Signals to the job are for what is restored, and this process is to see its end. */
static void ignore_signals(void)
{
    static const int ignored[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                                   SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU };

    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        signal(ignored[i], SIG_IGN);
}

/* End as that process did. */
static NORETURN void end_as(int status)
{
    const struct rlimit none = { 0, 0 };

    if (WIFSIGNALED(status)) {
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT_RUN);
}

/* What the script has left becomes a child of this process when its own parent ends. */
static NORETURN void wait_for_all(void)
{
    int status, last = 0;

    for (;;) {
        if (wait(&status) > 0)
            last = status;
        else if (errno != EINTR)
            break;
    }
    end_as(last);
}

static NORETURN void become(const struct action_call *c, void (*done)(void *arg),
                            prologue_log_fn log, void *arg)
{
    struct action_words words;
    struct diag why;

    if (action_is_unfit(c, log, arg))
        _exit(CANNOT_RUN);
    if (action_prepare(c, arena_new(), &words, &why) != 0) {
        log(arg, LOG_EV_ADMIN, why.text);
        _exit(CANNOT_RUN);
    }
    done(arg);
    execve(words.argv[0], words.argv, words.envp);
    _exit(CANNOT_RUN);
}

void restart_run(const struct action_call *c, void (*done)(void *arg),
                 prologue_log_fn log, void *arg)
{
    if (c->host->config->restart_transmogrify)
        become(c, done, log, arg);
    ignore_signals();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (action_call(c, true, log, arg) != 0)
        _exit(CANNOT_RUN);
    done(arg);
    wait_for_all();
}
