/* pbsdsh.c - run a program on the vnodes of the job that it is called in (cli.md 11.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"
#include "cmds/common/tm_words.h"
#include "include/tm.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#define CMD "pbsdsh"

static const char usage[] =
    "Usage: pbsdsh [-c copies | -n vnode] [-o] [-s] [-v] [--] program [arguments]\n"
    "       pbsdsh --version | --help\n"
    "Runs the program on each vnode of the job; -c: so many copies, from the first "
    "vnode\n"
    "on and around again; -n: one copy, on that vnode. -s: one copy after the other;\n"
    "-o: ends without waiting for them; -v: says what it does.\n"
    "Exits with the highest status of all copies.\n";

struct copy {
    tm_task_id tid;
    tm_node_id node;
    tm_event_t spawn, obit; /* TM_NULL_EVENT: not asked, or told */
    int status;
};

struct dsh {
    long copies, node; /* -1: not given */
    bool no_obits, in_turn, verbose;
    int argc;
    char **argv;
    int n_nodes;
    tm_node_id *nodes;
    size_t n;
    struct copy *v;
    int n_spawns, n_obits; /* that are waited for */
    int highest;
};

static bool read_number(const char *text, long *ret)
{
    char *end;

    *ret = strtol(text, &end, 10);
    return *text && !*end && *ret >= 0 && *ret <= 1000000;
}

static bool read_options(int argc, char **argv, struct dsh *d)
{
    int letter;

    *d = (struct dsh){ .copies = -1, .node = -1 };
    while ((letter = getopt(argc, argv, "+c:n:osv")) != -1) {
        if (letter == 'c' && !read_number(optarg, &d->copies))
            return false;
        if (letter == 'n' && !read_number(optarg, &d->node))
            return false;
        if (letter == '?')
            return false;
        d->no_obits = d->no_obits || letter == 'o';
        d->in_turn = d->in_turn || letter == 's';
        d->verbose = d->verbose || letter == 'v';
    }
    d->argc = argc - optind;
    d->argv = argv + optind;
    return d->argc > 0 && (d->copies < 0 || d->node < 0);
}

static struct copy *find(struct dsh *d, tm_event_t event)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].spawn == event || d->v[i].obit == event)
            return &d->v[i];
    return NULL;
}

static void take_spawned(struct dsh *d, struct copy *c, int code)
{
    c->spawn = TM_NULL_EVENT;
    d->n_spawns--;
    if (code) {
        fprintf(stderr, "%s: error %d on spawn of %s on vnode %d: %s\n", CMD, code,
                d->argv[0], c->node, tm_words(code));
        d->highest = MAX_OF(d->highest, 1);
        return;
    }
    if (d->no_obits)
        return;
    code = tm_obit(c->tid, &c->status, &c->obit);
    if (code)
        d->highest = MAX_OF(d->highest, tm_call_failed(CMD, "tm_obit", code));
    else
        d->n_obits++;
}

static void take_ended(struct dsh *d, struct copy *c, int code)
{
    c->obit = TM_NULL_EVENT;
    d->n_obits--;
    if (code) {
        fprintf(stderr, "%s: error %d about the end of task %zu: %s\n", CMD, code,
                (size_t)(c - d->v), tm_words(code));
        d->highest = MAX_OF(d->highest, 1);
        return;
    }
    if (d->verbose)
        fprintf(stderr, "%s: task 0x%08zX exit status %d\n", CMD, (size_t)(c - d->v),
                c->status);
    /* A shell knows eight bits: a signal counts as it does there. */
    d->highest =
        MAX_OF(d->highest, c->status > 255 ? 128 + c->status - 256 : c->status);
}

/* Until nothing is waited for; false when the MoM does not tell any more. */
static bool wait_for_all(struct dsh *d)
{
    while (d->n_spawns + d->n_obits > 0) {
        tm_event_t event;
        int code, err;
        struct copy *c;

        if (d->verbose)
            fprintf(stderr, "%s: waiting on %d spawned and %d obits\n", CMD,
                    d->n_spawns, d->n_obits);
        err = tm_poll(TM_NULL_EVENT, &event, 1, &code);
        if (err) {
            d->highest = MAX_OF(d->highest, tm_call_failed(CMD, "tm_poll", err));
            return false;
        }
        c = find(d, event);
        if (c && c->spawn == event)
            take_spawned(d, c, code);
        else if (c)
            take_ended(d, c, code);
    }
    return true;
}

static bool spawn(struct dsh *d, size_t i)
{
    struct copy *c = &d->v[i];
    long at = d->node >= 0 ? d->node : (long)i;
    int err;

    c->node = d->nodes[at % d->n_nodes];
    err = tm_spawn(d->argc, d->argv, NULL, c->node, &c->tid, &c->spawn);
    if (err) {
        d->highest = MAX_OF(d->highest, tm_call_failed(CMD, "tm_spawn", err));
        return true;
    }
    d->n_spawns++;
    if (d->verbose)
        fprintf(stderr, "%s: spawned task 0x%08zX on logical node %d event %d\n", CMD,
                i, c->node, c->spawn);
    return !d->in_turn || wait_for_all(d);
}

static int run_copies(struct dsh *d)
{
    int err = tm_nodeinfo(&d->nodes, &d->n_nodes);

    if (err || d->n_nodes == 0)
        return tm_call_failed(CMD, "tm_nodeinfo", err);
    d->n = d->node >= 0 ? 1 : d->copies >= 0 ? (size_t)d->copies : (size_t)d->n_nodes;
    d->v = xcalloc(d->n + 1, sizeof(*d->v));
    for (size_t i = 0; i < d->n; i++)
        if (!spawn(d, i))
            return d->highest;
    (void)wait_for_all(d);
    return d->highest;
}

static int run(int argc, char **argv)
{
    struct tm_roots roots;
    struct dsh d;
    int code;

    if (cmd_told(argc, argv, usage))
        return 0;
    if (!read_options(argc, argv, &d)) {
        fputs(usage, stderr);
        return 1;
    }
    if (!getenv("PBS_ENVIRONMENT")) {
        fprintf(stderr, "%s: not executing under PBS\n", CMD);
        return 1;
    }
    code = tm_init(NULL, &roots);
    if (code)
        return tm_call_failed(CMD, "tm_init", code);
    code = run_copies(&d);
    (void)tm_finalize();
    free(d.nodes);
    free(d.v);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
