/* qterm.c - stop servers, and with them their schedulers and MoMs (cli.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define CMD "qterm"

/* Bits of the Shutdown request that are added to the manner. */
enum {
    ALSO_SCHED = 0x10,
    ALSO_MOMS = 0x20,
    ALSO_SECONDARY = 0x40,
    IDLE_SECONDARY = 0x80,
    ONLY_SECONDARY = 0x100,
};

static const char usage[] =
    "Usage: qterm [-t immediate|delay|quick] [-s] [-m] [-f|-i|-F] [server ...]\n"
    "       qterm --version | --help\n"
    "  -t manner  quick (default): running jobs go on; immediate, delay: they are "
    "ended\n"
    "  -s, -m     stop the scheduler too, the MoMs too\n"
    "  -f -i -F   stop the secondary server too, make it idle, stop only it\n";

/* The place of the word is the number that travels (cli.md 7). */
static int manner_of(const char *word)
{
    static const char *const words[] = { "immediate", "delay", "quick" };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(word, words[i]) == 0)
            return (int)i;
    return -1;
}

static int stop_one(const char *server, int how)
{
    int conn = cmd_connect_operator(CMD, server), code = 0;

    if (conn < 0)
        return 2;
    /* A server answers before it stops, so silence is an error here as anywhere. */
    if (pbs_terminate(conn, how, NULL) != 0) {
        const char *text = cmd_error_text(conn);

        if (text)
            fprintf(stderr, "%s: %s %s\n", CMD, text, server ? server : "");
        else
            fprintf(stderr, "%s: Error (%d) terminating server %s\n", CMD, pbs_errno,
                    server ? server : "");
        code = 2;
    }
    pbs_disconnect(conn);
    return code;
}

/* The word of the Shutdown request, -1 for a usage error. */
static int parse(int argc, char **argv)
{
    int manner = SHUT_QUICK, more = 0, secondary = 0, letter;

    while ((letter = getopt(argc, argv, "t:smfFi")) != -1) {
        switch (letter) {
        case 't':
            manner = manner_of(optarg);
            if (manner < 0)
                return -1;
            break;
        case 's':
            more |= ALSO_SCHED;
            break;
        case 'm':
            more |= ALSO_MOMS;
            break;
        case 'f':
        case 'i':
        case 'F':
            /* At most one of -f, -i and -F may be given, and -F not after -m. The other
             * order passes: that is how PBS looks at it (cli.md 7). */
            if (secondary || (letter == 'F' && (more & ALSO_MOMS)))
                return -1;
            secondary = letter == 'f'   ? ALSO_SECONDARY
                        : letter == 'i' ? IDLE_SECONDARY
                                        : ONLY_SECONDARY;
            break;
        default:
            return -1;
        }
    }
    return manner | more | secondary;
}

static int run(int argc, char **argv)
{
    int how, code = 0;

    if (cmd_told(argc, argv, usage))
        return 0;
    how = parse(argc, argv);
    if (how < 0) {
        fputs(usage, stderr);
        return 1;
    }
    if (optind >= argc)
        return stop_one(NULL, how);
    /* A server that fails does not keep the others from being stopped. */
    for (int i = optind; i < argc; i++)
        if (stop_one(argv[i], how) != 0)
            code = 2;
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
