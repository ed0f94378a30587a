/* pbs_topology.c - prints what the MoM tells the server of a host.
 *
 * It is a program of its own since libraries that read hardware, and texts that
 * somebody has exported, have no place in a process that holds jobs and keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/base.h"
#include "lib/base/buf.h"
#include "lib/base/version.h"
#include "mom/topology/describe.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CMD           "pbs_topology"
#define LIMIT_S       10           /* of time */
#define MEMORY_MAX    (1ul << 30)  /* beside what the process has when it begins */
#define XML_MAX       (4u << 20)   /* that is read */
#define TEXT_MAX      (256u << 10) /* that is printed */
#define SYNTHETIC_MAX 1024

static const char usage[] =
    "Usage: pbs_topology [-x | -s description]\n"
    "       pbs_topology --version | --help\n"
    "Prints the processors, memory and devices of this host as pbs_mom tells them to\n"
    "the server; -x those of an exported topology on standard input, -s those that\n"
    "the words of hwloc describe.\n";

static int fail(const char *words)
{
    fprintf(stderr, CMD ": %s\n", words);
    return 1;
}

/* A few numbers can describe millions of objects. */
static void limit_itself(void)
{
    const struct rlimit cpu = { LIMIT_S, LIMIT_S }, core = { 0, 0 };
    struct rlimit memory;
    uint64_t pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f && fscanf(f, "%" SCNu64, &pages) == 1) {
        memory.rlim_cur = memory.rlim_max =
            pages * (uint64_t)sysconf(_SC_PAGESIZE) + MEMORY_MAX;
        setrlimit(RLIMIT_AS, &memory);
    }
    if (f)
        fclose(f);
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
    alarm(LIMIT_S);
}

/* Variables of the library name files, programs and plug-ins; what is to be described
 * is said by options alone. There are plug-ins that start drivers of devices. */
static void forget_environment(void)
{
    if (clearenv() != 0 || setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1) != 0 ||
        setenv("HWLOC_HIDE_ERRORS", "2", 1) != 0)
        exit(fail("no memory"));
}

static bool read_input(struct buf *ret)
{
    ssize_t n;

    do {
        n = read(STDIN_FILENO, buf_reserve(ret, 65536), 65536);
        if (n > 0)
            ret->len += (size_t)n;
    } while ((n > 0 && ret->len <= XML_MAX) || (n < 0 && errno == EINTR));
    if (n == 0 && ret->data)
        ret->data[ret->len] = '\0';
    return n == 0 && ret->len > 0;
}

static int print(const struct topology_source *from)
{
    char *text;
    struct diag why;

    if (topology_describe(from, TEXT_MAX, &text, &why) != 0)
        return fail(why.text);
    if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
        return fail(strerror(errno));
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option words[] = { { "help", no_argument, NULL, 'h' },
                                           { "version", no_argument, NULL, 'v' },
                                           { 0 } };
    struct topology_source from = { 0 };
    struct buf xml = { 0 };
    bool from_input = false;
    int c, status;

    while ((c = getopt_long(argc, argv, "s:x", words, NULL)) != -1) {
        if (c == 'h')
            return fputs(usage, stdout) < 0;
        if (c == 'v')
            return fputs(VERSION_TEXT, stdout) < 0;
        if (c == 'x')
            from_input = true;
        else if (c == 's')
            from.synthetic = optarg;
        else
            return fputs(usage, stderr), 2;
    }
    if (optind != argc || (from_input && from.synthetic))
        return fputs(usage, stderr), 2;
    if (from.synthetic && strlen(from.synthetic) > SYNTHETIC_MAX)
        return fail("the description is too long");
    limit_itself();
    forget_environment();
    if (from_input && !read_input(&xml))
        return fail("no topology of at most 4 MiB on standard input");
    from.xml = xml.data;
    from.xml_len = xml.len;
    status = print(&from);
    buf_fini(&xml);
    return status;
}
