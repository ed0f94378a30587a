/* test_indirect.c - resources that vnodes borrow from one another: what is charged
 * where, who has room, and what MoMs say of them (attributes.md 6.4, tpp.md 5.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include "server/model/indirect.h"
#include "server/model/resv_fit.h"

#include <string.h>

static const char *node_value(struct rig *r, const char *node, const char *attr)
{
    const char *text = rig_value(r, RIG_ROOT, BATCH_STATUS_NODE, node, attr);

    return text ? text : "";
}

static int set_node(struct rig *r, const char *node, const char *attrs)
{
    return rig_manager(r, RIG_ROOT, SET, OBJECT_NODE, node, attrs);
}

#define VNODE(name, attrs)                                                             \
    {                                                                                  \
        name, ARRAY_LEN(attrs), attrs                                                  \
    }
#define AVAIL(resource) "resources_available." resource

static void report(struct fake_mom *fm, struct is_vnode *vnodes, size_t n)
{
    struct is_message msg = {
        .command = IS_REGISTERMOM,
        .state = { .pcpus = 4,
                   .acpus = 4,
                   .mem_kb = 1000000,
                   .arch = "linux",
                   .has_vnodes = true,
                   .modtime = ++fm->modtime,
                   .n_vnodes = n,
                   .vnodes = vnodes,
                   .version = "0.1" },
    };

    fake_hello(fm);
    fake_send(fm, &msg);
    CU_ASSERT_TRUE(rig_is_same(fm->r));
}

/* "w" has 10 of lic; "u" and "v" borrow them, "n1" has 4 of its own. */
static struct fake_mom library(void)
{
    struct is_vnode_attr own[] = { { AVAIL("ncpus"), "4", 0, 0 } };
    struct is_vnode vnodes[] = { VNODE("n1", own), VNODE("u", own), VNODE("v", own),
                                 VNODE("w", own) };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "lic", "type=long flag=hn");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_RESOURCE, "sz", "type=size flag=hn");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "w", "Mom=localhost");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "u", "Mom=localhost");
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_NODE, "v", "Mom=localhost");
    CU_ASSERT_EQUAL(set_node(r, "w",
                             "resources_available.lic=10 "
                             "resources_available.sz=1gb"),
                    0);
    CU_ASSERT_EQUAL(set_node(r, "n1", "resources_available.lic=4"), 0);
    CU_ASSERT_EQUAL(set_node(r, "u",
                             "resources_available.lic=@w "
                             "resources_available.sz=@w"),
                    0);
    CU_ASSERT_EQUAL(set_node(r, "v", "resources_available.LIC=@w"), 0);
    report(&fm, vnodes, ARRAY_LEN(vnodes));
    return fm;
}

static const char *job_on(struct fake_mom *fm, const char *select, const char *vnodes)
{
    const char *id =
        submit(fm->r, RIG_USER, "",
               arena_printf(fm->r->arena, "Resource_List.select=%s", select), "x\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL(run_job(fm->r, id, vnodes), 0);
    CU_ASSERT_TRUE(rig_is_same(fm->r));
    return id;
}

#define CHECK(r, node, resource, want)                                                 \
    CU_ASSERT_STRING_EQUAL(node_value(r, node, "resources_assigned." resource), want)

static void what_is_borrowed_is_charged_at_home(void)
{
    struct fake_mom fm = library();
    struct rig *r = fm.r;

    job_on(&fm, "1:ncpus=1:lic=3:sz=100mb", "(u:ncpus=1:lic=3:sz=100mb)");
    job_on(&fm, "1:ncpus=1:lic=2+1:ncpus=1:lic=1",
           "(v:ncpus=1:lic=2)+(n1:ncpus=1:lic=1)");
    CHECK(r, "w", "lic", "5");
    CHECK(r, "w", "sz", "100mb");
    CHECK(r, "w", "ncpus", "0");
    CHECK(r, "u", "lic", "@w");
    CHECK(r, "u", "ncpus", "1");
    CHECK(r, "n1", "lic", "1");
    rig_restart(r);
    CHECK(r, "w", "lic", "5");
    rig_free(r);
}

/* What runs is counted where the reference leads now. */
static void a_reference_moves_what_is_charged(void)
{
    struct fake_mom fm = library();
    struct rig *r = fm.r;

    job_on(&fm, "1:ncpus=1:lic=3", "(u:ncpus=1:lic=3)");
    CU_ASSERT_EQUAL(set_node(r, "u", "resources_available.lic=@n1"), 0);
    CHECK(r, "w", "lic", "0");
    CHECK(r, "n1", "lic", "3");
    CU_ASSERT_TRUE(rig_is_same(r));
    CU_ASSERT_EQUAL(set_node(r, "u", "resources_available.lic=7"), 0);
    CHECK(r, "n1", "lic", "0");
    CHECK(r, "u", "lic", "3");
    CU_ASSERT_EQUAL(set_node(r, "u", "resources_available.lic=@w"), 0);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, UNSET, OBJECT_NODE, "u", "resources_available.lic="),
        0);
    CHECK(r, "w", "lic", "0");
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void all_that_share_one_amount_have_room_in_it(void)
{
    static const struct {
        const char *story, *vnodes;
        bool fits;
    } rows[] = {
        { "all that is left", "(v:ncpus=1:lic=7)", true },
        { "one more", "(v:ncpus=1:lic=8)", false },
        { "at home", "(w:lic=7)", true },
        { "one more at home", "(w:lic=8)", false },
        { "through both", "(v:lic=3)+(u:lic=4)", true },
        { "through both, one more", "(v:lic=3)+(u:lic=5)", false },
        { "through one and at home", "(v:lic=3)+(w:lic=5)", false },
        { "twice through one", "(v:lic=4)+(v:lic=4)", false },
        { "where it is not shared", "(n1:lic=4)+(v:lic=7)", true },
        { "where it is not shared, one more", "(n1:lic=5)", false },
        { "another resource", "(u:sz=1gb)", true },
        { "another resource, too much", "(u:sz=1025mb)", false },
    };
    struct fake_mom fm = library();
    struct rig *r = fm.r;
    const struct job *job;

    job_on(&fm, "1:ncpus=1:lic=3", "(u:ncpus=1:lic=3)");
    job = TO_JOB(the_job(r, submit(r, RIG_USER, "", "", NULL)));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct exec_vnode ev;

        CU_ASSERT_EQUAL_FATAL(exec_vnode_parse(rows[i].vnodes, svr_model(r->s)->defs,
                                               r->arena, &ev, NULL),
                              0);
        if (resv_fit_job(svr_model(r->s), job, &ev, r->now_at, r->arena) !=
            rows[i].fits) {
            printf("%s\n", rows[i].story);
            CU_FAIL("judged wrongly");
        }
    }
    rig_free(r);
}

