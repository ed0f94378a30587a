/* verify.c - see verify.h.
 *
 * What a value may be is said by the rows of lib/attr, the same that the server asks.
 * The lists of paths and users have one more rule, which only clients apply: a host
 * stands in them once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/verify.h"

#include "lib/attr/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_LEN_MAX 230

static bool is_name(const char *attr)
{
    return strcasecmp(attr, "Job_Name") == 0 || strcasecmp(attr, "Reserve_Name") == 0;
}

/* Only what is no value at all is judged here; other faults (a name twice in a list)
 * have answers of the server's own. */
static bool fits_row(const struct attr_row *row, const char *text)
{
    struct attr_value v = { 0 };
    struct diag why;
    int err = attr_value_set(row->type, &v, NULL, NULL, text, WIRE_OP_SET);

    if (!err && row->check)
        err = row->check(&v, &why);
    attr_value_unset(row->type, &v, NULL);
    return err != PBSE_BADATVAL;
}

/* The host of a piece "x[@host]" of a list; *len is 0 when it names none. */
static const char *host_of(const char *piece, size_t *len)
{
    size_t all = strcspn(piece, ",");
    const char *mark = memchr(piece, '@', all);

    *len = mark ? (size_t)(piece + all - (mark + 1)) : 0;
    return mark ? mark + 1 : "";
}

static bool host_stood_before(const char *list, const char *piece)
{
    size_t len, other_len;
    const char *host = host_of(piece, &len);

    for (const char *p = list; p < piece; p += strcspn(p, ",") + 1) {
        const char *other = host_of(p, &other_len);

        if (len == other_len && strncasecmp(host, other, len) == 0)
            return true;
    }
    return false;
}

/* "x[@host],...", each host (and none) once; 'absolute': every x begins with '/'. */
static bool is_list_by_host(const char *text, bool absolute)
{
    const char *p = text;

    for (;; p++) {
        if (*p == '\0' || *p == ',' || *p == '@' || (absolute && *p != '/') ||
            host_stood_before(text, p))
            return false;
        p += strcspn(p, ",");
        if (*p == '\0')
            return true;
    }
}

static bool fits_list_rule(const char *attr, const char *text)
{
    if (strcasecmp(attr, "Shell_Path_List") == 0)
        return is_list_by_host(text, true);
    if (strcasecmp(attr, "User_List") == 0 || strcasecmp(attr, "group_list") == 0)
        return is_list_by_host(text, false);
    return true;
}

/* The option of an attribute, '\0' when it has none but -W. */
static char letter_of(const char *attr, const struct cmd_option *map, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(attr, map[i].attr) == 0)
            return map[i].letter;
    return '\0';
}

bool cmd_verify(const char *cmd, const struct attr_table *table,
                const struct attropl *list, const struct cmd_option *map, size_t n,
                const char *usage)
{
    for (const struct attropl *a = list; a; a = a->next) {
        int row = attr_find(table, a->name);
        char letter = letter_of(a->name, map, n);

        /* What came by -W alone is the server's to judge. */
        if (row < 0 || !letter || attr_type_has_members(table->rows[row].type))
            continue;
        if (is_name(a->name) && strlen(a->value) > NAME_LEN_MAX) {
            fprintf(stderr, "%s: %s name is too long \n", cmd,
                    strcasecmp(a->name, "Job_Name") == 0 ? "Job" : "Reservation");
            return false;
        }
        if (fits_row(&table->rows[row], a->value) && fits_list_rule(a->name, a->value))
            continue;
        fprintf(stderr, "%s: illegal -%c value\n%s", cmd, letter, usage);
        return false;
    }
    return true;
}
