/* runs.c - see runs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"
#include "lib/attr/value.h"
#include "server/model/job_exit.h"
#include "server/model/job_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define SENT_BACK  (-15)  /* what a run has ended with then */
#define SLACK_MS   60000  /* what a MoM takes to end a job, and counts beside */
#define SETTLED_MS 100000 /* by then the server has heard of an end */

static void ran_free(struct runs *r, struct ran *x)
{
    HASH_DEL(r->list, x);
    free(x->key);
    free(x->job_id);
    free(x);
}

void runs_fini(struct runs *r)
{
    while (r->list)
        ran_free(r, r->list);
}

static struct ran *find(const struct runs *r, const char *job_id, int64_t run_version)
{
    char *key = xasprintf("%s %" PRId64, job_id, run_version);
    struct ran *x;

    HASH_FIND_STR(r->list, key, x);
    free(key);
    return x;
}

static bool goes_on(const struct ran *x)
{
    return !x->is_over && !x->is_lost && !x->is_awaited;
}

static bool is_signalled(const struct sim *s, const struct ran *x)
{
    const struct run *r = host_run(&s->hosts[x->host], x->job_id, x->run_version);

    return x->was_signalled || (r && r->was_signalled);
}

/* Nobody else's run of this job goes on that the server has not given up. A run that
 * was told to end needs a moment for it; and one that was given up while it was on its
 * way to a host that was not to be reached begins late, until the server hears of it.
 */
static void check_alone(struct mom_host *h, const struct run *r, bool is_late)
{
    struct ran *x, *next;

    HASH_ITER (hh, h->sim->runs.list, x, next) {
        if (strcmp(x->job_id, r->job_id) != 0 || !goes_on(x) || is_signalled(h->sim, x))
            continue;
        if (x->host == h->index || (!x->is_given_up && !is_late))
            check_failed(h->sim, CHECK_ONCE,
                         "run %d of job %s begins at %s while its run %d goes on at %s",
                         r->run_version, r->job_id, h->name, x->run_version,
                         h->sim->hosts[x->host].name);
    }
}

static struct ran *add(struct runs *all, const char *job_id, int32_t run_version)
{
    struct ran *x = xcalloc(1, sizeof(*x));

    x->key = xasprintf("%s %d", job_id, run_version);
    x->job_id = xstrdup(job_id);
    x->run_version = run_version;
    HASH_ADD_KEYPTR(hh, all->list, x->key, strlen(x->key), x);
    return x;
}

void check_run_begins(struct mom_host *h, const struct run *r)
{
    struct runs *all = &h->sim->runs;
    struct ran *x = find(all, r->job_id, r->run_version);

    if (x && !x->is_awaited)
        check_failed(h->sim, CHECK_ONCE, "run %d of job %s begins once more, at %s",
                     r->run_version, r->job_id, h->name);
    check_alone(h, r, x && x->is_awaited);
    check_two_begins(h, r);
    if (!x)
        x = add(all, r->job_id, r->run_version);
    x->is_awaited = false;
    x->host = h->index;
}

static struct ran *last_at(struct mom_host *h, const char *job_id)
{
    return h->mom ? find(&h->sim->runs, job_id, mom_job_run_version(h->mom, job_id))
                  : NULL;
}

void check_run_saved(struct mom_host *h, const char *job_id, bool saved)
{
    struct ran *x = last_at(h, job_id);

    if (x)
        x->is_unsaved = !saved;
}

void check_run_read(struct mom_host *h, const char *job_id)
{
    struct ran *x = last_at(h, job_id);

    if (x)
        x->is_unsure |= x->is_unsaved;
}

/* Longer than its walltime and what its end takes, under the eyes of its MoM? */
static void check_long(struct mom_host *h, const struct ran *x)
{
    const struct wire_attrs *attrs = h->mom ? mom_job_attrs(h->mom, x->job_id) : NULL;
    const char *limit =
        attrs ? wire_attrs_value(attrs, "Resource_List", "walltime") : NULL;
    int64_t limit_s;

    if (!limit || x->is_unsure || duration_parse(limit, &limit_s) != 0 ||
        h->sim->clock.now_ms - h->up_ms < SLACK_MS)
        return;
    if (x->on_ms > 1000 * limit_s + SLACK_MS)
        check_failed(h->sim, CHECK_OBIT,
                     "run %d of job %s went on for %" PRId64 " s, and might for %s",
                     x->run_version, x->job_id, x->on_ms / 1000, limit);
}

