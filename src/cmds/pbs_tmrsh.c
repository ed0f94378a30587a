/* pbs_tmrsh.c - what rsh is for programs of a job: a command on another host of it, as
 * a task of the job (cli.md 11.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"
#include "cmds/common/tm_words.h"
#include "include/tm.h"
#include "lib/base/buf.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CMD        "pbs_tmrsh"
#define TEXT_BYTES 4096

static const char usage[] =
    "Usage: pbs_tmrsh [-n] [-l user] host [-n] [-l user] command [arguments]\n"
    "       pbs_tmrsh --version | --help\n"
    "Runs the command on that host of the job, as a task of it; -n and -l are "
    "accepted\n"
    "for programs that call rsh. Exits with the status of the command.\n";

struct call {
    const char *host;
    struct buf command;
};

/* Options of rsh, which may stand before the host and behind it. */
static bool skip_options(int argc, char **argv)
{
    int letter;

    while ((letter = getopt(argc, argv, "+l:n")) != -1)
        if (letter == '?')
            return false;
    return optind < argc;
}

static bool read_call(int argc, char **argv, struct call *c)
{
    if (!skip_options(argc, argv))
        return false;
    c->host = argv[optind++];
    if (!skip_options(argc, argv))
        return false;
    for (int i = optind; i < argc; i++)
        buf_printf(&c->command, "%s%s", i > optind ? " " : "", argv[i]);
    return true;
}

/* Wait for the one event that is under way. */
static int finish(const char *call, int err)
{
    tm_event_t event;
    int code = 0;

    if (!err)
        err = tm_poll(TM_NULL_EVENT, &event, 1, &code);
    return err || code ? tm_call_failed(CMD, call, err ? err : code) : 0;
}

static bool is_host(const char *name, const char *host)
{
    size_t n = strcspn(name, "."), len = strcspn(host, ".");

    return strcasecmp(name, host) == 0 ||
           ((!name[n] || !host[len]) && n == len && strncasecmp(name, host, n) == 0);
}

/* A vnode's resources begin with what uname says: "Linux HOST ...:". */
static bool is_on_host(const char *text, const char *host)
{
    char name[256];

    return sscanf(text, "%*s %255[^ :]", name) == 1 && is_host(name, host);
}

/* The vnode of that host; TM_ERROR_NODE: the job has none there, as was said. */
static tm_node_id find_node(const char *host)
{
    tm_node_id *nodes = NULL, found = TM_ERROR_NODE;
    int n = 0;

    if (tm_nodeinfo(&nodes, &n) != TM_SUCCESS)
        n = 0;
    for (int i = 0; i < n && found == TM_ERROR_NODE; i++) {
        char text[TEXT_BYTES] = "";
        tm_event_t event;

        if (finish("tm_rescinfo",
                   tm_rescinfo(nodes[i], text, (int)sizeof(text), &event)) == 0 &&
            is_on_host(text, host))
            found = nodes[i];
    }
    free(nodes);
    if (found == TM_ERROR_NODE)
        fprintf(stderr, "%s: host \"%s\" is not a node in job %s\n", CMD, host,
                getenv("PBS_JOBID"));
    return found;
}

static int run_there(tm_node_id node, char *command)
{
    char shell[] = "/bin/sh", option[] = "-c";
    char *argv[] = { shell, option, command, NULL };
    tm_task_id tid;
    tm_event_t event;
    int status = 0;

    if (finish("tm_spawn", tm_spawn(3, argv, NULL, node, &tid, &event)) ||
        finish("tm_obit", tm_obit(tid, &status, &event)))
        return 1;
    return status > 255 ? 128 + status - 256 : status;
}

static int run_call(struct call *c)
{
    struct tm_roots roots;
    tm_node_id node;
    int code;

    if (!getenv("PBS_JOBID")) {
        fprintf(stderr, "%s: not executing under PBS\n", CMD);
        return 1;
    }
    code = tm_init(NULL, &roots);
    if (code)
        return tm_call_failed(CMD, "tm_init", code);
    node = find_node(c->host);
    code = node == TM_ERROR_NODE ? 1 : run_there(node, c->command.data);
    (void)tm_finalize();
    return code;
}

static int run(int argc, char **argv)
{
    struct call c = { 0 };
    int code;

    if (cmd_told(argc, argv, usage))
        return 0;
    if (!read_call(argc, argv, &c)) {
        fputs(usage, stderr);
        buf_fini(&c.command);
        return 2;
    }
    code = run_call(&c);
    buf_fini(&c.command);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
