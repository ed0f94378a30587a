/* job_admit.c - see job_admit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_admit.h"

#include "lib/attr/acl.h"
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"
#include "server/decide/same_user.h"

#include <string.h>
#include <strings.h>

int job_attrs_offered(const struct wire_attrs *attrs, struct diag *why)
{
    static const char *const not_offered[] = {
        "cred",
        "gui",
    };

    for (size_t i = 0; i < ARRAY_LEN(not_offered); i++) {
        const char *value = wire_attrs_value(attrs, not_offered[i], NULL);

        /* Clients send some of these with a value that means "no"; that is what the job
         * gets anyhow. */
        if (value && *value && strcasecmp(value, "False") != 0)
            return diag_code(why, PBSE_NOSUP);
    }
    return 0;
}

/* "user@host" of a list with that host, else the entry without a host. */
static const char *user_for_host(const struct attr_value *list, const char *host,
                                 struct arena *arena)
{
    const char *any = NULL;

    for (size_t i = 0; list->set && i < list->u.list.n; i++) {
        const char *entry = list->u.list.v[i];
        const char *at = strchr(entry, '@');

        if (!at)
            any = any ? any : entry;
        else if (strcasecmp(at + 1, host) == 0)
            return arena_strndup(arena, entry, (size_t)(at - entry));
    }
    return any;
}

static bool in_groups(const struct wire_strings *groups, const char *name)
{
    for (size_t i = 0; i < groups->n; i++)
        if (strcmp(groups->v[i], name) == 0)
            return true;
    return false;
}

static bool root_may_run(const struct model *m, const struct requester *owner)
{
    const struct attr_value *roots = obj_attr(m->server, SERVER_A_ACL_ROOTS);

    /* Without an entry in acl_roots nobody runs jobs as root, not even root. */
    return acl_allows_user(roots, owner->user, owner->host);
}

/* Root is given away by no file of a user or of the site. */
static int may_run_as(const struct model *m, const struct request *rq,
                      const struct requester *owner, const char *account,
                      struct diag *why)
{
    if (strcmp(account, "root") != 0)
        return user_may_run_as(m, rq, owner, account, why);
    return strcmp(owner->user, "root") == 0 && root_may_run(m, owner)
               ? 0
               : diag_code(why, PBSE_BADUSER);
}

int job_find_account(const struct model *m, const struct request *rq,
                     const struct requester *owner, const struct edit *job,
                     struct job_account *ret, struct diag *why)
{
    /* Entries with a host are meant for the server's host, to which the job is
     * submitted. */
    const char *host = rq->cfg ? rq->cfg->server_host : owner->host;
    const char *user = user_for_host(edit_value(job, JOB_A_USER_LIST), host, rq->arena);
    struct job_account acct = { .user = user ? user : owner->user };
    const char *group;
    int err;

    if ((err = may_run_as(m, rq, owner, acct.user, why)))
        return err;
    /* The groups may have to be found out; the request then waits and begins anew. */
    if ((err = request_groups(rq, acct.user, &acct.groups, why)))
        return err;
    group = user_for_host(edit_value(job, JOB_A_GROUP_LIST), host, rq->arena);
    if (group && !in_groups(&acct.groups, group))
        return diag_code(why, PBSE_BADGRP);
    MUST(acct.groups.n > 0); /* the primary one is always there */
    acct.group = group ? group : acct.groups.v[0];
    *ret = acct;
    return 0;
}

int job_find_queue(const struct model *m, const struct request *rq,
                   const char *destination, const struct queue **ret, struct diag *why)
{
    size_t len = strcspn(destination, "@");
    const char *name = arena_strndup(rq->arena, destination, len);
    const struct queue *q;

    if (transfer_is_needed(rq->cfg, destination))
        return diag_code(why, PBSE_NOSUP);
    if (*name == '\0')
        name = obj_str(m->server, SERVER_A_DEFAULT_QUEUE, "");
    if (*name == '\0')
        return diag_code(why, PBSE_QUENODFLT);
    q = model_queue(m, name);
    if (!q)
        return diag_code(why, PBSE_UNKQUE);
    *ret = q;
    return 0;
}

/* True when both are there and the first is more than the second. */
static bool exceeds(const struct resource_value *a, const struct resource_value *b)
{
    MUST(!a || !b || a->def->type == b->def->type);
    return a && b && a->def->type->compare(&a->value, &b->value) > 0;
}

