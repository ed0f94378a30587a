/* dry_run.c - see dry_run.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/dry_run.h"

#include "cmds/common/cmd.h"
#include "cmds/common/extension.h"
#include "cmds/common/json.h"
#include "cmds/common/why.h"
#include "include/pbs_error.h"
#include "lib/wire/batch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum look {
    LOOK_TEXT,
    LOOK_TIME,
    LOOK_NAMES,   /* with commas between */
    LOOK_MEMBERS, /* one for each reservation, which is its resource */
};

/* What a verdict may say, in the order in which it is printed. */
static const struct {
    const char *attr;
    const char *words; /* NULL: for json only */
    enum look look;
} lines[] = {
    { "verdict", NULL, LOOK_TEXT },
    { "reason", "reason", LOOK_TEXT },
    { "earliest_start", "would fit from", LOOK_TIME },
    { "reserve_start", "start", LOOK_TIME },
    { "reserve_end", "end", LOOK_TIME },
    { "reserve_count", "occurrences", LOOK_TEXT },
    { "resv_nodes", NULL, LOOK_TEXT },
    { "vnodes_kept", "vnodes kept", LOOK_NAMES },
    { "vnodes_released", "vnodes released", LOOK_NAMES },
    { "vnodes_gained", "vnodes gained", LOOK_NAMES },
    { "oversubscribed_jobs", "oversubscribes jobs", LOOK_NAMES },
    { "oversubscribed_resv", "oversubscribes reservations", LOOK_NAMES },
    { "moved_from", NULL, LOOK_MEMBERS },
    { "moved_to", "moves", LOOK_MEMBERS },
    { "moved_nodes", NULL, LOOK_MEMBERS },
    { "conflicts_resv", "takes vnodes from reservations", LOOK_NAMES },
    { "conflicts_occurrences", "takes vnodes from occurrences", LOOK_NAMES },
    { "jobs_deleted", "jobs that end with it", LOOK_NAMES },
    { "jobs_moved", "jobs moved into it", LOOK_NAMES },
};

bool dry_run_take_word(struct dry_run *d, const char *word)
{
    if (strcmp(word, "dry-run") != 0)
        return false;
    d->wanted = true;
    return true;
}

bool dry_run_take_form(struct dry_run *d, const char *form)
{
    if (strcmp(form, "json") != 0)
        return false;
    d->is_json = true;
    return true;
}

bool dry_run_is_whole(const struct dry_run *d)
{
    if (!d->is_json || d->wanted)
        return true;
    fprintf(stderr, "%s: -F json is for --dry-run\n", d->cmd);
    return false;
}

/* 'member' NULL: whichever comes first. */
static const char *member_of(const struct batch_status *o, const char *name,
                             const char *member)
{
    for (const struct attrl *a = o->attribs; a; a = a->next)
        if (strcmp(a->name, name) == 0 &&
            (!member || (a->resource && strcmp(a->resource, member) == 0)))
            return a->value;
    return NULL;
}

static const char *value_of(const struct batch_status *o, const char *name)
{
    return member_of(o, name, NULL);
}

static int status_of(const struct batch_status *o)
{
    const char *verdict = value_of(o, "verdict");

    if (verdict && strcmp(verdict, "confirm") == 0)
        return DRY_RUN_CONFIRM;
    return verdict && strcmp(verdict, "force") == 0 ? DRY_RUN_FORCE : DRY_RUN_DENY;
}

static void begin_json(struct dry_run *d, int conn)
{
    struct batch_status *svr;

    if (d->json)
        return;
    d->json = json_new(time(NULL));
    svr = pbs_statserver(conn, NULL, NULL);
    if (svr)
        json_head(d->json, value_of(svr, "pbs_version"), svr->name);
    pbs_statfree(svr);
}

static void add_names(struct dry_run *d, const char *attr, const char *names)
{
    char *copy = xstrdup(names), *rest = NULL;

    json_array_begin(d->json, attr);
    for (char *name = strtok_r(copy, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest))
        json_array_add(d->json, attr, name);
    free(copy);
}

static void add_members(struct dry_run *d, const char *attr,
                        const struct batch_status *o)
{
    for (const struct attrl *a = o->attribs; a; a = a->next)
        if (strcmp(a->name, attr) == 0 && a->resource)
            json_attr(d->json, attr, a->resource, a->value);
}

static void add_json(struct dry_run *d, const struct batch_status *o)
{
    json_object_begin(d->json, "Reservations", o->name);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        const char *value = value_of(o, lines[i].attr);

        if (lines[i].look == LOOK_MEMBERS)
            add_members(d, lines[i].attr, o);
        else if (value && lines[i].look == LOOK_NAMES)
            add_names(d, lines[i].attr, value);
        else if (value)
            json_attr(d->json, lines[i].attr, NULL, value);
    }
}

/* Nothing of what users have named commands a terminal. */
static void print_names(const char *names)
{
    for (; *names; names++) {
        putchar(iscntrl((unsigned char)*names) ? '?' : *names);
        if (*names == ',')
            putchar(' ');
    }
}

