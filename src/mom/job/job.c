/* job.c - a job of this host: its attributes, what they say, and its record.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include "lib/attr/ids.h"
#include "lib/attr/select.h"
#include "lib/attr/value.h"
#include "lib/wire/dis.h"

/* Seconds and KiB of a job's file; sums of two stay numbers. */
#define MOST_COUNTED (INT64_MAX / 4)
/* Older ones are read: HFJ1 is of a MoM whose jobs had one host and one task, HFJ2 of
 * one that did not know whether a session's number was another's by now. */
static const char *const magics[] = { "HFJ1", "HFJ2", "HFJ3" };
#define LAYOUT_OF_HOSTS 1 /* from there on */
#define LAYOUT_OF_MARKS 2
#define LAYOUT_NOW      (ARRAY_LEN(magics) - 1)
#define MARK_MAX        200 /* characters */

static void copy_attrs(const struct wire_attrs *attrs, struct arena *arena,
                       struct wire_attrs *ret)
{
    for (size_t i = 0; i < attrs->n; i++) {
        const struct wire_attr *a = &attrs->v[i];

        wire_attrs_add(ret, arena, arena_strdup(arena, a->name),
                       arena_strdup(arena, a->resource), arena_strdup(arena, a->value),
                       a->op);
    }
}

/* The memory of what is replaced is given back: a job that runs for months may be
 * changed many thousand times. */
void job_replace_attrs(struct mom_job *j, const struct wire_attrs *changes)
{
    struct arena *arena = arena_new();
    struct wire_attrs all = { 0 };

    copy_attrs(&j->attrs, arena, &all);
    for (size_t i = 0; i < changes->n; i++) {
        const struct wire_attr *a = &changes->v[i];
        /* wire_attrs_find() promises not to change the list; this copy of it is ours to
         * change. */
        struct wire_attr *old =
            (struct wire_attr *)(uintptr_t)wire_attrs_find(&all, a->name, a->resource);

        if (old)
            old->value = arena_strdup(arena, a->value);
        else
            wire_attrs_add(&all, arena, arena_strdup(arena, a->name),
                           arena_strdup(arena, a->resource),
                           arena_strdup(arena, a->value), a->op);
    }
    arena_free(j->attrs_arena);
    j->attrs_arena = arena;
    j->attrs = all;
}

struct mom_job *job_new(struct mom *m, const char *id, const struct wire_attrs *attrs)
{
    struct mom_job *j = xcalloc(1, sizeof(*j));

    MUST(*id && !job_find(m, id)); /* one job of a name */
    j->arena = arena_new();
    j->id = arena_strdup(j->arena, id);
    j->kill_at = INT64_MAX;
    j->answer_by = INT64_MAX;
    j->top.number = 1;
    j->top.mark = "";
    j->n_tasks = 1;
    j->attrs_arena = arena_new();
    copy_attrs(attrs, j->attrs_arena, &j->attrs);
    /* What is compared often is kept beside the attributes. A server that counts runs
     * as run_count only means the same number. */
    j->run_version = (int32_t)job_number(j, "run_version", NULL,
                                         job_number(j, "run_count", NULL, 0));
    HASH_ADD_KEYPTR(hh, m->jobs, j->id, strlen(j->id), j);
    host_list_read(m, j);
    job_note_limits(j);
    return j;
}

void job_free(struct mom *m, struct mom_job *j)
{
    MUST(job_find(m, j->id) == j);
    /* The order matters: the obituaries are noted under the id, and the counts of
     * phases are compared with the size of the table that the job has left. */
    obit_expect_answers(m, j);
    HASH_DEL(m->jobs, j);
    job_set_phase(m, j, JOB_GONE);
    peer_release(m, j);
    asked_drop_all(j);
    releasing_drop_all(j);
    spawned_free_all(j);
    if (j->is_wide)
        DL_DELETE2(m->wide, j, wide_prev, wide_next);
    deadline_set(&m->due, &j->due, DEADLINE_NEVER);
    buf_fini(&j->script);
    buf_fini(&j->saved[0]);
    buf_fini(&j->saved[1]);
    arena_free(j->attrs_arena);
    arena_free(j->arena);
    free(j);
}

bool job_id_is_fit(const char *id, struct arena *arena)
{
    struct job_id parsed;

    return strlen(id) <= ID_MAX_JOB && !strchr(id, '/') && id[0] != '.' &&
           job_id_parse(id, arena, &parsed);
}

struct mom_job *job_find(const struct mom *m, const char *id)
{
    struct mom_job *j;

    HASH_FIND_STR(m->jobs, id, j);
    return j;
}

int64_t job_number(const struct mom_job *j, const char *name, const char *resource,
                   int64_t missing)
{
    const char *text = wire_attrs_value(&j->attrs, name, resource);
    char *end;
    long long n;

    if (!text || !*text)
        return missing;
    n = strtoll(text, &end, 10);
    /* The server has checked its numbers; one that is none counts as not given. */
    return *end == '\0' ? n : missing;
}

int64_t job_duration(const struct mom_job *j, const char *resource, int64_t missing)
{
    const char *text = wire_attrs_value(&j->attrs, "Resource_List", resource);
    int64_t s;

    return text && duration_parse(text, &s) == 0 ? s : missing;
}

