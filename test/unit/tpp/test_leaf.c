/* Unit tests of a leaf: a real pbs_comm and leaves on loopback.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/child.h"
#include "lib/io/conn.h"
#include "lib/io/loop.h"
#include "lib/io/net.h"
#include "lib/tpp/leaf.h"

#include "../unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MS 20000

static struct {
    struct loop *loop;
    struct loop_timer *patience;
    bool late;
    char dir[64];
    unsigned port;
    pid_t comm;
    bool comm_ended;
} bench;

struct end {
    struct leaf *leaf;
    struct tpp_addr addr;
    struct buf got;
    uint64_t stream; /* of the last message */
    size_t n_closed, n_up, n_down;
};

static void on_late(void *arg)
{
    (void)arg;
    bench.late = true;
}

/* Turns of the loop until the condition holds. */
#define RUN_UNTIL(cond)                                                                \
    do {                                                                               \
        bench.late = false;                                                            \
        loop_timer_set(bench.patience, PATIENCE_MS);                                   \
        while (!(cond) && !bench.late)                                                 \
            loop_turn(bench.loop, true);                                               \
        CU_ASSERT_FATAL(cond);                                                         \
    } while (0)

static void on_message(void *arg, uint64_t stream, const struct tpp_addr *peer,
                       const char *data, size_t len)
{
    struct end *e = arg;

    (void)peer;
    buf_add(&e->got, data, len);
    e->stream = stream;
}

static void on_closed(void *arg, uint64_t stream)
{
    (void)stream;
    ((struct end *)arg)->n_closed++;
}

static void on_up(void *arg)
{
    ((struct end *)arg)->n_up++;
}

static void on_down(void *arg)
{
    ((struct end *)arg)->n_down++;
}

static void end_start(struct end *e, uint16_t port, uint8_t key_change)
{
    char routers[64], path[128];
    struct leaf_config cfg = { .loop = bench.loop,
                               .routers = routers,
                               .n_addrs = 1,
                               .addrs = &e->addr,
                               .node_type = TPP_LEAF,
                               .auth_method = CLUSTERKEY_METHOD,
                               .events = { .message = on_message,
                                           .closed = on_closed,
                                           .up = on_up,
                                           .down = on_down,
                                           .arg = e } };
    struct diag why;

    memset(e, 0, sizeof(*e));
    e->addr = tpp_addr_ipv4(INADDR_LOOPBACK, port);
    snprintf(routers, sizeof(routers), "127.0.0.1:%u", bench.port);
    snprintf(path, sizeof(path), "%s/cluster.key", bench.dir);
    CU_ASSERT_EQUAL_FATAL(clusterkey_load(path, false, &cfg.key, &why), 0);
    cfg.key.key[0] ^= key_change;
    CU_ASSERT_EQUAL_FATAL(leaf_new(&cfg, &e->leaf, &why), 0);
}

static void end_stop(struct end *e)
{
    leaf_free(e->leaf);
    buf_fini(&e->got);
}

/* A leaf is up when its JOIN is sent; the router may take it a moment later and say
 * NOROUTE until then. */
static uint64_t say(struct end *from, struct end *to, const char *text)
{
    size_t want = to->got.len + strlen(text);
    uint64_t s;

    do {
        size_t n_closed = from->n_closed;

        s = leaf_open_addr(from->leaf, &to->addr);
        CU_ASSERT(leaf_send(from->leaf, s, text, strlen(text)));
        RUN_UNTIL(to->got.len == want || from->n_closed > n_closed);
    } while (to->got.len != want);
    from->n_closed = 0;
    return s;
}

