/* shell.c - see shell.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include "../unit/cal/zones.h"
#include "lib/wire/packet.h"
#include "server/shell/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define COMMIT_RETRY_MS 1000
#define SERVER_LEAF     0
#define SERVER_ADDR     0x0a000001
#define SERVER_PORT     15001
#define OTHER_ADDR      0x0a0000f1 /* of the other server */
#define STORE_WAIT_MS   20000      /* nobody waits longer for a store out of reach */

/* What the core asks of its surroundings. */

static size_t host_addrs(void *arg, const char *host, uint32_t *ret, size_t max)
{
    const struct sim *s = arg;

    for (int i = 0; i < s->cluster.n_hosts; i++)
        if (strcmp(s->hosts[i].name, host) == 0 && max > 0) {
            ret[0] = s->hosts[i].addr;
            return 1;
        }
    if (max == 0)
        return 0;
    if (s->other && strcmp(host, s->other->name) == 0)
        ret[0] = OTHER_ADDR;
    else if (strcmp(host, s->name) == 0)
        ret[0] = SERVER_ADDR;
    else
        return 0;
    return 1;
}

static struct svr *new_core(struct sim *s)
{
    const struct svr_config cfg = {
        .server_name = s->name,
        .server_host = s->name,
        .server_port = 15001,
        .version = "23.06.06",
        .holdfast_version = "0",
        .root_user = "root",
        .arg = s,
        .runs_hooks = true,
        /* Every other seed lists in many turns what takes one otherwise. */
        .listing_slice_bytes = s->slow_lists ? 2000 : 0,
        .slice_cost = s->slow_lists ? 1 : 0,
        .number_window = s->number_window,
    };

    return svr_new(&cfg);
}

/* The store. */

static const struct change *load_into_core(void *arg, const struct record *rec)
{
    return svr_load(arg, rec);
}

static const struct change *load_into_model(void *arg, const struct record *rec)
{
    return model_load(arg, rec);
}

/* What the server has stored it can load, whatever it was in the middle of. */
static void load(struct store *store, struct bundles *bundles,
                 const struct records_into *into)
{
    struct diag why = { 0 };
    int err = records_read(store, bundles, into, &why);

    if (err)
        fprintf(stderr, "the store cannot be loaded: %s\n", why.text);
    MUST(err == 0);
}

static void load_denials(const struct sim *s)
{
    struct diag why = { 0 };
    int err = records_load_denials(s->shell.store, s->shell.svr, sim_now_at(s), &why);

    MUST(err == 0);
    (void)err;
}

struct model *shell_stored_model(const struct sim *s)
{
    struct model *m = model_new(s->name);

    load(s->shell.store, NULL, &(struct records_into){ m, load_into_model, m });
    model_loaded(m, store_last_seq(s->shell.store));
    return m;
}

struct undurable {
    struct model *m;
    uint64_t durable;
};

static void apply_undurable(void *arg, const struct effect *e)
{
    const struct undurable *to = arg;

    if (e->kind == EFFECT_RECORD && e->u.record->seq > to->durable)
        model_apply(to->m, e->u.record);
}

void shell_apply_undurable(const struct sim *s, struct model *m)
{
    uint64_t durable = store_last_seq(s->shell.store);
    struct undurable to = { m, durable };

    if (s->shell.turns)
        turns_each_waiting(s->shell.turns, apply_undurable, &to);
}

/* Leaving. */

static struct effects *begin_turn(struct sim *s);
static void end_turn(struct sim *s);
static bool ready(struct sim *s);

static void send_reply(struct sim *s, const struct effect *e)
{
    struct conn *c = net_conn(&s->net, e->u.reply.conn);
    const struct wire_reply *reply = &e->u.reply.reply;

    if (!c || c->dead)
        return;
    net_reply(s, c->id, reply);
    if (!reply->more)
        c->asked = 0;
}

static void list_later(struct sim *s, uint64_t conn);
static void work_later(struct sim *s);

/* A part of a long status: read a little at a time, decoded as the client's library
 * would. */
