/* clients.c - see clients.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static const struct conn_ops client_ops;

static void client_free(struct client *c)
{
    free(c->label);
    free(c->user);
    free(c->answer);
    free(c->id);
    free(c->vnodes);
    free(c->real);
    free(c->verdict);
    free(c);
}

void clients_fini(struct clients *cs)
{
    struct client *c, *next;

    DL_FOREACH_SAFE (cs->list, c, next) {
        DL_DELETE(cs->list, c);
        client_free(c);
    }
}

/* NULL when the server is away: the command prints an error and ends. */
static struct client *begin(struct sim *s, enum client_kind kind, const char *user,
                            const char *label)
{
    struct client *c = xcalloc(1, sizeof(*c));

    c->kind = kind;
    c->user = xstrdup(user);
    c->label = xstrdup(label);
    c->asked_ms = s->clock.now_ms;
    c->line = s->sweep ? s->sweep->line : NULL;
    c->conn = net_connect(s, c->user, strcmp(user, "root") == 0, &client_ops, c);
    if (!c->conn) {
        client_free(c);
        return NULL;
    }
    DL_APPEND(s->clients.list, c);
    return c;
}

static void send_extended(struct sim *s, const struct client *c, uint32_t number,
                          const void *body, const char *extend)
{
    const struct wire_request rq = {
        .number = number, .user = c->user, .body = body, .extend = extend
    };

    net_request(s, c->conn, &rq);
}

static void send(struct sim *s, const struct client *c, uint32_t number,
                 const void *body)
{
    send_extended(s, c, number, body, NULL);
}

static void set(struct wire_attrs *list, struct arena *arena, const char *name,
                const char *resource, const char *value)
{
    wire_attrs_add(list, arena, name, resource, value, WIRE_OP_SET);
}

static void set_num(struct wire_attrs *list, struct arena *arena, const char *name,
                    const char *resource, int64_t value)
{
    set(list, arena, name, resource, arena_printf(arena, "%" PRId64, value));
}

static void set_end(struct wire_attrs *list, struct arena *arena,
                    const struct end_wish *end)
{
    const struct {
        const char *name, *value;
    } given[] = {
        { "on_end", end->on_end },
        { "on_end_queue", end->on_end_queue },
        { "auto_extend", end->auto_extend },
        { "auto_extend_max", end->auto_extend_max },
        { "auto_extend_release", end->auto_extend_release },
    };

    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        if (given[i].value)
            set(list, arena, given[i].name, NULL, given[i].value);
}

/* Trying it first. The ordinary request waits until the verdict has come. */

static void try_first(struct sim *s, struct client *c, const struct wire_request *real,
                      struct body_resv_act *act)
{
    struct buf bytes = { 0 };
    struct arena *arena = arena_new();

    batch_encode_request(&bytes, real);
    c->real_len = bytes.len;
    c->real = buf_take(&bytes);
    c->tries = true;
    if (c->vnodes)
        set(&act->attrs, arena, "resv_nodes", NULL, c->vnodes);
    dry_asked(s, c->conn, c->label, act);
    act->flags |= RESV_ACT_DRY_RUN;
    send(s, c, BATCH_RESV_ACT, act);
    arena_free(arena);
}

static void make_it(struct sim *s, struct client *c, const struct wire_reply *reply)
{
    struct arena *arena = arena_new();
    struct wire_request real;
    bool known;

    c->tries = false;
    c->verdict = xstrdup(dry_told(s, c->conn, reply, arena));
    sim_trace(s, "command about %s: dry run: %s", c->label, c->verdict);
    if (batch_decode_request(c->real, c->real_len, arena, &real, &known) == DIS_OK)
        net_request(s, c->conn, &real);
    arena_free(arena);
}

/* Commands. */

