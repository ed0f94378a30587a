/* host_tasks.c - an executor with files and processes in virtual time. It does what
 * mom/shell/host.c and tasks.c do with those of a real host, step by step, so that the
 * MoM can be killed between any two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "sim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define WATCH_MS      500  /* between looks at adopted jobs */
#define GONE_MS       5500 /* without a trace of one */
#define DIE_MS        500  /* what a process takes to die */
#define STATUS_KILLED (256 + SIGKILL)
#define STATUS_LOST   (-4)
#define START_RETRY   (-3)
#define BAD_USER      (-10)
#define NOT_RESTORED  (-7)
#define RESTORE_MS    1000 /* in calm weather */

/* Names of files. */

static const char *script_name(struct arena *arena, const char *job_id)
{
    return arena_printf(arena, "%s.SC", job_id);
}

static const char *exit_name(struct arena *arena, const char *job_id, int32_t run)
{
    return arena_printf(arena, "%s.%d.EX", job_id, run);
}

static bool read_exit(const struct mom_host *h, const char *job_id, int32_t run,
                      int32_t *ret, struct mom_usage *used)
{
    struct arena *arena = arena_new();
    const struct buf *text = disk_read(&h->disk, exit_name(arena, job_id, run));
    bool ok =
        text && text->len && sscanf(text->data, "%d %" SCNd64, ret, &used->cput_s) == 2;

    arena_free(arena);
    return ok;
}

/* Processes. */

struct moment { /* of a process, a task or a copy, told later */
    struct mom_host *host;
    uint64_t life; /* of the MoM */
    uint64_t run;
    uint64_t clock;
    uint64_t token;
    int32_t status;
    char *job_id; /* NULL, or owned */
};

static void moment_drop(void *arg)
{
    struct moment *x = arg;

    free(x->job_id);
    free(x);
}

static void post(struct mom_host *h, int64_t delay_ms, event_fn fn, struct moment x)
{
    struct moment *to = xmalloc(sizeof(*to));

    x.host = h;
    x.life = h->life;
    *to = x;
    sim_after(h->sim, delay_ms, fn, to, moment_drop);
}

static bool mom_lives(const struct moment *x)
{
    return x->host->mom && x->host->life == x->life;
}

static struct run *find_run(const struct mom_host *h, uint64_t number)
{
    struct run *r;

    DL_FOREACH (h->runs, r)
        if (r->number == number)
            return r;
    return NULL;
}

struct run *host_run_of(const struct mom_host *h, const char *job_id,
                        int32_t run_version)
{
    struct run *r;

    DL_FOREACH (h->runs, r)
        if (strcmp(r->job_id, job_id) == 0 && r->run_version == run_version)
            return r;
    return NULL;
}

const struct run *host_run(const struct mom_host *h, const char *job_id,
                           int32_t run_version)
{
    return host_run_of(h, job_id, run_version);
}

static struct task *find_task(const struct mom_host *h, const char *job_id)
{
    struct task *t;

    DL_FOREACH (h->tasks, t)
        if (!t->is_dropped && strcmp(t->job_id, job_id) == 0)
            return t;
    return NULL;
}

static struct task *task_of_run(const struct mom_host *h, uint64_t run)
{
    struct task *t;

    DL_FOREACH (h->tasks, t)
        if (t->run == run)
            return t;
    return NULL;
}

static void free_task(struct mom_host *h, struct task *t)
{
    DL_DELETE(h->tasks, t);
    free(t->job_id);
    free(t);
}

static void free_run(struct mom_host *h, struct run *r)
{
    DL_DELETE(h->runs, r);
    free(r->job_id);
    free(r);
}

void host_kill_runs(struct mom_host *h)
{
    while (h->runs) {
        check_run_lost(h, h->runs);
        free_run(h, h->runs);
    }
    extras_kill(h);
    images_kill(h);
}

/* The end of a job's processes, told to the core with what is known of it. */
static void tell_exit(struct mom_host *h, struct task *t)
{
    struct mom_out out = host_input(h);
    struct mom_usage used = { 0 };
    int32_t status = t->is_adopted   ? STATUS_LOST
                     : t->is_unsaved ? START_RETRY
                                     : STATUS_KILLED;
    bool known = read_exit(h, t->job_id, t->run_version, &status, &used);

    mom_exited(h->mom, host_now_at(h), t->job_id, status, known ? &used : NULL, &out);
    free_task(h, t);
    host_end_input(h, &out);
}

