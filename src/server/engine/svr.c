/* svr.c - the engine: inputs go in, effects come out.
 *
 * Every input is one turn: decide, take the decision up, and settle. What a handler,
 * a rule or a MoM's message decided becomes records in take_up.c; settle.c carries out
 * what follows. Requests are in svr_request.c, the start is in svr_start.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/svr.h"
#include "server/decide/denials.h"
#include "server/requests/handlers.h"

#include "lib/base/instant.h"
#include "server/decide/job_pending.h"
#include "server/decide/know.h"
#include "server/decide/next_number.h"
#include "server/engine/acts.h"
#include "server/engine/svr_priv.h"
#include "server/moms/moms.h"
#include "server/react/react.h"
#include "server/react/resv_reply.h"
#include "server/requests/server_acl.h"

#include <stdlib.h>
#include <string.h>

/* Answers that are kept for everybody. Names come from clients: not without limit. */
#define FACTS_MAX 4096

static char *copy_text(const char *s)
{
    return s ? xstrdup(s) : NULL;
}

static void config_copy(struct svr_config *to, const struct svr_config *from)
{
    *to = *from;
    to->server_name = copy_text(from->server_name);
    to->server_host = copy_text(from->server_host);
    to->home = copy_text(from->home);
    to->version = copy_text(from->version);
    to->holdfast_version = copy_text(from->holdfast_version);
    to->root_user = copy_text(from->root_user ? from->root_user : "root");
}

static void config_fini(struct svr_config *cfg)
{
    free((char *)cfg->server_name);
    free((char *)cfg->server_host);
    free((char *)cfg->home);
    free((char *)cfg->version);
    free((char *)cfg->holdfast_version);
    free((char *)cfg->root_user);
}

struct svr *svr_new(const struct svr_config *cfg)
{
    struct svr *s = xcalloc(1, sizeof(*s));

    config_copy(&s->cfg, cfg);
    s->actor = xasprintf("%s@%s", s->cfg.root_user, s->cfg.server_host);
    s->m = model_new(s->cfg.server_name);
    s->watches.m = s->m;
    s->pending = pending_new();
    s->hosts = host_book_new(s->cfg.server_host);
    s->moms = moms_new(s->hosts);
    s->facts = facts_new(FACTS_MAX);
    s->view.links = &s->links;
    s->view.hosts = s->hosts;
    s->view.pending = s->pending;
    s->denials = denials_new();
    s->view.denials = s->denials;
    listings_init(&s->listings);
    return s;
}

void svr_free(struct svr *s)
{
    if (!s)
        return;
    /* Everything that points into the model goes before the model. */
    listings_fini(&s->listings);
    parked_fini(&s->parked);
    facts_free(s->facts);
    waiting_fini(&s->waiting);
    stop_fini(&s->stop);
    watches_fini(&s->watches);
    inquiries_fini(&s->inquiries);
    sched_links_fini(&s->links);
    moms_free(s->moms);
    host_book_free(s->hosts);
    pending_free(s->pending);
    denials_free(s->denials);
    model_free(s->m);
    config_fini(&s->cfg);
    free(s->actor);
    free(s);
}

const struct change *svr_load(struct svr *s, const struct record *rec)
{
    return model_load(s->m, rec);
}

void svr_loaded(struct svr *s, uint64_t seq)
{
    model_loaded(s->m, seq);
    /* All below may have been told by the server that was here before. */
    s->view.next_number = number_window_end(s->m);
}

void svr_restore_denial(struct svr *s, const char *id, const char *owner,
                        const char *reason, int64_t at)
{
    denials_add(s->denials, id, owner, reason, at);
}

const struct model *svr_model(const struct svr *s)
{
    return s->m;
}

void svr_set_store_failed(struct svr *s, bool failed)
{
    s->store_failed = failed;
}

bool svr_is_staff(const struct svr *s, const char *user, const char *host)
{
    return (requester_rights(s->m, user, host, false) & WHO_STAFF) != 0;
}

size_t svr_kept_bytes(const struct svr *s, uint64_t conn)
{
    const struct pending_job *job = pending_find(s->pending, conn);

    /* The shell counts what a connection makes the server keep. */
    return parked_bytes(&s->parked, conn) + (job ? pending_bytes(job) : 0);
}