void client_reserve(struct sim *s, const struct resv_wish *w)
{
    struct arena *arena = arena_new();
    struct body_queue body = { .id = "", .destination = "" };
    struct client *c = begin(s, CLIENT_RESERVE, w->user, w->label);

    if (c) {
        set(&body.attrs, arena, "Reserve_Name", NULL, w->label);
        if (w->job)
            set(&body.attrs, arena, "reserve_job", NULL, w->job);
        else if (w->qmove)
            set(&body.attrs, arena, "qmove", NULL, w->qmove);
        else
            set_num(&body.attrs, arena, "reserve_start", NULL, w->start_at);
        if (w->duration_s)
            set_num(&body.attrs, arena, "reserve_duration", NULL, w->duration_s);
        if (w->rule) {
            set(&body.attrs, arena, "reserve_rrule", NULL, w->rule);
            set(&body.attrs, arena, "reserve_standing", NULL, "1");
            set(&body.attrs, arena, "reserve_timezone", NULL,
                w->zone ? w->zone : "UTC");
        }
        if (w->select)
            set(&body.attrs, arena, "Resource_List", "select", w->select);
        if (w->place)
            set(&body.attrs, arena, "Resource_List", "place", w->place);
        if (w->waiting)
            set(&body.attrs, arena, "interactive", NULL, w->waiting);
        if (w->idle_s)
            set_num(&body.attrs, arena, "delete_idle_time", NULL, w->idle_s);
        set_end(&body.attrs, arena, &w->end);
        set(&body.attrs, arena, "Variable_List", NULL,
            arena_printf(arena, "PBS_O_HOST=%s", s->name));
        if (w->vnodes)
            c->vnodes = xstrdup(w->vnodes);
        const struct wire_request rq = { .number = BATCH_SUBMIT_RESV,
                                         .user = c->user,
                                         .body = &body,
                                         .extend = w->vnodes ? "m" : NULL };

        if (w->dry)
            try_first(s, c, &rq,
                      &(struct body_resv_act){
                          .what = RESV_ACT_SUBMIT, .id = "", .attrs = body.attrs });
        else
            net_request(s, c->conn, &rq);
    }
    arena_free(arena);
}

/* In the ordinary request where that can say it. */
static void send_alteration(struct sim *s, struct client *c, const struct alter_wish *w,
                            const struct wire_attrs *attrs)
{
    const struct body_modify_resv modify = { .object_type = OBJECT_RESV,
                                             .resv_id = w->id,
                                             .attrs = *attrs };
    struct body_resv_act act = { .what = RESV_ACT_ALTER,
                                 .flags = (w->push ? RESV_ACT_PUSH : 0) |
                                          (w->release ? RESV_ACT_RELEASE : 0) |
                                          (w->force ? RESV_ACT_FORCE : 0),
                                 .occurrence = w->occurrence,
                                 .id = w->id,
                                 .attrs = *attrs };
    struct body_resv_act same = act;
    struct wire_request rq = { .number = BATCH_RESV_ACT,
                               .user = c->user,
                               .body = &same };

    if (!w->push && !w->release && !w->occurrence)
        rq = (struct wire_request){ .number = BATCH_MODIFY_RESV,
                                    .user = c->user,
                                    .body = &modify,
                                    .extend = w->force ? "force" : NULL };
    if (w->dry)
        try_first(s, c, &rq, &act);
    else
        net_request(s, c->conn, &rq);
}

void client_alter(struct sim *s, const struct alter_wish *w)
{
    struct arena *arena = arena_new();
    struct wire_attrs attrs = { 0 };
    struct client *c = begin(s, CLIENT_ALTER_RESV, w->user, w->label);

    if (c) {
        if (w->start_at)
            set_num(&attrs, arena, "reserve_start", NULL, w->start_at);
        if (w->end_at)
            set_num(&attrs, arena, "reserve_end", NULL, w->end_at);
        if (w->duration_s)
            set_num(&attrs, arena, "reserve_duration", NULL, w->duration_s);
        if (w->select)
            set(&attrs, arena, "Resource_List", "select", w->select);
        if (w->name)
            set(&attrs, arena, "Reserve_Name", NULL, w->name);
        if (w->users)
            set(&attrs, arena, "Authorized_Users", NULL, w->users);
        if (w->groups)
            set(&attrs, arena, "Authorized_Groups", NULL, w->groups);
        if (w->mail)
            set(&attrs, arena, "Mail_Points", NULL, w->mail);
        if (w->mail_to)
            set(&attrs, arena, "Mail_Users", NULL, w->mail_to);
        set_end(&attrs, arena, &w->end);
        if (w->waiting)
            set(&attrs, arena, "interactive", NULL, w->waiting);
        send_alteration(s, c, w, &attrs);
    }
    arena_free(arena);
}

