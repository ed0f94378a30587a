/* life.c - a job's way from its start to the server's last word about it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/base/instant.h"

#include <signal.h>
#include <strings.h>

static void save(const struct mom_job *j, struct mom_out *out)
{
    out_job(out, MOM_SAVE, j);
}

/* No deadline costs a look at other jobs: each job has the earliest of its own among
 * m->due. An obituary waits for a server that is registered, and then goes to it at
 * once (link_hello_reply()). */
int64_t life_due_at(const struct mom *m, const struct mom_job *j)
{
    int64_t at = MIN_OF(usage_walltime_end(m, j), j->commit_by);

    if (job_has_processes(j))
        at = MIN_OF(at, MIN_OF(j->kill_at, checkpoint_due_at(m, j)));
    /* Before there is a session a signal finds nobody: a start that shall end is given
     * time to report, and then its shepherd is killed. */
    if (j->phase == JOB_PRERUN)
        at = MIN_OF(at, instant_after(j->kill_at, START_GRACE_S));
    if (j->phase == JOB_OBIT && m->registered && !j->is_dropped)
        at = MIN_OF(at, j->obit_at + OBIT_REPEAT_S);
    if (j->is_wide)
        at = MIN_OF(at, j->is_sister ? sister_due_at(m, j) : superior_due_at(m, j));
    return at;
}

void life_reckon(struct mom *m, struct mom_job *j)
{
    deadline_set(&m->due, &j->due, life_due_at(m, j));
}

void life_reckon_wide(struct mom *m)
{
    struct mom_job *j;

    DL_FOREACH2 (m->wide, j, wide_next)
        life_reckon(m, j);
}

static void clock_stop(struct mom_job *j, int64_t now_at)
{
    /* A clock that was set back adds nothing. */
    if (j->since_at && now_at > j->since_at)
        j->walltime_s += now_at - j->since_at;
    j->since_at = 0;
}

void life_stop_clock(struct mom *m, int64_t now_at, struct mom_job *j)
{
    clock_stop(j, now_at);
    life_reckon(m, j);
}

void life_start_clock(struct mom *m, int64_t now_at, struct mom_job *j)
{
    if (!j->since_at)
        j->since_at = now_at;
    life_reckon(m, j);
}

void life_preset(struct mom_job *j, int32_t status)
{
    /* The reason comes first and the end of the processes later; what they end with
     * does not replace the reason (execution.md 20). */
    if (!j->status_is_set) {
        j->status = status;
        j->status_is_set = true;
    }
}

static void go_running(struct mom *m, int64_t now_at, struct mom_job *j,
                       struct mom_out *out)
{
    MUST(j->phase == JOB_PRERUN);
    job_set_phase(m, j, JOB_RUNNING);
    j->since_at = now_at;
    j->top.sampled_at = now_at;
    life_reckon(m, j);
    /* The program begins after its session is on disk. Otherwise a MoM that dies here
     * would start it a second time, not knowing of the first. */
    out_job(out, MOM_BEGIN, j);
    receive_answer(j, out);
    checkpoint_go_on(m, j, out);
    life_poll_soon(m, now_at);
    life_tell(m, now_at, j, out);
}

void life_start(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    /* How long a start may take is not limited: homes on a slow file server are legal.
     * Somebody has to want its end first (life_due_at()). */
    (void)now_at;
    job_set_phase(m, j, JOB_PRERUN);
    if (host_list_is_single(j))
        life_start_top(m, j, out);
    else
        superior_begin(m, j, out);
}

void life_start_top(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    (void)m;
    MUST(j->phase == JOB_PRERUN && !j->is_joining && !j->is_sister);
    out_job(out, MOM_START, j);
}

void mom_started(struct mom *m, int64_t now_at, const char *job_id, int32_t session,
                 int32_t status, const char *text, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    /* The executor reports late, perhaps about a job that was given up meanwhile. */
    if (!j || j->phase != JOB_PRERUN || j->is_joining || j->is_sister)
        return;
    job_forget_script(j);
    if (session <= 0) {
        if (text)
            out_joblog(out, LOG_EV_ERROR, j, "%s", text);
        out_joblog(out, LOG_EV_ERROR, j, "job not started, %s %d",
                   status == STATUS_RETRY ? "Retry" : "Failure", status);
        /* The disk may be full: then the server hears of that before the job is back in
         * its queue. */
        if (status == STATUS_RETRY)
            out_add(out, MOM_TRY_NOTE);
        life_preset(j, status);
        life_end(m, now_at, j, status, out);
        return;
    }
    j->top.session = session;
    if (text)
        out_joblog(out, LOG_EV_JOB, j, "%s", text);
    else
        out_joblog(out, LOG_EV_JOB, j, "Started, pid = %d", session);
    go_running(m, now_at, j, out);
    /* The order to forget the job came while it was starting, when there was no session
     * to kill. */
    if (j->is_dropped)
        out_kill(out, j, SIGKILL);
}

