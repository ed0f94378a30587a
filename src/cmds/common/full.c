/* full.c - see full.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/full.h"

#include "cmds/common/cell.h"

#include "lib/base/buf.h"
#include "lib/base/printable.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Where PBS breaks lines. Scripts join them again, so the place must not move
 * (cli.md 4.9). */
#define LINE_COLUMNS 78

bool full_form_find(const char *word, enum full_form *ret)
{
    static const struct {
        const char *word;
        enum full_form form;
    } forms[] = { { "default", FULL_LINES },
                  { "dsv", FULL_DSV },
                  { "json", FULL_JSON } };

    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if (strcasecmp(word, forms[i].word) == 0) {
            *ret = forms[i].form;
            return true;
        }
    }
    return false;
}

const char *status_value(const struct batch_status *o, const char *name,
                         const char *resource)
{
    for (const struct attrl *a = o->attribs; a; a = a->next) {
        if (strcasecmp(a->name, name) != 0)
            continue;
        if (!resource || (a->resource && strcasecmp(a->resource, resource) == 0))
            return a->value;
    }
    return NULL;
}

/* Attributes that travel as seconds since the epoch and are shown as dates
 * (cli.md 4.9). The list is PBS's, so the type in lib/attr does not decide:
 * history_timestamp is a time too, and is shown as a number. */
