/* test_obj_attrs.c - values take memory when they are set, never move, and a copy that
 * is written leaves the other one alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/obj_attrs.h"

#include "lib/base/arena.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 100

static void put(struct obj_attrs *a, size_t row, int64_t num)
{
    *obj_attrs_put(a, row) = (struct attr_value){ .set = true, .u.num = num };
}

static int64_t get(const struct obj_attrs *a, size_t row)
{
    const struct attr_value *v = obj_attrs_get(a, row);

    return v->set ? v->u.num : -1;
}

static void values_stay_where_they_are(void)
{
    struct obj_attrs a;
    const struct attr_value *first;

    obj_attrs_init(&a, ROWS);
    CU_ASSERT_EQUAL(get(&a, 0), -1);
    CU_ASSERT_EQUAL(get(&a, ROWS - 1), -1);
    put(&a, 50, 50);
    first = obj_attrs_get(&a, 50);
    for (size_t i = 0; i < ROWS; i++)
        put(&a, i, (int64_t)i);
    CU_ASSERT_PTR_EQUAL(obj_attrs_get(&a, 50), first);
    for (size_t i = 0; i < ROWS; i++)
        CU_ASSERT_EQUAL(get(&a, i), (int64_t)i);
    /* Written again in its place. */
    put(&a, 50, 7);
    CU_ASSERT_EQUAL(a.n, ROWS);
    CU_ASSERT_EQUAL(first->u.num, 7);
    obj_attrs_fini(&a);
}

static void a_copy_is_written_alone(void)
{
    struct arena *arena = arena_new();
    struct obj_attrs a, view;

    obj_attrs_init(&a, ROWS);
    for (size_t i = 0; i < 20; i++)
        put(&a, i * 3, (int64_t)i);
    view = obj_attrs_view(&a, ROWS, arena);
    for (size_t i = 0; i < ROWS; i++) {
        CU_ASSERT_EQUAL(get(&view, i), get(&a, i));
        obj_attrs_view_put(&view, i, (struct attr_value){ .set = true, .u.num = 1000 },
                           arena);
    }
    for (size_t i = 0; i < ROWS; i++) {
        CU_ASSERT_EQUAL(get(&view, i), 1000);
        CU_ASSERT_EQUAL(get(&a, i), i % 3 || i >= 60 ? -1 : (int64_t)(i / 3));
    }
    view = obj_attrs_blank(ROWS, arena);
    CU_ASSERT_EQUAL(get(&view, 3), -1);
    obj_attrs_view_put(&view, 3, (struct attr_value){ .set = true, .u.num = 4 }, arena);
    CU_ASSERT_EQUAL(get(&view, 3), 4);
    obj_attrs_fini(&a);
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "values stay where they are", values_stay_where_they_are },
        { "a copy is written alone", a_copy_is_written_alone },
    };

    return unit_main("obj_attrs", cases, ARRAY_LEN(cases));
}
