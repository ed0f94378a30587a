/* Unit tests of src/server/shell: the daemon with a core of the test's own.
 *
 * The core here is a few lines: Manager makes a record, LocateJob is held until the
 * test answers it, StatusJob has a long reply of PARTS packets, everything else is
 * answered at once. So what is seen is the shell:
 * who may ask, in which order answers come, and that none comes before its record.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/buf.h"
#include "lib/io/listen.h"
#include "lib/wire/packet.h"
#include "server/requests/handlers.h"
#include "server/shell/accounting.h"
#include "server/shell/bundles.h"
#include "server/shell/client.h"
#include "server/shell/find_out.h"
#include "server/shell/outbox.h"

#include "../unit.h"
#include "file_text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-shell-XXXXXX";

/* The core. */

static struct core {
    uint64_t seq;
    size_t n_requests, n_gone, n_done, n_given_up, n_commits;
    uint64_t held_conn, gone_conn;
    bool store_failed;
    char last_user[64], last_host[64];
    bool last_server_uid;
    uint64_t list_conn; /* of the long reply under way */
    size_t slices_left, parts_left, part_at, n_listed_bytes;
    uint64_t brief_conn; /* another long reply: one small part */
    size_t brief_slices_left;
    uint64_t pending_conn; /* which sends a job */
    size_t pending_bytes;  /* that takes so much */
    size_t held_bytes;     /* by long replies, as the shell is told */
    bool parked_lists;     /* its answer is a long reply */
    uint64_t parked_conn;  /* its request goes on until another one was served */
    size_t n_served_at_parking;
    size_t n_learned;
    char learned[64];
} core;

/* A long reply: each part is gathered in so many slices. */
#define PARTS      3
#define SLICES     5
#define PART_BYTES (1u << 20)
/* A reply that is long and no listing. */
#define BIG_BYTES  100000

struct svr *svr_new(const struct svr_config *cfg)
{
    (void)cfg;
    return NULL;
}

void svr_free(struct svr *s)
{
    (void)s;
}

const struct change *svr_load(struct svr *s, const struct record *rec)
{
    (void)s;
    (void)rec;
    return NULL;
}

void svr_loaded(struct svr *s, uint64_t seq)
{
    (void)s;
    core.seq = seq;
}

void svr_start(struct svr *s, int64_t now_at, enum svr_start type, struct effects *out)
{
    (void)s;
    (void)now_at;
    (void)type;
    (void)out;
}

static struct effect *effect(struct effects *out, enum effect_kind kind)
{
    struct effect *v = ARENA_ARRAY(out->arena, struct effect, out->n + 1);

    if (out->n)
        memcpy(v, out->v, out->n * sizeof(*v));
    out->v = v;
    out->v[out->n] = (struct effect){ .kind = kind, .seq = core.seq };
    return &out->v[out->n++];
}

static void reply_text_to(struct effects *out, uint64_t conn, const char *text)
{
    struct effect *e = effect(out, EFFECT_REPLY);

    e->u.reply.conn = conn;
    e->u.reply.reply.choice = REPLY_TEXT;
    e->u.reply.reply.text = text;
}

static void make_record(struct effects *out, const char *id)
{
    struct record *rec = ARENA_NEW(out->arena, struct record);

    *rec = (struct record){ .seq = ++core.seq,
                            .fact = FACT_CREATED,
                            .kind = OBJ_QUEUE,
                            .id = arena_printf(out->arena, "%s%d", id, (int)core.seq),
                            .actor = "a@b" };
    effect(out, EFFECT_RECORD)->u.record = rec;
}

static void account(struct effects *out, int64_t at, const char *text)
{
    struct effect *e = effect(out, EFFECT_ACCOUNT);

    e->u.account.at = at;
    e->u.account.type = 'Q';
    e->u.account.id = "1.svr";
    e->u.account.text = text;
}

enum svr_outcome svr_request(struct svr *s, int64_t now_at, const struct requester *who,
                             const struct wire_request *rq, struct effects *out)
{
    enum svr_outcome outcome = SVR_ANSWERED;

    (void)s;
    core.n_requests++;
    snprintf(core.last_user, sizeof(core.last_user), "%s", who->user);
    snprintf(core.last_host, sizeof(core.last_host), "%s", who->host);
    core.last_server_uid = who->server_uid;
    switch (rq->number) {
    case BATCH_MANAGER:
        make_record(out, "q");
        account(out, now_at, "made");
        reply_text_to(out, who->conn, "made");
        break;
    case BATCH_LOCATE_JOB:
        core.held_conn = who->conn;
        outcome = SVR_WAITS;
        break;
    case BATCH_ASYRUN_JOB:
        outcome = SVR_SILENT;
        break;
    case BATCH_DELETE_JOB_LIST:
        core.parked_conn = who->conn;
        core.n_served_at_parking = core.n_requests;
        outcome = SVR_PARKED;
        break;
    case BATCH_STATUS_JOB:
        core.list_conn = who->conn;
        core.parts_left = PARTS;
        core.slices_left = SLICES;
        outcome = SVR_GATHERING;
        break;
    case BATCH_STATUS_SCHED:
        core.brief_conn = who->conn;
        core.brief_slices_left = SLICES;
        outcome = SVR_GATHERING;
        break;
    case BATCH_STATUS_RESOURCE:
        reply_text_to(out, who->conn, arena_printf(out->arena, "%0*d", BIG_BYTES, 0));
        break;
    case BATCH_SHUTDOWN:
        reply_text_to(out, who->conn, "bye");
        effect(out, EFFECT_EXIT);
        break;
    case BATCH_REGISTER_SCHED:
        reply_text_to(out, who->conn,
                      arena_printf(out->arena, "answer %zu", core.n_requests));
        outcome = core.n_requests == 1 ? SVR_SCHEDULER : SVR_COMMANDS;
        if (outcome == SVR_COMMANDS) {
            struct effect *e = effect(out, EFFECT_SCHED_COMMAND);

            e->u.sched.conn = who->conn;
            e->u.sched.command = 6;
        }
        break;
    case BATCH_STATUS_NODE: /* speaks of the first record only */
        reply_text_to(out, who->conn, "old");
        out->v[out->n - 1].seq = 1;
        break;
    case BATCH_STATUS_QUEUE:
        reply_text_to(out, who->conn, "once");
        effect(out, EFFECT_CLOSE)->u.close_conn = who->conn;
        outcome = SVR_CLOSED;
        break;
    default:
        reply_text_to(out, who->conn,
                      arena_printf(out->arena, "answer %zu", core.n_requests));
    }
    return outcome;
}

bool svr_listing_is_gathering(const struct svr *s, uint64_t conn)
{
    (void)s;
    return (core.list_conn == conn && core.slices_left > 0) ||
           (core.brief_conn == conn && core.brief_slices_left > 0);
}

bool svr_is_staff(const struct svr *s, const char *user, const char *host)
{
    (void)s, (void)user, (void)host;
    return false;
}