static void is_seen_over(struct sim *s, void *arg)
{
    const struct moment *x = arg;
    struct task *t = NULL;

    (void)s;
    if (mom_lives(x))
        t = find_task(x->host, x->job_id);
    if (t && t->is_adopted)
        tell_exit(x->host, t);
}

/* The shepherd of a child ends: its MoM hears of it, and looks at what was written. */
static void child_ended(struct mom_host *h, struct task *t)
{
    struct arena *arena = arena_new();
    struct mom_out out;

    if (t->is_dropped) {
        disk_remove(&h->disk, exit_name(arena, t->job_id, t->run_version));
        free_task(h, t);
    } else if (t->session > 0) {
        tell_exit(h, t);
    } else {
        out = host_input(h);
        mom_started(h->mom, host_now_at(h), t->job_id, 0, START_RETRY,
                    "the job's shepherd ended", &out);
        free_task(h, t);
        host_end_input(h, &out);
    }
    arena_free(arena);
}

static int64_t ran_s(const struct mom_host *h, const struct run *r)
{
    return r->state == RUN_ON ? (h->sim->clock.now_ms - r->since_ms) / 1000 : 0;
}

/* 'writes': its shepherd lives to write down how it ended. */
static void end_run(struct mom_host *h, struct run *r, int32_t status, bool writes)
{
    struct task *t = task_of_run(h, r->number);
    struct arena *arena = arena_new();
    const char *text;

    if (r->state != RUN_ON) /* it never began */
        status = r->state == RUN_RESTORED ? NOT_RESTORED : START_RETRY;
    text = arena_printf(arena, "%d %" PRId64, status, ran_s(h, r));
    sim_trace(h->sim, "host %s: processes of %s run %d end (%d)", h->name, r->job_id,
              r->run_version, status);
    if (writes)
        writes = disk_fill(&h->disk, exit_name(arena, r->job_id, r->run_version), text,
                           strlen(text));
    check_run_ended(h, r, status, writes);
    if (t && t->is_adopted)
        post(h, WATCH_MS, is_seen_over,
             (struct moment){ .job_id = xstrdup(r->job_id) });
    free_run(h, r);
    if (t && !t->is_adopted)
        child_ended(h, t);
    arena_free(arena);
}

void host_end_run(struct mom_host *h, struct run *r)
{
    r->was_signalled = true;
    end_run(h, r, STATUS_KILLED, true);
}

static void run_is_over(struct sim *s, void *arg)
{
    const struct moment *x = arg;
    struct run *r = find_run(x->host, x->run);

    (void)s;
    if (r && (x->clock == 0 || x->clock == r->clock))
        end_run(x->host, r, x->status, true);
}

static void shepherd_is_dead(struct sim *s, void *arg)
{
    const struct moment *x = arg;
    struct run *r = find_run(x->host, x->run);

    (void)s;
    if (r)
        end_run(x->host, r, START_RETRY, false);
}

static void end_later(struct mom_host *h, const struct run *r, int32_t status)
{
    struct sim *s = h->sim;
    int64_t ms = s->weather.jitter_ms ? rnd_range(&s->rnd, 0, 2 * DIE_MS) : DIE_MS;

    post(h, ms, run_is_over, (struct moment){ .run = r->number, .status = status });
}

static void stop_clock(struct mom_host *h, struct run *r)
{
    if (r->state != RUN_ON || r->is_stopped)
        return;
    r->is_stopped = true;
    r->left_ms = MAX_OF(r->left_ms - (h->sim->clock.now_ms - r->since_ms), 0);
    r->clock++;
}

static void start_clock(struct mom_host *h, struct run *r)
{
    r->state = RUN_ON;
    r->is_stopped = false;
    r->since_ms = h->sim->clock.now_ms;
    r->clock++;
    post(h, r->left_ms, run_is_over,
         (struct moment){ .run = r->number, .clock = r->clock });
}