static void send_listing(struct sim *s, uint64_t conn)
{
    struct arena *arena = arena_new();
    struct effect e = { .kind = EFFECT_REPLY, .u.reply.conn = conn };
    struct buf bytes = { 0 };
    struct packet p;
    enum svr_listing left;

    do {
        left = svr_listing_read(s->shell.svr, conn, 700, &bytes);
    } while (left == SVR_LISTING_SOME);
    if (packet_peek(bytes.data, bytes.len, bytes.len, &p) != PACKET_READY ||
        batch_decode_reply(p.data, p.len, arena, &e.u.reply.reply))
        check_failed(s, CHECK_WIRE, "a listing cannot be decoded");
    else
        send_reply(s, &e);
    if (left == SVR_LISTING_PART)
        list_later(s, conn);
    buf_fini(&bytes);
    arena_free(arena);
}

static void gone_later(struct sim *s, void *arg)
{
    shell_client_gone(s, *(uint64_t *)arg);
}

static void close_conn(struct sim *s, uint64_t conn)
{
    uint64_t *id = xmalloc(sizeof(*id));

    *id = conn;
    net_close(s, conn);
    sim_after(s, 0, gone_later, id, free);
}

static uint64_t call_mom(struct sim *s, const char *host, uint32_t port)
{
    uint32_t ip;
    struct tpp_addr addr;

    if (host_addrs(s, host, &ip, 1) == 0)
        return 0;
    addr = tpp_addr_ipv4(ip, (uint16_t)port);
    return comm_open(s, SERVER_LEAF, &addr);
}

static void send_to_mom(struct sim *s, const struct effect *e)
{
    uint64_t stream = e->u.mom.stream;
    bool twice = sweep_doubles(s, SERVER_LEAF, true);
    struct buf b = { 0 };

    if (stream == 0)
        stream = call_mom(s, e->u.mom.host, e->u.mom.port);
    is_encode(&b, &e->u.mom.msg);
    comm_send(s, SERVER_LEAF, stream, b.data, b.len);
    if (twice)
        comm_send(s, SERVER_LEAF, stream, b.data, b.len);
    buf_fini(&b);
}

static void trace_log(const struct sim *s, const struct effect *e)
{
    sim_trace(s, "server: %s: %s", e->u.log.object ? e->u.log.object : "",
              e->u.log.text);
}

/* What somebody finds out about the world outside, and tells later. */
struct errand {
    uint64_t life;
    struct arena *arena;
    struct need need;
    struct finding verdict; /* of hooks, as they are now */
};

static void errand_drop(void *arg)
{
    struct errand *e = arg;

    arena_free(e->arena);
    free(e);
}

static bool is_account(const char *user)
{
    return strncmp(user, "user", 4) == 0 || strcmp(user, "root") == 0;
}

static struct finding zone_found(const char *name, struct arena *arena)
{
    struct finding f = { 0 };

    f.data = zone_bytes(name, arena, &f.len);
    f.found = f.data != NULL;
    return f;
}

/* Who has an account has one group; hosts are those of the cluster. */
static struct finding look_up(struct sim *s, const struct need *need, uint32_t *addr,
                              struct arena *arena)
{
    static const char *groups[] = { "users" };
    struct finding f = { .failed = true };

    if (need->kind == NEED_GROUPS && is_account(need->name))
        f = (struct finding){ .found = true, .groups = { 1, groups } };
    else if (need->kind == NEED_GROUPS)
        f = (struct finding){ 0 };
    else if (need->kind == NEED_ADDRS && host_addrs(s, need->name, addr, 1) > 0)
        f = (struct finding){ .found = true, .n_addrs = 1, .addrs = addr };
    else if (need->kind == NEED_FULL_NAME)
        f = (struct finding){ .found = true };
    else if (need->kind == NEED_ZONE)
        f = zone_found(need->name, arena);
    return f;
}

