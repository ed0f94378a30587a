/* Fuzz target: attributes by name with their own checks, as a request sets them. A line
 * is "KIND name text" or "KIND name.resource text"; KIND is a letter from 'r'.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"
#include "lib/attr/row.h"
#include "lib/base/arena.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static const struct attr_table *const tables[] = {
    &resv_table, &job_table,   &queue_table, &server_table,
    &node_table, &sched_table, &hook_table,
};

static struct resource_defs *defs;

static void try(const struct attr_row *row, const char *resource, const char *text,
                struct arena *arena)
{
    struct attr_value v = { 0 };
    struct diag why = { 0 };

    if (attr_value_set(row->type, &v, defs, resource, text, WIRE_OP_SET) == 0 &&
        v.set && row->check) {
        int code = row->check(&v, &why);

        FUZZ_CHECK(code == 0 || code == why.code);
    }
    if (v.set && !attr_type_has_members(row->type))
        FUZZ_CHECK(attr_value_text(row->type, &v, arena) != NULL);
    row->type->clear(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const struct attr_table *table;
    struct arena *arena;
    char *text, *at, *name, *resource;
    int i;

    if (len < 3)
        return 0;
    if (!defs)
        defs = resource_defs_new();
    table = tables[(uint8_t)(data[0] - 'r') % ARRAY_LEN(tables)];
    at = text = fuzz_text(data + 2, len - 2);
    resource = strsep(&at, " ");
    name = strsep(&resource, ".");
    i = attr_find(table, name);
    arena = arena_new();
    if (i >= 0 && at)
        try(&table->rows[i], resource, at, arena);
    FUZZ_CHECK(i < (int)table->n && attr_find_any(table, name) >= i);
    arena_free(arena);
    free(text);
    return 0;
}
