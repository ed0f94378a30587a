/* prologue.c - see prologue.h. All of this runs in forked processes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/prologue.h"

#include "lib/base/log.h"
#include "mom/shell/environ.h"
#include "mom/shell/plain.h"
#include "mom/shell/sandbox.h"
#include "mom/shell/script.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define EPILOGUE_UMASK 022

/* What the administrator has laid down for all jobs, and where this one works. */
static char **script_environment(const struct plan_host *host, const char *jobdir,
                                 struct arena *arena)
{
    struct environment e = { .arena = arena };

    environment_add_site(&e, host->environment);
    environment_set(&e, "PBS_JOBDIR", jobdir);
    environment_fini(&e);
    return e.v;
}

static char *word(const char *text)
{
    return (char *)(uintptr_t)text; /* execve() changes nothing of it */
}

static void say_failed(const char *path, int code, prologue_log_fn log, void *arg)
{
    char text[PATH_MAX + 128];

    snprintf(text, sizeof(text), "pro/epilogue failed, file: %s, exit: %d, %s", path,
             code, script_words(code));
    log(arg, LOG_EV_ERROR, text);
}

/* Run it as one of the two; nothing is said of one that is not there. */
static int run_script(const struct script *s, const char *name, prologue_log_fn log,
                      void *arg)
{
    enum script_look look = script_look(s->path);
    char text[64];
    int code;

    if (look == SCRIPT_IS_MISSING)
        return 0;
    if (look == SCRIPT_IS_FIT) {
        snprintf(text, sizeof(text), "running %s", name);
        log(arg, LOG_EV_DEBUG, text);
    }
    code = script_run(s);
    if (code == 0)
        return 0;
    if (code != SCRIPT_UNFIT) {
        snprintf(text, sizeof(text), "completed %s, exit=%d", name, code);
        log(arg, LOG_EV_DEBUG, text);
    }
    say_failed(s->path, code, log, arg);
    return code;
}

int prologue_run(const struct plan_host *host, const struct plan *p,
                 prologue_log_fn log, void *arg)
{
    struct arena *arena = arena_new();
    const char *dir = arena_printf(arena, "%s/mom_priv", host->home);
    const char *path = arena_printf(arena, "%s/prologue", dir);
    char *argv[] = { word(path), word(p->job_id), word(p->user), word(p->group), NULL };
    const struct script s = { .path = path,
                              .argv = argv,
                              .envp = script_environment(host, p->home, arena),
                              .dir = dir,
                              .output = 1,
                              .error = 2,
                              .umask = p->umask,
                              .limit_s = host->config->prolog_alarm_s };
    int code = run_script(&s, "prologue", log, arg);

    arena_free(arena);
    if (code == 0)
        return 0;
    dprintf(2, "Could not run prolog: exit=%d\n", code);
    /* 1 means that the job shall not run; everything else, that it shall not run here
     * and now. */
    return code == 1 ? START_FAILED : START_RETRY;
}

/* The job's own output (or error output), which may be gone or never have been. */
static int open_output(const struct plan_host *host, const struct epilogue *e,
                       const struct plan *p, bool error, struct arena *arena)
{
    const char *path = plan_file(host, e->job_id, e->attrs, p->home, error, arena);
    struct diag why;

    return path ? plain_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0, &why) : -1;
}

/* The job's own directory, or the home (execution.md 16); where there is none of them
 * any more, "/". */
static bool enter_directory(const struct plan_host *host, const struct epilogue *e,
                            const struct plan *p, struct arena *arena)
{
    if (sandbox_is_private(e->attrs) &&
        chdir(sandbox_path(host->config, e->job_id, p->home, arena)) == 0)
        return true;
    return chdir(p->home) == 0 || chdir("/") == 0;
}

/* The files and the directory are the user's, and are met with his rights. */
static bool enter_home(const struct plan_host *host, const struct epilogue *e,
                       const struct plan *p, struct script *s, struct arena *arena)
{
    bool is_root = geteuid() == 0, ok;
    pid_t parent = getppid();

    if (is_root &&
        (initgroups(p->user, p->gid) < 0 || setegid(p->gid) < 0 || seteuid(p->uid) < 0))
        return false;
    ok = enter_directory(host, e, p, arena);
    if (!wire_attrs_value(e->attrs, "interactive", NULL)) {
        s->output = open_output(host, e, p, false, arena);
        s->error = open_output(host, e, p, true, arena);
    }
    if (is_root && (seteuid(0) < 0 || setegid(0) < 0 || setgroups(0, NULL) < 0))
        return false;
    /* Changes of user have cleared what ends this process with the MoM (as_user.c). */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return false;
    /* Joined, both write where the one goes. */
    if (s->output < 0)
        s->output = s->error;
    else if (s->error < 0)
        s->error = s->output;
    return ok;
}

const char *epilogue_path(const struct plan_host *host, char *path)
{
    snprintf(path, PATH_MAX, "%s/mom_priv/epilogue", host->home);
    return path;
}

static const char *attr(const struct wire_attrs *attrs, const char *name,
                        const char *dflt)
{
    const char *v = wire_attrs_value(attrs, name, NULL);

    return v && *v ? v : dflt;
}

/* What the administrator does behind a job has to be done also where the account has
 * gone meanwhile: then without the job's files, in "/". */
static bool find_owner(const struct plan_host *host, const struct epilogue *e,
                       struct plan *p, struct script *s, struct arena *arena,
                       prologue_log_fn log, void *arg)
{
    struct diag why;

    if (plan_account(e->attrs, arena, p, &why) == 0)
        return enter_home(host, e, p, s, arena);
    log(arg, LOG_EV_ERROR, why.text);
    p->user = attr(e->attrs, "euser", "");
    p->group = attr(e->attrs, "egroup", "");
    p->home = "/";
    return chdir("/") == 0;
}

int epilogue_run(const struct plan_host *host, const struct epilogue *e,
                 prologue_log_fn log, void *arg)
{
    struct arena *arena = arena_new();
    struct plan p = { 0 };
    struct script s = { .output = -1,
                        .error = -1,
                        .umask = EPILOGUE_UMASK,
                        .limit_s = host->config->prolog_alarm_s };
    char path[PATH_MAX];
    int code;

    if (!find_owner(host, e, &p, &s, arena, log, arg)) {
        log(arg, LOG_EV_ERROR,
            "epilogue not run: the account of the job is not usable");
        arena_free(arena);
        return SCRIPT_BROKEN;
    }
    char *argv[] = { word(epilogue_path(host, path)),
                     word(e->job_id),
                     word(p.user),
                     word(p.group),
                     word(attr(e->attrs, "Job_Name", "")),
                     arena_printf(arena, "%d", e->session),
                     word(e->asked),
                     word(e->used),
                     word(attr(e->attrs, "queue", "")),
                     word(attr(e->attrs, "Account_Name", "null")),
                     arena_printf(arena, "%d", e->status),
                     NULL };
    s.path = path;
    s.argv = argv;
    s.envp = script_environment(host, p.home, arena);
    code = run_script(&s, "epilogue", log, arg);
    arena_free(arena);
    return code;
}