static void is_found_out(struct sim *s, void *arg)
{
    const struct errand *e = arg;
    uint32_t addr;
    struct finding finding;

    if (e->life != s->shell.life || !ready(s))
        return;
    if (e->need.kind == NEED_VERDICT) {
        finding = e->verdict;
        verdicts_learned(s, &e->need, &finding);
    } else {
        finding = look_up(s, &e->need, &addr, e->arena);
    }
    svr_learned(s->shell.svr, sim_now_at(s), &e->need, &finding, begin_turn(s));
    end_turn(s);
}

void shell_learned(struct sim *s, const struct need *need, const struct finding *f)
{
    if (!ready(s))
        return;
    svr_learned(s->shell.svr, sim_now_at(s), need, f, begin_turn(s));
    end_turn(s);
}

/* In rough weather name services take their time too. */
static void find_out(struct sim *s, const struct need *need)
{
    struct errand *e;
    int64_t takes_ms = 0;

    if (s->other && need_is_deed(need->kind)) {
        peers_ask(s, need);
        return;
    }
    e = xcalloc(1, sizeof(*e));
    e->life = s->shell.life;
    e->arena = arena_new();
    e->need = need_copy(need, e->arena);
    if (need->kind == NEED_VERDICT &&
        !verdicts_say(s, need, e->arena, &e->verdict, &takes_ms))
        errand_drop(e);
    else
        sim_after(s, takes_ms + sim_latency_ms(s), is_found_out, e, errand_drop);
}

/* What its client waits for leaves as a refusal. */
static bool refuse(struct sim *s, const struct effect *e)
{
    struct effect refusal = {
        .kind = EFFECT_REPLY,
        .u.reply = { .conn = e->u.reply.conn,
                     .reply = { .code = PBSE_SAVE_ERR,
                                .choice = REPLY_TEXT,
                                .text = SVR_IN_DOUBT } },
    };

    if (e->kind == EFFECT_LISTING) {
        svr_listing_drop(s->shell.svr, e->u.listing_conn);
        refusal.u.reply.conn = e->u.listing_conn;
        refusal.u.reply.reply.text = SVR_NOT_SHOWN;
    } else if (e->kind != EFFECT_REPLY) {
        return false;
    } else if (e->u.reply.reads_only) {
        refusal.u.reply.reply.text = SVR_NOT_SHOWN;
    }
    send_reply(s, &refusal);
    return true;
}

static void leave(struct sim *s, const struct turns_leaving *l)
{
    const struct effect *e = l->effect;

    if (l->given_up && refuse(s, e))
        return;
    check_leaves(s, l);
    switch (e->kind) {
    case EFFECT_REPLY:
        send_reply(s, e);
        break;
    case EFFECT_LISTING:
        send_listing(s, e->u.listing_conn);
        break;
    case EFFECT_CLOSE:
        close_conn(s, e->u.close_conn);
        break;
    case EFFECT_SCHED_COMMAND:
        sim_trace(s, "server: command %d to the scheduler", e->u.sched.command);
        net_command(s, e->u.sched.conn, e->u.sched.command, e->u.sched.job_id);
        break;
    case EFFECT_MOM_MESSAGE:
        send_to_mom(s, e);
        break;
    case EFFECT_MOM_CLOSE:
        comm_close(s, SERVER_LEAF, e->u.mom.stream);
        break;
    case EFFECT_LOG:
        trace_log(s, e);
        break;
    case EFFECT_FIND_OUT:
        find_out(s, &e->u.need);
        break;
    case EFFECT_RECORD:
    case EFFECT_ACCOUNT: /* written with its commit */
    case EFFECT_MAIL:
    case EFFECT_CALL:
    case EFFECT_EXIT:
        break;
    }
}

/* Leaving may bring new turns (a scheduler that is attached); they queue up behind. */
static void release_all(struct sim *s)
{
    struct turns_leaving l;

    while (turns_next(s->shell.turns, &l))
        leave(s, &l);
}

static void release(struct sim *s)
{
    if (s->shell.releasing)
        return;
    s->shell.releasing = true;
    release_all(s);
    s->shell.releasing = false;
}

/* Committing. */

