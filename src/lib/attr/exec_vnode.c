/* exec_vnode.c - what a job or reservation has on which vnodes (attributes.md 11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/chunk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The characters that names of vnodes have; the first other one ends the name. */
static size_t vnode_name_len(const char *p)
{
    size_t n = 0;

    while (p[n] && (isalnum((unsigned char)p[n]) || strchr("-_@[]#^/\\.", p[n])))
        n++;
    return n;
}

static bool read_part(const char **p, struct arena *arena, struct vnode_part *ret)
{
    struct pairs pairs = { 0 };
    size_t len = vnode_name_len(*p);

    if (len == 0)
        return false;
    ret->vnode = arena_strndup(arena, *p, len);
    *p += len;
    while (**p == ':') {
        ++*p;
        if (!chunk_read_pair(p, ":+()", arena, &pairs))
            return false;
    }
    ret->n = pairs.n;
    ret->res = pairs.v;
    return true;
}

static void add_part(struct exec_chunk *chunk, struct arena *arena,
                     struct vnode_part part)
{
    MUST(part.vnode && *part.vnode);
    /* Grown when n is a power of two or 0. */
    if ((chunk->n & (chunk->n - 1)) == 0) {
        struct vnode_part *v =
            ARENA_ARRAY(arena, struct vnode_part, chunk->n ? chunk->n * 2 : 1);

        if (chunk->n > 0)
            memcpy(v, chunk->parts, chunk->n * sizeof(*v));
        chunk->parts = v;
    }
    chunk->parts[chunk->n++] = part;
}

static void add_exec_chunk(struct exec_vnode *ev, struct arena *arena,
                           struct exec_chunk chunk)
{
    /* This grows as in add_part(). The smaller array is left to the arena. */
    if ((ev->n & (ev->n - 1)) == 0) {
        struct exec_chunk *v =
            ARENA_ARRAY(arena, struct exec_chunk, ev->n ? ev->n * 2 : 1);

        if (ev->n > 0)
            memcpy(v, ev->chunks, ev->n * sizeof(*v));
        ev->chunks = v;
    }
    ev->chunks[ev->n++] = chunk;
}

/* Read "(part+part)", or one part without parentheses. */
static bool read_exec_chunk(const char **p, struct arena *arena, struct exec_chunk *ret)
{
    bool open = **p == '(';
    struct vnode_part part;

    *p += open;
    *ret = (struct exec_chunk){ 0 };
    for (;;) {
        if (!read_part(p, arena, &part))
            return false;
        add_part(ret, arena, part);
        /* Within parentheses a plus begins the next part of this chunk; without them it
         * begins the next chunk, which the caller reads. */
        if (!open || **p != '+')
            break;
        ++*p;
    }
    if (open && *(*p)++ != ')')
        return false;
    return true;
}

static bool read_exec_vnode(const char *p, struct arena *arena, struct exec_vnode *ret)
{
    struct exec_vnode ev = { 0 };
    struct exec_chunk chunk;

    for (;;) {
        if (!read_exec_chunk(&p, arena, &chunk))
            return false;
        add_exec_chunk(&ev, arena, chunk);
        if (!*p)
            break;
        if (*p++ != '+')
            return false;
    }
    MUST(ev.n > 0 && ev.chunks[0].n > 0); /* readers begin with the first part */
    *ret = ev;
    return true;
}

static int look_up(struct chunk_resource *res, const struct resource_defs *defs,
                   struct diag *why)
{
    struct attr_value v = { 0 };

    res->def = resource_find(defs, res->name);
    if (!res->def)
        return diag_set(why, PBSE_UNKRESC, "%s: %s", pbse_text(PBSE_UNKRESC),
                        res->name);
    /* The value is decoded to see that it can be, and thrown away: chunks keep texts.
     */
    if (resource_decode(res->def, defs, &v, res->value))
        return diag_code(why, PBSE_BADATVAL);
    res->def->type->clear(&v);
    return 0;
}

