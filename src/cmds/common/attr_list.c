/* attr_list.c - see attr_list.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"

#include "lib/base/buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Letter case does not matter. An entry without a resource is never the same as one
 * that has a resource. */
static bool same_entry(const struct attropl *a, const char *name, const char *resource)
{
    if (strcasecmp(a->name, name) != 0)
        return false;
    if (!a->resource || !resource)
        return !a->resource && !resource;
    return strcasecmp(a->resource, resource) == 0;
}

/* A later value replaces an earlier one of the same entry in its place, so the list
 * keeps the order in which the entries were first named. */
void attrs_set(struct attropl **list, const char *name, const char *resource,
               const char *value)
{
    for (; *list; list = &(*list)->next) {
        if (same_entry(*list, name, resource)) {
            free((*list)->value);
            (*list)->value = xstrdup(value);
            return;
        }
    }
    *list = xcalloc(1, sizeof(**list));
    (*list)->name = xstrdup(name);
    (*list)->resource = resource ? xstrdup(resource) : NULL;
    (*list)->value = xstrdup(value);
    (*list)->op = SET;
}

struct attropl *attrs_copy(const struct attropl *list)
{
    struct attropl *copy = NULL, **end = &copy;

    for (; list; list = list->next, end = &(*end)->next) {
        *end = xcalloc(1, sizeof(**end));
        (*end)->name = xstrdup(list->name);
        (*end)->resource = list->resource ? xstrdup(list->resource) : NULL;
        (*end)->value = xstrdup(list->value);
        (*end)->op = list->op;
    }
    return copy;
}

void attrs_free(struct attropl *list)
{
    while (list) {
        struct attropl *next = list->next;

        free(list->name);
        free(list->resource);
        free(list->value);
        free(list);
        list = next;
    }
}

const char *attrs_get(const struct attropl *list, const char *name,
                      const char *resource)
{
    for (; list; list = list->next)
        if (same_entry(list, name, resource))
            return list->value;
    return NULL;
}

/* Why a value of -l is no value. A plain mistake has no words and no caret: only what
 * is wrong inside a value is explained by its place (cli.md 1.10). */
enum value_mistake {
    VALUE_OK,
    VALUE_PLAIN,
    VALUE_CHARACTER,
    VALUE_OPEN_QUOTE,
};

static const char *const mistake_words[] = {
    [VALUE_CHARACTER] = "illegal character",
    [VALUE_OPEN_QUOTE] = "no closing quote",
};

/* Read a value up to an unquoted comma or blank; *at moves behind it, or to the place
 * of the mistake. */
static enum value_mistake read_value(const char **at, struct buf *out)
{
    const char *p = *at;
    char quote = 0;

    for (; *p; p++) {
        /* The place is noted first, since the caller puts a caret under a refused
         * character. An '&' is refused inside quotes too. */
        *at = p;
        if (*p == '&' || !isprint((unsigned char)*p))
            return VALUE_CHARACTER;
        if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (!quote && (*p == ',' || isspace((unsigned char)*p)))
            break;
        else
            buf_add_char(out, *p);
    }
    *at = p;
    return quote ? VALUE_OPEN_QUOTE : VALUE_OK;
}

/* One "name[=value]" at *at into 'list'; *at moves to the comma or the end. A blank or
 * a line end within the name ends it, and what stands between there and the '=' is
 * dropped (cli.md 1.10). */
static enum value_mistake read_resource(const char **at, struct attropl **list)
{
    struct buf value = { 0 };
    enum value_mistake bad = VALUE_OK;
    const char *p = *at + strspn(*at, " \t");
    size_t len = strcspn(p, "=,");
    size_t name_len = strcspn(p, "=, \t\n");
    char *name;

    *at = p + len;
    /* No '&' stands anywhere in the option. */
    if (name_len == 0 || memchr(p, '&', name_len))
        return VALUE_PLAIN;
    name = xstrndup(p, name_len);
    if (**at == '=') {
        *at += 1;
        *at += strspn(*at, " \t");
        /* The value of preempt_targets has commas of its own, so it is all of the
         * rest. */
        if (strcasecmp(name, "preempt_targets") == 0) {
            buf_add_str(&value, *at);
            *at += strlen(*at);
        } else {
            bad = read_value(at, &value);
        }
    }
    /* A name alone is sent with an empty value: only the server knows for which
     * resources that means something (cli.md 1.10). */
    if (bad == VALUE_OK) {
        *at += strspn(*at, " \t");
        attrs_set(list, "Resource_List", name, value.data ? value.data : "");
    }
    buf_fini(&value);
    free(name);
    return bad;
}

bool attrs_add_resources(struct attropl **list, const char *cmd, const char *text)
{
    const char *at = text;
    enum value_mistake bad = VALUE_OK;

    while (*at && bad == VALUE_OK) {
        bad = read_resource(&at, list);
        /* A blank without a comma behind it ends the whole list, and nothing is said
         * about the rest: clients of PBS have always done so, and scripts with such
         * lists must go on to be accepted (cli.md 1.10). */
        if (bad != VALUE_OK || *at != ',')
            break;
        /* Nothing follows the last comma: that is a mistake, not an empty entry. */
        at++;
        if (*at == '\0')
            bad = VALUE_PLAIN;
    }
    if (bad == VALUE_OK)
        return true;
    fprintf(stderr, "%s: illegal -l value\n", cmd);
    if (bad != VALUE_PLAIN)
        fprintf(stderr, " %s:\n%s\n%*s^\n", mistake_words[bad], text, (int)(at - text),
                "");
    return false;
}

void variable_add(struct buf *out, const char *name, const char *value,
                  const char *special)
{
    if (out->len > 0)
        buf_add_char(out, ',');
    buf_printf(out, "%s=", name);
    for (; *value; value++) {
        if (strchr(special, *value))
            buf_add_char(out, '\\');
        buf_add_char(out, *value);
    }
}

/* The end of an unquoted value: the last comma before the next '=', or the end. So
 * lists like "group_list=a,b" need no quotes (cli.md 1.11). */
static size_t plain_value_len(const char *p)
{
    const char *equals = strchr(p, '=');
    size_t len = equals ? (size_t)(equals - p) : strlen(p);

    if (!equals)
        return len;
    while (len > 0 && p[len - 1] != ',')
        len--;
    return len > 0 ? len - 1 : strlen(p);
}

int attrs_next_w(const char **text, char **name, char **value)
{
    const char *p = *text + strspn(*text, " \t");
    size_t name_len = strcspn(p, "= \t");
    const char *v = p + name_len + strspn(p + name_len, " \t");
    size_t len;
    char quote;

    if (*p == '\0')
        return 0;
    if (name_len == 0 || *v != '=')
        return -1;
    v++;
    v += strspn(v, " \t");
    quote = *v == '"' || *v == '\'' ? *v : '\0';
    if (quote) {
        v++;
        len = strcspn(v, (char[]){ quote, '\0' });
        if (v[len] != quote)
            return -1;
    } else {
        len = plain_value_len(v);
    }
    const char *after = v + len + (quote ? 1 : 0);
    /* A comma at the very end is refused. An unquoted value would have it as its last
     * character, because no further "name=value" follows it. */
    if ((*after == ',' && after[1] == '\0') || (!quote && len > 0 && v[len - 1] == ','))
        return -1;
    *name = xstrndup(p, name_len);
    *value = xstrndup(v, len);
    *text = *after == ',' ? after + 1 : after;
    return 1;
}
