/* moms.c - see moms.h: inputs are handed to those who know, and the pump looks at every
 * job that something happened to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/moms.h"

#include "server/decide/job_over.h"
#include "server/model/job_state.h"
#include "server/model/node_life.h"
#include "server/moms/tidings.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct record *moms_record(struct moms_turn *t, enum fact fact, enum obj_kind kind,
                           const char *id)
{
    return record_add(&t->out->records, t->out->arena, fact, kind,
                      arena_strdup(t->out->arena, id), t->actor, t->now_at);
}

void moms_withdraw(struct moms_turn *t, const struct job *job, const char *actor)
{
    job_withdrawn_record(t->m, job, arena_strdup(t->out->arena, actor), t->now_at,
                         false, t->out);
}

void node_unknown(struct moms_turn *t, const struct node *n)
{
    uint32_t bits = node_state_stored(n);

    /* The moment at which the vnode became unknown is noted once; a second loss does
     * not prolong the node wait. */
    if (bits & (NODE_DOWN | NODE_STATE_UNKNOWN))
        return;
    node_change_state(t, n, bits | NODE_STATE_UNKNOWN | NODE_LAST_KNOWN, NULL, NULL);
}

void moms_start(struct moms *ms, struct moms_turn *t)
{
    MODEL_EACH (t->m, OBJ_NODE, o) {
        moms_add_node(ms, TO_NODE(o));
        node_unknown(t, TO_NODE(o));
    }
    /* Vnodes were added above, so each of these jobs finds its MoM. */
    MODEL_EACH_LIVE(t->m, OBJ_JOB, o)
    if (job_is_at_mom(TO_JOB(o))) {
        job_of_before(ms, TO_JOB(o));
        moms_touch_job(ms, o->id);
    }
}

static void bad_peer(struct moms_turn *t, uint64_t stream, const char *host,
                     uint32_t port, const char *reason)
{
    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER, "is_request",
               "bad attempt to connect from %s:%" PRIu32 ", reason=%s", host, port,
               reason);
    mom_close(t, stream);
}

void mom_take_message(struct moms *ms, struct moms_turn *t, struct mom *mom,
                      const struct is_message *msg)
{
    switch (msg->command) {
    case IS_CMD_REPLY:
        mom_take_reply(ms, t, mom, msg);
        break;
    case IS_RESCUSED:
    case IS_RESCUSED_FROM_HOOK:
        mom_take_usage(ms, t, mom, msg);
        break;
    case IS_JOBOBIT:
        mom_take_obits(ms, t, mom, msg);
        break;
    case IS_IDLE:
        mom_take_standing(ms, t, mom, msg);
        break;
    case IS_DISCARD_DONE:
        effect_log(t->effects, t->m->seq, LOG_EV_DEBUG, LOG_IN_NODE, mom->host,
                   "Discard done for job %s", msg->job_id);
        break;
    case IS_HOOK_JOB_ACTION:
        mom_take_actions(t, mom, msg);
        break;
    case IS_UPDATE_FROM_HOOK:
    case IS_UPDATE_FROM_HOOK2:
        mom_take_hook_update(t, mom, msg);
        break;
    default: /* the reference ignores what it does not know, too */
        break;
    }
}

/* Does mom_take_message() take it? What is ignored need not wait for its turn. */
static bool is_taken(const struct is_message *msg)
{
    return msg->command == IS_CMD_REPLY || msg->command == IS_RESCUSED ||
           msg->command == IS_RESCUSED_FROM_HOOK || msg->command == IS_JOBOBIT ||
           msg->command == IS_IDLE;
}

static void from_known(struct moms *ms, struct moms_turn *t, struct mom *mom,
                       const struct is_message *msg)
{
    /* A state block may speak of thousands of vnodes, and what comes behind it keeps
     * its place. */
    if (is_has_state(msg) || (tidings_wait(ms, mom) && is_taken(msg)))
        tidings_add_message(ms, mom, msg);
    else
        mom_take_message(ms, t, mom, msg);
    mom->registered |= msg->command == IS_REGISTERMOM;
}

void moms_message(struct moms *ms, struct moms_turn *t, uint64_t stream,
                  const char *host, uint32_t port, const struct is_message *msg)
{
    struct mom *mom = mom_of_stream(ms, stream);

    if (msg->command == IS_HELLOSVR)
        mom_hello(ms, t, stream, host, port, msg);
    /* Whoever has not said hello is not believed. "unset" is the name that PBS gives to
     * such a peer. */
    else if (!mom)
        bad_peer(t, stream, host, port, "unset");
    else
        from_known(ms, t, mom, msg);
}

