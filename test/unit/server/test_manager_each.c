/* test_manager_each.c - a Manager request about all vnodes, those of a host or all
 * queues takes several turns: it answers what one turn answers, and objects, rights and
 * clients may come and go meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define VNODES     8
#define ONE_A_TURN 60 /* a slice of so little has one object */
#define CONN       9001
#define TURNS_MOST 100

/* A rig with the vnodes n0, n1, ... of one MoM, the first of which is its natural one,
 * and a queue of a partition. */
static struct rig *sliced_rig(size_t slice_cost)
{
    struct rig *r;

    rig_slice_cost = slice_cost;
    r = rig_new();
    rig_slice_cost = 0;
    for (int i = 0; i < VNODES; i++)
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE,
                                    arena_printf(r->arena, "n%d", i), "Mom=n0"),
                        0);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_QUEUE, "q",
                                "queue_type=Execution partition=p1"),
                    0);
    rig_settle(r);
    return r;
}

static const struct wire_reply *manage(struct rig *r, uint64_t conn, const char *user,
                                       uint32_t command, uint32_t type,
                                       const char *name, const char *attrs)
{
    struct body_manage body = {
        .command = command,
        .object_type = type,
        .object_name = name,
        .attrs = rig_attrs(r, attrs),
    };

    return rig_ask_on(r, conn, user, BATCH_MANAGER, &body, NULL);
}

static const struct wire_reply *set_all(struct rig *r, const char *attrs)
{
    return manage(r, CONN, RIG_ROOT, SET, OBJECT_NODE, "@default", attrs);
}

/* The reply, NULL when it does not end; *ret_n turns (may be NULL). */
static const struct wire_reply *to_the_end(struct rig *r, int *ret_n)
{
    const struct wire_reply *reply = NULL;
    int n;

    for (n = 0; n < TURNS_MOST && !reply && svr_has_work(r->s); n++)
        reply = rig_go_on(r, CONN);
    if (ret_n)
        *ret_n = n;
    return reply;
}

static size_t n_with_comment(struct rig *r, const char *comment)
{
    size_t n = 0;

    MODEL_EACH (svr_model(r->s), OBJ_NODE, o)
        n += str_same(obj_str(o, NODE_A_COMMENT, NULL), comment);
    return n;
}

static size_t n_kept(const struct rig *r)
{
    return svr_model(r->s)->kinds[OBJ_REQUEST].n;
}

/* As if the store said something else of the one that is kept. */
static void edit_kept(struct rig *r, int attr, const char *text)
{
    const struct model *m = svr_model(r->s);
    const struct object *o = m->kinds[OBJ_REQUEST].first;
    struct records list = { 0 };
    struct record *rec;

    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    rec = record_add(&list, r->arena, FACT_SET, OBJ_REQUEST, o->id, "", r->now_at);
    record_change(rec, r->arena, attr, NULL, text);
    rec->seq = m->seq + 1;
    model_apply((struct model *)m, rec);
}

