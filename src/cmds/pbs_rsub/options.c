/* options.c - the command line and the environment of pbs_rsub (cli.md 10.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/cmd.h"
#include "cmds/common/datetime.h"
#include "cmds/common/explain.h"
#include "cmds/common/known.h"
#include "cmds/pbs_rsub/hosts.h"
#include "cmds/pbs_rsub/rsub.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Characters of a recurrence rule that PBS's command takes (cli.md 10.1). */
#define RRULE_MAX     66
#define SECONDS_A_DAY (24 * 60 * 60)
/* How long "-W qmove" waits when -I does not say it; negative: then it gives up. */
#define ASAP_WAIT     "-10"
/* The number that means: whatever start comes first. */
#define ASAP_START    "1893488460"

const char rsub_usage[] =
    "usage: pbs_rsub -l select=<chunks> {two of -R, -E, -D} [options]\n"
    "       pbs_rsub --job id [-D duration] [options]\n"
    "       pbs_rsub --hosts host ... {two of -R, -E, -D} [options]\n"
    "       pbs_rsub -W qmove=id [-D duration] [-I -seconds] [options]\n"
    "       pbs_rsub --version | --help\n"
    "When:\n"
    "  -R start      [[[[CC]YY]MM]DD]hhmm[.SS], local time\n"
    "  -E end        the same form\n"
    "  -D duration   [[HH:]MM:]SS\n"
    "  -r rule       recurrence rule; needs PBS_TZID in the environment\n"
    "From a job:\n"
    "  --job id      keep what this running job of yours has; -D counts from its "
    "start\n"
    "As soon as possible:\n"
    "  -W qmove=id   reserve what this waiting job asks for, and move it there\n"
    "Maintenance, for managers and operators:\n"
    "  --hosts host ...  take these hosts from whoever has them; no -l, no -I\n"
    "What:\n"
    "  -l resources  select=2:ncpus=4, place=scatter, ...\n"
    "  -N name       name of the reservation\n"
    "Who:\n"
    "  -U users -G groups -H hosts   who may submit into it\n"
    "  -u users -g groups            account that owns it\n"
    "Answer:\n"
    "  -I seconds    wait so long for the scheduler; negative: give up then\n"
    "  -m points     mail at: a abort, b begin, c confirm, e end, n none\n"
    "  -M users      who gets the mail\n"
    "  -q @server    ask this server\n"
    "  --dry-run     tell what would become of it, and reserve nothing; -F json\n"
    "At the end:\n"
    "  -W on_end=word    what becomes of its jobs: kill, requeue, hold or extend\n"
    "  -W on_end_queue=queue   where they go then\n"
    "  -W auto_extend=time     extend it by so much while jobs run at its end\n"
    "  -W auto_extend_max=time by so much at most, all times together\n"
    "  -W auto_extend_release=true   and give back vnodes without jobs then\n"
    "  -W name=value[,name=value...]   any other attribute\n";

int rsub_usage_error(void)
{
    fputs(rsub_usage, stderr);
    return 2;
}

static int illegal(char letter)
{
    fprintf(stderr, "%s: illegal -%c value\n", CMD, letter);
    if (letter == 'W')
        explain_say(CMD, EXPLAIN_LIST_FORM);
    return rsub_usage_error();
}

static void set_time(struct rsub *r, const char *name, time_t at)
{
    char text[24];

    /* Times are sent as seconds: the server does not know the user's zone. */
    snprintf(text, sizeof(text), "%lld", (long long)at);
    attrs_set(&r->attrs, name, NULL, text);
}

static int take_time(struct rsub *r, char letter, const char *text)
{
    time_t at = datetime_parse(text, time(NULL));

    if (at < 0) {
        fprintf(stderr, "%s: illegal -%c time value\n", CMD, letter);
        explain_time(CMD, text);
        return rsub_usage_error();
    }
    if (letter == 'R') {
        r->start_at = at;
        r->start_text = text;
    } else {
        r->end_at = at;
    }
    set_time(r, letter == 'R' ? "reserve_start" : "reserve_end", at);
    return 0;
}

/* The sign has a meaning for the server: a negative time gives the reservation up at
 * its end. So only the form is judged here. */
static int take_wait(struct rsub *r, const char *text)
{
    char *end;

    errno = 0;
    strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || errno != 0) {
        fprintf(stderr,
                "%s: illegal -I time value\n"
                "%s: \"%s\" is no whole number of seconds\n",
                CMD, CMD, text);
        return rsub_usage_error();
    }
    attrs_set(&r->attrs, "interactive", NULL, text);
    return 0;
}

static int take_asap(struct rsub *r, const char *job)
{
    if (known_job(job, r->asap_job, r->asap_server))
        return 0;
    fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, job);
    return 255;
}

