/* check_resv_end.c - what becomes of the jobs at the end of a reservation, seen from
 * outside: what it says at its end is done, and no end opens a queue to a job whose
 * owner may not use it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/model/job_state.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <string.h>

static const struct change *change_of(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return &rec->changes[i];
    return NULL;
}

static bool is_kept(const char *word)
{
    return word && (strcmp(word, "requeue") == 0 || strcmp(word, "hold") == 0);
}

/* What the reservation says when its end begins is what the end does; a deletion keeps
 * nothing. */
static void check_begun(struct sim *s, const struct model *m, const struct resv *r,
                        const struct record *rec)
{
    const struct change *begun = change_of(rec, RESV_A_HF_ON_END);
    const char *says = obj_str(&r->obj, RESV_A_ON_END,
                               obj_str(m->server, SERVER_A_RESV_DEFAULT_ON_END, NULL));
    bool ends = (rec->fact == FACT_RESV_OVER && rec->reason != REASON_CANCELLED) ||
                rec->reason == REASON_END_REACHED;
    const char *want = ends && is_kept(says) ? says : NULL;

    /* A record does not name what stays as it is. */
    const char *does = begun ? begun->after : obj_str(&r->obj, RESV_A_HF_ON_END, NULL);

    if (resv_phase(r) == PHASE_ENDING) {
        if (begun)
            check_failed(s, CHECK_ON_END, "%s ends twice", rec->id);
    } else if (!str_same(does, want)) {
        check_failed(s, CHECK_ON_END, "%s ends with %s, and says %s", rec->id,
                     does ? does : "nothing", want ? want : "nothing");
    }
}

/* "user1@*" or "user1@svr" names the owner. */
static bool names(const struct attr_value *list, const char *owner)
{
    size_t len = strcspn(owner, "@");

    for (size_t i = 0; list->set && i < list->u.list.n; i++)
        if (strcspn(list->u.list.v[i], "@") == len &&
            strncmp(list->u.list.v[i], owner, len) == 0)
            return true;
    return false;
}

static void check_queue(struct sim *s, const struct model *m, const struct job *j,
                        const char *name)
{
    const struct queue *q = name ? model_queue(m, name) : NULL;
    const char *owner = obj_str(&j->obj, JOB_A_JOB_OWNER, "");
    const char *id = j->obj.id;

    if (!q)
        check_failed(s, CHECK_ON_END, "job %s goes nowhere", id);
    else if (q->resv)
        check_failed(s, CHECK_ON_END, "job %s goes into another reservation", id);
    else if (!obj_num(&q->obj, QUEUE_A_ENABLED, 0))
        check_failed(s, CHECK_ON_END, "job %s goes into the closed queue %s", id, name);
    else if (obj_num(&q->obj, QUEUE_A_ACL_USER_ENABLE, 0) &&
             !names(obj_attr(&q->obj, QUEUE_A_ACL_USERS), owner))
        check_failed(s, CHECK_ON_END, "job %s of %s goes into %s, which is not for it",
                     id, owner, name);
}

/* It leaves a reservation that ends and keeps its jobs, without a run. */
static void check_leaving(struct sim *s, const struct model *m, const struct job *j,
                          const struct record *rec)
{
    const struct change *to = change_of(rec, JOB_A_QUEUE);
    const char *end = j->resv ? obj_str(&j->resv->obj, RESV_A_HF_ON_END, NULL) : NULL;

    if (!j->resv || resv_phase(j->resv) != PHASE_ENDING || !is_kept(end)) {
        check_failed(s, CHECK_ON_END, "job %s leaves what does not let it go", rec->id);
        return;
    }
    if (job_is_at_mom(j))
        check_failed(s, CHECK_ON_END, "job %s leaves while it runs", rec->id);
    if (strcmp(end, "hold") == 0 && job_state(j) != 'H')
        check_failed(s, CHECK_ON_END, "job %s leaves and is not held", rec->id);
    check_queue(s, m, j, to ? to->after : NULL);
}

/* By the end of an occurrence, which nothing else has for a reason. */
static void check_killed(struct sim *s, const struct job *j, const struct record *rec)
{
    if (rec->reason == REASON_OVER && j->resv &&
        is_kept(obj_str(&j->resv->obj, RESV_A_HF_ON_END, NULL)) &&
        obj_num(&j->obj, JOB_A_RERUNABLE, 1))
        check_failed(s, CHECK_ON_END, "job %s is killed and was to be kept", rec->id);
}

static void check_job(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct job *j = model_job(m, rec->id);
    const struct change *resv = change_of(rec, JOB_A_RESERVE_ID);

    if (j && rec->reason == REASON_MOVED && job_is_at_mom(j))
        check_failed(s, CHECK_ON_END, "job %s is moved while it runs", rec->id);
    if (j && rec->fact == FACT_JOB_MOVED && rec->reason != REASON_MOVED && resv &&
        !resv->after)
        check_leaving(s, m, j, rec);
    if (j && rec->fact == FACT_JOB_KILLED)
        check_killed(s, j, rec);
}

void check_end_of_resv(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;

    if (rec->kind == OBJ_JOB)
        check_job(s, m, rec);
    if (r && (rec->fact == FACT_RESV_ENDING || rec->fact == FACT_RESV_OVER))
        check_begun(s, m, r, rec);
}
