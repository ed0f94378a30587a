/* record.c - a job as its file has it: what a restart of the MoM must know.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include "lib/wire/dis.h"

/* Older ones are read: HFJ1 is of a MoM whose jobs had one host and one task, HFJ2 of
 * one that did not know whether a session's number was another's by now. */
static const char *const magics[] = { "HFJ1", "HFJ2", "HFJ3" };
#define LAYOUT_OF_HOSTS 1 /* from there on */
#define LAYOUT_OF_MARKS 2
#define LAYOUT_NOW      (ARRAY_LEN(magics) - 1)
#define MARK_MAX        200 /* characters */

/* One that is being started has no session yet; it is not found again. */
static bool task_is_stored(const struct spawned *t)
{
    return !t->has_ended && t->session > 0;
}

/* What it has on other hosts, and tasks beside the top task. */
static void put_width(const struct mom_job *j, struct buf *out)
{
    const struct spawned *t;
    size_t n_stored = 0;

    DL_FOREACH (j->tasks, t)
        n_stored += task_is_stored(t);
    dis_put_uint(out, j->is_sister);
    dis_put_uint(out, j->hosts.own);
    dis_put_uint(out, (uint64_t)j->out_port);
    dis_put_uint(out, (uint64_t)j->err_port);
    dis_put_uint(out, j->ms_ip);
    dis_put_uint(out, j->n_tasks);
    dis_put_uint(out, n_stored);
    DL_FOREACH (j->tasks, t) {
        if (!task_is_stored(t))
            continue;
        dis_put_uint(out, t->number);
        dis_put_uint(out, (uint64_t)t->session);
        dis_put_uint(out, (uint64_t)t->vnode);
    }
}

/* A task that was found in the record: whether it lives is the executor's to say. */
static enum dis_error get_task(struct dis_in *in, struct mom_job *j)
{
    uint32_t number, session = 0, vnode = 0;
    enum dis_error e = dis_get_uint(in, &number);
    struct spawned *t;

    if (!e)
        e = dis_get_uint(in, &session);
    if (!e)
        e = dis_get_uint(in, &vnode);
    if (e)
        return e;
    if (session == 0 || session > INT32_MAX || vnode > INT32_MAX || number < 2)
        return DIS_OVERFLOW;
    t = xcalloc(1, sizeof(*t));
    t->number = number;
    t->session = (int32_t)session;
    t->vnode = (int32_t)vnode;
    t->mark = "";
    DL_APPEND(j->tasks, t);
    return DIS_OK;
}

struct width { /* as a record has it */
    uint32_t is_sister, own, out_port, err_port, ms_ip, n_tasks, n_stored;
};

static enum dis_error get_width(struct dis_in *in, struct width *ret)
{
    uint32_t *const numbers[] = { &ret->is_sister, &ret->own,   &ret->out_port,
                                  &ret->err_port,  &ret->ms_ip, &ret->n_tasks,
                                  &ret->n_stored };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        enum dis_error e = dis_get_uint(in, numbers[i]);

        if (e)
            return e;
    }
    if (ret->is_sister > 1 || ret->out_port > 65535 || ret->err_port > 65535 ||
        ret->n_tasks > MAX_TASKS)
        return DIS_OVERFLOW;
    return DIS_OK;
}

/* Behind all else, in the order of the tasks. */
static void put_marks(const struct mom_job *j, struct buf *out)
{
    const struct spawned *t;

    dis_put_string(out, j->top.mark);
    DL_FOREACH (j->tasks, t) {
        if (!task_is_stored(t))
            continue;
        dis_put_string(out, t->mark);
        dis_put_uint(out, t->is_attached);
    }
}

static enum dis_error get_marks(struct dis_in *in, struct mom_job *j)
{
    enum dis_error e = dis_get_string(in, MARK_MAX, &j->top.mark);
    struct spawned *t;

    DL_FOREACH (j->tasks, t) {
        uint32_t is_attached = 0;

        if (!e)
            e = dis_get_string(in, MARK_MAX, &t->mark);
        if (!e)
            e = dis_get_uint(in, &is_attached);
        if (is_attached > 1)
            return DIS_OVERFLOW;
        t->is_attached = is_attached;
    }
    return e;
}

void job_encode(const struct mom_job *j, struct buf *out)
{
    /* What a record does not hold, a restart forgets: script and saved output are
     * files of their own, and a deadline is reckoned anew from what is here
     * (life_reckon()). */
    dis_put_string(out, magics[LAYOUT_NOW]);
    dis_put_string(out, j->id);
    /* A job being stored is one that starts when it is found. */
    dis_put_int(out, MAX_OF((int)j->phase, (int)JOB_PRERUN));
    dis_put_int(out, j->run_version);
    dis_put_int(out, j->top.session);
    dis_put_int(out, j->status);
    dis_put_uint(out, j->status_is_set);
    dis_put_int(out, j->since_at);
    dis_put_int(out, j->walltime_s);
    dis_put_int(out, j->kill_at);
    dis_put_int(out, j->top.used.cput_s);
    dis_put_int(out, j->top.used.mem_kb);
    dis_put_int(out, j->top.used.vmem_kb);
    dis_put_uint(out, j->attrs.n);
    for (size_t i = 0; i < j->attrs.n; i++) {
        const struct wire_attr *a = &j->attrs.v[i];

        dis_put_string(out, a->name);
        dis_put_string(out, a->resource);
        dis_put_string(out, a->value);
        dis_put_uint(out, a->op);
    }
    put_width(j, out);
    put_marks(j, out);
}

