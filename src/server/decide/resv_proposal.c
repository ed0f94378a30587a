/* resv_proposal.c - what an open proposal is about and wants, how it is opened, and how
 * it is dropped. How it is made is in proposal_grant.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_proposal.h"

#include "lib/attr/resv_number.h"
#include "server/decide/edit_text.h"
#include "server/decide/proposal_priv.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"

#include <string.h>

/* The attributes that a proposal may change, in the order in which its text keeps
 * them. */
static const int attrs[] = {
    RESV_A_RESERVE_START,
    RESV_A_RESERVE_END,
    RESV_A_RESERVE_DURATION,
    RESV_A_RESOURCE_LIST,
    RESV_A_SCHEDSELECT,
    RESV_A_RESERVE_NAME,
    RESV_A_MAIL_POINTS,
    RESV_A_MAIL_USERS,
    RESV_A_AUTHORIZED_USERS,
    RESV_A_AUTHORIZED_GROUPS,
    RESV_A_PRIORITY,
    RESV_A_INTERACTIVE,
    RESV_A_ON_END,
    RESV_A_ON_END_QUEUE,
    RESV_A_AUTO_EXTEND,
    RESV_A_AUTO_EXTEND_MAX,
    RESV_A_AUTO_EXTEND_RELEASE,
    RESV_A_HF_ASKED_END,
};

/* The first of them are shown with their proposed values while a proposal is open,
 * because schedulers of PBS read them there. */
#define N_SHOWN 5

/* The attributes that a part consists of. */
static const int kept[] = { RESV_A_HF_ALTER_SEQ,       RESV_A_HF_ALTER_AT,
                            RESV_A_HF_ALTER_FORCE,     RESV_A_HF_ALTER_EDIT,
                            RESV_A_HF_ALTER_WITH,      RESV_A_HF_ALTER_VNODES,
                            RESV_A_HF_ALTER_PARTITION, RESV_A_HF_ALTER_ALLOWS,
                            RESV_A_HF_ALTER_OCCURRENCE };

static bool is_among(int attr, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (attrs[i] == attr)
            return true;
    return false;
}

bool proposal_knows(int attr)
{
    return is_among(attr, ARRAY_LEN(attrs));
}

bool proposal_shows(int attr)
{
    return is_among(attr, N_SHOWN);
}

int64_t proposal_seq(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_HF_ALTER_SEQ, 0);
}

bool proposal_is_open(const struct resv *r)
{
    return obj_is_set(&r->obj, RESV_A_HF_ALTER_SEQ);
}

bool proposal_may_open(const struct resv *r)
{
    return !proposal_is_open(r) &&
           !(resv_is_maintenance(r) && resv_phase(r) == PHASE_UNCONFIRMED);
}

/* 0: the current one. */
static int64_t index_of_later(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_HF_ALTER_OCCURRENCE, 0);
}

const struct occurrence *proposal_occurrence(const struct model *m,
                                             const struct resv *r, struct arena *arena)
{
    int64_t index = index_of_later(r);

    return index ? occurrence_at(m, r, index, arena) : &r->current;
}

const struct occurrence *proposal_later(const struct model *m, const struct resv *r,
                                        struct arena *arena)
{
    return index_of_later(r) ? proposal_occurrence(m, r, arena) : NULL;
}

bool proposal_is_about_shown(const struct resv *r)
{
    const struct occurrence *oc = occurrence_itself(&r->current);
    int64_t index = index_of_later(r);

    if (!proposal_is_open(r))
        return false;
    return index ? occurrence_index(oc) == index : occurrence_is_current(oc);
}

bool proposal_is_forced(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_HF_ALTER_FORCE, 0) != 0;
}

uint32_t proposal_allows(const struct resv *r)
{
    return (uint32_t)obj_num(&r->obj, RESV_A_HF_ALTER_ALLOWS, ALLOWS_NONE);
}

const char *proposal_vnodes(const struct resv *r)
{
    return obj_str(&r->obj, RESV_A_HF_ALTER_VNODES, NULL);
}

static const char *kept_partition(const struct resv *r)
{
    return obj_str(&r->obj, RESV_A_HF_ALTER_PARTITION, "");
}

/* A store that somebody has changed may name anything. */
static bool is_a_proposal(const struct edit *e)
{
    for (int attr = 0; attr < RESV_A_COUNT; attr++)
        if (e->touched[attr] && !proposal_knows(attr))
            return false;
    return true;
}