/* "HOST cput=00:01:01 mem=300kb". */
static void log_host(const struct mom *m, const struct mom_job *j, const char *host,
                     const struct mom_usage *used, struct mom_out *out)
{
    int64_t s = job_scaled(used->cput_s, m->cfg.cputmult);

    out_joblog(out, LOG_EV_DEBUG2, j,
               "%s cput=%02" PRId64 ":%02" PRId64 ":%02" PRId64 " mem=%" PRId64 "kb",
               host, s / 3600, s / 60 % 60, s % 60, used->mem_kb);
}

static void log_usage(const struct mom *m, const struct mom_job *j, struct mom_out *out)
{
    int64_t s = job_scaled(j->top.used.cput_s, m->cfg.cputmult);

    out_joblog(out, LOG_EV_DEBUG2, j,
               "task %08X cput=%02" PRId64 ":%02" PRId64 ":%02" PRId64, j->top.number,
               s / 3600, s / 60 % 60, s % 60);
    /* The line of each SIGKILL, this one for what is left of the job, stands between
     * the sum of the task and that of the host (tpp.md 10). */
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    log_host(m, j, m->cfg.host, &j->top.used, out);
}

void life_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
              struct mom_out *out)
{
    bool had_processes = job_has_processes(j);

    checkpoint_abandon(m, j, out);
    life_preset(j, status);
    clock_stop(j, now_at);
    j->kill_at = INT64_MAX;
    j->is_terminating = false;
    /* The top process has ended; what it has left behind in its session does not
     * outlive the job (execution.md 19). */
    if (had_processes)
        out_kill(out, j, SIGKILL);
    if (j->is_dropped) {
        job_set_phase(m, j, JOB_OBIT); /* nothing starts any more */
        life_drop(m, j, out);
        return;
    }
    if (had_processes)
        log_usage(m, j, out);
    if (superior_kill(m, now_at, j, out)) {
        job_set_phase(m, j, JOB_KILLING);
        life_reckon(m, j);
        save(j, out);
        return;
    }
    life_over(m, now_at, j, out);
}

/* "ncpus=1,place=pack": what the attribute of that name says of resources. */
static const char *resources_text(const struct wire_attrs *attrs, const char *name,
                                  struct arena *arena)
{
    struct buf text = { 0 };
    const char *copy;

    for (size_t i = 0; i < attrs->n; i++) {
        const struct wire_attr *a = &attrs->v[i];

        if (strcmp(a->name, name) == 0 && a->resource)
            buf_printf(&text, "%s%s=%s", text.len ? "," : "", a->resource, a->value);
    }
    copy = arena_strndup(arena, text.data, text.len);
    buf_fini(&text);
    return copy;
}

/* No record is written for it: a MoM that ends meanwhile finds the end of the job's
 * processes again, and then the script runs once more. */
static void begin_epilogue(struct mom *m, int64_t now_at, struct mom_job *j,
                           struct mom_out *out)
{
    struct wire_attrs used = { 0 };
    struct mom_effect *e = out_add(out, MOM_EPILOGUE);

    job_set_phase(m, j, JOB_EPILOGUE);
    life_reckon(m, j);
    usage_attrs(m, j, now_at, &used, out->arena);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.epilogue.session = j->top.session;
    e->u.epilogue.status = j->status;
    e->u.epilogue.asked = resources_text(&j->attrs, "Resource_List", out->arena);
    e->u.epilogue.used = resources_text(&used, "resources_used", out->arena);
    /* The status of the job counts, which may be that of a limit: its program can end
     * with 0 all the same. */
    e->u.epilogue.removes = j->status == 0 &&
                            wire_attrs_value(&j->attrs, "Remove_Files", NULL) &&
                            !wire_attrs_value(&j->attrs, "interactive", NULL);
}

