/* usage.c - what a job has used, and what it may (execution.md 17, 18).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include "lib/attr/value.h"

#include <math.h>

/* Exit statuses of jobs that used too much (execution.md 20). */
enum {
    KILLED_BURST = -24,
    KILLED_AVERAGE = -25,
    KILLED_VMEM = -26,
    KILLED_MEM = -27,
    KILLED_CPUT = -28,
    KILLED_WALLTIME = -29
};

struct mom_usage usage_sum(const struct mom_job *j)
{
    struct mom_usage sum = j->top.used;

    /* What a sister says is bounded where it is taken, so that sums stay numbers. */
    for (size_t i = 0; i < j->hosts.n; i++) {
        sum.cput_s += j->hosts.v[i].used.cput_s;
        sum.mem_kb += j->hosts.v[i].used.mem_kb;
    }
    return sum;
}

static int64_t scaled_cput(const struct mom *m, const struct mom_job *j)
{
    return job_scaled(usage_sum(j).cput_s, m->cfg.cputmult);
}

static int64_t percent_sum(const struct mom_job *j)
{
    int64_t sum = j->top.cpupercent;

    for (size_t i = 0; i < j->hosts.n; i++)
        sum += j->hosts.v[i].cpupercent;
    return sum;
}

static void add_used(struct wire_attrs *list, struct arena *arena, const char *resource,
                     const char *value)
{
    wire_attrs_add(list, arena, "resources_used", resource, value, WIRE_OP_SET);
}

static const char *duration_text(struct arena *arena, int64_t s)
{
    struct buf b = { 0 };
    const char *text;

    duration_print(s, &b);
    text = arena_strdup(arena, b.data);
    buf_fini(&b);
    return text;
}

static const char *asked(const struct mom_job *j, const char *resource,
                         const char *dflt)
{
    const char *value = wire_attrs_value(&j->attrs, "Resource_List", resource);

    return value ? value : dflt;
}

/* A pretended run uses what it asked for. */
static void pretended_attrs(const struct mom_job *j, const char *walltime,
                            struct wire_attrs *ret, struct arena *arena)
{
    const char *mem = arena_strdup(arena, asked(j, "mem", "0kb"));

    add_used(ret, arena, "cpupercent",
             arena_strdup(arena, asked(j, "cpupercent", "0")));
    add_used(ret, arena, "cput", arena_strdup(arena, asked(j, "cput", "00:00:00")));
    add_used(ret, arena, "mem", mem);
    add_used(ret, arena, "ncpus", arena_strdup(arena, asked(j, "ncpus", "0")));
    add_used(ret, arena, "vmem", mem);
    add_used(ret, arena, "walltime", walltime);
}

void usage_attrs(const struct mom *m, const struct mom_job *j, int64_t now_at,
                 struct wire_attrs *ret, struct arena *arena)
{
    const char *walltime = duration_text(arena, job_walltime(m, j, now_at));

    if (j->top.is_pretended) {
        pretended_attrs(j, walltime, ret, arena);
        return;
    }
    add_used(ret, arena, "cpupercent", arena_printf(arena, "%" PRId64, percent_sum(j)));
    add_used(ret, arena, "cput", duration_text(arena, scaled_cput(m, j)));
    add_used(ret, arena, "mem",
             arena_printf(arena, "%" PRId64 "kb", usage_sum(j).mem_kb));
    add_used(ret, arena, "ncpus", arena_strdup(arena, asked(j, "ncpus", "0")));
    add_used(ret, arena, "vmem",
             arena_printf(arena, "%" PRId64 "kb", j->top.used.vmem_kb));
    add_used(ret, arena, "walltime", walltime);
}

/* A moving average that rises faster than it falls and never claims less than the
 * average of the whole run. */
static int64_t next_cpupercent(const struct mom *m, const struct mom_job *j,
                               int64_t now_at, int64_t cput_s)
{
    double span = (double)(now_at - j->top.sampled_at);
    double run = (double)job_walltime(m, j, now_at);
    double fresh, weight, next, average;
    double limit = 100.0 * (double)job_number(j, "Resource_List", "ncpus", 1);

    /* The first sample of an adopted job has none to compare with, and a clock that was
     * set back gives no length to divide by. */
    if (j->top.sampled_at == 0 || span <= 0 || run <= 0)
        return j->top.cpupercent;
    fresh = 100.0 * (double)(cput_s - j->top.used.cput_s) / span;
    weight = fresh > (double)j->top.cpupercent ? m->cfg.enforce.delta_weightup
                                               : m->cfg.enforce.delta_weightdown;
    /* A short interval says less than a long one. */
    weight = fmin(1.0, weight * span / (double)m->cfg.max_check_poll_s);
    next = (double)j->top.cpupercent * (1.0 - weight) + fresh * weight;
    average = fmin(100.0 * (double)cput_s / run, limit);
    return (int64_t)fmax(next, average);
}