bool proposal_read(const struct model *m, const struct resv *r, struct edit *e,
                   struct arena *arena)
{
    const char *text = obj_str(&r->obj, RESV_A_HF_ALTER_EDIT, "");
    const struct occurrence *oc = proposal_occurrence(m, r, arena);

    edit_init(e, m, OBJ_RESV,
              oc && index_of_later(r) ? &occurrence_as_resv(oc, arena)->obj
                                      : &series_first_as_resv(r, arena)->obj);
    if (!oc)
        return false;
    /* An empty text belongs to a version that kept proposals in another form; nothing
     * can be made of it. */
    return *text && edit_from_text(e, text, arena) && is_a_proposal(e);
}

struct resv_offer proposal_offer(const struct resv *r, const struct edit *e,
                                 int64_t now_at)
{
    int64_t start_at = edit_num(e, RESV_A_RESERVE_START, 0);

    return (struct resv_offer){
        .occurrence = resv_current(r),
        .start_at = start_at,
        .end_at = edit_num(e, RESV_A_RESERVE_END, 0),
        .now_at = now_at,
        .smaller = e->touched[RESV_A_SCHEDSELECT],
        .moves = start_at > now_at,
    };
}

struct proposal_others proposal_others(const struct model *m, const struct resv *r,
                                       struct arena *arena)
{
    const struct attr_value *ids = obj_attr(&r->obj, RESV_A_HF_ALTER_WITH);
    struct proposal_others ret = { 0 };

    if (!ids->set || ids->u.list.n == 0)
        return ret;
    ret.v = arena_alloc(arena, ids->u.list.n * sizeof(struct resv *));
    for (size_t i = 0; i < ids->u.list.n; i++) {
        const struct resv *other = model_resv(m, ids->u.list.v[i]);

        /* All parts are opened and closed in one decision, so they have one number. */
        MUST(other && proposal_seq(other) == proposal_seq(r));
        ret.v[ret.n++] = other;
    }
    return ret;
}

/* A neighbour may have been altered since, or another one have become it. Whether the
 * one behind it makes room is the answer's to say. */
static bool meets_neighbour(const struct resv *r, const struct occurrence *later,
                            const struct edit *e)
{
    int64_t start_at = edit_num(e, RESV_A_RESERVE_START, 0);

    if (!later)
        return false;
    if (proposal_allows(r) & ALLOWS_PUSH)
        return proposal_meets_before(later, start_at);
    return proposal_meets_neighbour(later, start_at,
                                    edit_num(e, RESV_A_RESERVE_END, 0));
}

static const char *obstacle_of_part(const struct model *m, const struct resv *r,
                                    int64_t now_at, struct arena *arena)
{
    const struct occurrence *later = proposal_later(m, r, arena);
    bool runs = !index_of_later(r) && phase_is_running(resv_phase(r));
    const char *why = NULL;
    struct edit e;

    if (!proposal_read(m, r, &e, arena))
        why = obj_is_set(&r->obj, RESV_A_HF_ALTER_EDIT)
                  ? "something that it names is gone"
                  : "the server was replaced by a newer version";
    /* A job that started meanwhile would be left outside of the moved window. */
    else if (runs && edit_num(&e, RESV_A_RESERVE_START, 0) > now_at &&
             resv_has_busy_job(r))
        why = pbse_text(PBSE_RESV_NOT_EMPTY);
    else if (!runs && edit_num(&e, RESV_A_RESERVE_END, 0) <= now_at)
        why = "its end has passed";
    else if (meets_neighbour(r, later, &e))
        why = pbse_text(PBSE_STDG_RESV_OCCR_CONFLICT);
    edit_fini(&e);
    return why;
}

const char *proposal_obstacle(const struct model *m, const struct resv *r,
                              int64_t now_at, struct arena *arena)
{
    struct proposal_others others = proposal_others(m, r, arena);
    const char *why = obstacle_of_part(m, r, now_at, arena);

    for (size_t i = 0; i < others.n && !why; i++)
        why = obstacle_of_part(m, others.v[i], now_at, arena);
    return why;
}

static const char *ids_but(const struct proposal *p, size_t but, struct arena *arena)
{
    const char *ids = NULL;

    for (size_t i = 0; i < p->n; i++) {
        const char *id = p->parts[i].resv->obj.id;

        if (i != but)
            ids = ids ? arena_printf(arena, "%s,%s", ids, id) : arena_strdup(arena, id);
    }
    return ids;
}

bool proposal_may_alter_times(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_RESERVE_START, 0) != RESV_START_OPEN;
}