void client_look(struct sim *s, const char *user)
{
    const struct body_status body = { .id = "" };
    struct client *c = begin(s, CLIENT_LOOK, user, "all");

    if (c)
        send(s, c, BATCH_STATUS_RESV, &body);
}

void client_why(struct sim *s, const char *user, const char *label, const char *id)
{
    const struct body_id body = { .id = id };
    struct client *c = begin(s, CLIENT_WHY, user, label);

    if (c)
        send(s, c, BATCH_RESV_WHY, &body);
}

void client_submit(struct sim *s, const struct job_wish *w)
{
    struct arena *arena = arena_new();
    struct body_queue body = { .id = "", .destination = "" };
    struct client *c = begin(s, CLIENT_SUBMIT, w->user, w->label);

    if (c) {
        c->lasts_s = w->lasts_s;
        if (w->into) /* the queue's name: the id without the server */
            body.destination = arena_strndup(arena, w->into, strcspn(w->into, "."));
        set(&body.attrs, arena, "Job_Name", NULL, w->label);
        set(&body.attrs, arena, "Resource_List", "select", w->select);
        if (w->walltime_s)
            set_num(&body.attrs, arena, "Resource_List", "walltime", w->walltime_s);
        if (w->least_s)
            set_num(&body.attrs, arena, "Resource_List", "min_walltime", w->least_s);
        if (w->most_s)
            set_num(&body.attrs, arena, "Resource_List", "max_walltime", w->most_s);
        if (w->once)
            set(&body.attrs, arena, "Rerunable", NULL, "False");
        if (w->checkpoint)
            set(&body.attrs, arena, "Checkpoint", NULL, w->checkpoint);
        if (w->depend)
            set(&body.attrs, arena, "depend", NULL, w->depend);
        if (w->indices)
            set(&body.attrs, arena, "array_indices_submitted", NULL, w->indices);
        if (w->reserving)
            set(&body.attrs, arena, "create_resv_from_job", NULL, "True");
        set(&body.attrs, arena, "Variable_List", NULL,
            arena_printf(arena, "PBS_O_HOST=%s,PBS_O_WORKDIR=/home", s->name));
        send(s, c, BATCH_QUEUE_JOB, &body);
    }
    arena_free(arena);
}

static void send_script(struct sim *s, const struct client *c)
{
    struct arena *arena = arena_new();
    const char *text = arena_printf(arena, "sleep %" PRId64 "\n", c->lasts_s);
    const struct body_script body = {
        .job_id = c->id,
        .size_bytes = (uint32_t)strlen(text),
        .data = { .data = text, .len = strlen(text) },
    };

    send(s, c, BATCH_JOB_SCRIPT, &body);
    arena_free(arena);
}

void client_delete(struct sim *s, const char *user, const char *label, const char *id,
                   bool resv, bool history)
{
    const struct body_manage body = { .command = MANAGER_DELETE,
                                      .object_type = resv ? OBJECT_RESV : OBJECT_JOB,
                                      .object_name = id };
    const struct body_list list = { .ids = { 1, &id } };
    struct client *c =
        begin(s, resv ? CLIENT_DELETE_RESV : CLIENT_DELETE_JOB, user, label);

    if (!c)
        return;
    c->id = xstrdup(id);
    send_extended(s, c, resv ? BATCH_DELETE_RESV : BATCH_DELETE_JOB_LIST,
                  resv ? (const void *)&body : &list, history ? "deletehist" : NULL);
}