void check_run_ended(struct mom_host *h, const struct run *r, int32_t status,
                     bool written)
{
    struct ran *x = find(&h->sim->runs, r->job_id, r->run_version);

    if (!x || r->state != RUN_ON)
        return;
    x->is_over = true;
    x->over_ms = h->sim->clock.now_ms;
    x->was_signalled = r->was_signalled;
    x->is_written = written;
    x->status = status;
    x->lasts_ms = r->lasts_ms;
    x->on_ms = r->lasts_ms - host_left_ms(h, r);
    check_long(h, x);
}

void check_run_lost(struct mom_host *h, const struct run *r)
{
    struct ran *x = find(&h->sim->runs, r->job_id, r->run_version);

    if (x && r->state == RUN_ON)
        x->is_lost = true;
}

void check_run_crossed(struct mom_host *h, const char *job_id)
{
    struct ran *x, *next;

    HASH_ITER (hh, h->sim->runs.list, x, next)
        if (x->host == h->index && x->is_over && strcmp(x->job_id, job_id) == 0)
            x->is_crossed = true;
}

void check_run_sent_back(struct mom_host *h, const char *job_id, int32_t run_version)
{
    struct ran *x = find(&h->sim->runs, job_id, run_version);

    if (x)
        x->is_sent_back = true;
}

static int64_t exit_status(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_EXIT_STATUS && rec->changes[i].after)
            return atoll(rec->changes[i].after);
    return 0;
}

/* Its host was away for longer than node_fail_requeue. */
static bool is_giving_up(const struct record *rec)
{
    return rec->note && strstr(rec->note, "execution node");
}

/* A MoM notes that the job is over its walltime before she says SIGTERM. If she dies
 * between the two, the processes may end by themselves, and what is noted stays
 * (execution.md 20: their own status does not overwrite it). It has to be true. */
static bool is_over_walltime(const struct ran *x, const struct job *j,
                             const struct record *rec)
{
    const char *limit = job_exit_limit(exit_status(rec));
    int64_t walltime_s = resources_amount(obj_resources(&j->obj, JOB_A_RESOURCE_LIST),
                                          "walltime", INT64_MAX / 1000);

    return limit && strcmp(limit, "walltime") == 0 && x->lasts_ms > 1000 * walltime_s;
}

/* Was it ended for a walltime of which much was left? */
static bool is_early(const struct ran *x, const struct job *j, const struct record *rec)
{
    const char *limit = job_exit_limit(exit_status(rec));
    int64_t walltime_s = resources_amount(obj_resources(&j->obj, JOB_A_RESOURCE_LIST),
                                          "walltime", INT64_MAX / 1000);

    return x->is_over && !x->is_unsure && limit && strcmp(limit, "walltime") == 0 &&
           x->on_ms + SLACK_MS / 2 < 1000 * walltime_s;
}

static void check_obit(struct sim *s, struct ran *x, const struct job *j,
                       const struct record *rec)
{
    if (is_giving_up(rec)) {
        x->is_given_up = true;
        return;
    }
    x->is_taken = true;
    if (is_early(x, j, rec))
        check_failed(s, CHECK_OBIT,
                     "run %d of job %s was ended for its walltime after %" PRId64 " s",
                     x->run_version, x->job_id, x->on_ms / 1000);
    if (x->is_lost || is_signalled(s, x))
        return;
    if (!x->is_over)
        check_failed(s, CHECK_OBIT, "run %d of job %s has ended, yet it goes on at %s",
                     x->run_version, x->job_id, s->hosts[x->host].name);
    else if (x->is_written && !x->is_crossed && exit_status(rec) != x->status &&
             !(x->is_sent_back && exit_status(rec) == SENT_BACK) &&
             !is_over_walltime(x, j, rec))
        check_failed(s, CHECK_OBIT, "run %d of job %s has ended with %d, not %" PRId64,
                     x->run_version, x->job_id, x->status, exit_status(rec));
}

void check_run_record(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct job *j = rec->kind == OBJ_JOB ? model_job(m, rec->id) : NULL;
    int64_t version = j ? obj_num(&j->obj, JOB_A_RUN_VERSION, 0) : 0;
    struct ran *x = j ? find(&s->runs, rec->id, version) : NULL;

    if (j && !x && rec->fact == FACT_JOB_OBIT && is_giving_up(rec)) {
        x = add(&s->runs, rec->id, (int32_t)version);
        x->is_awaited = true;
    }
    if (!x)
        return;
    if (rec->fact == FACT_JOB_OBIT)
        check_obit(s, x, j, rec);
    if (rec->fact == FACT_JOB_REQUEUED)
        x->is_given_up = true;
    if (rec->fact == FACT_JOB_SUSPENDED &&
        strcmp(obj_str(&j->obj, JOB_A_HF_SUSPEND, ""), "admin-suspend") == 0)
        x->goes_on_late = true;
    if (rec->fact == FACT_JOB_STANDS)
        x->goes_on_late = true;
    if ((rec->fact == FACT_JOB_REJECTED || rec->fact == FACT_JOB_DELETED ||
         rec->fact == FACT_JOB_WITHDRAWN) &&
        goes_on(x) && !x->is_given_up)
        check_failed(s, CHECK_OBIT, "%s of job %s, whose run %d goes on at %s",
                     fact_name(rec->fact), rec->id, x->run_version,
                     s->hosts[x->host].name);
}

