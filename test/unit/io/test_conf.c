/* Unit tests of lib/io/conf.c and net.c: pbs.conf, the environment, addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conf.h"
#include "lib/io/net.h"

#include "../unit.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BASE "PBS_HOME=/h\nPBS_EXEC=/e\nPBS_SERVER=srv\n"

static char path[] = "/tmp/hf-conf-XXXXXX";

static int load(const char *text, bool env, struct conf **c, struct diag *why)
{
    FILE *f = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
    return conf_load_file(path, env, c, why);
}

static void test_defaults(void)
{
    struct conf *c;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(load(BASE, false, &c, &why), 0);
    CU_ASSERT_STRING_EQUAL(c->home, "/h");
    CU_ASSERT_STRING_EQUAL(c->mom_home, "/h");
    CU_ASSERT_STRING_EQUAL(c->environment, "/h/pbs_environment");
    CU_ASSERT_STRING_EQUAL(c->auth_method, "resvport");
    CU_ASSERT_STRING_EQUAL(c->supported_auth_methods, "resvport");
    CU_ASSERT_EQUAL(c->batch_port, 15001);
    CU_ASSERT_EQUAL(c->comm_threads, 4);
    CU_ASSERT_TRUE(c->use_mcast);
    CU_ASSERT_FALSE(c->start_mom);
    CU_ASSERT_PTR_NULL(c->leaf_name);
    CU_ASSERT_STRING_EQUAL(conf_routers(c), "srv");
    CU_ASSERT_STRING_EQUAL(conf_store(c), "sqlite:/h/server_priv/holdfast.db");
    CU_ASSERT_STRING_EQUAL(conf_cluster_key(c), "/h/cluster.key");
    CU_ASSERT_STRING_EQUAL(conf_server_socket(c), "/h/ipc/server.sock");
    conf_free(c);
}

/* In place of the system's: /etc/services has one of them. */
static int n_lookups;

int getservbyname_r(const char *name, const char *proto, struct servent *entry,
                    char *room, size_t size_bytes, struct servent **ret)
{
    (void)proto;
    (void)room;
    (void)size_bytes;
    n_lookups++;
    *entry = (struct servent){ .s_port = htons(7777) };
    *ret = strcmp(name, "pbs_mom") == 0 ? entry : NULL;
    return 0;
}

/* Each look-up costs a command about as much as all else that it reads. */
static void test_only_ports_that_are_not_set_are_looked_up(void)
{
    static const struct {
        const char *text;
        int n_lookups;
        unsigned mom_port, batch_port;
    } cases[] = {
        { BASE, 3, 7777, 15001 },
        { BASE "PBS_MOM_SERVICE_PORT=8\nPBS_BATCH_SERVICE_PORT=9\n", 1, 8, 9 },
        { BASE "PBS_MOM_SERVICE_PORT=x\nPBS_BATCH_SERVICE_PORT=0\n", 3, 7777, 15001 },
        { BASE "PBS_MOM_SERVICE_PORT=8\nPBS_BATCH_SERVICE_PORT=9\n"
               "PBS_MANAGER_SERVICE_PORT=2\n",
          0, 8, 9 },
    };
    struct conf *c;
    struct diag why;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        n_lookups = 0;
        CU_ASSERT_EQUAL_FATAL(load(cases[i].text, false, &c, &why), 0);
        CU_ASSERT_EQUAL(n_lookups, cases[i].n_lookups);
        CU_ASSERT_EQUAL(c->mom_port, cases[i].mom_port);
        CU_ASSERT_EQUAL(c->batch_port, cases[i].batch_port);
        conf_free(c);
    }
    n_lookups = 0;
    setenv("PBS_CONF_FILE", path, 1);
    CU_ASSERT_EQUAL_FATAL(conf_load_without_ports(&c, &why), 0);
    CU_ASSERT_EQUAL(n_lookups, 0);
    CU_ASSERT_STRING_EQUAL(c->server, "srv");
    conf_free(c);
    unsetenv("PBS_CONF_FILE");
}

