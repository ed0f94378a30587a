/* limits.c - limits per entity are judged before they travel (cli.md 8.2,
 * attributes.md 5). What a limit's number may be is the server's to say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/grammar.h"

#include <string.h>
#include <strings.h>

/* What no name of a user, group or project can have (attributes.md 5). */
#define NOT_IN_NAMES "/[]\";:|<>+,?*"

bool qmgr_is_limit(const char *attr)
{
    static const char *const names[] = {
        "max_run",
        "max_run_res",
        "max_run_soft",
        "max_run_res_soft",
        "max_queued",
        "max_queued_res",
        "queued_jobs_threshold",
        "queued_jobs_threshold_res",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(attr, names[i]) == 0)
            return true;
    return false;
}

/* What is left to read. A value may stand within a longer line, so its end is no NUL
 * byte. */
struct range {
    const char *at, *end;
};

static void skip_blanks(struct range *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static bool at_char(const struct range *r, char c)
{
    return r->at < r->end && *r->at == c;
}

/* The name at r->at, quoted or not: [*name, *name + *len). */
static bool take_name(struct range *r, const char **name, size_t *len)
{
    const char *start = r->at, *stop;
    bool quoted = at_char(r, '"') || at_char(r, '\'');

    *name = start + (quoted ? 1 : 0);
    for (stop = *name; stop < r->end; stop++)
        if (quoted ? *stop == *start : strchr(" \t=]", *stop) != NULL)
            break;
    *len = (size_t)(stop - *name);
    for (r->at = *name; r->at < stop; r->at++)
        if (strchr(NOT_IN_NAMES, *r->at))
            return false;
    if (quoted && stop == r->end)
        return false;
    r->at = stop + (quoted ? 1 : 0);
    return *len > 0;
}

/* The name PBS_ALL goes with the kind "o" only, and "o" with that name only. */
static bool fits_kind(char kind, const char *name, size_t len)
{
    return (kind == 'o') == (len == 7 && memcmp(name, "PBS_ALL", 7) == 0);
}

/* One "[kind:name=value]"; false with r->at at the mistake. */
static bool take_entry(struct range *r)
{
    const char *name;
    size_t len;
    char kind;

    if (!at_char(r, '['))
        return false;
    r->at++;
    skip_blanks(r);
    if (r->at == r->end || !strchr("ugpo", *r->at))
        return false;
    kind = *r->at++;
    if (!at_char(r, ':'))
        return false;
    r->at++;
    if (!take_name(r, &name, &len))
        return false;
    if (!fits_kind(kind, name, len)) {
        /* The caret stands under the last character of the name (cli.md 8.3). */
        r->at = name + len - 1;
        return false;
    }
    skip_blanks(r);
    /* An entry without a value names what "-=" takes away, so it passes here; that
     * "set" needs one is the server's to say. */
    if (at_char(r, '=')) {
        r->at++;
        skip_blanks(r);
        if (at_char(r, '-') || at_char(r, ']'))
            return false;
        while (r->at < r->end && !strchr(" \t]", *r->at))
            r->at++;
        skip_blanks(r);
    }
    if (!at_char(r, ']'))
        return false;
    r->at++;
    return true;
}

const char *qmgr_limit_mistake(const char *text, size_t len)
{
    struct range r = { text, text + len };

    for (;;) {
        skip_blanks(&r);
        if (!take_entry(&r))
            return r.at;
        skip_blanks(&r);
        if (r.at == r.end)
            return NULL;
        if (!at_char(&r, ','))
            return r.at;
        r.at++;
    }
}

/* Up to the ']' that is in no quotes, or to the end: an entry that is not closed is
 * judged as a whole, and the caret stands behind it. */
static size_t entry_len(const char *text)
{
    char quote = '\0';
    size_t n = 0;

    for (; text[n]; n++) {
        if (quote)
            quote = text[n] == quote ? '\0' : quote;
        else if (text[n] == '"' || text[n] == '\'')
            quote = text[n];
        else if (text[n] == ']')
            return n + 1;
    }
    return n;
}

size_t qmgr_limit_len(const char *text)
{
    size_t len = 0, more = 0;

    do {
        if (text[len + more] != '[')
            break;
        len += more;
        len += entry_len(text + len);
        more = strspn(text + len, " \t");
        if (text[len + more] != ',')
            break;
        more++;
        more += strspn(text + len + more, " \t");
    } while (true);
    return len;
}
