/* clients.c - the table of connections: what happens to each of them, and what the core
 * has for them. Who is let in is in client_admit.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/clients.h"

#include "lib/auth/auth.h"
#include "lib/io/daemon.h"
#include "lib/io/net.h"
#include "server/requests/handlers.h"
#include "server/shell/client.h"
#include "server/shell/client_handshake.h"
#include "server/shell/methods.h"
#include "server/shell/outbox.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utlist.h>

static struct client *client_find(struct clients *cs, uint64_t number)
{
    struct client *c;

    HASH_FIND(hh, cs->by_number, &number, sizeof(number), c);
    return c;
}

bool client_is_closing(const struct client *c)
{
    return c->life == LIFE_CLOSING;
}

bool client_can(const struct client *c, enum life_event event)
{
    return life_next(c->life, event) != LIFE_NONE;
}

/* What a state stands for. */
static void enter_life(struct client *c, enum life to)
{
    struct clients *cs = c->all;

    DL_APPEND2(cs->in[to], c, life_prev, life_next);
    c->life = to;
    /* What is still to be sent is sent, and then the connection ends by itself. */
    if (to == LIFE_CLOSING) {
        seeker_end(&c->seeker);
        conn_finish(c->conn);
        return;
    }
    /* Whether packets are read, and whether room is waited for, follows from the state
     * alone. */
    conn_hold(c->conn, life_holds(to));
    conn_want_room(c->conn, life_wants_room(to));
    if (to == LIFE_RESTING) {
        c->rests_since = cs->turn;
        loop_timer_set(cs->resume, 0);
    } else if (to == LIFE_GATHERING) {
        loop_timer_set(cs->gather, 0);
    }
}

void client_happens(struct client *c, enum life_event event)
{
    enum life to = life_next(c->life, event);

    MUST(to != LIFE_NONE);
    /* The state is entered once, with its consequences. */
    if (to == c->life)
        return;
    DL_DELETE2(c->all->in[c->life], c, life_prev, life_next);
    enter_life(c, to);
}

void client_count(struct client *c)
{
    /* Everything that the connection makes the server keep counts against its party. */
    size_t bytes =
        c->message.cap + c->part.cap + svr_kept_bytes(c->all->sh->svr, c->number);

    budget_recount(&c->share->memory, c->counted, bytes);
    c->counted = bytes;
}

static void client_free(struct client *c)
{
    struct clients *cs = c->all;

    /* Whoever is being served is on the stack above. */
    MUST(c != cs->serving);
    DL_DELETE2(cs->in[c->life], c, life_prev, life_next);
    HASH_DEL(cs->by_number, c);
    DL_DELETE(cs->list, c);
    client_leave(c);
    seeker_end(&c->seeker);
    handshake_abandon(c);
    conn_free(c->conn);
    auth_session_free(c->session);
    buf_fini(&c->message);
    buf_fini(&c->part);
    free(c);
}

void client_gone(struct client *c)
{
    struct shell *sh = c->all->sh;
    /* The client is freed first, so the core cannot answer it any more. */
    uint64_t number = c->number;

    client_free(c);
    svr_client_gone(sh->svr, shell_now(sh), number, outbox_effects(sh->outbox));
}

static void on_frame(void *arg, struct conn *conn, const struct packet *f)
{
    struct client *c = arg;

    (void)conn;
    /* What comes after the end is not listened to. */
    if (client_is_closing(c))
        return;
    if (c->life == LIFE_HANDSHAKE)
        handshake_packet(c, f);
    else if (c->life == LIFE_COMMANDS)
        sched_conn_packet(c, f->data, f->len);
    else
        serve_packet(c, f->data, f->len);
}

static const char *const fault_words[] = {
    [CONN_BAD_BYTES] = "not a packet of the protocol",
    [CONN_PARTIAL] = "the rest of a message did not come in time",
    [CONN_CUT] = "closed in the middle of a message",
};

static void on_bad(void *arg, struct conn *conn, enum conn_fault fault)
{
    struct client *c = arg;

    (void)conn;
    if (client_is_closing(c))
        return;
    shell_log(c->all->sh, LOG_EV_DEBUG, LOG_IN_REQUEST, "bad input from %s@%s: %s",
              *c->user ? c->user : "unknown", c->host, fault_words[fault]);
    /* The refusal below is a DIS reply, which no handshake expects. */
    handshake_abandon(c);
    client_refuse(c, 0, "", PBSE_DISPROTO, true);
}