/* The server is told the end. */
static void tell_end(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    job_set_phase(m, j, JOB_OBIT);
    life_reckon(m, j);
    /* The end is on disk before the server hears of it, so a restart repeats the same
     * status. */
    save(j, out);
    receive_answer(j, out);
    life_send_obit(m, now_at, j, out);
}

void life_over(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    MUST(!j->is_sister); /* the mother superior tells the end of all hosts */
    if (m->cfg.runs_epilogues)
        begin_epilogue(m, now_at, j, out);
    else
        tell_end(m, now_at, j, out);
}

void life_hosts_over(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    for (size_t i = 0; i < j->hosts.n; i++)
        if (i != j->hosts.own)
            log_host(m, j, j->hosts.v[i].name, &j->hosts.v[i].used, out);
    life_over(m, now_at, j, out);
}

/* The script may send a job back that has an image, to go on from there, but not one
 * that was to be ended; and a status that was set is not overwritten. Whatever else it
 * ends with changes nothing of the job's end (execution.md 16, 20). */
void mom_epilogue_done(struct mom *m, int64_t now_at, const char *job_id, int code,
                       struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || j->phase != JOB_EPILOGUE)
        return;
    if (code == MOM_EPILOGUE_RESTARTS && j->checkpoint.has_image && j->status >= 0 &&
        !j->is_ended_by_order)
        j->status = STATUS_FROM_IMAGE;
    tell_end(m, now_at, j, out);
}

void mom_exited(struct mom *m, int64_t now_at, const char *job_id, int32_t status,
                const struct mom_usage *used, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    /* The core may have given the job up meanwhile, which the executor hears of
     * later. */
    if (!j || (!job_has_processes(j) && j->phase != JOB_PRERUN))
        return;
    if (used)
        usage_ended(m, j, now_at, used);
    spawned_tell_end(j, j->top.number, status, out);
    out_joblog(out, LOG_EV_DEBUG, j, "task %08X terminated", j->top.number);
    out_joblog(out, LOG_EV_JOB, j, "Terminated");
    clock_stop(j, now_at);
    if (!checkpoint_keeps_end(j, status))
        life_end(m, now_at, j, status, out);
    else
        life_reckon(m, j);
}

void life_suspend(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    MUST(j->phase == JOB_RUNNING);
    /* The accounting of the suspension has what was used so far, and nothing is told of
     * a suspended job. */
    life_tell(m, now_at, j, out);
    out_joblog(out, LOG_EV_JOB, j, "job suspended");
    clock_stop(j, now_at);
    job_set_phase(m, j, JOB_SUSPENDED);
    life_reckon(m, j);
    /* In this order: standing.c. */
    save(j, out);
    out_kill(out, j, m->cfg.suspend_signo);
}

void life_resume(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    MUST(j->phase == JOB_SUSPENDED);
    out_joblog(out, LOG_EV_JOB, j, "job resumed");
    job_set_phase(m, j, JOB_RUNNING);
    if (!job_stands(j)) {
        out_kill(out, j, m->cfg.resume_signo);
        j->since_at = now_at;
    }
    life_reckon(m, j);
    save(j, out);
}

static bool has_letter(const struct mom_job *j, const char *attr, char letter)
{
    const char *letters = wire_attrs_value(&j->attrs, attr, NULL);

    return letters && strchr(letters, letter);
}

/* Output that its user wants kept on this host lies in its directory too, unless it has
 * gone into the file of the other one, or was removed because the job has ended well.
 */
static bool keeps_output(const struct mom_job *j)
{
    const char *joined = wire_attrs_value(&j->attrs, "Join_Path", NULL);

    for (const char *letter = "oe"; *letter; letter++) {
        bool is_other = joined && strcmp(joined, *letter == 'o' ? "eo" : "oe") == 0;
        bool is_removed = j->status == 0 && has_letter(j, "Remove_Files", *letter);

        if (has_letter(j, "Keep_Files", *letter) && !is_other && !is_removed)
            return !has_letter(j, "Keep_Files", 'd');
    }
    return false;
}

/* The directory of its own that goes with the job; NULL: none. Output lies on the first
 * host only; another one removes what it has made, which none shares with it. */
