/* test_bounds.c - how much one request may say of an object, and that edits in many
 * entries do what they say in their order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/bounds.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

/* 'n' times the piece, with 'sep' between. */
static const char *times(struct rig *r, const char *piece, const char *sep, size_t n)
{
    struct buf b = { 0 };
    const char *text;

    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? sep : "", piece);
    text = arena_strndup(r->arena, b.data, b.len);
    buf_fini(&b);
    return text;
}

struct entry {
    const char *name, *resource;
    const char *piece, *sep; /* the value: n times the piece */
    size_t n;
    enum wire_op op;
};

static void add_entry(struct rig *r, struct wire_attrs *attrs, const struct entry *e)
{
    wire_attrs_add(attrs, r->arena, e->name, e->resource,
                   times(r, e->piece, e->sep ? e->sep : "", e->n), e->op);
}

static int queue_with(struct rig *r, const struct wire_attrs *attrs)
{
    const struct body_queue body = { .id = "", .destination = "", .attrs = *attrs };
    const struct wire_reply *reply =
        rig_ask(r, RIG_USER, BATCH_QUEUE_JOB, &body, ":C:");

    return reply ? reply->code : -1;
}

static void a_list_has_an_end(void)
{
    static const struct {
        struct entry e;
        const char *text;
    } cases[] = {
        { { "Variable_List", NULL, "a", ",", LIST_MAX_MEMBERS + 1, WIRE_OP_SET },
          "Variable_List: more than 65536 members" },
        { { "Variable_List", NULL, "a", ",", LIST_MAX_MEMBERS + 1, WIRE_OP_INCR },
          "Variable_List: more than 65536 members" },
        { { "User_List", NULL, "a", "", ORDERED_MAX_BYTES + 1, WIRE_OP_SET },
          "User_List: longer than 1 MiB" },
        { { "Resource_List", "select", "1", "+", SELECT_MAX_CHUNKS + 1, WIRE_OP_SET },
          "Resource_List.select: more than 10000 chunks" },
        { { "Resource_List", "nodes", "1", "+", SELECT_MAX_CHUNKS + 1, WIRE_OP_SET },
          "Resource_List.nodes: more than 10000 chunks" },
    };
    struct rig *r = rig_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct wire_attrs attrs = { 0 };

        add_entry(r, &attrs, &cases[i].e);
        CU_ASSERT_EQUAL(queue_with(r, &attrs), PBSE_BADATVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), cases[i].text));
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 0);
    }
    rig_free(r);
}

static void a_list_has_an_end_however_it_grows(void)
{
    static const struct entry half = { "Variable_List",      NULL,        "a", ",",
                                       LIST_MAX_MEMBERS / 2, WIRE_OP_INCR };
    static const struct entry one = {
        "Variable_List", NULL, "b", NULL, 1, WIRE_OP_INCR
    };
    struct rig *r = rig_new();
    struct wire_attrs attrs = { 0 };

    for (int i = 0; i < 2; i++)
        add_entry(r, &attrs, &half);
    add_entry(r, &attrs, &one);
    CU_ASSERT_EQUAL(queue_with(r, &attrs), PBSE_BADATVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), "more than 65536 members"));
    rig_free(r);
}

static void a_request_has_an_end(void)
{
    static const struct entry plus = { "Variable_List", NULL, "a=1", NULL, 1,
                                       WIRE_OP_INCR };
    struct rig *r = rig_new();
    struct wire_attrs attrs = { 0 };

    for (size_t i = 0; i < REQUEST_MAX_ENTRIES; i++)
        add_entry(r, &attrs, &plus);
    CU_ASSERT_EQUAL(queue_with(r, &attrs), 0);
    add_entry(r, &attrs, &plus);
    CU_ASSERT_EQUAL(queue_with(r, &attrs), PBSE_IVALREQ);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), "more than 10000 attributes"));
    rig_free(r);
}

/* A status may name one attribute often, as clients do, but not without end. */
static void a_status_names_attributes_in_bounds(void)
{
    struct rig *r = rig_new();
    struct body_status body = { .id = "" };
    const struct wire_reply *reply;

    for (size_t i = 0; i < REQUEST_MAX_ENTRIES; i++)
        wire_attrs_add(&body.wanted, r->arena, "server_state", NULL, "", WIRE_OP_SET);
    reply = rig_ask(r, RIG_USER, BATCH_STATUS_SERVER, &body, NULL);
    CU_ASSERT_EQUAL(reply->code, 0);
    wire_attrs_add(&body.wanted, r->arena, "server_state", NULL, "", WIRE_OP_SET);
    reply = rig_ask(r, RIG_USER, BATCH_STATUS_SERVER, &body, NULL);
    CU_ASSERT_EQUAL(reply->code, PBSE_IVALREQ);
    rig_free(r);
}