int job_entries_agree(const struct edit *job, struct diag *why)
{
    const struct attr_value *list = edit_value(job, JOB_A_RESOURCE_LIST);
    const struct resource_value *min, *max, *soft;

    /* The number of subjobs that may run says nothing about a job that is no array. */
    if (edit_value(job, JOB_A_MAX_RUN_SUBJOBS)->set &&
        !edit_value(job, JOB_A_ARRAY_INDICES_SUBMITTED)->set)
        return diag_code(why, PBSE_NOTARRAY_ATTR);
    if (!list->set)
        return 0;
    min = resources_find(&list->u.res, "min_walltime");
    max = resources_find(&list->u.res, "max_walltime");
    soft = resources_find(&list->u.res, "soft_walltime");
    /* A shrink-to-fit job has its walltime chosen within its bounds, which leaves a
     * soft limit without meaning. */
    if (soft && (min || max))
        return diag_code(why, PBSE_SOFTWT_STF);
    if (max && !min)
        return diag_code(why, PBSE_MAX_NO_MINWT);
    if (exceeds(min, max))
        return diag_code(why, PBSE_MIN_GT_MAXWT);
    if (exceeds(soft, resources_find(&list->u.res, "walltime")))
        return diag_code(why, PBSE_BADATVAL);
    return 0;
}

/* "queue=Q" or "Resource_List.R=V". */
static int target_is_known(const struct model *m, const char *target,
                           struct arena *arena)
{
    static const char queue[] = "queue=", list[] = "Resource_List.";
    struct attr_value v = { 0 };
    const char *name, *is;
    int err;

    if (strncasecmp(target, queue, strlen(queue)) == 0)
        return model_queue(m, target + strlen(queue)) ? 0 : PBSE_UNKQUE;
    if (strncasecmp(target, list, strlen(list)) != 0)
        return PBSE_BADATVAL;
    name = target + strlen(list);
    is = strchr(name, '=');
    if (!is || !is[1])
        return PBSE_BADATVAL;
    name = arena_strndup(arena, name, (size_t)(is - name));
    if (!resource_find(m->defs, name))
        return PBSE_UNKRESC;
    err = attr_value_set(&attr_resources, &v, m->defs, name, is + 1, WIRE_OP_SET);
    attr_value_unset(&attr_resources, &v, NULL);
    return err;
}

int job_targets_are_known(const struct model *m, const struct edit *job,
                          struct arena *arena, struct diag *why)
{
    const struct attr_value *asked = edit_value(job, JOB_A_RESOURCE_LIST);
    const struct resource_value *v =
        asked->set ? resources_find(&asked->u.res, "preempt_targets") : NULL;
    const struct strings *targets = v && v->value.set ? &v->value.u.list : NULL;
    int err = 0;

    /* Nobody is to leave for it. */
    if (!targets || (targets->n == 1 && strcasecmp(targets->v[0], "NONE") == 0))
        return 0;
    for (size_t i = 0; !err && i < targets->n; i++)
        err = target_is_known(m, targets->v[i], arena);
    return err ? diag_about(why, err, "Resource_List.preempt_targets") : 0;
}

static struct place place_in(const struct resources *list, struct arena *arena)
{
    const struct resource_value *v = resources_find(list, "place");
    struct place place = { 0 };

    /* What cannot be parsed is refused elsewhere; here it counts as no sharing word. */
    if (!v || !v->value.set || place_parse(v->value.u.str, arena, &place, NULL) != 0)
        return (struct place){ 0 };
    return place;
}

void job_force_entries(struct edit *job)
{
    /* Nobody would be at the terminal of a second run. */
    if (edit_value(job, JOB_A_INTERACTIVE)->set && edit_num(job, JOB_A_RERUNABLE, 1))
        edit_set_num(job, JOB_A_RERUNABLE, 0);
}

int job_fits_resv(const struct queue *q, const struct edit *job, struct arena *arena,
                  struct diag *why)
{
    struct place ours, theirs;

    if (!q->resv)
        return 0;
    /* A job in a reservation cannot become a reservation of its own. */
    if (edit_num(job, JOB_A_CREATE_RESV_FROM_JOB, 0))
        return diag_code(why, PBSE_RESV_FROM_RESVJOB);
    ours = place_in(&edit_value(job, JOB_A_RESOURCE_LIST)->u.res, arena);
    theirs = place_in(obj_resources(&q->resv->obj, RESV_A_RESOURCE_LIST), arena);
    /* The words are ordered: a job may not want its vnodes more exclusively than its
     * reservation has them. */
    if (ours.share == PLACE_SHARED || ours.share <= theirs.share)
        return 0;
    return diag_about(why, PBSE_JOBINRESV_CONFLICT, "Resource_List.place");
}
