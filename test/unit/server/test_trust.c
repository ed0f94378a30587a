/* Unit tests of src/server/shell/trust.c: whose reserved ports count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/find_out.h"
#include "server/shell/lookups.h"
#include "server/shell/trust.h"

#include "../unit.h"
#include "harness.h"

#include <arpa/inet.h>
#include <string.h>

static struct rig *rig;
static char routers[] = "192.0.2.30:17001,192.0.2.31";
static struct conf conf = { .trusted_hosts = " 192.0.2.10, 192.0.2.11,,no.such.invalid",
                            .primary = "192.0.2.20",
                            .secondary = "192.0.2.21",
                            .made_routers = routers };
static struct shell sh = { .conf = &conf, .host = "this.host" };

static void setup(void)
{
    rig = rig_new();
    sh.svr = rig->s;
    sh.loop = loop_new();
    sh.find_out = find_out_new(&sh);
    sh.lookups = lookups_new(&sh, LOOKUP_PATIENCE_S);
}

static void teardown(void)
{
    find_out_free(sh.find_out);
    lookups_free(sh.lookups);
    loop_free(sh.loop);
    rig_free(rig);
}

static struct in_addr addr(const char *text)
{
    struct in_addr a = { 0 };

    CU_ASSERT_EQUAL(inet_pton(AF_INET, text, &a), 1);
    return a;
}

static bool told;

static void go_on(struct seeker *who)
{
    CU_ASSERT_FALSE(seeker_waits(who));
    told = true;
}

/* The answer, after as many turns as it takes to know it. */
static bool is_trusted(const char *text)
{
    struct seeker who = { .go_on = go_on };
    enum trust trust;

    while ((trust = trust_has(&sh, &who, addr(text))) == TRUST_LATER)
        for (told = false; !told;)
            loop_turn(sh.loop, true);
    seeker_end(&who);
    return trust == TRUST_YES;
}

static void test_configured_hosts_are_trusted(void)
{
    static const struct {
        const char *addr;
        bool trusted;
    } cases[] = {
        { "127.0.0.1", true },  { "127.9.9.9", true },    { "192.0.2.10", true },
        { "192.0.2.11", true }, { "192.0.2.20", true },   { "192.0.2.21", true },
        { "192.0.2.30", true }, { "192.0.2.31", true },   { "192.0.2.1", false },
        { "192.0.2.5", false }, { "192.0.2.100", false }, { "128.0.0.1", false },
    };

    setup();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        CU_ASSERT_EQUAL(is_trusted(cases[i].addr), cases[i].trusted);
    teardown();
}

static void test_hosts_with_nodes_are_trusted(void)
{
    setup();
    CU_ASSERT_FALSE(is_trusted("192.0.2.5"));
    CU_ASSERT_EQUAL(rig_manager(rig, "root", 0, 3, "192.0.2.5", ""), 0);
    CU_ASSERT_TRUE(is_trusted("192.0.2.5"));
    CU_ASSERT_FALSE(is_trusted("192.0.2.50"));
    CU_ASSERT_EQUAL(rig_manager(rig, "root", 1, 3, "192.0.2.5", ""), 0);
    CU_ASSERT_FALSE(is_trusted("192.0.2.5"));
    teardown();
}

static void test_own_addresses_bear_the_servers_name(void)
{
    struct seeker who = { .go_on = go_on };
    char name[64];

    setup();
    CU_ASSERT(trust_host_name(&sh, &who, addr("127.0.0.1"), name, sizeof(name)));
    CU_ASSERT_STRING_EQUAL(name, "this.host");
    /* Another address is looked up, never from inside of the question. */
    CU_ASSERT_FALSE(trust_host_name(&sh, &who, addr("192.0.2.77"), name, sizeof(name)));
    CU_ASSERT(seeker_waits(&who));
    for (told = false; !told;)
        loop_turn(sh.loop, true);
    CU_ASSERT(trust_host_name(&sh, &who, addr("192.0.2.77"), name, sizeof(name)));
    CU_ASSERT_STRING_EQUAL(name, "192.0.2.77");
    CU_ASSERT(seeker_is_back(&who));
    seeker_end(&who);
    teardown();
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "configured hosts are trusted", test_configured_hosts_are_trusted },
        { "hosts with nodes are trusted", test_hosts_with_nodes_are_trusted },
        { "own addresses bear the server's name",
          test_own_addresses_bear_the_servers_name },
    };

    return unit_main("trust", cases, ARRAY_LEN(cases));
}
