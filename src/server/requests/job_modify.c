/* job_modify.c - ModifyJob and ModifyJob_Async (attributes.md 14.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/accrual.h"
#include "server/decide/config.h"
#include "server/decide/depend_admit.h"
#include "server/decide/job_defaults.h"
#include "server/decide/job_limits.h"
#include "server/decide/object_size.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/job_tally.h"
#include "server/model/resource_request.h"
#include "server/requests/array_submit.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_admit.h"
#include "server/requests/job_altered.h"
#include "server/requests/job_paths.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct alteration {
    const struct model *m;
    const struct request *rq;
    const struct wire_attrs *attrs;
    const struct job *job;
    struct edit e;
    struct depend_wish wish; /* what it is to wait for, and what that comes to */
    struct depend_plan plan;
};

static bool edit_has(const struct edit *e, int attr, const char *resource)
{
    const struct attr_value *v = edit_value(e, attr);

    return v->set && resources_find(&v->u.res, resource);
}

/* Of a job that runs, only these resources may be altered. */
static bool resource_may_change(const char *name)
{
    static const char *const names[] = { "cput", "walltime", "soft_walltime",
                                         "min_walltime", "max_walltime" };

    for (size_t i = 0; name && i < ARRAY_LEN(names); i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

static int refuse_running(const struct wire_attr *a, struct diag *why)
{
    return diag_set(why, PBSE_MODATRRUN, "%s %s%s%s", pbse_text(PBSE_MODATRRUN),
                    a->name, a->resource ? "." : "", a->resource ? a->resource : "");
}

/* Comes before the permission of the attribute. */
static int check_running(const struct alteration *al, struct diag *why)
{
    MUST(job_is_at_mom(al->job)); /* one in the queue may be altered in every way */
    /* A job that ends has nothing left that an alteration could change. */
    if (job_state(al->job) == 'E')
        return diag_code(why, PBSE_BADSTATE);
    for (size_t i = 0; i < al->attrs->n; i++) {
        const struct wire_attr *a = &al->attrs->v[i];
        int attr = attr_find(&job_table, a->name);

        if (attr < 0)
            continue; /* refused by its name later */
        if (!(job_rows[attr].flags & ATTR_ALTER_RUNNING))
            return refuse_running(a, why);
        if (attr == JOB_A_RESOURCE_LIST && !resource_may_change(a->resource))
            return refuse_running(a, why);
    }
    return 0;
}

static bool unsets_resource(const struct wire_attr *a)
{
    return *a->value == '\0' &&
           strcasecmp(a->name, job_rows[JOB_A_RESOURCE_LIST].name) == 0;
}

static bool may_be_unset(const char *resource)
{
    static const char *const needed[] = { "select", "place", "nodect", "ncpus" };

    for (size_t i = 0; i < ARRAY_LEN(needed); i++)
        if (strcasecmp(needed[i], resource) == 0)
            return false;
    return true;
}

static int check_unset(const struct alteration *al, struct diag *why)
{
    for (size_t i = 0; i < al->attrs->n; i++) {
        const struct wire_attr *a = &al->attrs->v[i];

        if (!unsets_resource(a))
            continue;
        /* Emptying the whole list would leave a job without a request. */
        if (!a->resource)
            return diag_about(why, PBSE_UNKRESC, a->name);
        if (!may_be_unset(a->resource))
            return diag_set(why, PBSE_BADATVAL, "%s %s.%s", pbse_text(PBSE_BADATVAL),
                            a->name, a->resource);
    }
    return 0;
}

/* A resource that is unset gets what a new job would get in the queue
 * (attributes.md 14.4). */
static int restore_defaults(struct alteration *al, struct diag *why)
{
    for (size_t i = 0; i < al->attrs->n; i++) {
        const struct wire_attr *a = &al->attrs->v[i];
        const char *text;
        int err = 0;

        MUST(!unsets_resource(a) || a->resource); /* check_unset() refused the rest */
        /* The edit has the value again when a later entry of the same request gives
         * one. */
        if (!unsets_resource(a) || edit_has(&al->e, JOB_A_RESOURCE_LIST, a->resource))
            continue;
        text =
            resource_request_default(al->m, al->job->queue, a->resource, al->rq->arena);
        if (text)
            err = edit_set(&al->e, JOB_A_RESOURCE_LIST, a->resource, text, WIRE_OP_SET,
                           why);
        if (err)
            return err;
    }
    return 0;
}

static bool is_unset_by(const struct alteration *al, const char *resource)
{
    for (size_t i = 0; i < al->attrs->n; i++) {
        const struct wire_attr *a = &al->attrs->v[i];

        if (unsets_resource(a) && a->resource && strcasecmp(a->resource, resource) == 0)
            return true;
    }
    return false;
}

/* A user may lower a limit of a running job or give one, not raise it; the default
 * comes back whatever it is. */
static int check_raises(const struct alteration *al, struct diag *why)
{
    const struct resources *before = obj_resources(&al->job->obj, JOB_A_RESOURCE_LIST);
    const struct resources *after = &edit_value(&al->e, JOB_A_RESOURCE_LIST)->u.res;

    if (requester_is_staff(al->rq))
        return 0;
    for (size_t i = 0; i < before->n; i++) {
        const struct resource_def *def = before->v[i].def;
        const struct resource_value *now = resources_find(after, def->name);

        /* A limit that is gone counts as raised, unless the request unset it: then the
         * default is back. */
        if (resource_may_change(def->name) && !is_unset_by(al, def->name) &&
            (!now || def->type->compare(&now->value, &before->v[i].value) > 0))
            return diag_code(why, PBSE_PERM);
    }
    return 0;
}

/* True for the resources that say how a job in the queue is laid out on vnodes. */
static bool says_how(const char *resource)
{
    return strcasecmp(resource, "select") == 0 || strcasecmp(resource, "place") == 0 ||
           strcasecmp(resource, "nodes") == 0;
}

static const struct wire_attr *entry_for(const struct alteration *al,
                                         const char *resource)
{
    return wire_attrs_find(al->attrs, job_rows[JOB_A_RESOURCE_LIST].name, resource);
}

/* Sums of the old select must not look like requests beside the new one. */
static void drop_sums(struct alteration *al, struct attr_value *list)
{
    size_t i = 0;

    while (i < list->u.res.n) {
        const struct resource_def *def = list->u.res.v[i].def;

        /* What the request itself asks for stays; what an old select added up is
         * computed afresh. */
        if (!says_how(def->name) && !entry_for(al, def->name) &&
            (def->flags & (RESOURCE_HOST | RESOURCE_CONSUMABLE)))
            attr_value_unset(&attr_resources, list, def->name);
        else
            i++;
    }
    attr_value_unset(&attr_resources, list, "nodect");
}

static int complete_again(struct alteration *al, struct diag *why)
{
    struct attr_value *list = &al->e.v[JOB_A_RESOURCE_LIST];
    const char *schedselect;
    int err;

    /* The list may have been emptied above, and the completion gives it what every job
     * has. */
    list->set = true;
    err = resource_request_complete(&list->u.res, al->m, al->job->queue, false,
                                    al->rq->arena, &schedselect, why);
    if (!err) {
        edit_set_str(&al->e, JOB_A_SCHEDSELECT, schedselect);
        edit_unset(&al->e, JOB_A_HF_HOT_VNODES, NULL); /* not what it wants now */
    }
    return err;
}

/* A request in an older form: its select and place are made anew of what is asked for
 * now. Other nodes bring other cpus. */
static int convert_again(struct alteration *al, struct diag *why)
{
    static const char *const made[] = { "select", "place", "nodect" };
    static const char *const of_nodes[] = { "ncpus", "mpiprocs" };
    struct attr_value *list = &al->e.v[JOB_A_RESOURCE_LIST];

    for (size_t i = 0; i < ARRAY_LEN(made); i++)
        attr_value_unset(&attr_resources, list, made[i]);
    /* Numbers that an older nodes entry gave go with it; numbers that the user gives
     * now stay. */
    for (size_t i = 0; entry_for(al, "nodes") && i < ARRAY_LEN(of_nodes); i++)
        if (!entry_for(al, of_nodes[i]))
            attr_value_unset(&attr_resources, list, of_nodes[i]);
    edit_set_num(&al->e, JOB_A_HF_OLD_FORM, 1);
    return complete_again(al, why);
}

static int select_again(struct alteration *al, struct diag *why)
{
    drop_sums(al, &al->e.v[JOB_A_RESOURCE_LIST]);
    if (entry_for(al, "select"))
        edit_unset(&al->e, JOB_A_HF_OLD_FORM, NULL);
    return complete_again(al, why);
}

/* Who has asked for chunks goes on so; who has not may. */
static bool is_old_form(const struct alteration *al)
{
    return !entry_for(al, "select") && !entry_for(al, "place") &&
           (entry_for(al, "nodes") || obj_num(&al->job->obj, JOB_A_HF_OLD_FORM, 0));
}

/* What a changed Resource_List makes of the rest. */
static int change_request(struct alteration *al, struct diag *why)
{
    const struct resource_def *of_host = NULL;
    bool how = false;

    MUST(al->e.touched[JOB_A_RESOURCE_LIST]); /* the list in al->e is the job's copy */
    for (size_t i = 0; i < al->attrs->n; i++) {
        const struct wire_attr *a = &al->attrs->v[i];
        const struct resource_def *def;

        if (strcasecmp(a->name, job_rows[JOB_A_RESOURCE_LIST].name) != 0 ||
            !a->resource)
            continue;
        how |= says_how(a->resource);
        def = resource_find(al->m->defs, a->resource);
        if (!of_host && def && (def->flags & RESOURCE_HOST))
            of_host = def;
    }
    /* Neither the chunks nor their sums have changed, so the select stays as it is. */
    if (!how && !of_host)
        return 0;
    if (is_old_form(al))
        return convert_again(al, why);
    /* Beside a select a resource of hosts can only be asked for inside of a chunk. */
    if (of_host)
        return diag_set(why, PBSE_INVALJOBRESC, "%s: %s", pbse_text(PBSE_INVALJOBRESC),
                        of_host->name);
    return select_again(al, why);
}

/* Limits that hold where it is: a manager may go beyond them, as with a move. */
static int check_limits(const struct alteration *al, struct diag *why)
{
    const struct attr_value *list = edit_value(&al->e, JOB_A_RESOURCE_LIST);
    const struct queue *q = al->job->queue;
    const struct job_entity who = {
        .user = edit_str(&al->e, JOB_A_EUSER, ""),
        .group = edit_str(&al->e, JOB_A_EGROUP, ""),
        .project = edit_str(&al->e, JOB_A_PROJECT, TALLY_NO_PROJECT),
        /* The job counts in the tallies already, for the entity that it had. */
        .was = al->job,
        .weight = al->job->weight,
    };
    int err;

    if (!q || (al->rq->who->rights & WHO_MANAGER))
        return 0;
    err = job_keeps_count_limits(al->m, q, &who, why);
    if (!err && list->set)
        err = job_keeps_amount_limits(al->m, q, &who, &list->u.res, why);
    if (!err && list->set && al->e.touched[JOB_A_RESOURCE_LIST])
        err = job_keeps_limits(al->m, q, &list->u.res, why);
    return err;
}

/* Other lists make another user or group of the job: its owner's, whoever asks, and
 * with the checks of its submission. */
static int find_account_again(struct alteration *al, struct diag *why)
{
    const char *name = obj_str(&al->job->obj, JOB_A_JOB_OWNER, "");
    size_t len = strcspn(name, "@");
    struct requester owner = {
        .user = arena_strndup(al->rq->arena, name, len),
        .host = name[len] ? name + len + 1 : "",
    };
    struct job_account acct;
    int err;

    if (!al->e.touched[JOB_A_USER_LIST] && !al->e.touched[JOB_A_GROUP_LIST])
        return 0;
    err = job_find_account(al->m, al->rq, &owner, &al->e, &acct, why);
    /* The refusal has the code that the submission would have had. */
    if (err)
        return err;
    edit_set_str(&al->e, JOB_A_EUSER, acct.user);
    edit_set_str(&al->e, JOB_A_EGROUP, acct.group);
    return 0;
}

/* The reservation that the job is in may be nothing for what it becomes. */
static int check_resv(const struct alteration *al, struct diag *why)
{
    if (!al->job->queue || (!al->e.touched[JOB_A_RESOURCE_LIST] &&
                            !al->e.touched[JOB_A_CREATE_RESV_FROM_JOB]))
        return 0;
    return job_fits_resv(al->job->queue, &al->e, al->rq->arena, why);
}

static int check_queued(struct alteration *al, struct diag *why)
{
    int err = find_account_again(al, why);

    MUST(!job_is_at_mom(al->job));
    if (!err && al->e.touched[JOB_A_RESOURCE_LIST])
        err = change_request(al, why);
    if (!err)
        err = check_resv(al, why);
    return err ? err : check_limits(al, why);
}

static const char *holds_after(const struct alteration *al)
{
    const struct attr_value *v = edit_value(&al->e, JOB_A_HOLD_TYPES);

    return v->set ? attr_value_text(job_rows[JOB_A_HOLD_TYPES].type, v, al->rq->arena)
                  : "n";
}

/* Holds and times decide where a job that does not run belongs. */
static void settle_again(struct alteration *al)
{
    const char *holds = holds_after(al);
    enum job_event place;

    /* A job whose holds and times are untouched stays where it is. */
    if (!al->e.touched[JOB_A_HOLD_TYPES] && !al->e.touched[JOB_A_EXECUTION_TIME])
        return;
    place = job_place(holds, edit_num(&al->e, JOB_A_EXECUTION_TIME, 0),
                      edit_value(&al->e, JOB_A_STAGEIN)->set, al->rq->now_at);
    edit_job_event(&al->e, job_place_of(al->job, place), al->rq->now_at);
}

/* The letters of the request take the place of all that the job has. */
static int check_holds(struct alteration *al, struct diag *why)
{
    const char *letters = wire_attrs_value(al->attrs, "Hold_Types", NULL);
    int err = 0;

    if (!letters)
        return 0;
    if (*letters)
        err = check_hold_letters(al->rq, letters, why);
    if (!err)
        err = check_holds_taken(al->rq, al->job, holds_after(al), why);
    /* An administrator's hold outlives that of a dependency. */
    if (!err && strchr(letters, 's') && obj_is_set(&al->job->obj, JOB_A_HF_DEPEND_HOLD))
        edit_set_str(&al->e, JOB_A_HF_DEPEND_HOLD, "-");
    return err;
}

static int check_size(const struct alteration *al, struct diag *why)
{
    size_t after = edit_bytes(&al->e, -1), before = al->job->bytes;
    int err = object_keeps_size(al->rq, &al->e, why);

    /* A scheduler writes comments and estimates, for which no user can be blamed. */
    if (err || al->rq->who->scheduler)
        return err;
    return user_jobs_keep_size(al->m, al->rq, edit_str(&al->e, JOB_A_EUSER, ""),
                               /* Only what the job grows by is new to the budget of its
                                * user. */
                               after > before ? after - before : 0, why);
}

/* Nobody counts what is not shown (attributes.md 14.6). */
static int check_eligible(const struct alteration *al, struct diag *why)
{
    bool counts = obj_num(al->m->server, SERVER_A_ELIGIBLE_TIME_ENABLE, 0) != 0;

    return al->e.touched[JOB_A_ELIGIBLE_TIME] && !counts ? diag_code(why, PBSE_ETEERROR)
                                                         : 0;
}

/* What a job cannot be without has what a new job would get when it is taken away: its
 * output would be lost, and each job has a project (attributes.md 10). */
static void restore_attributes(struct alteration *al)
{
    struct edit *e = &al->e;

    job_paths_default(e, strtoull(al->job->obj.id, NULL, 10),
                      obj_str(&al->job->obj, JOB_A_SUBMIT_HOST, ""), al->rq->arena);
    if (!edit_value(e, JOB_A_PROJECT)->set)
        edit_set_str(e, JOB_A_PROJECT, job_rows[JOB_A_PROJECT].dflt);
}

static int check_alteration(struct alteration *al, struct diag *why)
{
    /* The order of the steps decides which refusal a client gets (attributes.md
     * 14.4). */
    bool running = job_is_at_mom(al->job);
    int err = running ? check_running(al, why) : 0;

    if (!err)
        err = check_unset(al, why);
    if (!err)
        err = edit_list(&al->e, al->attrs, al->rq->who->rights, why);
    if (!err)
        job_force_entries(&al->e);
    if (!err && al->e.touched[JOB_A_CHECKPOINT])
        job_checkpoint_in(&al->e, al->job->queue, al->rq->arena);
    if (!err)
        err = check_eligible(al, why);
    if (!err)
        restore_attributes(al);
    if (!err && job_is_array(al->job))
        array_name_files(&al->e, al->rq->arena);
    if (!err)
        err = restore_defaults(al, why);
    if (!err)
        err = check_holds(al, why);
    if (!err)
        err = job_entries_agree(&al->e, why);
    /* A queue that has gone since says nothing about what is altered now. */
    if (!err && entry_for(al, "preempt_targets"))
        err = job_targets_are_known(al->m, &al->e, al->rq->arena, why);
    if (!err)
        err = check_size(al, why);
    if (!err && running && al->e.touched[JOB_A_RESOURCE_LIST])
        err = check_raises(al, why);
    if (!err && !running)
        err = check_queued(al, why);
    if (!err && !running)
        settle_again(al);
    if (!err && al->e.touched[JOB_A_RESOURCE_LIST])
        job_defaults_note(&al->e, al->attrs, al->rq->arena);
    return err;
}

/* The request as its MoM is told it: with the period of checkpoints that the job has.
 */
static const struct wire_request *as_told(const struct alteration *al,
                                          struct arena *arena)
{
    struct wire_request *rq = arena_copy(arena, al->rq->wire, sizeof(*rq));
    struct body_manage *body = arena_copy(arena, rq->body, sizeof(*body));

    body->attrs.v =
        arena_copy(arena, al->attrs->v, al->attrs->n * sizeof(*al->attrs->v));
    for (size_t i = 0; i < body->attrs.n; i++)
        if (attr_find(&job_table, body->attrs.v[i].name) == JOB_A_CHECKPOINT)
            body->attrs.v[i].value =
                arena_strdup(arena, edit_str(&al->e, JOB_A_CHECKPOINT, "u"));
    rq->body = body;
    return rq;
}

/* A limit of a running job is kept by its MoM. */
static void tell_mom(const struct alteration *al, struct decision *out)
{
    if (job_state(al->job) != 'R' || !obj_num(&al->job->obj, JOB_A_HF_SENT, 0))
        return;
    for (size_t i = 0; i < al->attrs->n; i++) {
        int attr = attr_find(&job_table, al->attrs->v[i].name);

        /* The MoM gets the request as it came, once, when any of it concerns the
         * MoM. */
        if (attr >= 0 && (job_rows[attr].flags & ATTR_TO_MOM)) {
            act_about_job(out, ACT_TELL_MOM, al->job->obj.id);
            if (al->e.touched[JOB_A_CHECKPOINT])
                out->acts.v[out->acts.n - 1].told = as_told(al, out->arena);
            return;
        }
    }
}

/* What it waits for from now on; the rule of jobs that wait holds it or lets it go. */
static int check_depend(struct alteration *al, struct decision *out)
{
    const char *own, *verify;
    int err;

    al->wish = (struct depend_wish){
        .m = al->m,
        .rq = al->rq,
        .job = al->job->obj.id,
        .owner = obj_str(&al->job->obj, JOB_A_JOB_OWNER, ""),
        .text = edit_str(&al->e, JOB_A_DEPEND, NULL),
        .registers = true,
    };
    if (!al->e.touched[JOB_A_DEPEND] || !al->wish.text)
        return 0;
    if (job_is_beyond_depend(al->job))
        return diag_set(&out->why, PBSE_MODATRRUN, "%s %s", pbse_text(PBSE_MODATRRUN),
                        job_rows[JOB_A_DEPEND].name);
    err = depend_admit(&al->wish, &al->plan, out);
    if (err)
        return err;
    own = depend_text(&al->plan.own, al->rq->cfg->server_name, al->rq->arena);
    if (own)
        edit_set_str(&al->e, JOB_A_DEPEND, own);
    else
        edit_unset(&al->e, JOB_A_DEPEND, NULL);
    if (al->plan.elsewhere.n) {
        edit_set_str(&al->e, JOB_A_HF_WAITERS,
                     depend_waiters_text(al->job, &al->plan, al->rq->arena));
        edit_unset(&al->e, JOB_A_HF_WAITERS_NEWS, NULL);
    }
    verify = depend_verify_text(&al->wish, &al->plan);
    if (verify) {
        edit_set_str(&al->e, JOB_A_HF_VERIFY, verify);
        edit_unset(&al->e, JOB_A_HF_VERIFY_NEWS, NULL);
        edit_set_num(&al->e, JOB_A_HF_VERIFY_AT,
                     al->rq->now_at + DEPEND_VERIFY_AFTER_S);
    }
    return 0;
}

/* What was estimated holds for top jobs only, where the site wants to see no other one
 * (attributes.md 14.8). */
static void drop_estimate(struct alteration *al)
{
    if (al->e.touched[JOB_A_TOPJOB] && !edit_num(&al->e, JOB_A_TOPJOB, 0) &&
        obj_num(al->m->server, SERVER_A_CLEAR_TOPJOB_ESTIMATES_ENABLE, 0))
        edit_unset(&al->e, JOB_A_ESTIMATED, NULL);
}

/* A new period begins, for a scheduler's word about the job or an operator's. */
static void begin_accrual(struct alteration *al)
{
    if (!al->e.touched[JOB_A_ACCRUE_TYPE] && !al->e.touched[JOB_A_ELIGIBLE_TIME])
        return;
    if (!al->e.touched[JOB_A_ELIGIBLE_TIME])
        edit_set_num(&al->e, JOB_A_ELIGIBLE_TIME,
                     accrual_total_s(&al->job->obj, al->rq->now_at));
    edit_set_num(&al->e, JOB_A_SAMPLE_STARTTIME, al->rq->now_at);
}

static void decide_alteration(struct alteration *al, struct decision *out)
{
    struct record *rec =
        decide(out, al->rq, FACT_JOB_MODIFIED, OBJ_JOB, al->job->obj.id);

    drop_estimate(al);
    begin_accrual(al);
    /* A scheduler's comments and estimates are no alterations of the request. */
    if (!al->rq->who->scheduler) {
        rec->reason = REASON_ALTERED;
        rec->note = job_altered_text(&al->e, al->attrs, al->rq->arena);
        edit_set_num(&al->e, JOB_A_MTIME, al->rq->now_at);
    }
    MUST(out->records.v[out->records.n - 1] == rec);
    if (!edit_commit(&al->e, out->arena, rec))
        out->records.n--; /* it is so already */
    else
        tell_mom(al, out);
    depend_tell_others(&al->wish, &al->plan, out);
}

int handle_modify_job(const struct model *m, const struct request *rq,
                      struct decision *out)
{
    const struct body_manage *body = rq->body;
    struct alteration al = { .m = m, .rq = rq, .attrs = &body->attrs };
    int err = job_for_request(m, rq, body->object_name, &al.job, &out->why);

    if (err)
        return err;
    /* The edit works on copies, so a refusal at any step leaves the job as it was. */
    edit_init(&al.e, m, OBJ_JOB, &al.job->obj);
    err = check_alteration(&al, &out->why);
    if (!err)
        err = check_depend(&al, out);
    if (!err)
        decide_alteration(&al, out);
    edit_fini(&al.e);
    return err;
}
