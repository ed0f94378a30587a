/* test_host_book.c - hosts of MoMs are asked for ahead: MoMs and clients that come
 * before the answer wait for it, and nobody else does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/host_book.h"

#include "test/unit/server/harness.h"

#include "../unit.h"

#include <string.h>

#define CONN     900 /* of a client that waits */
#define STREAM   7
#define MOM_PORT 15002

static const uint32_t far_addr = 0xc0000207, other_addr = 0xc0000208;

/* A server that knows nothing beforehand. */
static struct rig *asking_rig(void)
{
    struct rig *r;

    rig_finds_out = true;
    r = rig_new();
    rig_finds_out = false;
    return r;
}

static bool asks(const struct rig *r, const char *host)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_FIND_OUT &&
            strcmp(r->out.v[i].u.need.name, host) == 0)
            return true;
    return false;
}

/* 'addr' NULL: nobody could say. */
static void learn(struct rig *r, const char *host, const uint32_t *addr)
{
    const struct need need = { .kind = NEED_ADDRS, .name = host };
    const struct finding f = {
        .found = addr, .failed = !addr, .n_addrs = addr ? 1 : 0, .addrs = addr
    };

    r->out = (struct effects){ .arena = r->arena };
    svr_learned(r->s, r->now_at, &need, &f, &r->out);
}

/* A vnode on that host, which is known when 'addr' is given, and forgotten by the table
 * of what is known for everybody. */
static void make_node(struct rig *r, const char *host, const uint32_t *addr)
{
    const struct body_manage body = { .command = CREATE,
                                      .object_type = OBJECT_NODE,
                                      .object_name = host };
    static const uint32_t any = 0x0a0a0a0a;

    CU_ASSERT_PTR_NULL(rig_ask_on(r, CONN, RIG_ROOT, BATCH_MANAGER, &body, NULL));
    learn(r, host, &any); /* it is there */
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, 0);
    CU_ASSERT_TRUE(asks(r, host)); /* once, when the vnode is made */
    if (addr)
        learn(r, host, addr);
    r->now_at += 61;
}

static void say_hello(struct rig *r, uint64_t stream, const char *from)
{
    const struct is_message msg = { .command = IS_HELLOSVR, .mom_port = MOM_PORT };

    r->out = (struct effects){ .arena = r->arena };
    svr_mom_message(r->s, r->now_at, stream, from, MOM_PORT + 1, &msg, &r->out);
}

static bool is_greeted(const struct rig *r, uint64_t stream)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_MOM_MESSAGE &&
            r->out.v[i].u.mom.stream == stream &&
            r->out.v[i].u.mom.msg.command == IS_REPLYHELLO)
            return true;
    return false;
}

static void a_known_host_is_greeted_at_once(void)
{
    struct rig *r = asking_rig();

    make_node(r, "far", &far_addr);
    say_hello(r, STREAM, "192.0.2.7");
    CU_ASSERT_TRUE(is_greeted(r, STREAM));
    rig_free(r);
}

/* An address goes from one host to another while its MoM is connected. */
static void a_stream_is_one_moms(void)
{
    struct rig *r = asking_rig();

    make_node(r, "far", &far_addr);
    make_node(r, "near", &other_addr);
    say_hello(r, STREAM, "192.0.2.7");
    CU_ASSERT_TRUE(is_greeted(r, STREAM));
    learn(r, "far", &other_addr);
    learn(r, "near", &far_addr);
    say_hello(r, STREAM, "192.0.2.7"); /* now it is near */
    CU_ASSERT_TRUE(is_greeted(r, STREAM));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_MOM_CLOSE), 0);
    rig_free(r);
}

