/* host.c - see host.h. Processes are tasks.c's, copies files.c's; here are the records
 * of jobs and the way to both.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host.h"

#include "mom/shell/checkpoints.h"
#include "mom/shell/copy.h"
#include "mom/shell/demux.h"
#include "mom/shell/epilogues.h"
#include "mom/shell/files.h"
#include "mom/shell/home.h"
#include "mom/shell/job_groups.h"
#include "mom/shell/shell.h"
#include "mom/shell/signalling.h"
#include "mom/shell/spawning.h"
#include "mom/shell/terminations.h"

#include <signal.h>
#include <stdlib.h>

typedef int record_fn(struct records *s, const char *path, uint64_t base,
                      const void *data, size_t len, struct diag *why);

static int write_record(struct shell *s, const char *job_id, record_fn *write,
                        struct diag *why)
{
    struct buf b = { 0 };
    char path[PATH_MAX];
    int err = 0;

    home_path(s->home, HOME_RECORD, job_id, path);
    /* A job that is gone leaves nothing to write, and that is no failure: effects wait
     * in a list while jobs go. */
    mom_job_encode(s->mom, job_id, &b);
    if (b.len)
        err =
            write(&s->records, path, mom_job_base(s->mom, job_id), b.data, b.len, why);
    buf_fini(&b);
    return err;
}

static int save_record(struct shell *s, const char *job_id, struct diag *why)
{
    return write_record(s, job_id, records_save, why);
}

/* A script need not survive the host, nor a short one the MoM: a job that had not begun
 * is sent anew by the server, and one that had reads it no more. For the same reason
 * the record of a job of which the server has not heard need not survive the host. So a
 * short one is made a file when the job starts. Whose the output of an earlier run on
 * another host is, is found out when the job starts (spawn.c): the service that knows
 * the account may take its time. */
static void store_job(struct shell *s, const char *job_id, bool is_durable,
                      struct mom_out *out)
{
    char path[PATH_MAX];
    const char *script;
    struct diag why;
    size_t len;
    int err = 0;

    if (mom_job_script(s->mom, job_id, &script, &len) && len > MOM_SCRIPT_HELD_BYTES)
        err = home_lay(home_path(s->home, HOME_SCRIPT, job_id, path), 0700, script, len,
                       &why);
    for (int error = 0; error <= 1 && !err; error++)
        if (mom_job_saved(s->mom, job_id, error, &script, &len))
            err =
                home_put(home_path(s->home, error ? HOME_EARLIER_ERR : HOME_EARLIER_OUT,
                                   job_id, path),
                         0600, script, len, &why);
    if (!err)
        err = write_record(s, job_id, is_durable ? records_save : records_lay, &why);
    /* Files that were written before the failure go with MOM_DROP, which follows. */
    if (err) {
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, why.text);
        mom_noted(s->mom, clock_steady(), &why, out);
    }
    mom_stored(s->mom, clock_steady(), job_id, err ? &why : NULL, out);
}

static bool save_job(struct shell *s, const char *job_id, struct mom_out *out)
{
    struct diag why;

    if (save_record(s, job_id, &why) == 0)
        return true;
    shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, why.text);
    mom_not_saved(s->mom, clock_steady(), job_id, &why, out);
    return false;
}

/* Nothing but that task has changed, if one is named: a note of it may do. */
static bool save_task(struct shell *s, const char *job_id, uint32_t task,
                      struct mom_out *out)
{
    struct buf b = { 0 };
    char path[PATH_MAX];
    bool ok = task && mom_job_note(s->mom, job_id, task, &b) &&
              records_note(&s->records, home_path(s->home, HOME_RECORD, job_id, path),
                           mom_job_base(s->mom, job_id), b.data, b.len);

    buf_fini(&b);
    return ok || save_job(s, job_id, out);
}