static void test_lines(void)
{
    static const struct {
        const char *story, *text, *server;
        unsigned port;
    } cases[] = {
        { "blanks before and after", BASE "  PBS_SERVER=x \t\n", "x", 15001 },
        { "the last of two wins", BASE "PBS_SERVER=y\nPBS_SERVER=z\n", "z", 15001 },
        { "the old name of the server", BASE "PBS_DEFAULT=old\n", "old", 15001 },
        { "a comment", BASE "#PBS_SERVER=x\n", "srv", 15001 },
        { "a line without a sign", BASE "PBS_SERVER x\n", "srv", 15001 },
        { "an unknown name", BASE "PBS_NOTHING=x\n", "srv", 15001 },
        { "no quotes, no expansion", BASE "PBS_SERVER=\"$x\"\n", "\"$x\"", 15001 },
        { "no line end at the end", BASE "PBS_SERVER=last", "last", 15001 },
        { "a port", BASE "PBS_BATCH_SERVICE_PORT=4000\n", "srv", 4000 },
        { "no number", BASE "PBS_BATCH_SERVICE_PORT=many\n", "srv", 15001 },
        { "too large a port", BASE "PBS_BATCH_SERVICE_PORT=65536\n", "srv", 15001 },
        { "the largest port", BASE "PBS_BATCH_SERVICE_PORT=65535\n", "srv", 65535 },
        { "port zero", BASE "PBS_BATCH_SERVICE_PORT=0\n", "srv", 15001 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct conf *c;
        struct diag why;

        CU_ASSERT_EQUAL_FATAL(load(cases[i].text, false, &c, &why), 0);
        if (strcmp(c->server, cases[i].server) != 0 || c->batch_port != cases[i].port)
            fprintf(stderr, "%s: got %s, %u\n", cases[i].story, c->server,
                    c->batch_port);
        CU_ASSERT_STRING_EQUAL(c->server, cases[i].server);
        CU_ASSERT_EQUAL(c->batch_port, cases[i].port);
        conf_free(c);
    }
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        unsigned days; /* 30 unless it can be read */
    } cases[] = {
        { "7", 7 },           { " 7 days", 7 },
        { "0", 0 },           { "4294967295", 4294967295 },
        { "4294967296", 30 }, { "99999999999999999999", 30 },
        { "-1", 30 },         { "", 30 },
        { "x7", 30 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[200];
        struct conf *c;
        struct diag why;

        snprintf(text, sizeof(text), BASE "PBS_JOURNAL_DAYS=%s\n", cases[i].text);
        CU_ASSERT_EQUAL_FATAL(load(text, false, &c, &why), 0);
        CU_ASSERT_EQUAL(c->journal_days, cases[i].days);
        conf_free(c);
    }
}

static void test_refusals_name_the_culprit(void)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "",
          "pbsconf error: pbs conf variables not found: PBS_HOME PBS_EXEC PBS_SERVER" },
        { "PBS_EXEC=/e\nPBS_HOME=\n",
          "pbsconf error: pbs conf variables not found: PBS_HOME PBS_SERVER" },
        { BASE "PBS_SERVER_HOST_NAME=a:1\n",
          "pbsconf error: illegal value for: PBS_SERVER_HOST_NAME" },
        { BASE "PBS_MOM_NODE_NAME=a:1\n",
          "pbsconf error: illegal value for: PBS_MOM_NODE_NAME" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct conf *c = NULL;
        struct diag why;

        CU_ASSERT_NOT_EQUAL(load(cases[i].text, false, &c, &why), 0);
        CU_ASSERT_PTR_NULL(c);
        CU_ASSERT_STRING_EQUAL(why.text, cases[i].words);
    }
}

static void test_environment_overrides(void)
{
    struct conf *c;
    struct diag why;

    setenv("PBS_SERVER", "fromenv", 1);
    setenv("PBS_DEFAULT", "weaker", 1);
    setenv("PBS_SCHEDULER_MODIFY_EVENT", "1", 1);
    setenv("PBS_ENVIRONMENT", "PBS_BATCH", 1);
    setenv("TMPDIR", "/t", 1);
    CU_ASSERT_EQUAL_FATAL(load(BASE "PBS_TMPDIR=/file\n", true, &c, &why), 0);
    CU_ASSERT_STRING_EQUAL(c->server, "fromenv");
    CU_ASSERT_FALSE(c->sched_modify_event);
    CU_ASSERT_STRING_EQUAL(c->environment, "/h/pbs_environment");
    CU_ASSERT_STRING_EQUAL(c->tmpdir, "/t");
    conf_free(c);
    setenv("PBS_HOME", "/h2", 1);
    setenv("PBS_EXEC", "/e2", 1);
    CU_ASSERT_EQUAL_FATAL(conf_load_file("/nonexistent", true, &c, &why), 0);
    CU_ASSERT_STRING_EQUAL(c->home, "/h2");
    conf_free(c);
    unsetenv("PBS_HOME");
    unsetenv("PBS_EXEC");
    unsetenv("PBS_SERVER");
    unsetenv("PBS_DEFAULT");
    unsetenv("PBS_ENVIRONMENT");
    unsetenv("TMPDIR");
}

