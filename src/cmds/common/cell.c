/* cell.c - see cell.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cell.h"

#include "lib/base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four digits and the first letter of the unit fill the column (cli.md 4.4). */
#define LARGEST_NUMBER 9999
#define WIDTH          5

/* The unit at index n stands for 1024 to the power of n. The last one has no letter. */
static const char units[] = "bkmgtp?";

const char *cell_or(const char *value, const char *missing)
{
    return value && *value ? value : missing;
}

const char *cell_cut(char out[CELL_MAX], const char *text, size_t width)
{
    MUST(width > 0 && width < CELL_MAX);
    snprintf(out, CELL_MAX, "%.*s", (int)width, text);
    if (strlen(text) > width)
        out[width - 1] = '*';
    return out;
}

/* The quotient, rounded up: a job that asked for something is never shown with 0. */
static unsigned long long divide(unsigned long long n, unsigned by)
{
    return n / by + (n % by != 0);
}

void cell_size(char out[CELL_MAX], const char *value, enum cell_size size)
{
    const size_t last = sizeof(units) - 2;
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    size_t step = unit ? (size_t)(unit - units) : 0;
    size_t want = size == SIZE_GB ? 3 : size == SIZE_MW ? 2 : step;
    char kind = *end && strchr(end, 'w') ? 'w' : 'b';

    /* The bound keeps the product within 64 bits; a number beyond it stays in its
     * larger unit. */
    for (; step > want && n < (1ULL << 53); step--)
        n *= 1024;
    /* A word has 8 bytes. */
    if (size == SIZE_MW && kind == 'b') {
        n = divide(n, 8);
        kind = 'w';
    } else if (size == SIZE_GB && kind == 'w' && n < (1ULL << 60)) {
        n *= 8;
        kind = 'b';
    }
    for (; step < want; step++)
        n = divide(n, 1024);
    /* A number too long for the column goes on to larger units, up to the last one. */
    for (; n > LARGEST_NUMBER && step < last; step++)
        n = divide(n, 1024);
    snprintf(out, CELL_MAX, "%llu%c%c", n, step ? units[step] : ' ', kind);
    out[MIN_OF(strlen(out), (size_t)WIDTH)] = '\0';
}

/* Only what is below a blank is replaced: PBS prints byte 127 as it is (cli.md 10.3).
 */
void print_visible_char(char c)
{
    if ((unsigned char)c < ' ' && c != '\n' && c != '\t')
        printf("^%c", c + '@');
    else
        putchar(c);
}

void print_visible(const char *text)
{
    char *own = xstrdup(text);

    printable_text(own);
    for (const char *p = own; *p; p++)
        print_visible_char(*p);
    free(own);
}

void cells_make_printable(struct batch_status *objects)
{
    for (; objects; objects = objects->next) {
        printable_cell(objects->name);
        for (struct attrl *a = objects->attribs; a; a = a->next)
            printable_cell(a->value);
    }
}