static void all_are_tried_and_then_set(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct wire_reply *reply;

    CU_ASSERT_PTR_NULL(set_all(r, "comment=x"));
    for (size_t i = 0; i < VNODES; i++) {
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
        CU_ASSERT_EQUAL(n_with_comment(r, "x"), 0);
        CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
    }
    CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(n_with_comment(r, "x"), 1);
    reply = to_the_end(r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_EQUAL(n_with_comment(r, "x"), VNODES);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* The models of two rigs have the same vnodes and queues, as a status shows them. */
static bool show_the_same(struct rig *a, struct rig *b)
{
    static const uint32_t kinds[] = { NOD, QUE };

    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        const struct wire_objects *x = rig_status(a, RIG_ROOT, kinds[k], "", "");
        const struct wire_objects *y = rig_status(b, RIG_ROOT, kinds[k], "", "");

        if (!x || !y || x->n != y->n)
            return false;
        for (size_t i = 0; i < x->n; i++) {
            if (!str_same(x->v[i].name, y->v[i].name) ||
                x->v[i].attrs.n != y->v[i].attrs.n)
                return false;
            for (size_t j = 0; j < x->v[i].attrs.n; j++)
                if (!str_same(x->v[i].attrs.v[j].value, y->v[i].attrs.v[j].value))
                    return false;
        }
    }
    return true;
}

static void slices_answer_what_one_turn_answers(void)
{
    static const struct {
        const char *before; /* of the vnodes n2 and n5 */
        uint32_t command, type;
        const char *name, *attrs;
        int code;
        const char *text;
    } cases[] = {
        { NULL, SET, OBJECT_NODE, "@default", "comment=x", 0, NULL },
        { NULL, SET, OBJECT_NODE, "", "resources_available.mem=7gb", 0, NULL },
        { NULL, UNSET, OBJECT_NODE, "@default", "comment", 0, NULL },
        { NULL, SET, OBJECT_NODE, "@default", "nosuch=x", PBSE_NOATTR, NULL },
        { NULL, SET, OBJECT_NODE, "@default", "Mom=x", PBSE_ATTRRO, NULL },
        { NULL, SET, OBJECT_NODE, "@default", "queue=nosuch", PBSE_GMODERR,
          "Modification failed for n0, n1, n2, n3, n4, n5, n6, n7" },
        { "queue=q", SET, OBJECT_NODE, "@default", "comment=x partition=p2",
          PBSE_GMODERR, "Modification failed for n2, n5" },
        { NULL, SET, OBJECT_HOST, "n0", "state+=offline", 0, NULL },
        { NULL, SET, OBJECT_HOST, "nosuch", "state+=offline", PBSE_UNKNODE, NULL },
        { "queue=q", SET, OBJECT_HOST, "n0", "comment=x partition=p2", PBSE_GMODERR,
          "Modification failed for n2, n5" },
        { NULL, DELETE, OBJECT_NODE, "@default", "", 0, NULL },
        { NULL, SET, OBJECT_QUEUE, "@default", "Priority=7", 0, NULL },
        { NULL, SET, OBJECT_QUEUE, "@default", "nosuch=7", PBSE_NOATTR, NULL },
        { "queue=q", SET, OBJECT_QUEUE, "@default", "queue_type=Route",
          PBSE_CANNOT_SET_ROUTE_QUE, NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig *a = sliced_rig(0), *b = sliced_rig(1);
        const struct wire_reply *x, *y;
        int n = 0;

        for (int k = 2; k <= 5 && cases[i].before; k += 3) {
            const char *id = k == 2 ? "n2" : "n5";

            rig_manager(a, RIG_ROOT, SET, OBJECT_NODE, id, cases[i].before);
            rig_manager(b, RIG_ROOT, SET, OBJECT_NODE, id, cases[i].before);
        }
        x = manage(a, CONN, RIG_ROOT, cases[i].command, cases[i].type, cases[i].name,
                   cases[i].attrs);
        y = manage(b, CONN, RIG_ROOT, cases[i].command, cases[i].type, cases[i].name,
                   cases[i].attrs);
        if (!y)
            y = to_the_end(b, &n);
        CU_ASSERT_PTR_NOT_NULL_FATAL(x);
        CU_ASSERT_PTR_NOT_NULL_FATAL(y);
        CU_ASSERT_EQUAL(x->code, cases[i].code);
        CU_ASSERT_EQUAL(y->code, cases[i].code);
        CU_ASSERT_TRUE(str_same(x->text, y->text));
        if (cases[i].text)
            CU_ASSERT_TRUE(str_same(x->text, cases[i].text));
        if (x->code != cases[i].code || y->code != cases[i].code)
            printf("case %zu: %d, %d %s\n", i, x->code, y->code,
                   x->text ? x->text : "");
        CU_ASSERT_TRUE(n > 0 || cases[i].code != 0);
        rig_settle(a);
        rig_settle(b);
        CU_ASSERT_TRUE(show_the_same(a, b));
        CU_ASSERT_TRUE(rig_is_same(b));
        rig_free(a);
        rig_free(b);
    }
}

/* Nothing is changed and nothing is told of a change when one refuses. */
static void one_that_refuses_refuses_all(void)
{
    for (size_t cost = 0; cost < 2; cost++) {
        struct rig *r = sliced_rig(cost);
        const struct wire_reply *reply;
        uint64_t seq;

        rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, "n7", "queue=q");
        seq = svr_model(r->s)->seq;
        reply = set_all(r, "comment=x partition=p2");
        CU_ASSERT_FALSE(rig_logged(r, "attributes set"));
        for (int i = 0; i < TURNS_MOST && !reply; i++) {
            reply = rig_go_on(r, CONN);
            CU_ASSERT_FALSE(rig_logged(r, "attributes set"));
        }
        CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
        CU_ASSERT_EQUAL(reply->code, PBSE_GMODERR);
        CU_ASSERT_STRING_EQUAL(reply->text, "Modification failed for n7");
        CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
        rig_free(r);
    }
}

/* What was tried may refuse when its turn comes: it is named, and the others are set.
 */
static void one_that_refuses_later_is_named(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct wire_reply *reply;

    CU_ASSERT_PTR_NULL(set_all(r, "partition=p2"));
    for (int i = 0; i < VNODES + 2; i++)
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, "n6", "queue=q"), 0);
    reply = to_the_end(r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_GMODERR);
    CU_ASSERT_STRING_EQUAL(reply->text, "Modification failed for n6");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n7", "partition"), "p2");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n0", "partition"), "p2");
    CU_ASSERT_PTR_NULL(rig_value(r, RIG_ROOT, NOD, "n6", "partition"));
    rig_free(r);
}