void svr_client_gone(struct svr *s, int64_t now_at, uint64_t conn, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);

    /* Everything that the connection had is ended here, in one place. */
    listing_drop(&s->listings, conn);
    parked_client_gone(&s->parked, conn);
    pending_drop(s->pending, conn);
    waiting_drop_conn(&s->waiting, conn);
    sched_conn_gone(&t, conn);
    settle(&t);
}

void svr_end(struct svr *s, int64_t now_at, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);

    s->view.stopping = STOP_NOW;
    stop_keeps_number(&t);
    stop_if_done(&t);
}

static void moms_done(struct turn *t, struct decision *d)
{
    take_up(t, d);
    if (take_tidings(t))
        watches_put_off(&t->s->watches);
    settle(t);
}

void svr_mom_message(struct svr *s, int64_t now_at, uint64_t stream, const char *host,
                     uint32_t port, const struct is_message *msg, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct decision d;
    struct moms_turn mt = moms_turn(&t, &d);

    moms_message(s->moms, &mt, stream, host, port, msg);
    moms_done(&t, &d);
}

void svr_mom_lost(struct svr *s, int64_t now_at, uint64_t stream, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct decision d;
    struct moms_turn mt = moms_turn(&t, &d);

    moms_lost(s->moms, &mt, stream);
    moms_done(&t, &d);
}

void svr_router_lost(struct svr *s, int64_t now_at, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct decision d;
    struct moms_turn mt = moms_turn(&t, &d);

    moms_router_lost(s->moms, &mt);
    moms_done(&t, &d);
}

void svr_router_back(struct svr *s, int64_t now_at, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct decision d;
    struct moms_turn mt = moms_turn(&t, &d);

    moms_router_back(s->moms, &mt);
    moms_done(&t, &d);
}

void wait_is_over(struct turn *t, struct waiting_reply *w)
{
    struct wire_reply reply = { 0 };

    if (w->wait_for.why == WAIT_TO_ASK_AGAIN) {
        waiting_asks_again(t, w);
        return;
    }
    if (w->wait_for.kind == OBJ_RESV || w->wait_for.kind == OBJ_OCCURRENCE)
        resv_wait_is_over(t->s->m, &w->wait_for, t->out->arena, &reply);
    send_reply(t, w->conn, &reply);
    waiting_remove(&t->s->waiting, w);
}

void svr_give_up(struct svr *s, int64_t now_at, uint64_t durable_seq,
                 struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct waiting_reply *w;

    while ((w = waiting_after(&s->waiting, durable_seq))) {
        /* It waits to ask again, or has gathered what its reply waits for. */
        struct parked *p = parked_find(&s->parked, w->conn);
        /* Who waits to ask again has mostly changed nothing and is told so; the others
         * are told that it is not certain. */
        const char *words = p && !p->began ? SVR_NOT_SHOWN : SVR_IN_DOUBT;
        struct wire_reply reply = refusal(out->arena, PBSE_SAVE_ERR, words);

        send_reply(&t, w->conn, &reply);
        if (p)
            parked_remove(&s->parked, p);
        waiting_remove_all(&s->waiting, w);
    }
    sched_links_look_again(&s->links);
}

void svr_tick(struct svr *s, int64_t now_at, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);

    /* Deadlines only mark what has to be looked at. The rules decide what is due. */
    watch_due(&s->watches, now_at);
    give_up_answers(&t);
    wake_due_cycles(&t);
    settle(&t);
}

/* What waits until all has followed from what was before. */
static int64_t settled_deadline(const struct svr *s)
{
    return MIN_OF(waiting_deadline(&s->waiting), cycles_deadline(s));
}

int64_t svr_next_deadline(const struct svr *s)
{
    int64_t at = MIN_OF(watch_deadline(&s->watches), moms_deadline(s->moms));

    at = MIN_OF(at, answers_deadline(s));
    /* While something is put off, what waits for all of it has no deadline. */
    return svr_is_settling(s) ? at : MIN_OF(at, settled_deadline(s));
}
