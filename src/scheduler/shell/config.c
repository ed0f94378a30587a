/* config.c - sched_config from its file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next line without its end; one that ends in a backslash goes on in the next. */
static bool read_line(FILE *f, struct buf *line, int *number)
{
    int c;

    buf_clear(line);
    buf_add_str(line, "");
    ++*number;
    while ((c = getc(f)) != EOF) {
        if (c != '\n') {
            buf_add_char(line, (char)c);
            continue;
        }
        if (line->len == 0 || line->data[line->len - 1] != '\\')
            return true;
        line->data[--line->len] = '\0';
        ++*number;
    }
    return line->len > 0;
}

void shell_read_config(struct shell *sh)
{
    char *path = xasprintf("%s/sched_config", sh->priv_dir);
    FILE *f = fopen(path, "re");
    struct buf line = { 0 };
    int number = 0;

    policy_free(sh->policy);
    sh->policy = policy_new();
    if (!f)
        logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_FILE, "sched_config",
                      "Can not open file: sched_config");
    while (f && read_line(f, &line, &number)) {
        struct diag why;

        if (!policy_line(sh->policy, line.data ? line.data : "", &why))
            logfile_printf(sh->log, LOG_EV_SCHED, LOG_IN_FILE, "sched_config",
                           "Error reading line %d: %s", number, why.text);
    }
    buf_fini(&line);
    if (f)
        fclose(f);
    free(path);
}