int64_t host_left_ms(const struct mom_host *h, const struct run *r)
{
    int64_t on_ms =
        r->state == RUN_ON && !r->is_stopped ? h->sim->clock.now_ms - r->since_ms : 0;

    return MAX_OF(r->left_ms - on_ms, 0);
}

/* Starting. */

static bool save_job(struct mom_host *h, const char *job_id, uint32_t task,
                     struct mom_out *out);

static void is_restored(struct sim *s, void *arg)
{
    const struct moment *x = arg;
    struct mom_host *h = x->host;
    struct run *r = find_run(h, x->run);
    struct mom_out out;

    if (!r || r->state != RUN_RESTORED)
        return;
    if (!images_left_ms(h, r->job_id, &r->left_ms) ||
        (s->weather.jitter_ms && rnd_percent(&s->rnd, 10))) {
        end_run(h, r, NOT_RESTORED, true);
        return;
    }
    sim_trace(s, "host %s: processes of %s run %d go on from their image", h->name,
              r->job_id, r->run_version);
    check_run_begins(h, r);
    check_image_begins(h, r);
    start_clock(h, r);
    if (!mom_lives(x) || !find_task(h, x->job_id))
        return;
    out = host_input(h);
    mom_restarted(h->mom, host_now_at(h), x->job_id, &out);
    host_end_input(h, &out);
}

static void restore(struct mom_host *h, struct run *r)
{
    struct sim *s = h->sim;

    r->state = RUN_RESTORED;
    post(h, s->weather.jitter_ms ? rnd_range(&s->rnd, 0, 10 * RESTORE_MS) : RESTORE_MS,
         is_restored,
         (struct moment){ .run = r->number, .job_id = xstrdup(r->job_id) });
}

/* With its record on disk the job may begin; without its go it ends. */
static void begin_job(struct mom_host *h, const char *job_id, struct mom_out *out)
{
    struct task *t = find_task(h, job_id);
    struct run *r = t ? find_run(h, t->run) : NULL;
    bool is_saved = save_job(h, job_id, 0, out);

    if (!r || r->state != RUN_HELD || host_dies_here(h))
        return;
    t->is_unsaved = !is_saved;
    if (!is_saved) {
        end_later(h, r, START_RETRY);
        return;
    }
    if (r->is_restart) {
        restore(h, r);
        return;
    }
    sim_trace(h->sim, "host %s: processes of %s run %d begin", h->name, r->job_id,
              r->run_version);
    check_run_begins(h, r);
    check_image_begins(h, r);
    start_clock(h, r);
    extras_ask(h, job_id);
}

/* The file of the status has its place before there is a job. */
static bool disk_reserve_exit(struct mom_host *h, const struct run *r)
{
    struct arena *arena = arena_new();
    bool ok = disk_reserve(&h->disk, exit_name(arena, r->job_id, r->run_version));

    arena_free(arena);
    return ok;
}

/* The shepherd says why there is no job, and ends. */
static void fail_start(struct mom_host *h, const struct run *r, struct task *t)
{
    struct mom_out out = host_input(h);

    t->is_dropped = true;
    end_later(h, r, START_RETRY);
    if (h->knows_nobody)
        mom_started(h->mom, host_now_at(h), t->job_id, 0, BAD_USER,
                    "the user cannot be looked up", &out);
    else
        mom_started(h->mom, host_now_at(h), t->job_id, 0, START_RETRY,
                    "No space left on device", &out);
    host_end_input(h, &out);
}

static void report_arrives(struct sim *s UNUSED, void *arg)
{
    const struct moment *x = arg;
    struct mom_host *h = x->host;
    struct run *r = find_run(h, x->run);
    struct task *t = r && mom_lives(x) ? task_of_run(h, r->number) : NULL;
    struct mom_out out;

    if (!r || r->state != RUN_STARTING)
        return;
    r->state = RUN_HELD;
    r->session = ++h->last_session;
    if (!t || t->is_dropped) { /* the other ends of its pipes are closed */
        end_later(h, r, START_RETRY);
        return;
    }
    if (h->knows_nobody || !disk_reserve_exit(h, r)) {
        fail_start(h, r, t);
        return;
    }
    t->session = r->session;
    out = host_input(h);
    mom_started(h->mom, host_now_at(h), t->job_id, t->session, 0, NULL, &out);
    host_end_input(h, &out);
}

