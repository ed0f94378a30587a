/* resting.c - jobs whose run is over and whose image waits for their next one.
 *
 * Such a job is in no other list: it has no run that anybody could ask for anything.
 * Its record and its files stay, until the server sends the job again or wants the
 * image removed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

struct mom_job *resting_find(const struct mom *m, const char *id)
{
    struct mom_job *j;

    HASH_FIND_STR(m->resting, id, j);
    return j;
}

/* The server counts on the image after these, and after no others (its table is
 * server/model/job_exit.c): what ends a run without anything being wrong with the
 * image. */
bool job_is_to_rest(const struct mom_job *j)
{
    static const int32_t keep[] = { -3, -5, -7, -12, -15, -30 };

    for (size_t i = 0; i < ARRAY_LEN(keep); i++)
        if (j->checkpoint.has_image && j->status == keep[i])
            return true;
    return false;
}

void resting_add(struct mom *m, struct mom_job *j)
{
    MUST(job_find(m, j->id) == j && !resting_find(m, j->id));
    MUST(!j->asked && !j->peer); /* nothing is under way */
    if (j->is_wide)
        DL_DELETE2(m->wide, j, wide_prev, wide_next);
    j->is_wide = false;
    deadline_set(&m->due, &j->due, DEADLINE_NEVER);
    job_leaves_table(m, j);
    job_set_phase(m, j, JOB_RESTING);
    HASH_ADD_KEYPTR(hh, m->resting, j->id, strlen(j->id), j);
    joins_note(m, j->id);
}

void job_rest(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    MUST(j->checkpoint.has_image && !j->checkpoint.making);
    asked_drop_all(j);
    releasing_drop_all(j);
    out_joblog(out, LOG_EV_DEBUG, j, "the job waits for its restart");
    obit_expect_answers(m, j);
    j->n_obits = 0;
    /* Their images rest as well, also after a start that failed, in which nobody has a
     * part any more: whoever drops this one tells them all. */
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].is_member = i != j->hosts.own;
    resting_add(m, j);
    out_job(out, MOM_SAVE, j);
    out_job(out, MOM_REST, j);
}

/* The other hosts are to forget it, too, which takes until they have answered: it is
 * among the jobs of this MoM meanwhile. */
static void leave_hosts(struct mom *m, int64_t now_at, struct mom_job *j,
                        struct mom_out *out)
{
    HASH_DEL(m->resting, j);
    job_set_phase(m, j, JOB_EXITED);
    HASH_ADD_KEYPTR(hh, m->jobs, j->id, strlen(j->id), j);
    host_list_note_width(m, j);
    (void)superior_ask_all(m, now_at, j, IM_DELETE_JOB_REPLY, 0, "", out);
}

void resting_drop(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    MUST(j->phase == JOB_RESTING);
    out_joblog(out, LOG_EV_JOB, j, "the checkpoint of the job is removed");
    if (!j->is_sister && superior_n_members(j) > 0 && !job_find(m, j->id))
        leave_hosts(m, now_at, j, out);
    else
        life_drop(m, j, out);
}

bool resting_is_leaving(const struct mom_job *j)
{
    return j->phase == JOB_EXITED && j->waiter_msgid && !j->waiter_stream &&
           j->waits_for == IM_DELETE_JOB_REPLY;
}

/* A host that has not answered was told, or could not be reached: the next run begins
 * there with the removal of what is left (sister.c), and a host that has no part in it
 * tells the server what it has, which has that discarded. */
void resting_leave_now(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    MUST(resting_is_leaving(j));
    life_drop(m, j, out);
}

static bool same_text(const struct mom_job *a, const struct mom_job *b,
                      const char *name)
{
    const char *x = wire_attrs_value(&a->attrs, name, NULL);
    const char *y = wire_attrs_value(&b->attrs, name, NULL);

    return x && y && strcmp(x, y) == 0;
}

/* A server that was set up anew gives the same ids to other jobs, and nobody may be
 * given the memory of somebody else's processes. */
bool resting_is_of(const struct mom_job *image, const struct mom_job *j)
{
    return same_text(image, j, "euser") && same_text(image, j, "Job_Owner") &&
           same_text(image, j, "Job_Name") && image->run_version < j->run_version;
}

static void copy_image(struct image *to, const struct image *from)
{
    *to = *from;
    to->tasks = xcalloc(from->n + 1, sizeof(*to->tasks));
    if (from->n > 0)
        memcpy(to->tasks, from->tasks, from->n * sizeof(*to->tasks));
}

void resting_hand_over(struct mom_job *image, struct mom_job *j)
{
    struct checkpoint *c = &j->checkpoint;

    *c = (struct checkpoint){ .may_have_files = true,
                              .has_image = true,
                              .used = image->checkpoint.used,
                              .walltime_s = image->checkpoint.walltime_s,
                              .session = image->checkpoint.session,
                              .last_s = image->checkpoint.last_s,
                              .is_restart = true };
    copy_image(&c->last, &image->checkpoint.last);
    j->n_tasks = image->n_tasks;
    j->ended = j->top.used = c->used;
    j->walltime_s = c->walltime_s;
}

void resting_take_over(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct mom_job *image = resting_find(m, j->id);

    if (!image)
        return;
    if (resting_is_of(image, j) && !image->is_sister) {
        resting_hand_over(image, j);
        return;
    }
    out_joblog(out, LOG_EV_ERROR, j,
               "the checkpoint under this id is another job's, and is removed");
    life_drop(m, image, out);
}

void resting_forget(struct mom *m, const char *id)
{
    struct mom_job *image = resting_find(m, id);

    if (image)
        job_free(m, image);
}

void resting_free_all(struct mom *m)
{
    struct mom_job *j, *next;

    HASH_ITER (hh, m->resting, j, next)
        job_free(m, j);
}
