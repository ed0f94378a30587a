/* job_record.c - see job_record.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_record.h"

#include "lib/wire/dis.h"

#include <string.h>

/* Older ones are read: HFJ1 is of a MoM whose jobs had one host and one task, HFJ2 of
 * one that did not know whether a session's number was another's by now, HFJ3 of one
 * that made no images, HFJ4 of one whose images had one host and one task. */
static const char *const magics[] = { "HFJ1", "HFJ2", "HFJ3", "HFJ4", "HFJ5" };
#define LAYOUT_OF_HOSTS  1 /* from there on */
#define LAYOUT_OF_MARKS  2
#define LAYOUT_OF_IMAGES 3
#define LAYOUT_OF_PARTS  4 /* images of several tasks and hosts */
#define LAYOUT_NOW       (ARRAY_LEN(magics) - 1)

/* What the job has on other hosts, and its tasks beside the top task. */
static void put_width(const struct job_record *r, struct buf *out)
{
    dis_put_uint(out, r->is_sister);
    dis_put_uint(out, r->own);
    dis_put_uint(out, r->out_port);
    dis_put_uint(out, r->err_port);
    dis_put_uint(out, r->ms_ip);
    dis_put_uint(out, r->n_tasks);
    dis_put_uint(out, r->n_stored);
    for (size_t i = 0; i < r->n_stored; i++) {
        MUST(r->tasks[i].session > 0 && r->tasks[i].vnode >= 0);
        dis_put_uint(out, r->tasks[i].number);
        dis_put_uint(out, (uint64_t)r->tasks[i].session);
        dis_put_uint(out, (uint64_t)r->tasks[i].vnode);
    }
}

/* Behind all else, in the order of the tasks. */
static void put_marks(const struct job_record *r, struct buf *out)
{
    dis_put_string(out, r->mark);
    for (size_t i = 0; i < r->n_stored; i++) {
        dis_put_string(out, r->tasks[i].mark);
        dis_put_uint(out, r->tasks[i].is_attached);
    }
}

/* Behind the marks. */
static void put_image(const struct job_record_image *c, struct buf *out)
{
    const int64_t numbers[] = { c->making,     c->has_image,  c->is_restart,
                                c->has_ended,  c->end_status, c->session,
                                c->cput_s,     c->mem_kb,     c->vmem_kb,
                                c->walltime_s, c->last_s };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        dis_put_int(out, numbers[i]);
}

static void put_image_tasks(const struct job_record_tasks *t, struct buf *out)
{
    dis_put_int(out, t->event);
    dis_put_uint(out, t->n);
    for (size_t i = 0; i < t->n; i++) {
        dis_put_uint(out, t->v[i].number);
        dis_put_int(out, t->v[i].vnode);
        dis_put_int(out, t->v[i].session);
    }
}

/* Behind the image. */
static void put_parts(const struct job_record_image *c, struct buf *out)
{
    dis_put_int(out, c->stage);
    dis_put_int(out, c->undo);
    dis_put_uint(out, c->is_due);
    put_image_tasks(&c->being_made, out);
    put_image_tasks(&c->last, out);
    put_image_tasks(&c->before, out);
}

void job_record_encode(const struct job_record *r, struct buf *out)
{
    dis_put_string(out, magics[LAYOUT_NOW]);
    dis_put_string(out, r->id);
    dis_put_int(out, r->phase);
    dis_put_int(out, r->run_version);
    dis_put_int(out, r->session);
    dis_put_int(out, r->status);
    dis_put_uint(out, r->status_is_set);
    dis_put_int(out, r->since_at);
    dis_put_int(out, r->walltime_s);
    dis_put_int(out, r->kill_at);
    dis_put_int(out, r->cput_s);
    dis_put_int(out, r->mem_kb);
    dis_put_int(out, r->vmem_kb);
    dis_put_uint(out, r->attrs.n);
    for (size_t i = 0; i < r->attrs.n; i++) {
        const struct wire_attr *a = &r->attrs.v[i];

        dis_put_string(out, a->name);
        dis_put_string(out, a->resource);
        dis_put_string(out, a->value);
        dis_put_uint(out, a->op);
    }
    put_width(r, out);
    put_marks(r, out);
    put_image(&r->image, out);
    put_parts(&r->image, out);
}

/* A number of the file, and what it may be. */
struct number {
    int64_t *to, least, most;
};

/* A file may be damaged: a number that no job has is refused before anybody calculates
 * with it. */
static enum dis_error get_bounded(struct dis_in *in, const struct number *numbers,
                                  size_t n)
{
    for (size_t i = 0; i < n; i++) {
        enum dis_error e = dis_get_long(in, numbers[i].to);

        if (e)
            return e;
        if (*numbers[i].to < numbers[i].least || *numbers[i].to > numbers[i].most)
            return DIS_OVERFLOW;
    }
    return DIS_OK;
}