size_t svr_kept_bytes(const struct svr *s, uint64_t conn)
{
    (void)s;
    return conn == core.pending_conn ? core.pending_bytes : 0;
}

void svr_restore_denial(struct svr *s, const char *id, const char *owner,
                        const char *reason, int64_t at)
{
    (void)s, (void)id, (void)owner, (void)reason, (void)at;
}

size_t svr_listing_held_bytes(const struct svr *s)
{
    (void)s;
    return core.held_bytes;
}

void svr_listing_go_on(struct svr *s, int64_t now_at, uint64_t conn,
                       struct effects *out)
{
    (void)s, (void)now_at;
    if (conn == core.brief_conn) {
        if (--core.brief_slices_left == 0)
            effect(out, EFFECT_LISTING)->u.listing_conn = conn;
        return;
    }
    CU_ASSERT_EQUAL(conn, core.list_conn);
    if (--core.slices_left == 0)
        effect(out, EFFECT_LISTING)->u.listing_conn = conn;
}

enum svr_listing svr_listing_read(struct svr *s, uint64_t conn, size_t most_bytes,
                                  struct buf *out)
{
    size_t n = MIN_OF(most_bytes, PART_BYTES - core.part_at);

    (void)s;
    if (conn == core.brief_conn) {
        packet_put(out, PACKET_DATA, "brief", 5);
        return SVR_LISTING_ALL;
    }
    CU_ASSERT_EQUAL(conn, core.list_conn);
    CU_ASSERT_EQUAL(core.slices_left, 0);
    if (core.part_at == 0)
        packet_put_head(out, PACKET_DATA, PART_BYTES);
    memset(buf_reserve(out, n), 'x', n);
    out->len += n;
    core.n_listed_bytes += n;
    core.part_at += n;
    if (core.part_at < PART_BYTES)
        return SVR_LISTING_SOME;
    core.part_at = 0;
    if (--core.parts_left == 0)
        return SVR_LISTING_ALL;
    core.slices_left = SLICES;
    return SVR_LISTING_PART;
}

void svr_listing_drop(struct svr *s, uint64_t conn)
{
    (void)s;
    CU_ASSERT_EQUAL(conn, core.list_conn);
    core.list_conn = 0;
}

void svr_learned(struct svr *s, int64_t now_at, const struct need *need,
                 const struct finding *finding, struct effects *out)
{
    (void)s, (void)now_at, (void)out;
    CU_ASSERT_EQUAL(need->kind, NEED_GROUPS);
    core.n_learned++;
    snprintf(core.learned, sizeof(core.learned), "%s: %s", need->name,
             finding->failed         ? "failed"
             : finding->groups.n > 0 ? finding->groups.v[0]
                                     : "nobody");
}

bool svr_has_work(const struct svr *s)
{
    (void)s;
    return core.parked_conn != 0;
}

struct svr_fate svr_go_on(struct svr *s, int64_t now_at, struct effects *out)
{
    struct svr_fate fate = { core.parked_conn, SVR_PARKED };

    (void)s, (void)now_at;
    CU_ASSERT_NOT_EQUAL(core.parked_conn, 0);
    if (core.n_requests == core.n_served_at_parking)
        return fate;
    fate.outcome = core.parked_lists ? SVR_GATHERING : SVR_ANSWERED;
    if (core.parked_lists) {
        core.brief_conn = fate.conn;
        core.brief_slices_left = SLICES;
    } else {
        reply_text_to(out, fate.conn, "all of it");
    }
    core.parked_conn = 0;
    return fate;
}

void svr_client_gone(struct svr *s, int64_t now_at, uint64_t conn, struct effects *out)
{
    (void)s;
    (void)now_at;
    (void)out;
    core.n_gone++;
    core.gone_conn = conn;
}

void svr_sched_done(struct svr *s, int64_t now_at, uint64_t conn, struct effects *out)
{
    struct effect *e = effect(out, EFFECT_SCHED_COMMAND);

    (void)s;
    (void)now_at;
    core.n_done++;
    e->u.sched.conn = conn;
    e->u.sched.command = 11;
    e->u.sched.job_id = "717.pbs1";
}

void svr_mom_message(struct svr *s, int64_t now_at, uint64_t stream, const char *host,
                     uint32_t port, const struct is_message *msg, struct effects *out)
{
    (void)s, (void)now_at, (void)stream, (void)host, (void)port, (void)msg, (void)out;
}

void svr_mom_lost(struct svr *s, int64_t now_at, uint64_t stream, struct effects *out)
{
    (void)s, (void)now_at, (void)stream, (void)out;
}

void svr_router_lost(struct svr *s, int64_t now_at, struct effects *out)
{
    (void)s, (void)now_at, (void)out;
}

void svr_router_back(struct svr *s, int64_t now_at, struct effects *out)
{
    (void)s, (void)now_at, (void)out;
}

void svr_tick(struct svr *s, int64_t now_at, struct effects *out)
{
    (void)s, (void)now_at, (void)out;
}

int64_t svr_next_deadline(const struct svr *s)
{
    (void)s;
    return INT64_MAX;
}

/* Without objects; main() frees it. */
static struct model *no_objects;

const struct model *svr_model(const struct svr *s)
{
    (void)s;
    if (!no_objects)
        no_objects = model_new("svr");
    return no_objects;
}

void svr_set_store_failed(struct svr *s, bool failed)
{
    (void)s;
    core.store_failed = failed;
    if (!failed)
        core.n_commits++;
}

void svr_give_up(struct svr *s, int64_t now_at, uint64_t durable_seq,
                 struct effects *out)
{
    (void)s, (void)now_at;
    core.n_given_up++;
    if (core.held_conn && durable_seq < core.seq)
        reply_text_to(out, core.held_conn, "held");
}

const struct request_row *request_row(uint32_t number)
{
    static const struct request_row silent = { .silent = true }, other;

    return number == BATCH_ASYRUN_JOB ? &silent : &other;
}

/* The daemon around it. */

static struct shell sh;
static unsigned port;

static void world_begin(void)
{
    static char socket_path[80];
    struct logfile_config log = { .dir = dir, .daemon = "Server@h", .mask = 0xffff };
    struct diag why;

    core = (struct core){ 0 };
    sh = (struct shell){ .host = "testhost", .daemon = "Server@h", .lock_fd = -1 };
    snprintf(socket_path, sizeof(socket_path), "%s/ipc/sock", dir);
    setenv("PBS_HOME", dir, 1);
    setenv("PBS_EXEC", "/x", 1);
    setenv("PBS_SERVER", "svr", 1);
    setenv("PBS_SERVER_SOCKET", socket_path, 1);
    CU_ASSERT_EQUAL_FATAL(conf_load_file("/nonexistent", true, &sh.conf, &why), 0);
    sh.conf->batch_port = 0; /* any */
    log.conf = sh.conf;
    CU_ASSERT_EQUAL_FATAL(logfile_open(&log, &sh.log, &why), 0);
    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &sh.store, &why), 0);
    sh.loop = loop_new();
    sh.find_out = find_out_new(&sh);
    sh.lookups = lookups_new(&sh, LOOKUP_PATIENCE_S);
    sh.accounting = accounting_new(dir, NULL, sh.log);
    sh.bundles = bundles_new();
    sh.outbox = outbox_new(&sh);
    sh.committer = committer_new(&sh);
    CU_ASSERT_EQUAL_FATAL(clients_new(&sh, &sh.clients, &why), 0);
    port = listener_port(sh.clients->tcp);
    shell_watch(&sh);
}

