/* Unit tests of the members of a value: their order, and how many comparisons of names
 * it takes to list them. The program is linked with -Wl,--wrap=strcasecmp.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

int __real_strcasecmp(const char *a, const char *b);
int __wrap_strcasecmp(const char *a, const char *b);

static size_t n_comparisons;

int __wrap_strcasecmp(const char *a, const char *b)
{
    n_comparisons++;
    return __real_strcasecmp(a, b);
}

static struct resource_defs *defs;
static struct arena *arena;

#define N_RESOURCES 500
#define N_ENTITIES  8

/* Resources site000, site001 ... of the site, and for each of them a limit of every
 * entity. */
static void make_limits(struct attr_value *v)
{
    struct buf text = { 0 };
    struct diag why = { 0 };
    char name[16];

    for (int i = 0; i < N_ENTITIES; i++)
        buf_printf(&text, "%s[u:user%d=%d]", i ? "," : "", i, i + 1);
    for (int i = 0; i < N_RESOURCES; i++) {
        snprintf(name, sizeof(name), "site%03d", i);
        CU_ASSERT_EQUAL_FATAL(resource_define(defs, name, "long", "q", &why), 0);
        CU_ASSERT_EQUAL_FATAL(attr_value_set(&attr_entity_limit_resource, v, defs, name,
                                             text.data, WIRE_OP_SET),
                              0);
    }
    buf_fini(&text);
}

static void test_many_members_are_listed_by_few_comparisons(void)
{
    /* Twelve halvings order 4,000 entries; a generous factor is left to the way in
     * which the C library sorts. */
    const size_t most = (size_t)N_RESOURCES * N_ENTITIES * 12 * 4;
    struct attr_value v = { 0 };
    struct attr_members members;
    char name[16];

    make_limits(&v);
    n_comparisons = 0;
    members = attr_value_members(&attr_entity_limit_resource, &v, arena);
    CU_ASSERT_EQUAL_FATAL(members.n, N_RESOURCES);
    for (int i = 0; i < N_RESOURCES; i++) {
        snprintf(name, sizeof(name), "SITE%03d", i);
        CU_ASSERT_STRING_EQUAL(members.v[i].name + 4, name + 4);
        CU_ASSERT_PTR_EQUAL(attr_members_find(&members, name), members.v[i].text);
    }
    if (n_comparisons > most)
        printf("\n  %zu comparisons, at most %zu expected\n", n_comparisons, most);
    CU_ASSERT_TRUE(n_comparisons <= most);
    CU_ASSERT_STRING_EQUAL(members.v[7].text,
                           "[u:user0=1],[u:user1=2],[u:user2=3],[u:user3=4],"
                           "[u:user4=5],[u:user5=6],[u:user6=7],[u:user7=8]");
    attr_entity_limit_resource.clear(&v);
}

static void test_members_stand_as_they_are_first_printed(void)
{
    const struct attr_type *t = &attr_entity_limit_resource;
    struct attr_value v = { 0 };
    struct attr_members members;

    CU_ASSERT_EQUAL(attr_value_members(t, &v, arena).n, 0);
    /* Entries are ordered by kind and name first, so "u:bob" comes behind "g:all". */
    CU_ASSERT_EQUAL(attr_value_set(t, &v, defs, "mem", "[u:bob=1gb]", WIRE_OP_SET), 0);
    CU_ASSERT_EQUAL(
        attr_value_set(t, &v, defs, "ncpus", "[u:bob=2],[g:all=9]", WIRE_OP_SET), 0);
    members = attr_value_members(t, &v, arena);
    attr_entity_limit_resource.clear(&v);
    /* What was listed outlives the value. */
    CU_ASSERT_EQUAL_FATAL(members.n, 2);
    CU_ASSERT_STRING_EQUAL(members.v[0].name, "ncpus");
    CU_ASSERT_STRING_EQUAL(members.v[0].text, "[g:all=9],[u:bob=2]");
    CU_ASSERT_STRING_EQUAL(members.v[1].name, "mem");
    CU_ASSERT_STRING_EQUAL(members.v[1].text, "[u:bob=1gb]");
    CU_ASSERT_STRING_EQUAL(attr_members_find(&members, "MEM"), "[u:bob=1gb]");
    CU_ASSERT_PTR_NULL(attr_members_find(&members, "vmem"));
}

static void test_members_of_a_list_of_resources(void)
{
    const struct attr_type *t = &attr_resources;
    struct attr_value v = { 0 };
    struct attr_members members;

    CU_ASSERT_FALSE(attr_value_has_member(t, &v, "mem"));
    CU_ASSERT_EQUAL(attr_value_set(t, &v, defs, "ncpus", "2", WIRE_OP_SET), 0);
    CU_ASSERT_EQUAL(attr_value_set(t, &v, defs, "mem", "1gb", WIRE_OP_SET), 0);
    members = attr_value_members(t, &v, arena);
    CU_ASSERT_EQUAL_FATAL(members.n, 2);
    CU_ASSERT_STRING_EQUAL(members.v[0].name, "mem");
    CU_ASSERT_STRING_EQUAL(members.v[0].text, "1gb");
    CU_ASSERT_STRING_EQUAL(members.v[1].name, "ncpus");
    CU_ASSERT_TRUE(attr_value_has_member(t, &v, "MEM"));
    CU_ASSERT_FALSE(attr_value_has_member(t, &v, "vmem"));
    CU_ASSERT_FALSE(attr_value_has_member(&attr_string, &v, "mem"));
    t->clear(&v);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "many members are listed by few comparisons",
          test_many_members_are_listed_by_few_comparisons },
        { "members stand as they are first printed",
          test_members_stand_as_they_are_first_printed },
        { "members of a list of resources", test_members_of_a_list_of_resources },
    };
    int status;

    defs = resource_defs_new();
    arena = arena_new();
    status = unit_main("attr members", cases, ARRAY_LEN(cases));
    arena_free(arena);
    resource_defs_free(defs);
    return status;
}