/* In dots, whatever name its host has by now (wire.md 11.1). */
static const char *address_of(const struct client *c, char text[INET_ADDRSTRLEN])
{
    const char *dots = inet_ntop(AF_INET, &c->peer.sin_addr, text, INET_ADDRSTRLEN);

    return c->local || !dots ? c->host : dots;
}

static void on_closed(void *arg, struct conn *conn, enum conn_end end)
{
    struct client *c = arg;
    struct shell *sh = c->all->sh;
    char text[INET_ADDRSTRLEN];

    /* An orderly end is not worth a line. */
    if (end == CONN_IDLE)
        shell_log(sh, LOG_EV_DEBUG, LOG_IN_REQUEST, "timeout connection from %s",
                  address_of(c, text));
    else if (end == CONN_STALLED || end == CONN_OVERFLOW)
        shell_log(sh, LOG_EV_ERROR, LOG_IN_REQUEST,
                  "DIS reply failure, -1, to host %s, errno=%d write timed out",
                  c->host, conn_errno(conn));
    client_gone(c);
}

/* It has read most of what was sent. */
static void on_room(void *arg, struct conn *conn)
{
    struct client *c = arg;

    (void)conn;
    if (c->life == LIFE_READING)
        long_reply_write(c);
    else if (c->life == LIFE_CHOKED)
        client_happens(c, LIFE_EV_ROOM);
}

static const struct conn_events client_events = {
    .frame = on_frame, .bad = on_bad, .room = on_room, .closed = on_closed
};

/* Its request is served again, now that all it needs is known. */
static void on_found(struct seeker *who)
{
    struct client *c = STRUCT_OF(who, struct client, seeker);

    if (!c->user[0] && c->local)
        client_name_local(c);
    /* The connection may have ended, or gone on, meanwhile. */
    if (c->life == LIFE_LOOKING)
        client_happens(c, LIFE_EV_FOUND);
}

static struct client *client_new(struct clients *cs, int fd)
{
    struct client *c = xcalloc(1, sizeof(*c));
    /* Until it is known who this is the limits are those of a stranger. */
    struct conn_config cfg = { .events = &client_events,
                               .arg = c,
                               .idle_ms = CONN_IDLE_MS,
                               .max_frame_bytes = CLIENT_MAX_STRANGER_BYTES,
                               /* A scheduler sends hundreds of requests that nobody
                                * answers. */
                               .turn_frames = CLIENT_TURN_REQUESTS };

    c->all = cs;
    c->seeker.go_on = on_found;
    c->number = ++cs->last_number;
    c->conn = conn_new(cs->sh->loop, fd, &cfg);
    HASH_ADD(hh, cs->by_number, number, sizeof(c->number), c);
    DL_APPEND(cs->list, c);
    enter_life(c, LIFE_READY);
    return c;
}

static void on_tcp(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct clients *cs = arg;
    char address[INET_ADDRSTRLEN] = "";
    struct client *c;

    inet_ntop(AF_INET, &peer->sin_addr, address, sizeof(address));
    /* Nothing is sent to a stranger for whom there is no room. */
    if (!clients_make_room(cs, CROWD_STRANGER, address)) {
        close(fd);
        return;
    }
    c = client_new(cs, fd);
    c->peer = *peer;
    strcpy(c->host, address);
    client_enter_stranger(c, address);
}

static void on_local(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct clients *cs = arg;
    struct auth_peer who;
    struct client *c;
    struct diag why;

    (void)peer;
    /* The kernel says who is at the other end of a local socket. */
    if (auth_peer(fd, &who, &why)) {
        shell_log(cs->sh, LOG_EV_SECURITY, LOG_IN_REQUEST, "local client refused: %s",
                  why.text);
        close(fd);
        return;
    }
    c = client_new(cs, fd);
    c->local = true;
    c->uid = who.uid;
    strcpy(c->host, cs->sh->host);
    client_name_local(c);
}

void client_send_reply(struct client *c, const struct wire_reply *reply)
{
    struct buf bytes = { 0 };

    batch_encode_reply(&bytes, reply);
    conn_send_packet(c->conn, PACKET_DATA, bytes.data, bytes.len);
    buf_fini(&bytes);
}

/* Nobody waits for an answer to it (wire.md 8.6). */
static bool is_silent(uint32_t number)
{
    const struct request_row *row = request_row(number);

    return row && row->silent;
}