/* The records and accounting lines of the turns that were given to the store. */
struct commit {
    uint64_t life;
    size_t n, cap;
    struct store_record *records;
    struct bundles *bundles;
    const struct arena *turn; /* of the last record */
    struct arena *arena;
    size_t n_facts, cap_facts;
    const struct effect **facts; /* records, and copies of accounting lines */
};

static void commit_drop(void *arg)
{
    struct commit *c = arg;

    free(c->records);
    free(c->facts);
    arena_free(c->arena);
    free(c);
}

/* A turn with a record waits for its commit, one with accounting lines alone may not.
 */
static const struct effect *copy_account(const struct effect *e, struct arena *arena)
{
    struct effect *copy = arena_copy(arena, e, sizeof(*e));

    copy->u.account.id = arena_strdup(arena, e->u.account.id);
    copy->u.account.text = arena_strdup(arena, e->u.account.text);
    return copy;
}

static void add_row(void *arg, const struct store_record *row, const struct arena *turn)
{
    struct commit *c = arg;

    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 32;
        c->records = xrealloc(c->records, c->cap * sizeof(*c->records));
    }
    if (c->turn == turn)
        c->records[c->n - 1].with_next = true;
    c->turn = turn;
    c->records[c->n++] = *row;
}

static void add_work(void *arg, const struct effect *e, struct arena *arena)
{
    struct commit *c = arg;
    struct store_record row;

    if (c->n_facts == c->cap_facts) {
        c->cap_facts = c->cap_facts ? 2 * c->cap_facts : 32;
        c->facts = xrealloc(c->facts, c->cap_facts * sizeof(*c->facts));
    }
    c->facts[c->n_facts++] = e->kind == EFFECT_RECORD ? e : copy_account(e, c->arena);
    if (e->kind != EFFECT_RECORD)
        return;
    row = records_to_store(e->u.record, arena);
    bundles_put(c->bundles, &row, arena, &(struct bundles_to){ add_row, c });
}

static void submit(struct sim *s);
static void commit_happens(struct sim *s, void *arg);

static struct commit *commit_move(const struct commit *c)
{
    struct commit *to = xmalloc(sizeof(*to));

    *to = *c;
    return to;
}

/* As the daemon's outbox does: whoever waits is told that it is in doubt. */
static void give_up(struct sim *s)
{
    struct shell *sh = &s->shell;

    if (turns_are_given_up(sh->turns))
        return;
    sim_trace(s, "store: nobody waits for it any longer");
    svr_give_up(sh->svr, sim_now_at(s), turns_durable(sh->turns), begin_turn(s));
    turns_give_up(sh->turns);
    release(s);
    end_turn(s);
}

/* The same batch is tried again until it works; nothing is un-applied. */
static void commit_failed(struct sim *s, struct commit *c)
{
    struct commit *again = commit_move(c);
    struct shell *sh = &s->shell;

    c->records = NULL;
    c->facts = NULL;
    c->arena = NULL;
    sim_trace(s, "store: commit failed");
    svr_set_store_failed(s->shell.svr, true);
    sim_after(s, COMMIT_RETRY_MS, commit_happens, again, commit_drop);
    if (!sh->failing_since_ms)
        sh->failing_since_ms = s->clock.now_ms;
    if (sh->store_refuses || s->clock.now_ms >= sh->failing_since_ms + STORE_WAIT_MS)
        give_up(s);
}

/* How many of the facts stand before the record with that number. */
static size_t facts_before(const struct commit *c, uint64_t seq)
{
    size_t n = 0;

    while (n < c->n_facts &&
           (c->facts[n]->kind != EFFECT_RECORD || c->facts[n]->u.record->seq < seq))
        n++;
    return n;
}

/* As the daemon's committer does: what came before is saved, and the server ends. */
static void contradicted(struct sim *s, const struct commit *c)
{
    const struct store_batch batch = { .n_records = c->n, .records = c->records };
    struct diag why = { 0 };
    uint64_t seq = 0;
    int err = store_commit_before(s->shell.store, &batch, &seq, &why);

    sim_trace(s, "store: %s", why.text);
    if (err || !s->shell.store_contradicts)
        check_failed(s, CHECK_STORE, "the store refuses records: %s", why.text);
    s->shell.store_contradicts = false;
    ledger_commit(s, facts_before(c, seq), c->facts);
    shell_crash(s);
}

