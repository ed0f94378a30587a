/* pbs_ralter.c - alter a reservation (cli.md 10.2, reservations.md 13.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/cmd.h"
#include "cmds/common/datetime.h"
#include "cmds/common/dry_run.h"
#include "cmds/common/explain.h"
#include "cmds/common/extension.h"
#include "cmds/common/operand.h"
#include "cmds/common/why.h"
#include "include/pbs_error.h"
#include "lib/wire/batch.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CMD "pbs_ralter"

static const char usage[] =
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

struct ralter {
    struct attropl *attrs;
    const char *server; /* of -q; NULL: the one that the id names */
    bool force, timed, waits;
    unsigned terms; /* enum holdfast_flag bits: what only our own server understands */
    struct dry_run dry;
};

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
    fputs(usage, stderr);
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

static int parse(struct ralter *r, int argc, char **argv)
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

/* The attributes of a reservation, or of the occurrence of it that has that index; of
 * which only 'attr', when it is not NULL. */
static struct batch_status *look(int conn, const char *id, int index, const char *attr)
{
    struct attrl wanted = { .name = (char *)(uintptr_t)attr };
    struct attropl of_one = { .name = (char *)(uintptr_t)attr, .value = (char *)"" };
    const struct holdfast_act act = { .what = HOLDFAST_STATUS,
                                      .occurrence = (unsigned)index,
                                      .id = id,
                                      .attribs = attr ? &of_one : NULL };

    return index == OPERAND_WHOLE ? pbs_statresv(conn, id, attr ? &wanted : NULL, "why")
                                  : holdfast_resv_look(conn, &act);
}

static void say_line(const char *words, const char *text)
{
    printf("%s: %s", CMD, words);
    why_print_reason(stdout, text);
    putchar('\n');
}

/* One attribute as a line of its own, or one for each of its parts when 'between'
 * stands between them. A server of another make knows none of them. */
static void say_attribute(int conn, const char *id, int index, const char *attr,
                          const char *words, const char *between)
{
    struct batch_status *bs = look(conn, id, index, attr);

    if (bs && bs->attribs && strcmp(bs->attribs->name, attr) == 0) {
        char *part = bs->attribs->value;
        char *next = between ? strstr(part, between) : NULL;

        for (; next; part = next + strlen(between), next = strstr(part, between)) {
            *next = '\0';
            say_line(words, part);
        }
        say_line(words, part);
    }
    pbs_statfree(bs);
}

/* What lies behind the answer: why not, or who else was promised the vnodes. */
static void say_more(const struct ralter *r, int conn, const char *id, int index,
                     const char *answer)
{
    /* Only an answer that was waited for ends in the verdict; others end in "ALTER
     * REQUESTED". */
    const char *word = strrchr(answer, ' ');

    if (!r->waits || !word)
        return;
    if (strcmp(word, " DENIED") == 0)
        say_attribute(conn, id, OPERAND_WHOLE, "alter_denied", "reason: ", NULL);
    else if (r->terms & HOLDFAST_PUSH)
        say_attribute(conn, id, OPERAND_WHOLE, "pushed", "moved ", NULL);
    if (!r->force || strcmp(word, " CONFIRMED") != 0)
        return;
    say_attribute(conn, id, index, "oversubscribed_jobs", "oversubscribes jobs ", NULL);
    say_attribute(conn, id, index, "oversubscribed_resv",
                  "oversubscribes reservations ", NULL);
    say_attribute(conn, id, index, "oversubscribed_on", "meets ", ", ");
}

/* The options by the attributes that they send, for errors that name an attribute.
 * Resource_List is not among them: its errors are told with the library's text. */
static const struct cmd_option letters[] = {
    { "reserve_duration", NULL, 'D' },  { "reserve_end", NULL, 'E' },
    { "Authorized_Groups", NULL, 'G' }, { "interactive", NULL, 'I' },
    { "Mail_Points", NULL, 'm' },       { "Mail_Users", NULL, 'M' },
    { "Reserve_Name", NULL, 'N' },      { "reserve_start", NULL, 'R' },
    { "Authorized_Users", NULL, 'U' },  { "on_end", NULL, 'W' },
    { "on_end_queue", NULL, 'W' },      { "auto_extend", NULL, 'W' },
    { "auto_extend_max", NULL, 'W' },   { "auto_extend_release", NULL, 'W' },
};