/* After a restart nobody waits for the names: the log has them. */
static void one_that_refuses_later_is_logged(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);

    CU_ASSERT_PTR_NULL(set_all(r, "partition=p2"));
    for (int i = 0; i < VNODES + 2; i++)
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    rig_restart(r);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, "n6", "queue=q"), 0);
    rig_go_on(r, CONN);
    CU_ASSERT_TRUE(rig_logged(r, "Modification failed for n6"));
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n7", "partition"), "p2");
    CU_ASSERT_EQUAL(n_kept(r), 0);
    rig_free(r);
}

/* In each turn of either round the vnode whose turn is next goes (the second one in the
 * place of the first, which is its MoM's natural one), and one comes. */
static void vnodes_come_and_go_meanwhile(void)
{
    for (int at = 0; at < 2 * VNODES - 1; at++) {
        struct rig *r = sliced_rig(ONE_A_TURN);
        const char *gone = arena_printf(r->arena, "n%d", at % VNODES ? at % VNODES : 1);
        const struct wire_reply *reply;
        size_t n;

        CU_ASSERT_PTR_NULL(set_all(r, "comment=x"));
        for (int i = 0; i < at; i++)
            CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, gone, ""), 0);
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "late", "Mom=n0"),
                        0);
        reply = to_the_end(r, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
        CU_ASSERT_EQUAL(reply->code, 0);
        n = n_with_comment(r, "x");
        CU_ASSERT_EQUAL(n, VNODES); /* all but the one that went, and the new one */
        CU_ASSERT_TRUE(rig_is_same(r));
        rig_free(r);
    }
}

static void all_go_from_the_last_to_the_first(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct wire_reply *reply;

    CU_ASSERT_PTR_NULL(manage(r, CONN, RIG_ROOT, DELETE, OBJECT_NODE, "@default", ""));
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_NODE].n, VNODES);
    CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    CU_ASSERT_TRUE(rig_logged(r, "deleted at request of root@svr.example"));
    CU_ASSERT_PTR_NULL(model_node(svr_model(r->s), "n7"));
    /* The one whose turn is next is deleted by somebody else. */
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "n6", ""), 0);
    CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    CU_ASSERT_FALSE(rig_logged(r, "deleted at request"));
    CU_ASSERT_PTR_NULL(model_node(svr_model(r->s), "n5"));
    reply = to_the_end(r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_TRUE(rig_logged(r, "Server has empty nodes list"));
    CU_ASSERT_EQUAL(svr_model(r->s)->kinds[OBJ_NODE].n, 0);
    rig_free(r);
}

/* Others delete the last ones: nobody is told twice that there are none. */
static void the_rest_is_deleted_by_others(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct wire_reply *reply;

    manage(r, CONN, RIG_ROOT, DELETE, OBJECT_NODE, "@default", "");
    for (int i = 0; i < VNODES - 1; i++)
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE, "n0", ""), 0);
    CU_ASSERT_TRUE(rig_logged(r, "Server has empty nodes list"));
    reply = to_the_end(r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_FALSE(rig_logged(r, "Server has empty nodes list"));
    rig_free(r);
}

