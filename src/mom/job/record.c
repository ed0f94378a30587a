/* record.c - a job and its record (lib/wire/job_record.h): what a restart of the MoM
 * must know. What a record does not hold, a restart forgets: script and saved output
 * are files of their own, and a deadline is reckoned anew from what is there
 * (life_reckon()).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include "lib/wire/job_notes.h"

/* One that is being started has no session yet; it is not found again. */
static bool task_is_stored(const struct spawned *t)
{
    return t->session > 0;
}

static struct job_record_task record_task(const struct spawned *t)
{
    return (struct job_record_task){ .number = t->number,
                                     .session = t->session,
                                     .vnode = t->vnode,
                                     .mark = t->mark,
                                     .is_attached = t->is_attached };
}

static void put_tasks(const struct mom_job *j, struct arena *arena,
                      struct job_record *ret)
{
    const struct spawned *t;
    size_t n = 0;

    DL_FOREACH (j->tasks, t)
        n += task_is_stored(t);
    ret->tasks = ARENA_ARRAY(arena, struct job_record_task, n);
    DL_FOREACH (j->tasks, t)
        if (task_is_stored(t))
            ret->tasks[ret->n_stored++] = record_task(t);
    MUST(ret->n_stored == n);
}

static struct job_record_tasks tasks_of(const struct image *i, struct arena *arena)
{
    struct job_record_tasks r = { .event = i->event, .n = i->n };

    r.v = ARENA_ARRAY(arena, struct job_record_image_task, i->n);
    for (size_t k = 0; k < i->n; k++)
        r.v[k] = (struct job_record_image_task){ i->tasks[k].number, i->tasks[k].vnode,
                                                 i->tasks[k].session };
    return r;
}

static struct job_record_image image_of(const struct checkpoint *c, struct arena *arena)
{
    return (struct job_record_image){ .making = (int32_t)c->making,
                                      .stage = (int32_t)c->stage,
                                      .is_due = c->is_due,
                                      .undo = c->undo,
                                      .being_made = tasks_of(&c->being_made, arena),
                                      .last = tasks_of(&c->last, arena),
                                      .before = tasks_of(&c->before, arena),
                                      .has_image = c->has_image,
                                      .is_restart = c->is_restart,
                                      .has_ended = c->has_ended,
                                      .end_status = c->end_status,
                                      .session = c->session,
                                      .cput_s = c->used.cput_s,
                                      .mem_kb = c->used.mem_kb,
                                      .vmem_kb = c->used.vmem_kb,
                                      .walltime_s = c->walltime_s,
                                      .last_s = c->last_s };
}

/* All but the tasks. */
static struct job_record record_of(const struct mom_job *j, struct arena *arena)
{
    return (struct job_record){
        .id = j->id,
        /* A job being stored is one that starts when it is found. */
        .phase = j->phase == JOB_RESTING ? (int)JOB_RESTING
                                         : MAX_OF((int)j->phase, (int)JOB_PRERUN),
        .run_version = j->run_version,
        .session = j->top.session,
        .mark = j->top.mark,
        .status = j->status,
        .status_is_set = j->status_is_set,
        .since_at = j->since_at,
        .walltime_s = j->walltime_s,
        .kill_at = j->kill_at,
        .cput_s = j->top.used.cput_s,
        .mem_kb = j->top.used.mem_kb,
        .vmem_kb = j->top.used.vmem_kb,
        .attrs = j->attrs,
        .is_sister = j->is_sister,
        .own = (uint32_t)j->hosts.own,
        .out_port = (uint16_t)j->out_port,
        .err_port = (uint16_t)j->err_port,
        .ms_ip = j->ms_ip,
        .n_tasks = j->n_tasks,
        .image = image_of(&j->checkpoint, arena),
    };
}

void job_encode(const struct mom_job *j, struct buf *out)
{
    struct arena *arena = arena_new_small();
    struct job_record r = record_of(j, arena);

    put_tasks(j, arena, &r);
    job_record_encode(&r, out);
    arena_free(arena);
}

/* Of images the event and how many tasks: those of one event do not change. */
static void put_image_size(struct job_record_tasks *t, struct buf *out)
{
    buf_printf(out, "%zu ", t->n);
    t->n = 0;
}

uint64_t job_base(const struct mom_job *j)
{
    struct arena *arena = arena_new_small();
    struct job_record r = record_of(j, arena);
    struct buf b = { 0 };
    uint64_t sum;

    r.n_tasks = 0;
    r.cput_s = r.mem_kb = r.vmem_kb = 0;
    put_image_size(&r.image.being_made, &b);
    put_image_size(&r.image.last, &b);
    put_image_size(&r.image.before, &b);
    job_record_encode(&r, &b);
    sum = job_file_sum(b.data, b.len);
    buf_fini(&b);
    arena_free(arena);
    return sum;
}

void job_encode_note(const struct mom_job *j, uint32_t task, struct buf *out)
{
    const struct spawned *t = spawned_find(j, task);
    struct job_note n = { .task.number = task,
                          .has_ended = !t || !task_is_stored(t),
                          .n_tasks = j->n_tasks,
                          .cput_s = j->top.used.cput_s,
                          .mem_kb = j->top.used.mem_kb,
                          .vmem_kb = j->top.used.vmem_kb };

    if (!n.has_ended)
        n.task = record_task(t);
    job_note_encode(&n, out);
}