int64_t job_kib(const struct mom_job *j, const char *resource, int64_t missing)
{
    const char *text = wire_attrs_value(&j->attrs, "Resource_List", resource);
    struct size_value size;

    return text && size_parse(text, &size) == 0 ? size_kib(&size) : missing;
}

/* What the chunks on this host have of it; INT64_MAX when none of them names it. */
static int64_t chunks_kib(const struct mom_job *j, const struct exec_vnode *placed,
                          const char *resource)
{
    int64_t sum = 0;
    bool is_named = false;

    for (size_t i = 0; i < placed->n; i++) {
        const struct exec_chunk *c = &placed->chunks[i];

        if (host_list_host_of(j, (int64_t)i) != j->hosts.own)
            continue;
        for (size_t k = 0; k < c->n; k++)
            for (size_t l = 0; l < c->parts[k].n; l++) {
                const struct chunk_resource *r = &c->parts[k].res[l];
                struct size_value size;

                if (strcmp(r->name, resource) != 0 || size_parse(r->value, &size) != 0)
                    continue;
                is_named = true;
                sum = MIN_OF(sum, MOST_COUNTED) + MIN_OF(size_kib(&size), MOST_COUNTED);
            }
    }
    return is_named ? sum : INT64_MAX;
}

static void note_shares(struct mom_job *j)
{
    const char *on = wire_attrs_value(&j->attrs, "exec_vnode", NULL);
    struct arena *arena;
    struct exec_vnode placed;
    struct diag why;

    j->share.mem_kb = job_kib(j, "mem", INT64_MAX);
    j->share.vmem_kb = job_kib(j, "vmem", INT64_MAX);
    if (j->hosts.n <= 1 || !on || !strstr(on, "mem="))
        return; /* all of it is here, or may be anywhere */
    arena = arena_new();
    if (exec_vnode_parse(on, NULL, arena, &placed, &why) == 0) {
        j->share.mem_kb = MIN_OF(j->share.mem_kb, chunks_kib(j, &placed, "mem"));
        j->share.vmem_kb = MIN_OF(j->share.vmem_kb, chunks_kib(j, &placed, "vmem"));
    }
    arena_free(arena);
}

void job_note_limits(struct mom_job *j)
{
    j->walltime_limit_s = job_duration(j, "walltime", -1);
    note_shares(j);
}

void job_set_phase(struct mom *m, struct mom_job *j, enum job_phase phase)
{
    MUST(phase != JOB_RECEIVING || j->phase == JOB_GONE); /* nobody goes back to it */
    /* What runs was begun, by us or by the MoM whose record this is. */
    MUST(phase != JOB_RUNNING || j->phase >= JOB_PRERUN || j->phase == JOB_GONE);
    /* The counts follow the phase here and nowhere else, so no event has to look
     * through all jobs to learn whether any of them runs. */
    m->n_running += (phase == JOB_RUNNING) - (size_t)(j->phase == JOB_RUNNING);
    m->n_receiving += (phase == JOB_RECEIVING) - (size_t)(j->phase == JOB_RECEIVING);
    MUST(m->n_running + m->n_receiving <= HASH_COUNT(m->jobs));
    j->phase = phase;
}

int64_t job_scaled(int64_t s, double factor)
{
    const double scaled = (double)s * factor;

    MUST(s >= 0 && factor > 0);
    return scaled < (double)MOST_COUNTED ? (int64_t)scaled : MOST_COUNTED;
}

int64_t job_walltime(const struct mom *m, const struct mom_job *j, int64_t now_at)
{
    int64_t s = j->walltime_s;

    /* A clock that was set back must not take time away that was used already. */
    if (j->since_at && now_at > j->since_at)
        s += now_at - j->since_at;
    return job_scaled(s, m->cfg.wallmult);
}

bool job_has_processes(const struct mom_job *j)
{
    return j->phase == JOB_RUNNING || j->phase == JOB_SUSPENDED;
}

/* Does the server come for its files? Not for a kept one, and a joined one has none. */
bool job_leaves_files(const struct mom_job *j)
{
    const char *keep = wire_attrs_value(&j->attrs, "Keep_Files", NULL);
    const char *joined = wire_attrs_value(&j->attrs, "Join_Path", NULL);
    bool has_out = !joined || strcmp(joined, "eo") != 0;
    bool has_err = !joined || strcmp(joined, "oe") != 0;

    if (wire_attrs_find(&j->attrs, "stageout", NULL) ||
        wire_attrs_find(&j->attrs, "stagein", NULL))
        return true;
    return (has_out && !(keep && strchr(keep, 'o'))) ||
           (has_err && !(keep && strchr(keep, 'e')));
}

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
    DL_FOREACH (j->tasks, t)
        if (task_is_stored(t))
            dis_put_string(out, t->mark);
}

static enum dis_error get_marks(struct dis_in *in, struct mom_job *j)
{
    enum dis_error e = dis_get_string(in, MARK_MAX, &j->top.mark);
    struct spawned *t;

    DL_FOREACH (j->tasks, t)
        if (!e)
            e = dis_get_string(in, MARK_MAX, &t->mark);
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