void usage_take(const struct mom *m, struct mom_job *j, int64_t now_at,
                const struct mom_usage *used)
{
    /* What a process has used is lost with it when its parent does not wait for it: a
     * sum over what is left can be smaller than the one before. */
    int64_t cput_s = MAX_OF(used->cput_s, j->top.used.cput_s);

    j->top.cpupercent = next_cpupercent(m, j, now_at, cput_s);
    j->top.used.cput_s = cput_s;
    j->top.used.mem_kb = MAX_OF(used->mem_kb, j->top.used.mem_kb);
    j->top.used.vmem_kb = MAX_OF(used->vmem_kb, j->top.used.vmem_kb);
    j->top.sampled_at = now_at;
}

void usage_live(const struct mom *m, struct mom_job *j, int64_t now_at,
                const struct mom_usage *used)
{
    /* Memory of tasks that have ended is free again. */
    const struct mom_usage all = { .cput_s = used->cput_s + j->ended.cput_s,
                                   .mem_kb = used->mem_kb,
                                   .vmem_kb = used->vmem_kb };

    usage_take(m, j, now_at, &all);
}

void usage_ended(const struct mom *m, struct mom_job *j, int64_t now_at,
                 const struct mom_usage *used)
{
    j->ended.cput_s += used->cput_s;
    j->ended.mem_kb = MAX_OF(j->ended.mem_kb, used->mem_kb);
    j->ended.vmem_kb = MAX_OF(j->ended.vmem_kb, used->vmem_kb);
    usage_take(m, j, now_at, &j->ended);
}

/* The first second at which it has used more than its limit (job_walltime()). */
int64_t usage_walltime_end(const struct mom *m, const struct mom_job *j)
{
    double most_s;

    if (j->walltime_limit_s < 0 || j->since_at == 0 || j->phase != JOB_RUNNING ||
        j->status_is_set || j->is_unseen || j->is_sister)
        return INT64_MAX;
    /* The limit may be used up; one second more is too much (execution.md 18: used >
     * limit). */
    most_s = ceil(((double)j->walltime_limit_s + 1) / m->cfg.wallmult);
    /* A small $wallmult makes a limit that no job reaches, and that no sum of times may
     * overflow with. */
    if (most_s > (double)(INT64_MAX / 4))
        return INT64_MAX;
    return j->since_at + (int64_t)most_s - j->walltime_s;
}

static void kill_for(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
                     const char *text, struct mom_out *out)
{
    struct mom_effect *e = out_add(out, MOM_TELL);

    e->job_id = arena_strdup(out->arena, j->id);
    e->u.tell.to_error = true;
    e->u.tell.text = arena_printf(out->arena, "=>> PBS: job killed: %s", text);
    MUST(status < 0); /* the MoM's own doing: what a job ends with is not */
    out_joblog(out, LOG_EV_JOB | LOG_EV_FORCE, j, "%s", text);
    life_preset(j, status);
    life_terminate(m, now_at, j, out);
}

/* The mother superior of the job hears of it when she asks what was used, and ends the
 * job. */
static void say_over(struct mom_job *j, int32_t status, const char *text,
                     struct mom_out *out)
{
    MUST(j->is_sister && status < 0);
    if (j->over)
        return;
    j->over = status;
    out_joblog(out, LOG_EV_JOB | LOG_EV_FORCE, j, "%s", text);
}

bool usage_over_elsewhere(struct mom *m, int64_t now_at, struct mom_job *j,
                          const char *host, int32_t recommended, struct mom_out *out)
{
    const char *name = recommended == -KILLED_VMEM  ? "vmem"
                       : recommended == -KILLED_MEM ? "mem"
                                                    : NULL;

    if (!name || !job_has_processes(j) || j->status_is_set)
        return false;
    kill_for(m, now_at, j, -recommended,
             arena_printf(out->arena, "%s exceeded limit of %s", name, host), out);
    return true;
}

/* One of the limits: what is used, and what may be. */
struct usage_limit {
    const char *name, *unit;
    int64_t used, most;
    int32_t status;
    bool is_off;
};

