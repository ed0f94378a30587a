/* vnodefile.c - see vnodefile.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/vnodefile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_LINE "$configversion 2"

struct line { /* VNODE : ATTR = VALUE [type = TYPE] */
    const char *vnode, *attr, *value;
    int type;
};

/* Names of types and their wire numbers (wire.md 8.2). */
static const struct {
    const char *name;
    int number;
} types[] = {
    { "boolean", 11 }, { "long", 1 },   { "size", 5 },
    { "float", 14 },   { "string", 3 }, { "string_array", 4 },
};

bool vnode_file_is_one(const char *text)
{
    size_t len = strlen(VERSION_LINE);

    return strncmp(text, VERSION_LINE, len) == 0 &&
           (text[len] == '\0' || isspace((unsigned char)text[len]));
}

static int type_number(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].number;
    return -1;
}

static char *trim(char *s)
{
    char *end;

    while (isspace((unsigned char)*s))
        s++;
    end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return s;
}

static const char *check_name(const char *name, int n, struct arena *a)
{
    if (!name[0])
        return arena_printf(a, "line %d:  no vnode id", n);
    /* What servers would refuse is refused here, where the line can be named. */
    if (strlen(name) > VNODE_NAME_MAX)
        return arena_printf(a, "Node name \"%s\" is too big", name);
    for (const char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("-_@[]#^/\\.", *p))
            return arena_printf(a, "invalid character in vnode name \"%s\"", name);
    return NULL;
}

/* "... type = long" at the end of a value; the value ends before it. */
static const char *take_type(char *value, int n, struct line *ret, struct arena *a)
{
    char *eq = strchr(value, '=');
    char *word, *type;

    if (!eq)
        return NULL;
    type = trim(eq + 1);
    *eq = '\0';
    (void)trim(value);
    /* The '=' of "type =" is the only one that a value may have behind it (execution.md
     * 9). */
    word = strrchr(value, ' ');
    if (!word && strrchr(value, '\t'))
        word = strrchr(value, '\t');
    if (!word)
        return arena_printf(a, "line %d:  illegal char '=' in value", n);
    *word++ = '\0';
    if (strcmp(word, "type") != 0)
        return arena_printf(a, "line %d:  invalid keyword '%s'", n, word);
    ret->type = type_number(type);
    if (ret->type < 0)
        return arena_printf(a, "line %d: invalid type '%s'", n, type);
    return NULL;
}

/* NULL, or what is wrong. 'text' is changed. */
static const char *read_line(char *text, int n, struct line *ret, struct arena *a)
{
    char *colon = strchr(text, ':'), *eq, *value;
    const char *wrong;

    *ret = (struct line){ 0 };
    if (!colon)
        return arena_printf(a, "line %d:  missing ':'", n);
    *colon = '\0';
    ret->vnode = trim(text);
    wrong = check_name(ret->vnode, n, a);
    if (wrong)
        return wrong;
    eq = strchr(colon + 1, '=');
    if (!eq)
        return arena_printf(a, "line %d:  missing '='", n);
    *eq = '\0';
    ret->attr = trim(colon + 1);
    if (!ret->attr[0])
        return arena_printf(a, "line %d:  no attribute name", n);
    /* A name ends at the first blank, and no '=' follows this one. */
    if (strpbrk(ret->attr, " \t"))
        return arena_printf(a, "line %d:  missing '='", n);
    value = trim(eq + 1);
    wrong = take_type(value, n, ret, a);
    if (wrong)
        return wrong;
    ret->value = trim(value);
    return ret->value[0] ? NULL : arena_printf(a, "line %d:  no attribute value", n);
}

/* FNV-1a. */
static uint32_t hash_name(const char *name)
{
    uint32_t h = 2166136261u;

    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return h;
}

/* The slot of that name, or the empty one where it belongs. At least a quarter of the
 * slots is empty, so the search ends. */
static uint32_t *slot_of(const struct vnode_list *list, const char *name)
{
    size_t i = hash_name(name) & (list->n_slots - 1);

    while (list->slots[i] && strcmp(list->v[list->slots[i] - 1].name, name) != 0)
        i = (i + 1) & (list->n_slots - 1);
    return &list->slots[i];
}

static void make_slots(struct vnode_list *list)
{
    if ((list->n + 1) * 4 <= list->n_slots * 3)
        return;
    list->n_slots = list->n_slots ? list->n_slots * 2 : 32;
    list->slots = ARENA_ARRAY(list->arena, uint32_t, list->n_slots);
    for (size_t i = 0; i < list->n; i++)
        *slot_of(list, list->v[i].name) = (uint32_t)(i + 1);
}

/* The vnode of that name, which is added if it is new: *ret_is_new. A new one keeps
 * 'name'. */
static struct is_vnode *vnode_of(struct vnode_list *list, const char *name,
                                 bool *ret_is_new)
{
    uint32_t *slot;

    MUST(list->n < UINT32_MAX);
    make_slots(list);
    slot = slot_of(list, name);
    *ret_is_new = *slot == 0;
    if (*slot)
        return &list->v[*slot - 1];
    ARENA_ROOM(list->arena, list, v, 16);
    list->v[list->n] = (struct is_vnode){ .name = name };
    *slot = (uint32_t)++list->n;
    return &list->v[*slot - 1];
}