/* In the first round nothing is changed and the request is refused; in the second it
 * comes to its end, with the rights of its user and before the server ends. */
static void rights_that_go_end_what_has_not_begun(void)
{
    for (int turns = 2; turns <= VNODES + 2; turns += VNODES) {
        struct rig *r = sliced_rig(ONE_A_TURN);
        bool begun = turns > VNODES;
        const struct wire_reply *reply;

        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "operators=opal@" RIG_HOST);
        manage(r, CONN, "opal", SET, OBJECT_NODE, "@default", "comment=x");
        for (int i = 0; i < turns; i++)
            CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
        CU_ASSERT_EQUAL(n_with_comment(r, "x") > 0, begun);
        rig_manager(r, RIG_ROOT, UNSET, OBJECT_SERVER, "", "operators=");
        reply = to_the_end(r, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
        CU_ASSERT_EQUAL(reply->code, begun ? 0 : PBSE_PERM);
        CU_ASSERT_EQUAL(n_with_comment(r, "x"), begun ? VNODES : 0);
        CU_ASSERT_EQUAL(n_kept(r), 0);
        rig_free(r);
    }
}

/* The same of a store that is lost: what was changed is not un-changed, so the rest is
 * changed as well, and waits for the store with it. */
static void a_lost_store_ends_what_has_not_begun(void)
{
    for (int turns = 2; turns <= VNODES + 2; turns += VNODES) {
        struct rig *r = sliced_rig(ONE_A_TURN);
        bool begun = turns > VNODES;
        const struct wire_reply *reply;

        set_all(r, "comment=x");
        for (int i = 0; i < turns; i++)
            CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
        svr_set_store_failed(r->s, true);
        reply = to_the_end(r, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
        CU_ASSERT_EQUAL(reply->code, begun ? 0 : PBSE_SAVE_ERR);
        CU_ASSERT_EQUAL(n_with_comment(r, "x"), begun ? VNODES : 0);
        CU_ASSERT_EQUAL(n_kept(r), 0);
        rig_free(r);
    }
}

/* One that was only tried goes with its client, one that has changed something goes on.
 */
static void clients_go_meanwhile(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    struct effects none = { .arena = r->arena };

    set_all(r, "comment=x");
    rig_go_on(r, CONN);
    svr_client_gone(r->s, r->now_at, CONN, &none);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_EQUAL(n_with_comment(r, "x"), 0);
    set_all(r, "comment=x");
    for (int i = 0; i < VNODES + 2; i++)
        rig_go_on(r, CONN);
    svr_client_gone(r->s, r->now_at, CONN, &none);
    CU_ASSERT_PTR_NULL(to_the_end(r, NULL));
    CU_ASSERT_EQUAL(n_with_comment(r, "x"), VNODES);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

/* The server is killed behind each slice, and again behind the first one of its next
 * life: all or none are changed, and each once. */
static void a_killed_server_goes_on_where_it_was(void)
{
    static const struct {
        uint32_t command, type;
        const char *name, *attrs;
    } cases[] = {
        { SET, OBJECT_NODE, "@default", "comment=x resources_available.mem+=1gb" },
        { UNSET, OBJECT_NODE, "@default", "resources_available.mem" },
        { SET, OBJECT_HOST, "n0", "state+=offline resources_available.mem+=1gb" },
        { DELETE, OBJECT_NODE, "@default", "" },
        { SET, OBJECT_QUEUE, "@default", "Priority+=3" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool is_over = false;
        int n_begun = 0;

        for (int turns = 0; !is_over && turns < TURNS_MOST; turns++) {
            struct rig *r = sliced_rig(ONE_A_TURN), *changed = sliced_rig(0);
            struct rig *unchanged = sliced_rig(0);
            bool begun;

            set_all(unchanged, "resources_available.mem=5gb");
            set_all(changed, "resources_available.mem=5gb");
            manage(changed, CONN, RIG_ROOT, cases[i].command, cases[i].type,
                   cases[i].name, cases[i].attrs);
            set_all(r, "resources_available.mem=5gb");
            to_the_end(r, NULL);
            rig_settle(r);
            manage(r, CONN, RIG_ROOT, cases[i].command, cases[i].type, cases[i].name,
                   cases[i].attrs);
            for (int k = 0; k < turns; k++)
                is_over |= rig_go_on(r, CONN) != NULL;
            begun = n_kept(r) > 0;
            rig_slice_cost = ONE_A_TURN;
            rig_restart(r);
            CU_ASSERT_EQUAL(rig_logged(r, "of root@svr.example was under way"), begun);
            rig_go_on(r, CONN);
            rig_restart(r);
            rig_slice_cost = 0;
            CU_ASSERT_PTR_NULL(to_the_end(r, NULL));
            CU_ASSERT_EQUAL(n_kept(r), 0);
            CU_ASSERT_FALSE(svr_has_work(r->s));
            CU_ASSERT_TRUE(rig_is_same(r));
            CU_ASSERT_TRUE(show_the_same(r, begun || is_over ? changed : unchanged));
            rig_free(r);
            rig_free(changed);
            rig_free(unchanged);
            n_begun += begun;
        }
        CU_ASSERT_TRUE(is_over && n_begun > 0);
    }
}

/* Two of them, of two users who take turns, are kept, and the vnodes at which they were
 * are deleted. */
static void two_go_on_side_by_side(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);

    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "operators=opal@" RIG_HOST);
    set_all(r, "resources_available.mem=1gb");
    to_the_end(r, NULL);
    set_all(r, "resources_available.mem+=1gb");
    manage(r, CONN + 1, "opal", SET, OBJECT_HOST, "n0", "comment=y");
    for (int i = 0; i < 2 * VNODES + 6; i++)
        rig_go_on(r, CONN);
    CU_ASSERT_EQUAL(n_kept(r), 2);
    rig_slice_cost = ONE_A_TURN;
    rig_restart(r);
    rig_slice_cost = 0;
    for (int i = 1; i < VNODES - 1; i++)
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE,
                                    arena_printf(r->arena, "n%d", i), ""),
                        0);
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "late",
                "Mom=n0 resources_available.mem=7gb");
    to_the_end(r, NULL);
    CU_ASSERT_EQUAL(n_kept(r), 0);
    CU_ASSERT_EQUAL(n_with_comment(r, "y"), 3);
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n0", "resources_available.mem"),
                           "2gb");
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n7", "resources_available.mem"),
                           "2gb");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, NOD, "late", "resources_available.mem"), "8gb");
    rig_free(r);
}

