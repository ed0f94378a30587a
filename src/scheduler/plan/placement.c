/* placement.c - chunks on vnodes, read from and printed as exec_vnode
 * (scheduling.md 18).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/world.h"

#include <stdio.h>
#include <string.h>

struct placed *placement_add(struct placement *pl, struct arena *arena)
{
    ARENA_ROOM(arena, pl, chunks, 8);
    pl->chunks[pl->n] = (struct placed){ 0 };
    return &pl->chunks[pl->n++];
}

struct piece *placed_add(struct placed *pd, struct arena *arena, const struct world *w,
                         size_t vnode)
{
    MUST(vnode < w->n);
    ARENA_ROOM(arena, pd, pieces, 1);
    pd->pieces[pd->n] = (struct piece){
        .vnode = vnode,
        .amounts = arena_zero(arena, w->n_res * sizeof(int64_t)),
    };
    return &pd->pieces[pd->n++];
}

struct placed placed_keep(const struct world *w, const struct placed *pd)
{
    struct placed kept = { .incomplete = pd->incomplete };

    for (size_t i = 0; i < pd->n; i++) {
        const struct piece *from = &pd->pieces[i];
        struct piece *to = placed_add(&kept, w->arena, w, from->vnode);

        memcpy(to->amounts, from->amounts, w->n_res * sizeof(*to->amounts));
        to->n_needs = from->n_needs;
        if (from->needs)
            to->needs =
                arena_copy(w->arena, from->needs, from->n_needs * sizeof(*to->needs));
    }
    return kept;
}

bool placed_has(const struct placed *pd, size_t vnode)
{
    for (size_t i = 0; i < pd->n; i++)
        if (pd->pieces[i].vnode == vnode)
            return true;
    return false;
}

/* Add to an amount without leaving the range: a text may name a resource many times,
 * each time with AMOUNT_MAX. */
static void take(int64_t *sum, int64_t more)
{
    *sum = MIN_OF(*sum + more, AMOUNT_MAX);
}

/* Read what one vnode gives. A vnode that is not in the snapshot leaves the chunk
 * incomplete; a resource that is not known is left out, since nothing is counted by
 * it. */
static void read_part(const struct world *w, const struct vnode_part *part,
                      struct arena *arena, struct placed *pd)
{
    size_t vnode = world_vnode(w, part->vnode);
    struct piece *piece;

    if (vnode == SIZE_MAX) {
        pd->incomplete = true;
        return;
    }
    piece = placed_add(pd, arena, w, vnode);
    for (size_t i = 0; i < part->n; i++) {
        size_t res = snap_res_find(w->s, part->res[i].name);

        if (res != SIZE_MAX)
            take(&piece->amounts[res],
                 snap_need(&w->s->res.v[res], part->res[i].value));
    }
}

bool placement_read_into(const struct world *w, const char *exec_vnode,
                         struct arena *arena, struct placement *ret)
{
    struct exec_vnode ev;

    *ret = (struct placement){ 0 };
    if (!exec_vnode || exec_vnode_parse(exec_vnode, NULL, w->scratch, &ev, NULL) != 0)
        return false;
    for (size_t c = 0; c < ev.n; c++) {
        struct placed *pd = placement_add(ret, arena);

        for (size_t i = 0; i < ev.chunks[c].n; i++)
            read_part(w, &ev.chunks[c].parts[i], arena, pd);
    }
    return true;
}

bool placement_read(const struct world *w, const char *exec_vnode,
                    struct placement *ret)
{
    return placement_read_into(w, exec_vnode, w->arena, ret);
}

/* Print ":name=amount" in the form in which servers write it: sizes in kb, floats
 * without zeros at the end. */
static void print_amount(struct buf *out, const struct res *res, int64_t amount)
{
    char text[40];
    size_t len;

    switch (res->kind) {
    case RES_SIZE:
        buf_printf(out, ":%s=%lldkb", res->name, (long long)amount);
        return;
    case RES_FLOAT:
        snprintf(text, sizeof(text), "%lld.%04lld", (long long)(amount / FLOAT_SCALE),
                 (long long)(amount % FLOAT_SCALE));
        len = strlen(text);
        while (text[len - 1] == '0')
            text[--len] = '\0';
        if (text[len - 1] == '.')
            text[--len] = '\0';
        buf_printf(out, ":%s=%s", res->name, text);
        return;
    default:
        buf_printf(out, ":%s=%lld", res->name, (long long)amount);
    }
}

static void print_piece(const struct world *w, const struct piece *piece,
                        struct buf *out)
{
    MUST(piece->vnode < w->n);
    buf_add_str(out, w->s->vnodes[piece->vnode].name);
    for (size_t i = 0; i < piece->n_needs; i++)
        print_amount(out, &w->s->res.v[piece->needs[i]->res],
                     piece->amounts[piece->needs[i]->res]);
    /* A piece that was read from a text has no needs; its amounts are printed in the
     * order of the resources. */
    if (piece->needs)
        return;
    for (size_t r = 1; r < w->n_res; r++)
        if (piece->amounts[r])
            print_amount(out, &w->s->res.v[r], piece->amounts[r]);
}

const char *placement_print(const struct world *w, const struct placement *pl)
{
    struct buf out = { 0 };
    const char *text;

    for (size_t c = 0; c < pl->n; c++) {
        buf_add_str(&out, c ? "+(" : "(");
        for (size_t i = 0; i < pl->chunks[c].n; i++) {
            if (i > 0)
                buf_add_char(&out, '+');
            print_piece(w, &pl->chunks[c].pieces[i], &out);
        }
        buf_add_char(&out, ')');
    }
    text = arena_strndup(w->arena, out.data ? out.data : "", out.len);
    buf_fini(&out);
    return text;
}