/* Which server a socket belongs to: the file's, unless the environment says more. */
static void test_another_port_has_a_socket_of_its_own(void)
{
    static const struct {
        const char *story, *text, *port, *home, *socket, *expect;
    } cases[] = {
        { "the file's port", BASE, "15001", NULL, NULL, "/h/ipc/server.sock" },
        { "another", BASE, "17001", NULL, NULL, "/h/ipc/server.17001.sock" },
        { "a socket in the file is of its port", BASE "PBS_SERVER_SOCKET=/s\n", "17001",
          NULL, NULL, "/h/ipc/server.17001.sock" },
        { "port and home are another server's", BASE, "17001", "/h2", NULL,
          "/h2/ipc/server.sock" },
        { "port and socket too", BASE, "17001", NULL, "/s2", "/s2" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct conf *c;
        struct diag why;

        setenv("PBS_BATCH_SERVICE_PORT", cases[i].port, 1);
        if (cases[i].home)
            setenv("PBS_HOME", cases[i].home, 1);
        if (cases[i].socket)
            setenv("PBS_SERVER_SOCKET", cases[i].socket, 1);
        CU_ASSERT_EQUAL_FATAL(load(cases[i].text, true, &c, &why), 0);
        if (strcmp(conf_server_socket(c), cases[i].expect) != 0)
            printf("%s: %s\n", cases[i].story, conf_server_socket(c));
        CU_ASSERT_STRING_EQUAL(conf_server_socket(c), cases[i].expect);
        conf_free(c);
        unsetenv("PBS_HOME");
        unsetenv("PBS_SERVER_SOCKET");
    }
    unsetenv("PBS_BATCH_SERVICE_PORT");
}

static void test_hosts_of_server_and_routers(void)
{
    static const struct {
        const char *text, *host, *routers;
    } cases[] = {
        { BASE "PBS_SERVER_HOST_NAME=real\n", "real", "real" },
        { BASE "PBS_PRIMARY=p\n", "srv", "srv" },
        { BASE "PBS_PRIMARY=p\nPBS_SECONDARY=s\n", "p", "p,s" },
        { BASE "PBS_LEAF_ROUTERS=r1:7,r2\n", "srv", "r1:7,r2" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct conf *c;
        struct diag why;

        CU_ASSERT_EQUAL_FATAL(load(cases[i].text, false, &c, &why), 0);
        CU_ASSERT_STRING_EQUAL(conf_server_host(c), cases[i].host);
        CU_ASSERT_STRING_EQUAL(conf_routers(c), cases[i].routers);
        conf_free(c);
    }
}

static void test_lists(void)
{
    CU_ASSERT_TRUE(conf_list_has("resvport,munge", "munge"));
    CU_ASSERT_TRUE(conf_list_has(" Resvport , munge ", "resvport"));
    CU_ASSERT_FALSE(conf_list_has("resvport,mungeX", "munge"));
    CU_ASSERT_FALSE(conf_list_has("resvport,,x", ""));
    CU_ASSERT_FALSE(conf_list_has(NULL, "munge"));
}

static void test_every_setting_is_described(void)
{
    size_t n;
    const struct conf_setting *s = conf_settings(&n);

    CU_ASSERT_TRUE(n > 40);
    for (size_t i = 0; i < n; i++) {
        CU_ASSERT_TRUE(s[i].doc && s[i].doc[strlen(s[i].doc) - 1] == '.');
        for (size_t j = 0; j < i; j++)
            CU_ASSERT_TRUE(strcmp(s[i].name, s[j].name) != 0 &&
                           s[i].offset != s[j].offset);
    }
}

static void test_host_and_port_are_split(void)
{
    static const struct {
        const char *text;
        bool ok;
        const char *host;
        unsigned port;
    } cases[] = {
        { "h", true, "h", 17001 },       { "h:5", true, "h", 5 },
        { "h:65535", true, "h", 65535 }, { "h:65536", false, NULL, 0 },
        { "h:0", false, NULL, 0 },       { "h:", false, NULL, 0 },
        { "h:5x", false, NULL, 0 },      { ":5", false, NULL, 0 },
        { "", false, NULL, 0 },          { "h:-1", false, NULL, 0 },
        { "12345678", false, NULL, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char host[8];
        unsigned port;
        bool ok = net_split(cases[i].text, 17001, host, sizeof(host), &port);

        CU_ASSERT_EQUAL(ok, cases[i].ok);
        if (ok) {
            CU_ASSERT_STRING_EQUAL(host, cases[i].host);
            CU_ASSERT_EQUAL(port, cases[i].port);
        }
    }
}

static void test_localhost_needs_no_resolver(void)
{
    static const char *const names[] = { "localhost", "LOCALHOST", "localhost.",
                                         "a.localhost", "vnode[3].localhost" };
    struct in_addr ip;
    struct diag why;

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        CU_ASSERT_EQUAL(net_resolve(names[i], &ip, &why), 0);
        CU_ASSERT_EQUAL(ntohl(ip.s_addr), INADDR_LOOPBACK);
    }
    /* None of these is a host name at all, with or without a name server. */
    CU_ASSERT_EQUAL(net_resolve("not localhost", &ip, &why), PBSE_BADHOST);
    CU_ASSERT_EQUAL(net_resolve(".", &ip, &why), PBSE_BADHOST);
    CU_ASSERT_EQUAL(net_resolve("", &ip, &why), PBSE_BADHOST);
}

static void test_names_and_addresses(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(80) };
    char text[NET_TEXT_BYTES], name[16];
    struct diag why;

    CU_ASSERT_EQUAL(net_resolve("127.0.0.1", &at.sin_addr, &why), 0);
    CU_ASSERT_STRING_EQUAL(net_text(&at, text), "127.0.0.1:80");
    CU_ASSERT_EQUAL(net_resolve("no such host", &at.sin_addr, &why), PBSE_BADHOST);
    net_short_name("a.b.c", name, sizeof(name));
    CU_ASSERT_STRING_EQUAL(name, "a");
}

static bool is(bool (*says)(struct in_addr addr), const char *addr)
{
    struct in_addr in = { 0 };

    CU_ASSERT_EQUAL(inet_pton(AF_INET, addr, &in), 1);
    return says(in);
}

static void test_whose_an_address_is(void)
{
    const char *other = "192.0.2.1"; /* no host has it (RFC 5737) */
    struct rlimit before, none;

    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &before), 0);
    CU_ASSERT_TRUE(is(net_is_own, "127.0.0.7"));
    CU_ASSERT_FALSE(is(net_is_foreign, "127.0.0.7"));
    CU_ASSERT_FALSE(is(net_is_own, other));
    CU_ASSERT_TRUE(is(net_is_foreign, other));

    /* Nothing is granted and nothing is spared while the kernel cannot be asked. */
    none = (struct rlimit){ .rlim_cur = 0, .rlim_max = before.rlim_max };
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    CU_ASSERT_FALSE(is(net_is_own, other));
    CU_ASSERT_FALSE(is(net_is_foreign, other));
    CU_ASSERT_TRUE(is(net_is_own, "127.0.0.7"));
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "unset names have their defaults", test_defaults },
        { "only ports that are not set are looked up",
          test_only_ports_that_are_not_set_are_looked_up },
        { "lines are read as the format says", test_lines },
        { "numbers: a sign or one that is too large leaves the default", test_numbers },
        { "refusals name the culprit", test_refusals_name_the_culprit },
        { "the environment overrides the file", test_environment_overrides },
        { "another port has a socket of its own",
          test_another_port_has_a_socket_of_its_own },
        { "hosts of server and routers follow the order",
          test_hosts_of_server_and_routers },
        { "lists are searched by whole words", test_lists },
        { "every setting is described once", test_every_setting_is_described },
        { "host and port are split", test_host_and_port_are_split },
        { "localhost needs no resolver", test_localhost_needs_no_resolver },
        { "names and addresses are told", test_names_and_addresses },
        { "whose an address is", test_whose_an_address_is },
    };
    int rc, fd = mkstemp(path);

    if (fd < 0)
        return 2;
    close(fd);
    rc = unit_main("conf", cases, ARRAY_LEN(cases));
    unlink(path);
    return rc;
}