/* Programs that read the file now see the vnodes that are left. */
static void list_vnodes(struct shell *s, const char *job_id)
{
    const struct wire_attrs *attrs = mom_job_attrs(s->mom, job_id);
    struct diag why;

    if (attrs && plan_nodefile(&s->host, job_id, attrs, s->arena, &why) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, why.text);
}

struct telling {
    struct shell *shell;
    uint64_t token;
};

static void on_told(void *arg, int code, const char *text)
{
    struct telling *t = arg;
    struct shell *s = t->shell;
    struct mom_out out = { .arena = s->arena };

    mom_files_done(s->mom, clock_steady(), t->token, code, text, &out);
    free(t);
    shell_carry_out(s, &out);
}

/* Effects wait in a list while jobs go: words for one that is gone are lost. */
static void tell_job(struct shell *s, const struct mom_effect *e, struct mom_out *out)
{
    const struct files_line line = { .job_id = e->job_id,
                                     .attrs = mom_job_attrs(s->mom, e->job_id),
                                     .to_output = e->u.tell.to_output,
                                     .to_error = e->u.tell.to_error,
                                     .text = e->u.tell.text };
    struct telling *t;
    struct diag why;

    if (!line.attrs) {
        mom_files_done(s->mom, clock_steady(), e->u.tell.token, PBSE_UNKJOBID,
                       pbse_text(PBSE_UNKJOBID), out);
        return;
    }
    t = xcalloc(1, sizeof(*t));
    *t = (struct telling){ .shell = s, .token = e->u.tell.token };
    /* The answer is on_told(), or it comes here at once. */
    if (files_append(s->loop, &s->host, &line, on_told, t, &why) == 0)
        return;
    shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, e->job_id, why.text);
    mom_files_done(s->mom, clock_steady(), t->token, why.code, why.text, out);
    free(t);
}

struct filing {
    struct shell *shell;
    uint64_t token;
    char *job_id;
    size_t n_files;
    int64_t begun_at;
    bool remove, is_out;
};

static void on_files_log(void *arg, int event, const char *object, const char *text)
{
    const struct filing *f = arg;

    shell_log(f->shell, event, LOG_IN_FILE, object, text);
}

static void log_end(const struct filing *f, size_t n_done, int code, const char *text)
{
    int64_t t = clock_steady() - f->begun_at;

    if (!f->remove)
        logfile_printf(
            f->shell->log, LOG_EV_DEBUG2, LOG_IN_JOB, f->job_id,
            "Staged %zu/%zu items %s over %" PRId64 ":%02" PRId64 ":%02" PRId64, n_done,
            f->n_files, f->is_out ? "out" : "in", t / 3600, t / 60 % 60, t % 60);
    if (code)
        logfile_printf(f->shell->log, LOG_EV_DEBUG2, LOG_IN_JOB, f->job_id,
                       "Job files not copied:---->>>> %s ---->>>>", text);
}

static void filing_free(struct filing *f)
{
    free(f->job_id);
    free(f);
}

static void on_files_done(void *arg, size_t n_done, int code, const char *text)
{
    struct filing *f = arg;
    struct shell *s = f->shell;
    struct mom_out out = { .arena = s->arena };

    log_end(f, n_done, code, text);
    /* The effects of this call are carried out below, when nothing of the request is
     * used any more. */
    mom_files_done(s->mom, clock_steady(), f->token, code, text, &out);
    filing_free(f);
    shell_carry_out(s, &out);
}

static void start_files(struct shell *s, const struct mom_effect *e,
                        struct mom_out *out)
{
    struct filing *f = xcalloc(1, sizeof(*f));
    struct buf words = { 0 };

    *f = (struct filing){ .shell = s,
                          .token = e->u.files.token,
                          .job_id = xstrdup(e->job_id),
                          .n_files = e->u.files.body->n_pairs,
                          .begun_at = clock_steady(),
                          .remove = e->u.files.remove,
                          .is_out = e->u.files.body->direction & COPY_OUT };
    /* The answer is on_files_done(), or it comes here at once. */
    if (files_start(s->loop, &s->host, e->u.files.body, e->u.files.remove,
                    on_files_done, on_files_log, f, &words) == 0)
        return;
    log_end(f, 0, PBSE_NOCOPYFILE, words.data);
    mom_files_done(s->mom, clock_steady(), f->token, PBSE_NOCOPYFILE, words.data, out);
    buf_fini(&words);
    filing_free(f);
}