void client_refuse_as(struct client *c, uint32_t number, const char *user, int code,
                      const char *text)
{
    struct wire_reply reply = { .code = code, .choice = REPLY_NULL };

    if (text && *text) {
        reply.choice = REPLY_TEXT;
        reply.text = text;
    }
    /* The line is the one that PBS writes for each refusal. */
    logfile_printf(c->all->sh->log, LOG_EV_DEBUG, LOG_IN_REQUEST, "req_reject",
                   "Reject reply code=%d, aux=0, type=%u, from %s@%s", code, number,
                   user, c->host);
    if (!is_silent(number))
        client_send_reply(c, &reply);
}

void client_refuse(struct client *c, uint32_t number, const char *user, int code,
                   bool close)
{
    client_refuse_as(c, number, user, code, pbse_text(code));
    if (close)
        client_happens(c, LIFE_EV_CLOSE);
}

/* Those that have rested since an earlier turn. Serving one may end others, so that the
 * list is looked at from its front again each time. */
static void on_resume(void *arg)
{
    struct clients *cs = arg;
    uint64_t turn = ++cs->turn;
    struct client *c;

    /* A client that rests since this very turn has its turn later, after the others. */
    while ((c = cs->in[LIFE_RESTING]) != NULL && c->rests_since < turn) {
        client_happens(c, LIFE_EV_RESUME);
        serve_rest(c);
    }
}

void clients_eased(struct clients *cs)
{
    while (cs && cs->in[LIFE_STARVED])
        client_happens(cs->in[LIFE_STARVED], LIFE_EV_EASE);
}

void clients_reply(struct clients *cs, uint64_t conn, const struct wire_reply *reply)
{
    struct client *c = client_find(cs, conn);

    if (!c || !client_can(c, LIFE_EV_ANSWERED))
        return; /* nobody is there, or waits */
    client_send_reply(c, reply);
    /* Of a reply in parts only the last one ends the wait. */
    if (!reply->more)
        client_happens(c, LIFE_EV_ANSWERED);
}

void clients_give_up(struct clients *cs, uint64_t conn, bool reads_only)
{
    struct client *c = client_find(cs, conn);

    if (!c || !client_can(c, LIFE_EV_ANSWERED))
        return;
    /* The words say whether something may have been changed. */
    client_refuse_as(c, c->request, c->user, PBSE_SAVE_ERR,
                     reads_only ? SVR_NOT_SHOWN : SVR_IN_DOUBT);
    client_happens(c, LIFE_EV_ANSWERED);
}

void clients_listing(struct clients *cs, uint64_t conn)
{
    struct client *c = client_find(cs, conn);

    if (c && client_can(c, LIFE_EV_READ))
        long_reply_read(c);
}

void clients_close(struct clients *cs, uint64_t conn)
{
    struct client *c = client_find(cs, conn);

    if (c)
        client_happens(c, LIFE_EV_CLOSE);
}

void clients_sched_command(struct clients *cs, uint64_t conn, int32_t command,
                           const char *job_id)
{
    struct client *c = client_find(cs, conn);

    if (c && c->life == LIFE_COMMANDS)
        sched_conn_command(c, command, job_id);
}

static bool may_work(const struct clients *cs)
{
    return svr_has_work(cs->sh->svr) && !cs->sh->stopping &&
           !outbox_is_behind(cs->sh->outbox);
}

/* Slices of parked requests, whoever waits for them, and then others are served. */
static void on_work(void *arg)
{
    struct clients *cs = arg;
    struct shell *sh = cs->sh;
    int64_t until_ms = clock_mono_ms() + CLIENTS_WORK_MS;

    /* The work has a time limit in each turn, because sockets wait meanwhile. */
    while (may_work(cs) && clock_mono_ms() < until_ms) {
        struct svr_fate fate =
            svr_go_on(sh->svr, shell_now(sh), outbox_effects(sh->outbox));
        struct client *c = client_find(cs, fate.conn);

        if (c && client_can(c, LIFE_EV_ASKED))
            client_fate(c, fate.outcome);
    }
}

void clients_end_turn(struct clients *cs)
{
    /* What is left to do is done in the next turn, after others were read. */
    if (may_work(cs) && !loop_timer_is_set(cs->work))
        loop_timer_set(cs->work, 0);
    clients_keep_budgets(cs);
    if (svr_listing_held_bytes(cs->sh->svr) > cs->max_held &&
        !loop_timer_is_set(cs->squeeze))
        loop_timer_set(cs->squeeze, 0);
}

