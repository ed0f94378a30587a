/* show.c - the lines that both forms have (operations.md 25).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/printjob/printjob.h"

#include "cmds/common/cell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char line[] = "---------------------------------------------------";

/* The numbers of states, in their order. */
static const char letters[] = "TQHWREXBMF";

static unsigned state_number(char letter)
{
    const char *at = letter ? strchr(letters, letter) : NULL;

    return at ? (unsigned)(at - letters) : 0;
}

static void show_number(const char *name, int64_t n)
{
    printf("%s:\t0x%" PRIx64 " (%" PRId64 ")\n", name, (uint64_t)n, n);
}

void show_head(const struct shown_job *j)
{
    printf("%s\njobid:\t%s\n%s\n", line, j->id, line);
    printf("state:\t\t0x%x\n", state_number(j->letter));
    show_number("substate", j->substate);
    show_number("svrflgs", j->flags);
    printf("stime:\t\t%" PRId64 "\nobittime:\t\t%" PRId64 "\n", j->stime, j->obittime);
    printf("file base:\t%s\nqueue:\t\t%s\n", j->file_base, j->queue);
}

void show_attrs(const struct wire_attrs *attrs)
{
    printf("--attributes--\n");
    for (size_t i = 0; i < attrs->n; i++) {
        const struct wire_attr *a = &attrs->v[i];
        const char *resource = a->resource ? a->resource : "";

        printf("%s%s%s = ", a->name, *resource ? "." : "", resource);
        print_visible(a->value);
        putchar('\n');
    }
    printf("\n");
}
