/* type_text.c - types that keep the text: strings, names, single characters, and the
 * specifications of select, place and nodes, whose grammar is checked here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/select.h"

#include <stdlib.h>
#include <string.h>

#define DECODER(name)                                                                  \
    static int name(struct attr_value *v, const struct resource_defs *defs UNUSED,     \
                    const char *resource UNUSED, const char *text)

static void clear_text(struct attr_value *v)
{
    free(v->u.str);
    *v = (struct attr_value){ 0 };
}

static void own_text(struct attr_value *v, char *text)
{
    clear_text(v);
    v->u.str = text;
    v->set = true;
}

/* The empty text is no value. */
static int keep_text(struct attr_value *v, const char *text)
{
    if (*text)
        own_text(v, xstrdup(text));
    else
        clear_text(v);
    return 0;
}

static void copy_text(struct attr_value *to, const struct attr_value *from)
{
    to->set = from->set;
    to->u.str = from->set ? xstrdup(from->u.str) : NULL;
}

static void print_text(const struct attr_value *v, struct buf *out)
{
    buf_add_str(out, v->u.str);
}

static int add_text(struct attr_value *v, const struct attr_value *more)
{
    size_t len = v->set ? strlen(v->u.str) : 0, n;

    if (!more->set)
        return 0;
    /* This counts the NUL, which is copied with the text. */
    n = strlen(more->u.str) + 1;
    v->u.str = xrealloc(v->u.str, len + n);
    memcpy(v->u.str + len, more->u.str, n);
    v->set = true;
    return 0;
}

/* For each front of the text read backwards, how long the longest shorter front is that
 * it ends with (Knuth, Morris and Pratt). */
static void find_borders(const char *text, size_t len, uint32_t *border)
{
    uint32_t k = 0;

    MUST(len > 0); /* the empty text is no value */
    border[0] = 0;
    for (size_t i = 1; i < len; i++) {
        while (k > 0 && text[len - 1 - k] != text[len - 1 - i])
            k = border[k - 1];
        if (text[len - 1 - k] == text[len - 1 - i])
            k++;
        border[i] = k;
    }
}

/* Remove every occurrence of 'less', from the end: what a removal brings together
 * behind the place looked at is not looked at again. 'seen[n]' says how much of 'less'
 * the last n + 1 characters that are kept begin with, so that no character is compared
 * twice. */
static void remove_all(char *text, size_t len, const char *less, size_t gone,
                       const uint32_t *border, uint32_t *seen)
{
    size_t kept = 0; /* at the very end of the text */

    MUST(gone > 0 && gone <= len);
    for (size_t at = len; at-- > 0;) {
        uint32_t k = kept > 0 ? seen[kept - 1] : 0;

        while (k > 0 && less[gone - 1 - k] != text[at])
            k = border[k - 1];
        if (less[gone - 1 - k] == text[at])
            k++;
        seen[kept++] = k;
        text[len - kept] = text[at];
        if (k == gone)
            kept -= gone;
    }
    MUST(kept <= len);
    memmove(text, text + len - kept, kept + 1);
}

static int subtract_text(struct attr_value *v, const struct attr_value *less)
{
    size_t len, gone;

    if (!v->set || !less->set)
        return 0;
    len = strlen(v->u.str);
    gone = strlen(less->u.str);
    /* A text that is longer than this one does not occur in it. The tables count in 32
     * bits to take half the memory. */
    if (gone <= len && len <= UINT32_MAX) {
        uint32_t *border = xcalloc(gone, sizeof(*border));
        uint32_t *seen = xcalloc(len, sizeof(*seen));

        find_borders(less->u.str, gone, border);
        remove_all(v->u.str, len, less->u.str, gone, border, seen);
        free(border);
        free(seen);
    }
    /* When nothing is left, the attribute is unset. */
    if (!*v->u.str)
        clear_text(v);
    return 0;
}