static void put_attr(struct vnode_list *list, const struct line *l)
{
    const struct is_vnode_attr attr = { .name = l->attr,
                                        .value = l->value,
                                        .type = l->type };
    bool is_new;
    struct is_vnode *v = vnode_of(list, l->vnode, &is_new);
    struct is_vnode_attr *more;

    for (size_t i = 0; i < v->n; i++) {
        /* Later lines and later files replace what earlier ones say (execution.md
         * 9). */
        if (strcmp(v->attrs[i].name, l->attr) == 0) {
            v->attrs[i] = attr;
            return;
        }
    }
    /* A vnode has few attributes: the copy for each of them costs little. */
    more = ARENA_ARRAY(list->arena, struct is_vnode_attr, v->n + 1);
    if (v->n)
        memcpy(more, v->attrs, v->n * sizeof(*more));
    more[v->n++] = attr;
    v->attrs = more;
}

bool vnode_file_read(const char *text, size_t len, struct vnode_list *list, void *arg,
                     void (*complain)(void *arg, const char *words))
{
    const char *at = text, *end = text + len;
    struct line *lines = NULL;
    size_t n_lines = 0;
    bool ok = true;

    for (int n = 1; at < end; n++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        /* read_line() cuts its text into pieces, and the vnodes keep them: the copy
         * lives as long as the list. */
        char *copy = arena_strndup(list->arena, at, (size_t)((nl ? nl : end) - at));
        const char *wrong = NULL;
        struct line l;

        at = nl ? nl + 1 : end;
        if (!nl)
            wrong = arena_printf(list->arena, "line %d not newline-terminated", n);
        else if (n > 1 && *trim(copy))
            wrong = read_line(copy, n, &l, list->arena);
        else
            continue;
        if (wrong) {
            complain(arg, wrong);
            ok = false;
        } else {
            lines = xrealloc(lines, (n_lines + 1) * sizeof(*lines));
            lines[n_lines++] = l;
        }
    }
    /* A file with any mistake gives nothing: half of a host's vnodes would look like
     * the whole (execution.md 9). */
    for (size_t i = 0; ok && i < n_lines; i++)
        put_attr(list, &lines[i]);
    free(lines);
    return ok;
}

void vnode_list_keep(struct vnode_list *list, const struct vnode_list *old,
                     const char *except)
{
    for (size_t i = 0; i < old->n; i++) {
        const struct is_vnode *from = &old->v[i];
        struct is_vnode *to;
        bool is_new;

        if (strcmp(from->name, except) == 0)
            continue;
        to = vnode_of(list, from->name, &is_new);
        if (!is_new)
            continue;
        /* The old list may go before this one. */
        to->name = arena_strdup(list->arena, from->name);
        to->n = from->n;
        to->attrs = ARENA_ARRAY(list->arena, struct is_vnode_attr, from->n + 1);
        for (size_t k = 0; k < from->n; k++) {
            to->attrs[k] = from->attrs[k];
            to->attrs[k].name = arena_strdup(list->arena, from->attrs[k].name);
            to->attrs[k].value = arena_strdup(list->arena, from->attrs[k].value);
        }
    }
}

struct sharing {
    const char *host, *word, *vnode;
    size_t place; /* in the list */
};

static const char *attr_of(const struct is_vnode *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->attrs[i].name, name) == 0)
            return v->attrs[i].value;
    return NULL;
}

static int by_host(const void *a, const void *b)
{
    const struct sharing *x = a, *y = b;
    int order = strcmp(x->host, y->host);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static size_t list_sharing(const struct vnode_list *list, const char *host,
                           struct sharing *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        const char *own = attr_of(&list->v[i], "resources_available.host");
        const char *word = attr_of(&list->v[i], "sharing");

        if (word)
            ret[n++] = (struct sharing){ own ? own : host, word, list->v[i].name, i };
    }
    qsort(ret, n, sizeof(*ret), by_host);
    return n;
}

static bool is_of_host(const char *word)
{
    return strcmp(word, "default_exclhost") == 0 || strcmp(word, "force_exclhost") == 0;
}

/* Of the vnodes of one host: the first that disagrees with one that is for the whole
 * host, which is *ret_with; NULL: none. */
static const struct sharing *find_mixed(const struct sharing *v, size_t n,
                                        const struct sharing **ret_with)
{
    size_t with = 0;

    while (with < n && !is_of_host(v[with].word))
        with++;
    for (size_t i = 0; with < n && i < n; i++)
        if (strcmp(v[i].word, v[with].word) != 0) {
            *ret_with = &v[with];
            return &v[i];
        }
    return NULL;
}

const char *vnode_list_mixed_sharing(const struct vnode_list *list, const char *host)
{
    struct sharing *v = xcalloc(list->n + 1, sizeof(*v));
    size_t n = list_sharing(list, host, v), last;
    const struct sharing *with, *mixed = NULL;
    const char *words = NULL;

    for (size_t i = 0; !mixed && i < n; i = last) {
        for (last = i; last < n && strcmp(v[last].host, v[i].host) == 0;)
            last++;
        mixed = find_mixed(&v[i], last - i, &with);
    }
    if (mixed)
        words = arena_printf(list->arena,
                             "It is erroneous to mix sharing=%s for vnode %s with "
                             "sharing=%s which is set for other vnodes on host %s",
                             mixed->word, mixed->vnode, with->word, mixed->host);
    free(v);
    return words;
}
