/* hold_control.c - see hold_control.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/hold_control.h"

#include "cmds/common/job_command.h"
#include "lib/attr/job_attrs.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct holding {
    const struct hold_control *control;
    const char *holds;
};

static int ask(int conn, const char *id, const void *what)
{
    const struct holding *h = what;

    return h->control->ask(conn, id, h->holds, NULL);
}

static enum job_refusal refused(int conn, const char *id UNUSED, const void *what)
{
    static const struct cmd_option letters[] = { { ATTR_h, NULL, 'h' } };
    const struct hold_control *c = ((const struct holding *)what)->control;

    return cmd_print_bad_attribute(c->name, conn, letters, ARRAY_LEN(letters),
                                   &job_table, c->usage)
               ? REFUSAL_USAGE
               : REFUSAL_PLAIN;
}

/* An empty list would be sent as the default, the user's own hold. */
static bool is_list(const struct hold_control *c, const char *holds)
{
    if (*holds == '\0')
        return false;
    return !c->letters || strcmp(holds, NO_HOLD) == 0 ||
           holds[strspn(holds, c->letters)] == '\0';
}

int hold_control(const struct hold_control *c, int argc, char **argv)
{
    struct holding h = { .control = c, .holds = USER_HOLD };
    const struct job_command command = {
        .name = c->name,
        .ask = ask,
        .refused = refused,
        .connect = cmd_connect,
        .what = &h,
    };
    int letter;
    bool bad = false;

    if (cmd_told(argc, argv, c->usage))
        return 0;
    while ((letter = getopt(argc, argv, "h:")) != -1) {
        if (letter == 'h' && is_list(c, optarg)) {
            h.holds = optarg;
            continue;
        }
        if (letter == 'h')
            fprintf(stderr, "%s: illegal -h value\n", c->name);
        bad = true;
    }
    if (bad || optind >= argc) {
        fputs(c->usage, stderr);
        return 2;
    }
    return job_command_run(&command, argv + optind);
}
