/* obj_attrs.c - see obj_attrs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/obj_attrs.h"

#include "lib/base/arena.h"

#include <stdlib.h>

const struct attr_value obj_attrs_unset;

static size_t n_pieces(size_t n_rows)
{
    return (n_rows + OBJ_ATTRS_PIECE - 1) / OBJ_ATTRS_PIECE;
}

void obj_attrs_init(struct obj_attrs *a, size_t n_rows)
{
    MUST(n_rows <= OBJ_ATTRS_MAX);
    *a = (struct obj_attrs){
        .place = xcalloc(n_rows, sizeof(*a->place)),
        .pieces = xcalloc(n_pieces(n_rows), sizeof(struct attr_value *)),
    };
}

void obj_attrs_fini(struct obj_attrs *a)
{
    for (size_t i = 0; i < n_pieces(a->n); i++)
        free(a->pieces[i]);
    free(a->pieces);
    free(a->place);
    *a = (struct obj_attrs){ 0 };
}

/* The next place is the row's; true when its piece has to be made. */
static bool take_place(struct obj_attrs *a, size_t row)
{
    MUST(!a->place[row] && a->n < OBJ_ATTRS_MAX);
    a->place[row] = ++a->n;
    return (a->n - 1) % OBJ_ATTRS_PIECE == 0;
}

struct attr_value *obj_attrs_put(struct obj_attrs *a, size_t row)
{
    if (!a->place[row] && take_place(a, row))
        a->pieces[(a->n - 1) / OBJ_ATTRS_PIECE] =
            xcalloc(OBJ_ATTRS_PIECE, sizeof(struct attr_value));
    return obj_attrs_at(a, row);
}

struct obj_attrs obj_attrs_blank(size_t n_rows, struct arena *arena)
{
    MUST(n_rows <= OBJ_ATTRS_MAX);
    return (struct obj_attrs){
        .place = ARENA_ARRAY(arena, uint8_t, n_rows),
        .pieces = ARENA_ARRAY(arena, struct attr_value *, n_pieces(n_rows)),
    };
}

struct obj_attrs obj_attrs_view(const struct obj_attrs *from, size_t n_rows,
                                struct arena *arena)
{
    struct obj_attrs view = *from;

    view.place = arena_copy(arena, from->place, n_rows * sizeof(*from->place));
    view.pieces =
        arena_copy(arena, from->pieces, n_pieces(n_rows) * sizeof(struct attr_value *));
    for (size_t i = 0; i < n_pieces(from->n); i++)
        view.pieces[i] = arena_copy(arena, from->pieces[i],
                                    OBJ_ATTRS_PIECE * sizeof(struct attr_value));
    return view;
}

void obj_attrs_view_put(struct obj_attrs *view, size_t row, struct attr_value value,
                        struct arena *arena)
{
    if (!view->place[row] && take_place(view, row))
        view->pieces[(view->n - 1) / OBJ_ATTRS_PIECE] =
            ARENA_ARRAY(arena, struct attr_value, OBJ_ATTRS_PIECE);
    *obj_attrs_at(view, row) = value;
}
