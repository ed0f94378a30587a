/* Fuzz target: the command line of pbs_iff, one argument a line; a last line that
 * begins with '@' is PBS_IFF_CLIENT_ADDR, with '%' PBS_ENCRYPT_METHOD.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"

#include "fuzz.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

const char fuzz_frames[] = "";

/* Usage texts are of no interest here; the engine keeps the stream it has. */
static void be_quiet(void)
{
    static FILE *nowhere;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    if (nowhere)
        stderr = nowhere;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len), *at = text, *line;
    char name[] = "pbs_iff", *argv[16] = { name };
    struct iff_args args;
    int argc = 1;

    be_quiet();
    unsetenv("PBS_IFF_CLIENT_ADDR");
    unsetenv("PBS_ENCRYPT_METHOD");
    while ((line = strsep(&at, "\n")) && argc < 15) {
        if (*line == '@')
            setenv("PBS_IFF_CLIENT_ADDR", line + 1, 1);
        else if (*line == '%')
            setenv("PBS_ENCRYPT_METHOD", line + 1, 1);
        else
            argv[argc++] = line;
    }
    optind = 0;
    if (iff_parse(argc, argv, &args) == IFF_OK) {
        FUZZ_CHECK(args.host && *args.host && args.port > 0 && args.port < 65536);
        FUZZ_CHECK(args.fd >= -1 && args.encrypt_method);
        FUZZ_CHECK(args.test || args.fd >= 0);
    }
    free(text);
    return 0;
}
