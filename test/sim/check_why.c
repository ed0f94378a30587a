/* check_why.c - see check_why.h.
 *
 * Of a reservation that is there everybody is told. Of one that was denied its owner
 * and managers are told for a day when that was and why, also after a restart of the
 * server; whoever else asks hears nothing, and of one that was deleted nobody does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/confirm.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define DAY_S      86400
#define REASON_MAX 1000

static void why_free(struct why *w)
{
    free(w->id);
    free(w->owner);
    free(w->said);
    free(w->reason);
    free(w);
}

void whys_fini(struct whys *all)
{
    while (all->list) {
        struct why *w = all->list;

        HASH_DEL(all->list, w);
        why_free(w);
    }
}

static struct why *find(const struct whys *all, const char *id)
{
    struct why *w;

    HASH_FIND_STR(all->list, id, w);
    return w;
}

void whys_forget_after(struct whys *all, uint64_t seq)
{
    struct why *w, *next;

    HASH_ITER (hh, all->list, w, next) {
        if (w->denied_seq > seq)
            w->denied_seq = 0;
        if (w->seq > seq) {
            HASH_DEL(all->list, w);
            why_free(w);
        }
    }
}

static const char *text_after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

static void is_submitted(struct whys *all, const struct record *rec)
{
    const char *owner = text_after(rec, RESV_A_RESERVE_OWNER);
    struct why *w = find(all, rec->id);

    if (w) {
        HASH_DEL(all->list, w);
        why_free(w);
    }
    w = xcalloc(1, sizeof(*w));
    w->id = xstrdup(rec->id);
    w->owner = xasprintf("%.*s", (int)strcspn(owner ? owner : "", "@"), owner);
    w->seq = rec->seq;
    HASH_ADD_KEYPTR(hh, all->list, w->id, strlen(w->id), w);
}

/* What somebody has deleted was not denied. */
static const char *reason_of_ending(const struct record *rec)
{
    switch (rec->reason) {
    case REASON_EXPIRED:
        return "no scheduler confirmed it while it was waited for";
    case REASON_JOB_STAYS:
        return "the job that it was made for did not wait any more";
    case REASON_END_REACHED:
        return "no scheduler confirmed it before its time had passed";
    default:
        return NULL;
    }
}

static void is_denied(struct why *w, const struct record *rec, const char *reason)
{
    w->denied_seq = rec->seq;
    w->denied_at = rec->at;
    free(w->reason);
    w->reason = reason ? xstrdup(reason) : NULL;
}

/* With two schedulers the reasons of both may be told as one. */
static void check_said(struct sim *s, const struct why *w, const struct record *rec)
{
    if (!s->has_second && !str_same(w->said ? w->said : "", rec->note ? rec->note : ""))
        check_failed(s, CHECK_WHY, "%s is denied because of '%s', and was told '%s'",
                     rec->id, w->said ? w->said : "", rec->note ? rec->note : "");
}

void check_why_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    struct why *w;

    if (rec->fact == FACT_RESV_SUBMITTED)
        is_submitted(&s->whys, rec);
    w = r ? find(&s->whys, rec->id) : NULL;
    if (!w)
        return;
    if (rec->fact == FACT_RESV_DENIED) {
        check_said(s, w, rec);
        is_denied(w, rec, rec->note);
    }
    if (rec->fact == FACT_RESV_ENDING && resv_phase(r) == PHASE_UNCONFIRMED &&
        reason_of_ending(rec))
        is_denied(w, rec, reason_of_ending(rec));
}

/* Replies. */

static const char *told(const struct wire_reply *reply, const char *name)
{
    const struct wire_object *o = reply->objects.n == 1 ? &reply->objects.v[0] : NULL;

    for (size_t i = 0; o && i < o->attrs.n; i++)
        if (strcmp(o->attrs.v[i].name, name) == 0)
            return o->attrs.v[i].value;
    return NULL;
}