static void drop_job(struct shell *s, const struct mom_effect *e)
{
    epilogues_drop(s, e->job_id);
    if (e->u.drop.may_have_images)
        checkpoints_drop(s, e->job_id);
    spawning_drop(s, e->job_id);
    tasks_drop(s, e->job_id, e->u.drop.run_version, e->u.drop.sandbox, e->u.drop.user);
}

/* Signals of several jobs are sent together, and what is done to one of these jobs
 * comes behind its own: a record that says that a job runs is not there before its
 * processes go on, and a script begins when its job has ended. Whether there is an
 * epilogue is found out by its start. */
static void settle(struct shell *s, const struct mom_effect *e)
{
    if (e->job_id && e->kind != MOM_KILL && e->kind != MOM_DROP &&
        e->kind != MOM_EPILOGUE)
        signalling_settle(s, e->job_id);
}

static void carry_out(void *self, int64_t now_at, const struct mom_effect *e,
                      struct mom_out *out)
{
    struct shell *s = self;

    (void)now_at;
    MUST(executor_has(e->kind)); /* the others are the shell's (shell.c) */
    settle(s, e);
    switch (e->kind) {
    case MOM_STORE:
        store_job(s, e->job_id, e->u.store.is_durable, out);
        break;
    case MOM_SAVE:
        /* The core goes on when this fails, as the log says, and asks for it again when
         * there is room; until then the older record leads to the same job after a
         * restart. */
        (void)save_task(s, e->job_id, e->task, out);
        break;
    case MOM_WHERE:
        list_vnodes(s, e->job_id);
        break;
    case MOM_LIMIT:
        job_groups_limit(s, e->job_id);
        break;
    case MOM_START:
        tasks_start_job(s, e->job_id, out);
        break;
    case MOM_BEGIN:
        tasks_begin(s, e->job_id, e->task, save_task(s, e->job_id, e->task, out));
        break;
    case MOM_PREPARE:
        demux_start(s, e->job_id, out);
        break;
    case MOM_SPAWN:
        spawning_add(s, e, out);
        break;
    case MOM_ADOPT:
        tasks_adopt(s, e->job_id, e->task);
        break;
    case MOM_KILL:
        if (!e->task && e->u.signo == SIGKILL)
            spawning_end(s, e->job_id);
        tasks_kill(s, e->job_id, e->task, e->u.signo);
        if (e->u.signo == SIGKILL)
            epilogues_kill(s, e->job_id);
        break;
    case MOM_TERMINATE:
        terminations_start(s, e->job_id, out);
        break;
    case MOM_EPILOGUE:
        epilogues_start(s, e, out);
        break;
    case MOM_SAMPLE:
        tasks_sample(s, out);
        break;
    case MOM_TELL:
        tell_job(s, e, out);
        break;
    case MOM_FILES:
        start_files(s, e, out);
        break;
    case MOM_CHECKPOINT:
        checkpoints_make(s, e, out);
        break;
    case MOM_ABANDON:
        checkpoints_abandon(s, e->job_id);
        break;
    case MOM_GO_BACK:
        checkpoints_go_back(s, e->job_id, e->u.checkpoint.has_before);
        break;
    case MOM_REST:
        tasks_rest(s, e->job_id);
        break;
    case MOM_DROP:
        if (!signalling_put_off(s, e, drop_job))
            drop_job(s, e);
        break;
    default:
        MUST(executor_has(e->kind));
    }
}

struct executor host_executor(struct shell *s)
{
    return (struct executor){ .self = s, .carry_out = carry_out };
}