static const char *jobdir_to_remove(const struct mom_job *j)
{
    const char *word = wire_attrs_value(&j->attrs, "sandbox", NULL);

    if (!word || strcasecmp(word, "PRIVATE") != 0)
        return NULL;
    if (j->is_sister)
        return wire_attrs_value(&j->attrs, JOB_MADE_JOBDIR, NULL);
    if (keeps_output(j) || wire_attrs_value(&j->attrs, JOB_UNDELIVERED, NULL))
        return NULL;
    return wire_attrs_value(&j->attrs, "jobdir", NULL);
}

static void fill_drop(const struct mom_job *j, struct mom_effect *e,
                      struct arena *arena)
{
    const char *dir = jobdir_to_remove(j);
    const char *user = wire_attrs_value(&j->attrs, "euser", NULL);

    e->u.drop.run_version = j->run_version;
    e->u.drop.may_have_images = j->checkpoint.may_have_files;
    if (dir && user) {
        e->u.drop.sandbox = arena_strdup(arena, dir);
        e->u.drop.user = arena_strdup(arena, user);
    }
}

void life_drop(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    if (!j->is_dropped)
        superior_forget(m, j, out);
    checkpoint_abandon(m, j, out);
    if (job_has_processes(j)) {
        out_joblog(out, LOG_EV_JOB, j, "kill_job");
        out_kill(out, j, SIGKILL);
    }
    /* A child that copies or starts still works with the job's files: the job stays
     * until that child is done, hidden from all requests by is_dropped. */
    if (j->n_copying || (j->phase == JOB_PRERUN && !j->is_joining && !j->is_sister)) {
        if (j->phase == JOB_PRERUN && !j->is_dropped)
            out_kill(out, j, SIGKILL); /* nobody waits for what it may wait for */
        j->is_dropped = true;
        life_reckon(m, j);
        return;
    }
    out_job(out, MOM_DROP, j);
    /* The shell removes files of this run by its number, and the job is freed before
     * the shell hears of that. */
    fill_drop(j, &out->v[out->n - 1], out->arena);
    job_free(m, j);
}

/* The start waits for something, a file server perhaps. Without its shepherd it has
 * failed. */
static void give_up_start(int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    if (j->phase != JOB_PRERUN || j->is_joining ||
        now_at < instant_after(j->kill_at, START_GRACE_S))
        return;
    j->kill_at = INT64_MAX;
    out_joblog(out, LOG_EV_ERROR, j, "the start does not come to an end, kill_job");
    out_kill(out, j, SIGKILL);
}

static void tick_job(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out)
{
    if (now_at >= j->commit_by)
        receive_answer_now(j, out);
    life_kill_late(now_at, j, out);
    give_up_start(now_at, j, out);
    if (now_at >= usage_walltime_end(m, j))
        usage_enforce(m, now_at, j, out);
    checkpoint_tick(m, now_at, j, out);
    if (j->phase == JOB_OBIT && !j->is_dropped && now_at >= j->obit_at + OBIT_REPEAT_S)
        life_send_obit(m, now_at, j, out);
    if (j->is_wide) {
        if (j->is_sister ? sister_tick(m, now_at, j, out)
                         : superior_tick(m, now_at, j, out))
            return; /* it is gone */
    }
    /* The clock of the MoM counts whole seconds, and a job whose next deadline is not
     * later than now would be taken again in this same turn, for ever. */
    deadline_set(&m->due, &j->due, MAX_OF(life_due_at(m, j), now_at + 1));
}

void life_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct deadline *d;

    /* The others stay due, so that the next turn begins at once. */
    for (size_t n = 0; n < MOM_JOBS_IN_TURN && (d = deadlines_take(&m->due, now_at));
         n++)
        tick_job(m, now_at, STRUCT_OF(d, struct mom_job, due), out);
    if (m->news.next)
        life_go_on_telling(m, now_at, out);
    sampling_tick(m, now_at, out);
}

int64_t life_deadline(const struct mom *m)
{
    return MIN_OF(MIN_OF(m->sample_at, life_telling_deadline(m)),
                  deadlines_next(&m->due));
}

void life_give_back(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    MUST(job_has_processes(j));
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    checkpoint_abandon(m, j, out);
    life_preset(j, checkpoint_status_of_restart(j));
    /* The status comes first: if the MoM dies in between, the next one still says that
     * the server shall run the job again. */
    save(j, out);
    out_kill(out, j, SIGKILL);
}