static int take_others(struct rsub *r, const char *text)
{
    char *name, *value;
    int more;

    if (*text == '\0')
        return illegal('W');
    while ((more = attrs_next_w(&text, &name, &value)) > 0) {
        bool asap = strcmp(name, "qmove") == 0;
        int bad = asap ? take_asap(r, value) : 0;

        if (!bad)
            /* Of "id@server" the id is sent, since the connection leads to that server.
             */
            attrs_set(&r->attrs, name, NULL, asap ? r->asap_job : value);
        free(name);
        free(value);
        if (bad)
            return bad;
    }
    return more < 0 ? illegal('W') : 0;
}

static int take_rule(struct rsub *r, const char *text)
{
    /* PBS's command judges the length before it connects. */
    if (strlen(text) > RRULE_MAX) {
        fprintf(stderr,
                "%s: illegal -r value (expression too long)\n"
                "%s: the rule has %zu characters; at most %d are possible\n",
                CMD, CMD, strlen(text), RRULE_MAX);
        return rsub_usage_error();
    }
    attrs_set(&r->attrs, "reserve_rrule", NULL, text);
    /* PBS sends this mark beside each rule (cli.md 10.1). */
    attrs_set(&r->attrs, "reserve_standing", NULL, "1");
    r->standing = true;
    return 0;
}

/* "--job id" and "--hosts": getopt gives the word after the dashes. Hosts are what is
 * left when all options are read. */
static int take_word(struct rsub *r, const char *word, int argc, char **argv)
{
    if (strcmp(word, "hosts") == 0) {
        r->maintenance = true;
        return 0;
    }
    if (dry_run_take_word(&r->dry, word))
        return 0;
    if (strcmp(word, "job") != 0 || optind >= argc)
        return rsub_usage_error();
    /* getopt knows no long options here: its '-' has the rest of the word as
     * argument, so the id is the next word and is taken out of getopt's hands. */
    attrs_set(&r->attrs, "reserve_job", NULL, argv[optind++]);
    r->from_job = true;
    return 0;
}

/* Options whose text is the attribute's value. */
static const struct {
    char letter;
    const char *attr;
} plain[] = {
    { 'm', "Mail_Points" },       { 'M', "Mail_Users" },
    { 'N', "Reserve_Name" },      { 'u', "User_List" },
    { 'g', "group_list" },        { 'U', "Authorized_Users" },
    { 'G', "Authorized_Groups" }, { 'H', "Authorized_Hosts" },
};

static int take_plain(struct rsub *r, int letter, const char *text)
{
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (plain[i].letter == letter) {
            attrs_set(&r->attrs, plain[i].attr, NULL, text);
            return 0;
        }
    }
    return rsub_usage_error();
}

static const char *length_of(const struct rsub *r)
{
    return attrs_get(r->attrs, "Resource_List", "walltime");
}

/* -D and -l walltime= say the same; the one that is given first wins (reservations.md
 * 5.4), where of other resources the last one does. */
static int take_resources(struct rsub *r, const char *text)
{
    char *first = length_of(r) ? xstrdup(length_of(r)) : NULL;
    bool good = attrs_add_resources(&r->attrs, CMD, text);

    if (first)
        attrs_set(&r->attrs, "Resource_List", "walltime", first);
    free(first);
    return good ? 0 : rsub_usage_error();
}

static int take_option(struct rsub *r, int letter, const char *text)
{
    switch (letter) {
    case 'R':
    case 'E':
        return take_time(r, (char)letter, text);
    case 'D':
        /* The server reads durations, and its refusal is explained below (refused()).
         */
        if (!length_of(r))
            attrs_set(&r->attrs, "Resource_List", "walltime", text);
        return 0;
    case 'I':
        return take_wait(r, text);
    case 'l':
        return take_resources(r, text);
    case 'r':
        return take_rule(r, text);
    case 'W':
        return take_others(r, text);
    case 'F':
        return dry_run_take_form(&r->dry, text) ? 0 : rsub_usage_error();
    case 'q':
        /* A reservation has a queue of its own, so -q can name nothing but a server. */
        if (text[0] != '@' || text[1] == '\0') {
            fprintf(stderr, "%s: illegal -q value: format \"@server\"\n", CMD);
            return rsub_usage_error();
        }
        r->server = text + 1;
        return 0;
    default:
        return take_plain(r, letter, text);
    }
}

/* -D is a resource too, and allowed. With -W an entry may have no resource at all. */
static bool has_resources(const struct rsub *r)
{
    for (const struct attropl *a = r->attrs; a; a = a->next)
        if (strcmp(a->name, "Resource_List") == 0 &&
            (!a->resource || strcmp(a->resource, "walltime") != 0))
            return true;
    return false;
}