/* The server names a bad attribute in the last word of its text. */
static bool say_bad_value(int conn, const struct attropl *sent)
{
    int code = pbs_errno == PBSE_DUPLIST ? PBSE_DUPLIST : PBSE_BADATVAL;
    const char *text = pbs_geterrmsg(conn);
    const char *word = text ? strrchr(text, ' ') : NULL;

    for (size_t i = 0; word && i < ARRAY_LEN(letters); i++) {
        if (strcmp(word + 1, letters[i].attr) != 0)
            continue;
        fprintf(stderr, "%s: illegal -%c value\n", CMD, letters[i].letter);
        explain_print(CMD, &resv_table, sent, code, text);
        fputs(usage, stderr);
        return true;
    }
    return false;
}

/* Fill in the times that the reservation has now, where the request gave none. */
static void complete_window(struct window *w, const struct batch_status *resv)
{
    static const struct {
        const char *name;
        enum window_part part;
    } parts[] = {
        { "reserve_start", WINDOW_START },
        { "reserve_end", WINDOW_END },
    };

    for (const struct attrl *a = resv ? resv->attribs : NULL; a; a = a->next) {
        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
            /* What the user gave is what has to be explained, so it is not replaced. */
            int64_t at = strtoll(a->value, NULL, 10);

            if (w->given & parts[i].part || strcmp(a->name, parts[i].name) != 0)
                continue;
            w->known |= parts[i].part;
            *(parts[i].part == WINDOW_START ? &w->start_at : &w->end_at) = at;
        }
    }
}

