/* host_images.c - images of jobs on a host's disk, and the scripts that make them, in
 * virtual time. It does what mom/shell/checkpoints.c does with those of a real host: a
 * script outlives the MoM, what it has ended with is in a file, and the image before
 * is kept until it has ended well.
 *
 * An image says how long the job still lasts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "sim.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define SCRIPT_MS 2000 /* in calm weather */

struct script_end {
    struct mom_host *host;
    uint64_t number;
};

static const char *image_name(struct arena *arena, const char *job_id)
{
    return arena_printf(arena, "%s.CK", job_id);
}

static const char *old_name(struct arena *arena, const char *job_id)
{
    return arena_printf(arena, "%s.CK.old", job_id);
}

static const char *before_name(struct arena *arena, const char *job_id)
{
    return arena_printf(arena, "%s.CK.prev", job_id);
}

static const char *report_name(struct arena *arena, const char *job_id)
{
    return arena_printf(arena, "%s.CL", job_id);
}

static void rename_file(struct disk *d, const char *from, const char *to)
{
    struct file *f;

    HASH_FIND_STR(d->files, from, f);
    if (!f)
        return;
    disk_remove(d, to);
    HASH_DEL(d->files, f);
    free(f->name);
    f->name = xstrdup(to);
    HASH_ADD_KEYPTR(hh, d->files, f->name, strlen(f->name), f);
}

bool images_left_ms(const struct mom_host *h, const char *job_id, int64_t *ret)
{
    struct arena *arena = arena_new();
    const struct buf *image = disk_read(&h->disk, image_name(arena, job_id));
    bool ok = image && sscanf(image->data, "%" SCNd64, ret) == 1;

    arena_free(arena);
    return ok;
}

/* Also one that nobody waits for any more. */
static struct making *find(const struct mom_host *h, const char *job_id)
{
    struct making *k;

    DL_FOREACH (h->makings, k)
        if (strcmp(k->job_id, job_id) == 0)
            return k;
    return NULL;
}

static void free_making(struct mom_host *h, struct making *k)
{
    DL_DELETE(h->makings, k);
    free(k->job_id);
    free(k);
}

void images_kill(struct mom_host *h)
{
    while (h->makings)
        free_making(h, h->makings);
}

/* The image before, if there is one, in the place of one that is not wanted. */
static void take_back(struct mom_host *h, const char *job_id, struct arena *arena)
{
    const char *old = old_name(arena, job_id);

    if (!disk_read(&h->disk, old))
        return;
    rename_file(&h->disk, old, image_name(arena, job_id));
}

void images_settle(struct mom_host *h, const char *job_id)
{
    struct arena *arena = arena_new();

    if (!mom_job_makes_image(h->mom, job_id)) {
        take_back(h, job_id, arena);
        if (!mom_job_has_image(h->mom, job_id))
            disk_remove(&h->disk, image_name(arena, job_id));
        if (!mom_job_has_image_before(h->mom, job_id))
            disk_remove(&h->disk, before_name(arena, job_id));
        disk_remove(&h->disk, report_name(arena, job_id));
    }
    arena_free(arena);
}

void images_drop(struct mom_host *h, const char *job_id)
{
    struct arena *arena = arena_new();

    images_abandon(h, job_id);
    disk_remove(&h->disk, image_name(arena, job_id));
    disk_remove(&h->disk, old_name(arena, job_id));
    disk_remove(&h->disk, before_name(arena, job_id));
    disk_remove(&h->disk, report_name(arena, job_id));
    arena_free(arena);
}

void images_check_none(struct mom_host *h, const char *job_id)
{
    struct arena *arena = arena_new();

    if (find(h, job_id) || disk_read(&h->disk, image_name(arena, job_id)) ||
        disk_read(&h->disk, old_name(arena, job_id)) ||
        disk_read(&h->disk, before_name(arena, job_id)) ||
        disk_read(&h->disk, report_name(arena, job_id)))
        check_failed(h->sim, CHECK_WIRE, "mom %s: %s: an image of it is left", h->name,
                     job_id);
    arena_free(arena);
}

void images_go_back(struct mom_host *h, const char *job_id, bool has_before)
{
    struct arena *arena = arena_new();

    disk_remove(&h->disk, image_name(arena, job_id));
    if (has_before)
        rename_file(&h->disk, before_name(arena, job_id), image_name(arena, job_id));
    arena_free(arena);
}

/* The MoM reads what the script has ended with. */
static void tell(struct mom_host *h, const char *job_id)
{
    struct arena *arena = arena_new();
    const struct buf *report = disk_read(&h->disk, report_name(arena, job_id));
    int err = report && report->len ? atoi(report->data) : EIO;
    struct mom_out out = host_input(h);

    mom_checkpointed(h->mom, host_now_at(h), job_id,
                     err ? NULL : image_name(arena, job_id), err, &out);
    host_end_input(h, &out);
    if (h->mom && mom_job_attrs(h->mom, job_id))
        images_settle(h, job_id);
    else if (h->mom)
        images_drop(h, job_id);
    arena_free(arena);
}

/* 0, or a number of errno.h. */
static int write_image(struct mom_host *h, const struct making *k, const struct run *r,
                       struct arena *arena)
{
    const char *text;