void proposal_set_times(struct edit *e, int64_t start_at, int64_t end_at,
                        struct arena *arena)
{
    int64_t duration_s = end_at - start_at;
    int err;

    MUST(duration_s > 0);
    edit_set_num(e, RESV_A_RESERVE_START, start_at);
    edit_set_num(e, RESV_A_RESERVE_END, end_at);
    edit_set_num(e, RESV_A_RESERVE_DURATION, duration_s);
    err = edit_set(e, RESV_A_RESOURCE_LIST, "walltime",
                   arena_printf(arena, "%" PRId64, duration_s), WIRE_OP_SET, NULL);
    MUST(!err); /* a number of seconds */
    (void)err;
}

void proposal_open(const struct model *m, const struct proposal *p,
                   struct decision *out)
{
    MUST(out->records.n == 0);
    MUST(!p->allows || p->n == 1); /* what is moved are no parts of it */
    for (size_t i = 0; i < p->n; i++) {
        const struct proposal_part *part = &p->parts[i];
        struct record *rec = record_add(
            &out->records, out->arena, FACT_RESV_ALTER_ASKED, OBJ_RESV,
            arena_strdup(out->arena, part->resv->obj.id), p->actor, p->now_at);
        const char *text = edit_to_text(part->e, attrs, ARRAY_LEN(attrs), out->arena);

        /* A proposal that changes nothing has nothing that anybody could be asked
         * about. */
        MUST(proposal_may_open(part->resv) && *text);
        MUST(proposal_may_alter_times(part->resv));
        MUST((p->allows & ALLOWS_PUSH) || proposal_part_keeps_order(part));
        /* A yes to a new series makes all its occurrences, and cannot be kept. */
        MUST(p->n == 1 || !series_is_new(part->resv));
        /* Maintenance takes its vnodes from whoever has them, maybe from another part.
         */
        MUST(p->n == 1 || !resv_is_maintenance(part->resv));
        proposal_keep_series_start(part->resv, out->arena, rec);
        record_change(rec, out->arena, RESV_A_HF_ALTER_EDIT, NULL, text);
        record_change(rec, out->arena, RESV_A_HF_ALTER_WITH, NULL,
                      ids_but(p, i, out->arena));
        if (part->later)
            record_change_num(rec, out->arena, RESV_A_HF_ALTER_OCCURRENCE,
                              occurrence_index(part->later));
        question_put(rec, out->arena, part->asks, p->now_at);
        /* The number of the first record is unlike that of any other proposal, also
         * after a restart. */
        record_change_num(rec, out->arena, RESV_A_HF_ALTER_SEQ, (int64_t)m->seq + 1);
        record_change_num(rec, out->arena, RESV_A_HF_ALTER_AT, p->now_at);
        if (p->force)
            record_change(rec, out->arena, RESV_A_HF_ALTER_FORCE, NULL, "True");
        if (p->allows)
            record_change_num(rec, out->arena, RESV_A_HF_ALTER_ALLOWS, p->allows);
        if (p->by_itself)
            record_change_num(rec, out->arena, RESV_A_HF_EXTEND_TRIED,
                              obj_num(&part->resv->obj, RESV_A_RESERVE_END, 0));
        record_change(rec, out->arena, RESV_A_ALTER_DENIED, NULL, NULL);
        record_change(rec, out->arena, RESV_A_PUSHED, NULL, NULL);
    }
}

void proposal_record_forgotten(struct record *rec, struct arena *arena)
{
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        record_change(rec, arena, kept[i], NULL, NULL);
}

struct record *proposal_record(const struct resv *r, enum fact fact, const char *actor,
                               int64_t now_at, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, OBJ_RESV,
                      arena_strdup(out->arena, r->obj.id), actor, now_at);
}

void proposal_note_yes(const struct resv *r, const char *vnodes, const char *partition,
                       const char *actor, int64_t now_at, struct decision *out)
{
    struct record *rec;

    if (proposal_vnodes(r) && strcmp(proposal_vnodes(r), vnodes) == 0 &&
        strcmp(kept_partition(r), partition) == 0)
        return;
    rec = proposal_record(r, FACT_SET, actor, now_at, out);
    record_change(rec, out->arena, RESV_A_HF_ALTER_VNODES, NULL, vnodes);
    record_change(rec, out->arena, RESV_A_HF_ALTER_PARTITION, NULL, partition);
}

