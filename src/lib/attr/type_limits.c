/* type_limits.c - limits per entity: "[u:bob=3]", alone or per resource (attributes.md
 * 5).
 *
 * A value is a map from kind, name and resource to a limit, kept in the order of these
 * keys, which is the order of status replies.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void limit_fini(struct limit *limit)
{
    free(limit->name);
    free(limit->resource);
    free(limit->value);
}

static void clear_limits(struct attr_value *v)
{
    for (size_t i = 0; v->set && i < v->u.limits.n; i++)
        limit_fini(&v->u.limits.v[i]);
    if (v->set)
        free(v->u.limits.v);
    *v = (struct attr_value){ 0 };
}

/* A limit for all resources has none, and comes before those that name one. */
static int compare_optional(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_keys(const struct limit *a, const struct limit *b)
{
    /* The letters as they are: g, o, p, u. */
    int cmp = a->kind - b->kind;

    if (!cmp)
        cmp = strcmp(a->name, b->name);
    return cmp ? cmp : compare_optional(a->resource, b->resource);
}

/* The entry of the same key and its place. When there is none: NULL, and the place
 * where it belongs. */
static struct limit *find_limit(const struct attr_value *v, const struct limit *key,
                                size_t *at)
{
    size_t lo = 0, hi = v->u.limits.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int cmp = compare_keys(&v->u.limits.v[mid], key);

        if (cmp == 0) {
            *at = mid;
            return &v->u.limits.v[mid];
        }
        if (cmp < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *at = lo;
    return NULL;
}

const struct limit *limits_find(const struct attr_value *v, char kind, const char *name,
                                const char *resource)
{
    const struct limit key = { .kind = kind,
                               .name = (char *)name,
                               .resource = (char *)resource };
    size_t at;

    return v->set ? find_limit(v, &key, &at) : NULL;
}

/* Every text is the value's own, so that each value can be freed without a look at
 * the others. */
static struct limit copy_limit(const struct limit *from)
{
    return (struct limit){
        .kind = from->kind,
        .name = xstrdup(from->name),
        .resource = from->resource ? xstrdup(from->resource) : NULL,
        .value = from->value ? xstrdup(from->value) : NULL,
    };
}

static void copy_limits(struct attr_value *to, const struct attr_value *from)
{
    *to = (struct attr_value){ .set = from->set };
    if (!from->set)
        return;
    /* One more than needed: a set value without entries has an array, too. */
    to->u.limits.v = xcalloc(from->u.limits.n + 1, sizeof(*to->u.limits.v));
    for (size_t i = 0; i < from->u.limits.n; i++)
        to->u.limits.v[to->u.limits.n++] = copy_limit(&from->u.limits.v[i]);
}

static int by_key(const void *a, const void *b)
{
    const struct limit *x = *(const struct limit *const *)a;
    const struct limit *y = *(const struct limit *const *)b;
    int cmp = compare_keys(x, y);

    return cmp ? cmp : (x > y) - (x < y); /* as they stand in the array */
}

/* Bring the entries, which may be in any order, into the order of their keys. Of equal
 * keys the last one stays. */
static void sort_limits(struct limits *l)
{
    struct limit **sorted = xcalloc(l->n + 1, sizeof(struct limit *));
    struct limit *v = xcalloc(l->n + 1, sizeof(*v));
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        sorted[i] = &l->v[i];
    qsort(sorted, l->n, sizeof(struct limit *), by_key);
    for (size_t i = 0; i < l->n; i++) {
        if (i + 1 < l->n && compare_keys(sorted[i], sorted[i + 1]) == 0)
            limit_fini(sorted[i]);
        else
            v[n++] = *sorted[i];
    }
    MUST(n > 0 || l->n == 0); /* of equal keys one stays */
    free(sorted);
    free(l->v);
    *l = (struct limits){ n, v };
}

static void skip_blanks(const char **p)
{
    *p += strspn(*p, " \t");
}

/* Read a name, in quotes or up to a character that ends it. Names with characters
 * that no account can have are refused. */
static char *parse_name(const char **p)
{
    char *name;
    size_t len;

    if (**p == '"' || **p == '\'') {
        const char *end = strchr(*p + 1, **p);

        if (!end)
            return NULL;
        name = xstrndup(*p + 1, (size_t)(end - *p - 1));
        *p = end + 1;
    } else {
        len = strcspn(*p, " \t=]");
        name = xstrndup(*p, len);
        *p += len;
    }
    if (*name && !strpbrk(name, "/[]\";:|<>+,?*"))
        return name;
    free(name);
    return NULL;
}

/* The name PBS_ALL goes with the kind "o" only, and "o" with that name only. */
static bool name_fits_kind(char kind, const char *name)
{
    /* Names of accounts are compared with their case, and so is this one. */
    return (kind == 'o') == (strcmp(name, "PBS_ALL") == 0);
}

/* The canonical text of a limit; NULL when it is not one. */
static char *parse_value(const char **p, const struct resource_def *def)
{
    const struct attr_type *type = def ? def->type : &attr_long;
    size_t len = strcspn(*p, " \t]");
    char *text = xstrndup(*p, len);
    struct attr_value v = { 0 };
    struct buf out = { 0 };

    *p += len;
    /* A limit below zero would refuse everything, and PBS takes none. */
    if (*text && *text != '-' && type->decode(&v, NULL, NULL, text) == 0) {
        type->print(&v, &out);
        type->clear(&v);
    }
    free(text);
    return out.len > 0 ? buf_take(&out) : NULL;
}

/* One "[kind:name=value]"; false leaves nothing to free. */
static bool parse_entry(const char **p, const struct resource_def *def,
                        bool value_needed, struct limit *ret)
{
    struct limit limit = { 0 };
    bool good = false;

    if (*(*p)++ != '[')
        return false;
    skip_blanks(p);
    /* The end of the text is no kind, though strchr() would find it. */
    limit.kind = **p;
    if (!limit.kind || !strchr("ugpo", limit.kind) || (*p)[1] != ':')
        return false;
    *p += 2;
    limit.name = parse_name(p);
    if (!limit.name)
        return false;
    skip_blanks(p);
    if (**p == '=') {
        ++*p;
        skip_blanks(p);
        limit.value = parse_value(p, def);
        good = limit.value != NULL;
    } else {
        good = !value_needed;
    }
    skip_blanks(p);
    if (good && **p == ']' && name_fits_kind(limit.kind, limit.name)) {
        ++*p;
        limit.resource = def ? xstrdup(def->name) : NULL;
        *ret = limit;
        return true;
    }
    limit_fini(&limit);
    return false;
}

static int parse_limits(struct attr_value *v, const struct resource_def *def,
                        const char *text, bool values_needed)
{
    struct attr_value fresh = { 0 };
    struct limits *l = &fresh.u.limits;
    size_t cap = 0;

    /* Made beside the old value: one entry that cannot be read refuses the whole
     * text. */
    fresh.set = true;
    for (;;) {
        skip_blanks(&text);
        if (l->n == cap) {
            cap = MAX_OF(2 * cap, (size_t)4);
            l->v = xrealloc(l->v, cap * sizeof(*l->v));
        }
        MUST(l->n < cap);
        if (!parse_entry(&text, def, values_needed, &l->v[l->n]))
            break;
        l->n++;
        skip_blanks(&text);
        if (!*text) {
            sort_limits(l);
            *v = fresh;
            return 0;
        }
        if (*text++ != ',')
            break;
    }
    clear_limits(&fresh);
    return PBSE_BADATVAL;
}

/* Find a resource that can be counted: only such a resource can have a limit. */
static int find_counted(const struct resource_defs *defs, const char *resource,
                        const struct resource_def **ret)
{
    const struct resource_def *def = resource ? resource_find(defs, resource) : NULL;

    if (!def)
        return PBSE_UNKRESC;
    if (def->type != &attr_long && def->type != &attr_size &&
        def->type != &attr_float && def->type != &attr_int64)
        return PBSE_INVALJOBRESC;
    *ret = def;
    return 0;
}

static int decode_limits(struct attr_value *v, const struct resource_defs *defs UNUSED,
                         const char *resource UNUSED, const char *text)
{
    struct attr_value fresh;
    int err = parse_limits(&fresh, NULL, text, true);

    if (err)
        return err;
    clear_limits(v);
    *v = fresh;
    return 0;
}

/* In what is taken away an entry may leave out its number: "[u:bob]" is the limit of
 * bob, however high. */
static int decode_less_limits(struct attr_value *v,
                              const struct resource_defs *defs UNUSED,
                              const char *resource UNUSED, const char *text)
{
    return parse_limits(v, NULL, text, false);
}

/* Keep the entries that 'stays' is true of. */
static void filter_limits(struct attr_value *v,
                          bool (*stays)(const struct limit *limit, const void *arg),
                          const void *arg)
{
    struct limits *l = &v->u.limits;
    size_t kept = 0;

    for (size_t i = 0; v->set && i < l->n; i++) {
        if (stays(&l->v[i], arg))
            l->v[kept++] = l->v[i];
        else
            limit_fini(&l->v[i]);
    }
    /* Where nothing went, a value that was set and empty stays set. */
    if (!v->set || kept == l->n)
        return;
    l->n = kept;
    if (kept == 0)
        clear_limits(v);
}

static bool is_of_other(const struct limit *limit, const void *resource)
{
    return strcasecmp(limit->resource, resource) != 0;
}

static int add_limits(struct attr_value *v, const struct attr_value *more)
{
    struct limits *l = &v->u.limits;

    if (more->u.limits.n == 0)
        return 0;
    MUST(more != v); /* the array moves */
    v->set = true;
    l->v = xrealloc(l->v, (l->n + more->u.limits.n) * sizeof(*l->v));
    for (size_t i = 0; i < more->u.limits.n; i++)
        l->v[l->n++] = copy_limit(&more->u.limits.v[i]);
    sort_limits(l);
    return 0;
}

static int decode_resource_limits(struct attr_value *v,
                                  const struct resource_defs *defs,
                                  const char *resource, const char *text)
{
    const struct resource_def *def = NULL;
    struct attr_value fresh = { 0 };
    int err = find_counted(defs, resource, &def);

    if (!err)
        err = parse_limits(&fresh, def, text, true);
    if (err)
        return err;
    /* Setting the limits of one resource leaves those of the others. */
    filter_limits(v, is_of_other, def->name);
    add_limits(v, &fresh);
    clear_limits(&fresh);
    return 0;
}

static int decode_less_resource_limits(struct attr_value *v,
                                       const struct resource_defs *defs,
                                       const char *resource, const char *text)
{
    const struct resource_def *def = NULL;
    int err = find_counted(defs, resource, &def);

    return err ? err : parse_limits(v, def, text, false);
}

/* An entry with a value goes only when the value is the same. */
static bool is_not_less(const struct limit *limit, const void *less)
{
    size_t at;
    const struct limit *gone = find_limit(less, limit, &at);

    return !gone || (gone->value && strcmp(gone->value, limit->value) != 0);
}

static int subtract_limits(struct attr_value *v, const struct attr_value *less)
{
    filter_limits(v, is_not_less, less);
    return 0;
}

/* Two values are equal when they have the same entries; the order has no meaning to
 * users. */
static int compare_limits(const struct attr_value *a, const struct attr_value *b)
{
    const struct limits *x = &a->u.limits, *y = &b->u.limits;

    for (size_t i = 0; i < x->n && i < y->n; i++) {
        int cmp = compare_keys(&x->v[i], &y->v[i]);

        if (!cmp)
            cmp = compare_optional(x->v[i].value, y->v[i].value);
        if (cmp)
            return cmp;
    }
    return (x->n > y->n) - (x->n < y->n);
}

void limit_print(const struct limit *limit, struct buf *out)
{
    /* Quotes only where reading it back needs them; names have no double quote. */
    const char *quote = strpbrk(limit->name, " \t=']") ? "\"" : "";

    buf_printf(out, "[%c:%s%s%s", limit->kind, quote, limit->name, quote);
    if (limit->value)
        buf_printf(out, "=%s", limit->value);
    buf_add_char(out, ']');
}

static void print_limits(const struct attr_value *v, struct buf *out)
{
    for (size_t i = 0; i < v->u.limits.n; i++) {
        if (i)
            buf_add_char(out, ',');
        limit_print(&v->u.limits.v[i], out);
    }
}

#define LIMIT_OPS                                                                      \
    .wire_type = 15, .print = print_limits, .add = add_limits,                         \
    .subtract = subtract_limits, .compare = compare_limits, .clear = clear_limits,     \
    .copy = copy_limits

const struct attr_type attr_entity_limit = {
    .name = "entity limit",
    .decode = decode_limits,
    .decode_less = decode_less_limits,
    LIMIT_OPS,
};

const struct attr_type attr_entity_limit_resource = {
    .name = "entity limit per resource",
    .decode = decode_resource_limits,
    .decode_less = decode_less_resource_limits,
    LIMIT_OPS,
};
