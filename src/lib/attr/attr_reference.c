/* attr_reference.c - prints the reference of all attributes, or of one table
 * ("attr_reference job"), from the tables that the daemons run by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/row.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct attr_table *const tables[] = {
        &server_table, &queue_table, &node_table, &resv_table,
        &job_table,    &sched_table, &hook_table,
    };
    struct buf out = { 0 };
    int status;

    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        if (argc > 1 && strcmp(argv[1], tables[i]->kind) != 0)
            continue;
        if (out.len > 0)
            buf_add_char(&out, '\n');
        attr_table_print(tables[i], &out);
    }
    status = out.len > 0 && fwrite(out.data, out.len, 1, stdout) == 1 ? 0 : 1;
    buf_fini(&out);
    return fflush(stdout) ? 1 : status;
}
