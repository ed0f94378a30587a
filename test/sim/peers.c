/* peers.c - see peers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include "server/decide/depend_remote.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* A server hears so much later at most that a connection has ended. */
#define NOTICE_MAX_MS 60000
/* A server hears so much later at most that what it has said was lost. */
#define BREAK_MAX_MS  1000
/* Later than anybody waits for an answer. */
#define LATE_MS       (PEER_WAIT_MS + 5000)

struct talk {
    struct sim *from;
    uint64_t life; /* of the server that asks */
    struct arena *arena;
    struct need need;
    struct dis_in in; /* at the next request */
    struct finding f;
    uint64_t conn; /* at the other server; 0: none */
    bool has_begun;
    bool is_over; /* nobody waits for an answer */
    bool is_deaf; /* the next answer is lost */
    struct talk *prev, *next;
};

static const struct conn_ops talk_ops;
static const struct conn_ops echo_ops;

void peers_fini(struct peers *p)
{
    struct talk *t, *next;

    DL_FOREACH_SAFE (p->list, t, next) {
        DL_DELETE(p->list, t);
        arena_free(t->arena);
        free(t);
    }
}

/* The end of a connection, which the other server has still to hear of. */
static void hang_up_now(struct sim *s, void *arg)
{
    net_disconnect(s, *(uint64_t *)arg);
}

/* What is under way arrives before that, or never. */
static void hang_up(struct sim *other, uint64_t conn, int64_t delay_ms)
{
    uint64_t *id = xmalloc(sizeof(*id));

    *id = conn;
    sim_after(other, delay_ms, hang_up_now, id, free);
}

static bool asker_lives(const struct talk *t)
{
    return t->from->shell.up && t->from->shell.life == t->life;
}

/* The answer is known, or will not be. */
static void tell(struct talk *t, bool other_is_told)
{
    struct sim *s = t->from;

    t->is_over = true;
    if (t->conn)
        hang_up(s->other, t->conn,
                other_is_told ? sim_latency_ms(s)
                              : rnd_range(&s->rnd, 0, NOTICE_MAX_MS));
    t->conn = 0;
    if (!asker_lives(t))
        return;
    sim_trace(s, "server: to %s: %s: %s %d %s", s->other->name, t->need.name,
              t->f.found    ? "yes"
              : t->f.failed ? "nobody knows"
                            : "no",
              t->f.code, t->f.words ? t->f.words : "");
    shell_learned(s, &t->need, &t->f);
}

static void fail(struct talk *t, const char *words)
{
    t->f.failed = true;
    t->f.words = words;
    tell(t, false);
}

static void breaks(struct sim *s UNUSED, void *arg)
{
    struct talk *t = arg;

    if (!t->is_over)
        fail(t, "No answer of server: Connection reset by peer");
}

static void is_too_late(struct sim *s UNUSED, void *arg)
{
    struct talk *t = arg;

    if (!t->is_over)
        fail(t, "No answer of server: no answer in time");
}

/* What becomes of the next request: in a sweep, or in this weather. */
static enum sweep_loss loss(struct talk *t)
{
    struct sim *s = t->from;
    enum sweep_loss swept = sweep_peer_loses(s);

    if (swept != SWEEP_LOSES_NOTHING ||
        !rnd_percent(&s->rnd, s->weather.unheard_percent))
        return swept;
    return rnd_percent(&s->rnd, 50) ? SWEEP_LOSES_REQUEST : SWEEP_LOSES_ANSWER;
}

/* A request and what becomes of it. */
static void say(struct talk *t, const struct wire_request *rq, enum sweep_loss loss)
{
    struct sim *s = t->from;
    struct conn *c = net_conn(&s->other->net, t->conn);

    t->is_deaf = loss == SWEEP_LOSES_REQUEST || loss == SWEEP_LOSES_ANSWER;
    if (c && loss == SWEEP_IS_LATE) /* nothing overtakes on a connection */
        c->to_server_ms = s->clock.now_ms + LATE_MS;
    if (loss != SWEEP_LOSES_REQUEST)
        net_request(s->other, t->conn, rq);
    if (t->is_deaf)
        sim_after(s, rnd_range(&s->rnd, 1, BREAK_MAX_MS) + sim_latency_ms(s), breaks, t,
                  NULL);
}

/* Nobody hears what 'to' answers. */
static void say_without_ears(struct sim *to, struct talk *t,
                             const struct wire_request *rq)
{
    uint64_t conn = net_connect(to, "root", false, &echo_ops, t);

    if (!conn)
        return;
    net_conn(&to->net, conn)->peer = to->other->name;
    net_request(to, conn, rq);
    hang_up(to, conn, rnd_range(&to->other->rnd, 0, NOTICE_MAX_MS));
}

/* The same request once more, on its way from a sender that has died. */
static void echo(struct talk *t, const struct wire_request *rq)
{
    say_without_ears(t->from->other, t, rq);
}

