/* host_records.c - the records of jobs on the disk of a host, with the notes of tasks
 * behind them, as mom/shell/records.c has them on a real one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "lib/wire/job_notes.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

const char *host_record_name(struct arena *arena, const char *job_id)
{
    return arena_printf(arena, "%s.JB", job_id);
}

static bool save_whole(struct mom_host *h, const char *job_id, const char *name)
{
    struct buf record = { 0 }, b = { 0 };
    struct file *f = disk_find(&h->disk, name);
    struct job_file has = { 0 };
    size_t offset;
    bool ok = true;

    mom_job_encode(h->mom, job_id, &record);
    if (f)
        has = job_file_read(f->data.data, f->data.len);
    if (!record.len) {
        /* The job is gone meanwhile. */
    } else if (f && job_file_next(&has, record.data, record.len, 0, &b, &offset)) {
        ok = disk_write_at(&h->disk, f, offset, b.data, b.len);
    } else {
        job_file_make(record.data, record.len, 0, &b, NULL);
        ok = disk_write(&h->disk, name, b.data, b.len);
        f = disk_find(&h->disk, name);
    }
    if (record.len && ok) {
        f->life = h->life;
        f->base = mom_job_base(h->mom, job_id);
    }
    buf_fini(&record);
    buf_fini(&b);
    return ok;
}

static int by_number(const void *a, const void *b)
{
    const struct job_record_task *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static void in_order(const struct buf *record, struct buf *ret)
{
    struct arena *arena = arena_new();
    struct job_record r;

    MUST(job_record_decode(record->data, record->len, arena, &r));
    if (r.n_stored > 1)
        qsort(r.tasks, r.n_stored, sizeof(*r.tasks), by_number);
    job_record_encode(&r, ret);
    arena_free(arena);
}

/* What a restart would find is what would have been written whole. */
static void check_note(struct mom_host *h, const char *job_id, const struct file *f)
{
    struct job_file has = job_file_read(f->data.data, f->data.len);
    struct buf whole = { 0 }, folded = { 0 }, a = { 0 }, b = { 0 };

    mom_job_encode(h->mom, job_id, &whole);
    in_order(&whole, &a);
    if (job_notes_fold(&has, &folded))
        in_order(&folded, &b);
    if (a.len != b.len || memcmp(a.data, b.data, a.len) != 0)
        check_failed(h->sim, CHECK_WIRE, "mom %s: %s: notes say something else",
                     h->name, job_id);
    buf_fini(&whole);
    buf_fini(&folded);
    buf_fini(&a);
    buf_fini(&b);
}

/* True: the note is there, or the MoM has been killed while it was being written. */
static bool save_note(struct mom_host *h, const char *job_id, const char *name,
                      uint32_t task)
{
    struct file *f = disk_find(&h->disk, name);
    struct buf note = { 0 }, b = { 0 };
    struct job_file has;
    size_t offset;
    bool ok = f && f->life == h->life && f->base == mom_job_base(h->mom, job_id) &&
              mom_job_note(h->mom, job_id, task, &note);

    if (ok) {
        has = job_file_read(f->data.data, f->data.len);
        ok = job_file_add_note(&has, note.data, note.len, &b, &offset);
    }
    if (ok && host_dies_here(h))
        (void)!disk_write_at(&h->disk, f, offset, b.data, b.len / 2);
    else if (ok)
        ok = disk_write_at(&h->disk, f, offset, b.data, b.len);
    if (ok && !h->is_dying)
        check_note(h, job_id, f);
    buf_fini(&note);
    buf_fini(&b);
    return ok;
}

bool host_save_record(struct mom_host *h, const char *job_id, uint32_t task)
{
    struct arena *arena = arena_new();
    const char *name = host_record_name(arena, job_id);
    bool ok = (task && save_note(h, job_id, name, task)) || save_whole(h, job_id, name);

    arena_free(arena);
    return ok;
}

/* A task that had its go is in the record, since that was written before. */
static void check_tasks(const struct mom_host *h, const char *job_id)
{
    int32_t run = mom_job_run_version(h->mom, job_id);
    struct mom_job_task task;
    const struct extra *r;

    DL_FOREACH (h->extras, r) {
        if (r->state != RUN_ON || r->run_version != run ||
            strcmp(r->job_id, job_id) != 0)
            continue;
        if (!mom_find_task(h->mom, job_id, r->task, &task) ||
            task.session != r->session)
            check_failed(h->sim, CHECK_WIRE, "mom %s: %s: task %08x is forgotten",
                         h->name, job_id, r->task);
    }
}

const char *host_load_record(struct mom_host *h, const struct file *f)
{
    struct job_file has = job_file_read(f->data.data, f->data.len);
    struct buf record = { 0 };
    const char *id = NULL;

    if (!job_notes_fold(&has, &record) ||
        !mom_load(h->mom, record.data, record.len, &id))
        check_failed(h->sim, CHECK_WIRE, "mom %s: record %s is damaged", h->name,
                     f->name);
    else
        check_tasks(h, id);
    buf_fini(&record);
    return id;
}