void usage_out_of_memory(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out)
{
    const char *text = arena_printf(
        out->arena, "mem exceeded limit %" PRId64 "kb of this host", j->share.mem_kb);

    if (j->status_is_set)
        return; /* something else has ended it already */
    if (!j->is_sister)
        kill_for(m, now_at, j, KILLED_MEM, text, out);
    else
        say_over(j, KILLED_MEM, text, out);
}

/* A sister looks at what is limited on her host; what is of the whole job, and the
 * clock, are the mother superior's. */
static void enforce_amounts(struct mom *m, int64_t now_at, struct mom_job *j,
                            struct mom_out *out)
{
    const bool sister = j->is_sister;
    const int64_t most_cput_s = job_duration(j, "cput", INT64_MAX);
    const struct usage_limit limits[] = {
        { "walltime", "", job_walltime(m, j, now_at),
          j->walltime_limit_s < 0 ? INT64_MAX : j->walltime_limit_s, KILLED_WALLTIME,
          sister },
        { "cput", "", job_scaled(j->top.used.cput_s, m->cfg.cputmult), most_cput_s,
          KILLED_CPUT, sister },
        /* Of the part of the job that is on this host. */
        { "vmem", "kb", j->top.used.vmem_kb, j->share.vmem_kb, KILLED_VMEM, false },
        { "mem", "kb", j->top.used.mem_kb, j->share.mem_kb, KILLED_MEM,
          !m->cfg.enforce.mem },
        { "cput job total", " secs", scaled_cput(m, j), most_cput_s, KILLED_CPUT,
          sister },
        { "mem job total", "kb", usage_sum(j).mem_kb, job_kib(j, "mem", INT64_MAX),
          KILLED_MEM, sister || !m->cfg.enforce.mem },
    };

    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        const struct usage_limit *l = &limits[i];
        const char *text;

        if (j->phase != JOB_RUNNING || j->status_is_set)
            return;
        if (l->is_off || l->used <= l->most)
            continue;
        text = arena_printf(out->arena, "%s %" PRId64 "%s exceeded limit %" PRId64 "%s",
                            l->name, l->used, l->unit, l->most, l->unit);
        if (sister)
            say_over(j, l->status, text, out);
        else
            kill_for(m, now_at, j, l->status, text, out);
    }
}

/* More processors than it asked for: of late, or all the time. Without the word in
 * $enforce that is said once and nothing is done. */
static void enforce_ncpus(struct mom *m, int64_t now_at, struct mom_job *j,
                          struct mom_out *out)
{
    const struct mom_enforce *e = &m->cfg.enforce;
    const double ncpus =
        (double)MAX_OF(job_number(j, "Resource_List", "ncpus", 1), (int64_t)1);
    const double walltime_s = (double)job_walltime(m, j, now_at);
    const double average = walltime_s > 0 ? (double)scaled_cput(m, j) / walltime_s : 0;
    const double recent = (double)percent_sum(j) / 100;
    const struct {
        const char *word;
        double used;
        bool is_over, kills, *is_said;
        int32_t status;
    } rows[] = {
        { "burst", recent,
          recent * 100 > ncpus * 100 * e->delta_cpufactor + e->delta_percent_over,
          e->cpuburst, &j->burst_is_said, KILLED_BURST },
        { "sum", average,
          walltime_s > e->average_trialperiod_s &&
              average > ncpus * e->average_cpufactor + e->average_percent_over / 100,
          e->cpuaverage, &j->average_is_said, KILLED_AVERAGE },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *text;

        if (!rows[i].is_over || j->phase != JOB_RUNNING || j->status_is_set)
            continue;
        text = arena_printf(out->arena, "ncpus %.1f exceeded limit %.0f (%s)",
                            rows[i].used, ncpus, rows[i].word);
        if (rows[i].kills)
            kill_for(m, now_at, j, rows[i].status, text, out);
        else if (!*rows[i].is_said)
            out_joblog(out, LOG_EV_JOB, j, "%s", text);
        *rows[i].is_said = true;
    }
}

void usage_enforce(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out)
{
    /* It may have died with its host, long before it would be over a limit. */
    if (j->is_unseen || j->phase != JOB_RUNNING || j->status_is_set)
        return;
    enforce_amounts(m, now_at, j, out);
    if (!j->is_sister && !j->top.is_pretended)
        enforce_ncpus(m, now_at, j, out);
}
