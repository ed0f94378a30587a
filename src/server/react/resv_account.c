/* resv_account.c - the accounting records of reservations (reservations.md 21).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/occurrence.h"
#include "server/model/resource_request.h"
#include "server/model/resv_state.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"

#include <string.h>

static void account(const struct reaction *r, char type, const char *text)
{
    MUST(r->rec->kind == OBJ_RESV);
    effect_account(r->out, r->rec->seq, r->rec->at, type, r->rec->id, "%s", text);
}

enum quoting {
    RAW,
    QUOTED_BLANKS,
    QUOTED
};

/* The B record in its order; an unset one is left out. */
static const struct account_field {
    const char *key;
    int attr;
    enum quoting quoting;
} fields[] = {
    { "owner", RESV_A_RESERVE_OWNER, RAW },
    { "name", RESV_A_RESERVE_NAME, QUOTED_BLANKS },
    { "account", RESV_A_ACCOUNT_NAME, QUOTED },
    { "queue", RESV_A_QUEUE, RAW },
    { "ctime", RESV_A_CTIME, RAW },
    { "start", RESV_A_RESERVE_START, RAW },
    { "end", RESV_A_RESERVE_END, RAW },
    { "duration", RESV_A_RESERVE_DURATION, RAW },
    { "nodes", RESV_A_RESV_NODES, RAW },
    { "Authorized_Users", RESV_A_AUTHORIZED_USERS, QUOTED_BLANKS },
    { "Authorized_Groups", RESV_A_AUTHORIZED_GROUPS, QUOTED_BLANKS },
    { "Authorized_Hosts", RESV_A_AUTHORIZED_HOSTS, QUOTED_BLANKS },
};

static void add_field(const struct object *o, const struct account_field *f,
                      struct arena *arena, struct buf *out)
{
    const char *text;

    if (!obj_is_set(o, f->attr))
        return;
    text = attr_value_text(resv_rows[f->attr].type, obj_attr(o, f->attr), arena);
    buf_printf(out, "%s=", f->key);
    if (f->quoting == QUOTED)
        buf_add_in_quotes(out, text);
    else if (f->quoting == QUOTED_BLANKS)
        buf_add_quoted(out, text);
    else
        buf_add_str(out, text);
    buf_add_char(out, ' ');
}

static void add_resources(const struct object *o, struct arena *arena, struct buf *out)
{
    struct attr_value shown = { .set = true };
    struct wire_attrs list = { 0 };

    shown.u.res = resources_shape_last(obj_resources(o, RESV_A_RESOURCE_LIST), arena);
    attr_value_encode(&attr_resources, &shown, resv_rows[RESV_A_RESOURCE_LIST].name,
                      &list, arena);
    for (size_t i = 0; i < list.n; i++) {
        buf_printf(out, "%s.%s=", list.v[i].name, list.v[i].resource);
        buf_add_quoted(out, list.v[i].value);
        buf_add_char(out, ' ');
    }
}

/* The text of a B record: whose reservation, when, where, how much. */
static void resv_account_text(const struct object *o, struct arena *arena,
                              struct buf *out)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        add_field(o, &fields[i], arena, out);
    add_resources(o, arena, out);
}

static void account_whole(const struct reaction *r, char type)
{
    struct buf text = { 0 };

    resv_account_text(r->o, r->out->arena, &text);
    account(r, type, text.data ? text.data : "");
    buf_fini(&text);
}

/* The F record is ours, so it tells what became of the jobs when they were kept. */
static void account_end(const struct reaction *r)
{
    struct buf text = { 0 };

    resv_account_text(r->o, r->out->arena, &text);
    if (obj_is_set(r->o, RESV_A_HF_ON_END))
        buf_printf(&text, "on_end=%s ", obj_str(r->o, RESV_A_HF_ON_END, ""));
    account(r, 'F', text.data ? text.data : "");
    buf_fini(&text);
}

static void account_requestor(const struct reaction *r, char type,
                              const char *requestor)
{
    effect_account(r->out, r->rec->seq, r->rec->at, type, r->rec->id, "requestor=%s",
                   requestor);
}

/* One made out of a job was never asked for: it is confirmed as it is made. */
static bool is_from_job(const struct object *o)
{
    return obj_is_set(o, RESV_A_RESERVE_JOB);
}