static bool is_time(const char *name)
{
    static const char *const names[] = {
        "Execution_Time", "ctime",
        "etime",          "stime",
        "obittime",       "mtime",
        "qtime",          "reserve_start",
        "reserve_end",    "credential_validity",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Of the members of an estimate only the start is a time. A scheduler that has found no
 * start sends 0, which must not be shown as a day in 1970. */
static bool is_estimated_start(const struct attrl *a)
{
    return strcasecmp(a->name, "estimated") == 0 && a->resource &&
           strcasecmp(a->resource, "start_time") == 0;
}

/* "<jsdl-hpcpa:Argument>a</jsdl-hpcpa:Argument>..." as words with single blanks. How
 * the words were quoted is lost: what is shown is for people, and programs read the
 * job's argument_list, which stays XML (cli.md 4.9). */
static void add_arguments(struct buf *out, const char *xml)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = { { "&amp;", '&' },
                     { "&lt;", '<' },
                     { "&gt;", '>' },
                     { "&quot;", '"' },
                     { "&apos;", '\'' } };

    while (*xml) {
        size_t i, skip = strcspn(xml, ">");

        if (*xml == '<') {
            /* A blank stands between words and not before the first one. */
            if (xml[1] != '/' && out->len > 0)
                buf_add_char(out, ' ');
            xml += skip + (xml[skip] == '>');
            continue;
        }
        for (i = 0; i < ARRAY_LEN(entities); i++)
            if (strncmp(xml, entities[i].name, strlen(entities[i].name)) == 0)
                break;
        buf_add_char(out, i < ARRAY_LEN(entities) ? entities[i].c : *xml);
        xml += i < ARRAY_LEN(entities) ? strlen(entities[i].name) : 1;
    }
}

/* What a reader sees of a value: dates and words for what travels as numbers and XML.
 */
static void shown_value(const struct attrl *a, struct buf *out)
{
    time_t at = (time_t)strtoll(a->value, NULL, 10);
    bool estimate = is_estimated_start(a);
    char date[32];

    buf_clear(out);
    /* A number that is no date is shown as it was sent. */
    if (estimate && at == 0) {
        buf_add_str(out, "UNKNOWN");
    } else if ((estimate || is_time(a->name)) && ctime_r(&at, date)) {
        buf_add(out, date, strcspn(date, "\n"));
    } else if (strcasecmp(a->name, "Submit_arguments") == 0) {
        /* Nothing may follow, and callers read 'data' as a text: an empty piece makes
         * the buffer have one. */
        buf_add(out, "", 0);
        add_arguments(out, a->value);
    } else if (strcasecmp(a->name, "executable") == 0) {
        /* The server keeps the bare word; readers have always seen it in its element.
         */
        buf_printf(out, "<jsdl-hpcpa:Executable>%s</jsdl-hpcpa:Executable>", a->value);
    } else {
        buf_add_str(out, a->value);
    }
}

/* Pieces between commas; a line is broken before a piece that does not fit, and inside
 * one that fits no line. */
static void print_wrapped(const char *value, size_t column)
{
    bool first = true;

    while (*value) {
        size_t len;

        value += strspn(value, ",");
        len = strcspn(value, ",");
        if (len == 0)
            break;
        /* The columns, 9 after a break and 8 inside a piece, are those that scripts
         * have always seen (cli.md 4.9). */
        if (column + len < LINE_COLUMNS) {
            for (size_t i = 0; i < len; i++)
                print_visible_char(value[i]);
            column += len;
        } else {
            if (!first) {
                fputs("\n\t", stdout);
                column = 9;
            }
            for (size_t i = 0; i < len; i++) {
                print_visible_char(value[i]);
                if (++column > LINE_COLUMNS) {
                    fputs("\n\t", stdout);
                    column = 8;
                }
            }
        }
        value += len;
        if (value[strspn(value, ",")] != '\0')
            putchar(',');
        first = false;
    }
}

/* With -w one attribute is one line, so the ends of lines within a value are written as
 * two characters. A wrapped value shows them as they are (cli.md 4.9). */
static void print_unwrapped(const char *value)
{
    for (; *value; value++) {
        if (*value == '\n')
            fputs("\\n", stdout);
        else if (*value == '\f')
            fputs("\\f", stdout);
        else
            print_visible_char(*value);
    }
}

static void print_lines(const struct full *f, const char *title,
                        const struct batch_status *object)
{
    struct buf value = { 0 };

    printf("%s: %s\n", title, object->name);
    for (const struct attrl *a = object->attribs; a; a = a->next) {
        int head = printf("    %s%s%s = ", a->name, a->resource ? "." : "",
                          a->resource ? a->resource : "");

        shown_value(a, &value);
        printable_text(value.data);
        if (f->unwrapped)
            print_unwrapped(value.data);
        else
            print_wrapped(value.data, (size_t)head);
        putchar('\n');
    }
    putchar('\n');
    buf_fini(&value);
}

static void print_dsv(const struct full *f, const char *title,
                      const struct batch_status *object)
{
    struct buf value = { 0 };

    printf("%s: %s", title, object->name);
    for (const struct attrl *a = object->attribs; a; a = a->next) {
        printf("%s%s%s%s=", f->delimiter, a->name, a->resource ? "." : "",
               a->resource ? a->resource : "");
        shown_value(a, &value);
        dsv_print_value(value.data, f->delimiter);
    }
    putchar('\n');
    buf_fini(&value);
}

/* "[u:bob=3]" */
static bool is_limit(const char *value)
{
    size_t len = strlen(value);

    /* The look of the value decides and not its name, as in PBS (cli.md 4.11). */
    return len > 1 && value[0] == '[' && value[len - 1] == ']' && strchr(value, '=');
}

static void add_plain(struct full *f, const struct attrl *a)
{
    struct buf value = { 0 };

    shown_value(a, &value);
    json_attr(f->json, a->name, a->resource, value.data);
    buf_fini(&value);
}

/* Limits have an entry for each user, group and project. Those of a queue follow its
 * other attributes, joined; those of the server are repeated in their place
 * (cli.md 4.11). */
static void add_to_document(struct full *f, const char *group,
                            const struct batch_status *object)
{
    bool of_queue = strcmp(group, "Queue") == 0,
         of_server = strcmp(group, "Server") == 0;

    json_object_begin(f->json, group, object->name);
    for (const struct attrl *a = object->attribs; a; a = a->next)
        if (!is_limit(a->value) || !(of_queue || of_server))
            add_plain(f, a);
        else if (of_server)
            json_limit(f->json, a->name, a->resource, a->value, JSON_REPEATED);
    for (const struct attrl *a = object->attribs; of_queue && a; a = a->next)
        if (is_limit(a->value))
            json_limit(f->json, a->name, a->resource, a->value, JSON_JOINED);
}

void full_print(struct full *f, const char *title, const char *group,
                const struct batch_status *object)
{
    if (f->form == FULL_LINES)
        print_lines(f, title, object);
    else if (f->form == FULL_DSV)
        print_dsv(f, title, object);
    else
        add_to_document(f, group, object);
}
