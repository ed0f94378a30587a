/* row.c - finding an attribute by name, and the printed reference of a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/row.h"

#include <strings.h>

int attr_find(const struct attr_table *t, const char *name)
{
    /* Rows stand in the order of replies, so the search halves an index of them by
     * name. Internal rows are not in it: no client may name one. */
    size_t lo = 0, hi = t->n_order;

    MUST(name && t->n_order <= t->n);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int cmp = strcasecmp(name, t->rows[t->order[mid]].name);

        if (cmp == 0)
            return t->order[mid];
        if (cmp < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return -1;
}

int attr_find_any(const struct attr_table *t, const char *name)
{
    int found = attr_find(t, name);

    /* Internal rows are few and stand together at the end. */
    for (size_t i = t->n; found < 0 && i-- > 0 && t->rows[i].flags & ATTR_INTERNAL;)
        if (strcasecmp(name, t->rows[i].name) == 0)
            found = (int)i;
    MUST(found < (int)t->n); /* -1, or a row of the table */
    return found;
}

static void print_who(const char *label, uint16_t who, struct buf *out)
{
    static const struct {
        uint16_t bit;
        const char *name;
    } names[] = {
        { WHO_USER, "user" },
        { WHO_OPERATOR, "operator" },
        { WHO_MANAGER, "manager" },
        { WHO_DAEMON, "daemon" },
    };
    const char *sep = " ";

    buf_add_str(out, label);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!(who & names[i].bit))
            continue;
        buf_printf(out, "%s%s", sep, names[i].name);
        sep = ", ";
    }
    buf_add_str(out, who ? "\n" : " nobody\n");
}

void attr_table_print(const struct attr_table *t, struct buf *out)
{
    buf_printf(out, "Attributes of a %s\n", t->kind);
    for (size_t i = 0; i < t->n; i++) {
        const struct attr_row *row = &t->rows[i];

        /* The reference is for administrators, who never see these. */
        if (row->flags & ATTR_INTERNAL)
            continue;
        buf_printf(out, "\n%s (%s)\n    %s\n", row->name, row->type->name, row->doc);
        if (row->dflt)
            buf_printf(out, "    default: %s\n", row->dflt);
        print_who("    read by:", row->read, out);
        print_who("    written by:", row->write, out);
    }
}