static void a_vnode_of_its_own_asks_nobody(void)
{
    struct fake_mom fm = library();
    const struct model *m = svr_model(fm.r->s);

    CU_ASSERT_TRUE(node_shares(model_node(m, "w"), "lic"));
    CU_ASSERT_TRUE(node_shares(model_node(m, "v"), "lic"));
    CU_ASSERT_FALSE(node_shares(model_node(m, "v"), "sz"));
    CU_ASSERT_FALSE(node_shares(model_node(m, "w"), "ncpus"));
    CU_ASSERT_FALSE(node_shares(model_node(m, "n1"), "lic"));
    CU_ASSERT_PTR_EQUAL(node_home(model_node(m, "v"), "Lic"), model_node(m, "w"));
    rig_free(fm.r);
}

/* What a MoM says. */

static void a_resource_that_nobody_knows_is_defined(void)
{
    struct is_vnode_attr a[] = {
        { AVAIL("ncpus"), "4", 0, 0 },
        { AVAIL("gpus"), "3", 1, 0x20000 | 0x8000 },
        { AVAIL("colour"), "red", 3, 0 },
        { AVAIL("tags"), "a,b", 4, 0x20000 },
        { AVAIL("untyped"), "5", 0, 0 },
        { AVAIL("odd"), "5", 77, 0 },
        { AVAIL("wrong"), "x", 1, 0x20000 | 0x8000 },
        { AVAIL("mem"), "5", 1, 0 }, /* is a size */
        { AVAIL("bad name"), "5", 1, 0 },
    };
    struct is_vnode_attr b[] = {
        { AVAIL("GPUS"), "2", 1, 0 },
        { AVAIL("colour"), "blue", 0, 0 },
    };
    struct is_vnode vnodes[] = { VNODE("n1", a), VNODE("x[0]", b) };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;
    const struct resource_def *def;

    report(&fm, vnodes, 2);
    CU_ASSERT_FALSE(rig_logged(r, "resource untyped"));
    CU_ASSERT_TRUE(rig_logged(r, "error: resource mem for vnode n1 cannot be defined"));
    CU_ASSERT_TRUE(rig_logged(r, "error: resource odd for vnode n1"));
    def = resource_find(svr_model(r->s)->defs, "gpus");
    CU_ASSERT_PTR_NOT_NULL_FATAL(def);
    CU_ASSERT_STRING_EQUAL(resource_type_name(def), "long");
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_RESOURCE, "gpus", "flag"), "hn");
    CU_ASSERT_STRING_EQUAL(node_value(r, "n1", AVAIL("gpus")), "3");
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("gpus")), "2");
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("colour")), "blue");
    CU_ASSERT_STRING_EQUAL(node_value(r, "n1", AVAIL("tags")), "a,b");
    CHECK(r, "n1", "gpus", ""); /* nobody has used it */
    CU_ASSERT_PTR_NULL(resource_find(svr_model(r->s)->defs, "untyped"));
    CU_ASSERT_PTR_NULL(resource_find(svr_model(r->s)->defs, "odd"));
    CU_ASSERT_PTR_NULL(resource_find(svr_model(r->s)->defs, "bad name"));
    CU_ASSERT_STRING_EQUAL(node_value(r, "n1", AVAIL("wrong")), "");
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("gpus")), "2");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, 1, OBJECT_RESOURCE, "gpus", ""), 0);
    rig_free(r);
}

