/* job.c - a job of this host: its attributes, and what they say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/attr/ids.h"
#include "lib/attr/select.h"
#include "lib/attr/value.h"

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
    j->commit_by = INT64_MAX;
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

void job_leaves_table(struct mom *m, struct mom_job *j)
{
    /* A round of messages goes on behind it. */
    life_leaves(m, j);
    HASH_DEL(m->jobs, j);
}

void job_free(struct mom *m, struct mom_job *j)
{
    MUST((j->phase == JOB_RESTING ? resting_find(m, j->id) : job_find(m, j->id)) == j);
    /* The order matters: the obituaries are noted under the id, and the counts of
     * phases are compared with the size of the table that the job has left. */
    obit_expect_answers(m, j);
    if (j->phase == JOB_RESTING)
        HASH_DEL(m->resting, j);
    else
        job_leaves_table(m, j);
    joins_note(m, j->id);
    job_set_phase(m, j, JOB_GONE);
    peer_release(m, j);
    asked_drop_all(j);
    releasing_drop_all(j);
    spawned_free_all(j);
    image_free_all(j);
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

void job_forget_script(struct mom_job *j)
{
    buf_fini(&j->script);
    j->is_script_gone = true;
}

struct mom_job *job_find(const struct mom *m, const char *id)
{
    struct mom_job *j;

    HASH_FIND_STR(m->jobs, id, j);
    return j;
}

struct mom_job *job_find_any(const struct mom *m, const char *id)
{
    struct mom_job *j = job_find(m, id);

    return j ? j : resting_find(m, id);
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

static bool read_kib(const char *text, int64_t *ret)
{
    struct size_value size;

    if (size_parse(text, &size) != 0)
        return false;
    *ret = size_kib(&size);
    return true;
}

static bool read_count(const char *text, int64_t *ret)
{
    char *end;

    *ret = strtoll(text, &end, 10);
    return end != text && *end == '\0' && *ret >= 0;
}

/* What the chunks on this host have of it; INT64_MAX when none of them names it. */
static int64_t chunks_sum(const struct mom_job *j, const struct exec_vnode *placed,
                          const char *resource,
                          bool (*read)(const char *text, int64_t *ret))
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
                int64_t n;

                if (strcmp(r->name, resource) != 0 || !read(r->value, &n))
                    continue;
                is_named = true;
                sum = MIN_OF(sum, MOST_COUNTED) + MIN_OF(n, MOST_COUNTED);
            }
    }
    return is_named ? sum : INT64_MAX;
}

/* What the chunks on this host have asked for, of a resource that no vnode is said to
 * have: schedulers leave it out of the exec_vnode. INT64_MAX when none of them names
 * it.
 */
static int64_t asked_sum(const struct mom_job *j, const struct select *asked,
                         size_t n_placed, const char *resource,
                         bool (*read)(const char *text, int64_t *ret))
{
    int64_t sum = 0, n;
    bool is_named = false;
    size_t i = 0;

    for (size_t kind = 0; kind < asked->n; kind++) {
        const struct chunk *c = &asked->chunks[kind];

        /* The placed chunks have the order of these. */
        for (int64_t k = 0; k < c->count && i < n_placed; k++, i++) {
            if (host_list_host_of(j, (int64_t)i) != j->hosts.own)
                continue;
            for (size_t l = 0; l < c->n; l++) {
                if (strcmp(c->res[l].name, resource) != 0 || !read(c->res[l].value, &n))
                    continue;
                is_named = true;
                sum = MIN_OF(sum, MOST_COUNTED) + MIN_OF(n, MOST_COUNTED);
            }
        }
    }
    return is_named ? sum : INT64_MAX;
}

static void note_shares(struct mom_job *j)
{
    const char *on = wire_attrs_value(&j->attrs, "exec_vnode", NULL);
    struct arena *arena;
    const char *select = wire_attrs_value(&j->attrs, "schedselect", NULL);
    struct select asked = { 0 };
    struct exec_vnode placed;
    struct diag why;

    j->share = (struct mom_share){
        .ncpus = job_number(j, "Resource_List", "ncpus", INT64_MAX),
        .mem_kb = job_kib(j, "mem", INT64_MAX),
        .vmem_kb = job_kib(j, "vmem", INT64_MAX),
    };
    if (j->hosts.n <= 1 || !on)
        return; /* all of it is here, or may be anywhere */
    arena = arena_new();
    if (exec_vnode_parse(on, NULL, arena, &placed, &why) == 0) {
        const struct {
            const char *name;
            int64_t *share;
            bool (*read)(const char *text, int64_t *ret);
        } rows[] = { { "ncpus", &j->share.ncpus, read_count },
                     { "mem", &j->share.mem_kb, read_kib },
                     { "vmem", &j->share.vmem_kb, read_kib } };

        if (select && select_parse(select, NULL, arena, &asked, &why) != 0)
            asked = (struct select){ 0 };
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            int64_t has = chunks_sum(j, &placed, rows[i].name, rows[i].read);

            if (has == INT64_MAX)
                has = asked_sum(j, &asked, placed.n, rows[i].name, rows[i].read);
            *rows[i].share = MIN_OF(*rows[i].share, has);
        }
    }
    arena_free(arena);
}

void job_note_limits(struct mom_job *j)
{
    j->walltime_limit_s = job_duration(j, "walltime", -1);
    note_shares(j);
}

static bool has_processes(enum job_phase phase)
{
    return phase == JOB_RUNNING || phase == JOB_SUSPENDED;
}

void job_set_phase(struct mom *m, struct mom_job *j, enum job_phase phase)
{
    MUST(phase != JOB_RECEIVING || j->phase == JOB_GONE); /* nobody goes back to it */
    /* What runs was begun, by us or by the MoM whose record this is. */
    MUST(phase != JOB_RUNNING || j->phase >= JOB_PRERUN || j->phase == JOB_GONE);
    /* The counts follow the phase here and nowhere else, so no event has to look
     * through all jobs to learn whether any of them has processes. */
    m->n_running += has_processes(phase) - (size_t)has_processes(j->phase);
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
    return has_processes(j->phase);
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
