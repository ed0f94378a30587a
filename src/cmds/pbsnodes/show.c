/* show.c - a vnode or host with all its attributes: lines, dsv, json (cli.md 9.1, 9.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbsnodes/pbsnodes.h"

#include "lib/base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static bool is_date(const char *name)
{
    /* Servers send both as seconds. */
    return strcasecmp(name, "last_used_time") == 0 ||
           strcasecmp(name, "last_state_change_time") == 0;
}

static void nodes_print_full(const struct batch_status *node)
{
    printf("%s\n", node->name);
    for (const struct attrl *a = node->attribs; a; a = a->next) {
        time_t at = (time_t)strtoll(a->value, NULL, 10);
        char date[32];
        /* When the vnodes of a host differ the value is "<various>", which is no
         * date. */
        bool dated = is_date(a->name) && a->value[0] != '<' && ctime_r(&at, date);

        if (dated)
            date[strcspn(date, "\n")] = '\0';
        printf("     %s%s%s = ", a->name, a->resource ? "." : "",
               a->resource ? a->resource : "");
        print_visible(dated ? date : a->value);
        putchar('\n');
    }
    putchar('\n');
}

static void nodes_print_dsv(const struct nodes_view *v, const struct batch_status *node)
{
    printf("Name=%s", node->name);
    for (const struct attrl *a = node->attribs; a; a = a->next) {
        printf("%s%s%s%s=", v->form.delimiter, a->name, a->resource ? "." : "",
               a->resource ? a->resource : "");
        char *own = xstrdup(a->value);

        printable_text(own);
        for (const char *p = own; *p; p++)
            /* Jobs stand between commas alone in this form. */
            if (*p != ' ' || strcasecmp(a->name, "jobs") != 0)
                print_visible_char(*p);
        free(own);
    }
    putchar('\n');
}

void nodes_each_job(const char *jobs, void (*each)(void *arg, const char *id),
                    void *arg)
{
    struct buf seen = { 0 }, piece = { 0 };

    /* Every id stands between two commas in 'seen', so that 1.svr is not found within
     * 11.svr. */
    buf_add_char(&seen, ',');
    while (jobs && *jobs) {
        jobs += strspn(jobs, ", ");
        buf_clear(&piece);
        buf_printf(&piece, ",%.*s,", (int)strcspn(jobs, "/,"), jobs);
        jobs += strcspn(jobs, ",");
        if (piece.len <= 2 || strstr(seen.data, piece.data))
            continue;
        buf_add(&seen, piece.data + 1, piece.len - 1);
        piece.data[piece.len - 1] = '\0';
        /* Without the commas at both ends. */
        each(arg, piece.data + 1);
    }
    buf_fini(&piece);
    buf_fini(&seen);
}

static void add_json_job(void *json, const char *id)
{
    json_array_add(json, "jobs", id);
}

static void nodes_add_json(const struct nodes_view *v, const struct batch_status *node)
{
    struct json *json = v->form.json;

    json_object_begin(json, "nodes", node->name);
    for (const struct attrl *a = node->attribs; a; a = a->next) {
        /* Of resources_assigned, amounts of 0 are not shown. */
        if (a->resource && strcasecmp(a->name, "resources_assigned") == 0 &&
            *a->value == '0') {
            json_members_begin(json, a->name);
        } else if (strcasecmp(a->name, "jobs") == 0) {
            json_array_begin(json, "jobs");
            nodes_each_job(a->value, add_json_job, json);
        } else {
            json_attr(json, a->name, a->resource, a->value);
        }
    }
}

void nodes_print(struct nodes_view *v, const struct batch_status *node)
{
    if (v->summary && v->of_jobs)
        nodes_print_job_summary(v, node);
    else if (v->summary)
        nodes_print_summary(v, node);
    else if (v->form.form == FULL_JSON)
        nodes_add_json(v, node);
    else if (v->form.form == FULL_DSV)
        nodes_print_dsv(v, node);
    else
        nodes_print_full(node);
}
