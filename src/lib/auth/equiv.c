/* equiv.c - see equiv.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/equiv.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* A word of a line; not terminated. */
struct word {
    const char *text;
    size_t len; /* 0: there is none */
};

static struct word next_word(const char **p, const char *end)
{
    struct word w;

    while (*p < end && (**p == ' ' || **p == '\t' || **p == '\r'))
        ++*p;
    w.text = *p;
    while (*p < end && **p != ' ' && **p != '\t' && **p != '\r')
        ++*p;
    w.len = (size_t)(*p - w.text);
    return w;
}

static bool is_word(struct word w, const char *text)
{
    return w.len == strlen(text) && memcmp(w.text, text, w.len) == 0;
}

/* Is it the first label of 'host', and is that in the domain of this host? */
static bool is_short_name(struct word w, const struct equiv_asks *asks)
{
    size_t label = strcspn(asks->host, ".");
    size_t own_label = strcspn(asks->own_host, ".");

    return w.len == label && strncasecmp(w.text, asks->host, label) == 0 &&
           strcasecmp(asks->host + label, asks->own_host + own_label) == 0;
}

static bool is_host(struct word w, const struct equiv_asks *asks)
{
    size_t len = strlen(asks->host);

    if (w.len == len && strncasecmp(w.text, asks->host, len) == 0)
        return true;
    return w.len > 0 && !memchr(w.text, '.', w.len) && is_short_name(w, asks);
}

static struct word rest(struct word w)
{
    return (struct word){ w.text + 1, w.len - 1 };
}

/* What the first word says of the host. */
static enum equiv_word of_host(struct word w, const struct equiv_asks *asks)
{
    if (w.len > 1 && (*w.text == '-' || *w.text == '+') && w.text[1] == '@')
        return *w.text == '-' ? EQUIV_NO : EQUIV_SILENT;
    if (*w.text == '-')
        return is_host(rest(w), asks) ? EQUIV_NO : EQUIV_SILENT;
    return is_word(w, "+") || is_host(w, asks) ? EQUIV_YES : EQUIV_SILENT;
}

/* What the second word says of the user, of a host that the first one is about. */
static enum equiv_word of_user(struct word w, const struct equiv_asks *asks)
{
    if (w.len == 0)
        return strcmp(asks->user, asks->account) == 0 ? EQUIV_YES : EQUIV_SILENT;
    if (w.len > 1 && (*w.text == '-' || *w.text == '+') && w.text[1] == '@')
        return *w.text == '-' ? EQUIV_NO : EQUIV_SILENT;
    if (*w.text == '-')
        return is_word(rest(w), asks->user) ? EQUIV_NO : EQUIV_SILENT;
    return is_word(w, "+") || is_word(w, asks->user) ? EQUIV_YES : EQUIV_SILENT;
}

static enum equiv_word of_line(const char *p, const char *end, bool of_site,
                               const struct equiv_asks *asks)
{
    struct word host = next_word(&p, end), user = next_word(&p, end);
    enum equiv_word word;

    /* A line with more words is none of this form. */
    if (host.len == 0 || next_word(&p, end).len > 0)
        return EQUIV_SILENT;
    word = of_host(host, asks);
    if (word == EQUIV_YES)
        word = of_user(user, asks);
    if (word == EQUIV_YES && of_site && strcmp(asks->user, asks->account) != 0)
        return EQUIV_SILENT;
    return word;
}

enum equiv_word equiv_read(const char *text, size_t len, bool of_site,
                           const struct equiv_asks *asks)
{
    enum equiv_word word = EQUIV_SILENT;
    const char *end = text + len;

    while (word == EQUIV_SILENT && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline ? newline : end;
        const char *comment = memchr(text, '#', (size_t)(line_end - text));

        word = of_line(text, comment ? comment : line_end, of_site, asks);
        text = newline ? newline + 1 : end;
    }
    return word;
}