static void say_next(struct talk *t)
{
    struct sim *s = t->from;
    struct wire_request rq;
    bool known;
    bool is_first = t->in.at == t->need.data;

    if (t->in.at == t->in.end) {
        t->f.found = true;
        tell(t, true);
        return;
    }
    if (batch_read_request(&t->in, &rq, &known) != DIS_OK || !known) {
        check_failed(s, CHECK_WIRE, "what is sent to another server cannot be decoded");
        return;
    }
    t->f.doubt |= rq.number == BATCH_COMMIT;
    if (is_first && rnd_percent(&s->rnd, s->weather.twice_percent))
        echo(t, &rq);
    say(t, &rq, loss(t));
    sweep_peer_asks(s);
}

/* Does the destination name that host? A port may follow. */
static bool names(const char *destination, const char *host)
{
    const char *at = strchr(destination, '@');

    return at && strcspn(at + 1, ":") == strlen(host) &&
           strncmp(at + 1, host, strlen(host)) == 0;
}

static void begins(struct sim *s, void *arg)
{
    struct talk *t = arg;
    struct sim *other = s->other;

    if (!asker_lives(t)) {
        t->is_over = true;
        return;
    }
    t->has_begun = true;
    if (t->need.begin_until_at && sim_now_at(s) > t->need.begin_until_at)
        fail(t, "Too late to ask server");
    else if (!names(t->need.detail, other->name))
        fail(t, "No such host");
    else if (s->peers.are_cut_off ||
             !(t->conn = net_connect(other, "root", false, &talk_ops, t)))
        fail(t, "Cannot connect to server");
    if (t->is_over)
        return;
    net_conn(&other->net, t->conn)->peer = s->name;
    sim_after(s, PEER_WAIT_MS, is_too_late, t, NULL);
    say_next(t);
}

void peers_ask(struct sim *s, const struct need *need)
{
    struct talk *t = xcalloc(1, sizeof(*t));

    t->from = s;
    t->life = s->shell.life;
    t->arena = arena_new();
    t->need = need_copy(need, t->arena);
    t->in = (struct dis_in){ t->need.data, t->need.data + t->need.len, t->arena };
    DL_APPEND(s->peers.list, t);
    sim_after(s, sim_latency_ms(s), begins, t, NULL);
}

/* The answer to a request of a server that is not there any more is heard by nobody. */
static void on_reply(struct sim *other UNUSED, void *owner, uint64_t conn,
                     const struct wire_reply *reply)
{
    struct talk *t = owner;
    struct wire_reply open;

    if (t->is_over || t->is_deaf || t->conn != conn)
        return;
    if (sweep_peer_learns(t->from) || !asker_lives(t))
        return;
    t->f.code = reply->code;
    open = *reply;
    batch_open_reply(&open, t->arena);
    t->f.words = arena_strdup(t->arena, finding_words(&open, t->arena));
    if (reply->code == 0)
        say_next(t);
    else
        tell(t, true);
}

static void on_closed(struct sim *other UNUSED, void *owner, uint64_t conn)
{
    struct talk *t = owner;

    if (t->conn == conn)
        t->conn = 0;
    if (!t->is_over && t->has_begun)
        fail(t, "No answer of server: Connection reset by peer");
}

static void ignore_reply(struct sim *s UNUSED, void *owner UNUSED, uint64_t conn UNUSED,
                         const struct wire_reply *reply UNUSED)
{
}

static void ignore_end(struct sim *s UNUSED, void *owner UNUSED, uint64_t conn UNUSED)
{
}

static const struct conn_ops talk_ops = { on_reply, NULL, on_closed };
static const struct conn_ops echo_ops = { ignore_reply, NULL, ignore_end };

void peers_asker_died(struct sim *s)
{
    struct talk *t;

    DL_FOREACH (s->peers.list, t) {
        if (t->is_over)
            continue;
        t->is_over = true;
        if (t->conn)
            hang_up(s->other, t->conn, sim_latency_ms(s));
        t->conn = 0;
    }
}

void peers_cut_off(struct sim *s, bool are_cut_off)
{
    struct sim *const both[] = { s, s->other };

    for (size_t i = 0; i < ARRAY_LEN(both) && s->other; i++) {
        struct talk *t;

        sim_trace(both[i], "servers %s",
                  are_cut_off ? "are cut off" : "reach each other");
        both[i]->peers.are_cut_off = are_cut_off;
        /* What is on its way is lost. */
        DL_FOREACH (both[i]->peers.list, t)
            if (are_cut_off && !t->is_over && t->conn) {
                t->is_deaf = true;
                hang_up(both[i]->other, t->conn, 0);
                t->conn = 0;
            }
    }
}

void peers_lose_waiters(struct sim *s, const char *job_id)
{
    const struct job *job = model_job(shell_model(s), job_id);
    struct arena *arena = arena_new();
    const struct waiters list = waiters_of(job, arena);

    s->peers.have_lost = true;
    /* To unregister is the one way to lose them that a server has. */
    for (size_t i = 0; i < list.n; i++) {
        const struct body_register_dep body = {
            .owner = "root",
            .parent_id = job_id,
            .child_id = arena_printf(arena, "%s@%s", list.v[i].job, list.v[i].server),
            .type = depend_type_to_wire(list.v[i].type),
            .operation = DEPEND_OP_UNREGISTER,
        };
        const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                         .user = "root",
                                         .body = &body };

        say_without_ears(s, NULL, &rq);
    }
    arena_free(arena);
}
