/* pbs_hostn.c - what name a host has, as daemons and commands see it (cli.md 12).
 *
 * The resolver's old call is meant: it is the one that gives aliases, and its error
 * numbers are part of the output.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define CMD "pbs_hostn"

static const char usage[] = "Usage: pbs_hostn [-v] hostname\n"
                            "       pbs_hostn --version | --help\n"
                            "Prints the host's canonical name; -v also its aliases and "
                            "addresses.\n";

static const char *resolver_text(int error)
{
    static const char *const texts[] = {
        [HOST_NOT_FOUND] = "Host Not Found",
        [TRY_AGAIN] = "Try Again",
        [NO_RECOVERY] = "No Recovery",
        [NO_DATA] = "No Data",
    };

    return error > 0 && (size_t)error < ARRAY_LEN(texts) ? texts[error] : "";
}

static void print_aliases(char *const *alias)
{
    printf("aliases:            %s\n", *alias ? *alias : "-none-");
    for (; *alias && alias[1]; alias++)
        printf("                    %s\n", alias[1]);
}

/* Each with the name that is found the way back, which need not be the one asked for.
 * An address without a name is what an administrator runs this command to find, so it
 * is shown as "-none-" and is no failure. */
static void print_addresses(const struct hostent *h)
{
    printf("     address length:  %d bytes\n", h->h_length);
    for (char *const *p = h->h_addr_list; *p; p++) {
        struct in_addr ip;
        char text[INET_ADDRSTRLEN], name[NI_MAXHOST];
        struct sockaddr_in addr = { .sin_family = AF_INET };

        memcpy(&ip, *p, sizeof(ip));
        addr.sin_addr = ip;
        if (getnameinfo((const struct sockaddr *)&addr, sizeof(addr), name,
                        sizeof(name), NULL, 0, NI_NAMEREQD) != 0)
            snprintf(name, sizeof(name), "-none-");
        printf("     address:  %15s  (%u dec)  name:  %s\n",
               inet_ntop(AF_INET, &ip, text, sizeof(text)), (unsigned)ip.s_addr, name);
    }
}

static void print_host(const char *name, bool verbose)
{
    const struct hostent *h = gethostbyname(name);

    /* PBS knows hosts by their IPv4 addresses only, so a host with others is unknown.
     */
    if (!h || h->h_addrtype != AF_INET) {
        fprintf(stderr, "no name entry found for %s\n", name);
        fprintf(stderr, " ** h_errno is %d %s\n", h_errno, resolver_text(h_errno));
        return;
    }
    if (!verbose) {
        printf("%s\n", h->h_name);
        return;
    }
    printf("primary name: %s (from gethostbyname())\n", h->h_name);
    print_aliases(h->h_aliases);
    print_addresses(h);
}

static int run(int argc, char **argv)
{
    bool verbose = false, bad = false;
    int letter;

    if (cmd_told(argc, argv, usage))
        return 0;
    while ((letter = getopt(argc, argv, "v")) != -1) {
        if (letter == 'v')
            verbose = true;
        else
            bad = true;
    }
    if (bad || optind + 1 != argc) {
        fputs(usage, stderr);
        return 1;
    }
    print_host(argv[optind], verbose);
    return 0; /* also for an unknown host: scripts look at the name */
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
