/* manager_each.c - see manager_each.h.
 *
 * Objects may come and go between two turns: each that is there all the while has its
 * turn once. What is changed is fact with its slice. A request that changes objects in
 * more than one slice is kept with the first of them (kept_request.h), so that it comes
 * to its end whatever happens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager_each.h"

#include "server/decide/kept_request.h"

/* The request under way. */
struct each {
    const struct manager_each *what;
    struct arena *arena; /* lives as long as the request */
    const char *host;    /* whose vnodes these are; NULL: all objects */
    const struct object *next;
    bool decides;   /* in the second round, or in the only one */
    uint64_t place; /* made_seq of the last object that had its turn in this round */
    bool any;       /* something was changed */
    size_t n_refused, cap;
    const char **refused;
};

static const struct object *first_of(const struct model *m, const struct each *e)
{
    const struct object *first = m->kinds[e->what->kind].first;
    const struct host *h = e->host ? model_host(m, e->host) : NULL;

    if (e->host)
        return h ? &h->nodes->obj : NULL;
    /* The first one's prev is the last one (utlist). */
    return first && e->what->backwards ? first->prev : first;
}

static const struct object *behind(const struct each *e, const struct object *o)
{
    if (e->host)
        return TO_NODE(o)->host_next ? &TO_NODE(o)->host_next->obj : NULL;
    if (e->what->backwards)
        return o->prev->next ? o->prev : NULL;
    return o->next;
}

/* Has it had its turn in an earlier life of the server? */
static bool is_done(const struct each *e, const struct object *o)
{
    return e->what->backwards ? o->made_seq >= e->place : o->made_seq <= e->place;
}

static void leave(void *state, const struct object *o, bool retires UNUSED)
{
    struct each *e = state;

    if (e->next == o)
        e->next = behind(e, o);
}

static struct each *each_new(const struct manager *g, const struct manager_each *what,
                             const char *host, struct arena *arena)
{
    struct each *e = ARENA_NEW(arena, struct each);

    MUST(!host || (what->kind == OBJ_NODE && !what->backwards));
    *e = (struct each){ .what = what,
                        .arena = arena,
                        .host = arena_strdup(arena, host),
                        .decides = !what->tries_first };
    e->next = first_of(g->m, e);
    return e;
}

/* A restart numbers no record anew, so the place is found again although the object
 * that it was may be gone. Nobody waits for the names of those that have refused
 * before. */
static void find_place(struct each *e, const struct object *kept)
{
    e->decides = true;
    e->any = true;
    e->place = kept_request_place(kept);
    while (e->next && is_done(e, e->next))
        e->next = behind(e, e->next);
}

static struct each *each_of(const struct manager *g, const struct manager_each *what,
                            const char *host)
{
    struct progress *p = g->rq->progress;
    const struct object *kept = kept_request_find(g->m, p);

    if (!p)
        return each_new(g, what, host, g->out->arena);
    if (p->state)
        return p->state;
    /* The first slice makes the state, and the engine keeps it. */
    p->state = each_new(g, what, host, p->arena);
    p->leave = leave;
    if (kept)
        find_place(p->state, kept);
    return p->state;
}

/* Two rounds cost twice as much; a slice is bounded all the same. */
static bool is_long(const struct manager *g, const struct manager_each *what,
                    const char *host)
{
    const struct host *h = host ? model_host(g->m, host) : NULL;
    size_t n = h ? h->n : g->m->kinds[what->kind].n;

    return n * what->cost > request_slice_cost(g->rq);
}

static void note_refused(struct each *e, const struct object *o)
{
    e->refused = arena_grow(e->arena, e->refused, e->n_refused, &e->cap, 16,
                            sizeof(*e->refused));
    e->refused[e->n_refused++] = arena_strdup(e->arena, o->id);
}

/* The next object's turn. A code is the refusal of the whole request. */
static int one_more(struct manager *g, struct each *e)
{
    const struct object *o = e->next;
    int err;

    e->next = behind(e, o);
    e->place = o->made_seq;
    /* Checks and lines name this object. */
    g->name = o->id;
    err = e->what->one(g, o, e->decides);
    if (err && !e->decides && e->what->is_for_all && e->what->is_for_all(err))
        return err;
    if (err)
        note_refused(e, o);
    else if (e->decides && !e->any && e->what->begins)
        e->what->begins(g);
    e->any |= !err && e->decides;
    return 0;
}

/* Those that refuse, in order of creation. */
static const char *names_of(const struct each *e, struct arena *arena)
{
    struct buf all = { 0 };
    const char *text;

    for (size_t i = 0; i < e->n_refused; i++) {
        size_t at = e->what->backwards ? e->n_refused - 1 - i : i;

        buf_printf(&all, "%s%s", i ? ", " : "", e->refused[at]);
    }
    text = arena_strndup(arena, all.data ? all.data : "", all.len);
    buf_fini(&all);
    return text;
}

static int refuse_all(const struct manager *g, const struct each *e)
{
    return diag_set(&g->out->why, PBSE_GMODERR, "%s%.200s", pbse_text(PBSE_GMODERR),
                    names_of(e, g->out->arena));
}

/* What was changed counts although the reply has an error: PBS's clients print its
 * text. When nobody waits for the reply any longer the log has the names. */
static void tell_refused(struct manager *g, const struct each *e)
{
    const char *text = arena_printf(g->out->arena, "%s%s", pbse_text(PBSE_GMODERR),
                                    names_of(e, g->out->arena));

    g->out->reply = (struct wire_reply){
        .code = PBSE_GMODERR,
        .choice = REPLY_TEXT,
        .text = text,
    };
    if (g->rq->who->conn == 0)
        decide_log(g->out, LOG_EV_ADMIN, LOG_IN_SERVER,
                   log_server_name(g->rq->cfg, g->out->arena), "%s", text);
}

static int finish(struct manager *g, const struct each *e)
{
    if (e->what->ends)
        e->what->ends(g);
    if (e->n_refused > 0)
        tell_refused(g, e);
    return 0;
}

/* True: the round is over, or *ret_err refuses. */
static bool go_round(struct manager *g, struct each *e, size_t most, size_t *cost,
                     int *ret_err)
{
    while (e->next && *cost < most && !*ret_err) {
        *ret_err = one_more(g, e);
        *cost += e->what->cost;
    }
    return !e->next || *ret_err;
}

int manager_each(struct manager *g, const struct manager_each *what, const char *host)
{
    size_t most = g->rq->progress ? request_slice_cost(g->rq) : SIZE_MAX, cost = 0;
    struct each *e;
    int err = 0;

    if (!g->rq->progress && is_long(g, what, host)) {
        act_add(g->out, ACT_GO_ON);
        return 0;
    }
    e = each_of(g, what, host);
    while (go_round(g, e, most, &cost, &err)) {
        if (err)
            return err;
        if (e->decides)
            return finish(g, e);
        if (e->n_refused > 0)
            return refuse_all(g, e);
        /* Nobody has refused, so all of them are changed. */
        e->decides = true;
        e->place = 0;
        e->next = first_of(g->m, e);
    }
    if (e->place > 0 && e->decides)
        kept_request_note(g->m, g->rq, g->out, e->place);
    act_add(g->out, ACT_GO_ON);
    return 0;
}