/* What has had its turn has none again because it is the only one left. */
static void the_last_of_a_host_is_set_once(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct wire_reply *reply;

    set_all(r, "resources_available.mem=1gb");
    to_the_end(r, NULL);
    manage(r, CONN, RIG_ROOT, SET, OBJECT_HOST, "n0", "resources_available.mem+=1gb");
    for (int i = 0; i < VNODES + 2; i++)
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    for (int i = 1; i < VNODES; i++)
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE,
                                    arena_printf(r->arena, "n%d", i), ""),
                        0);
    reply = to_the_end(r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_STRING_EQUAL(rig_value(r, RIG_ROOT, NOD, "n0", "resources_available.mem"),
                           "2gb");
    rig_free(r);
}

/* All of them go while it is under way. */
static void a_host_goes_meanwhile(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct wire_reply *reply;

    manage(r, CONN, RIG_ROOT, SET, OBJECT_HOST, "n0", "comment=x");
    for (int i = 0; i < VNODES + 2; i++)
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    for (int i = VNODES - 1; i >= 0; i--)
        CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_NODE,
                                    arena_printf(r->arena, "n%d", i), ""),
                        0);
    reply = to_the_end(r, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_EQUAL(n_kept(r), 0);
    rig_free(r);
}

/* Only what takes more than one slice is kept. */
static void a_short_one_is_not_kept(void)
{
    struct rig *r = sliced_rig(0);

    CU_ASSERT_PTR_NOT_NULL(set_all(r, "comment=x"));
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_RECORD)
            CU_ASSERT_EQUAL(r->out.v[i].u.record->kind, OBJ_NODE);
    rig_free(r);
}