void job_save_task(const struct mom_job *j, uint32_t task, struct mom_out *out)
{
    out_job(out, MOM_SAVE, j);
    out->v[out->n - 1].task = task;
}

static bool phase_is_stored(int32_t phase)
{
    return phase == JOB_KILLING || phase == JOB_EPILOGUE || phase == JOB_PRERUN ||
           phase == JOB_RUNNING || phase == JOB_SUSPENDED || phase == JOB_EXITED ||
           phase == JOB_OBIT || phase == JOB_RESTING;
}

bool mom_record_is_of(const char *data, size_t len, const char *job_id)
{
    return job_record_is_of(data, len, job_id);
}

/* Tasks that were found in the record: whether they live is the executor's to say. */
static void take_tasks(struct mom_job *j, const struct job_record *r)
{
    for (size_t i = 0; i < r->n_stored; i++) {
        struct spawned *t = spawned_put(j, r->tasks[i].number, r->tasks[i].vnode);

        t->session = r->tasks[i].session;
        spawned_set_mark(t, r->tasks[i].mark);
        t->is_attached = r->tasks[i].is_attached;
    }
}

/* Other hosts may have what they were asked to have, as far as the record tells. None
 * was asked before the run had its cookie, and without one no answer would be taken. */
static void take_width(struct mom *m, struct mom_job *j, const struct job_record *r)
{
    bool were_asked = wire_attrs_value(&j->attrs, "cookie", NULL) != NULL;

    j->is_sister = r->is_sister;
    j->hosts.own = MIN_OF((size_t)r->own, j->hosts.n - 1);
    job_note_limits(j);
    j->out_port = r->out_port;
    j->err_port = r->err_port;
    j->ms_ip = r->ms_ip;
    j->n_tasks = r->n_tasks;
    for (size_t i = 0; i < j->hosts.n && were_asked && !j->is_sister; i++)
        j->hosts.v[i].is_member = i != j->hosts.own;
    host_list_note_width(m, j);
}

/* Is the phase one in which an image can be made, or rest? */
static bool image_fits(const struct job_record *r)
{
    if (r->phase == JOB_RESTING && !r->image.has_image)
        return false;
    if (r->image.stage >= IMAGE_STAGES ||
        (r->image.making && r->image.stage == IMAGE_IDLE))
        return false;
    /* A job that is over makes none; a sister is stopped before it is over. */
    return r->image.stage == IMAGE_IDLE || r->phase == JOB_PRERUN ||
           r->phase == JOB_RUNNING || r->phase == JOB_SUSPENDED;
}

static struct image image_from(const struct job_record_tasks *r)
{
    struct image i = { .event = r->event, .n = r->n };

    i.tasks = xcalloc(r->n + 1, sizeof(*i.tasks));
    for (size_t k = 0; k < r->n; k++)
        i.tasks[k] =
            (struct image_task){ r->v[k].number, r->v[k].vnode, r->v[k].session };
    return i;
}

static void take_image(struct mom_job *j, const struct job_record_image *c)
{
    j->checkpoint = (struct checkpoint){ .may_have_files = true,
                                         .making = (enum checkpoint_kind)c->making,
                                         .stage = (enum image_stage)c->stage,
                                         .is_due = c->is_due,
                                         .undo = c->undo,
                                         .being_made = image_from(&c->being_made),
                                         .last = image_from(&c->last),
                                         .before = image_from(&c->before),
                                         .is_top_restored = c->is_restart,
                                         .has_image = c->has_image,
                                         .is_restart = c->is_restart,
                                         .has_ended = c->has_ended,
                                         .end_status = c->end_status,
                                         .session = c->session,
                                         .used = { c->cput_s, c->mem_kb, c->vmem_kb },
                                         .walltime_s = c->walltime_s,
                                         .last_s = c->last_s };
    /* What the job had used before it was restarted belongs to its sums. */
    if (c->is_restart)
        j->ended = j->checkpoint.used;
}

static struct mom_job *make_job(struct mom *m, const struct job_record *r)
{
    struct mom_job *j = job_new(m, r->id, &r->attrs);

    job_set_phase(m, j, (enum job_phase)r->phase);
    j->run_version = r->run_version;
    j->top.session = r->session;
    j->top.mark = arena_strdup(j->arena, r->mark);
    j->status = r->status;
    j->status_is_set = r->status_is_set;
    j->since_at = r->since_at;
    j->walltime_s = r->walltime_s;
    j->kill_at = r->kill_at;
    j->is_ended_by_order = r->kill_at != INT64_MAX;
    j->top.used = (struct mom_usage){ .cput_s = r->cput_s,
                                      .mem_kb = r->mem_kb,
                                      .vmem_kb = r->vmem_kb };
    take_width(m, j, r);
    take_tasks(j, r);
    take_image(j, &r->image);
    return j;
}

struct mom_job *job_decode(struct mom *m, const char *data, size_t len)
{
    struct arena *arena = arena_new();
    struct mom_job *j = NULL;
    struct job_record r;

    /* Phases of a job that is still being received have no record, and a second record
     * of the same job is damage, too. */
    if (job_record_decode(data, len, arena, &r) && phase_is_stored(r.phase) &&
        image_fits(&r) && !job_find_any(m, r.id))
        j = make_job(m, &r);
    arena_free(arena);
    return j;
}