static void test_messages_and_ends(void)
{
    static char big[3 << 20];
    struct end a, b;
    uint64_t s;

    end_start(&a, 30001, 0);
    end_start(&b, 30002, 0);
    RUN_UNTIL(a.n_up && b.n_up);
    s = say(&a, &b, "ping");
    CU_ASSERT(leaf_send(b.leaf, b.stream, "pong", 4));
    RUN_UNTIL(a.got.len == 4);
    CU_ASSERT_STRING_EQUAL(a.got.data, "pong");
    CU_ASSERT_EQUAL(a.stream, s);
    memset(big, 'x', sizeof(big));
    CU_ASSERT(leaf_send(a.leaf, s, big, sizeof(big)));
    RUN_UNTIL(b.got.len == 4 + sizeof(big));
    leaf_close(a.leaf, s);
    RUN_UNTIL(b.n_closed == 1);

    s = say(&a, &b, "again");
    end_stop(&b); /* the router tells who has left */
    RUN_UNTIL(a.n_closed == 1);
    CU_ASSERT_FALSE(leaf_send(a.leaf, s, "x", 1));
    end_stop(&a);
}

#define N_MANY    90
#define MOST_TURN 32

/* What comes behind them waits for the next turns, in its order. */
static void test_a_turn_has_its_measure(void)
{
    char expected[N_MANY + 2] = "!";
    struct end a, b;
    size_t before, most = 0;
    uint64_t s;

    end_start(&a, 30021, 0);
    end_start(&b, 30022, 0);
    RUN_UNTIL(a.n_up && b.n_up);
    s = say(&a, &b, "!");
    for (int i = 0; i < N_MANY; i++) {
        expected[i + 1] = (char)('#' + i);
        CU_ASSERT(leaf_send(a.leaf, s, &expected[i + 1], 1));
    }
    bench.late = false;
    loop_timer_set(bench.patience, PATIENCE_MS);
    while (b.got.len < N_MANY + 1 && !bench.late) {
        before = b.got.len;
        loop_turn(bench.loop, true);
        most = MAX_OF(most, b.got.len - before);
    }
    CU_ASSERT(most <= MOST_TURN);
    CU_ASSERT_STRING_EQUAL(b.got.data, expected);
    end_stop(&b);
    end_stop(&a);
}

static void test_unknown_peer_ends_stream(void)
{
    struct tpp_addr nobody = tpp_addr_ipv4(INADDR_LOOPBACK, 30009);
    struct end a;
    uint64_t s;

    end_start(&a, 30001, 0);
    RUN_UNTIL(a.n_up);
    s = leaf_open_addr(a.leaf, &nobody);
    CU_ASSERT(leaf_send(a.leaf, s, "x", 1));
    RUN_UNTIL(a.n_closed == 1);
    CU_ASSERT(leaf_is_up(a.leaf));
    end_stop(&a);
}

static void note_bad(void *arg, int event, const char *text)
{
    (void)event;
    if (strstr(text, "does not have the key of this cluster"))
        *(bool *)arg = true;
}

static void test_wrong_key_stays_out(void)
{
    bool noted = false;
    char routers[64];
    struct tpp_addr addr = tpp_addr_ipv4(INADDR_LOOPBACK, 30003);
    struct leaf_config cfg = { .loop = bench.loop,
                               .routers = routers,
                               .n_addrs = 1,
                               .addrs = &addr,
                               .node_type = TPP_LEAF,
                               .auth_method = CLUSTERKEY_METHOD,
                               .events = { .log = note_bad, .arg = &noted } };
    struct leaf *l;
    struct diag why;

    snprintf(routers, sizeof(routers), "127.0.0.1:%u", bench.port);
    CU_ASSERT_EQUAL_FATAL(leaf_new(&cfg, &l, &why), 0);
    RUN_UNTIL(noted);
    CU_ASSERT_FALSE(leaf_is_up(l));
    leaf_free(l);
}

/* A router that has not shown the key: what it says before. */
struct stranger {
    struct loop_fd *watch;
    int client;       /* -1: nobody is connected */
    size_t n_updates; /* that the leaf believed */
    bool was_dropped;
};

