/* check_dry.c - see check_dry.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_dry.h"

#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Whatever lasts until now lasts a little longer then. */
#define SAME_WORLD_S 3

static void dry_free(struct dries *list, struct dry *d)
{
    DL_DELETE(list->list, d);
    free(d->label);
    free(d->id);
    free(d->verdict);
    free(d->nodes);
    free(d->moved);
    free(d);
}

void dries_forget(struct dries *list)
{
    while (list->list)
        dry_free(list, list->list);
}

void dries_fini(struct dries *list)
{
    dries_forget(list);
}

static struct dry *find(struct sim *s, uint64_t conn)
{
    struct dry *d;

    DL_FOREACH (s->dries.list, d)
        if (d->conn == conn)
            return d;
    return NULL;
}

void dry_asked(struct sim *s, uint64_t conn, const char *label,
               const struct body_resv_act *act)
{
    struct dry *d = xcalloc(1, sizeof(*d));

    *d = (struct dry){ .conn = conn,
                       .label = xstrdup(label),
                       .id = *act->id ? xstrdup(act->id) : NULL,
                       .what = act->what,
                       .forced = act->flags & RESV_ACT_FORCE,
                       .asked_at = sim_now_at(s) };
    DL_APPEND(s->dries.list, d);
}

static const char *value_of(const struct wire_reply *reply, const char *name)
{
    return reply->objects.n ? wire_attrs_value(&reply->objects.v[0].attrs, name, NULL)
                            : NULL;
}

static char *moved_text(const struct wire_reply *reply, size_t *ret_n)
{
    const struct wire_attrs *list = &reply->objects.v[0].attrs;
    struct buf text = { 0 };

    for (size_t i = 0; i < list->n; i++) {
        const char *id = list->v[i].resource;

        if (strcmp(list->v[i].name, "moved_to") != 0)
            continue;
        buf_printf(&text, "%s %s %s;", id, list->v[i].value,
                   wire_attrs_value(list, "moved_nodes", id));
        (*ret_n)++;
    }
    return buf_take(&text);
}

const char *dry_told(struct sim *s, uint64_t conn, const struct wire_reply *reply,
                     struct arena *arena)
{
    struct dry *d = find(s, conn);
    const char *verdict = value_of(reply, "verdict");
    const char *nodes = value_of(reply, "resv_nodes");

    if (reply->code == 0 && !verdict)
        check_failed(s, CHECK_DRY, "a dry run has no verdict");
    if (d) {
        d->told = true;
        d->code = reply->code;
        d->verdict = verdict ? xstrdup(verdict) : NULL;
        d->nodes = nodes ? xstrdup(nodes) : NULL;
        d->moved = verdict ? moved_text(reply, &d->n_moved) : NULL;
    }
    return verdict ? arena_strdup(arena, verdict)
                   : arena_printf(arena, "error %d", reply->code);
}

static bool is_comparable(const struct sim *s, const struct dry *d)
{
    return d->told && !d->spoilt && sim_now_at(s) - d->asked_at <= SAME_WORLD_S &&
           s->planner.wrong_percent == 0 && !s->has_second;
}

/* Nobody can tell, the store is lost, or a hook fails, which may not do so the next
 * time it is asked: that says nothing of the request. */
static bool is_no_verdict(int code)
{
    return code == PBSE_NOSUP || code == PBSE_SAVE_ERR || code == PBSE_SVRDOWN ||
           code == PBSE_HOOKERROR;
}

/* A start that was still to come when the dry run was decided may have passed. */
static bool is_too_late(const struct sim *s, const struct dry *d, int code)
{
    return code == PBSE_BADTSPEC && sim_now_at(s) > d->asked_at;
}

void dry_made(struct sim *s, uint64_t conn, const struct wire_reply *reply)
{
    struct dry *d = find(s, conn);

    if (!d)
        return;
    if (is_comparable(s, d) && !is_no_verdict(d->code) && !is_no_verdict(reply->code) &&
        !is_too_late(s, d, reply->code) && d->code != reply->code)
        check_failed(s, CHECK_DRY, "%s: the dry run was answered %d, the request %d",
                     d->label, d->code, reply->code);
    if (reply->code || d->code)
        dry_free(&s->dries, d);
}

/* What says nothing of vnodes, jobs and reservations. */
static bool is_neutral(const struct record *rec)
{
    return rec->kind == OBJ_QUEUE || rec->kind == OBJ_SERVER ||
           rec->fact == FACT_JOB_USAGE;
}

/* Does the text begin with its id, or with the name of an occurrence of it? */
static bool names(const struct dry *d, const char *text)
{
    size_t len = d->id ? strcspn(d->id, ".") : 0;

    return len > 0 && strncmp(text, d->id, len) == 0 &&
           (text[len] == '.' || text[len] == '[');
}

static bool is_own(const struct dry *d, const struct record *rec)
{
    return (rec->kind == OBJ_RESV || rec->kind == OBJ_OCCURRENCE) && names(d, rec->id);
}

static const char *after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

/* A yes with vnodes that are down today holds while there is time to find others, and
 * that ends at an instant (doc/extensions.md, away). */
static bool has_lost_vnodes(const struct sim *s, const struct dry *d)
{
    const struct model *m = shell_model(s);
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };
    bool any = false;

    if (d->nodes && exec_vnode_parse(d->nodes, m->defs, arena, &ev, NULL) == 0)
        for (size_t i = 0; i < ev.n; i++)
            for (size_t k = 0; k < ev.chunks[i].n; k++) {
                const struct node *n = model_node(m, ev.chunks[i].parts[k].vnode);

                any = any || !n || !node_is_usable(n);
            }
    arena_free(arena);
    return any;
}