void moms_lost(struct moms *ms, struct moms_turn *t, uint64_t stream)
{
    struct mom *mom = mom_of_stream(ms, stream);

    /* The stream may be one that only waited to be recognised. */
    hello_forget(ms, stream);
    if (!mom)
        return;
    mom_stream_over(ms, t, mom);
    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER, "stream_eof",
               "stream_eof, %s down", mom->host);
    tidings_add(ms, mom, TIDINGS_LOST);
    /* The vnodes of a small MoM are down in this turn, also when it is not an input
     * that ends the stream. */
    if (mom->n_tidings == 1 && ms->tidings->mom == mom)
        (void)tidings_take(ms, t, config_slice_cost(t->cfg));
}

void moms_router_lost(struct moms *ms, struct moms_turn *t)
{
    struct mom *mom, *next;

    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER, "net_down_handler",
               "marking all nodes unknown");
    hello_forget_all(ms);
    /* Without the router no stream is left. The MoMs may be well, so their vnodes
     * become state-unknown and not down. */
    HASH_ITER (hh, ms->by_key, mom, next) {
        if (mom->stream)
            mom_stream_over(ms, t, mom);
        if (mom->nodes)
            tidings_add(ms, mom, TIDINGS_ROUTER_LOST);
    }
}

void moms_router_back(struct moms *ms UNUSED, struct moms_turn *t)
{
    effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER,
               "net_restore_handler", "net restore handler called");
}

static void note_new_node(struct moms *ms, const char *id)
{
    ms->new_nodes = xrealloc(ms->new_nodes, (ms->n_new_nodes + 1) * sizeof(char *));
    ms->new_nodes[ms->n_new_nodes++] = xstrdup(id);
}

void moms_touch(struct moms *ms, const struct record *rec)
{
    if (rec->kind == OBJ_JOB)
        moms_touch_job(ms, rec->id);
    /* There is no model at hand here: the next pump looks the vnode up and adds it. */
    else if (rec->kind == OBJ_NODE && rec->fact == FACT_CREATED)
        note_new_node(ms, rec->id);
    else if (rec->kind == OBJ_NODE && rec->fact == FACT_DELETED)
        moms_forget_node(ms, rec->id);
}

/* A vnode that was created behind a MoM that is there already: asked again, the MoM
 * tells of all its vnodes. */
static void take_new_nodes(struct moms *ms, struct moms_turn *t)
{
    for (size_t i = 0; i < ms->n_new_nodes; i++) {
        const struct node *n = model_node(t->m, ms->new_nodes[i]);
        struct mom *mom;

        if (n && !mom_of_node(ms, n->obj.id)) {
            moms_add_node(ms, n);
            mom = mom_of_node(ms, n->obj.id);
            /* A vnode that the MoM itself reported is not down and needs no
             * question. */
            mom->greet = mom->registered && (node_state_stored(n) & NODE_DOWN);
            ms->greet |= mom->greet;
        }
        free(ms->new_nodes[i]);
    }
    ms->n_new_nodes = 0;
}

static void greet_again(struct moms *ms, struct moms_turn *t)
{
    struct mom *mom, *next;

    HASH_ITER (hh, ms->by_key, mom, next) {
        if (mom->greet && mom->stream)
            mom_reply_hello(ms, t, mom);
        /* A MoM without a stream says hello by itself, and is told then. */
        mom->greet = false;
    }
    ms->greet = false;
}

/* A MoM is known by its vnodes. When the last one is deleted its stream is closed, and
 * its hellos are refused until it is defined again: otherwise its next list would make
 * the vnodes again (tpp.md 5.5). */
static void close_left(struct moms *ms, struct moms_turn *t)
{
    struct mom *mom, *next;

    ms->left = false;
    HASH_ITER (hh, ms->by_key, mom, next)
        if (!mom->nodes && mom->stream) {
            mom_close(t, mom->stream);
            mom_stream_over(ms, t, mom);
        }
}

void moms_shutdown(struct moms *ms, struct moms_turn *t)
{
    const struct is_message msg = { .command = IS_SHUTDOWN };
    struct mom *mom, *next;

    HASH_ITER (hh, ms->by_key, mom, next)
        if (mom->registered && mom->stream)
            mom_send(t, mom, &msg);
}

/* One OBITREPLY for the answers to one MoM that follow each other. */
static void answer_obits(struct moms *ms, struct moms_turn *t)
{
    while (ms->answers) {
        struct mom *mom = ms->answers->mom;
        struct is_message msg = { .command = IS_OBITREPLY };
        struct obit_answer *a, *next;
        size_t n = 0;

        DL_FOREACH (ms->answers, a)
            n++;
        /* Each list has room for all, because the answers may be of one kind only. */
        msg.acks.v = ARENA_ARRAY(t->effects->arena, const char *, n);
        msg.rejects.v = ARENA_ARRAY(t->effects->arena, const char *, n);
        DL_FOREACH_SAFE (ms->answers, a, next) {
            struct wire_strings *list = a->accepted ? &msg.acks : &msg.rejects;

            /* An answer to another MoM ends this message, so the order in which
             * obituaries came is kept. */
            if (a->mom != mom)
                break;
            list->v[list->n++] = arena_strdup(t->effects->arena, a->job_id);
            DL_DELETE(ms->answers, a);
            free(a->job_id);
            free(a);
        }
        MUST(msg.acks.n + msg.rejects.n > 0); /* the first answer is this MoM's */
        /* A MoM that has gone tells of the end again when it is back. */
        if (mom->stream)
            mom_send(t, mom, &msg);
    }
}

