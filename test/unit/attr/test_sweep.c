/* Sweeps: random texts into every decoder. None may crash; what is accepted must print
 * as a text that gives the same value again; what is refused must leave the value
 * alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/row.h"
#include "lib/attr/select.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 4000

static struct resource_defs *defs;
static uint64_t seed;

static uint32_t roll(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

/* Pieces that decoders know, and single bytes of any kind. */
static void random_text(struct buf *out)
{
    static const char *const pieces[] = {
        "ncpus",
        "=",
        ":",
        "+",
        "(",
        ")",
        "1",
        "2",
        "vn[0]",
        "mem",
        "gb",
        "kb",
        "w",
        "-",
        ",",
        "[u:",
        "]",
        "bob",
        "@",
        "*",
        "PBS_ALL",
        "o:",
        "\\",
        "\"",
        "'",
        "True",
        "free",
        "group",
        "excl",
        ".",
        "99999999999999999999",
        "0x",
        "#excl",
        "ppn",
        "nodes",
        " ",
        "\n",
        "down",
        "offline",
        "R",
        "S1",
        ".svr",
        "scatter",
        "arch",
        "9",
        "e",
        "5pb",
        "/",
    };
    uint32_t n = roll(12);

    buf_clear(out);
    buf_add(out, "", 0);
    for (uint32_t i = 0; i < n; i++) {
        if (roll(8) == 0)
            buf_add_char(out, (char)(1 + roll(255)));
        else
            buf_add_str(out, pieces[roll(ARRAY_LEN(pieces))]);
    }
}

static const struct attr_type *const types[] = {
    &attr_bool,      &attr_bool_words, &attr_long,     &attr_int64,
    &attr_float,     &attr_size,       &attr_duration, &attr_seconds,
    &attr_time,      &attr_string,     &attr_char,     &attr_strings,
    &attr_variables, &attr_acl_user,   &attr_acl_host, &attr_acl_group,
    &attr_hold,      &attr_jobname,    &attr_project,  &attr_node_state,
    &attr_select,    &attr_place,      &attr_nodes,    &attr_entity_limit,
};

/* A float loses digits when it is printed, and a bit of the vnode state has no word of
 * its own; both are stable from the second text on. */
static void check_round_trip(const struct attr_type *type, const struct attr_value *v,
                             struct arena *arena)
{
    const char *text = attr_value_text(type, v, arena);
    struct attr_value again = { 0 };

    CU_ASSERT_EQUAL(attr_value_set(type, &again, defs, NULL, text, WIRE_OP_SET), 0);
    CU_ASSERT_TRUE(str_same(attr_value_text(type, &again, arena), text));
    if (type != &attr_float && type != &attr_node_state)
        CU_ASSERT_EQUAL(type->compare(v, &again), 0);
    type->clear(&again);
}

static void test_simple_types(void)
{
    static const enum wire_op ops[] = { WIRE_OP_SET, WIRE_OP_INCR, WIRE_OP_DECR };
    struct buf text = { 0 };

    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        struct arena *arena = arena_new();
        struct attr_value v = { 0 };

        seed = 1 + t;
        for (int i = 0; i < ROUNDS; i++) {
            const char *before = attr_value_text(types[t], &v, arena);
            int err;

            random_text(&text);
            err = attr_value_set(types[t], &v, defs, NULL, text.data, ops[roll(3)]);
            if (err)
                CU_ASSERT_TRUE(str_same(before, attr_value_text(types[t], &v, arena)));
            /* Texts grow by "+="; start afresh now and then. An emptied list is set. */
            if (!err && v.set && *attr_value_text(types[t], &v, arena))
                check_round_trip(types[t], &v, arena);
            if (roll(16) == 0)
                types[t]->clear(&v);
            if (i % 64 == 0)
                arena_clear(arena);
        }
        types[t]->clear(&v);
        arena_free(arena);
    }
    buf_fini(&text);
}

