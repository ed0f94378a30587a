/* pbs_release_nodes.c - give vnodes of a running job back (cli.md 11.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/job_command.h"

#include "cmds/common/known.h"
#include "lib/base/buf.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CMD "pbs_release_nodes"

static const char usage[] =
    "usage: pbs_release_nodes [-j job] vnode_or_host...\n"
    "       pbs_release_nodes [-j job] -a\n"
    "       pbs_release_nodes [-j job] -k select=chunks | -k number\n"
    "       pbs_release_nodes --version | --help\n"
    "Gives vnodes of a running job back: those that are named, with -a all that are "
    "not\n"
    "on its first host, with -k all but what the select, or so many hosts, leaves it.\n"
    "Without -j the job is the one in $PBS_JOBID.\n";

struct wish {
    const char *job;
    struct buf vnodes; /* "a+b" */
    const char *keep;  /* NULL: no -k */
};

/* A success may come with words (cli.md 11.1). */
static int ask(int conn, const char *id, const void *what)
{
    const struct wish *w = what;
    int err = pbs_relnodesjob(conn, id, w->vnodes.len ? w->vnodes.data : "", w->keep);
    const char *text = err ? NULL : pbs_geterrmsg(conn);

    if (text && *text)
        printf("%s: %s\n", CMD, text);
    return err;
}

static int usage_error(const char *words)
{
    if (words)
        fprintf(stderr, "%s: %s\n", CMD, words);
    fputs(usage, stderr);
    return 2;
}

/* What the rest of the command line may be, with -a, with -k and with neither. An empty
 * word, which a script writes when a variable of it is not set, must not become the
 * request to give everything back. */
static int check_words(const struct wish *w, bool all, int n, char **words)
{
    if (all && w->keep)
        return usage_error("-a and -k options cannot be used together");
    if (w->keep && n > 0)
        return usage_error("cannot supply node list with -k option");
    if (w->keep && !*w->keep)
        return usage_error("illegal -k value");
    if (all && n > 0)
        return usage_error("cannot supply node list with -a option");
    if (!all && !w->keep && n == 0)
        return usage_error(NULL);
    for (int i = 0; i < n; i++)
        if (words[i][strspn(words[i], "+ ")] == '\0')
            return usage_error("a vnode or host without a name");
    return 0;
}

/* 0, or the exit status. */
static int read_options(int argc, char **argv, struct wish *w)
{
    bool all = false, bad = argc == 1;
    int letter, code;

    w->job = getenv("PBS_JOBID");
    while ((letter = getopt(argc, argv, "j:k:a")) != -1) {
        if (letter == 'j')
            w->job = optarg;
        else if (letter == 'k')
            w->keep = optarg;
        else if (letter == 'a')
            all = true;
        else
            bad = true;
    }
    if (bad)
        return usage_error(NULL);
    code = check_words(w, all, argc - optind, argv + optind);
    if (code)
        return code;
    for (int i = optind; i < argc; i++)
        buf_printf(&w->vnodes, "%s%s", i > optind ? "+" : "", argv[i]);
    if (w->job && *w->job)
        return 0;
    fprintf(stderr, "%s: No jobid given\n", CMD);
    return 2;
}

static int run(int argc, char **argv)
{
    struct wish w = { 0 };
    const struct job_command command = {
        .name = CMD, .ask = ask, .connect = cmd_connect, .what = &w
    };
    char *jobs[] = { NULL, NULL };
    char id[OPERAND_MAX], server[OPERAND_MAX];
    int code;

    if (cmd_told(argc, argv, usage))
        return 0;
    code = read_options(argc, argv, &w);
    jobs[0] = (char *)(uintptr_t)w.job;
    /* Here this is a mistake on the command line, in other commands a failed job. */
    if (!code && !known_job(w.job, id, server)) {
        fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, w.job);
        code = 2;
    }
    if (!code)
        code = job_command_run(&command, jobs);
    buf_fini(&w.vnodes);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