void proposal_forget_yes(const struct resv *r, const char *actor, int64_t now_at,
                         struct decision *out)
{
    struct record *rec = proposal_record(r, FACT_SET, actor, now_at, out);

    record_change(rec, out->arena, RESV_A_HF_ALTER_VNODES, NULL, NULL);
    record_change(rec, out->arena, RESV_A_HF_ALTER_PARTITION, NULL, NULL);
    /* The part is asked about at once, because the others wait for it. */
    question_put_again(rec, out->arena, now_at);
}

void proposal_make(const struct model *m, const struct resv *r, bool with_yes,
                   const char *actor, enum reason reason, int64_t now_at,
                   struct decision *out)
{
    const char *vnodes = with_yes ? proposal_vnodes(r) : NULL;
    struct edit e;
    const struct proposal_grant g = {
        .e = &e,
        .later = proposal_later(m, r, out->arena),
        .vnodes = arena_strdup(out->arena, vnodes),
        .partition = vnodes ? arena_strdup(out->arena, kept_partition(r)) : NULL,
        .actor = actor,
        .reason = reason,
        .now_at = now_at,
    };
    bool whole = proposal_read(m, r, &e, out->arena);

    /* proposal_obstacle() was asked before and has read it. */
    MUST(whole);
    MUST(!with_yes || vnodes); /* there is a yes to make it with */
    proposal_grant(m, r, &g, out);
    edit_fini(&e);
}

/* Who waits for an alteration of a later occurrence waits for that. */
static void deny_later(const struct model *m, const struct resv *r, const char *actor,
                       const char *reason, int64_t now_at, struct decision *out)
{
    const struct occurrence *later = proposal_later(m, r, out->arena);

    if (later)
        record_add(&out->records, out->arena, FACT_RESV_ALTER_DENIED, OBJ_OCCURRENCE,
                   arena_strdup(out->arena, later->values->id), actor, now_at)
            ->note = reason;
}

static struct record *deny_part(const struct model *m, const struct resv *r,
                                const char *actor, const char *reason, int64_t now_at,
                                struct decision *out)
{
    struct record *rec;

    deny_later(m, r, actor, reason, now_at, out);
    rec = proposal_record(r, FACT_RESV_ALTER_DENIED, actor, now_at, out);

    rec->note = reason;
    /* The reason stays with the reservation, for whoever asks with pbs_rstat later. */
    record_change(rec, out->arena, RESV_A_ALTER_DENIED, NULL, reason);
    proposal_record_forgotten(rec, out->arena);
    question_over(rec, out->arena);
    return rec;
}

/* It is the server's own, which only says which end somebody asked for. */
static bool is_by_itself(const struct model *m, const struct resv *r,
                         struct arena *arena)
{
    struct edit e;
    bool own = proposal_read(m, r, &e, arena) && e.touched[RESV_A_HF_ASKED_END];

    edit_fini(&e);
    return own;
}

/* Whoever asked for it hears that it is dropped. What the server has asked for by
 * itself it asks for again. */
static void drop_part(const struct model *m, const struct resv *r, const char *actor,
                      int64_t now_at, struct decision *out)
{
    bool own = is_by_itself(m, r, out->arena);
    struct record *rec =
        deny_part(m, r, actor, "the server was started again", now_at, out);

    rec->reason = own ? REASON_NONE : REASON_SERVER_BEGAN;
    if (own)
        record_change(rec, out->arena, RESV_A_HF_EXTEND_TRIED, NULL, NULL);
}

/* Each reservation has its own part, so that all parts are found without a search. */
void proposal_drop_all(const struct model *m, const char *actor, int64_t now_at,
                       struct decision *out)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        if (proposal_is_open(TO_RESV(o)))
            drop_part(m, TO_RESV(o), actor, now_at, out);
    }
}

void proposal_deny(const struct model *m, const struct resv *r, const char *actor,
                   const char *reason, int64_t now_at, struct decision *out)
{
    struct proposal_others others = proposal_others(m, r, out->arena);

    deny_part(m, r, actor, reason, now_at, out);
    for (size_t i = 0; i < others.n; i++)
        deny_part(m, others.v[i], actor, reason, now_at, out);
}

void proposal_deny_others(const struct model *m, const struct resv *r,
                          const char *actor, int64_t now_at, struct decision *out)
{
    struct proposal_others others = proposal_others(m, r, out->arena);
    const char *reason = arena_printf(out->arena, "%s ends", r->obj.id);

    for (size_t i = 0; i < others.n; i++)
        deny_part(m, others.v[i], actor, reason, now_at, out);
}
