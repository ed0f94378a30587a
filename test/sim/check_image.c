/* check_image.c - see check_image.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_image.h"

#include "lib/attr/job_attrs.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static bool counts_on_image(const struct job *j)
{
    return obj_num(&j->obj, JOB_A_HF_IMAGE, 0) > 0;
}

static const char *after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

static bool is_on_disk(const struct sim *s, const char *job_id)
{
    int64_t left_ms;

    for (int i = 0; i < s->cluster.n_hosts; i++)
        if (images_left_ms(&s->hosts[i], job_id, &left_ms))
            return true;
    return false;
}

static void note_run(struct sim *s, const struct job *j, const struct record *rec)
{
    struct entry *e = ledger_find(&s->ledger, rec->id);
    const char *version = after(rec, JOB_A_RUN_VERSION);

    if (e) {
        e->sent_run = version ? atoll(version) : 0;
        e->sent_image = counts_on_image(j);
    }
}

void check_image_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct job *j = rec->kind == OBJ_JOB ? model_job(m, rec->id) : NULL;
    bool is_made = rec->fact == FACT_JOB_OBIT && after(rec, JOB_A_HF_IMAGE);

    if (!j)
        return;
    if (rec->fact == FACT_JOB_RUN)
        note_run(s, j, rec);
    if (is_made && !is_on_disk(s, rec->id))
        check_failed(s, CHECK_IMAGE,
                     "job %s has ended with an image, and there is none", rec->id);
    if (is_made && !counts_on_image(j) && !s->images)
        check_failed(s, CHECK_IMAGE, "job %s has an image, and nobody makes any",
                     rec->id);
}

/* One that was given up while it was on its way begins late: nothing is known of it. */
void check_image_begins(struct mom_host *h, const struct run *r)
{
    const struct entry *e = ledger_find(&h->sim->ledger, r->job_id);

    if (!e || e->sent_run != r->run_version || e->sent_image == r->is_restart)
        return;
    check_failed(h->sim, CHECK_IMAGE, "run %d of job %s %s", r->run_version, r->job_id,
                 r->is_restart ? "goes on from an image that was given up"
                               : "begins anew, and there was an image");
}
