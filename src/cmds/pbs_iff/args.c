/* args.c - the command lines that are understood (wire.md 4.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define METHOD_MAX 100 /* characters of a method's name (wire.md 1) */
#define HOST_MAX   255

static int usage(void)
{
    fputs("usage: pbs_iff [-i address] server port fd [local_port]\n"
          "       pbs_iff -t server port\n"
          "       pbs_iff --version\n"
          "Started by the PBS library; vouches for its connection to the server.\n",
          stderr);
    return IFF_USAGE;
}

/* Digits only, min to max; false otherwise. */
static bool number(const char *text, unsigned long min, unsigned long max,
                   unsigned long *ret)
{
    unsigned long n = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text))
            return false;
        n = n * 10 + (unsigned long)(*text - '0');
        /* The sum is compared after each digit, so it cannot pass the range of its
         * type. */
        if (n > max)
            return false;
    }
    *ret = n;
    return n >= min;
}

static int bad(const char *what)
{
    fprintf(stderr, "pbs_iff: bad %s\n", what);
    return IFF_USAGE;
}

static int parse_operands(int n, char **v, struct iff_args *ret)
{
    unsigned long value = 0;

    if (n < (ret->test ? 2 : 3) || n > (ret->test ? 2 : 4))
        return usage();
    ret->host = v[0];
    if (!*v[0] || strlen(v[0]) > HOST_MAX)
        return bad("server");
    if (!number(v[1], 1, 65535, &value))
        return bad("port");
    ret->port = (unsigned)value;
    if (n > 2) {
        if (!number(v[2], 0, 1u << 30, &value))
            return bad("descriptor");
        ret->fd = (int)value;
    }
    if (n > 3) {
        if (!number(v[3], 1, 65535, &value))
            return bad("local port");
        ret->lport_given = true;
        ret->lport = (in_port_t)value;
    }
    return IFF_OK;
}

/* Both names are part of the interface, so they are read although this program is
 * set-uid; what they may hold is checked here and in own.c. */
static int parse_environment(struct iff_args *ret)
{
    const char *method = getenv("PBS_ENCRYPT_METHOD");

    ret->encrypt_method = method ? method : "";
    if (strlen(ret->encrypt_method) > METHOD_MAX)
        return bad("encryption method");
    if (!ret->addr && !ret->test)
        ret->addr = getenv("PBS_IFF_CLIENT_ADDR");
    return IFF_OK;
}

int iff_parse(int argc, char **argv, struct iff_args *ret)
{
    int opt, err;

    *ret = (struct iff_args){ .fd = -1 };
    /* One text says all that is wrong with a command line. */
    opterr = 0;
    while ((opt = getopt(argc, argv, "+ti:")) != -1)
        if (opt == 't')
            ret->test = true;
        else if (opt == 'i')
            ret->addr = optarg;
        else
            return usage();
    if (ret->test && ret->addr)
        return usage();
    err = parse_operands(argc - optind, argv + optind, ret);
    return err ? err : parse_environment(ret);
}