static bool phase_is_stored(int64_t phase)
{
    return phase == JOB_KILLING || phase == JOB_EPILOGUE || phase == JOB_PRERUN ||
           phase == JOB_RUNNING || phase == JOB_SUSPENDED || phase == JOB_EXITED ||
           phase == JOB_OBIT;
}

/* A file may be damaged: a number that no job has is refused before anybody calculates
 * with it. */
static enum dis_error get_numbers(struct dis_in *in, struct mom_job *j)
{
    int64_t phase, version, session, status, set;
    const struct {
        int64_t *to, least, most;
    } numbers[] = {
        { &phase, 0, INT32_MAX },
        { &version, INT32_MIN, INT32_MAX },
        { &session, 0, INT32_MAX },
        { &status, INT32_MIN, INT32_MAX },
        { &set, 0, 1 },
        { &j->since_at, 0, MOST_COUNTED },
        { &j->walltime_s, 0, MOST_COUNTED },
        { &j->kill_at, 0, INT64_MAX },
        { &j->top.used.cput_s, 0, MOST_COUNTED },
        { &j->top.used.mem_kb, 0, MOST_COUNTED },
        { &j->top.used.vmem_kb, 0, MOST_COUNTED },
    };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        enum dis_error e = dis_get_long(in, numbers[i].to);

        if (e)
            return e;
        if (*numbers[i].to < numbers[i].least || *numbers[i].to > numbers[i].most)
            return DIS_OVERFLOW;
    }
    /* Phases of a job that is still being received have no record. */
    if (!phase_is_stored(phase))
        return DIS_PROTOCOL;
    j->phase = (enum job_phase)phase;
    j->run_version = (int32_t)version;
    j->top.session = (int32_t)session;
    j->status = (int32_t)status;
    j->status_is_set = set != 0;
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

bool mom_record_is_of(const char *data, size_t len, const char *job_id)
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

/* A count that promises more than there is costs nothing. */
static enum dis_error get_tasks(struct dis_in *in, struct mom_job *j, uint32_t n)
{
    enum dis_error e = DIS_OK;

    while (!e && n-- > 0)
        e = get_task(in, j);
    return e;
}

/* What is read lies in the reader's arena. */
static void take_tasks(struct mom_job *j, struct mom_job *read)
{
    struct spawned *t;

    j->top.mark = arena_strdup(j->arena, read->top.mark);
    j->tasks = read->tasks;
    read->tasks = NULL;
    DL_FOREACH (j->tasks, t)
        t->mark = arena_strdup(j->arena, t->mark);
}

/* Other hosts may have what they were asked to have, as far as the record tells. */
static void take_width(struct mom_job *j, const struct width *w)
{
    j->is_sister = w->is_sister != 0;
    j->hosts.own = MIN_OF((size_t)w->own, j->hosts.n - 1);
    j->out_port = (int32_t)w->out_port;
    j->err_port = (int32_t)w->err_port;
    j->ms_ip = w->ms_ip;
    j->n_tasks = w->n_tasks;
    for (size_t i = 0; i < j->hosts.n && !j->is_sister; i++)
        j->hosts.v[i].is_member = i != j->hosts.own;
}

struct mom_job *job_decode(struct mom *m, const char *data, size_t len)
{
    struct arena *arena = arena_new();
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct mom_job read = { .top.mark = "" }, *j = NULL;
    struct wire_attrs attrs = { 0 };
    struct width width = { .n_tasks = 1 };
    const char *id;
    size_t layout;

    if (read_layout(&in, &layout) && dis_get_string(&in, 0, &id) == DIS_OK && *id &&
        get_numbers(&in, &read) == DIS_OK && get_attrs(&in, &attrs) == DIS_OK &&
        (layout < LAYOUT_OF_HOSTS || get_width(&in, &width) == DIS_OK) &&
        get_tasks(&in, &read, width.n_stored) == DIS_OK &&
        (layout < LAYOUT_OF_MARKS || get_marks(&in, &read) == DIS_OK) &&
        /* Bytes behind the record and a second record of the same job are damage, too.
         * The job is made last: until here nothing of the MoM has changed. */
        in.at == in.end && !job_find(m, id)) {
        j = job_new(m, id, &attrs);
        job_set_phase(m, j, read.phase);
        j->run_version = read.run_version;
        j->top.session = read.top.session;
        j->status = read.status;
        j->status_is_set = read.status_is_set;
        j->since_at = read.since_at;
        j->walltime_s = read.walltime_s;
        j->kill_at = read.kill_at;
        j->top.used = read.top.used;
        take_width(j, &width);
        take_tasks(j, &read);
    }
    spawned_free_all(&read);
    arena_free(arena);
    return j;
}