static enum dis_error get_numbers(struct dis_in *in, struct job_record *r)
{
    int64_t phase, version, session, status, set;
    const struct number numbers[] = {
        { &phase, 0, INT32_MAX },
        { &version, INT32_MIN, INT32_MAX },
        { &session, 0, INT32_MAX },
        { &status, INT32_MIN, INT32_MAX },
        { &set, 0, 1 },
        { &r->since_at, 0, JOB_RECORD_MOST },
        { &r->walltime_s, 0, JOB_RECORD_MOST },
        { &r->kill_at, 0, INT64_MAX },
        { &r->cput_s, 0, JOB_RECORD_MOST },
        { &r->mem_kb, 0, JOB_RECORD_MOST },
        { &r->vmem_kb, 0, JOB_RECORD_MOST },
    };
    enum dis_error e = get_bounded(in, numbers, ARRAY_LEN(numbers));

    if (e)
        return e;
    r->phase = (int32_t)phase;
    r->run_version = (int32_t)version;
    r->session = (int32_t)session;
    r->status = (int32_t)status;
    r->status_is_set = set != 0;
    return DIS_OK;
}

static enum dis_error get_attrs(struct dis_in *in, struct wire_attrs *attrs)
{
    uint32_t n;
    enum dis_error e = dis_get_uint(in, &n);

    /* A count that promises more than there is costs nothing: memory is taken as
     * attributes are read, and the end of the bytes ends the loop. */
    for (uint32_t i = 0; !e && i < n; i++) {
        const char *name = NULL, *resource = NULL, *value = NULL;
        uint32_t op = 0;

        e = dis_get_string(in, 0, &name);
        if (!e)
            e = dis_get_string(in, 0, &resource);
        if (!e)
            e = dis_get_string(in, 0, &value);
        if (!e)
            e = dis_get_uint(in, &op);
        if (!e)
            wire_attrs_add(attrs, in->arena, name, resource[0] ? resource : NULL, value,
                           op);
    }
    return e;
}

static enum dis_error get_task(struct dis_in *in, struct job_record_task *ret)
{
    uint32_t session = 0, vnode = 0;
    enum dis_error e = dis_get_uint(in, &ret->number);

    if (!e)
        e = dis_get_uint(in, &session);
    if (!e)
        e = dis_get_uint(in, &vnode);
    if (e)
        return e;
    if (session == 0 || session > INT32_MAX || vnode > INT32_MAX || ret->number < 2)
        return DIS_OVERFLOW;
    ret->session = (int32_t)session;
    ret->vnode = (int32_t)vnode;
    ret->mark = "";
    return DIS_OK;
}

/* A count that promises more than there is costs nothing here, too. */
static enum dis_error get_tasks(struct dis_in *in, uint32_t n, struct job_record *r)
{
    struct {
        size_t n, cap;
        struct job_record_task *v;
    } tasks = { 0 };
    enum dis_error e = DIS_OK;

    while (!e && tasks.n < n) {
        struct job_record_task t = { 0 };

        e = get_task(in, &t);
        if (e)
            break;
        ARENA_ROOM(in->arena, &tasks, v, 4);
        tasks.v[tasks.n++] = t;
    }
    r->n_stored = tasks.n;
    r->tasks = tasks.v;
    return e;
}

static enum dis_error get_width(struct dis_in *in, struct job_record *r)
{
    uint32_t is_sister, out_port, err_port, n_stored;
    uint32_t *const numbers[] = { &is_sister, &r->own,     &out_port, &err_port,
                                  &r->ms_ip,  &r->n_tasks, &n_stored };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        enum dis_error e = dis_get_uint(in, numbers[i]);

        if (e)
            return e;
    }
    if (is_sister > 1 || out_port > UINT16_MAX || err_port > UINT16_MAX ||
        r->n_tasks > JOB_RECORD_MAX_TASKS)
        return DIS_OVERFLOW;
    r->is_sister = is_sister;
    r->out_port = (uint16_t)out_port;
    r->err_port = (uint16_t)err_port;
    return get_tasks(in, n_stored, r);
}

static enum dis_error get_marks(struct dis_in *in, struct job_record *r)
{
    enum dis_error e = dis_get_string(in, JOB_RECORD_MAX_MARK, &r->mark);

    for (size_t i = 0; !e && i < r->n_stored; i++) {
        uint32_t is_attached = 0;

        e = dis_get_string(in, JOB_RECORD_MAX_MARK, &r->tasks[i].mark);
        if (!e)
            e = dis_get_uint(in, &is_attached);
        if (!e && is_attached > 1)
            e = DIS_OVERFLOW;
        r->tasks[i].is_attached = is_attached;
    }
    return e;
}

static enum dis_error get_image(struct dis_in *in, struct job_record_image *c)
{
    int64_t making, has_image, is_restart, has_ended, end_status, session;
    const struct number numbers[] = {
        { &making, 0, 2 },
        { &has_image, 0, 1 },
        { &is_restart, 0, 1 },
        { &has_ended, 0, 1 },
        { &end_status, INT32_MIN, INT32_MAX },
        { &session, 0, INT32_MAX },
        { &c->cput_s, 0, JOB_RECORD_MOST },
        { &c->mem_kb, 0, JOB_RECORD_MOST },
        { &c->vmem_kb, 0, JOB_RECORD_MOST },
        { &c->walltime_s, 0, JOB_RECORD_MOST },
        { &c->last_s, 0, JOB_RECORD_MOST },
    };
    enum dis_error e = get_bounded(in, numbers, ARRAY_LEN(numbers));