static void crash_and_sweep(struct sim *s)
{
    shell_crash(s);
    sweep_server_died(s);
}

static void commit_happens(struct sim *s, void *arg)
{
    struct commit *c = arg;
    int err;
    struct diag why = { 0 };
    enum crash_when crash;

    if (!s->shell.up || c->life != s->shell.life)
        return;
    sweep_commit(s);
    crash = s->shell.crash;
    if (crash == CRASH_BEFORE_COMMIT) {
        crash_and_sweep(s);
        return;
    }
    err = store_commit(
        s->shell.store,
        &(struct store_batch){ .n_records = c->n, .records = c->records }, &why);
    if (err == PBSE_INTERNAL) {
        contradicted(s, c);
        return;
    }
    if (err) {
        if (!s->shell.store_failing)
            check_failed(s, CHECK_STORE, "the store refuses records: %s", why.text);
        commit_failed(s, c);
        return;
    }
    svr_set_store_failed(s->shell.svr, false);
    s->shell.failing_since_ms = 0;
    ledger_commit(s, c->n_facts, c->facts);
    if (crash == CRASH_AFTER_COMMIT) {
        crash_and_sweep(s);
        return;
    }
    turns_commit_ended(s->shell.turns, c->n ? c->records[c->n - 1].seq : 0);
    release(s);
    submit(s);
}

static void submit(struct sim *s)
{
    struct commit *c;

    if (!s->shell.up || turns_are_committing(s->shell.turns) ||
        !turns_wait_for_store(s->shell.turns))
        return;
    c = xcalloc(1, sizeof(*c));
    c->life = s->shell.life;
    c->arena = arena_new();
    c->bundles = s->shell.bundles;
    turns_take_work(s->shell.turns, add_work, c);
    bundles_flush(c->bundles, &(struct bundles_to){ add_row, c });
    turns_commit_begins(s->shell.turns);
    sim_after(s, s->weather.commit_ms ? rnd_range(&s->rnd, 0, s->weather.commit_ms) : 1,
              commit_happens, c, commit_drop);
}

/* Turns. */

static struct effects *begin_turn(struct sim *s)
{
    return turns_effects(s->shell.turns);
}

static void end_turn(struct sim *s)
{
    check_turn(s, s->shell.turn_conn, turns_effects(s->shell.turns));
    sweep_note_turn(s, s->shell.turn_conn, turns_effects(s->shell.turns));
    s->shell.turn_conn = 0;
    turns_end(s->shell.turns);
    submit(s);
    release(s);
    work_later(s);
}

/* Parked requests go on when others have had their turn. */
static void work_on(struct sim *s, void *arg)
{
    struct svr_fate fate;

    if (*(uint64_t *)arg != s->shell.life || !ready(s))
        return;
    s->shell.works = false;
    fate = svr_go_on(s->shell.svr, sim_now_at(s), begin_turn(s));
    s->shell.turn_conn = fate.conn;
    check_gone_on(s, fate.conn, turns_effects(s->shell.turns));
    end_turn(s);
    if (fate.outcome == SVR_GATHERING)
        list_later(s, fate.conn);
}

static void work_later(struct sim *s)
{
    uint64_t *life;

    if (!s->shell.up || s->shell.works || !svr_has_work(s->shell.svr))
        return;
    s->shell.works = true;
    life = xmalloc(sizeof(*life));
    *life = s->shell.life;
    sim_after(s, 1, work_on, life, free);
}

static void tick_now(struct sim *s)
{
    svr_tick(s->shell.svr, sim_now_at(s), begin_turn(s));
    end_turn(s);
}

/* What is due is carried out before an input, so that what an input does is told from
 * what the time does. */
static bool ready(struct sim *s)
{
    if (!s->shell.up)
        return false;
    if (svr_next_deadline(s->shell.svr) <= sim_now_at(s))
        tick_now(s);
    return s->shell.up;
}

