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
    LOOK_NAMES, /* with commas between */
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

static const char *value_of(const struct batch_status *o, const char *name)
{
    for (const struct attrl *a = o->attribs; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return NULL;
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

static void add_json(struct dry_run *d, const struct batch_status *o)
{
    json_object_begin(d->json, "Reservations", o->name);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        const char *value = value_of(o, lines[i].attr);

        if (value && lines[i].look == LOOK_NAMES)
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

        if (value && lines[i].words)
            print_line(i, value);
    }
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

void dry_run_end(struct dry_run *d)
{
    if (d->json)
        json_print_and_free(d->json);
    d->json = NULL;
}