/* An unanswered command closes its stream: the MoM says hello again or is down. */
static void close_silent(struct moms *ms, struct moms_turn *t)
{
    struct mom *mom, *next;

    HASH_ITER (hh, ms->by_key, mom, next) {
        /* moms_lost() clears the stream of the MoM, and its number is needed
         * afterwards. */
        uint64_t stream = mom->stream;
        struct command *c;

        DL_FOREACH (mom->commands, c)
            if (c->due_at <= t->now_at)
                break;
        if (!c)
            continue;
        MUST(stream != 0); /* commands are given up when the stream ends */
        effect_log(t->effects, t->m->seq, LOG_EV_ERROR, LOG_IN_SERVER, c->job_id,
                   "%s has not answered, its stream is closed", mom->host);
        moms_lost(ms, t, stream);
        mom_close(t, stream);
    }
}

/* The earliest moment of all that waits. */
static int64_t next_moment(const struct moms *ms, int64_t now_at)
{
    int64_t at = INT64_MAX;
    struct mom *mom, *next_mom;
    struct mom_job *j, *next_job;
    struct command *c;

    HASH_ITER (hh, ms->by_key, mom, next_mom)
        DL_FOREACH (mom->commands, c)
            at = MIN_OF(at, c->due_at);
    HASH_ITER (hh, ms->by_job, j, next_job) {
        /* What is due by now is in the list of touched jobs already. */
        if (j->retry_at > now_at)
            at = MIN_OF(at, j->retry_at);
        if (j->lost_at > now_at)
            at = MIN_OF(at, j->lost_at);
        if (j->sure_at > now_at)
            at = MIN_OF(at, j->sure_at);
    }
    return at;
}

static void look_at_due(struct moms *ms, int64_t now_at)
{
    struct mom_job *j, *next;

    /* Each job is visited, which is affordable because it happens only at a deadline
     * and never for a message. */
    HASH_ITER (hh, ms->by_job, j, next)
        if ((j->retry_at != INT64_MIN && j->retry_at <= now_at) ||
            (j->lost_at != 0 && j->lost_at <= now_at) ||
            (j->sure_at != 0 && j->sure_at <= now_at))
            moms_touch_job(ms, j->id);
}

bool moms_pump(struct moms *ms, struct moms_turn *t, size_t most)
{
    bool due = ms->next_at <= t->now_at;

    /* New vnodes come before their MoMs are greeted, and silent streams are closed
     * before jobs are looked at: a job sees the links as they are. */
    if (ms->n_new_nodes)
        take_new_nodes(ms, t);
    if (ms->left)
        close_left(ms, t);
    if (ms->greet)
        greet_again(ms, t);
    answer_obits(ms, t);
    if (due) {
        close_silent(ms, t);
        look_at_due(ms, t->now_at);
    }
    /* The bound lets the engine serve other inputs between two parts of a long list. */
    for (; ms->touched && most > 0; most--) {
        struct mom_job *j = ms->touched;

        DL_DELETE(ms->touched, j);
        MUST(!j->looked_at);
        /* It leaves the list first, since looking at it may touch it again. */
        j->looked_at = true;
        look_at_job(ms, t, j);
    }
    /* The next deadline is computed once for all that this pump has done. Earlier ones
     * are added by moms_wake_at(). */
    if (due)
        ms->next_at = next_moment(ms, t->now_at);
    return t->out->records.n > 0;
}

bool moms_have_work(const struct moms *ms)
{
    return ms->touched || ms->answers || ms->tidings;
}

bool moms_have_tidings(const struct moms *ms)
{
    return ms->tidings != NULL;
}

bool moms_are_behind(const struct moms *ms)
{
    /* The store is away, perhaps, and slices wait for it; MoMs go on speaking. */
    return ms->tidings_bytes > TIDINGS_MAX_BYTES;
}

size_t moms_take_tidings(struct moms *ms, struct moms_turn *t, size_t most)
{
    /* Vnodes that were made by the last part belong to their MoM now. */
    take_new_nodes(ms, t);
    return tidings_take(ms, t, most);
}

int64_t moms_deadline(const struct moms *ms)
{
    return ms->next_at;
}