bool clients_have_unsent(const struct clients *cs)
{
    const struct client *c;

    DL_FOREACH (cs->list, c)
        /* The end of the server waits for these, as long as shell.c allows. */
        if (conn_unsent_bytes(c->conn) > 0 || c->life == LIFE_READING ||
            c->life == LIFE_GATHERING)
            return true;
    return false;
}

static size_t most_clients(void)
{
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_cur > CLIENTS_MAX)
        return CLIENTS_MAX;
    /* Some descriptors are kept for files, the store and children. */
    return lim.rlim_cur > 2 * CLIENTS_SPARE_FDS ? lim.rlim_cur - CLIENTS_SPARE_FDS
                                                : lim.rlim_cur / 2;
}

/* As many descriptors as are useful, when the system lets us have them. */
static void raise_limit(void)
{
    const rlim_t wanted = CLIENTS_MAX + CLIENTS_SPARE_FDS;
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_cur >= wanted)
        return;
    lim.rlim_cur = MIN_OF(wanted, lim.rlim_max);
    setrlimit(RLIMIT_NOFILE, &lim);
}

static int make_socket_dir(const char *path, struct diag *why)
{
    char *dir = xstrdup(path), *slash = strrchr(dir, '/');
    int err = 0;

    if (slash && slash != dir) {
        *slash = '\0';
        err = daemon_mkdir(dir, 0755, why);
    }
    free(dir);
    return err;
}

static void set_limits(struct clients *cs, const struct conf *conf)
{
    const size_t mib = (size_t)1 << 20;

    cs->crowd = (struct crowd){
        .for_root = CLIENTS_FOR_ROOT,
        .for_staff = conf->limit_staff_connections,
        /* The numbers are those of pbs.conf; 0 stands for no limit. */
        .max_strangers = conf_limit(conf->limit_strangers, 1),
        .max_host_strangers = conf_limit(conf->limit_host_strangers, 1),
        .max_user = conf_limit(conf->limit_user_connections, 1),
    };
    crowd_init(&cs->crowd, most_clients());
    cs->max_memory = conf_limit(conf->limit_memory_mib, mib);
    cs->max_user_memory = conf_limit(conf->limit_user_memory_mib, mib);
    cs->max_unsaved = cs->max_memory;
    cs->max_user_unsaved = cs->max_user_memory;
    cs->max_stranger_memory = conf_limit(conf->limit_stranger_memory_mib, mib);
}

int clients_new(struct shell *sh, struct clients **ret, struct diag *why)
{
    struct clients *cs = xcalloc(1, sizeof(*cs));
    const char *socket_path = conf_server_socket(sh->conf);
    int err;

    cs->sh = sh;
    raise_limit();
    set_limits(cs, sh->conf);
    cs->stranger_ms = CLIENT_STRANGER_MS;
    cs->max_held = CLIENTS_MAX_HELD_BYTES;
    cs->stalled_ms = CLIENT_STALLED_MS;
    cs->squeeze = loop_timer_new(sh->loop, long_replies_squeeze, cs);
    cs->resume = loop_timer_new(sh->loop, on_resume, cs);
    cs->gather = loop_timer_new(sh->loop, long_replies_gather, cs);
    cs->work = loop_timer_new(sh->loop, on_work, cs);
    cs->sweep = loop_timer_new(sh->loop, clients_sweep, cs);
    err = methods_new(sh, &cs->methods, why);
    if (!err)
        err =
            listen_tcp(sh->loop, NULL, sh->conf->batch_port, on_tcp, cs, &cs->tcp, why);
    if (!err)
        /* The directory may be on a file system that is empty after a boot. */
        err = make_socket_dir(socket_path, why);
    if (!err)
        err = listen_unix(sh->loop, socket_path, on_local, cs, &cs->local, why);
    if (err) {
        clients_free(cs);
        return err;
    }
    *ret = cs;
    return 0;
}

void clients_stop_listening(struct clients *cs)
{
    listener_free(cs->tcp);
    listener_free(cs->local);
    cs->tcp = cs->local = NULL;
}

void clients_free(struct clients *cs)
{
    if (!cs)
        return;
    clients_stop_listening(cs);
    /* No client is told anything here; that was done before the loop ended. */
    while (cs->list)
        client_free(cs->list);
    MUST(crowd_size(&cs->crowd) == 0); /* each has left with its client */
    loop_timer_free(cs->resume);
    loop_timer_free(cs->gather);
    loop_timer_free(cs->squeeze);
    loop_timer_free(cs->work);
    buf_fini(&cs->bytes);
    loop_timer_free(cs->sweep);
    methods_free(cs->methods);
    free(cs);
}
