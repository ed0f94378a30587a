/* options.c - the command line of pbs_ralter (cli.md 10.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/datetime.h"
#include "cmds/common/explain.h"
#include "cmds/pbs_ralter/ralter.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char ralter_usage[] =
    "usage: pbs_ralter [-R start] [-E end] [-D duration] [-l select=chunks] [options] "
    "reservation\n"
    "       pbs_ralter --dry-run [-F json] ... reservation...\n"
    "       pbs_ralter --version | --help\n"
    "  -R start -E end -D duration   move, extend or shorten it\n"
    "  -l select=chunks              fewer of the chunks it has\n"
    "  -W force       managers: do it even when vnodes are promised twice; with -R -E "
    "-D\n"
    "  --push         managers: move the reservations behind it to make room; with -R "
    "-E -D\n"
    "  -W on_end=word -W on_end_queue=queue   its jobs at the end: kill, requeue, "
    "hold, extend\n"
    "  --release-idle give back vnodes without jobs of it; with a later -E, or -D\n"
    "  -W auto_extend=time -W auto_extend_max=time   extend itself while jobs run\n"
    "  -W auto_extend_release=true   and give back vnodes without jobs then\n"
    "  -U users -G groups            who may submit into it\n"
    "  -N name -m points -M users    name and mail\n"
    "  -I seconds     wait so long for the scheduler's answer\n"
    "  -q @server     ask this server\n"
    "  --dry-run      tell what would become of it, and change nothing; -F json. Of "
    "several,\n"
    "                 and of each occurrence, S5[], as if it were the only one\n"
    "S5[3] is the third occurrence of a standing reservation: -R -E -D -l -W force "
    "--push\n";

/* Options that PBS does not have, behind the letters. */
enum {
    OPTION_PUSH = 256,
    OPTION_DRY_RUN,
    OPTION_RELEASE
};
static const struct option long_options[] = {
    { "push", no_argument, NULL, OPTION_PUSH },
    { "dry-run", no_argument, NULL, OPTION_DRY_RUN },
    { "release-idle", no_argument, NULL, OPTION_RELEASE },
    { 0 },
};

static int usage_error(void)
{
    fputs(ralter_usage, stderr);
    return 2;
}

/* The whole line is the caller's: PBS's texts begin with the command's name, with a
 * colon behind it or without (cli.md 10.2). */
static int complain(const char *text)
{
    fprintf(stderr, "%s\n", text);
    return usage_error();
}

static int take_time(struct ralter *r, char letter, const char *text)
{
    time_t at = datetime_parse(text, time(NULL));
    char value[24];

    if (at < 0) {
        fprintf(stderr, "%s: illegal -%c time value\n", CMD, letter);
        explain_time(CMD, text);
        return usage_error();
    }
    snprintf(value, sizeof(value), "%lld", (long long)at);
    attrs_set(&r->attrs, letter == 'R' ? "reserve_start" : "reserve_end", NULL, value);
    r->timed = true;
    return 0;
}

static int take_wait(struct ralter *r, const char *text)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    /* A negative time means for pbs_rsub that the reservation is given up; one that is
     * there already must not be. */
    if (*text == '\0' || *end != '\0' || errno != 0 || n <= 0) {
        fprintf(stderr,
                "%s: illegal -I time value\n"
                "%s: \"%s\" is no number of seconds above zero\n",
                CMD, CMD, text);
        return usage_error();
    }
    attrs_set(&r->attrs, "interactive", NULL, text);
    r->waits = true;
    return 0;
}

static int take_select(struct ralter *r, const char *text)
{
    /* The list is read into one of its own first, so that a refused -l leaves nothing
     * in the request. */
    struct attropl *list = NULL;
    bool ok = attrs_add_resources(&list, CMD, text), only_select = ok;

    for (struct attropl *a = list; a; a = a->next)
        only_select = only_select && strcmp(a->resource, "select") == 0;
    if (ok && only_select && list)
        attrs_set(&r->attrs, "Resource_List", "select", list->value);
    attrs_free(list);
    if (!ok)
        return usage_error();
    return only_select ? 0 : complain(CMD " -l only allows for select");
}

