/* resv_mail.c - mail about reservations (reservations.md 24).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_state.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"

#include <string.h>

#define DEFAULT_POINTS "ac"

static bool is_wanted(const struct object *o, char point)
{
    const char *points = obj_str(o, RESV_A_MAIL_POINTS, DEFAULT_POINTS);

    /* "n" means no mail at all, whatever else is named. */
    return !strchr(points, 'n') && strchr(points, point);
}

static const char *recipients(const struct object *o, struct arena *arena)
{
    if (!obj_is_set(o, RESV_A_MAIL_USERS))
        return arena_strdup(arena, obj_str(o, RESV_A_RESERVE_OWNER, ""));
    return attr_value_text(resv_rows[RESV_A_MAIL_USERS].type,
                           obj_attr(o, RESV_A_MAIL_USERS), arena);
}

static void send_about(const struct reaction *r, const struct object *o,
                       const char *name, const char *line, const char *text)
{
    struct arena *arena = r->out->arena;
    struct effect *e;

    /* The letter has the number of its record, so nobody reads of what a crash may
     * undo. */
    e = effect_add(r->out, EFFECT_MAIL, r->rec->seq);
    e->u.mail.to = recipients(o, arena);
    e->u.mail.to_owner = !obj_is_set(o, RESV_A_MAIL_USERS);
    e->u.mail.subject = arena_printf(arena, "PBS RESERVATION %s", name);
    e->u.mail.text =
        arena_printf(arena,
                     "PBS Reservation Id: %s\n"
                     "Reservation Name:   %s\n"
                     "%s\n"
                     "%s\n",
                     name, obj_str(o, RESV_A_RESERVE_NAME, "NULL"), line, text);
}

/* About a reservation, or one of its occurrences by its name. */
static void mail_about(const struct reaction *r, const struct object *o,
                       const char *name, char point, const char *line, const char *text)
{
    if (is_wanted(o, point))
        send_about(r, o, name, line, text);
}

static void mail(const struct reaction *r, char point, const char *line,
                 const char *text)
{
    mail_about(r, r->o, r->rec->id, point, line, text);
}

void mail_occurrence_deleted(const struct reaction *r)
{
    const struct resv *resv = react_resv(r);

    if (r->rec->reason == REASON_CANCELLED && resv)
        mail_about(r, &resv->obj, react_occurrence_name(r), 'a', "Occurrence removed",
                   arena_printf(r->out->arena, "Requesting party: %s", r->rec->actor));
}

void mail_resv_ending(const struct reaction *r)
{
    int64_t before = react_resv_state_before(r);

    /* Asking a second time for the deletion is no news. */
    if (before == RESV_BEING_DELETED)
        return;
    if (r->rec->reason == REASON_END_REACHED && before != RESV_UNCONFIRMED)
        mail(r, 'e', "Reservation period ended", "");
    mail(r, 'a', "Reservation removed",
         arena_printf(r->out->arena, "Requesting party: %s", r->rec->actor));
}

void mail_resv_confirmed(const struct reaction *r)
{
    /* One that is still unconfirmed was altered only. */
    if (phase_is_confirmed(resv_phase(TO_RESV(r->o))))
        mail(r, 'c', "Reservation transitioned from state UNCONFIRMED to CONFIRMED",
             "");
}

/* Whoever has not asked for another time has to hear of it, whatever letters he wants:
 * only "n" is a word against it. */
static void mail_moved(const struct reaction *r, const struct object *resv)
{
    const char *points = obj_str(resv, RESV_A_MAIL_POINTS, DEFAULT_POINTS);

    if (strchr(points, 'n'))
        return;
    send_about(
        r, resv, r->rec->id,
        arena_printf(r->out->arena, "Reservation moved %s", react_resv_moved_text(r)),
        r->rec->note ? arena_printf(r->out->arena, "This was done %s.", r->rec->note)
                     : "");
}

void mail_resv_altered(const struct reaction *r)
{
    if (r->rec->reason == REASON_PUSHED)
        mail_moved(r, r->o);
    else
        mail_resv_confirmed(r);
}

void mail_occurrence_altered(const struct reaction *r)
{
    const struct resv *resv = react_resv(r);

    if (resv && r->rec->reason == REASON_PUSHED)
        mail_moved(r, &resv->obj);
    else if (resv)
        mail_about(r, &resv->obj, r->rec->id, 'c',
                   "Reservation transitioned from state UNCONFIRMED to CONFIRMED", "");
}

/* A denial is told to whoever waits for it; when the server went nobody was told. */
void mail_resv_alter_denied(const struct reaction *r)
{
    if (r->rec->reason == REASON_SERVER_BEGAN)
        mail(r, 'a', "Alteration dropped, nothing was changed",
             "The server was started again before a scheduler had answered.");
}

void mail_resv_started(const struct reaction *r)
{
    mail(r, 'b', "Reservation period starting", "");
}
