/* ledger.c - see ledger.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_proposal.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static void entry_free(struct entry *e)
{
    free(e->id);
    free(e->label);
    free(e);
}

void ledger_fini(struct ledger *l)
{
    struct entry *e, *next;

    HASH_ITER (hh, l->entries, e, next) {
        HASH_DEL(l->entries, e);
        entry_free(e);
    }
}

struct entry *ledger_find(const struct ledger *l, const char *id)
{
    struct entry *e;

    HASH_FIND_STR(l->entries, id, e);
    return e;
}

static struct entry *make(struct ledger *l, enum obj_kind kind, const char *id)
{
    struct entry *e = ledger_find(l, id);

    if (e)
        return e;
    e = xcalloc(1, sizeof(*e));
    e->id = xstrdup(id);
    e->kind = kind;
    HASH_ADD_KEYPTR(hh, l->entries, e->id, strlen(e->id), e);
    return e;
}

const struct entry *ledger_by_label(const struct ledger *l, const char *label)
{
    const struct entry *found = NULL;
    struct entry *e, *next;

    HASH_ITER (hh, l->entries, e, next)
        if (str_same(e->label, label) && (!found || found->ended))
            found = e;
    return found;
}

/* The name that its submitter gave it is its label in scenarios. */
static void take_label(struct entry *e, const struct record *rec)
{
    int attr = rec->kind == OBJ_RESV ? (int)RESV_A_RESERVE_NAME : (int)JOB_A_JOB_NAME;

    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr && rec->changes[i].after) {
            free(e->label);
            e->label = xstrdup(rec->changes[i].after);
        }
}

/* One that a job was marked for has no name of its own: it is "J1's". */
static void take_label_of_job(const struct ledger *l, struct entry *e,
                              const struct record *rec)
{
    const struct entry *job = NULL;

    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == RESV_A_RESERVE_JOB && rec->changes[i].after)
            job = ledger_find(l, rec->changes[i].after);
    if (!job || (e->label && strcmp(e->label, "NULL") != 0))
        return;
    free(e->label);
    e->label = xasprintf("%s's", job->label ? job->label : "?");
}

static bool changes(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return true;
    return false;
}

static void take_record(struct sim *s, const struct record *rec)
{
    struct entry *e;

    if (rec->kind != OBJ_RESV && rec->kind != OBJ_JOB)
        return;
    e = make(&s->ledger, rec->kind, rec->id);
    if (fact_creates(rec->fact))
        take_label(e, rec);
    if (rec->fact == FACT_RESV_SUBMITTED)
        e->is_qmove = changes(rec, RESV_A_QMOVE);
    if (rec->fact == FACT_RESV_SUBMITTED)
        take_label_of_job(&s->ledger, e, rec);
    if (fact_removes(rec->fact) || fact_retires(rec->fact))
        e->ended = true;
    if (rec->fact == FACT_RESV_STARTED)
        e->n_started++;
    if (rec->fact == FACT_RESV_ALTER_ASKED)
        e->altering = true;
    if (rec->fact == FACT_RESV_ALTERED || rec->fact == FACT_RESV_ALTER_DENIED ||
        rec->fact == FACT_RESV_ENDING ||
        /* Of a later occurrence, which has a record of its own. */
        (rec->fact == FACT_SET && changes(rec, RESV_A_HF_ALTER_SEQ)))
        e->altering = false;
    if (rec->fact == FACT_RESV_ALTERED && changes(rec, RESV_A_HF_BEGUN_AT))
        e->n_moved_out++;
    if (rec->fact == FACT_RESV_TURN)
        e->n_turns++;
    if (rec->fact == FACT_JOB_RUN)
        e->n_runs++;
    if (rec->fact == FACT_JOB_REJECTED || rec->fact == FACT_JOB_REQUEUED)
        e->n_back++;
}

void ledger_commit(struct sim *s, size_t n, const struct effect *const *facts)
{
    for (size_t i = 0; i < n; i++) {
        const struct effect *f = facts[i];
        struct entry *e;

        if (f->kind == EFFECT_RECORD) {
            take_record(s, f->u.record);
            s->ledger.last_record_ms = s->clock.now_ms;
            continue;
        }
        sim_trace(s, "account: %c %s %s", f->u.account.type, f->u.account.id,
                  f->u.account.text);
        e = ledger_find(&s->ledger, f->u.account.id);
        if (e)
            e->n_account[f->u.account.type & 127]++;
    }
    check_qmove_commit(s, n, facts);
    check_two_commit(s, n, facts);
}

struct entry *ledger_told(struct sim *s, enum obj_kind kind, const char *id)
{
    struct entry *e = ledger_find(&s->ledger, id);

    if (!e) {
        check_failed(s, CHECK_DURABLE, "a client was told of %s before it was durable",
                     id);
        e = make(&s->ledger, kind, id);
    }
    e->told_exists = true;
    return e;
}

static void check_told(struct sim *s, const struct model *m, const struct entry *e)
{
    const struct object *o = model_find(m, e->kind, e->id);
    enum resv_phase phase;

    if (!o) {
        if (!e->ended)
            check_failed(s, CHECK_TOLD, "%s was told of and is not there any more",
                         e->id);
        return;
    }
    if (e->kind != OBJ_RESV)
        return;
    phase = resv_phase(TO_RESV(o));
    if (e->told_confirmed && phase == PHASE_UNCONFIRMED)
        check_failed(s, CHECK_TOLD, "%s was told to be confirmed and is not", e->id);
    if (e->told_ending && phase != PHASE_ENDING && phase != PHASE_DELETED)
        check_failed(s, CHECK_TOLD, "%s was told to be deleted and lives", e->id);
}

/* An alteration is asked again or was dropped with a notice, never half of it. */
static void check_altering(struct sim *s, const struct model *m, const struct entry *e)
{
    const struct resv *r = e->kind == OBJ_RESV ? model_resv(m, e->id) : NULL;

    if (r && e->altering != proposal_is_open(r))
        check_failed(s, CHECK_TOLD, "the alteration of %s was %s by the restart", e->id,
                     e->altering ? "lost" : "made up");
}

void ledger_check_told(struct sim *s)
{
    const struct model *m = shell_model(s);
    struct entry *e, *next;

    HASH_ITER (hh, s->ledger.entries, e, next) {
        check_altering(s, m, e);
        e->retried_now = false; /* what it had lost may not have been stored */
        if (e->told_exists)
            check_told(s, m, e);
    }
}