/* A line for each: "R8.svr: from ... to ...", or on which vnodes at its own time. */
static void print_moved(size_t i, const struct batch_status *o)
{
    for (const struct attrl *a = o->attribs; a; a = a->next) {
        const char *from, *nodes;

        if (strcmp(a->name, lines[i].attr) != 0 || !a->resource)
            continue;
        from = member_of(o, "moved_from", a->resource);
        nodes = member_of(o, "moved_nodes", a->resource);
        printf("    %s ", lines[i].words);
        print_names(a->resource);
        if (!from || strcmp(from, a->value) == 0) {
            printf(" to other vnodes: ");
            print_names(nodes ? nodes : "");
        } else {
            printf(" from ");
            why_print_time(stdout, from);
            printf(" to ");
            why_print_time(stdout, a->value);
        }
        putchar('\n');
    }
}

static void print_line(size_t i, const char *value)
{
    printf("    %s: ", lines[i].words);
    if (lines[i].look == LOOK_TIME)
        why_print_time(stdout, value);
    else if (lines[i].look == LOOK_NAMES)
        print_names(value);
    else
        why_print_reason(stdout, value);
    putchar('\n');
}

static void print(const struct batch_status *o, bool is_deletion)
{
    static const char *const words[] = {
        [DRY_RUN_CONFIRM] = "WOULD BE CONFIRMED",
        [DRY_RUN_DENY] = "WOULD BE DENIED",
        [DRY_RUN_FORCE] = "WOULD NEED FORCE",
    };
    bool is_new = strcmp(o->name, "new") == 0;

    printf("%s %s\n", is_new ? "A new reservation" : o->name,
           is_deletion ? "WOULD BE DELETED" : words[status_of(o)]);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        const char *value = value_of(o, lines[i].attr);

        if (lines[i].words && lines[i].look == LOOK_MEMBERS)
            print_moved(i, o);
        else if (value && lines[i].words)
            print_line(i, value);
    }
}

int dry_run_worse(int a, int b)
{
    static const int order[] = {
        [DRY_RUN_CONFIRM] = 0,
        [DRY_RUN_FORCE] = 1,
        [DRY_RUN_DENY] = 2,
        [DRY_RUN_NOT_TOLD] = 3,
    };
    const int worst = (int)ARRAY_LEN(order);
    int rank_a = a >= 0 && a < worst ? order[a] : worst;
    int rank_b = b >= 0 && b < worst ? order[b] : worst;

    return rank_a >= rank_b ? a : b;
}

/* The words of the ordinary request; json has them in its own form, too. */
static int refused(struct dry_run *d, int conn, const struct holdfast_act *act)
{
    int code = pbs_errno;
    char *text = xstrdup(cmd_error_text(conn) ? cmd_error_text(conn) : "");
    bool is_told = code != PBSE_NOSUP && code != PBSE_PROTOCOL && code != PBSE_SYSTEM;

    cmd_print_error(d->cmd, conn, NULL, act->id);
    if (is_told && d->json) {
        json_object_begin(d->json, "Reservations", act->id ? act->id : "new");
        json_attr(d->json, "verdict", NULL, "deny");
        json_attr(d->json, "reason", NULL, text);
    }
    free(text);
    return is_told ? DRY_RUN_DENY : DRY_RUN_NOT_TOLD;
}

int dry_run_ask(struct dry_run *d, int conn, const struct holdfast_act *act)
{
    struct holdfast_act dry = *act;
    struct batch_status *o;
    int status;

    if (!extension_is_offered(conn, EXTENSION_DRY_RUN)) {
        fprintf(stderr,
                "%s: the server offers no dry runs: it is of another make, or older "
                "than this command; nothing was asked for\n",
                d->cmd);
        return DRY_RUN_NOT_TOLD;
    }
    if (d->is_json)
        begin_json(d, conn);
    dry.flags |= HOLDFAST_DRY_RUN;
    o = holdfast_resv_look(conn, &dry);
    if (!o)
        return refused(d, conn, act);
    status = status_of(o);
    if (d->json)
        add_json(d, o);
    else
        print(o, act->what == HOLDFAST_DELETE);
    pbs_statfree(o);
    return status;
}

/* One occurrence after the other, as many as the server shows at once. */
static int ask_some(struct dry_run *d, int conn, const struct holdfast_act *act,
                    const struct batch_status *list, unsigned *last)
{
    int code = DRY_RUN_CONFIRM;

    for (; list; list = list->next) {
        const char *bracket = strchr(list->name, '[');
        struct holdfast_act one = *act;

        if (!bracket)
            continue;
        *last = one.occurrence = (unsigned)strtoul(bracket + 1, NULL, 10);
        code = dry_run_worse(code, dry_run_ask(d, conn, &one));
    }
    return code;
}

int dry_run_ask_each(struct dry_run *d, int conn, const struct holdfast_act *act)
{
    struct attropl index = { .name = (char *)"reserve_index", .value = (char *)"" };
    struct holdfast_act from = { .what = HOLDFAST_STATUS,
                                 .flags = HOLDFAST_FROM,
                                 .occurrence = 1,
                                 .id = act->id,
                                 .attribs = &index };
    struct batch_status *list = holdfast_resv_look(conn, &from);
    int code = DRY_RUN_CONFIRM;

    if (!list) {
        cmd_print_error(d->cmd, conn, NULL, act->id);
        return DRY_RUN_DENY;
    }
    while (list) {
        unsigned last = 0;

        code = dry_run_worse(code, ask_some(d, conn, act, list, &last));
        pbs_statfree(list);
        if (last < from.occurrence)
            break;
        from.occurrence = last + 1;
        list = holdfast_resv_look(conn, &from);
    }
    return code;
}

void dry_run_end(struct dry_run *d)
{
    if (d->json)
        json_print_and_free(d->json);
    d->json = NULL;
}