/* Each += walks over all of the text: short texts may be changed often, long ones not.
 */
static void long_texts_are_not_changed_often(void)
{
    static const struct entry name = { "Account_Name", NULL,       "ab", "",
                                       1 << 19,        WIRE_OP_SET };
    static const struct entry less = {
        "Account_Name", NULL, "x", NULL, 1, WIRE_OP_DECR
    };
    struct rig *r = rig_new();
    struct wire_attrs few = { 0 }, many = { 0 };

    add_entry(r, &few, &name);
    add_entry(r, &many, &name);
    for (int i = 0; i < 4; i++)
        add_entry(r, &few, &less);
    for (int i = 0; i < 10; i++)
        add_entry(r, &many, &less);
    CU_ASSERT_EQUAL(queue_with(r, &few), 0);
    CU_ASSERT_EQUAL(queue_with(r, &many), PBSE_IVALREQ);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), "Account_Name is changed too often"));
    rig_free(r);
}

static void a_criterion_has_an_end(void)
{
    static const struct entry fits = { "Resource_List",   "select",  "1", "+",
                                       SELECT_MAX_CHUNKS, WIRE_OP_EQ };
    static const struct entry over = { "Resource_List",       "select",  "1", "+",
                                       SELECT_MAX_CHUNKS + 1, WIRE_OP_EQ };
    struct rig *r = rig_new();
    struct body_select body = { 0 };

    add_entry(r, &body.criteria, &fits);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_SELECT_JOBS, &body, NULL)->code, 0);
    body.criteria = (struct wire_attrs){ 0 };
    add_entry(r, &body.criteria, &over);
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_SELECT_JOBS, &body, NULL)->code,
                    PBSE_BADATVAL);
    rig_free(r);
}

static void entries_are_carried_out_in_their_order(void)
{
    static const struct {
        const char *attrs;
        int code;
        const char *result; /* or the refusal's text */
    } cases[] = {
        { "acl_users=a,b acl_users-=a acl_users+=c", 0, "b,c" },
        { "acl_users+=d acl_users-=d acl_users+=d", 0, "b,c,d" },
        { "acl_users-=d acl_users-=d", 0, "b,c" },
        { "acl_users=x acl_users+=y acl_users=z acl_users+=a", 0, "a,z" },
        { "acl_users+=z", PBSE_DUPLIST, NULL },
        { "acl_users-=z acl_users+=z acl_users-=a", 0, "z" },
        /* Of two refusals the first one counts, wherever it is found. */
        { "acl_users+=z comment=x nosuch=1", PBSE_DUPLIST, NULL },
        { "comment=x nosuch=1 acl_users+=z", PBSE_NOATTR, NULL },
        { "acl_users+=q acl_users+=q acl_users=r", PBSE_DUPLIST, NULL },
        { "acl_users+=q acl_users=", 0, "q" }, /* what is empty goes first */
    };
    struct rig *r = rig_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int code = rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", cases[i].attrs);
        const char *users;

        if (code != cases[i].code)
            printf("%s: %d %s\n", cases[i].attrs, code, rig_text(r));
        CU_ASSERT_EQUAL(code, cases[i].code);
        users = rig_value(r, RIG_ROOT, SVR, "", "acl_users");
        CU_ASSERT_PTR_NOT_NULL(users);
        if (cases[i].result)
            CU_ASSERT_STRING_EQUAL(users, cases[i].result);
    }
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "a list has an end", a_list_has_an_end },
    { "a list has an end however it grows", a_list_has_an_end_however_it_grows },
    { "a status names attributes in bounds", a_status_names_attributes_in_bounds },
    { "a request has an end", a_request_has_an_end },
    { "long texts are not changed often", long_texts_are_not_changed_often },
    { "a criterion has an end", a_criterion_has_an_end },
    { "entries are carried out in their order",
      entries_are_carried_out_in_their_order },
};

int main(void)
{
    return unit_main("bounds", cases, ARRAY_LEN(cases));
}
