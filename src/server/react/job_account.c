/* job_account.c - the accounting records of jobs: Q S E R D a, u c e of those that give
 * vnodes back, s of those that begin without hosts that have failed, z and r of those
 * that are suspended and resumed (operations.md 17).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/indices.h"
#include "lib/attr/job_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_release.h"
#include "server/model/job_exit.h"
#include "server/model/job_state.h"
#include "server/model/resv_claims.h"
#include "server/react/job_react.h"
#include "server/react/reactions.h"

#include <string.h>
#include <strings.h>

/* A JSON object has double quotes in it, and stands in single ones also without a blank
 * (operations.md 17). */
static void add_value(struct buf *out, const char *value)
{
    if (*value == '{')
        buf_add_in_quotes(out, value);
    else
        buf_add_quoted(out, value);
}

/* "Resource_List.ncpus=1 ", one for each member, each with a blank behind it. */
static void add_list(struct buf *out, const char *name, const struct attr_value *v,
                     struct arena *arena)
{
    struct wire_attrs all = { 0 };

    attr_value_encode(&attr_resources, v, name, &all, arena);
    for (size_t i = 0; i < all.n; i++) {
        /* The order is that of the list, which is what PBS writes. */
        buf_printf(out, "%s.%s=", name, all.v[i].resource);
        add_value(out, all.v[i].value);
        buf_add_char(out, ' ');
    }
}

static void add_text(struct buf *out, const struct object *o, const char *key, int attr,
                     struct arena *arena)
{
    if (obj_is_set(o, attr))
        buf_printf(out, "%s=%s ", key,
                   attr_value_text(job_rows[attr].type, obj_attr(o, attr), arena));
}

static void add_quoted(struct buf *out, const struct object *o, const char *key,
                       int attr)
{
    if (!obj_is_set(o, attr))
        return;
    buf_printf(out, "%s=", key);
    buf_add_in_quotes(out, obj_str(o, attr, ""));
    buf_add_char(out, ' ');
}

static void add_time(struct buf *out, const struct object *o, const char *key, int attr)
{
    buf_printf(out, "%s=%" PRId64 " ", key, obj_num(o, attr, 0));
}

/* A text that no blank ends early: clients do not send names with blanks, others may.
 */
static void add_word(struct buf *out, const struct object *o, const char *key, int attr)
{
    if (!obj_is_set(o, attr))
        return;
    buf_printf(out, "%s=", key);
    buf_add_quoted(out, obj_str(o, attr, ""));
    buf_add_char(out, ' ');
}

static void add_resv(struct buf *out, const struct reaction *r, const struct object *o)
{
    const char *id = obj_str(o, JOB_A_RESERVE_ID, NULL);
    const struct resv *resv = id ? model_resv(r->m, id) : NULL;

    if (!id)
        return;
    /* The reservation may be gone by now; its id is told in any case. */
    if (resv)
        add_word(out, &resv->obj, "resvname", RESV_A_RESERVE_NAME);
    buf_printf(out, "resvID=%s ", id);
}

/* Where in its life a record tells of the job. */
enum general {
    NOT_STARTED,
    STARTED,
    OVER
};

/* A job that has given vnodes back was several things in turn. */
enum stage {
    STAGE_NOW,  /* as it is */
    STAGE_LAST, /* the phase that has just ended */
    STAGE_ALL,  /* as it was started */
};

static int attr_at(const struct object *o, int attr, enum stage stage)
{
    static const int rows[][3] = {
        { JOB_A_EXEC_HOST, JOB_A_EXEC_HOST_ACCT, JOB_A_EXEC_HOST_ORIG },
        { JOB_A_EXEC_VNODE, JOB_A_EXEC_VNODE_ACCT, JOB_A_EXEC_VNODE_ORIG },
        { JOB_A_RESOURCE_LIST, JOB_A_RESOURCE_LIST_ACCT, JOB_A_RESOURCE_LIST_ORIG },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i][0] == attr && obj_is_set(o, rows[i][stage]))
            return rows[i][stage];
    return attr;
}