/* What a store that was edited, or another version, may say. */
static void one_that_cannot_be_read_is_told_and_dropped(void)
{
    static const struct {
        int attr;
        const char *text, *told;
    } cases[] = {
        { REQUEST_A_ASKED, NULL, "what was asked cannot be read" },
        { REQUEST_A_ASKED, "+2+1", "what was asked cannot be read" },
        /* a StatusServer of root */
        { REQUEST_A_ASKED, "+2+2+214+4root+0+0+0", "what was asked cannot be read" },
        { REQUEST_A_ACTOR, NULL, "who has asked cannot be read" },
        { REQUEST_A_ACTOR, "nobody", "who has asked cannot be read" },
        { REQUEST_A_ACTOR, "@host", "who has asked cannot be read" },
        { REQUEST_A_RIGHTS, NULL, "the rights of who has asked cannot be read" },
        { REQUEST_A_RIGHTS, "mx", "the rights of who has asked cannot be read" },
        { REQUEST_A_PLACE, NULL, "how far it has come cannot be read" },
        { REQUEST_A_PLACE, "-1", "how far it has come cannot be read" },
        { REQUEST_A_PLACE, "1 ", "how far it has come cannot be read" },
        { REQUEST_A_PLACE, "99999999999999999999",
          "how far it has come cannot be read" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig *r = sliced_rig(ONE_A_TURN);
        size_t n;

        set_all(r, "comment=x");
        for (int k = 0; k < VNODES + 2; k++)
            rig_go_on(r, CONN);
        n = n_with_comment(r, "x");
        edit_kept(r, cases[i].attr, cases[i].text);
        rig_restart(r);
        CU_ASSERT_TRUE(rig_logged(r, cases[i].told));
        if (!rig_logged(r, cases[i].told))
            printf("case %zu\n", i);
        CU_ASSERT_EQUAL(n_kept(r), 0);
        rig_settle(r);
        CU_ASSERT_FALSE(svr_has_work(r->s));
        CU_ASSERT_EQUAL(n_with_comment(r, "x"), n);
        rig_free(r);
    }
}

/* Another version may refuse what this one was content with. */
static void one_that_is_refused_later_is_dropped(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);

    set_all(r, "comment=x");
    for (int k = 0; k < VNODES + 2; k++)
        rig_go_on(r, CONN);
    edit_kept(r, REQUEST_A_RIGHTS, "u");
    rig_restart(r);
    CU_ASSERT_TRUE(rig_logged(r, "it goes on"));
    CU_ASSERT_PTR_NULL(to_the_end(r, NULL));
    CU_ASSERT_EQUAL(n_kept(r), 0);
    rig_free(r);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "all are tried and then set", all_are_tried_and_then_set },
        { "slices answer what one turn answers", slices_answer_what_one_turn_answers },
        { "one that refuses refuses all", one_that_refuses_refuses_all },
        { "one that refuses later is named", one_that_refuses_later_is_named },
        { "one that refuses later is logged", one_that_refuses_later_is_logged },
        { "vnodes come and go meanwhile", vnodes_come_and_go_meanwhile },
        { "all go from the last to the first", all_go_from_the_last_to_the_first },
        { "the rest is deleted by others", the_rest_is_deleted_by_others },
        { "rights that go end what has not begun",
          rights_that_go_end_what_has_not_begun },
        { "a lost store ends what has not begun",
          a_lost_store_ends_what_has_not_begun },
        { "clients go meanwhile", clients_go_meanwhile },
        { "a killed server goes on where it was",
          a_killed_server_goes_on_where_it_was },
        { "two go on side by side", two_go_on_side_by_side },
        { "the last of a host is set once", the_last_of_a_host_is_set_once },
        { "a host goes meanwhile", a_host_goes_meanwhile },
        { "a short one is not kept", a_short_one_is_not_kept },
        { "one that cannot be read is told and dropped",
          one_that_cannot_be_read_is_told_and_dropped },
        { "one that is refused later is dropped",
          one_that_is_refused_later_is_dropped },
    };

    return unit_main("manager requests about many", cases, ARRAY_LEN(cases));
}