static void a_mom_waits_for_its_hosts_address(void)
{
    struct rig *r = asking_rig();

    make_node(r, "far", NULL);
    make_node(r, "near", NULL);
    say_hello(r, STREAM, "192.0.2.7");
    CU_ASSERT_FALSE(is_greeted(r, STREAM));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_MOM_CLOSE), 0);
    learn(r, "near", &other_addr);
    CU_ASSERT_FALSE(is_greeted(r, STREAM));
    learn(r, "far", &far_addr);
    CU_ASSERT_TRUE(is_greeted(r, STREAM));
    rig_free(r);
}

static void a_stranger_is_refused_when_all_hosts_are_known(void)
{
    struct rig *r = asking_rig();

    make_node(r, "far", NULL);
    learn(r, RIG_HOST, NULL);
    say_hello(r, STREAM, "192.0.2.99");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_MOM_CLOSE), 0);
    learn(r, "far", &far_addr);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_MOM_CLOSE), 1);
    CU_ASSERT_TRUE(rig_logged(r, "bad attempt to connect from 192.0.2.99:15003"));
    rig_free(r);
}

/* An answer that never comes ends the wait, and the MoM's next try asks again. */
static void an_answer_that_never_comes_is_given_up(void)
{
    struct rig *r = asking_rig();

    make_node(r, "far", NULL);
    say_hello(r, STREAM, "192.0.2.7");
    rig_advance(r, r->now_at + 30);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_MOM_CLOSE), 1);
    CU_ASSERT_TRUE(asks(r, "far"));
    learn(r, "far", &far_addr);
    say_hello(r, STREAM + 1, "192.0.2.7");
    CU_ASSERT_TRUE(is_greeted(r, STREAM + 1));
    rig_free(r);
}

static void a_stream_that_ends_waits_no_longer(void)
{
    struct rig *r = asking_rig();

    make_node(r, "far", NULL);
    say_hello(r, STREAM, "192.0.2.7");
    svr_mom_lost(r->s, r->now_at, STREAM, &r->out);
    learn(r, "far", &far_addr);
    CU_ASSERT_FALSE(is_greeted(r, STREAM));
    rig_free(r);
}

/* Access lists: only hosts of MoMs. */

static const struct wire_reply *look(struct rig *r, uint64_t conn, const char *host)
{
    const struct requester who = { .user = RIG_USER, .host = host, .conn = conn };
    static const struct body_status body = { .id = "" };
    const struct wire_request rq = { .number = BATCH_STATUS_SERVER,
                                     .user = RIG_USER,
                                     .body = &body };

    r->out = (struct effects){ .arena = r->arena };
    svr_request(r->s, r->now_at, &who, &rq, &r->out);
    return rig_reply(r, conn);
}

/* A short status is told at once. */
static bool is_served(const struct rig *r, uint64_t conn)
{
    const struct wire_reply *reply = rig_reply(r, conn);

    return reply && reply->code == 0;
}

static struct rig *guarded_rig(void)
{
    struct rig *r = asking_rig();

    make_node(r, "far", &far_addr);
    learn(r, RIG_HOST, &other_addr);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "acl_host_enable=t acl_hosts=nobody "
                                "acl_host_moms_enable=t"),
                    0);
    return r;
}

static void a_client_is_known_by_its_address(void)
{
    struct rig *r = guarded_rig();

    CU_ASSERT_PTR_NULL(look(r, CONN, "alias"));
    CU_ASSERT_TRUE(asks(r, "alias"));
    CU_ASSERT_FALSE(asks(r, "far")); /* that is known */
    learn(r, "alias", &far_addr);
    CU_ASSERT_TRUE(svr_has_work(r->s));
    (void)rig_go_on(r, CONN);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), 0);
    CU_ASSERT_TRUE(is_served(r, CONN));
    rig_free(r);
}

static void a_client_of_another_host_is_sent_away(void)
{
    struct rig *r = guarded_rig();

    CU_ASSERT_PTR_NULL(look(r, CONN, "alias"));
    learn(r, "alias", &other_addr);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_BADHOST);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), 1);
    CU_ASSERT_TRUE(asks(r, "far")); /* it may have moved */
    r->now_at += 30;
    CU_ASSERT_PTR_NOT_NULL(look(r, CONN + 1, "alias"));
    CU_ASSERT_FALSE(asks(r, "far")); /* and is not asked for each time */
    rig_free(r);
}