/* The script says how long the job lasts: "sleep 30". */
static int64_t script_lasts_ms(const struct mom_host *h, const char *job_id)
{
    struct arena *arena = arena_new();
    const struct buf *script = disk_read(&h->disk, script_name(arena, job_id));
    int64_t lasts_s = 60;

    if (script && script->data)
        (void)sscanf(script->data, "sleep %" SCNd64, &lasts_s);
    arena_free(arena);
    return lasts_s * 1000;
}

static void start_job(struct mom_host *h, const char *job_id)
{
    struct sim *s = h->sim;
    struct arena *arena = arena_new();
    struct run *r = xcalloc(1, sizeof(*r));
    struct task *t = xcalloc(1, sizeof(*t));
    int32_t session;

    r->number = ++h->last_run;
    r->job_id = xstrdup(job_id);
    r->run_version = mom_job_run_version(h->mom, job_id);
    r->is_restart = mom_job_restarts(h->mom, job_id, &session);
    r->lasts_ms = r->left_ms = script_lasts_ms(h, job_id);
    r->ignores_term = s->weather.jitter_ms && rnd_percent(&s->rnd, 10);
    DL_APPEND(h->runs, r);
    t->job_id = xstrdup(job_id);
    t->run_version = r->run_version;
    t->run = r->number;
    DL_APPEND(h->tasks, t);
    disk_remove(&h->disk, exit_name(arena, job_id, r->run_version));
    post(h, sim_latency_ms(s), report_arrives, (struct moment){ .run = r->number });
    arena_free(arena);
}

/* Signals. */

static void signal_run(struct mom_host *h, struct run *r, int signo)
{
    if (signo == SIGKILL || signo == SIGTERM) {
        r->was_signalled = true;
        if (signo == SIGKILL || !r->ignores_term)
            end_later(h, r, 256 + signo);
    } else if (signo == SIGSTOP) {
        stop_clock(h, r);
    } else if (signo == SIGCONT && r->is_stopped) {
        start_clock(h, r);
    }
}

static struct run *run_of_session(const struct mom_host *h, int32_t session)
{
    struct run *r;

    DL_FOREACH (h->runs, r)
        if (r->session == session)
            return r;
    return NULL;
}

void host_signal_job(struct mom_host *h, const char *job_id, int signo)
{
    const struct task *t = find_task(h, job_id);
    int32_t session = t ? t->session : mom_job_session(h->mom, job_id);
    struct run *r = session > 0 ? run_of_session(h, session)
                    : t         ? find_run(h, t->run)
                                : NULL;

    if (!r && (signo == SIGKILL || signo == SIGTERM))
        check_run_crossed(h, job_id);
    if (!r)
        return;
    if (session > 0)
        signal_run(h, r, signo);
    else if (signo == SIGKILL) /* the shepherd, which can write nothing any more */
        post(h, 0, shepherd_is_dead, (struct moment){ .run = r->number });
}

/* Files. */

/* The script first: a record without its script must not be found. */
static void store_job(struct mom_host *h, const char *job_id, struct mom_out *out)
{
    struct arena *arena = arena_new();
    const char *script;
    struct diag why;
    size_t len;
    bool ok = true;

    if (mom_job_script(h->mom, job_id, &script, &len))
        ok = disk_write(&h->disk, script_name(arena, job_id), script, len);
    arena_free(arena);
    if (host_dies_here(h))
        return;
    if (ok)
        ok = host_save_record(h, job_id, 0);
    if (host_dies_here(h))
        return;
    if (!ok) {
        diag_set(&why, PBSE_SYSTEM, "No space left on device");
        mom_noted(h->mom, host_now_at(h), &why, out);
    }
    mom_stored(h->mom, host_now_at(h), job_id, ok ? NULL : &why, out);
}

static bool save_job(struct mom_host *h, const char *job_id, uint32_t task,
                     struct mom_out *out)
{
    bool ok = host_save_record(h, job_id, task);
    struct diag why;

