/* summary.c - one line for each vnode: -S, and -Sj with its jobs and what is free
 * (cli.md 9.3). The same cells go into a table, a dsv line or a json object.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbsnodes/pbsnodes.h"

#include "cmds/common/bounded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CELLS_MAX 11

/* A column: how wide it is in the table, and what it is called elsewhere. */
struct column {
    int width; /* to the right when negative; 0: as long as it is */
    const char *dsv, *json;
};

/* clang-format off */
static const struct column columns[] = {
    { 15, "vnode", NULL },
    { 15, "state", "State" },
    { 8, "OS", "OS" },
    { 8, "hardware", "hardware" },
    { 15, "host", "host" },
    { 10, "queue", "queue" },
    { -8, "mem", "Memory" },
    { -7, "ncpus", "ncpus" },
    { -7, "nmics", "nmics" },
    { -7, "ngpus", "ngpus" },
    { 0, "comment", "comment" },
};

static const struct column job_columns[] = {
    { 15, "vnode", NULL },
    { 15, "state", "State" },
    { -6, "njobs", "Total Jobs" },
    { -5, "run", "Running Jobs" },
    { -6, "susp", "Suspended Jobs" },
    { -12, "mem(f/t)", "mem f/t" },
    { -7, "ncpus(f/t)", "ncpus f/t" },
    { -7, "nmics(f/t)", "nmics f/t" },
    { -7, "ngpus(f/t)", "ngpus f/t" },
    { 0, "jobs", "jobs" },
};
/* clang-format on */

static void print_row(const struct nodes_view *v, const struct column *c, size_t n,
                      char *const *cells)
{
    for (size_t i = 0; i < n; i++) {
        int width = c[i].width, most = v->uncut || width == 0 ? -1 : abs(width);

        /* A negative precision counts as absent in printf(); a negative width would
         * align to the left. */
        printf("%s%*.*s", i ? " " : "", -width, most, cells[i]);
    }
    putchar('\n');
}

static void print_dsv_row(const struct nodes_view *v, const struct column *c, size_t n,
                          char *const *cells)
{
    for (size_t i = 0; i < n; i++)
        printf("%s%s=%s", i ? v->form.delimiter : "", c[i].dsv, cells[i]);
    putchar('\n');
}

static void add_json_row(const struct nodes_view *v, const struct column *c, size_t n,
                         char *const *cells)
{
    json_object_begin(v->form.json, "nodes", cells[0]);
    /* The first cell is the vnode's name, which is the key of its object. */
    for (size_t i = 1; i < n; i++)
        json_attr(v->form.json, c[i].json, NULL, cells[i]);
}

static void show_row(const struct nodes_view *v, const struct column *c, size_t n,
                     char **cells)
{
    if (v->form.form == FULL_JSON)
        add_json_row(v, c, n, cells);
    else if (v->form.form == FULL_DSV)
        print_dsv_row(v, c, n, cells);
    else
        print_row(v, c, n, cells);
    for (size_t i = 0; i < n; i++)
        free(cells[i]);
}

/* True for the first row of a table. */
static bool wants_heading(struct nodes_view *v)
{
    bool wants = !v->headed && v->form.form == FULL_LINES;

    v->headed = true;
    return wants;
}

static char *or_dashes(const char *value)
{
    return xstrdup(cell_or(value, "--"));
}

static char *available(const struct batch_status *n, const char *resource)
{
    return or_dashes(status_value(n, "resources_available", resource));
}

static long long amount(const struct batch_status *n, const char *list,
                        const char *resource)
{
    const char *value = status_value(n, list, resource);

    /* A vnode that does not have the resource has 0 of it. */
    return value ? strtoll(value, NULL, 10) : 0;
}

static char *number_text(long long n)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", n);
    return xstrdup(text);
}

/* The first word of the states, or all of them with -L. */
static char *state_of(const struct nodes_view *v, const struct batch_status *n)
{
    const char *state = cell_or(status_value(n, "state", NULL), "--");

    return xstrndup(state, v->uncut ? strlen(state) : strcspn(state, ","));
}

/* A size in the first unit in which it has at most three digits: "4gb". */
static void short_size(const char *value, char out[32])
{
    /* A value without a unit counts as bytes, and so does one in words. */
    static const char units[] = "bkmgtp";
    char *end;
    unsigned long long n = strtoull(value ? value : "0b", &end, 10);
    const char *unit = *end ? strchr(units, *end) : units;
    size_t step = unit ? (size_t)(unit - units) : 0;

    for (; n > 999 && step + 2 < sizeof(units); step++)
        /* This is how PBS rounds (cli.md 9.3). */
        n = n / 1024 + (n % 1024 + n % 1024) / 1024;
    if (step == 0)
        snprintf(out, 32, "%llu b", n);
    else
        snprintf(out, 32, "%llu%cb", n, units[step]);
}