/* What -W sets here; everything else that can be altered has a letter. */
static bool is_for_w(const char *name)
{
    static const char *const names[] = { "on_end", "on_end_queue", "auto_extend",
                                         "auto_extend_max", "auto_extend_release" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int take_w(struct ralter *r, const char *text)
{
    char *name, *value;
    bool any = false;
    int more;

    /* The word travels as the request's extension, since to force is no attribute of a
     * reservation. */
    if (strcmp(text, FORCE) == 0) {
        r->force = true;
        return 0;
    }
    while ((more = attrs_next_w(&text, &name, &value)) > 0) {
        any = is_for_w(name);
        if (any)
            attrs_set(&r->attrs, name, NULL, value);
        free(name);
        free(value);
        if (!any)
            break;
    }
    return more == 0 && any
               ? 0
               : complain(CMD ": illegal -W value\n" CMD
                              ": -W takes \"force\", or name=value with a "
                              "comma between: on_end, on_end_queue, "
                              "auto_extend, auto_extend_max, auto_extend_release");
}

static int take_option(struct ralter *r, int letter, const char *text)
{
    static const struct {
        char letter;
        const char *attr;
    } plain[] = {
        { 'D', "reserve_duration" }, { 'm', "Mail_Points" },
        { 'M', "Mail_Users" },       { 'N', "Reserve_Name" },
        { 'U', "Authorized_Users" }, { 'G', "Authorized_Groups" },
    };

    switch (letter) {
    case 'R':
    case 'E':
        return take_time(r, (char)letter, text);
    case 'I':
        return take_wait(r, text);
    case 'l':
        return take_select(r, text);
    case 'W':
        return take_w(r, text);
    case OPTION_PUSH:
        r->terms |= HOLDFAST_PUSH;
        return 0;
    case OPTION_DRY_RUN:
        r->dry.wanted = true;
        return 0;
    case 'F':
        return dry_run_take_form(&r->dry, text) ? 0 : usage_error();
    case OPTION_RELEASE:
        r->terms |= HOLDFAST_RELEASE;
        return 0;
    case 'q':
        if (text[0] != '@' || text[1] == '\0')
            return complain(CMD ": illegal -q value: format \"@server\"");
        r->server = text + 1;
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (plain[i].letter == letter) {
            attrs_set(&r->attrs, plain[i].attr, NULL, text);
            r->timed |= letter == 'D';
            return 0;
        }
    }
    return usage_error();
}

int ralter_parse(struct ralter *r, int argc, char **argv)
{
    int letter;

    /* No option at all is no mistake: the request goes out without attributes, and the
     * server grants it (cli.md 10.2). */
    while ((letter = getopt_long(argc, argv, "D:E:F:G:I:l:m:M:N:q:R:U:W:", long_options,
                                 NULL)) != -1) {
        int bad = take_option(r, letter, optarg);

        if (bad)
            return bad;
    }
    /* Only times are forced: a select can only become smaller, so it takes vnodes from
     * nobody. */
    if (r->force && !r->timed)
        return complain(CMD ": No support for requested service\n" CMD
                            ": -W force needs -R, -E or -D beside it");
    if (r->terms & HOLDFAST_PUSH && r->force)
        return complain(CMD ": No support for requested service\n" CMD
                            ": --push makes room by moving others, and -W force takes "
                            "their vnodes: one or the other");
    if (r->terms & HOLDFAST_PUSH && !r->timed)
        return complain(CMD ": No support for requested service\n" CMD
                            ": --push needs -R, -E or -D beside it");
    if (r->terms & HOLDFAST_RELEASE && (r->force || !r->timed))
        return complain(CMD
                        ": No support for requested service\n" CMD
                        ": --release-idle needs -E or -D beside it, and no -W force");
    if (r->dry.wanted ? optind >= argc : optind + 1 != argc)
        return usage_error();
    return dry_run_is_whole(&r->dry) ? 0 : usage_error();
}
