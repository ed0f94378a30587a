/* options.c - the command line of pbs_server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/options.h"

#include "lib/io/startup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: %s [-N] [-t hot|warm|cold|create|updatedb] [-f] [-C] [-a true|false]\n"
    "           [-d home] [-p port] [-M port] [-R port] [-e mask] [-A file] [-L file]\n"
    "           [-l]\n"
    "       %s --version\n"
    "  -N       stay in the foreground\n"
    "  -t type  how to start; cold and create give up jobs or all objects\n"
    "  -f       do so without asking\n"
    "  -C       recover, then stop at once\n"
    "  -a bool  set the server attribute scheduling\n"
    "  -d home  instead of PBS_HOME\n"
    "  -p port  port for clients; -M and -R: ports of MoMs\n"
    "  -e mask  first log mask\n"
    "  -A file  accounting file, an absolute path; empty: none\n"
    "  -L file  log file, an absolute path\n"
    "  -l       lock the program into memory\n";

static bool parse_bool(const char *text, int *ret)
{
    if (strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0)
        return false;
    *ret = strcasecmp(text, "true") == 0;
    return true;
}

static bool parse_start(const char *text, struct options *opt)
{
    static const struct {
        const char *name;
        enum svr_start start;
    } types[] = { { "hot", SVR_HOT },
                  { "warm", SVR_WARM },
                  { "cold", SVR_COLD },
                  { "create", SVR_CREATE },
                  { "updatedb", SVR_UPDATEDB } };

    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(text, types[i].name) == 0) {
            opt->start = types[i].start;
            opt->start_given = true;
            return true;
        }
    return false;
}

/* "-M" names the port of the MoMs behind a host, which says nothing here. */
static const char *port_of(int letter, const char *text)
{
    const char *colon = letter == 'M' ? strrchr(text, ':') : NULL;

    return colon ? colon + 1 : text;
}

static bool is_port(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end && n > 0 && n < 65536;
}

/* Seconds before a second server takes over; -1: at once. */
static bool is_delay(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end && n >= -1;
}

static int complain(const struct options *opt, const char *words)
{
    fprintf(stderr, "%s%s\n", opt->argv0, words);
    return 1;
}

static int bad_number(const struct options *opt, char letter, const char *text)
{
    if (letter == 'p')
        return complain(opt, ": -p host:port invalid");
    fprintf(stderr, "%s: bad -%c %s\n", opt->argv0, letter, text);
    return 1;
}

/* -1: understood. */
static int set_option(struct options *opt, int letter, const char *arg)
{
    switch (letter) {
    case 'A':
        opt->accounting_file = arg;
        break;
    case 'L':
        opt->log_file = arg;
        break;
    case 'd':
        opt->home = arg;
        break;
    case 'N':
        opt->foreground = true;
        break;
    case 'f':
        opt->force = true;
        break;
    case 'C':
        opt->recover_only = true;
        break;
    case 'l':
        opt->lock_memory = true;
        break;
    case 'e':
        opt->log_mask = (uint32_t)strtoul(arg, NULL, 0);
        break;
    case 'a':
        if (!parse_bool(arg, &opt->scheduling))
            return complain(opt, ": bad -a option");
        break;
    case 't':
        if (!parse_start(arg, opt))
            return complain(opt, " -t bad recovery type");
        break;
    case 'p':
    case 'M':
    case 'R':
        if (!is_port(port_of(letter, arg)))
            return bad_number(opt, (char)letter, arg);
        /* The three options differ in little but where their value goes. */
        *(letter == 'p'   ? &opt->port
          : letter == 'M' ? &opt->mom_port
                          : &opt->manager_port) = port_of(letter, arg);
        break;
    case 'F':
        if (!is_delay(arg))
            return complain(opt, " -F invalid delay time");
        break; /* there is no second server */
    case 'g':
    case 'G':
    case 'P':
    case 's':
        break; /* of other servers; nothing here */
    default:
        return complain(opt, ": unknown option: ?");
    }
    return -1;
}

int options_parse(int argc, char **argv, struct options *ret)
{
    struct options opt = { .argv0 = argv[0], .start = SVR_WARM, .scheduling = -1 };
    int letter, rc = -1;

    if (startup_tells_version(argc, argv))
        return 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        printf(usage, argv[0], argv[0]);
        return 0;
    }
    /* PBS knows no long options but "--version", which stands alone. */
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0)
            return complain(&opt, ": bad - mistyped or specified more than --version");
    while (rc < 0 &&
           (letter = getopt(argc, argv, "A:a:Cd:e:F:fG:g:lL:M:Np:P:R:s:t:")) != -1)
        rc = set_option(&opt, letter, optarg);
    if (rc < 0 && optind < argc)
        return complain(&opt, ": invalid operand");
    *ret = opt;
    return rc;
}

static void put_env(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
}

void options_to_env(const struct options *opt)
{
    /* The environment outweighs pbs.conf, so the options do, too, also for children. */
    put_env("PBS_HOME", opt->home);
    put_env("PBS_BATCH_SERVICE_PORT", opt->port);
    put_env("PBS_MOM_SERVICE_PORT", opt->mom_port);
    put_env("PBS_MANAGER_SERVICE_PORT", opt->manager_port);
}
