/* cpu_list.c - see cpu_list.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/cpu_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct cpu_list *l, size_t i)
{
    return l->bits[i / 64] >> (i % 64) & 1;
}

/* One number, and what follows it. */
static bool take_number(const char **at, size_t *ret)
{
    char *end;
    unsigned long n;

    if (!isdigit((unsigned char)**at))
        return false;
    n = strtoul(*at, &end, 10);
    *at = end;
    *ret = n;
    return n < CPU_LIST_MAX;
}

/* "3" or "3-5", and what follows it. */
static bool take_range(const char **at, struct cpu_list *into)
{
    size_t first, last;

    if (!take_number(at, &first))
        return false;
    last = first;
    if (**at == '-') {
        ++*at;
        if (!take_number(at, &last) || last < first)
            return false;
    }
    for (size_t i = first; i <= last; i++)
        into->bits[i / 64] |= UINT64_C(1) << (i % 64);
    return true;
}

bool cpu_list_parse(const char *text, struct cpu_list *ret)
{
    *ret = (struct cpu_list){ 0 };
    text += strspn(text, " \n");
    if (!*text)
        return true;
    while (take_range(&text, ret)) {
        if (*text != ',')
            return text[strspn(text, " \n")] == '\0';
        text++;
    }
    return false;
}

void cpu_list_subtract(struct cpu_list *from, const struct cpu_list *less)
{
    for (size_t i = 0; i < ARRAY_LEN(from->bits); i++)
        from->bits[i] &= ~less->bits[i];
}

void cpu_list_add(struct cpu_list *to, const struct cpu_list *more)
{
    for (size_t i = 0; i < ARRAY_LEN(to->bits); i++)
        to->bits[i] |= more->bits[i];
}

int64_t cpu_list_count(const struct cpu_list *l)
{
    int64_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(l->bits); i++)
        n += __builtin_popcountll(l->bits[i]);
    return n;
}

bool cpu_list_first(struct cpu_list *l, int64_t n)
{
    struct cpu_list kept = { 0 };

    MUST(n > 0);
    for (size_t i = 0; i < CPU_LIST_MAX && n > 0; i++) {
        if (!has(l, i))
            continue;
        kept.bits[i / 64] |= UINT64_C(1) << (i % 64);
        n--;
    }
    if (n > 0)
        return false;
    *l = kept;
    return true;
}

bool cpu_list_print(const struct cpu_list *l, char *text, size_t size)
{
    size_t len = 0;

    MUST(size > 0);
    text[0] = '\0';
    for (size_t i = 0, last; i < CPU_LIST_MAX && len < size; i = last + 1) {
        last = i;
        if (!has(l, i))
            continue;
        while (last + 1 < CPU_LIST_MAX && has(l, last + 1))
            last++;
        len += (size_t)snprintf(text + len, size - len, "%s%zu", len ? "," : "", i);
        if (last > i && len < size)
            len += (size_t)snprintf(text + len, size - len, "-%zu", last);
    }
    return len < size;
}