static bool is_series(const struct object *o)
{
    return obj_num(o, RESV_A_RESERVE_STANDING, 0) != 0;
}

/* How long the client waits and when it repeats are told only of those that do. */
void account_resv_submitted(const struct reaction *r)
{
    const struct object *o = r->o;
    struct arena *arena = r->out->arena;
    const char *waits = "", *recurs = "";

    if (is_from_job(o))
        return;
    if (obj_is_set(o, RESV_A_INTERACTIVE))
        waits = arena_printf(arena, " Interactive=%" PRId64,
                             obj_num(o, RESV_A_INTERACTIVE, 0));
    if (is_series(o))
        recurs = arena_printf(arena, " recurrence_rrule=%s timezone=%s",
                              obj_str(o, RESV_A_RESERVE_RRULE, ""),
                              obj_str(o, RESV_A_RESERVE_TIMEZONE, ""));
    effect_account(r->out, r->rec->seq, r->rec->at, 'U', r->rec->id, "requestor=%s%s%s",
                   r->rec->actor, waits, recurs);
}

/* What no scheduler decided has nobody's name. resv_nodes has its parentheses. The
 * count is that of the whole series, also when some of it is over. */
static void account_yes(const struct reaction *r, const struct object *o)
{
    bool by_itself = r->rec->reason == REASON_LOCAL;
    const char *count = "";

    if (is_series(o))
        count = arena_printf(r->out->arena, " count=%" PRId64,
                             obj_num(o, RESV_A_RESERVE_COUNT, 1));
    effect_account(r->out, r->rec->seq, r->rec->at, 'Y', r->rec->id,
                   "requestor=%s start=%" PRId64 " end=%" PRId64 " nodes=%s%s",
                   by_itself ? "@" : r->rec->actor, obj_num(o, RESV_A_RESERVE_START, 0),
                   obj_num(o, RESV_A_RESERVE_END, 0), obj_str(o, RESV_A_RESV_NODES, ""),
                   count);
}

void account_resv_confirmed(const struct reaction *r)
{
    account_yes(r, r->o);
}

/* Under its own name, as its deletion is. */
void account_occurrence_altered(const struct reaction *r)
{
    const struct occurrence *oc = &TO_LATER(r->o)->occurrence;

    MUST(oc->resv); /* it was altered as one of its series */
    account_yes(r, &occurrence_as_resv(oc, r->out->arena)->obj);
}

/* One that is still unconfirmed was changed, not confirmed. */
void account_resv_altered(const struct reaction *r)
{
    if (phase_is_confirmed(resv_phase(TO_RESV(r->o))))
        account_resv_confirmed(r);
}

void account_resv_started(const struct reaction *r)
{
    account_whole(r, 'B');
}

void account_resv_denied(const struct reaction *r)
{
    effect_account(r->out, r->rec->seq, r->rec->at, 'K', r->rec->id,
                   "requestor=Server@%s@%s", r->cfg->server_name, r->cfg->server_name);
}

/* An occurrence is deleted as a reservation is, and written under its own name: who
 * reads the records of the series does not take it for their end. */
void account_occurrence_deleted(const struct reaction *r)
{
    const struct resv *resv = react_resv(r);

    if (r->rec->reason != REASON_CANCELLED || !resv)
        return;
    effect_account(
        r->out, r->rec->seq, r->rec->at,
        strcmp(r->rec->actor, obj_str(&resv->obj, RESV_A_RESERVE_OWNER, "")) == 0 ? 'k'
                                                                                  : 'K',
        react_occurrence_name(r), "requestor=%s", r->rec->actor);
}

/* F tells an end from a deletion; the K that tools know follows. Deletion asked for
 * twice is written once. What ends by itself has a reason, and was not deleted by its
 * owner, even when the server runs as that user. */
void account_resv_ending(const struct reaction *r)
{
    const struct object *o = r->o;
    int64_t before = react_resv_state_before(r);
    bool was_asked = r->rec->reason == REASON_NONE;
    bool owner =
        was_asked && strcmp(r->rec->actor, obj_str(o, RESV_A_RESERVE_OWNER, "")) == 0;

    if (before == RESV_BEING_DELETED)
        return;
    if (r->rec->reason == REASON_END_REACHED && before != RESV_UNCONFIRMED)
        account_end(r);
    account_requestor(r, owner ? 'k' : 'K', r->rec->actor);
}
