/* pbs_attach.c - give a session of processes to a job of this host (cli.md 11.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"
#include "cmds/common/operand.h"
#include "include/tm.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CMD       "pbs_attach"
#define NOT_FOUND 127 /* as a shell says it */

static const char usage[] =
    "Usage: pbs_attach [-j jobid] [-m port] -p pid\n"
    "       pbs_attach [-j jobid] [-m port] [-P] [-s] command [arguments]\n"
    "       pbs_attach --version | --help\n"
    "Gives the session of a process, or the own one before it becomes the command, to "
    "a\n"
    "running job of this host: what it uses is counted, and it ends with the job.\n"
    "-j: the job (default: your only one here); -m: port of the MoM for tasks;\n"
    "-P: the session of the parent as well; -s: the command gets a session of its "
    "own.\n";

struct call {
    char job_id[OPERAND_MAX]; /* "": the only one */
    int port;                 /* 0: the usual one */
    long pid;                 /* 0: a command is given */
    bool with_parent, new_session;
    char **command;
};

static const char *text_of(int code)
{
    static const struct {
        int code;
        const char *text;
    } rows[] = {
        { TM_ENOTCONNECTED, "no MoM answers on this host" },
        { TM_ENOTIMPLEMENTED, "the MoM of this host does not let sessions be attached "
                              "($attach_allow)" },
        { TM_ENOTFOUND, "no such job runs on this host, or you have several: name one "
                        "with -j" },
        { TM_ESESSION, "the session belongs to a job already" },
        { TM_EUSER, "the job is another user's" },
        { TM_EOWNER, "the process or its session is another user's" },
        { TM_ENOPROC, "there is no such process" },
        { TM_EHOOK, "a hook has refused it" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].code == code)
            return rows[i].text;
    return "the MoM could not do it";
}

static bool read_number(const char *text, long most, long *ret)
{
    char *end;

    errno = 0;
    *ret = strtol(text, &end, 10);
    return *text && !*end && errno == 0 && *ret > 0 && *ret <= most;
}

static bool take_option(struct call *c, int letter, const char *value)
{
    char server[OPERAND_MAX];
    long port;

    switch (letter) {
    case 'j':
        if (operand_job(value, c->job_id, server))
            return true;
        fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, value);
        return false;
    case 'm':
        if (!read_number(value, 65535, &port)) {
            fprintf(stderr, "%s: bad port: %s\n", CMD, value);
            return false;
        }
        c->port = (int)port;
        return true;
    case 'p':
        if (!read_number(value, INT32_MAX, &c->pid)) {
            fprintf(stderr, "bad pid: %s\n", value);
            return false;
        }
        return true;
    case 'P':
        c->with_parent = true;
        return true;
    case 's':
        c->new_session = true;
        return true;
    default:
        return false;
    }
}

static bool read_call(int argc, char **argv, struct call *c)
{
    int letter;

    while ((letter = getopt(argc, argv, "+j:m:p:Ps")) != -1)
        if (!take_option(c, letter, optarg))
            return false;
    c->command = argv + optind;
    if (c->pid ? !*c->command && !c->with_parent && !c->new_session
               : *c->command != NULL)
        return true;
    fputs("must specify pid or command\n", stderr);
    return false;
}

/* A session that has been given away already is as wanted when a command is to run in
 * it ('again'): an MPI program may call this within a job. */
static bool attach(struct call *c, pid_t pid, bool again)
{
    char no_cookie[] = "", no_host[] = "";
    tm_task_id task;
    int code = tm_attach(c->job_id, no_cookie, pid, &task, no_host, c->port);

    if (code == TM_SUCCESS || (again && code == TM_ESESSION))
        return true;
    fprintf(stderr, "%s: process %ld is not attached: %s (%d)\n", CMD, (long)pid,
            text_of(code), code);
    return false;
}

/* Become the command. Returns only if that fails. */
static int run_command(struct call *c)
{
    if ((c->with_parent && !attach(c, getppid(), true)) || !attach(c, getpid(), true))
        return 1;
    (void)execvp(c->command[0], c->command);
    fprintf(stderr, "%s: %s: %s\n", CMD, c->command[0], strerror(errno));
    return NOT_FOUND;
}

/* A process that leads a group, as a shell starts it, cannot begin a session: a child
 * does, and its status is this program's. */
static int run_in_new_session(struct call *c)
{
    pid_t parent = getpid(), child = fork();
    int status;

    if (child == 0) {
        (void)setsid();
        c->with_parent = false; /* that was done by the parent */
        _exit(run_command(c));
    }
    MUST(parent == getpid());
    if (child < 0 || waitpid(child, &status, 0) != child) {
        fprintf(stderr, "%s: %s\n", CMD, strerror(errno));
        return 1;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(int argc, char **argv)
{
    struct call c = { 0 };

    if (cmd_told(argc, argv, usage))
        return 0;
    if (!read_call(argc, argv, &c)) {
        fputs(usage, stderr);
        return 2;
    }
    if (c.pid)
        return attach(&c, (pid_t)c.pid, false) ? 0 : 1;
    if (!c.new_session)
        return run_command(&c);
    if (c.with_parent && !attach(&c, getppid(), true))
        return 1;
    return run_in_new_session(&c);
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