/* An array has indices in the place of vnodes, and at its end neither. */
static void add_where(struct buf *out, const struct object *o, enum general when,
                      enum stage stage, struct arena *arena)
{
    if (obj_is_set(o, JOB_A_ARRAY_INDICES_SUBMITTED)) {
        if (when != OVER)
            add_text(out, o, "array_indices", JOB_A_ARRAY_INDICES_SUBMITTED, arena);
        return;
    }
    /* Before its start a job has no vnodes to tell of. */
    if (when == NOT_STARTED)
        return;
    add_text(out, o, "exec_host", attr_at(o, JOB_A_EXEC_HOST, stage), arena);
    add_text(out, o, "exec_vnode", attr_at(o, JOB_A_EXEC_VNODE, stage), arena);
}

/* It enters the reservation that was made from it: PBS leaves that out of the record of
 * its second queue (reservations.md 15.1). */
static bool runs_already(const struct object *o)
{
    return job_state(TO_JOB(o)) == 'R';
}

/* The general part; every field has a blank behind it. */
static void add_stage(struct buf *out, const struct reaction *r, const struct object *o,
                      enum general when, enum stage stage)
{
    struct arena *arena = r->out->arena;

    /* The order of the fields is fixed by operations.md 17. */
    add_quoted(out, o, "gridname", JOB_A_GRIDNAME);
    add_text(out, o, "user", JOB_A_EUSER, arena);
    add_text(out, o, "group", JOB_A_EGROUP, arena);
    add_quoted(out, o, "account", JOB_A_ACCOUNT_NAME);
    add_word(out, o, "project", JOB_A_PROJECT);
    add_quoted(out, o, "accounting_id", JOB_A_ACCOUNTING_ID);
    add_word(out, o, "jobname", JOB_A_JOB_NAME);
    add_text(out, o, "queue", JOB_A_QUEUE, arena);
    if (when != NOT_STARTED || !runs_already(o))
        add_resv(out, r, o);
    add_time(out, o, "ctime", JOB_A_CTIME);
    add_time(out, o, "qtime", JOB_A_QTIME);
    add_time(out, o, "etime", JOB_A_ETIME);
    /* Before its start a job may wait for others. */
    if (when == NOT_STARTED)
        add_text(out, o, "depend", JOB_A_DEPEND, arena);
    else
        add_time(out, o, "start", JOB_A_STIME);
    add_where(out, o, when, stage, arena);
    add_list(out, "Resource_List", obj_attr(o, attr_at(o, JOB_A_RESOURCE_LIST, stage)),
             arena);
}

static void add_general(struct buf *out, const struct reaction *r,
                        const struct object *o, enum general when)
{
    add_stage(out, r, o, when, STAGE_NOW);
}