void client_delete_occurrence(struct sim *s, const char *user, const char *label,
                              const char *id, uint32_t occurrence)
{
    const struct body_resv_act body = { .what = RESV_ACT_DELETE,
                                        .occurrence = occurrence,
                                        .id = id };
    struct client *c = begin(s, CLIENT_DELETE_RESV, user, label);

    if (!c)
        return;
    c->id = xstrdup(id);
    c->occurrence = occurrence;
    occurrence_delete_asked(s, id, occurrence);
    send(s, c, BATCH_RESV_ACT, &body);
}

void client_run(struct sim *s, const char *label, const char *id)
{
    const struct body_run body = { .object_id = id, .vnodes = "" };
    struct client *c = begin(s, CLIENT_RUN_JOB, "root", label);

    if (c)
        send(s, c, BATCH_RUN_JOB, &body);
}

void client_move(struct sim *s, const char *user, const char *label, const char *id,
                 const char *queue)
{
    const struct body_move body = { .job_id = id, .destination = queue };
    struct client *c = begin(s, CLIENT_MOVE_JOB, user, label);

    if (c)
        send(s, c, BATCH_MOVE_JOB, &body);
}

void client_order(struct sim *s, const char *user, const char *label, const char *id,
                  const char *other)
{
    const struct body_move body = { .job_id = id, .destination = other };
    struct client *c = begin(s, CLIENT_ORDER_JOB, user, label);

    if (c)
        send(s, c, BATCH_ORDER_JOB, &body);
}

void client_release(struct sim *s, const char *user, const char *label, const char *id,
                    const char *vnodes)
{
    const struct body_release_nodes body = { .job_id = id, .vnodes = vnodes };
    struct client *c = begin(s, CLIENT_RELEASE_NODES, user, label);

    if (c)
        send(s, c, BATCH_RELEASE_NODES, &body);
}

void client_signal(struct sim *s, const char *label, const char *id, const char *word)
{
    const struct body_signal body = { .job_id = id, .signal = word };
    struct client *c = begin(s, CLIENT_SIGNAL, "root", label);

    if (c)
        send(s, c, BATCH_SIGNAL_JOB, &body);
}

void client_hold(struct sim *s, const char *user, const char *label, const char *id,
                 bool hold)
{
    struct arena *arena = arena_new();
    struct body_manage body = { .command = hold ? MANAGER_SET : MANAGER_UNSET,
                                .object_type = OBJECT_JOB,
                                .object_name = id };
    struct client *c = begin(s, CLIENT_HOLD, user, label);

    set(&body.attrs, arena, "Hold_Types", NULL, "u");
    if (c)
        send(s, c, hold ? BATCH_HOLD_JOB : BATCH_RELEASE_JOB, &body);
    arena_free(arena);
}

void client_rerun(struct sim *s, const char *label, const char *id)
{
    const struct body_id body = { .id = id };
    struct client *c = begin(s, CLIENT_RERUN, "root", label);

    if (c)
        send(s, c, BATCH_RERUN, &body);
}

void client_alter_job(struct sim *s, const char *user, const char *label,
                      const char *id, const char *attr, const char *resource,
                      const char *value)
{
    struct arena *arena = arena_new();
    struct body_manage body = { .command = MANAGER_SET,
                                .object_type = OBJECT_JOB,
                                .object_name = id };
    struct client *c = begin(s, CLIENT_ALTER_JOB, user, label);

    set(&body.attrs, arena, attr, resource, value);
    if (c)
        send(s, c, BATCH_MODIFY_JOB, &body);
    arena_free(arena);
}