static void a_client_waits_for_hosts_that_nobody_has_spoken_of(void)
{
    struct rig *r = guarded_rig();

    make_node(r, "late", NULL);
    learn(r, "alias", &far_addr);
    learn(r, "stranger", &other_addr);
    (void)look(r, CONN, "alias");
    CU_ASSERT_TRUE(is_served(r, CONN)); /* needs no others */
    CU_ASSERT_PTR_NULL(look(r, CONN + 1, "stranger"));
    learn(r, "late", &other_addr);
    (void)rig_go_on(r, CONN + 1);
    CU_ASSERT_TRUE(is_served(r, CONN + 1));
    rig_free(r);
}

/* The book alone: what is asked at a time, and who counts. */
static void the_book_asks_some_at_a_time(void)
{
    struct host_book *b = host_book_new("127.0.0.1");
    const struct finding f = { .found = true, .n_addrs = 1, .addrs = &far_addr };
    const struct book_host *first = host_book_add(b, "h0"), *again;
    const char *host;
    size_t n = 0;

    CU_ASSERT_PTR_EQUAL(host_book_add(b, "h0"), first);
    for (int i = 1; i < 200; i++) {
        char name[16];

        snprintf(name, sizeof(name), "h%d", i);
        (void)host_book_add(b, name);
    }
    while ((host = host_book_ask(b, 1000)) != NULL)
        n++;
    CU_ASSERT_EQUAL(n, 64);
    CU_ASSERT_EQUAL(host_book_deadline(b), 1030);
    CU_ASSERT_TRUE(host_book_learn(b, "h0", &f));
    CU_ASSERT_FALSE(host_book_learn(b, "nobody", &f));
    CU_ASSERT_PTR_NOT_NULL(host_book_ask(b, 1001));
    CU_ASSERT_PTR_NULL(host_book_ask(b, 1001));
    CU_ASSERT_TRUE(host_book_has(b, far_addr));
    host_book_remove(b, first);
    CU_ASSERT_TRUE(host_book_has(b, far_addr)); /* another MoM is there */
    host_book_remove(b, first);
    CU_ASSERT_FALSE(host_book_has(b, far_addr));
    CU_ASSERT_FALSE(host_book_has(b, 0x7f000001)); /* the server's own is no MoM's */
    again = host_book_add(b, "127.0.0.1");
    CU_ASSERT_TRUE(host_book_has(b, 0x7f000001));
    CU_ASSERT_PTR_EQUAL(again, host_book_own(b));
    CU_ASSERT_TRUE(host_book_give_up(b, 1030));
    CU_ASSERT_TRUE(host_book_is_open(b)); /* those that were not asked yet */
    host_book_free(b);
}

static const struct unit_case cases[] = {
    { "a known host is greeted at once", a_known_host_is_greeted_at_once },
    { "a stream is one MoM's", a_stream_is_one_moms },
    { "a MoM waits for its host's address", a_mom_waits_for_its_hosts_address },
    { "a stranger is refused when all hosts are known",
      a_stranger_is_refused_when_all_hosts_are_known },
    { "an answer that never comes is given up",
      an_answer_that_never_comes_is_given_up },
    { "a stream that ends waits no longer", a_stream_that_ends_waits_no_longer },
    { "a client is known by its address", a_client_is_known_by_its_address },
    { "a client of another host is sent away", a_client_of_another_host_is_sent_away },
    { "a client waits for hosts that nobody has spoken of",
      a_client_waits_for_hosts_that_nobody_has_spoken_of },
    { "the book asks some at a time", the_book_asks_some_at_a_time },
};

int main(void)
{
    return unit_main("hosts of MoMs", cases, ARRAY_LEN(cases));
}