static void stranger_accept(void *arg, int fd, unsigned ready)
{
    struct tpp_packet update = { .type = TPP_CTL_MSG,
                                 .code = TPP_CTL_UPDATE,
                                 .text = "" };
    struct stranger *r = arg;
    struct buf b = { 0 };

    (void)ready;
    if (r->client >= 0)
        return;
    r->client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    tpp_encode(&b, &update);
    CU_ASSERT_EQUAL(write(r->client, b.data, b.len), (ssize_t)b.len);
    buf_fini(&b);
}

static void stranger_update(void *arg)
{
    ((struct stranger *)arg)->n_updates++;
}

static void stranger_note(void *arg, int event, const char *text)
{
    (void)event;
    if (strstr(text, "bad packet from pbs_comm"))
        ((struct stranger *)arg)->was_dropped = true;
}

static void test_router_without_the_key_says_nothing(void)
{
    struct sockaddr_in sa = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct tpp_addr addr = tpp_addr_ipv4(INADDR_LOOPBACK, 30004);
    struct stranger r = { .client = -1 };
    socklen_t len = sizeof(sa);
    char routers[64];
    struct leaf_config cfg = {
        .loop = bench.loop,
        .routers = routers,
        .n_addrs = 1,
        .addrs = &addr,
        .node_type = TPP_LEAF_NOTIFIED,
        .auth_method = CLUSTERKEY_METHOD,
        .events = { .update = stranger_update, .log = stranger_note, .arg = &r },
    };
    struct leaf *l;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
    CU_ASSERT_EQUAL_FATAL(listen(fd, 4), 0);
    CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&sa, &len), 0);
    r.watch = loop_fd_new(bench.loop, fd, stranger_accept, &r);
    loop_fd_want(r.watch, LOOP_READ);
    snprintf(routers, sizeof(routers), "127.0.0.1:%u", ntohs(sa.sin_port));
    CU_ASSERT_EQUAL_FATAL(leaf_new(&cfg, &l, &why), 0);
    RUN_UNTIL(r.was_dropped || r.n_updates);
    CU_ASSERT_EQUAL(r.n_updates, 0);
    leaf_free(l);
    loop_fd_free(r.watch);
    close(r.client);
    close(fd);
}

static int raw_connection(void)
{
    struct sockaddr_in sa = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)bench.port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
    return fd;
}

static void test_hostile_bytes_end_their_sender_only(void)
{
    static const struct {
        const char *bytes;
        size_t len;
    } rows[] = {
        { "\0\0\0\3\1", 5 },                  /* shorter than itself */
        { "\0\0\0\14\11\0\0\0\0\0\0\0", 12 }, /* type 9 */
        { "\377\377\377\377\3", 5 },          /* as long as it gets */
        { "GET / HTTP/1.0\r\n\r\n", 18 },
        { "\0\0\0\14\1\1\1\0\11\0\0\0", 12 }, /* nine addresses that are not there */
    };
    struct end a;
    char byte;

    end_start(&a, 30001, 0);
    RUN_UNTIL(a.n_up);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int fd = raw_connection();

        CU_ASSERT_EQUAL(write(fd, rows[i].bytes, rows[i].len), (ssize_t)rows[i].len);
        CU_ASSERT(read(fd, &byte, 1) <= 0); /* the end of the connection */
        close(fd);
    }
    CU_ASSERT_EQUAL(a.n_down, 0);
    end_stop(&a);
}

static void on_comm_end(void *arg, pid_t pid, int status)
{
    (void)arg;
    (void)pid;
    (void)status;
    bench.comm_ended = true;
}

/* A free port: asked from the system, then given back. */
static unsigned free_port(void)
{
    struct sockaddr_in sa = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(sa);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unsigned port = 0;

    if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0 &&
        getsockname(fd, (struct sockaddr *)&sa, &len) == 0)
        port = ntohs(sa.sin_port);
    close(fd);
    return port;
}

static bool write_conf(const char *path)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return false;
    fprintf(f,
            "PBS_EXEC=/nonexistent\nPBS_HOME=%s\nPBS_SERVER=localhost\n"
            "PBS_AUTH_METHOD=clusterkey\nPBS_SUPPORTED_AUTH_METHODS=clusterkey\n"
            "PBS_COMM_NAME=127.0.0.1:%u\n",
            bench.dir, bench.port);
    return fclose(f) == 0;
}