/* Walk over every pair that lies on the vnode 'on' (NULL: on any). */
#define EACH_PAIR(ev, on, res)                                                         \
    for (size_t c_ = 0; c_ < (ev)->n; c_++)                                            \
        for (size_t s_ = 0; s_ < (ev)->chunks[c_].n; s_++)                             \
            for (size_t r_ = 0; r_ < (ev)->chunks[c_].parts[s_].n; r_++)               \
                if (!(on) || strcasecmp((ev)->chunks[c_].parts[s_].vnode, on) == 0)    \
                    for (struct chunk_resource *res =                                  \
                             &(ev)->chunks[c_].parts[s_].res[r_];                      \
                         res; res = NULL)

int exec_vnode_parse(const char *text, const struct resource_defs *defs,
                     struct arena *arena, struct exec_vnode *ret, struct diag *why)
{
    struct exec_vnode ev;
    const char *any = NULL;

    if (!read_exec_vnode(text, arena, &ev))
        return diag_code(why, PBSE_BADATVAL);
    /* Without definitions only the grammar is checked. */
    if (defs)
        EACH_PAIR (&ev, any, res) {
            int err = look_up(res, defs, why);

            if (err)
                return err;
        }
    *ret = ev;
    return 0;
}

static void print_part(const struct vnode_part *part, struct buf *out)
{
    buf_add_str(out, part->vnode);
    for (size_t i = 0; i < part->n; i++) {
        buf_printf(out, ":%s=", part->res[i].name);
        chunk_value_print(part->res[i].value, out);
    }
}

const char *exec_vnode_print(const struct exec_vnode *ev, struct arena *arena)
{
    struct buf out = { 0 };
    const char *text;

    for (size_t i = 0; i < ev->n; i++) {
        /* Parentheses are always printed, also around a single part. */
        buf_add_str(&out, i ? "+(" : "(");
        for (size_t k = 0; k < ev->chunks[i].n; k++) {
            if (k)
                buf_add_char(&out, '+');
            print_part(&ev->chunks[i].parts[k], &out);
        }
        buf_add_char(&out, ')');
    }
    text = arena_strndup(arena, out.data ? out.data : "", out.len);
    buf_fini(&out);
    return text;
}

bool exec_vnode_has(const struct exec_vnode *ev, const char *vnode)
{
    for (size_t i = 0; i < ev->n; i++)
        for (size_t k = 0; k < ev->chunks[i].n; k++)
            if (strcasecmp(ev->chunks[i].parts[k].vnode, vnode) == 0)
                return true;
    return false;
}

/* The amount of a resource. Without a definition a number with letters behind it counts
 * as a size, any other as a number. */
static int64_t amount_of(const struct chunk_resource *res)
{
    const char *behind = res->value + strspn(res->value, "0123456789");
    struct size_value size;
    bool is_size = res->def ? res->def->type == &attr_size : *behind != '\0';

    if (is_size)
        return size_parse(res->value, &size) == 0 ? size_kib(&size) : 0;
    return strtoll(res->value, NULL, 10);
}

int64_t vnode_part_amount(const struct vnode_part *part, const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < part->n; i++)
        if (strcasecmp(part->res[i].name, resource) == 0 &&
            __builtin_add_overflow(sum, amount_of(&part->res[i]), &sum))
            /* A text may name a resource as often as it likes; the sum stays at the
             * end of its range. */
            sum = INT64_MAX;
    return sum;
}

int64_t exec_vnode_amount(const struct exec_vnode *ev, const char *vnode,
                          const char *resource)
{
    int64_t sum = 0;

    EACH_PAIR (ev, vnode, res) {
        if (strcasecmp(res->name, resource) == 0 &&
            __builtin_add_overflow(sum, amount_of(res), &sum))
            sum = INT64_MAX;
    }
    return sum;
}

void exec_vnode_sum(const struct exec_vnode *ev, const char *vnode,
                    struct resources *sum)
{
    struct resources one = { 0 };

    EACH_PAIR (ev, vnode, res) {
        if (res->def &&
            resource_decode(res->def, NULL, resources_member(&one, res->def),
                            res->value) == 0)
            resources_add(sum, &one);
        /* A value that cannot be read counts as none: the text was checked when it
         * came, and a definition may have changed its type since. */
        resources_clear(&one);
    }
}