static char *memory_of(const struct batch_status *n)
{
    char text[32];

    short_size(status_value(n, "resources_available", "mem"), text);
    return xstrdup(text);
}

static long long kib(const char *size)
{
    static const char units[] = "kmgtp";
    char *end;
    long long n = MAX_OF(strtoll(size ? size : "0kb", &end, 10), 0);
    const char *unit = *end ? strchr(units, *end) : NULL;

    if (!unit) /* bytes; a part of a KiB counts as one */
        return n / 1024 + (n % 1024 > 0);
    return bounded_mul(n, 1LL << (10 * (unit - units)));
}

/* "free/total" of the vnode's memory. */
static char *memory_left(const struct batch_status *n)
{
    const char *have = status_value(n, "resources_available", "mem");
    const char *used = status_value(n, "resources_assigned", "mem");
    char left[40], free_text[32], total[32], both[80];

    /* More can be assigned than is there, after an administrator took memory away: then
     * nothing is left. */
    snprintf(left, sizeof(left), "%lldkb", MAX_OF(kib(have) - kib(used), 0));
    short_size(kib(used) ? left : have, free_text);
    short_size(have, total);
    snprintf(both, sizeof(both), "%s/%s", free_text, total);
    return xstrdup(both);
}

static char *left_of(const struct batch_status *n, const char *resource)
{
    long long have = amount(n, "resources_available", resource);
    char both[64];

    snprintf(both, sizeof(both), "%lld/%lld",
             (long long)bounded_sub(have, amount(n, "resources_assigned", resource)),
             have);
    return xstrdup(both);
}

void nodes_print_summary(struct nodes_view *v, const struct batch_status *n)
{
    char *cells[CELLS_MAX] = {
        xstrdup(n->name),
        state_of(v, n),
        available(n, "OS"),
        available(n, "hardware"),
        available(n, "host"),
        or_dashes(status_value(n, "queue", NULL)),
        memory_of(n),
        number_text(amount(n, "resources_available", "ncpus")),
        number_text(amount(n, "resources_available", "nmics")),
        number_text(amount(n, "resources_available", "ngpus")),
        or_dashes(status_value(n, "comment", NULL)),
    };

    if (wants_heading(v)) {
        puts("vnode           state           OS       hardware host            queue  "
             "      mem     ncpus   nmics   ngpus  comment");
        puts("--------------- --------------- -------- -------- --------------- "
             "---------- -------- ------- ------- ------- ---------");
    }
    show_row(v, columns, ARRAY_LEN(columns), cells);
}

/* The jobs of a vnode, counted once however many slots they have. */
struct job_list {
    const struct nodes_view *view;
    struct buf text;
    int n;
};

static void add_job(void *arg, const char *id)
{
    struct job_list *list = arg;
    const char *dot = strchr(id, '.'), *ours = list->view->default_server;
    bool shorten = list->view->form.form == FULL_LINES && dot && ours &&
                   strcasecmp(dot + 1, ours) == 0;

    buf_printf(&list->text, "%s%.*s", list->n ? "," : "",
               (int)(shorten ? dot - id : (long)strlen(id)), id);
    list->n++;
}

static void add_json_job(void *json, const char *id)
{
    json_array_add(json, "jobs", id);
}

void nodes_print_job_summary(struct nodes_view *v, const struct batch_status *n)
{
    const char *jobs = status_value(n, "jobs", NULL);
    struct job_list list = { .view = v };
    size_t n_cells = ARRAY_LEN(job_columns);

    nodes_each_job(jobs, add_job, &list);
    char *cells[CELLS_MAX] = {
        xstrdup(n->name),
        state_of(v, n),
        number_text(list.n),
        number_text(list.n),
        number_text(0), /* the server does not say which of them are suspended */
        memory_left(n),
        left_of(n, "ncpus"),
        left_of(n, "nmics"),
        left_of(n, "ngpus"),
        or_dashes(list.text.data),
    };
    if (wants_heading(v)) {
        printf("%56smem       ncpus   nmics   ngpus\n", "");
        puts("vnode           state           njobs   run   susp      f/t        f/t   "
             "  f/t     f/t   jobs");
        puts("--------------- --------------- ------ ----- ------ ------------ ------- "
             "------- ------- -------");
    }
    if (v->form.form == FULL_JSON) /* there the jobs are a list */
        free(cells[--n_cells]);
    show_row(v, job_columns, n_cells, cells);
    if (v->form.form == FULL_JSON) {
        json_array_begin(v->form.json, "jobs");
        nodes_each_job(jobs, add_json_job, v->form.json);
    }
    buf_fini(&list.text);
}
