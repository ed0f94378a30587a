/* operand.c - see operand.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/operand.h"

#include "cmds/common/cmd.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SEQ_DIGITS_MAX   12
#define SERVER_CHARS_MAX 262
#define QUEUE_CHARS_MAX  15
#define INDEX_DIGITS_MAX 9

/* A server name at *p up to '@' or the end, into 'out'. */
static bool take_server(const char **p, char out[OPERAND_MAX])
{
    size_t len = 0;

    while ((*p)[len] && (*p)[len] != '@' && (*p)[len] != '#' &&
           isgraph((unsigned char)(*p)[len]))
        len++;
    if (len == 0 || len > SERVER_CHARS_MAX)
        return false;
    memcpy(out, *p, len);
    out[len] = '\0';
    *p += len;
    return true;
}

/* Is this the default server, which 'dflt' names with or without a port? */
static bool is_default(const char *named, const char *dflt)
{
    size_t host_len = strcspn(dflt, ":");

    return strcasecmp(named, dflt) == 0 ||
           (strlen(named) == host_len && strncasecmp(named, dflt, host_len) == 0);
}

/* The parts after the number: ".server" and "@server". */
static bool take_tail(const char *p, size_t head_len, const char *head,
                      char id[OPERAND_MAX], char server[OPERAND_MAX])
{
    char named[OPERAND_MAX] = "";
    const char *dflt = pbs_default();

    server[0] = '\0';
    if (*p == '.') {
        p++;
        if (!take_server(&p, named))
            return false;
    }
    if (*p == '@') {
        p++;
        if (!take_server(&p, server))
            return false;
    }
    if (*p != '\0')
        return false;
    if (named[0] == '\0') {
        if (!dflt)
            return false;
        snprintf(named, sizeof(named), "%.*s", (int)strcspn(dflt, ":"), dflt);
    } else if (server[0] == '\0' && dflt && !is_default(named, dflt)) {
        /* An id that names its server is taken there; a server behind '@' goes before
         * it (cli.md 1.3). */
        snprintf(server, OPERAND_MAX, "%s", named);
    }
    return snprintf(id, OPERAND_MAX, "%.*s.%s", (int)head_len, head, named) <
           OPERAND_MAX;
}

bool operand_job(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX])
{
    const char *head = text + strspn(text, " \t");
    size_t digits = strspn(head, "0123456789");
    const char *p = head + digits;

    if (digits == 0 || digits > SEQ_DIGITS_MAX)
        return false;
    if (*p == '[') {
        p += 1 + strspn(p + 1, "0123456789-:");
        if (*p++ != ']')
            return false;
    }
    return take_tail(p, (size_t)(p - head), head, id, server);
}

/* "[3]" or "[]" at *p, if there is one. */
static bool take_index(const char **p, int *ret)
{
    size_t digits;

    *ret = OPERAND_WHOLE;
    if (**p != '[')
        return true;
    digits = strspn(*p + 1, "0123456789");
    if (digits > INDEX_DIGITS_MAX || (*p)[1 + digits] != ']' || (*p)[1] == '0')
        return false;
    *ret = digits ? (int)strtol(*p + 1, NULL, 10) : OPERAND_ALL;
    *p += digits + 2;
    return true;
}

bool operand_occurrence(const char *text, char id[OPERAND_MAX],
                        char server[OPERAND_MAX], int *ret)
{
    const char *head = text + strspn(text, " \t");
    const char *p;
    size_t digits;

    /* strchr() finds the end of its text, too, so an empty operand is asked for first.
     */
    if (*head == '\0' || !strchr("RSM", *head))
        return false;
    digits = strspn(head + 1, "0123456789");
    if (digits == 0 || digits > SEQ_DIGITS_MAX)
        return false;
    p = head + 1 + digits;
    return take_index(&p, ret) && take_tail(p, 1 + digits, head, id, server);
}

bool operand_resv(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX])
{
    int index;

    return operand_occurrence(text, id, server, &index) && index == OPERAND_WHOLE;
}

bool operand_destination(const char *text, char queue[OPERAND_MAX],
                         char server[OPERAND_MAX])
{
    size_t len = strcspn(text, "@");

    queue[0] = server[0] = '\0';
    if (len > QUEUE_CHARS_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isgraph((unsigned char)text[i]) || text[i] == '#')
            return false;
    memcpy(queue, text, len);
    queue[len] = '\0';
    if (text[len] == '\0')
        return true;
    text += len + 1;
    return take_server(&text, server) && *text == '\0';
}