static int compare_text(const struct attr_value *a, const struct attr_value *b)
{
    return strcmp(a->set ? a->u.str : "", b->set ? b->u.str : "");
}

DECODER(decode_string)
{
    return keep_text(v, text);
}

DECODER(decode_jobname)
{
    return job_name_is_valid(text) ? keep_text(v, text) : PBSE_BADATVAL;
}

DECODER(decode_project)
{
    return strpbrk(text, "/[]\";:|<>+,?*") ? PBSE_BADATVAL : keep_text(v, text);
}

/* The text is kept as it was written, and only its grammar is checked here. The
 * resources and their values are checked in a second step, select_parse() with
 * definitions. */
DECODER(decode_select)
{
    struct arena *arena = arena_new();
    struct select sel;
    int err = select_parse(text, NULL, arena, &sel, NULL);

    arena_free(arena);
    return err ? err : keep_text(v, text);
}

DECODER(decode_place)
{
    struct arena *arena = arena_new();
    struct place place;
    int err = place_parse(text, arena, &place, NULL);

    /* A resource to group by must exist and hold text. */
    for (const char *p = strstr(text, "group="); !err && defs && p;
         p = strstr(p + 1, "group=")) {
        const char *name = arena_strndup(arena, p + 6, strcspn(p + 6, ":"));
        const struct resource_def *def = resource_find(defs, name);

        if (!def)
            err = PBSE_UNKRESC;
        else if (def->type != &attr_string && def->type != &attr_strings)
            err = PBSE_RESCNOTSTR;
    }
    arena_free(arena);
    return err ? err : keep_text(v, text);
}

DECODER(decode_nodes)
{
    return nodes_is_valid(text) ? keep_text(v, text) : PBSE_BADATVAL;
}

/* A single character; an empty text unsets it. */
DECODER(decode_char)
{
    v->u.num = (unsigned char)*text;
    v->set = *text != '\0';
    return 0;
}

static void print_char(const struct attr_value *v, struct buf *out)
{
    buf_add_char(out, (char)v->u.num);
}

/* A character has nothing to add to: += sets it, and -= leaves it. */
static int set_char(struct attr_value *v, const struct attr_value *other)
{
    *v = *other;
    return 0;
}

static int keep_char(struct attr_value *v UNUSED, const struct attr_value *less UNUSED)
{
    return 0;
}

static int compare_char(const struct attr_value *a, const struct attr_value *b)
{
    return (a->u.num > b->u.num) - (a->u.num < b->u.num);
}

static void clear_char(struct attr_value *v)
{
    *v = (struct attr_value){ 0 };
}

static void copy_char(struct attr_value *to, const struct attr_value *from)
{
    *to = *from;
}

#define TEXT_OPS                                                                       \
    .wire_type = 3, .print = print_text, .add = add_text, .subtract = subtract_text,   \
    .compare = compare_text, .clear = clear_text, .copy = copy_text

const struct attr_type attr_string = { .name = "string",
                                       .decode = decode_string,
                                       TEXT_OPS };
const struct attr_type attr_jobname = {
    .name = "job name", .decode = decode_jobname, .has_grammar = true, TEXT_OPS
};
const struct attr_type attr_project = {
    .name = "project", .decode = decode_project, .has_grammar = true, TEXT_OPS
};
const struct attr_type attr_select = {
    .name = "select", .decode = decode_select, .has_grammar = true, TEXT_OPS
};
const struct attr_type attr_place = {
    .name = "place", .decode = decode_place, .has_grammar = true, TEXT_OPS
};
const struct attr_type attr_nodes = {
    .name = "nodes", .decode = decode_nodes, .has_grammar = true, TEXT_OPS
};

const struct attr_type attr_char = {
    .name = "char",
    .wire_type = 2,
    .decode = decode_char,
    .print = print_char,
    .add = set_char,
    .subtract = keep_char,
    .compare = compare_char,
    .clear = clear_char,
    .copy = copy_char,
};