    if (!k->is_sisters && (!r || r->state != RUN_ON))
        return EIO;
    if (h->sim->weather.jitter_ms && rnd_percent(&h->sim->rnd, 10))
        return EIO;
    text = arena_printf(arena, "%" PRId64, r ? host_left_ms(h, r) : 0);
    return disk_write(&h->disk, image_name(arena, k->job_id), text, strlen(text))
               ? 0
               : ENOSPC;
}

static void script_ends(struct sim *s, void *arg)
{
    const struct script_end *x = arg;
    struct mom_host *h = x->host;
    struct arena *arena = arena_new();
    struct run *r;
    struct making *k;
    const char *job_id, *text;
    bool is_wanted;
    int err;

    (void)s;
    DL_FOREACH (h->makings, k)
        if (k->number == x->number)
            break;
    if (!k) {
        arena_free(arena);
        return;
    }
    job_id = arena_strdup(arena, k->job_id);
    r = host_run_of(h, job_id, k->run_version);
    err = k->is_killed ? EINTR : write_image(h, k, r, arena);
    sim_trace(s, "host %s: an image of %s is %s", h->name, job_id,
              err ? "not made" : "made");
    if (err)
        take_back(h, job_id, arena);
    else if (k->keeps_before)
        rename_file(&h->disk, old_name(arena, job_id), before_name(arena, job_id));
    else
        disk_remove(&h->disk, old_name(arena, job_id));
    text = arena_printf(arena, "%d", err);
    (void)!disk_fill(&h->disk, report_name(arena, job_id), text, strlen(text));
    is_wanted = !k->is_abandoned && h->mom && k->awaited_by == h->life;
    if (!err && k->aborts)
        extras_signal(h, job_id, 0, SIGKILL);
    if (!err && k->aborts && r)
        host_end_run(h, r);
    free_making(h, k);
    if (is_wanted && h->mom)
        tell(h, job_id);
    else if (h->mom && mom_job_attrs(h->mom, job_id))
        images_settle(h, job_id);
    else if (h->mom)
        images_drop(h, job_id);
    arena_free(arena);
}

static void end_after(struct mom_host *h, const struct making *k, int64_t delay_ms)
{
    struct script_end *x = xmalloc(sizeof(*x));

    *x = (struct script_end){ h, k->number };
    sim_after(h->sim, delay_ms, script_ends, x, free);
}

static void start(struct mom_host *h, const char *job_id, bool aborts,
                  bool keeps_before)
{
    struct sim *s = h->sim;
    struct arena *arena = arena_new();
    struct making *k = xcalloc(1, sizeof(*k));

    k->number = ++h->last_run;
    k->job_id = xstrdup(job_id);
    k->run_version = mom_job_run_version(h->mom, job_id);
    k->started_by = k->awaited_by = h->life;
    k->aborts = aborts;
    k->is_sisters = mom_job_session(h->mom, job_id) == 0;
    k->keeps_before = keeps_before;
    DL_APPEND(h->makings, k);
    if (!disk_read(&h->disk, old_name(arena, job_id)))
        rename_file(&h->disk, image_name(arena, job_id), old_name(arena, job_id));
    end_after(h, k,
              s->weather.jitter_ms ? rnd_range(&s->rnd, 0, 10 * SCRIPT_MS) : SCRIPT_MS);
    arena_free(arena);
}

struct image_question {
    struct mom_host *host;
    uint64_t life;
    char *job_id; /* owned */
};

static void is_asked_for(struct sim *s UNUSED, void *arg)
{
    const struct image_question *x = arg;

    if (x->host->mom && x->host->life == x->life)
        tell(x->host, x->job_id);
}

static void question_drop(void *arg)
{
    struct image_question *x = arg;

    free(x->job_id);
    free(x);
}

/* Of an earlier MoM: it is waited for, or it has ended. */
static void watch(struct mom_host *h, const char *job_id)
{
    struct making *k = find(h, job_id);
    struct image_question *x;

    if (k) {
        k->awaited_by = h->life;
        k->is_abandoned = false;
        return;
    }
    x = xmalloc(sizeof(*x));
    *x = (struct image_question){ h, h->life, xstrdup(job_id) };
    sim_after(h->sim, 1, is_asked_for, x, question_drop);
}

void images_make(struct mom_host *h, const struct mom_effect *e, struct mom_out *out)
{
    struct arena *arena;
    bool ok;

    if (!mom_job_attrs(h->mom, e->job_id))
        return;
    if (e->u.checkpoint.was_begun) {
        watch(h, e->job_id);
        return;
    }
    arena = arena_new();
    ok = !find(h, e->job_id) && disk_reserve(&h->disk, report_name(arena, e->job_id));
    arena_free(arena);
    if (ok)
        start(h, e->job_id, e->u.checkpoint.aborts, e->u.checkpoint.keeps_before);
    else
        mom_checkpointed(h->mom, host_now_at(h), e->job_id, NULL, EAGAIN, out);
}

/* The script of this MoM is killed; that of an earlier one goes on. */
void images_abandon(struct mom_host *h, const char *job_id)
{
    struct making *k = find(h, job_id);

    if (!k || k->is_abandoned)
        return;
    k->is_abandoned = true;
    k->is_killed = k->started_by == h->life;
    if (k->is_killed)
        end_after(h, k, 0);
}