bool run_was_signalled(const struct sim *s, const char *job_id)
{
    const struct ran *x, *next, *last = NULL;

    HASH_ITER (hh, s->runs.list, x, next)
        if (strcmp(x->job_id, job_id) == 0 &&
            (!last || x->run_version > last->run_version))
            last = x;
    return last && is_signalled(s, last);
}

bool run_was_over_limit(const struct model *m, const char *job_id)
{
    const struct object *o = &model_job(m, job_id)->obj;

    return job_exit_limit(obj_num(o, JOB_A_EXIT_STATUS, 0)) != NULL;
}

bool run_goes_on_late(const struct sim *s, const struct job *j)
{
    const struct ran *x =
        find(&s->runs, j->obj.id, obj_num(&j->obj, JOB_A_RUN_VERSION, 0));

    return x && x->goes_on_late;
}

/* What the server takes for running runs. */
static void check_running_jobs(struct sim *s)
{
    MODEL_EACH (shell_model(s), OBJ_JOB, o) {
        const struct ran *x = find(&s->runs, o->id, obj_num(o, JOB_A_RUN_VERSION, 0));

        if (job_state(TO_JOB(o)) != 'R' || job_substate(TO_JOB(o)) != JOB_SUB_RUNNING)
            continue;
        if (!x)
            check_failed(s, CHECK_AGREE, "job %s runs, and nobody has begun it", o->id);
        else if (x->is_lost ||
                 (x->is_over && x->over_ms < s->clock.now_ms - SETTLED_MS))
            check_failed(s, CHECK_AGREE, "job %s runs, and its run %d ended long ago",
                         o->id, x->run_version);
    }
}

/* What runs is of a job that runs. */
static void check_processes(struct sim *s, const struct mom_host *h)
{
    const struct run *r;

    DL_FOREACH (h->runs, r) {
        const struct job *j = model_job(shell_model(s), r->job_id);

        if (r->was_signalled || r->state != RUN_ON)
            continue;
        if (!j || job_state(j) != 'R' ||
            obj_num(&j->obj, JOB_A_RUN_VERSION, 0) != r->run_version)
            check_failed(s, CHECK_AGREE, "run %d of job %s goes on at %s for nobody",
                         r->run_version, r->job_id, h->name);
    }
}

void check_runs_agree(struct sim *s)
{
    if (!shell_model(s))
        return;
    check_running_jobs(s);
    for (int i = 0; i < s->cluster.n_hosts; i++)
        check_processes(s, &s->hosts[i]);
}

/* A file of an end may be left behind by a job that its MoM did not begin itself: it is
 * removed when the MoM starts. */
static void check_host_is_free(struct sim *s, const struct mom_host *h)
{
    const struct file *f, *next;

    if (!h->mom || mom_n_jobs(h->mom) > 0)
        check_failed(s, CHECK_AGREE, "mom %s has jobs left", h->name);
    if (h->runs)
        check_failed(s, CHECK_AGREE, "processes of job %s are left at %s",
                     h->runs->job_id, h->name);
    if (h->extras)
        check_failed(s, CHECK_AGREE, "task %08x of job %s is left at %s",
                     h->extras->task, h->extras->job_id, h->name);
    HASH_ITER (hh, h->disk.files, f, next)
        if (!strstr(f->name, ".EX"))
            check_failed(s, CHECK_AGREE, "file %s is left at %s", f->name, h->name);
}

void check_runs_end(struct sim *s)
{
    struct ran *x, *next;

    HASH_ITER (hh, s->runs.list, x, next)
        if (x->is_over && x->is_written && !x->was_signalled && !x->is_taken &&
            !x->is_given_up)
            check_failed(s, CHECK_OBIT, "nobody heard how run %d of job %s has ended",
                         x->run_version, x->job_id);
    for (int i = 0; i < s->cluster.n_hosts; i++)
        check_host_is_free(s, &s->hosts[i]);
}