static void list_on(struct sim *s, void *arg)
{
    uint64_t conn = *(uint64_t *)arg;

    if (!s->shell.up)
        return;
    svr_listing_go_on(s->shell.svr, sim_now_at(s), conn, begin_turn(s));
    end_turn(s);
    list_later(s, conn);
}

/* The next slice, when others have had their turn. */
static void list_later(struct sim *s, uint64_t conn)
{
    uint64_t *id;

    if (!s->shell.up || !svr_listing_is_gathering(s->shell.svr, conn))
        return;
    id = xmalloc(sizeof(*id));
    *id = conn;
    sim_after(s, 1, list_on, id, free);
}

void shell_request(struct sim *s, struct conn *c, const char *data, size_t len)
{
    struct arena *arena = arena_new();
    uint64_t conn = c->id;
    struct requester who = {
        .user = c->user,
        .host = c->peer ? c->peer : s->name,
        .server_uid = c->server_uid,
        .peer = c->peer != NULL,
        .conn = conn,
    };
    struct wire_request rq;
    bool known;

    if (!ready(s) || (c->peer && sweep_peer_asked(s))) {
        arena_free(arena);
        return;
    }
    if (batch_decode_request(data, len, arena, &rq, &known) != DIS_OK || !known) {
        check_failed(s, CHECK_WIRE, "a request cannot be decoded");
    } else {
        c->asked = rq.number;
        svr_request(s->shell.svr, sim_now_at(s), &who, &rq, begin_turn(s));
        s->shell.turn_conn = conn;
        check_request(s, conn, &rq, turns_effects(s->shell.turns));
        end_turn(s);
        list_later(s, conn);
    }
    arena_free(arena);
}

struct effects *shell_begin_turn(struct sim *s)
{
    return ready(s) ? begin_turn(s) : NULL;
}

void shell_end_turn(struct sim *s)
{
    end_turn(s);
}

void shell_client_gone(struct sim *s, uint64_t conn)
{
    if (!s->shell.up)
        return;
    svr_client_gone(s->shell.svr, sim_now_at(s), conn, begin_turn(s));
    end_turn(s);
}

void shell_sched_done(struct sim *s, uint64_t conn)
{
    if (!ready(s))
        return;
    svr_sched_done(s->shell.svr, sim_now_at(s), conn, begin_turn(s));
    end_turn(s);
}

/* The server's leaf. */

static void on_message(struct sim *s, size_t leaf UNUSED, uint64_t stream,
                       const struct tpp_addr *peer, const char *data, size_t len)
{
    uint32_t ip = tpp_addr_ip(peer);
    struct arena *arena = arena_new();
    struct is_message msg = { 0 };
    bool known = true;
    char host[24];

    snprintf(host, sizeof(host), "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
             ip & 255);
    if (is_decode(data, len, true, arena, &msg, &known) != DIS_OK) {
        check_failed(s, CHECK_WIRE, "a MoM's message cannot be decoded");
    } else if (ready(s)) {
        svr_mom_message(s->shell.svr, sim_now_at(s), stream, host, peer->port, &msg,
                        begin_turn(s));
        end_turn(s);
    }
    arena_free(arena);
}

/* With the router all streams end, and that says nothing about the MoMs: it is told as
 * what it is. */
static void on_closed(struct sim *s, size_t leaf, uint64_t stream)
{
    if (!comm_is_up(s, leaf))
        return;
    svr_mom_lost(s->shell.svr, sim_now_at(s), stream, begin_turn(s));
    end_turn(s);
}

static void on_router(struct sim *s, size_t leaf UNUSED, bool is_up)
{
    if (is_up)
        svr_router_back(s->shell.svr, sim_now_at(s), begin_turn(s));
    else
        svr_router_lost(s->shell.svr, sim_now_at(s), begin_turn(s));
    end_turn(s);
}

static const struct leaf_ops leaf_ops = { on_message, on_closed, on_router };

void shell_tick(struct sim *s)
{
    if (s->shell.up)
        tick_now(s);
}