static int take_options(struct rsub *r, int argc, char **argv)
{
    int letter;

    while ((letter = getopt(argc, argv, "D:E:F:I:l:m:M:N:q:r:R:u:U:g:G:H:W:-:")) !=
           -1) {
        int bad;

        /* getopt() has said already what is wrong. */
        if (letter == '?')
            bad = rsub_usage_error();
        else if (letter == '-')
            bad = take_word(r, optarg, argc, argv);
        else
            bad = take_option(r, letter, optarg);
        if (bad)
            return bad;
    }
    return 0;
}

/* The chunks follow from the hosts, and the answer does not have to be waited for,
 * since the command confirms the reservation itself. */
static int take_hosts(struct rsub *r, int n, char **hosts)
{
    const char *twice = rsub_hosts_twice(hosts, n);

    if (attrs_get(r->attrs, "interactive", NULL))
        fprintf(stderr, "%s: can't use -I with --hosts\n", CMD);
    else if (has_resources(r))
        fprintf(stderr, "%s: can't use -l with --hosts\n", CMD);
    else if (n == 0)
        fprintf(stderr, "%s: missing host(s)\n", CMD);
    else if (twice)
        fprintf(stderr, "%s: Duplicate host: %s\n", CMD, twice);
    else {
        r->hosts = hosts;
        r->n_hosts = n;
        return 0;
    }
    return rsub_usage_error();
}

/* The scheduler chooses the start, and who waits gives up when there is none: a job
 * must not be moved when nobody expects it any more. */
static int check_asap(struct rsub *r)
{
    const char *wait = attrs_get(r->attrs, "interactive", NULL);

    if (r->start_at >= 0 || r->end_at >= 0) {
        fprintf(stderr, "%s: -Wqmove is not compatible with -R or -E option\n", CMD);
        return rsub_usage_error();
    }
    if (wait && strtol(wait, NULL, 10) >= 0) {
        fprintf(stderr,
                "%s: -I <timeout> value must be negative when used with -Wqmove "
                "option.\n",
                CMD);
        return 2;
    }
    if (!wait)
        attrs_set(&r->attrs, "interactive", NULL, ASAP_WAIT);
    attrs_set(&r->attrs, "reserve_start", NULL, ASAP_START);
    return 0;
}

int rsub_parse(struct rsub *r, int argc, char **argv)
{
    int bad = take_options(r, argc, argv);

    if (bad)
        return bad;
    if (!dry_run_is_whole(&r->dry))
        return rsub_usage_error();
    /* A job that runs has its start, and -D or its walltime say the end. */
    if (r->from_job && (r->start_at >= 0 || r->end_at >= 0)) {
        fprintf(stderr, "%s: Start/End time cannot be used with --job option\n", CMD);
        return rsub_usage_error();
    }
    if (*r->asap_job && (bad = check_asap(r)))
        return bad;
    if (r->maintenance)
        return take_hosts(r, argc - optind, argv + optind);
    if (optind < argc) {
        fprintf(stderr, "%s: directive error: ", CMD);
        /* A value with a blank is cut in two by the shell: the user sees all words as
         * they came. */
        for (int i = 1; i < argc; i++)
            fprintf(stderr, "%s ", argv[i]);
        fputc('\n', stderr);
        return rsub_usage_error();
    }
    /* "-R 2300 -E 0100", typed at 00:30, means the next night. Both times were filled
     * in from today, so the end is moved by a day (cli.md 10.1). */
    if (r->start_text && datetime_is_clock(r->start_text) && r->end_at >= 0 &&
        r->end_at < r->start_at)
        set_time(r, "reserve_end", r->end_at + SECONDS_A_DAY);
    return 0;
}

int rsub_add_environment(struct rsub *r)
{
    const char *zone = getenv("PBS_TZID");
    const char *logname = getenv("LOGNAME");
    const char *mail = getenv("MAIL");
    char host[256] = "";
    struct buf vars = { 0 };

    /* The occurrences of a rule follow local time, which the server's zone must not
     * decide. */
    if (r->standing && !zone) {
        fprintf(stderr,
                "%s error: a valid PBS_TZID timezone environment variable is "
                "required.\n",
                CMD);
        return 2;
    }
    /* Without a rule the zone decides nothing, and is told all the same, as PBS does.
     */
    if (zone)
        attrs_set(&r->attrs, "reserve_timezone", NULL, zone);
    gethostname(host, sizeof(host) - 1);
    variable_add(&vars, "PBS_O_LOGNAME", logname ? logname : "", ",");
    variable_add(&vars, "PBS_O_HOST", host, ",");
    if (mail)
        variable_add(&vars, "PBS_O_MAIL", mail, ",");
    if (zone)
        variable_add(&vars, "PBS_TZID", zone, ",");
    attrs_set(&r->attrs, "Variable_List", NULL, vars.data);
    buf_fini(&vars);
    return 0;
}
