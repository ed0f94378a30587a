/* obit.c - what the server says to obituaries, and to which run that belongs.
 *
 * An answer names a job and no run. While one is on its way the server may have given
 * the run up, had it discarded and sent the next run of the job to the same MoM: the
 * answer must not end that one. So the answers that are still due are counted, for jobs
 * that are here and for those that are not any more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

static struct unanswered *find_unanswered(const struct mom *m, const char *job_id)
{
    struct unanswered *u;

    HASH_FIND_STR(m->unanswered, job_id, u);
    return u;
}

static void forget_unanswered(struct mom *m, struct unanswered *u)
{
    HASH_DEL(m->unanswered, u);
    free(u->job_id);
    free(u);
}

void obit_expect_answers(struct mom *m, const struct mom_job *j)
{
    struct unanswered *u = find_unanswered(m, j->id);

    if (j->n_obits == 0 || j->obit_stream != m->server)
        return;
    if (!u) {
        u = xcalloc(1, sizeof(*u));
        u->job_id = xstrdup(j->id);
        HASH_ADD_KEYPTR(hh, m->unanswered, u->job_id, strlen(u->job_id), u);
    }
    u->n += j->n_obits;
}

void obit_expect_none(struct mom *m)
{
    struct unanswered *u, *next;

    HASH_ITER (hh, m->unanswered, u, next)
        forget_unanswered(m, u);
}

/* Answers come in the order of the obituaries: those to earlier runs come first. The
 * job whose last obituary is answered; NULL when the answer was for another run, or for
 * none. A server that leaves one out costs the time until the obituary is repeated. */
static struct mom_job *answered_job(struct mom *m, const char *job_id)
{
    struct unanswered *u = find_unanswered(m, job_id);
    struct mom_job *j = job_find(m, job_id);

    if (u) {
        MUST(u->n > 0);
        if (--u->n == 0)
            forget_unanswered(m, u);
        return NULL;
    }
    if (!j || (j->phase != JOB_OBIT && j->phase != JOB_EXITED))
        return NULL;
    if (j->n_obits > 0)
        j->n_obits--;
    return j;
}

static void take_ack(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    if (j->phase != JOB_OBIT)
        return;
    if (job_is_to_rest(j)) {
        job_rest(m, j, out);
        return;
    }
    if (!job_leaves_files(j)) {
        life_drop(m, j, out);
        return;
    }
    /* A record that does not know of the answer has the obituary sent once more, and
     * the server answers again: not worth a write. */
    job_set_phase(m, j, JOB_EXITED);
    life_reckon(m, j);
}

void obit_take_answers(struct mom *m, const struct is_message *msg, struct mom_out *out)
{
    for (size_t i = 0; i < msg->acks.n; i++) {
        struct mom_job *j = answered_job(m, msg->acks.v[i]);

        if (j)
            take_ack(m, j, out);
    }
    for (size_t i = 0; i < msg->rejects.n; i++) {
        struct mom_job *j = answered_job(m, msg->rejects.v[i]);

        if (!j)
            continue;
        out_joblog(out, LOG_EV_ERROR, j, "Job removed, Server rejected Obit");
        life_drop(m, j, out);
    }
}