static void world_end(void)
{
    committer_free(sh.committer);
    outbox_free(sh.outbox);
    clients_free(sh.clients);
    find_out_free(sh.find_out);
    lookups_free(sh.lookups);
    accounting_free(sh.accounting);
    loop_timer_free(sh.deadline);
    bundles_free(sh.bundles);
    store_close(sh.store);
    logfile_close(sh.log);
    conf_free(sh.conf);
    loop_free(sh.loop);
}

static void turn(void)
{
    loop_turn(sh.loop, true);
}

static void settle(void)
{
    for (int i = 0; i < 8; i++)
        loop_turn(sh.loop, false);
}

/* Clients. */

static int local_client(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

    snprintf(at.sun_path, sizeof(at.sun_path), "%s/ipc/sock", dir);
    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    settle();
    return fd;
}

static int tcp_client(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static void put_packet(int fd, const void *p, size_t len)
{
    struct buf b = { 0 };

    packet_put(&b, PACKET_DATA, p, len);
    CU_ASSERT_EQUAL(send(fd, b.data, b.len, MSG_NOSIGNAL), (ssize_t)b.len);
    buf_fini(&b);
}

/* "%u" stands for this user as a DIS string. */
static void expand(struct buf *b, const char *text)
{
    const char *user = getpwuid(geteuid())->pw_name;

    for (; *text; text++)
        if (text[0] == '%' && text[1] == 'u') {
            dis_put_string(b, user);
            text++;
        } else {
            buf_add_char(b, *text);
        }
}

static void ask(int fd, const char *text)
{
    struct buf b = { 0 };

    expand(&b, text);
    put_packet(fd, b.data, b.len);
    buf_fini(&b);
}

/* The next packet's payload; "closed" at the end of the connection. Waits. */
static const char *reply(int fd)
{
    static char text[512];
    char bytes[512];
    struct packet f;
    ssize_t n;

    for (;;) {
        n = recv(fd, bytes, sizeof(bytes), MSG_PEEK);
        if (n == 0)
            return "closed";
        if (n > 0 && packet_peek(bytes, (size_t)n, sizeof(bytes), &f) == PACKET_READY)
            break;
        if (n < 0 && errno != EAGAIN)
            return strerror(errno);
        turn();
    }
    snprintf(text, sizeof(text), "%.*s", (int)f.len, f.data);
    CU_ASSERT_EQUAL(recv(fd, bytes, f.total_bytes, 0), (ssize_t)f.total_bytes);
    return text;
}

static bool is_silent(int fd)
{
    char byte;

    settle();
    return recv(fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

#define STATUS   "+2+22+21%u+0+0+0"
#define MANAGER  "+2+2+9%u+0+1+0+0+0"
#define LOCATE   "+2+2+8%u+1x+0"
#define CONNECT  "+2+2+0%u+0"
#define BIG      "+2+22+82%u+0+0+0"
#define PARK     "+2+23+100%u+0+0"
#define BRIEF    "+2+22+81%u+0+0+0"
#define REGISTER "+2+22+98%u+7default+0"
#define DONE     "+2+2+0+0+1+0"

#define ASSERT_REPLY(fd, expected)                                                     \
    do {                                                                               \
        const char *got_ = reply(fd);                                                  \
        if (strcmp(got_, expected) != 0)                                               \
            fprintf(stderr, "line %d: got %s\n", __LINE__, got_);                      \
        CU_ASSERT_STRING_EQUAL(got_, expected);                                        \
    } while (0)

static void test_local_peer_is_known(void)
{
    int fd;

    world_begin();
    fd = local_client();
    ask(fd, "+2+2+0%u+0");
    ASSERT_REPLY(fd, DONE);
    ask(fd, STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 1");
    CU_ASSERT_STRING_EQUAL(core.last_user, getpwuid(geteuid())->pw_name);
    CU_ASSERT_STRING_EQUAL(core.last_host, "testhost");
    CU_ASSERT_TRUE(core.last_server_uid);
    ask(fd, "+2+22+59%u"); /* Disconnect */
    ASSERT_REPLY(fd, "closed");
    CU_ASSERT_EQUAL(core.n_gone, 1);
    close(fd);
    world_end();
}

static void test_refusals_before_the_core(void)
{
    static const struct {
        const char *story;
        bool tcp;
        const char *ask, *reply;
    } cases[] = {
        { "a stranger asks", true, STATUS, "+2+25+15019+0+7+02+18Invalid credential" },
        { "another name than the peer's", false, "+2+22+21+7nobody2+0+0+0",
          "+2+25+15019+0+7+02+18Invalid credential" },
        { "an unknown number", false, "+2+23+199%u",
          "+2+25+15005+0+7+02+15Unknown request" },
        { "a stranger with an unknown number", true, "+2+23+199%u",
          "+2+25+15005+0+7+02+15Unknown request" },
        { "protocol type 3", false, "+3+22+21%u+0+0+0", "+2+25+15056+0+1+0" },
        { "protocol version 3", false, "+2+32+21%u+0+0+0", "+2+25+15056+0+1+0" },
        { "no number", true, "hello", "+2+25+15056+0+1+0" },
        { "vouching from an ordinary port", true, "+2+22+95%u+8+8resvport+05+36688+0",
          "+2+25+15019+0+7+02+18Invalid credential" },
        { "a method that is not supported", true, "+2+22+95%u+5+5munge+0+0+0",
          "+2+25+15029+0+7+02+32No support for requested service" },
        { "an encryption method", true, "+2+22+95%u+8+8resvport+3+3xyz+0+0",
          "+2+25+15029+0+7+02+32No support for requested service" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *got;
        int fd;

        world_begin();
        fd = cases[i].tcp ? tcp_client() : local_client();
        ask(fd, cases[i].ask);
        got = reply(fd);
        if (strcmp(got, cases[i].reply) != 0)
            fprintf(stderr, "%s: got %s\n", cases[i].story, got);
        CU_ASSERT_STRING_EQUAL(got, cases[i].reply);
        ASSERT_REPLY(fd, "closed");
        CU_ASSERT_EQUAL(core.n_requests, 0);
        close(fd);
        world_end();
    }
}

static void test_bytes_that_are_no_packet(void)
{
    int fd;

    world_begin();
    fd = tcp_client();
    CU_ASSERT_EQUAL(send(fd, "GET / HTTP/1.0\r\n\r\n", 18, 0), 18);
    ASSERT_REPLY(fd, "+2+25+15056+0+1+0");
    ASSERT_REPLY(fd, "closed");
    close(fd);
    world_end();
}

static void test_half_a_request_delays_nobody(void)
{
    int slow, slower, fd;

    world_begin();
    slow = tcp_client();
    slower = local_client();
    CU_ASSERT_EQUAL(send(slow, "PKTV1\0\0", 7, 0), 7);
    ask(slower, "+2+22+21"); /* a whole packet, half a message */
    settle();
    fd = local_client();
    ask(fd, STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 1");
    CU_ASSERT_TRUE(is_silent(slow) && is_silent(slower));
    close(slow);
    close(slower);
    close(fd);
    world_end();
}

static void test_several_requests_in_one_packet(void)
{
    int fd;

    world_begin();
    fd = local_client();
    ask(fd, STATUS STATUS MANAGER STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 1");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 2");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+4made");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 4");
    close(fd);
    world_end();
}

static void test_one_request_in_several_packets(void)
{
    struct buf b = { 0 };
    int fd;

    expand(&b, STATUS);
    world_begin();
    fd = local_client();
    for (size_t cut = 1; cut < b.len; cut++) {
        char expect[80], text[40];

        put_packet(fd, b.data, cut);
        put_packet(fd, b.data + cut, b.len - cut);
        snprintf(text, sizeof(text), "answer %zu", cut);
        snprintf(expect, sizeof(expect), "+2+2+0+0+7+0+%zu%s", strlen(text), text);
        ASSERT_REPLY(fd, expect);
    }
    buf_fini(&b);
    close(fd);
    world_end();
}

static void test_too_many_packets_for_one_message(void)
{
    int fd;

    world_begin();
    fd = local_client();
    put_packet(fd, "+", 1);
    for (int i = 0; i < CLIENT_MAX_PACKETS; i++)
        put_packet(fd, "2", 1); /* an endless count */
    ASSERT_REPLY(fd, "+2+25+15056+0+1+0");
    ASSERT_REPLY(fd, "closed");
    close(fd);
    world_end();
}

static void test_held_request_keeps_its_place(void)
{
    int fd, other;

    world_begin();
    fd = local_client();
    other = local_client();
    ask(fd, LOCATE STATUS);
    ask(fd, STATUS);
    CU_ASSERT_TRUE(is_silent(fd));
    CU_ASSERT_EQUAL(core.n_requests, 1);
    ask(other, STATUS);
    ASSERT_REPLY(other, "+2+2+0+0+7+0+8answer 2");
    reply_text_to(outbox_effects(sh.outbox), core.held_conn, "here");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+4here");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 3");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 4");
    close(fd);
    close(other);
    world_end();
}

static void test_waiting_client_that_leaves_is_noticed(void)
{
    int fd;

    world_begin();
    fd = local_client();
    ask(fd, LOCATE);
    settle();
    close(fd);
    while (core.n_gone == 0)
        turn();
    CU_ASSERT_EQUAL(core.gone_conn, core.held_conn);
    reply_text_to(outbox_effects(sh.outbox), core.held_conn, "nobody hears it");
    settle();
    world_end();
}

#define LIST "+2+22+19%u+0+0+0"

/* Read the long reply and no more; true when its packets are as they should be. */
static bool read_list(int fd)
{
    const size_t all = (size_t)PARTS * (PACKET_HEADER_BYTES + PART_BYTES);
    struct buf got = { 0 };
    struct packet f;
    size_t n_packets = 0;

    while (got.len < all) {
        char *room = buf_reserve(&got, all - got.len);
        ssize_t n = recv(fd, room, all - got.len, 0);

        if (n > 0)
            got.len += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            turn();
        else
            break;
    }
    while (packet_peek(got.data, got.len, PART_BYTES, &f) == PACKET_READY) {
        buf_eat(&got, f.total_bytes);
        n_packets++;
    }
    buf_fini(&got);
    return n_packets == PARTS;
}

static void test_long_reply_waits_for_its_reader(void)
{
    int fd, other;

    world_begin();
    fd = local_client();
    other = local_client();
    ask(fd, LIST STATUS);
    for (int i = 0; i < 20; i++)
        settle();
    /* No more is made than the system and a small queue take. */
    CU_ASSERT(core.n_listed_bytes > 0 && core.n_listed_bytes < PART_BYTES);
    CU_ASSERT_EQUAL(core.n_requests, 1);
    ask(other, STATUS);
    ASSERT_REPLY(other, "+2+2+0+0+7+0+8answer 2");
    CU_ASSERT(clients_have_unsent(sh.clients));
    CU_ASSERT(read_list(fd));
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 3");
    CU_ASSERT_FALSE(clients_have_unsent(sh.clients));
    close(fd);
    close(other);
    world_end();
}

static void test_long_reply_ends_with_its_reader(void)
{
    int fd[2], other;

    world_begin();
    other = local_client();
    fd[0] = local_client();
    ask(fd[0], LIST);
    close(fd[0]); /* while it is gathered */
    settle();
    CU_ASSERT_EQUAL(core.n_gone, 1);
    core.list_conn = 0;
    fd[1] = local_client();
    ask(fd[1], LIST);
    for (int i = 0; i < 20; i++)
        settle();
    close(fd[1]); /* while it is written */
    settle();
    CU_ASSERT_EQUAL(core.n_gone, 2);
    ask(other, STATUS);
    ASSERT_REPLY(other, "+2+2+0+0+7+0+8answer 3");
    close(other);
    world_end();
}

/* What clients make us hold. */

/* Lines of the log with these words. */
static int n_logged(const char *words)
{
    char cmd[512];
    FILE *f;
    int n = -1;

    snprintf(cmd, sizeof(cmd), "cat %s/2* | grep -c -e '%s'", dir, words);
    f = popen(cmd, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

/* Read packets until 'n' have come; false when the connection ends. */
static bool read_packets(int fd, size_t n)
{
    struct buf got = { 0 };
    size_t n_seen = 0;
    struct packet f;

    while (n_seen < n) {
        char *room = buf_reserve(&got, 1 << 16);
        ssize_t len = recv(fd, room, 1 << 16, 0);

        if (len == 0 || (len < 0 && errno != EAGAIN))
            break;
        if (len < 0)
            turn();
        else
            got.len += (size_t)len;
        while (packet_peek(got.data, got.len, 1 << 20, &f) == PACKET_READY) {
            buf_eat(&got, f.total_bytes);
            n_seen++;
        }
    }
    buf_fini(&got);
    return n_seen == n;
}

static void put_many(int fd, const char *text, int n)
{
    struct buf b = { 0 };

    for (int i = 0; i < n; i++)
        expand(&b, text);
    put_packet(fd, b.data, b.len);
    buf_fini(&b);
}

static void test_who_does_not_read_is_not_served(void)
{
    size_t n_before;
    int fd, other;

    world_begin();
    fd = local_client();
    other = local_client();
    put_many(fd, BIG, 100);
    put_many(fd, BIG, 100); /* a packet that waits behind */
    for (int i = 0; i < 50; i++)
        settle();
    n_before = core.n_requests;
    CU_ASSERT(n_before > 3 && n_before < 30);
    ask(other, STATUS);
    CU_ASSERT_PTR_NOT_NULL(strstr(reply(other), "answer"));
    CU_ASSERT_EQUAL(core.n_requests, n_before + 1);
    CU_ASSERT(sh.clients->crowd.memory.bytes < 8 * CLIENT_MAX_UNREAD_BYTES);
    CU_ASSERT(read_packets(fd, 200));
    CU_ASSERT_EQUAL(core.n_requests, 201);
    ask(fd, STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+02+10answer 202");
    close(fd);
    close(other);
    settle();
    CU_ASSERT_EQUAL(sh.clients->crowd.memory.bytes, 0);
    world_end();
}

/* What is answered without the core takes no turn; others have theirs all the same. */
static void test_many_requests_in_one_packet_take_turns(void)
{
    static char bytes[1 << 16];
    const ssize_t reply_bytes = PACKET_HEADER_BYTES + sizeof(DONE) - 1;
    ssize_t n;
    int fd;

    world_begin();
    fd = local_client();
    put_many(fd, CONNECT, 200);
    loop_turn(sh.loop, true);
    n = recv(fd, bytes, sizeof(bytes), 0);
    CU_ASSERT_EQUAL(n, CLIENT_TURN_REQUESTS * reply_bytes);
    CU_ASSERT(read_packets(fd, 200 - CLIENT_TURN_REQUESTS));
    ask(fd, STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 1");
    close(fd);
    world_end();
}

static void test_what_stands_behind_a_long_message_is_served(void)
{
    const size_t long_bytes = 3u << 19;
    char *filler = xcalloc(1, long_bytes);
    struct buf b = { 0 }, packet = { 0 };
    size_t at = 0;
    int fd;

    world_begin();
    fd = local_client();
    expand(&b, "+2+22+21%u+0+0+1"); /* with an extension */
    memset(filler, 'x', long_bytes);
    dis_put_bytes(&b, filler, long_bytes);
    expand(&b, STATUS STATUS);
    packet_put(&packet, PACKET_DATA, b.data, b.len);
    while (at < packet.len) {
        ssize_t n = send(fd, packet.data + at, packet.len - at, MSG_NOSIGNAL);

        at += n > 0 ? (size_t)n : 0;
        turn();
    }
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 1");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 2");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 3");
    close(fd);
    free(filler);
    buf_fini(&b);
    buf_fini(&packet);
    world_end();
}

static void test_who_buffers_most_goes(void)
{
    static const char head[] = "PKTV1\0\0\3\0\0\0"; /* of 48 MiB */
    char *filler = xcalloc(1, 1 << 20);
    int large, small, other;

    world_begin();
    sh.clients->max_memory = 3u << 20;
    large = local_client();
    small = local_client();
    other = local_client();
    CU_ASSERT_EQUAL(send(large, head, 11, MSG_NOSIGNAL), 11);
    CU_ASSERT_EQUAL(send(small, head, 11, MSG_NOSIGNAL), 11);
    CU_ASSERT(send(small, filler, 50000, MSG_NOSIGNAL) > 0);
    for (int i = 0; i < 1000 && core.n_gone == 0; i++) {
        (void)!send(large, filler, 1 << 20, MSG_NOSIGNAL);
        settle();
    }
    CU_ASSERT_EQUAL(core.n_gone, 1);
    CU_ASSERT_FALSE(is_silent(large)); /* closed, or reset */
    CU_ASSERT(is_silent(small));
    CU_ASSERT_EQUAL(n_logged("unread replies and unfinished messages"), 1);
    ask(other, STATUS);
    ASSERT_REPLY(other, "+2+2+0+0+7+0+8answer 1");
    close(large);
    close(small);
    close(other);
    free(filler);
    world_end();
}

/* QueueJob and JobScript leave something with the core until Commit. */
static void test_a_job_that_is_being_sent_is_in_the_budget(void)
{
    int fd, other;

    world_begin();
    sh.clients->max_memory = 3u << 20;
    fd = local_client();
    other = local_client();
    core.pending_conn = 1;
    core.pending_bytes = 2u << 20;
    ask(fd, STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 1");
    core.pending_bytes = 4u << 20;
    ask(fd, STATUS);
    for (int i = 0; i < 100 && core.n_gone == 0; i++)
        settle();
    CU_ASSERT_EQUAL(core.n_gone, 1);
    CU_ASSERT_EQUAL(core.gone_conn, 1);
    core.pending_conn = 0;
    ask(other, STATUS);
    CU_ASSERT_PTR_NOT_NULL(strstr(reply(other), "answer"));
    close(fd);
    close(other);
    world_end();
}

static int client_of(const char *user)
{
    int fd = tcp_client();

    settle();
    client_become(sh.clients->list->prev, user, sh.host);
    return fd;
}

/* What a user has asked for takes memory until it is saved: he waits for that. */
static void test_who_has_much_that_is_unsaved_waits(void)
{
    const char *const status_of_ann = "+2+22+21+3ann+0+0+0";
    size_t n_before;
    int first, second, other;

    world_begin();
    sh.clients->max_user_unsaved = 16;
    first = client_of("ann");
    second = client_of("ann");
    other = local_client();
    ask(other, MANAGER);
    ASSERT_REPLY(other, "+2+2+0+0+7+0+4made");
    store_memory_fail(sh.store, true);
    ask(first, "+2+2+9+3ann+0+1+0+0+0");
    while (!core.store_failed)
        turn();
    n_before = core.n_requests;
    ask(second, status_of_ann);
    settle();
    CU_ASSERT_EQUAL(core.n_requests, n_before);
    ask(other, "+2+22+58%u+0+0+0");
    ASSERT_REPLY(other, "+2+2+0+0+7+0+3old");
    CU_ASSERT_EQUAL(core.n_requests, n_before + 1);
    store_memory_fail(sh.store, false);
    while (core.n_requests == n_before + 1)
        turn();
    CU_ASSERT_EQUAL(core.n_requests, n_before + 2);
    close(first);
    close(second);
    close(other);
    for (int i = 0; i < 10; i++)
        settle();
    CU_ASSERT_PTR_NULL(share_find(&sh.clients->crowd.users, "ann"));
    world_end();
}

static void test_unread_long_replies_are_bounded(void)
{
    int fd, other;

    world_begin();
    fd = local_client();
    other = local_client();
    ask(fd, LIST); /* and does not read */
    for (int i = 0; i < 20; i++)
        settle();
    sh.clients->stalled_ms = INT64_MAX;
    core.held_bytes = sh.clients->max_held + 1;
    ask(other, BRIEF); /* waits until the first is read */
    for (int i = 0; i < 20; i++)
        settle();
    CU_ASSERT_EQUAL(core.brief_slices_left, SLICES);
    CU_ASSERT_EQUAL(core.n_gone, 0);
    sh.clients->stalled_ms = 0;
    loop_timer_set(sh.clients->squeeze, 0);
    settle();
    CU_ASSERT_EQUAL(core.n_gone, 1);
    CU_ASSERT_EQUAL(n_logged("long replies are not read: the connection of"), 1);
    ASSERT_REPLY(other, "brief"); /* still too much, but nobody reads: one goes on */
    close(fd);
    close(other);
    world_end();
}

static void test_long_replies_wait_for_readers_that_read(void)
{
    int fd, other;

    world_begin();
    fd = local_client();
    other = local_client();
    ask(fd, LIST);
    for (int i = 0; i < 20; i++)
        settle();
    core.held_bytes = sh.clients->max_held + 1;
    ask(other, BRIEF);
    for (int i = 0; i < 20; i++)
        settle();
    CU_ASSERT_EQUAL(core.brief_slices_left, SLICES);
    core.held_bytes = 0; /* what has been read */
    CU_ASSERT(read_list(fd));
    ASSERT_REPLY(other, "brief");
    CU_ASSERT_EQUAL(core.n_gone, 0);
    CU_ASSERT_PTR_NULL(sh.clients->in[LIFE_READING]);
    close(fd);
    close(other);
    world_end();
}

/* What was parked may become a long reply, which is gathered in turns of its own. */
static void test_a_parked_request_may_end_in_a_long_reply(void)
{
    int fd, other;

    world_begin();
    core.parked_lists = true;
    fd = local_client();
    other = local_client();
    ask(fd, PARK STATUS);
    settle();
    ask(other, STATUS);
    ASSERT_REPLY(other, "+2+2+0+0+7+0+8answer 2");
    ASSERT_REPLY(fd, "brief");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 3");
    CU_ASSERT_EQUAL(core.brief_slices_left, 0);
    close(fd);
    close(other);
    world_end();
}

/* What is parked goes on in every turn, and everybody else is served meanwhile; the
 * connection's own next request waits for the answer. */
static void test_others_are_served_while_a_request_goes_on(void)
{
    int fd, other;

    world_begin();
    fd = local_client();
    other = local_client();
    ask(fd, PARK STATUS);
    settle();
    CU_ASSERT_EQUAL(core.n_requests, 1);
    CU_ASSERT(is_silent(fd));
    ask(other, STATUS);
    ASSERT_REPLY(other, "+2+2+0+0+7+0+8answer 2");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+9all of it");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 3");
    close(fd);
    close(other);
    world_end();
}

static void test_silent_requests_do_not_block(void)
{
    int fd;

    world_begin();
    fd = local_client();
    ask(fd, "+2+22+23%u+1j+0+0+0" STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+8answer 2");
    close(fd);
    world_end();
}

static void test_close_follows_its_reply(void)
{
    int fd;

    world_begin();
    fd = local_client();
    ask(fd, "+2+22+20%u+0+0+0" STATUS);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+4once");
    ASSERT_REPLY(fd, "closed");
    CU_ASSERT_EQUAL(core.n_requests, 1);
    close(fd);
    world_end();
}

static void test_no_reply_before_its_record(void)
{
    int writer, reader;

    world_begin();
    writer = local_client();
    reader = local_client();
    store_memory_fail(sh.store, true);
    ask(writer, MANAGER);
    while (!core.store_failed)
        turn();
    ask(reader, STATUS); /* it has seen the record: it has to wait as well */
    CU_ASSERT_TRUE(is_silent(writer));
    CU_ASSERT_TRUE(is_silent(reader));
    CU_ASSERT_EQUAL(core.n_requests, 2);
    CU_ASSERT_EQUAL(store_last_seq(sh.store), 0);
    store_memory_fail(sh.store, false);
    ASSERT_REPLY(writer, "+2+2+0+0+7+0+4made");
    ASSERT_REPLY(reader, "+2+2+0+0+7+0+8answer 2");
    CU_ASSERT_EQUAL(store_last_seq(sh.store), 1);
    CU_ASSERT_FALSE(core.store_failed);
    close(writer);
    close(reader);
    world_end();
}

/* What a reply speaks of is durable: it passes those that wait for a lost store. */
static void test_old_news_do_not_wait(void)
{
    int writer, reader, other;

    world_begin();
    writer = local_client();
    reader = local_client();
    other = local_client();
    ask(writer, MANAGER);
    ASSERT_REPLY(writer, "+2+2+0+0+7+0+4made");
    store_memory_fail(sh.store, true);
    ask(writer, MANAGER);
    while (!core.store_failed)
        turn();
    ask(reader, STATUS); /* perhaps in one turn with the next */
    ask(other, "+2+22+58%u+0+0+0");
    ASSERT_REPLY(other, "+2+2+0+0+7+0+3old");
    ask(other, "+2+22+58%u+0+0+0");
    ASSERT_REPLY(other, "+2+2+0+0+7+0+3old");
    CU_ASSERT_TRUE(is_silent(writer));
    CU_ASSERT_TRUE(is_silent(reader));
    store_memory_fail(sh.store, false);
    ASSERT_REPLY(writer, "+2+2+0+0+7+0+4made");
    ASSERT_REPLY(reader, "+2+2+0+0+7+0+8answer 3");
    CU_ASSERT_TRUE(is_silent(other));
    close(writer);
    close(reader);
    close(other);
    world_end();
}

#define IN_DOUBT  "+2+25+15161+0+7+03+124" SVR_IN_DOUBT
#define NOT_SHOWN "+2+25+15161+0+7+03+103" SVR_NOT_SHOWN

/* The store is lost for long: everybody gets an answer, and may ask on. */
static void test_nobody_waits_for_ever(void)
{
    int writer, reader, lister, closer, held;

    world_begin();
    writer = local_client();
    reader = local_client();
    lister = local_client();
    closer = local_client();
    held = local_client();
    store_memory_fail(sh.store, true);
    ask(held, LOCATE);
    ask(writer, MANAGER "+2+22+58%u+0+0+0");
    while (!core.store_failed)
        turn();
    ask(reader, STATUS);
    ask(lister, LIST);
    ask(closer, "+2+22+20%u+0+0+0");
    for (int i = 0; i < SLICES; i++)
        settle();
    CU_ASSERT_TRUE(is_silent(writer) && is_silent(reader) && is_silent(lister));
    CU_ASSERT_TRUE(is_silent(closer) && is_silent(held));
    outbox_give_up(sh.outbox);
    ASSERT_REPLY(writer, IN_DOUBT);
    ASSERT_REPLY(reader, IN_DOUBT); /* this core does not say what only looks */
    ASSERT_REPLY(held, IN_DOUBT);
    ASSERT_REPLY(lister, NOT_SHOWN);
    ASSERT_REPLY(closer, IN_DOUBT);
    ASSERT_REPLY(closer, "closed");
    CU_ASSERT_EQUAL(core.n_given_up, 1);
    ask(reader, STATUS); /* nobody waits from now on */
    ASSERT_REPLY(reader, IN_DOUBT);
    ASSERT_REPLY(writer, IN_DOUBT); /* what it had sent behind the first */
    store_memory_fail(sh.store, false);
    while (core.store_failed)
        turn();
    CU_ASSERT_EQUAL(store_last_seq(sh.store), 1);
    CU_ASSERT_TRUE(is_silent(writer) && is_silent(reader)); /* answered once */
    CU_ASSERT_TRUE(is_silent(lister) && is_silent(held));
    ask(writer, MANAGER);
    ASSERT_REPLY(writer, "+2+2+0+0+7+0+4made");
    close(writer);
    close(reader);
    close(lister);
    close(closer);
    close(held);
    world_end();
}

/* A store that says that it cannot has said all: nobody waits for PBS_STORE_WAIT. */
static void test_nobody_waits_for_a_full_disk(void)
{
    int writer, reader, held;

    world_begin();
    writer = local_client();
    reader = local_client();
    held = local_client();
    store_memory_fill(sh.store, true);
    ask(held, LOCATE);
    ask(writer, MANAGER);
    ASSERT_REPLY(writer, IN_DOUBT);
    ASSERT_REPLY(held, IN_DOUBT);
    ask(reader, STATUS);
    ASSERT_REPLY(reader, IN_DOUBT);
    CU_ASSERT_EQUAL(core.n_given_up, 1);
    store_memory_fill(sh.store, false);
    while (core.store_failed)
        turn();
    CU_ASSERT_EQUAL(store_last_seq(sh.store), 1);
    ask(writer, MANAGER);
    ASSERT_REPLY(writer, "+2+2+0+0+7+0+4made");
    close(writer);
    close(reader);
    close(held);
    world_end();
}

/* A record that cannot be true is a mistake of ours: what was decided before is saved,
 * nobody is told of anything, and the server ends instead of trying for ever. */
static void test_a_contradiction_ends_the_server(void)
{
    int writer;

    world_begin();
    writer = local_client();
    store_memory_fail(sh.store, true);
    ask(writer, MANAGER); /* record 1 */
    while (!core.store_failed)
        turn();
    for (int i = 0; i < 3; i++) { /* records 2 and 3, 4 and 5, 6 and 7 */
        make_record(outbox_effects(sh.outbox), "q");
        make_record(outbox_effects(sh.outbox), "q");
        outbox_end_turn(sh.outbox);
    }
    store_memory_contradict(sh.store, 5);
    store_memory_fail(sh.store, false);
    CU_ASSERT_EQUAL(sh.status, 0);
    while (sh.status == 0)
        turn();
    CU_ASSERT_EQUAL(sh.status, 3);
    CU_ASSERT_EQUAL(store_last_seq(sh.store), 3);
    CU_ASSERT_EQUAL(core.n_given_up, 0);
    close(writer);
    world_end();
}

/* The server is told to end while its store is lost. */
static void test_shutdown_does_not_wait_for_ever(void)
{
    int writer, other;

    world_begin();
    writer = local_client();
    other = local_client();
    store_memory_fail(sh.store, true);
    ask(writer, MANAGER);
    while (!core.store_failed)
        turn();
    ask(other, "+2+22+17%u+2+0");
    settle();
    CU_ASSERT_FALSE(sh.stopping);
    outbox_give_up(sh.outbox);
    ASSERT_REPLY(other, IN_DOUBT);
    CU_ASSERT_TRUE(sh.stopping);
    close(writer);
    close(other);
    world_end();
}

static void test_many_writers_share_commits(void)
{
    int fds[40];

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = local_client();
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        ask(fds[i], MANAGER MANAGER);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        ASSERT_REPLY(fds[i], "+2+2+0+0+7+0+4made");
        ASSERT_REPLY(fds[i], "+2+2+0+0+7+0+4made");
        close(fds[i]);
    }
    CU_ASSERT_EQUAL(store_last_seq(sh.store), 2 * ARRAY_LEN(fds));
    world_end();
}

/* What has gathered while the store was lost goes there in pieces. */
static void test_commits_have_a_size(void)
{
    world_begin();
    store_memory_fail(sh.store, true);
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 150; j++)
            make_record(outbox_effects(sh.outbox), "q");
        outbox_end_turn(sh.outbox);
    }
    while (!core.store_failed)
        turn();
    store_memory_fail(sh.store, false);
    while (!outbox_is_empty(sh.outbox))
        turn();
    CU_ASSERT_EQUAL(store_last_seq(sh.store), 6000);
    CU_ASSERT_EQUAL(core.n_commits, 3); /* 150, 5100, 750 */
    world_end();
}

static void test_scheduler_has_two_connections(void)
{
    int first, second;

    world_begin();
    first = local_client();
    second = local_client();
    ask(first, REGISTER);
    ASSERT_REPLY(first, "+2+2+0+0+7+0+8answer 1");
    ask(second, REGISTER);
    ASSERT_REPLY(second, "+2+2+0+0+7+0+8answer 2");
    ASSERT_REPLY(second, "+6");
    ask(first, STATUS);
    ASSERT_REPLY(first, "+2+2+0+0+7+0+8answer 3");
    ask(second, "+0");
    ASSERT_REPLY(second, "2+11+8717.pbs1");
    CU_ASSERT_EQUAL(core.n_done, 1);
    ask(second, "rubbish");
    ASSERT_REPLY(second, "closed");
    CU_ASSERT_EQUAL(core.n_gone, 1);
    CU_ASSERT_EQUAL(core.gone_conn, 2);
    close(first);
    close(second);
    world_end();
}

static void test_full_table_drops_strangers(void)
{
    int known, oldest, younger, late;

    world_begin();
    sh.clients->crowd.max = 3;
    sh.clients->crowd.for_root = 0;
    known = local_client();
    oldest = tcp_client();
    settle();
    younger = tcp_client();
    settle();
    late = local_client();
    ASSERT_REPLY(oldest, "closed");
    ask(late, STATUS);
    ASSERT_REPLY(late, "+2+2+0+0+7+0+8answer 1");
    ask(known, STATUS);
    ASSERT_REPLY(known, "+2+2+0+0+7+0+8answer 2");
    CU_ASSERT_TRUE(is_silent(younger));
    close(known);
    close(oldest);
    close(younger);
    close(late);
    world_end();
}

static void test_strangers_are_few_and_short_lived(void)
{
    int known, s[4];

    world_begin();
    sh.clients->crowd.max_strangers = 2;
    known = local_client();
    for (size_t i = 0; i < ARRAY_LEN(s); i++) {
        s[i] = tcp_client();
        settle();
    }
    ASSERT_REPLY(s[0], "closed");
    ASSERT_REPLY(s[1], "closed");
    CU_ASSERT_TRUE(is_silent(s[2]) && is_silent(s[3]));
    CU_ASSERT_EQUAL(sh.clients->crowd.n[CROWD_STRANGER], 2);
    sh.clients->stranger_ms = 0;
    loop_timer_set(sh.clients->sweep, 0);
    ASSERT_REPLY(s[2], "closed");
    ASSERT_REPLY(s[3], "closed");
    CU_ASSERT_EQUAL(sh.clients->crowd.n[CROWD_STRANGER], 0);
    CU_ASSERT_PTR_NULL(sh.clients->strangers);
    ask(known, STATUS);
    ASSERT_REPLY(known, "+2+2+0+0+7+0+8answer 1");
    close(known);
    for (size_t i = 0; i < ARRAY_LEN(s); i++)
        close(s[i]);
    world_end();
}

static void test_root_gets_in_when_the_table_is_full(void)
{
    int first, second, stranger;

    world_begin();
    sh.clients->crowd.max = 3;
    sh.clients->crowd.for_root = 2;
    first = local_client(); /* of the uid that runs this: root's rights */
    second = local_client();
    stranger = tcp_client();
    settle();
    ASSERT_REPLY(stranger, "closed");
    ask(first, STATUS);
    ASSERT_REPLY(first, "+2+2+0+0+7+0+8answer 1");
    ask(second, STATUS);
    ASSERT_REPLY(second, "+2+2+0+0+7+0+8answer 2");
    close(first);
    close(second);
    close(stranger);
    world_end();
}

static void test_shutdown_answers_first(void)
{
    int fd;

    world_begin();
    fd = local_client();
    ask(fd, "+2+22+17%u+2+0");
    loop_run(sh.loop); /* ends by itself */
    CU_ASSERT_EQUAL(sh.status, 0);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+3bye");
    close(fd);
    world_end();
}

/* Accounting. */

static void test_accounting_lines_and_note_agree(void)
{
    char path[80], day[9], *text;
    struct arena *a = arena_new();
    const char *note = NULL;
    struct diag why;
    int fd;

    world_begin();
    fd = local_client();
    ask(fd, MANAGER MANAGER);
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+4made");
    ASSERT_REPLY(fd, "+2+2+0+0+7+0+4made");
    log_day_text(clock_read(), day);
    snprintf(path, sizeof(path), "%s/%s", dir, day);
    /* This day's log file has the same name and holds other lines too. */
    text = file_content(path);
    CU_ASSERT_EQUAL(store_note_get(sh.store, ACCOUNTING_NOTE, a, &note, &why), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(note);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, ";Q;1.svr;made\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(note, ";Q;1.svr;made\n"));
    CU_ASSERT_EQUAL(strncmp(note, path, strlen(path)), 0);
    free(text);
    arena_free(a);
    close(fd);
    world_end();
}

static void expect_learned(const char *user, const char *what)
{
    const struct need need = { .kind = NEED_GROUPS, .name = user };
    size_t before = core.n_learned;

    find_out_for_core(sh.find_out, &need);
    CU_ASSERT_EQUAL(core.n_learned, before); /* never from inside of the question */
    while (core.n_learned == before)
        turn();
    CU_ASSERT_STRING_EQUAL(core.learned, what);
}

static void test_groups_are_found_out(void)
{
    world_begin();
    expect_learned("root", "root: root");
    expect_learned("no such user", "no such user: nobody");
    world_end();
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a local peer is known", test_local_peer_is_known },
        { "refusals come before the core", test_refusals_before_the_core },
        { "bytes that are no packet are refused", test_bytes_that_are_no_packet },
        { "half a request delays nobody", test_half_a_request_delays_nobody },
        { "several requests in one packet are served in order",
          test_several_requests_in_one_packet },
        { "one request may come in several packets",
          test_one_request_in_several_packets },
        { "one message has not too many packets",
          test_too_many_packets_for_one_message },
        { "a held request keeps its place", test_held_request_keeps_its_place },
        { "a waiting client that leaves is noticed",
          test_waiting_client_that_leaves_is_noticed },
        { "a long reply waits for its reader", test_long_reply_waits_for_its_reader },
        { "a long reply ends with its reader", test_long_reply_ends_with_its_reader },
        { "who does not read is not served", test_who_does_not_read_is_not_served },
        { "many requests in one packet take turns",
          test_many_requests_in_one_packet_take_turns },
        { "what stands behind a long message is served",
          test_what_stands_behind_a_long_message_is_served },
        { "who buffers most goes", test_who_buffers_most_goes },
        { "a job that is being sent is in the budget",
          test_a_job_that_is_being_sent_is_in_the_budget },
        { "who has much that is unsaved waits",
          test_who_has_much_that_is_unsaved_waits },
        { "unread long replies are bounded", test_unread_long_replies_are_bounded },
        { "long replies wait for readers that read",
          test_long_replies_wait_for_readers_that_read },
        { "a parked request may end in a long reply",
          test_a_parked_request_may_end_in_a_long_reply },
        { "others are served while a request goes on",
          test_others_are_served_while_a_request_goes_on },
        { "silent requests do not block", test_silent_requests_do_not_block },
        { "a close follows its reply", test_close_follows_its_reply },
        { "no reply comes before its record", test_no_reply_before_its_record },
        { "old news do not wait", test_old_news_do_not_wait },
        { "commits have a size", test_commits_have_a_size },
        { "nobody waits for ever", test_nobody_waits_for_ever },
        { "nobody waits for a full disk", test_nobody_waits_for_a_full_disk },
        { "a contradiction ends the server", test_a_contradiction_ends_the_server },
        { "a shutdown does not wait for ever", test_shutdown_does_not_wait_for_ever },
        { "many writers share commits", test_many_writers_share_commits },
        { "a scheduler has two connections", test_scheduler_has_two_connections },
        { "a full table drops strangers", test_full_table_drops_strangers },
        { "strangers are few and short-lived", test_strangers_are_few_and_short_lived },
        { "root gets in when the table is full",
          test_root_gets_in_when_the_table_is_full },
        { "a shutdown answers first", test_shutdown_answers_first },
        { "accounting lines and their note agree",
          test_accounting_lines_and_note_agree },
        { "groups are found out", test_groups_are_found_out },
    };
    char name[64], day[9];
    int rc;

    setenv("TZ", "UTC", 1);
    if (!mkdtemp(dir))
        return 2;
    rc = unit_main("server shell", cases, ARRAY_LEN(cases));
    model_free(no_objects);
    log_day_text(clock_read(), day);
    snprintf(name, sizeof(name), "%s/%s", dir, day);
    unlink(name);
    snprintf(name, sizeof(name), "%s/ipc", dir);
    rmdir(name);
    rmdir(dir);
    return rc;
}