    check_run_saved(h, job_id, ok);
    if (!ok) {
        sim_trace(h->sim, "mom %s: %s: its record cannot be written", h->name, job_id);
        diag_set(&why, PBSE_SYSTEM, "No space left on device");
        mom_not_saved(h->mom, host_now_at(h), job_id, &why, out);
    }
    return ok;
}

/* The record last: it names the others. */
static void drop_job(struct mom_host *h, const char *job_id, int32_t run_version,
                     bool may_have_images)
{
    struct arena *arena = arena_new();
    struct task *t = find_task(h, job_id);
    struct run *r;

    disk_remove(&h->disk, script_name(arena, job_id));
    if (!host_dies_here(h))
        disk_remove(&h->disk, exit_name(arena, job_id, run_version));
    if (!host_dies_here(h))
        disk_remove(&h->disk, host_record_name(arena, job_id));
    arena_free(arena);
    if (!h->is_dying) {
        extras_signal(h, job_id, 0, SIGKILL);
        if (may_have_images)
            images_drop(h, job_id);
        else
            images_check_none(h, job_id);
    }
    if (!t || h->is_dying)
        return;
    t->is_dropped = true;
    r = t->session > 0 ? run_of_session(h, t->session) : NULL;
    if (r)
        signal_run(h, r, SIGKILL);
    if (t->is_adopted)
        free_task(h, t);
}

static void sample(struct mom_host *h, struct mom_out *out)
{
    int64_t now_at = host_now_at(h);
    const struct task *t;

    DL_FOREACH (h->tasks, t) {
        const struct run *r = find_run(h, t->run);

        if (r && !t->is_dropped)
            mom_used(h->mom, now_at, t->job_id,
                     &(struct mom_usage){ .cput_s = ran_s(h, r), .mem_kb = 1000 });
    }
    mom_sampled(h->mom, now_at, out);
}

static void files_are_done(struct sim *s UNUSED, void *arg)
{
    const struct moment *x = arg;
    struct mom_out out;

    if (!mom_lives(x))
        return;
    out = host_input(x->host);
    mom_files_done(x->host->mom, host_now_at(x->host), x->token, x->status,
                   x->status ? "cannot copy" : NULL, &out);
    host_end_input(x->host, &out);
}

static void copy_files(struct mom_host *h, uint64_t token)
{
    struct sim *s = h->sim;
    bool fails = s->weather.lost_percent && rnd_percent(&s->rnd, 5);

    post(h, sim_latency_ms(s), files_are_done,
         (struct moment){ .token = token, .status = fails ? PBSE_NOCOPYFILE : 0 });
}

/* The record says how the run has ended. */
static void forget_exit(struct mom_host *h, const char *job_id)
{
    struct arena *arena = arena_new();

    MUST(!find_task(h, job_id)); /* it has ended */
    disk_remove(&h->disk,
                exit_name(arena, job_id, mom_job_run_version(h->mom, job_id)));
    arena_free(arena);
}

static void carry_out(void *self, int64_t now_at, const struct mom_effect *e,
                      struct mom_out *out)
{
    struct mom_host *h = self;

    (void)now_at;
    switch (e->kind) {
    case MOM_STORE:
        store_job(h, e->job_id, out);
        break;
    case MOM_SAVE:
        (void)save_job(h, e->job_id, e->task, out);
        break;
    case MOM_START:
        start_job(h, e->job_id);
        break;
    case MOM_BEGIN:
        if (e->task)
            extras_begin(h, e->job_id, e->task, save_job(h, e->job_id, e->task, out));
        else
            begin_job(h, e->job_id, out);
        break;
    case MOM_PREPARE:
        mom_prepared(h->mom, host_now_at(h), e->job_id,
                     arena_printf(out->arena, "%032" PRIx64, rnd_next(&h->sim->rnd)), 0,
                     0, out);
        break;
    case MOM_SPAWN:
        extras_spawn(h, e->job_id, e->task, e->u.spawn.restart_session > 0);
        break;
    case MOM_KILL:
        if (e->task <= 1)
            host_signal_job(h, e->job_id, e->u.signo);
        extras_signal(h, e->job_id, e->task, e->u.signo);
        if (e->u.signo == SIGKILL)
            scripts_kill_epilogue(h, e->job_id);
        break;
    case MOM_TERMINATE:
        scripts_end_job(h, e->job_id);
        break;
    case MOM_EPILOGUE:
        scripts_epilogue(h, e->job_id, out);
        break;
    case MOM_SAMPLE:
        sample(h, out);
        break;
    case MOM_FILES:
        copy_files(h, e->u.files.token);
        break;
    case MOM_CHECKPOINT:
        images_make(h, e, out);
        break;
    case MOM_ABANDON:
        images_abandon(h, e->job_id);
        break;
    case MOM_GO_BACK:
        images_go_back(h, e->job_id, e->u.checkpoint.has_before);
        break;
    case MOM_REST:
        forget_exit(h, e->job_id);
        break;
    case MOM_DROP:
        drop_job(h, e->job_id, e->u.drop.run_version, e->u.drop.may_have_images);
        break;
    default: /* nobody reads what is told to the job's user */
        MUST(executor_has(e->kind));
    }
}

