/* resource.c - definitions of resources.
 *
 * The built-in ones are rows of a table in the order of StatusRsc; those of the site
 * follow in the order of their creation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"

#include "lib/attr/who.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One or two letters per flag keep a row of the table on one line. */
#define H  RESOURCE_HOST
#define Q  (RESOURCE_QUEUE | RESOURCE_CONSUMABLE)
#define N  (RESOURCE_NODE | RESOURCE_CONSUMABLE)
#define I  RESOURCE_INVISIBLE
#define R  RESOURCE_READONLY
#define M  RESOURCE_MOM
#define AR RESOURCE_ALTER_RUNNING
#define NN RESOURCE_NOT_NEGATIVE

struct builtin {
    const char *name;
    const struct attr_type *type;
    uint32_t flags;
    uint16_t write;
};

/* clang-format off */
static const struct builtin builtins[] = {
    { "cput", &attr_duration, M | AR, EVERYONE },
    { "mem", &attr_size, H | Q | N | M, EVERYONE },
    { "walltime", &attr_duration, M | AR, EVERYONE },
    { "soft_walltime", &attr_duration, R | AR, WHO_MANAGER },
    { "min_walltime", &attr_duration, AR, EVERYONE },
    { "max_walltime", &attr_duration, AR, EVERYONE },
    { "ncpus", &attr_long, H | Q | N | M | NN, EVERYONE },
    { "naccelerators", &attr_long, H | Q | N | M, EVERYONE },
    { "select", &attr_select, 0, EVERYONE },
    { "place", &attr_place, M, EVERYONE },
    { "nodes", &attr_nodes, 0, EVERYONE },
    { "nodect", &attr_long, Q | R, WHO_MANAGER },
    { "arch", &attr_string, H | M, EVERYONE },
    { "nchunk", &attr_long, H | R, STAFF },
    { "vntype", &attr_strings, H, EVERYONE },
    { "mpiprocs", &attr_long, H | Q | NN, EVERYONE },
    { "ompthreads", &attr_long, H | NN, EVERYONE },
    { "cpupercent", &attr_long, R, STAFF },
    { "energy", &attr_float, R, STAFF },
    { "file", &attr_size, M, EVERYONE },
    { "pmem", &attr_size, M, EVERYONE },
    { "vmem", &attr_size, H | Q | N | M, EVERYONE },
    { "pvmem", &attr_size, M, EVERYONE },
    { "nice", &attr_long, M, EVERYONE },
    { "pcput", &attr_duration, M, EVERYONE },
    { "nodemask", &attr_string, R | M, STAFF },
    { "hpm", &attr_long, Q | M, EVERYONE },
    { "ssinodes", &attr_long, M, EVERYONE },
    { "host", &attr_string, H, EVERYONE },
    { "vnode", &attr_string, H, EVERYONE },
    { "resc", &attr_strings, 0, EVERYONE },
    { "software", &attr_string, 0, EVERYONE },
    { "site", &attr_string, M, EVERYONE },
    { "exec_vnode", &attr_string, R, STAFF },
    { "start_time", &attr_time, R, STAFF },
    { "pe_mask", &attr_string, R | M, STAFF },
    { "partition", &attr_string, R | M, STAFF },
    { "aoe", &attr_strings, H, EVERYONE },
    { "eoe", &attr_strings, H, EVERYONE },
    { "preempt_targets", &attr_strings, 0, EVERYONE },
    { "accelerator", &attr_bool, H | M, EVERYONE },
    { "accelerator_model", &attr_string, H | M, EVERYONE },
    { "accelerator_memory", &attr_size, H | Q | N | M, EVERYONE },
    { "accelerator_group", &attr_strings, H, EVERYONE },
    { "pstate", &attr_string, M, EVERYONE },
    { "hbmem", &attr_size, H | Q | N | M, EVERYONE },
    { "pgov", &attr_string, M, EVERYONE },
    { "pcap_node", &attr_long, M | NN, EVERYONE },
    { "pcap_accelerator", &attr_long, M | NN, EVERYONE },
};
/* clang-format on */

/* Pointers, so that a definition stays where it is while the list grows: values
 * point to it. */
struct def_list {
    size_t n, cap;
    struct resource_def **v;
};

struct resource_defs {
    struct def_list all;     /* in the order of StatusRsc */
    struct def_list by_name; /* the same, without regard to case */
    struct def_list gone;    /* undefined ones: values may still point there */
};