static void a_mom_lets_its_vnodes_borrow(void)
{
    struct is_vnode_attr a[] = { { AVAIL("lic"), "@n1", 1, 0x20000 | 0x8000 } };
    struct is_vnode_attr b[] = { { AVAIL("lic"), "@x[0]", 0, 0 },
                                 { AVAIL("sz"), "@nosuch", 5, 0x20000 | 0x8000 } };
    struct is_vnode_attr home[] = { { AVAIL("ncpus"), "4", 0, 0 },
                                    { AVAIL("lic"), "9", 1, 0x20000 | 0x8000 } };
    struct is_vnode_attr own[] = { { AVAIL("lic"), "2", 0, 0 } };
    struct is_vnode first[] = { VNODE("x[0]", a), VNODE("x[1]", b), VNODE("n1", home) };
    struct is_vnode then[] = { VNODE("x[0]", own), VNODE("n1", home) };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    report(&fm, first, 3); /* n1 has nothing to lend before this report */
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("lic")), "@n1");
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[1]", AVAIL("lic")), "");
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[1]", AVAIL("sz")), "");
    job_on(&fm, "1:lic=3", "(x[0]:lic=3)");
    CHECK(r, "n1", "lic", "3");
    report(&fm, first, 3);
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("lic")), "@n1");
    report(&fm, then, 2);
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("lic")), "2");
    CHECK(r, "n1", "lic", "0");
    rig_free(r);
}

/* Those that borrow are made before the one that lends. */
static void a_home_may_come_after_those_that_borrow(void)
{
    struct is_vnode_attr a[] = { { AVAIL("lic"), "@x[1]", 0, 0 } };
    struct is_vnode_attr home[] = { { AVAIL("lic"), "9", 1, 0x20000 | 0x8000 } };
    struct is_vnode_attr plain[] = { { AVAIL("ncpus"), "4", 0, 0 } };
    struct is_vnode_attr typed[] = { { AVAIL("lic"), "@x[1]", 1, 0x20000 | 0x8000 } };
    struct is_vnode vnodes[] = { VNODE("n1", plain), VNODE("x[0]", typed),
                                 VNODE("x[1]", home), VNODE("x[2]", a) };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    report(&fm, vnodes, 4);
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("lic")), "@x[1]");
    job_on(&fm, "1:lic=3+1:lic=2", "(x[0]:lic=3)+(x[2]:lic=2)");
    CHECK(r, "x[1]", "lic", "5");
    CU_ASSERT_EQUAL(model_node(svr_model(r->s), "x[1]")->n_referrers, 2);
    rig_restart(r);
    CHECK(r, "x[1]", "lic", "5");
    rig_free(r);
}

/* A manager's reference stays whatever the MoM reports, and so does his value. */
static void a_managers_reference_is_not_the_moms(void)
{
    struct is_vnode_attr home[] = { { AVAIL("ncpus"), "4", 0, 0 },
                                    { AVAIL("lic"), "9", 1, 0x20000 | 0x8000 } };
    struct is_vnode_attr a[] = { { AVAIL("lic"), "5", 0, 0 } };
    struct is_vnode_attr b[] = { { AVAIL("lic"), "@n1", 0, 0 } };
    struct is_vnode first[] = { VNODE("n1", home), VNODE("x[0]", a), VNODE("x[1]", b) };
    struct fake_mom fm = fake_mom_new();
    struct rig *r = fm.r;

    report(&fm, first, 3);
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("lic")), "5");
    CU_ASSERT_EQUAL(set_node(r, "x[0]", "resources_available.lic=@n1"), 0);
    CU_ASSERT_EQUAL(set_node(r, "x[1]", "resources_available.lic=4"), 0);
    report(&fm, first, 3);
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[0]", AVAIL("lic")), "@n1");
    CU_ASSERT_STRING_EQUAL(node_value(r, "x[1]", AVAIL("lic")), "4");
    rig_free(r);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what is borrowed is charged at home", what_is_borrowed_is_charged_at_home },
        { "a reference moves what is charged", a_reference_moves_what_is_charged },
        { "all that share one amount have room in it",
          all_that_share_one_amount_have_room_in_it },
        { "a vnode of its own asks nobody", a_vnode_of_its_own_asks_nobody },
        { "a resource that nobody knows is defined",
          a_resource_that_nobody_knows_is_defined },
        { "a MoM lets its vnodes borrow", a_mom_lets_its_vnodes_borrow },
        { "a home may come after those that borrow",
          a_home_may_come_after_those_that_borrow },
        { "a manager's reference is not the MoM's",
          a_managers_reference_is_not_the_moms },
    };

    return unit_main("indirect resources", cases, ARRAY_LEN(cases));
}