/* Start pbs_comm and read its ready line. */
static bool comm_start(void)
{
    const char *top = getenv("top_builddir");
    char path[256], conf[128], env[160], line[256];
    const char *argv[] = { "pbs_comm", "-N", NULL };
    const char *envp[] = { env, NULL };
    struct child_config cfg = { .path = path, .argv = argv, .envp = envp };
    struct diag why;
    int fds[2];
    bool ok;

    snprintf(path, sizeof(path), "%s/pbs_comm", top ? top : ".");
    snprintf(conf, sizeof(conf), "%s/pbs.conf", bench.dir);
    snprintf(env, sizeof(env), "PBS_CONF_FILE=%s", conf);
    if (!write_conf(conf) || pipe2(fds, O_CLOEXEC) != 0)
        return false;
    cfg.fd[0] = -1;
    cfg.fd[1] = fds[1];
    cfg.fd[2] = 2;
    ok = child_start(bench.loop, &cfg, on_comm_end, NULL, &bench.comm, &why) == 0;
    close(fds[1]);
    ok = ok && read(fds[0], line, sizeof(line)) > 0;
    close(fds[0]);
    return ok;
}

static void test_router_comes_back(void)
{
    struct end a;

    end_start(&a, 30001, 0);
    RUN_UNTIL(a.n_up == 1);
    kill(bench.comm, SIGKILL);
    RUN_UNTIL(bench.comm_ended && a.n_down == 1);
    CU_ASSERT_FALSE(leaf_is_up(a.leaf));
    CU_ASSERT_EQUAL(leaf_open_addr(a.leaf, &a.addr), 0);
    bench.comm_ended = false;
    CU_ASSERT_FATAL(comm_start());
    RUN_UNTIL(a.n_up == 2);
    end_stop(&a);
}

static void test_methods_of_daemons(void)
{
    static const struct {
        const char *wanted, *supported, *got;
    } rows[] = {
        { "clusterkey", "resvport", "clusterkey" },
        { "resvport", "clusterkey", "resvport" },
        { "munge", "munge,clusterkey", "clusterkey" },
        { "munge", "munge,resvport", "resvport" },
        { "", "", "resvport" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CU_ASSERT_STRING_EQUAL(leaf_method(rows[i].wanted, rows[i].supported),
                               rows[i].got);
}

static const struct unit_case cases[] = {
    { "a method for users is none for daemons", test_methods_of_daemons },
    { "messages and ends reach the other leaf", test_messages_and_ends },
    { "a turn has its measure", test_a_turn_has_its_measure },
    { "a stream to nobody ends", test_unknown_peer_ends_stream },
    { "a leaf with a wrong key stays out", test_wrong_key_stays_out },
    { "a router without the key says nothing",
      test_router_without_the_key_says_nothing },
    { "hostile bytes end their sender only", test_hostile_bytes_end_their_sender_only },
    { "a leaf finds its router again", test_router_comes_back },
};

int main(void)
{
    char clean[128];
    int status = 2;

    bench.loop = loop_new();
    bench.patience = loop_timer_new(bench.loop, on_late, NULL);
    bench.port = free_port();
    snprintf(bench.dir, sizeof(bench.dir), "/tmp/test_leaf.XXXXXX");
    if (mkdtemp(bench.dir) && comm_start())
        status = unit_main("tpp/leaf", cases, ARRAY_LEN(cases));
    if (bench.comm && !bench.comm_ended) {
        kill(bench.comm, SIGTERM);
        while (!bench.comm_ended)
            loop_turn(bench.loop, true);
    }
    loop_timer_free(bench.patience);
    loop_free(bench.loop);
    snprintf(clean, sizeof(clean), "rm -rf %s", bench.dir);
    return system(clean) == 0 ? status : 2;
}