void client_manage(struct sim *s, uint32_t command, uint32_t type, const char *name,
                   const char *attr, const char *resource, const char *value,
                   enum wire_op op)
{
    struct arena *arena = arena_new();
    struct body_manage body = { .command = command,
                                .object_type = type,
                                .object_name = name };
    struct client *c = begin(s, CLIENT_MANAGE, "root", name);

    if (attr)
        wire_attrs_add(&body.attrs, arena, attr, resource, value ? value : "", op);
    if (c)
        send(s, c, BATCH_MANAGER, &body);
    arena_free(arena);
}

static struct client *find_maker(const struct sim *s, const char *label)
{
    struct client *c, *found = NULL;

    DL_FOREACH (s->clients.list, c)
        if ((c->kind == CLIENT_RESERVE || c->kind == CLIENT_SUBMIT) &&
            strcmp(c->label, label) == 0)
            found = c;
    return found;
}

static const char *last_answer(const struct sim *s, enum client_kind kind,
                               const char *label)
{
    struct client *c, *found = NULL;

    DL_FOREACH (s->clients.list, c)
        if (c->kind == kind && strcmp(c->label, label) == 0)
            found = c;
    return found && found->answered ? found->answer : NULL;
}

const char *client_alter_answer(const struct sim *s, const char *label)
{
    return last_answer(s, CLIENT_ALTER_RESV, label);
}

const char *client_move_answer(const struct sim *s, const char *label)
{
    return last_answer(s, CLIENT_MOVE_JOB, label);
}

const char *client_depend_answer(const struct sim *s, const char *label)
{
    return last_answer(s, CLIENT_ALTER_JOB, label);
}

const char *client_dry_answer(const struct sim *s, const char *label)
{
    struct client *c;
    const char *found = NULL;

    DL_FOREACH (s->clients.list, c)
        if (c->verdict && strcmp(c->label, label) == 0)
            found = c->verdict;
    return found;
}

const char *client_why_answer(const struct sim *s, const char *label)
{
    return last_answer(s, CLIENT_WHY, label);
}

void client_interrupt(struct sim *s, const char *label)
{
    struct client *c = find_maker(s, label);

    if (!c || !c->conn)
        return;
    sim_trace(s, "client of %s: is interrupted", label);
    net_disconnect(s, c->conn);
    c->conn = 0;
}

const char *client_answer(const struct sim *s, const char *label)
{
    const struct client *c = find_maker(s, label);

    return c && c->answered ? c->answer : NULL;
}

void clients_check_answered(struct sim *s)
{
    struct client *c;

    DL_FOREACH (s->clients.list, c)
        if (c->conn && !c->answered)
            check_failed(s, CHECK_ANSWER,
                         "the command about %s waits since second %" PRId64, c->label,
                         c->asked_ms / 1000 - SIM_EPOCH_S);
}

/* Replies. */

static void end(struct sim *s, struct client *c)
{
    net_disconnect(s, c->conn);
    c->conn = 0;
}

/* "S5[3].svr": S5.svr */
static const char *series_id(const char *id, struct arena *arena)
{
    const char *close = strchr(id, ']');

    return close ? arena_printf(arena, "%.*s%s", (int)strcspn(id, "["), id, close + 1)
                 : id;
}

/* "R1.svr CONFIRMED": remembered as "CONFIRMED", and as told. */
static void told_of(struct sim *s, struct client *c, const char *text)
{
    const char *word = strchr(text, ' ');
    struct arena *arena = arena_new();
    struct entry *e;

    if (!word) {
        check_failed(s, CHECK_WIRE, "pbs_rsub or pbs_ralter is answered '%s'", text);
        arena_free(arena);
        return;
    }
    e = ledger_told(
        s, OBJ_RESV,
        series_id(arena_strndup(arena, text, (size_t)(word - text)), arena));
    free(c->answer);
    c->answer = xstrdup(word + 1);
    /* Of an alteration it only says that that was made (reservations.md 13.8). */
    if (c->kind == CLIENT_RESERVE && strcmp(c->answer, "CONFIRMED") == 0)
        e->told_confirmed = true;
    arena_free(arena);
}

