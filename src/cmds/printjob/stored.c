/* stored.c - a job as the server's store has it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/printjob/printjob.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/job_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERE 0x01

static const char *value_of(const struct store_record *job, const char *attr)
{
    for (size_t i = 0; i < job->n; i++)
        if (strcmp(job->changes[i].attr, attr) == 0)
            return job->changes[i].after;
    return NULL;
}

static int64_t number_of(const struct store_record *job, const char *attr)
{
    const char *value = value_of(job, attr);

    return value ? strtoll(value, NULL, 10) : 0;
}

static size_t length(const struct wire_attr *a)
{
    return strlen(a->name) + (a->resource ? 1 + strlen(a->resource) : 0);
}

/* Short names first, and those of one length as the bytes are (the order in which PBS's
 * own store delivers them). */
static int by_length(const void *x, const void *y)
{
    const struct wire_attr *a = x, *b = y;
    size_t m = length(a), n = length(b);
    int order = strcmp(a->name, b->name);

    if (m != n)
        return m < n ? -1 : 1;
    return order
               ? order
               : strcmp(a->resource ? a->resource : "", b->resource ? b->resource : "");
}

/* What a client could be shown; names that begin so are the server's own. */
static bool is_shown(const char *attr)
{
    return strncmp(attr, "hf_", 3) != 0;
}

static void show_sorted(const struct store_record *job)
{
    struct arena *arena = arena_new();
    struct wire_attrs attrs = { 0 };

    for (size_t i = 0; i < job->n; i++) {
        const struct store_change *c = &job->changes[i];

        if (is_shown(c->attr))
            wire_attrs_add(&attrs, arena, c->attr, *c->resource ? c->resource : NULL,
                           c->after, WIRE_OP_SET);
    }
    if (attrs.n)
        qsort(attrs.v, attrs.n, sizeof(*attrs.v), by_length);
    show_attrs(&attrs);
    arena_free(arena);
}

void show_stored(const struct store_record *job, bool with_attrs)
{
    const char *state = value_of(job, "job_state"), *queue = value_of(job, "queue");
    const struct shown_job head = {
        .id = job->id,
        .letter = state ? *state : 'T',
        .substate = number_of(job, "substate"),
        .flags = HERE,
        .stime = number_of(job, "stime"),
        .obittime = number_of(job, "obittime"),
        .file_base = "",
        .queue = queue ? queue : "",
    };

    show_head(&head);
    printf("union type exec:\n\texits\t%lld\n",
           (long long)number_of(job, "Exit_status"));
    if (with_attrs)
        show_sorted(job);
}

bool show_script(const struct store_record *job)
{
    const char *text = value_of(job, "hf_script"), *bytes;
    struct arena *arena;
    size_t len;

    if (!text)
        return false;
    arena = arena_new();
    bytes = script_from_text(text, arena, &len);
    printf("---------------------------------------------------\n"
           "Jobscript for jobid:%s\n"
           "---------------------------------------------------\n",
           job->id);
    fwrite(bytes, 1, len, stdout);
    if (len && bytes[len - 1] != '\n')
        putchar('\n');
    arena_free(arena);
    return true;
}