static void check_living(struct sim *s, const struct resv *r,
                         const struct wire_reply *reply)
{
    const char *state = told(reply, "reserve_state");
    int64_t is = obj_num(&r->obj, RESV_A_RESERVE_STATE, 0);

    if (reply->code != 0 || !state || atoll(state) != is)
        check_failed(s, CHECK_WHY, "who asks why about %s is told %d and state %s",
                     r->obj.id, reply->code, state ? state : "none");
}

/* A long reason is cut. */
static bool is_reason(const char *text, const char *reason)
{
    if (!reason || !*reason)
        reason = "the scheduler gave no reason";
    if (!text)
        return false;
    return strlen(reason) <= REASON_MAX ? strcmp(text, reason) == 0
                                        : strncmp(text, reason, strlen(text)) == 0;
}

static void check_denial(struct sim *s, const struct why *w,
                         const struct wire_reply *reply)
{
    const char *at = told(reply, "denied_at");
    const char *reason = told(reply, "denied_reason");

    if (reply->code != 0 || !at || atoll(at) != w->denied_at ||
        !is_reason(reason, w->reason) || told(reply, "reserve_state"))
        check_failed(s, CHECK_WHY,
                     "%s was denied at %" PRId64 ": '%s', and who asks is told %d: %s: "
                     "'%s'",
                     w->id, w->denied_at, w->reason ? w->reason : "", reply->code,
                     at ? at : "never", reason ? reason : "");
}

static void check_told(struct sim *s, const struct conn *c, const char *id,
                       const struct wire_reply *reply)
{
    const struct resv *r = model_resv(shell_model(s), id);
    const struct why *w = find(&s->whys, id);
    bool may_know = w && (c->server_uid || strcmp(w->owner, c->user) == 0);

    if (r)
        check_living(s, r, reply);
    else if (may_know && w->denied_seq && sim_now_at(s) - w->denied_at <= DAY_S)
        check_denial(s, w, reply);
    else if (reply->code != PBSE_UNKRESVID || reply->objects.n)
        check_failed(s, CHECK_WHY, "%s is told %d about %s, which is none of theirs",
                     c->user, reply->code, id);
}

/* The reason of a no is kept until the record of it comes, in the same turn or, of many
 * answers, in a later one. */
static void note_said(struct sim *s, const char *id, const char *extend,
                      struct arena *arena)
{
    struct wire_confirm said = { 0 };
    struct why *w = find(&s->whys, id);

    if (!w || !wire_confirm_read(extend, arena, &said))
        return;
    free(w->said);
    w->said = !said.yes && said.reason ? xstrdup(said.reason) : NULL;
}

static void note_all_said(struct sim *s, const struct body_answer_resvs *body,
                          struct arena *arena)
{
    for (size_t i = 0; i < body->n; i++)
        note_said(s, body->answers[i].id, body->answers[i].extend, arena);
}

void why_requested(struct sim *s, const struct conn *c, const struct wire_request *rq,
                   const struct wire_reply *reply, struct arena *arena)
{
    if (rq->number == BATCH_CONFIRM_RESV)
        note_said(s, ((const struct body_run *)rq->body)->object_id, rq->extend, arena);
    if (rq->number == BATCH_ANSWER_RESVS)
        note_all_said(s, rq->body, arena);
    if (rq->number == BATCH_RESV_WHY && reply) {
        struct wire_reply open = *reply;

        batch_open_reply(&open, arena);
        check_told(s, c, ((const struct body_id *)rq->body)->id, &open);
    }
}

void ask_why_all(struct sim *s)
{
    static const char *const who[] = { "user1", "user2", "root" };
    struct why *w, *next;

    HASH_ITER (hh, s->whys.list, w, next)
        for (size_t i = 0; w->denied_seq && i < ARRAY_LEN(who); i++)
            client_why(s, who[i], w->id, w->id);
}