static const char *value_in(const struct batch_status *resv, const char *name)
{
    for (const struct attrl *a = resv ? resv->attribs : NULL; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

/* What the reservation is doing that does not go with an alteration. */
static void explain_state(const struct batch_status *resv, const char *id,
                          struct buf *words)
{
    const char *state = value_in(resv, "reserve_state");

    switch (state ? atoi(state) : RESV_NONE) {
    case RESV_BEING_ALTERED:
        buf_printf(words, "another alteration of %s waits for its answer", id);
        break;
    case RESV_BEING_DELETED:
    case RESV_DELETED:
        buf_printf(words, "%s is being deleted", id);
        break;
    case RESV_DELETING_JOBS:
        buf_printf(words, "the occurrence of %s is over and its jobs are ending", id);
        break;
    }
}

/* Its owner may alter it, so who is refused wonders what is different this time. */
static void explain_rights(const struct ralter *r)
{
    if (r->force)
        explain_say(CMD, "-W force is for managers");
    else if (r->terms & HOLDFAST_PUSH)
        explain_say(CMD, "--push is for managers");
}

/* The second line: what is wrong with the times, or with the chunks, compared with what
 * the reservation has. */
static void explain_altered(const struct ralter *r, int conn, const char *id, int index,
                            int error, const char *text)
{
    /* The reservation is asked for after the refusal, because only then its times are
     * of interest. This request replaces the text of the last reply, so the caller
     * hands in a copy of that. NULL when there is no such reservation. */
    struct batch_status *resv = look(conn, id, index, NULL);
    struct window w = explain_window_of(r->attrs);
    struct buf words = { 0 };

    if (error == PBSE_PERM) {
        explain_rights(r);
    } else if (error == PBSE_BADTSPEC) {
        w.has_base = true;
        complete_window(&w, resv);
        explain_window(&w, time(NULL), &words);
    } else if (error == PBSE_BADSTATE) {
        explain_state(resv, id, &words);
    } else if (error == PBSE_UNKRESVID) {
        buf_printf(&words, "there is no reservation %s; pbs_rstat lists all", id);
    } else if (error == PBSE_SELECT_NOT_SUBSET) {
        for (const struct attrl *a = resv ? resv->attribs : NULL; a; a = a->next)
            if (a->resource && strcmp(a->resource, "select") == 0)
                buf_printf(&words,
                           "%s has select=%s; chunks can be left out, not added "
                           "or changed",
                           id, a->value);
    } else {
        explain_refusal(&resv_table, r->attrs, error, text, &words);
    }
    if (words.len > 0)
        explain_say(CMD, words.data);
    buf_fini(&words);
    pbs_statfree(resv);
}

/* May all of it be sent to this server? One that does not know a term might do the rest
 * without it. */
static bool may_send(const struct ralter *r, int conn, int index)
{
    static const struct {
        unsigned term;
        const char *extension, *option;
    } rows[] = {
        { HOLDFAST_PUSH, EXTENSION_PUSH, "--push" },
        { HOLDFAST_RELEASE, EXTENSION_RELEASE, "--release-idle" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (r->terms & rows[i].term &&
            !extension_may_ask(CMD, conn, rows[i].extension, rows[i].option))
            return false;
    return extension_may_send(CMD, conn, r->attrs) &&
           (index == OPERAND_WHOLE || extension_knows_occurrences(CMD, conn));
}

/* As a request names it. */
static unsigned index_or_none(int index)
{
    return index == OPERAND_WHOLE ? 0 : (unsigned)index;
}

/* The server's answer, NULL: refused. */
static char *ask(const struct ralter *r, int conn, const char *id, int index)
{
    bool act_needed = r->terms || index != OPERAND_WHOLE;
    const struct holdfast_act act = {
        .what = HOLDFAST_ALTER,
        .flags = r->terms | (r->force ? HOLDFAST_FORCE : 0),
        .occurrence = index_or_none(index),
        .id = id,
        .attribs = r->attrs,
    };

    return act_needed ? holdfast_resv_act(conn, &act)
                      : pbs_modify_resv(conn, id, r->attrs, r->force ? FORCE : NULL);
}

static int try_it(struct ralter *r, int conn, const char *id, int index)
{
    const struct holdfast_act act = { .what = HOLDFAST_ALTER,
                                      .flags =
                                          r->terms | (r->force ? HOLDFAST_FORCE : 0),
                                      .occurrence = index_or_none(index),
                                      .id = id,
                                      .attribs = r->attrs };

    return index == OPERAND_ALL ? dry_run_ask_each(&r->dry, conn, &act)
                                : dry_run_ask(&r->dry, conn, &act);
}

static bool has_attr(const struct ralter *r, const char *name)
{
    for (const struct attropl *a = r->attrs; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return true;
    return false;
}

/* Is that an operand that this request can be about? */
static bool may_name(const struct ralter *r, const char *operand, bool is_one,
                     int index)
{
    bool all = is_one && index == OPERAND_ALL;
    bool moves = has_attr(r, "reserve_start") || has_attr(r, "reserve_end");

    if (is_one && (!all || (r->dry.wanted && !moves)))
        return true;
    fprintf(stderr, "%s: illegally formed reservation identifier: %s\n", CMD, operand);
    if (all)
        fprintf(
            stderr,
            "%s: name one occurrence, as S5[3], or the reservation itself; --dry-run "
            "tells of each with -D or -l, without -R and -E\n",
            CMD);
    return false;
}

static int alter(struct ralter *r, const char *operand)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];
    int conn, code, index;
    char *answer;

    bool is_one = operand_occurrence(operand, id, server, &index);

    if (!may_name(r, operand, is_one, index))
        return 2;
    /* A server that was named with -q is asked even when the id names another one. */
    conn = cmd_connect(CMD, r->server ? r->server : server);
    if (conn < 0)
        return cmd_exit_code(pbs_errno);
    if (!may_send(r, conn, index)) {
        pbs_disconnect(conn);
        return r->dry.wanted ? DRY_RUN_NOT_TOLD : 1;
    }
    if (r->dry.wanted) {
        code = try_it(r, conn, id, index);
        if (code == DRY_RUN_DENY && pbs_errno == PBSE_PERM)
            explain_rights(r);
        pbs_disconnect(conn);
        return code;
    }
    answer = ask(r, conn, id, index);
    /* The requests that explain a refusal set pbs_errno anew. A denial is an answer,
     * and the exit status is 0 (cli.md 10.2). */
    code = pbs_errno;
    if (answer) {
        printf("%s: %s\n", CMD, answer);
        say_more(r, conn, id, index, answer);
        free(answer);
        code = 0;
    } else if (say_bad_value(conn, r->attrs) ||
               cmd_print_bad_attribute(CMD, conn, letters, ARRAY_LEN(letters),
                                       &resv_table, usage)) {
        code = 2;
    } else {
        char *text = xstrdup(cmd_error_text(conn) ? cmd_error_text(conn) : "");

        cmd_print_error(CMD, conn, NULL, NULL);
        explain_altered(r, conn, id, index, code, text);
        free(text);
    }
    pbs_disconnect(conn);
    return cmd_exit_code(code);
}

static int run(int argc, char **argv)
{
    struct ralter r = { .dry = { .cmd = CMD } };
    bool taken;
    int code;

    if (cmd_told(argc, argv, usage))
        return 0;
    code = parse(&r, argc, argv);
    taken = code == 0;
    /* Only dry runs have several. */
    for (int i = optind; taken && i < argc; i++)
        code = dry_run_worse(code, alter(&r, argv[i]));
    dry_run_end(&r.dry);
    attrs_free(r.attrs);
    return code;
}

int main(int argc, char **argv)
{
    return cmd_finish(CMD, run(argc, argv));
}