static void expect(struct sim *s, const struct dry *d, const struct record *rec,
                   const char *verdict)
{
    const char *nodes =
        after(rec, rec->kind == OBJ_OCCURRENCE ? (int)OCCURRENCE_A_RESV_NODES
                                               : (int)RESV_A_RESV_NODES);

    s->dries.n_compared++;
    if (!str_same(d->verdict, verdict))
        check_failed(s, CHECK_DRY, "%s of %s, whose dry run said %s",
                     fact_name(rec->fact), rec->id,
                     d->verdict ? d->verdict : "nothing");
    else if (d->n_moved > 0 && rec->fact == FACT_RESV_ALTERED)
        check_failed(s, CHECK_DRY, "%s moves fewer than its dry run said: %s", rec->id,
                     d->moved);
    else if (nodes && d->nodes && strcmp(nodes, d->nodes) != 0)
        check_failed(s, CHECK_DRY, "%s gets %s, its dry run said %s", rec->id, nodes,
                     d->nodes);
}

/* True when that is the end of it. */
static bool compare(struct sim *s, const struct dry *d, const struct record *rec)
{
    bool force = str_same(d->verdict, "force");

    switch (rec->fact) {
    case FACT_RESV_CONFIRMED:
        expect(s, d, rec, "confirm");
        return true;
    case FACT_RESV_DENIED:
        if (sim_now_at(s) == d->asked_at || !has_lost_vnodes(s, d))
            expect(s, d, rec, "deny");
        return true;
    case FACT_RESV_ALTERED:
        expect(s, d, rec, d->forced && force ? "force" : "confirm");
        return true;
    case FACT_RESV_ALTER_DENIED:
        /* Its end or its turn may come before a scheduler has said anything. */
        if (!str_same(rec->note, "its end has passed") &&
            !str_same(rec->note, "its turn has come"))
            expect(s, d, rec, !d->forced && force ? "force" : "deny");
        return true;
    case FACT_RESV_ENDING:
        if (d->what == RESV_ACT_DELETE)
            expect(s, d, rec, "confirm");
        return true;
    default:
        return false;
    }
}

/* The one that it asked for is made. */
static bool is_made(const struct dry *d, const struct record *rec)
{
    return !d->id && d->told && rec->fact == FACT_RESV_SUBMITTED &&
           str_same(after(rec, RESV_A_RESERVE_NAME), d->label);
}

/* It makes room for what the dry run is about. */
static bool is_moved(const struct dry *d, const struct record *rec)
{
    static const char before[] = "to make room for ";

    return rec->reason == REASON_PUSHED && rec->note &&
           strncmp(rec->note, before, strlen(before)) == 0 &&
           names(d, rec->note + strlen(before));
}

static void compare_moved(struct sim *s, struct dry *d, const struct model *m,
                          const struct record *rec)
{
    bool later = rec->kind == OBJ_OCCURRENCE;
    int start = later ? (int)OCCURRENCE_A_START : (int)RESV_A_RESERVE_START;
    int nodes = later ? (int)OCCURRENCE_A_RESV_NODES : (int)RESV_A_RESV_NODES;
    const struct occurrence *was =
        later ? occurrence_find(m, rec->id) : &model_resv(m, rec->id)->current;
    const char *to = after(rec, start), *on = after(rec, nodes);
    struct arena *arena = arena_new();
    const char *want;

    /* A record does not name what stays as it is. */
    if (!to)
        to = arena_printf(arena, "%" PRId64, occurrence_start_at(was, 0));
    want =
        arena_printf(arena, "%s %s %s;", rec->id, to, on ? on : occurrence_vnodes(was));
    s->dries.n_compared++;
    if (!is_comparable(s, d))
        d->spoilt = true;
    else if (!strstr(d->moved, want))
        check_failed(s, CHECK_DRY, "%s is moved, its dry run said %s", want, d->moved);
    if (d->n_moved > 0)
        d->n_moved--;
    arena_free(arena);
}

static void look(struct sim *s, struct dry *d, const struct model *m,
                 const struct record *rec)
{
    if (is_moved(d, rec) && d->told && d->moved) {
        compare_moved(s, d, m, rec);
    } else if (is_made(d, rec)) {
        d->id = xstrdup(rec->id);
    } else if (!is_own(d, rec)) {
        d->spoilt |= !is_neutral(rec);
    } else if (rec->fact == FACT_RESV_ALTER_ASKED) {
        /* Somebody else's alteration came in between. */
        d->spoilt |= s->shell.turn_conn != d->conn;
    } else if (rec->fact != FACT_RESV_ASKED) {
        if (!is_comparable(s, d) || !d->verdict || compare(s, d, rec))
            dry_free(&s->dries, d);
        else
            d->spoilt = true;
    }
}

/* A turn of a dry run has no record in the name of who asks for it. What follows from
 * the time that has passed is the server's own. */
static void check_nothing(struct sim *s, const struct dry *d, const struct record *rec)
{
    const struct conn *c = net_conn(&s->net, d->conn);
    size_t len = c ? strlen(c->user) : 0;

    if (c && !c->server_uid && strncmp(rec->actor, c->user, len) == 0 &&
        rec->actor[len] == '@')
        check_failed(s, CHECK_DRY, "a dry run of %s makes a record: %s %s", rec->actor,
                     fact_name(rec->fact), rec->id);
}

void check_dry_record(struct sim *s, const struct model *m, const struct record *rec)
{
    struct dry *d, *next;

    if (s->shell.turn_conn && (d = find(s, s->shell.turn_conn)) && !d->told)
        check_nothing(s, d, rec);
    DL_FOREACH_SAFE (s->dries.list, d, next)
        look(s, d, m, rec);
}
