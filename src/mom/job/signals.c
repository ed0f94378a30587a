/* signals.c - names of signals as requests carry them (execution.md 23).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <signal.h>

static const struct {
    const char *name;
    int number;
} rows[] = {
    { "NULL", 0 },           { "HUP", SIGHUP },   { "INT", SIGINT },
    { "QUIT", SIGQUIT },     { "ILL", SIGILL },   { "TRAP", SIGTRAP },
    { "IOT", SIGIOT },       { "ABRT", SIGABRT }, { "FPE", SIGFPE },
    { "KILL", SIGKILL },     { "BUS", SIGBUS },   { "SEGV", SIGSEGV },
    { "PIPE", SIGPIPE },     { "ALRM", SIGALRM }, { "TERM", SIGTERM },
    { "URG", SIGURG },       { "STOP", SIGSTOP }, { "TSTP", SIGTSTP },
    { "CONT", SIGCONT },     { "CHLD", SIGCHLD }, { "CLD", SIGCHLD },
    { "TTIN", SIGTTIN },     { "TTOU", SIGTTOU }, { "IO", SIGIO },
    { "POLL", SIGPOLL },     { "XCPU", SIGXCPU }, { "XFSZ", SIGXFSZ },
    { "VTALRM", SIGVTALRM }, { "PROF", SIGPROF }, { "WINCH", SIGWINCH },
    { "USR1", SIGUSR1 },     { "USR2", SIGUSR2 },
};

static int from_digits(const char *text)
{
    int n = 0;

    for (; *text; text++) {
        /* The bound is looked at before the next digit, so that many digits do not
         * overflow. */
        if (*text < '0' || *text > '9' || n > 100)
            return -1;
        n = n * 10 + (*text - '0');
    }
    return n <= HIGHEST_SIGNAL ? n : -1;
}

int signal_number(const char *name)
{
    if (name[0] >= '0' && name[0] <= '9')
        return from_digits(name);
    if (strncmp(name, "SIG", 3) == 0)
        name += 3;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].number;
    return -1;
}