static void drop_last_blank(struct buf *out)
{
    if (out->len && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

void job_usage_text(const struct object *o, struct arena *arena, struct buf *out)
{
    buf_printf(out, "Exit_status=%" PRId64 " ", obj_num(o, JOB_A_EXIT_STATUS, 0));
    add_list(out, "resources_used", obj_attr(o, JOB_A_RESOURCES_USED), arena);
    drop_last_blank(out);
}

static void account(const struct reaction *r, char type, struct buf *text)
{
    MUST(r->rec->kind == OBJ_JOB);
    /* The line has the number of its record, so it is written with it or not at all. */
    effect_account(r->out, r->rec->seq, r->rec->at, type, r->rec->id, "%s",
                   text->len ? text->data : "");
    buf_fini(text);
}

void account_job_queued(const struct reaction *r)
{
    const struct object *o = r->o;
    struct buf text = { 0 };

    add_general(&text, r, o, NOT_STARTED);
    account(r, 'Q', &text);
}

/* Consumable sums over the vnodes; one that nobody else may use is assigned as a whole.
 */
static void add_assigned(struct buf *out, const struct job *job, struct arena *arena)
{
    const struct resources *wanted = obj_resources(&job->obj, JOB_A_RESOURCE_LIST);
    struct attr_value v = { .set = true };

    for (size_t i = 0; i < job->bookings.n; i++) {
        const struct node *n = job->bookings.v[i].node;

        /* Whoever has a vnode alone is charged for all of it. */
        if (claim_is_exclusive(n, wanted, arena))
            resources_add_flagged(&v.u.res,
                                  obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE),
                                  RESOURCE_NODE | RESOURCE_FIRST);
        else
            resources_add(&v.u.res, &job->bookings.v[i].amount);
    }
    add_list(out, "resource_assigned", &v, arena);
    resources_clear(&v.u.res);
}

static void account_begin(const struct reaction *r, char type)
{
    const struct object *o = r->o;
    struct buf text = { 0 };

    add_general(&text, r, o, STARTED);
    add_assigned(&text, TO_JOB(o), r->out->arena);
    account(r, type, &text);
}

static void account_nothing(const struct reaction *r, char type)
{
    struct buf nothing = { 0 };

    account(r, type, &nothing);
}

void account_job_sent(const struct reaction *r)
{
    if (job_has_image(TO_JOB(r->o)))
        account_nothing(r, 'T');
    else
        account_begin(r, 'S');
}

/* The field is there only where the site counts that time. */
static void add_eligible(struct buf *out, const struct reaction *r)
{
    if (!obj_num(r->m->server, SERVER_A_ELIGIBLE_TIME_ENABLE, 0))
        return;
    buf_add_str(out, " eligible_time=");
    duration_print(obj_num(r->o, JOB_A_ELIGIBLE_TIME, 0), out);
}

/* The end of a phase, with what was used in it. */
static void account_phase(const struct reaction *r, char type, enum stage stage,
                          const char *used)
{
    const struct object *o = r->o;
    struct buf text = { 0 };

    add_stage(&text, r, o, OVER, stage);
    buf_printf(&text, "session=%" PRId64 " ", obj_num(o, JOB_A_SESSION_ID, 0));
    add_text(&text, o, "alt_id", JOB_A_ALT_ID, r->out->arena);
    drop_last_blank(&text);
    add_eligible(&text, r);
    buf_printf(&text, " run_count=%" PRId64 "%s%s", obj_num(o, JOB_A_RUN_COUNT, 0),
               *used ? " " : "", used);
    account(r, type, &text);
}

/* A phase ends and the next one begins. Nothing has ended before the job began. */
void account_job_released(const struct reaction *r)
{
    if (r->rec->reason == REASON_PRUNED_AT_START) {
        account_begin(r, 's');
        return;
    }
    account_phase(r, 'u', STAGE_LAST, r->rec->note ? r->rec->note : "");
    account_begin(r, 'c');
}

/* What it has used so far; what it has given back is said where that is not all. */
void account_job_suspended(const struct reaction *r)
{
    const struct object *o = r->o;
    struct buf text = { 0 };

    /* It was suspended all the time: it could not be resumed. */
    if (r->rec->reason == REASON_NOT_RESUMED)
        return;
    add_list(&text, "resources_used", obj_attr(o, JOB_A_RESOURCES_USED), r->out->arena);
    add_text(&text, o, "resources_released", JOB_A_RESOURCES_RELEASED, r->out->arena);
    drop_last_blank(&text);
    account(r, 'z', &text);
}

void account_job_resumed(const struct reaction *r)
{
    account_nothing(r, 'r');
}

/* Before its own end a job that has given vnodes back has that of its last phase. */
static void account_last_phase(const struct reaction *r)
{
    struct buf used = { 0 };

    if (!obj_is_set(r->o, JOB_A_EXEC_VNODE_ORIG))
        return;
    job_phase_usage(r->o, r->out->arena, &used);
    account_phase(r, 'e', STAGE_NOW, used.len ? used.data : "");
    buf_fini(&used);
}

static void account_end(const struct reaction *r, char type)
{
    const struct object *o = r->o;
    struct buf text = { 0 };

    account_last_phase(r);
    add_stage(&text, r, o, OVER, STAGE_ALL);
    buf_printf(&text, "session=%" PRId64 " ", obj_num(o, JOB_A_SESSION_ID, 0));
    add_text(&text, o, "alt_id", JOB_A_ALT_ID, r->out->arena);
    /* A job that was given up has no obituary; then the record's own time counts. */
    buf_printf(&text, "end=%" PRId64 " ", obj_num(o, JOB_A_OBITTIME, r->rec->at));
    job_usage_text(o, r->out->arena, &text);
    add_eligible(&text, r);
    buf_printf(&text, " run_count=%" PRId64, obj_num(o, JOB_A_RUN_COUNT, 0));
    account(r, type, &text);
}

/* The first of its subjobs starts. */
void account_array_began(const struct reaction *r)
{
    struct buf text = { 0 };

    add_general(&text, r, r->o, STARTED);
    account(r, 'S', &text);
}

/* Each subjob that the note lists was deleted before it was an object. */
void account_array_cut(const struct reaction *r)
{
    const char *list = r->rec->note;
    struct index_range range;

    while (list && *list && index_list_next(&list, &range))
        for (int64_t i = range.first; i <= range.last; i += range.step)
            effect_account(r->out, r->rec->seq, r->rec->at, 'D',
                           subjob_id_make(r->rec->id, i, r->out->arena), "requestor=%s",
                           r->rec->actor);
}

static void account_deletion(const struct reaction *r)
{
    struct buf text = { 0 };

    buf_printf(&text, "requestor=%s", r->rec->actor);
    account(r, 'D', &text);
}

static void account_abortion(const struct reaction *r)
{
    struct buf text = { 0 };

    buf_add_str(&text, record_words(r->rec));
    account(r, 'A', &text);
}

/* The request has said what it altered. */
void account_job_modified(const struct reaction *r)
{
    struct buf text = { 0 };

    if (r->rec->reason != REASON_ALTERED || !r->rec->note || !*r->rec->note)
        return;
    /* The note lists the values as they are now, in the form of an accounting line. */
    buf_add_str(&text, r->rec->note);
    account(r, 'a', &text);
}

void account_job_killed(const struct reaction *r)
{
    /* Nobody has asked for the deletion, so PBS writes 'A' instead of 'D'. */
    if (reason_aborts(r->rec->reason))
        account_abortion(r);
    else
        account_deletion(r);
}

/* The queue and the server that the job went to; the port is left out. */
void account_job_left(const struct reaction *r)
{
    const char *to = record_words(r->rec);
    const char *at = strchr(to, '@');
    size_t len = at ? (size_t)(at - to) + strcspn(at, ":") : strlen(to);

    effect_account(r->out, r->rec->seq, r->rec->at, 'M', r->rec->id, "destination=%.*s",
                   (int)len, to);
}

/* A job that had been asked to end was told of then. */
void account_job_deleted(const struct reaction *r)
{
    if (obj_is_set(r->o, JOB_A_HF_KILL_BY))
        return;
    if (reason_aborts(r->rec->reason))
        account_abortion(r);
    else
        account_deletion(r);
}

void account_job_obit(const struct reaction *r)
{
    /* Its node is what has deleted it. */
    if (r->rec->reason == REASON_NODE_LOST)
        effect_account(r->out, r->rec->seq, r->rec->at, 'D', r->rec->id, "%s",
                       record_words(r->rec));
    /* A job that goes back to its queue has the record 'R' instead of 'E'. */
    if (!obj_num(r->o, JOB_A_HF_REQUEUE, 0))
        return;
    if (obj_num(r->o, JOB_A_EXIT_STATUS, 0) == JOB_EXIT_CHECKPOINTED)
        account_nothing(r, 'C');
    else
        account_end(r, 'R');
}

void account_job_ended(const struct reaction *r)
{
    account_end(r, 'E');
}