static void test_types_with_members(void)
{
    const struct attr_type *const with[] = { &attr_resources,
                                             &attr_entity_limit_resource };
    static const enum wire_op ops[] = { WIRE_OP_SET, WIRE_OP_INCR, WIRE_OP_DECR };
    struct buf text = { 0 };

    for (size_t t = 0; t < ARRAY_LEN(with); t++) {
        struct arena *arena = arena_new();
        struct attr_value v = { 0 };

        seed = 100 + t;
        for (int i = 0; i < 4 * ROUNDS; i++) {
            const struct resource_def *def =
                resource_at(defs, roll((uint32_t)resource_count(defs)));
            const char *member;

            random_text(&text);
            if (attr_value_set(with[t], &v, defs, def->name, text.data, ops[roll(3)]) ==
                    0 &&
                (member = attr_value_member(with[t], &v, def->name, arena)) != NULL &&
                *member)
                CU_ASSERT_EQUAL(
                    attr_value_set(with[t], &v, defs, def->name, member, WIRE_OP_SET),
                    0);
            if (roll(8) == 0)
                attr_value_unset(with[t], &v, def->name);
            if (i % 64 == 0)
                arena_clear(arena);
        }
        with[t]->clear(&v);
        arena_free(arena);
    }
    buf_fini(&text);
}

static void sweep_select(const char *text, struct arena *arena)
{
    struct select sel, again;
    struct resources sum = { 0 };
    const char *printed;

    if (select_parse(text, defs, arena, &sel, NULL))
        return;
    printed = select_to_schedselect(&sel, NULL, arena);
    CU_ASSERT_EQUAL_FATAL(select_parse(printed, defs, arena, &again, NULL), 0);
    CU_ASSERT_STRING_EQUAL(select_to_schedselect(&again, NULL, arena), printed);
    select_sum(&sel, defs, &sum);
    resources_clear(&sum);
}

static void sweep_exec_vnode(const char *text, struct arena *arena)
{
    struct exec_vnode ev, again;
    struct resources sum = { 0 };
    const char *printed;

    if (exec_vnode_parse(text, defs, arena, &ev, NULL))
        return;
    printed = exec_vnode_print(&ev, arena);
    CU_ASSERT_EQUAL_FATAL(exec_vnode_parse(printed, defs, arena, &again, NULL), 0);
    CU_ASSERT_STRING_EQUAL(exec_vnode_print(&again, arena), printed);
    exec_vnode_sum(&ev, NULL, &sum);
    resources_clear(&sum);
}

static void test_specifications_and_ids(void)
{
    struct buf text = { 0 }, other = { 0 };
    struct arena *arena = arena_new();

    seed = 42;
    for (int i = 0; i < 8 * ROUNDS; i++) {
        struct place place;
        struct job_id id;
        const char *key;

        random_text(&text);
        random_text(&other);
        sweep_select(text.data, arena);
        sweep_exec_vnode(text.data, arena);
        (void)!place_parse(text.data, arena, &place, NULL);
        (void)!job_id_parse(text.data, arena, &id);
        (void)!resv_id_key(text.data, arena, &key);
        (void)job_name_is_valid(text.data);
        (void)queue_name_is_valid(text.data);
        (void)schedselect_is_subset(text.data, other.data);
        arena_clear(arena);
    }
    arena_free(arena);
    buf_fini(&text);
    buf_fini(&other);
}

/* Every start of a text that is good. */
static void test_cut_texts(void)
{
    static const char *const good[] = {
        "2:ncpus=1:mem=1gb:arch=\"a+b\"+1:ncpus=2",
        "(vn[0]:ncpus=1:mem=1gb+vn2:ncpus=1)+(vn3:ncpus=2)",
        "[u:PBS_GENERIC=5],[o:PBS_ALL=100],[g:\"a b\"=2]",
        "h1:ppn=2:accelerator+2#excl",
        "scatter:excl:group=host",
        "+x.y.z,*.a.b,-q.a.b,c.a.b",
        "100:59:59.999",
        "12[1-5:2].svr.a.b",
    };

    for (size_t g = 0; g < ARRAY_LEN(good); g++) {
        for (size_t len = 0; len <= strlen(good[g]); len++) {
            struct arena *arena = arena_new();
            char *text = xstrndup(good[g], len);

            for (size_t t = 0; t < ARRAY_LEN(types); t++) {
                struct attr_value v = { 0 };

                if (attr_value_set(types[t], &v, defs, NULL, text, WIRE_OP_SET) == 0 &&
                    v.set && *attr_value_text(types[t], &v, arena))
                    check_round_trip(types[t], &v, arena);
                types[t]->clear(&v);
            }
            sweep_select(text, arena);
            sweep_exec_vnode(text, arena);
            free(text);
            arena_free(arena);
        }
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "simple types stand any text", test_simple_types },
        { "types with members stand any text", test_types_with_members },
        { "specifications and ids stand any text", test_specifications_and_ids },
        { "texts may be cut anywhere", test_cut_texts },
    };
    int status;

    defs = resource_defs_new();
    status = unit_main("attr sweep", cases, ARRAY_LEN(cases));
    resource_defs_free(defs);
    return status;
}