    if (e)
        return e;
    c->making = (int32_t)making;
    c->has_image = has_image != 0;
    c->is_restart = is_restart != 0;
    c->has_ended = has_ended != 0;
    c->end_status = (int32_t)end_status;
    c->session = (int32_t)session;
    return DIS_OK;
}

static enum dis_error get_image_task(struct dis_in *in,
                                     struct job_record_image_task *ret)
{
    int64_t number, vnode, session;
    const struct number numbers[] = {
        { &number, 2, UINT32_MAX },
        { &vnode, 0, INT32_MAX },
        { &session, 1, INT32_MAX },
    };
    enum dis_error e = get_bounded(in, numbers, ARRAY_LEN(numbers));

    if (!e)
        *ret = (struct job_record_image_task){ (uint32_t)number, (int32_t)vnode,
                                               (int32_t)session };
    return e;
}

/* As get_tasks(): memory is taken as tasks are read. */
static enum dis_error get_image_tasks(struct dis_in *in, struct job_record_tasks *ret)
{
    struct {
        size_t n, cap;
        struct job_record_image_task *v;
    } tasks = { 0 };
    int64_t event, n;
    const struct number numbers[] = { { &event, 0, INT32_MAX },
                                      { &n, 0, JOB_RECORD_MAX_TASKS } };
    enum dis_error e = get_bounded(in, numbers, ARRAY_LEN(numbers));

    if (!e && !event && n)
        return DIS_OVERFLOW; /* tasks of no image */
    while (!e && (int64_t)tasks.n < n) {
        struct job_record_image_task t = { 0 };

        e = get_image_task(in, &t);
        if (e)
            break;
        ARENA_ROOM(in->arena, &tasks, v, 4);
        tasks.v[tasks.n++] = t;
    }
    if (!e)
        *ret = (struct job_record_tasks){ (int32_t)event, tasks.n, tasks.v };
    return e;
}

static enum dis_error get_parts(struct dis_in *in, struct job_record_image *c)
{
    int64_t stage, undo, is_due;
    const struct number numbers[] = { { &stage, 0, INT32_MAX },
                                      { &undo, 0, INT32_MAX },
                                      { &is_due, 0, 1 } };
    enum dis_error e = get_bounded(in, numbers, ARRAY_LEN(numbers));

    if (!e)
        e = get_image_tasks(in, &c->being_made);
    if (!e)
        e = get_image_tasks(in, &c->last);
    if (!e)
        e = get_image_tasks(in, &c->before);
    if (e)
        return e;
    c->stage = (int32_t)stage;
    c->undo = (int32_t)undo;
    c->is_due = is_due != 0;
    return DIS_OK;
}

/* What an older layout says of an image that is being made. */
static void complete_older(struct job_record_image *c)
{
    if (!c->making)
        return;
    c->stage = JOB_RECORD_SCRIPT_RUNS;
    c->being_made.event = 1;
}

/* The place among the magics. */
static bool read_layout(struct dis_in *in, size_t *ret)
{
    const char *magic;

    if (dis_get_string(in, 0, &magic) != DIS_OK)
        return false;
    for (*ret = 0; *ret <= LAYOUT_NOW; ++*ret)
        if (strcmp(magic, magics[*ret]) == 0)
            return true;
    return false;
}

bool job_record_decode(const char *data, size_t len, struct arena *arena,
                       struct job_record *ret)
{
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct job_record r = { .mark = "", .n_tasks = 1 };
    size_t layout;

    if (!read_layout(&in, &layout) || dis_get_string(&in, 0, &r.id) != DIS_OK ||
        !*r.id || get_numbers(&in, &r) != DIS_OK || get_attrs(&in, &r.attrs) != DIS_OK)
        return false;
    if (layout >= LAYOUT_OF_HOSTS && get_width(&in, &r) != DIS_OK)
        return false;
    if (layout >= LAYOUT_OF_MARKS && get_marks(&in, &r) != DIS_OK)
        return false;
    if (layout >= LAYOUT_OF_IMAGES && get_image(&in, &r.image) != DIS_OK)
        return false;
    if (layout >= LAYOUT_OF_PARTS && get_parts(&in, &r.image) != DIS_OK)
        return false;
    if (layout < LAYOUT_OF_PARTS)
        complete_older(&r.image);
    /* Bytes behind the record are damage, too. */
    if (in.at != in.end)
        return false;
    *ret = r;
    return true;
}

bool job_record_is_of(const char *data, size_t len, const char *job_id)
{
    struct arena *arena = arena_new();
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    const char *id;
    size_t layout;
    bool is_of = read_layout(&in, &layout) && dis_get_string(&in, 0, &id) == DIS_OK &&
                 strcmp(id, job_id) == 0;

    arena_free(arena);
    return is_of;
}
