/* shell.c - see shell.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell_parts.h"

#include "server/shell/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_PORT 15001

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

/* Turns. */

static void work_later(struct sim *s);

void shell_end_turn(struct sim *s)
{
    check_turn(s, s->shell.turn_conn, turns_effects(s->shell.turns));
    sweep_note_turn(s, s->shell.turn_conn, turns_effects(s->shell.turns));
    s->shell.turn_conn = 0;
    turns_end(s->shell.turns);
    shell_submit(s);
    shell_release(s);
    work_later(s);
}

/* Parked requests go on when others have had their turn. */
static void work_on(struct sim *s, void *arg)
{
    struct svr_fate fate;

    if (*(uint64_t *)arg != s->shell.life || !shell_is_ready(s))
        return;
    s->shell.works = false;
    fate = svr_go_on(s->shell.svr, sim_now_at(s), begin_turn(s));
    s->shell.turn_conn = fate.conn;
    check_gone_on(s, fate.conn, turns_effects(s->shell.turns));
    shell_end_turn(s);
    if (fate.outcome == SVR_GATHERING)
        shell_list_later(s, fate.conn);
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
    shell_end_turn(s);
}

/* What is due is carried out before an input, so that what an input does is told from
 * what the time does. */
bool shell_is_ready(struct sim *s)
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
    shell_end_turn(s);
    shell_list_later(s, conn);
}

/* The next slice, when others have had their turn. */
void shell_list_later(struct sim *s, uint64_t conn)
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

    if (!shell_is_ready(s) || (c->peer && sweep_peer_asked(s))) {
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
        shell_end_turn(s);
        shell_list_later(s, conn);
    }
    arena_free(arena);
}

struct effects *shell_begin_turn(struct sim *s)
{
    return shell_is_ready(s) ? begin_turn(s) : NULL;
}

void shell_client_gone(struct sim *s, uint64_t conn)
{
    if (!s->shell.up)
        return;
    svr_client_gone(s->shell.svr, sim_now_at(s), conn, begin_turn(s));
    shell_end_turn(s);
}

void shell_sched_done(struct sim *s, uint64_t conn)
{
    if (!shell_is_ready(s))
        return;
    svr_sched_done(s->shell.svr, sim_now_at(s), conn, begin_turn(s));
    shell_end_turn(s);
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
    } else if (shell_is_ready(s)) {
        svr_mom_message(s->shell.svr, sim_now_at(s), stream, host, peer->port, &msg,
                        begin_turn(s));
        shell_end_turn(s);
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
    shell_end_turn(s);
}

static void on_router(struct sim *s, size_t leaf UNUSED, bool is_up)
{
    if (is_up)
        svr_router_back(s->shell.svr, sim_now_at(s), begin_turn(s));
    else
        svr_router_lost(s->shell.svr, sim_now_at(s), begin_turn(s));
    shell_end_turn(s);
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
    shell_end_turn(s);
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