/* Next of QueueJob, JobScript, Commit; true while there is one. */
static bool submit_goes_on(struct sim *s, struct client *c,
                           const struct wire_reply *reply)
{
    const struct body_id commit = { .id = c->id };

    switch (c->step++) {
    case 0:
        c->id = xstrdup(reply->text ? reply->text : "");
        send_script(s, c);
        return true;
    case 1:
        c->seq = 0; /* what was before it makes no job */
        send(s, c, BATCH_COMMIT, &commit);
        return true;
    default:
        ledger_told(s, OBJ_JOB, c->id);
        return false;
    }
}

/* Then ConfirmResv; true while its reply is awaited. */
static bool reserve_goes_on(struct sim *s, struct client *c,
                            const struct wire_reply *reply)
{
    if (c->step++ == 0)
        told_of(s, c, reply->text ? reply->text : "");
    if (!c->vnodes || !c->answer)
        return false;
    if (c->step == 2) {
        free(c->answer);
        c->answer = xstrdup("CONFIRMED");
        ledger_told(s, OBJ_RESV, c->id)->told_confirmed = true;
        return false;
    }
    c->id = xasprintf("%.*s", (int)strcspn(reply->text, " "), reply->text);
    net_request(
        s, c->conn,
        &(struct wire_request){
            .number = BATCH_CONFIRM_RESV,
            .user = c->user,
            .body = &(struct body_run){ .object_id = c->id, .vnodes = c->vnodes },
            .extend = "PBS_RESV_CONFIRM_SUCCESS" });
    return true;
}

static char *reason_told(const struct wire_reply *reply)
{
    const struct wire_object *o = reply->objects.n ? &reply->objects.v[0] : NULL;

    for (size_t i = 0; o && i < o->attrs.n; i++)
        if (strcmp(o->attrs.v[i].name, "denied_reason") == 0)
            return xstrdup(o->attrs.v[i].value);
    return xstrdup("no denial");
}

static void on_reply(struct sim *s, void *owner, uint64_t conn UNUSED,
                     const struct wire_reply *reply)
{
    struct client *c = owner;
    struct entry *e;

    if (reply->more)
        return;
    if (c->tries) {
        make_it(s, c, reply);
        return;
    }
    if (c->real)
        dry_made(s, c->conn, reply);
    if (reply->code) {
        free(c->answer);
        c->answer = xasprintf("error %d", reply->code);
        if (reply->code == PBSE_SYSTEM)
            sweep_client_refused(s, c);
    } else if (c->kind == CLIENT_RESERVE) {
        if (reserve_goes_on(s, c, reply))
            return;
    } else if (c->kind == CLIENT_ALTER_RESV) {
        told_of(s, c, reply->text ? reply->text : "");
    } else if (c->kind == CLIENT_SUBMIT) {
        if (submit_goes_on(s, c, reply))
            return;
        c->answer = xstrdup("ok");
    } else if (c->kind == CLIENT_MOVE_JOB || c->kind == CLIENT_ALTER_JOB) {
        c->answer = xstrdup("ok");
    } else if (c->kind == CLIENT_WHY) {
        c->answer = reason_told(reply);
    } else if (c->kind == CLIENT_DELETE_RESV && c->occurrence) {
        occurrence_deleted(s, c->id, c->occurrence);
    } else if (c->kind == CLIENT_DELETE_RESV) {
        e = ledger_told(s, OBJ_RESV, c->id);
        e->told_ending = true;
    }
    if (c->answer)
        sim_trace(s, "command about %s: %s", c->label, c->answer);
    c->answered = true;
    end(s, c);
}

static void on_closed(struct sim *s, void *owner, uint64_t conn UNUSED)
{
    struct client *c = owner;

    c->conn = 0;
    if (!c->answered)
        sweep_client_cut_off(s, c);
}

static const struct conn_ops client_ops = { on_reply, NULL, on_closed };
