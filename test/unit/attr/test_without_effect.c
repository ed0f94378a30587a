/* test_without_effect.c - doc/attributes-without-effect.md names attributes that exist.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/sched_attrs.h"
#include "lib/attr/server_attrs.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *heading;
    const struct attr_table *table;
} parts[] = {
    { "## Server", &server_table }, { "## Queues", &queue_table },
    { "## Vnodes", &node_table },   { "## Schedulers", &sched_table },
    { "## Jobs", &job_table },      { "## Reservations", &resv_table },
};

static const struct attr_table *part_of(const char *line)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strncmp(line, parts[i].heading, strlen(parts[i].heading)) == 0)
            return parts[i].table;
    return NULL;
}

/* The names between backquotes in the first column: each is there, and somebody other
 * than a daemon may set it. */
static size_t check_row(const struct attr_table *table, char *line)
{
    char *end = strchr(line + 1, '|');
    size_t n = 0;

    if (end)
        *end = '\0';
    for (char *name = strchr(line, '`'); name; name = strchr(name, '`')) {
        char *last = strchr(++name, '`');
        int attr;

        if (!last)
            break;
        *last = '\0';
        attr = attr_find(table, name);
        if (attr < 0 || !(table->rows[attr].write & ~WHO_DAEMON))
            printf("%s: no such attribute of a %s\n", name, table->kind);
        CU_ASSERT(attr >= 0 && (table->rows[attr].write & ~WHO_DAEMON));
        n++;
        name = last + 1;
    }
    return n;
}

static void what_is_listed_is_an_attribute(void)
{
    FILE *f = fopen(THE_PAGE, "r");
    const struct attr_table *table = NULL;
    char line[1024];
    size_t n = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while (fgets(line, sizeof(line), f)) {
        if (strncmp(line, "## ", 3) == 0)
            table = part_of(line);
        else if (table && strncmp(line, "| `", 3) == 0)
            n += check_row(table, line);
    }
    fclose(f);
    CU_ASSERT_TRUE(n > 40);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what is listed is an attribute", what_is_listed_is_an_attribute },
    };

    return unit_main("without effect", cases, 1);
}