struct executor host_executor(struct mom_host *h)
{
    return (struct executor){ .self = h, .carry_out = carry_out };
}

/* Recovery. */

/* A job that had a session is watched for a while before it is given up. */
static void adopt(struct mom_host *h, const char *job_id, int32_t run_version)
{
    struct task *t = xcalloc(1, sizeof(*t));
    const struct run *r;

    t->job_id = xstrdup(job_id);
    t->run_version = run_version;
    t->session = mom_job_session(h->mom, job_id);
    t->is_adopted = true;
    r = run_of_session(h, t->session);
    t->run = r ? r->number : 0;
    DL_APPEND(h->tasks, t);
    if (!r)
        post(h, GONE_MS, is_seen_over, (struct moment){ .job_id = xstrdup(job_id) });
}

static void find_processes(struct mom_host *h, const char *job_id)
{
    int32_t run_version = mom_job_run_version(h->mom, job_id), status;
    struct mom_usage used;

    extras_recover(h, job_id);
    if (read_exit(h, job_id, run_version, &status, &used)) {
        mom_found(h->mom, job_id, false, status);
    } else if (mom_job_session(h->mom, job_id) > 0) {
        mom_found(h->mom, job_id, true, 0);
        adopt(h, job_id, run_version);
    }
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t len = strlen(name), n = strlen(suffix);

    return len > n && strcmp(name + len - n, suffix) == 0;
}

/* "ID.RUN.EX" or "ID.SC" of a job that is not here: the MoM ended before it was
 * removed, or before the job's record was written. */
static void sweep(struct mom_host *h, const char *name)
{
    char *id = xstrdup(name);

    *strrchr(id, '.') = '\0';
    if (ends_in(name, ".EX"))
        *strrchr(id, '.') = '\0';
    if (!mom_job_attrs(h->mom, id))
        disk_remove(&h->disk, name);
    free(id);
}

void host_recover(struct mom_host *h)
{
    struct file *f, *next;
    struct arena *arena = arena_new();
    struct wire_strings found = { 0 };
    const char *id;

    found.v = ARENA_ARRAY(arena, const char *, HASH_COUNT(h->disk.files) + 1);
    HASH_ITER (hh, h->disk.files, f, next) {
        if (!ends_in(f->name, ".JB"))
            continue;
        id = host_load_record(h, f);
        if (id) {
            check_run_read(h, id);
            find_processes(h, id);
            found.v[found.n++] = arena_strdup(arena, id);
        }
    }
    for (size_t i = 0; i < found.n; i++)
        images_settle(h, found.v[i]);
    arena_free(arena);
    HASH_ITER (hh, h->disk.files, f, next) {
        if (ends_in(f->name, ".EX") || ends_in(f->name, ".SC"))
            sweep(h, f->name);
    }
}

/* A job that was not begun never will be: nobody holds the other ends of its pipes. */
void host_forget_tasks(struct mom_host *h)
{
    struct run *r;

    while (h->tasks)
        free_task(h, h->tasks);
    extras_forget(h);
    scripts_forget(h);
    DL_FOREACH (h->runs, r)
        if (r->state == RUN_HELD)
            end_later(h, r, START_RETRY);
}