static void list_insert(struct def_list *list, size_t at, struct resource_def *def)
{
    MUST(at <= list->n);
    /* At first room for the built-in ones. */
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 64;
        list->v = xrealloc(list->v, list->cap * sizeof(*list->v));
    }
    memmove(&list->v[at + 1], &list->v[at], (list->n - at) * sizeof(*list->v));
    list->v[at] = def;
    list->n++;
}

/* Linear: resources are removed one by one by a manager, not in the course of requests
 * of users. */
static void list_remove(struct def_list *list, const struct resource_def *def)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->v[i] != def)
            continue;
        list->n--;
        memmove(&list->v[i], &list->v[i + 1], (list->n - i) * sizeof(*list->v));
        return;
    }
    MUST(!"the definition is in the list");
}

/* A definition stands in two lists; only one of them may free it. */
static void list_free(struct def_list *list, bool with_defs)
{
    for (size_t i = 0; with_defs && i < list->n; i++) {
        free(list->v[i]->name);
        free(list->v[i]);
    }
    free(list->v);
}

/* Where 'name' is, or would be. */
static size_t place_of(const struct def_list *by_name, const char *name, bool *found)
{
    size_t lo = 0, hi = by_name->n;

    *found = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int cmp = strcasecmp(name, by_name->v[mid]->name);

        if (cmp == 0) {
            *found = true;
            return mid;
        }
        if (cmp < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static const struct {
    uint32_t flag, wire;
} wire_bits[] = {
    { RESOURCE_MOM, 0x400 },     { RESOURCE_ALTER_RUNNING, 0x800 },
    { RESOURCE_QUEUE, 0x4000 },  { RESOURCE_NODE, 0x8000 },
    { RESOURCE_FIRST, 0x10000 }, { RESOURCE_HOST, 0x20000 },
};

/* wire.md 8.2: what StatusRsc shows as a number with extension "p". */
static uint32_t wire_flags_of(const struct resource_def *def)
{
    uint32_t wire = 0;

    wire |= def->read & WHO_USER ? 0x1 : 0;
    wire |= def->write & WHO_USER ? 0x2 : 0;
    wire |= def->read & WHO_OPERATOR ? 0x4 : 0;
    wire |= def->write & WHO_OPERATOR ? 0x8 : 0;
    wire |= def->read & WHO_MANAGER ? 0x10 : 0;
    wire |= def->write & WHO_MANAGER ? 0x20 : 0;
    for (size_t i = 0; i < ARRAY_LEN(wire_bits); i++)
        wire |= def->flags & wire_bits[i].flag ? wire_bits[i].wire : 0;
    return wire;
}

static void add_def(struct resource_defs *d, const char *name,
                    const struct attr_type *type, uint32_t flags, uint16_t read,
                    uint16_t write)
{
    struct resource_def *def = xcalloc(1, sizeof(*def));
    bool found;

    *def = (struct resource_def){
        .name = xstrdup(name),
        .type = type,
        .flags = flags,
        .read = read,
        .write = write,
    };
    def->wire_flags = wire_flags_of(def);
    /* StatusRsc lists definitions in the order of their creation, and lookups halve;
     * hence the two lists. */
    list_insert(&d->all, d->all.n, def);
    list_insert(&d->by_name, place_of(&d->by_name, name, &found), def);
    MUST(!found); /* a name is defined once */
}

struct resource_defs *resource_defs_new(void)
{
    struct resource_defs *d = xcalloc(1, sizeof(*d));

    for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
        add_def(d, builtins[i].name, builtins[i].type,
                builtins[i].flags | RESOURCE_BUILTIN, EVERYONE, builtins[i].write);
    return d;
}

void resource_defs_free(struct resource_defs *d)
{
    if (!d)
        return;
    list_free(&d->all, true);
    list_free(&d->gone, true);
    list_free(&d->by_name, false);
    free(d);
}

const struct resource_def *resource_find(const struct resource_defs *d,
                                         const char *name)
{
    bool found;
    size_t at = place_of(&d->by_name, name, &found);

    return found ? d->by_name.v[at] : NULL;
}

size_t resource_count(const struct resource_defs *d)
{
    return d->all.n;
}

const struct resource_def *resource_at(const struct resource_defs *d, size_t i)
{
    MUST(i < d->all.n);
    return d->all.v[i];
}

int resource_decode(const struct resource_def *def, const struct resource_defs *defs,
                    struct attr_value *v, const char *text)
{
    struct attr_value fresh = { 0 };
    /* The value is made apart, so that *v stays as it was when the text is refused. */
    int err = def->type->decode(&fresh, defs, NULL, text);

    if (!err && def->flags & RESOURCE_NOT_NEGATIVE && fresh.u.num < 0)
        err = PBSE_BADATVAL;
    if (err) {
        def->type->clear(&fresh);
        return err;
    }
    def->type->clear(v);
    *v = fresh;
    return 0;
}

/* What a site may define: the types by name, and which of them can be counted. */
static const struct {
    const char *name;
    const struct attr_type *type;
    bool counts;
} site_types[] = {
    { "boolean", &attr_bool, false },  { "long", &attr_long, true },
    { "string", &attr_string, false }, { "size", &attr_size, true },
    { "float", &attr_float, true },    { "string_array", &attr_strings, false },
};

static const struct {
    char letter;
    uint32_t flags;
} site_flags[] = {
    { 'h', H }, { 'q', Q }, { 'n', N }, { 'f', RESOURCE_FIRST | RESOURCE_CONSUMABLE },
    { 'i', I }, { 'r', R }, { 'm', M },
};

bool resource_name_is_valid(const char *name)
{
    if (!isalpha((unsigned char)*name))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
            return false;
    return true;
}

static int find_type(const char *name, size_t *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(site_types); i++) {
        if (strcmp(site_types[i].name, name) != 0)
            continue;
        *ret = i;
        return 0;
    }
    return PBSE_BADATVAL;
}

static int parse_flags(const char *text, uint32_t *ret)
{
    uint32_t flags = 0;

    for (; *text; text++) {
        size_t i = 0;

        while (i < ARRAY_LEN(site_flags) && site_flags[i].letter != *text)
            i++;
        if (i == ARRAY_LEN(site_flags))
            return PBSE_BADATVAL;
        flags |= site_flags[i].flags;
    }
    *ret = flags;
    return 0;
}

static int check_flags(const char *name, bool counts, uint32_t flags, struct diag *why)
{
    bool n = flags & RESOURCE_NODE, f = flags & RESOURCE_FIRST;

    if (n && f)
        return diag_set(why, PBSE_BADATVAL,
                        "Erroneous to have flag 'n' and 'f' on resource \"%s\".", name);
    if ((n || f) && !(flags & H))
        return diag_set(why, PBSE_BADATVAL,
                        "Erroneous to have flag '%c' without 'h' on resource \"%s\".",
                        n ? 'n' : 'f', name);
    if (flags & I && flags & R)
        return diag_set(why, PBSE_BADATVAL,
                        "Erroneous to have flag 'i' and 'r' on resource \"%s\".", name);
    if (flags & RESOURCE_CONSUMABLE && !counts)
        return diag_set(why, PBSE_BADATVAL,
                        "Erroneous to have flag 'n', 'f', or 'q' on resource \"%s\" "
                        "which is type string, string_array, or boolean.",
                        name);
    return 0;
}

/* Type and flags of a definition from their texts; NULL leaves *type and *flags. */
static int parse_definition(const char *name, const char *type_name,
                            const char *flag_text, const struct attr_type **type,
                            uint32_t *flags, struct diag *why)
{
    /* Without a name of a type, a new definition is a string, and an old one keeps its
     * type, which *type holds. */
    const char *known = type_name ? type_name : "string";
    size_t t = 0;

    for (size_t i = 0; !type_name && i < ARRAY_LEN(site_types); i++)
        if (site_types[i].type == *type)
            known = site_types[i].name;
    if (find_type(known, &t) || (flag_text && parse_flags(flag_text, flags)))
        return diag_code(why, PBSE_BADATVAL);
    *type = site_types[t].type;
    return check_flags(name, site_types[t].counts, *flags, why);
}

/* An invisible resource (flag i) is not shown to users, and they cannot ask for it; a
 * read-only one (flag r) is shown. */
static uint16_t readers(uint32_t flags)
{
    return flags & I ? STAFF : EVERYONE;
}

static uint16_t writers(uint32_t flags)
{
    return flags & (I | R) ? STAFF : EVERYONE;
}

int resource_define(struct resource_defs *d, const char *name, const char *type,
                    const char *flags, struct diag *why)
{
    const struct attr_type *t = &attr_string;
    uint32_t bits = 0;
    int err;

    if (!resource_name_is_valid(name))
        return diag_code(why, PBSE_BADATVAL);
    if (resource_find(d, name))
        return diag_code(why, PBSE_DUPLIST);
    err = parse_definition(name, type, flags, &t, &bits, why);
    if (err)
        return err;
    add_def(d, name, t, bits, readers(bits), writers(bits));
    return 0;
}

/* The site's definition of that name. */
static int find_own(struct resource_defs *d, const char *name,
                    struct resource_def **ret, struct diag *why)
{
    bool found;
    size_t at = place_of(&d->by_name, name, &found);

    if (!found)
        return diag_code(why, PBSE_UNKRESC);
    if (d->by_name.v[at]->flags & RESOURCE_BUILTIN)
        return diag_code(why, PBSE_IVALREQ);
    *ret = d->by_name.v[at];
    return 0;
}

int resource_redefine(struct resource_defs *d, const char *name, const char *type,
                      const char *flags, struct diag *why)
{
    struct resource_def *def = NULL;
    const struct attr_type *t;
    uint32_t bits;
    int err = find_own(d, name, &def, why);

    if (err)
        return err;
    t = def->type;
    bits = def->flags;
    /* Copies are changed, so that a refusal leaves the definition as it was. What is
     * not given stays. */
    err = parse_definition(def->name, type, flags, &t, &bits, why);
    if (err)
        return err;
    MUST(!(def->flags & RESOURCE_BUILTIN)); /* find_own() refused those */
    /* The definition is changed in its place, since values point to it. */
    def->type = t;
    def->flags = bits;
    def->read = readers(bits);
    def->write = writers(bits);
    def->wire_flags = wire_flags_of(def);
    return 0;
}

bool resource_is_recounted(const struct resource_defs *d, const char *name,
                           const char *type, const char *flags)
{
    const uint32_t counting = H | N | Q | RESOURCE_FIRST;
    const struct resource_def *def = resource_find(d, name);
    uint32_t bits = 0;
    size_t t = 0;

    if (!def || find_type(type, &t) || parse_flags(flags, &bits))
        return false;
    return site_types[t].type != def->type ||
           (bits & counting) != (def->flags & counting);
}

int resource_undefine(struct resource_defs *d, const char *name, struct diag *why)
{
    struct resource_def *def = NULL;
    int err = find_own(d, name, &def, why);

    if (err)
        return err;
    list_remove(&d->all, def);
    list_remove(&d->by_name, def);
    /* Values of finished jobs may still point to it, so only the end of all definitions
     * frees it. */
    list_insert(&d->gone, d->gone.n, def);
    MUST(d->all.n == d->by_name.n);
    return 0;
}

const char *resource_type_name(const struct resource_def *def)
{
    /* Types are compared by their numbers on the wire: a duration is a "long" for
     * clients. */
    for (size_t i = 0; i < ARRAY_LEN(site_types); i++)
        if (site_types[i].type->wire_type == def->type->wire_type)
            return site_types[i].name;
    return "string";
}

const char *resource_type_of_number(int32_t wire_type)
{
    for (size_t i = 0; i < ARRAY_LEN(site_types); i++)
        if (site_types[i].type->wire_type == wire_type)
            return site_types[i].name;
    return NULL;
}

void resource_flags_of_number(uint32_t wire_flags, struct buf *out)
{
    struct resource_def def = { .flags = 0 };

    for (size_t i = 0; i < ARRAY_LEN(wire_bits); i++)
        if (wire_flags & wire_bits[i].wire)
            def.flags |= wire_bits[i].flag;
    resource_flags_print(&def, out);
}

void resource_flags_print(const struct resource_def *def, struct buf *out)
{
    static const struct {
        uint32_t flag;
        char letter;
    } order[] = {
        { RESOURCE_HOST, 'h' },      { RESOURCE_QUEUE, 'q' },
        { RESOURCE_NODE, 'n' },      { RESOURCE_FIRST, 'f' },
        { RESOURCE_INVISIBLE, 'i' }, { RESOURCE_READONLY, 'r' },
        { RESOURCE_MOM, 'm' },
    };

    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (def->flags & order[i].flag)
            buf_add_char(out, order[i].letter);
}