int64_t shell_deadline_ms(const struct sim *s)
{
    int64_t at;

    if (!s->shell.up)
        return INT64_MAX;
    at = svr_next_deadline(s->shell.svr);
    return at > INT64_MAX / 1000 ? INT64_MAX : at * 1000;
}

const struct model *shell_model(const struct sim *s)
{
    return s->shell.up ? svr_model(s->shell.svr) : NULL;
}

/* Life and death. */

void shell_start(struct sim *s, enum svr_start type)
{
    const struct tpp_addr addr = tpp_addr_ipv4(SERVER_ADDR, SERVER_PORT);
    struct shell *sh = &s->shell;

    if (sh->up)
        return;
    sim_trace(s, "server: starts%s", type == SVR_HOT ? " hot" : "");
    sh->svr = new_core(s);
    sh->bundles = bundles_new();
    sh->up = true;
    sh->works = false;
    sh->failing_since_ms = 0;
    sh->life++;
    if (sh->ever_started) {
        load(sh->store, sh->bundles,
             &(struct records_into){ svr_model(sh->svr), load_into_core, sh->svr });
        svr_loaded(sh->svr, store_last_seq(sh->store));
        load_denials(s);
        sh->shadow = model_rebuild(svr_model(sh->svr));
    } else {
        sh->shadow = model_new(s->name);
    }
    sh->turns = turns_new(store_last_seq(sh->store), NULL, NULL);
    alters_forget_after(&s->alters, store_last_seq(sh->store));
    ends_forget_after(&s->ends, store_last_seq(sh->store));
    fates_forget_after(&s->fates, store_last_seq(sh->store));
    preempts_forget_after(&s->preempts, store_last_seq(sh->store));
    whys_forget_after(&s->whys, store_last_seq(sh->store));
    ledger_check_told(s);
    svr_start(sh->svr, sim_now_at(s), sh->ever_started ? type : SVR_CREATE,
              begin_turn(s));
    sh->ever_started = true;
    end_turn(s);
    comm_leaf_start(s, SERVER_LEAF, &addr, &leaf_ops);
}

void shell_crash(struct sim *s)
{
    struct shell *sh = &s->shell;

    if (!sh->up)
        return;
    sim_trace(s, "server: crashes%s",
              sh->crash == CRASH_BEFORE_COMMIT  ? " before a commit"
              : sh->crash == CRASH_AFTER_COMMIT ? " after a commit"
                                                : "");
    check_store(s);
    sh->crash = CRASH_NOT;
    sh->up = false;
    turns_free(sh->turns);
    sh->turns = NULL;
    svr_free(sh->svr);
    sh->svr = NULL;
    bundles_free(sh->bundles);
    sh->bundles = NULL;
    check_changes_forget(s);
    dries_forget(&s->dries);
    model_free(sh->shadow);
    sh->shadow = NULL;
    sh->store = store_memory_reopen(sh->store);
    store_memory_fail(sh->store, sh->store_failing);
    net_server_died(s);
    peers_asker_died(s);
    comm_leaf_stop(s, SERVER_LEAF);
    verdicts_forget(&s->verdicts);
}

void shell_store_contradicts(struct sim *s, uint64_t n)
{
    if (!s->shell.up)
        return;
    s->shell.store_contradicts = true;
    store_memory_contradict(s->shell.store, shell_model(s)->seq + n);
}

void shell_store_fails(struct sim *s, bool failing, bool refuses)
{
    sim_trace(s, "store: %s", refuses ? "refuses" : failing ? "fails" : "works again");
    s->shell.store_failing = failing;
    s->shell.store_refuses = refuses;
    store_memory_fail(s->shell.store, failing);
}

void shell_init(struct sim *s)
{
    struct diag why = { 0 };
    int err = store_open("memory:", &s->shell.store, &why);

    MUST(err == 0);
    (void)err;
}

void shell_fini(struct sim *s)
{
    struct shell *sh = &s->shell;

    turns_free(sh->turns);
    check_changes_forget(s);
    svr_free(sh->svr);
    bundles_free(sh->bundles);
    if (sh->shadow)
        model_free(sh->shadow);
    store_close(sh->store);
}
