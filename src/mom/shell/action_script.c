/* action_script.c - see action_script.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/action_script.h"

#include "lib/base/log.h"
#include "mom/shell/environ.h"
#include "mom/shell/home.h"
#include "mom/shell/script.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

#define SCRIPT_UMASK 077 /* images hold the memory of their jobs */

static const struct config_action *action_of(const struct action_call *c)
{
    return &c->host->config->actions[c->kind];
}

static const char *attr(const struct action_call *c, const char *name, const char *dflt)
{
    const char *v = wire_attrs_value(c->attrs, name, NULL);

    return v && *v ? v : dflt;
}

/* What stands in the place of "%name"; NULL: nobody knows that. */
static const char *stands_for(const struct action_call *c, const struct plan *who,
                              const char *name, struct arena *arena)
{
    const char *owner = attr(c, "Job_Owner", "");
    const char *const rows[][2] = {
        { "jobid", c->job_id },
        { "sid", arena_printf(arena, "%d", c->session) },
        { "taskid", arena_printf(arena, "%u", c->task) },
        { "uid", arena_printf(arena, "%u", (unsigned)who->uid) },
        { "gid", arena_printf(arena, "%u", (unsigned)who->gid) },
        { "login", who->user },
        { "owner", arena_strndup(arena, owner, strcspn(owner, "@")) },
        { "globid", "NULL" },
        { "auxid", attr(c, "alt_id", "NULL") },
        { "path", c->path ? c->path : "NULL" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i][0], name) == 0)
            return rows[i][1];
    return NULL;
}

static int make_arguments(const struct action_call *c, const struct plan *who,
                          struct arena *arena, char ***ret, struct diag *why)
{
    const struct config_action *a = action_of(c);
    char **argv = ARENA_ARRAY(arena, char *, a->n_args + 2);

    argv[0] = arena_strdup(arena, a->path);
    for (size_t i = 0; i < a->n_args; i++) {
        const char *word = a->args[i];

        if (word[0] == '%')
            word = stands_for(c, who, word + 1, arena);
        if (!word)
            return diag_set(why, PBSE_SYSTEM,
                            "action %s script %s cannot be run due to unknown "
                            "parameter %s",
                            config_action_names[c->kind], a->path, a->args[i]);
        argv[i + 1] = arena_strdup(arena, word);
    }
    argv[a->n_args + 1] = NULL;
    *ret = argv;
    return 0;
}

static char **make_environment(const struct action_call *c, const struct plan *who,
                               struct arena *arena)
{
    const struct passwd *pw = getpwnam(who->user);
    struct environment e = { .arena = arena };
    char nodes[PATH_MAX];
    const char *const rows[][2] = {
        { "UID", arena_printf(arena, "%u", (unsigned)who->uid) },
        { "GID", arena_printf(arena, "%u", (unsigned)who->gid) },
        { "HOME", who->home },
        { "LOGNAME", who->user },
        { "USER", who->user },
        { "SHELL", pw && pw->pw_shell[0] ? pw->pw_shell : "/bin/sh" },
        { "PBS_JOBNAME", attr(c, "Job_Name", "") },
        { "PBS_JOBID", c->job_id },
        { "PBS_QUEUE", attr(c, "queue", "") },
        { "PBS_JOBCOOKIE", attr(c, "cookie", "") },
        { "PBS_NODENUM", arena_printf(arena, "%d", c->vnode) },
        { "PBS_TASKNUM", arena_printf(arena, "%u", c->task) },
        { "PBS_MOMPORT", arena_printf(arena, "%u", c->host->rm_port) },
        { "PBS_NODEFILE", home_path(c->host->home, HOME_NODES, c->job_id, nodes) },
        { "PBS_SID", arena_printf(arena, "%d", c->session) },
        { "PBS_JOBDIR", attr(c, "jobdir", who->home) },
    };

    environment_add_site(&e, c->host->environment);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        environment_set(&e, rows[i][0], rows[i][1]);
    environment_fini(&e);
    return e.v;
}

int action_prepare(const struct action_call *c, struct arena *arena,
                   struct action_words *ret, struct diag *why)
{
    struct plan who = { 0 };
    int err;

    MUST(action_of(c)->path); /* who calls it has looked whether there is one */
    if (plan_account(c->attrs, arena, &who, why) != 0)
        return PBSE_SYSTEM;
    err = make_arguments(c, &who, arena, &ret->argv, why);
    if (!err)
        ret->envp = make_environment(c, &who, arena);
    return err;
}

bool action_is_unfit(const struct action_call *c, prologue_log_fn log, void *arg)
{
    const char *path = action_of(c)->path;
    enum script_look look = script_look(path);
    char text[PATH_MAX + 128];

    if (look == SCRIPT_IS_FIT)
        return false;
    snprintf(text, sizeof(text), "action %s script %s %s", config_action_names[c->kind],
             path,
             look == SCRIPT_IS_MISSING ? "does not exist"
                                       : "cannot be executed due to permissions");
    log(arg, LOG_EV_ADMIN, text);
    return true;
}

/* 'signo': by which it was ended, 0: by none. */
static void say_end(const struct action_call *c, int code, int signo,
                    prologue_log_fn log, void *arg)
{
    const char *name = config_action_names[c->kind], *path = action_of(c)->path;
    char text[PATH_MAX + 128];

    if (code == SCRIPT_LATE)
        log(arg, LOG_EV_ERROR, "Action alarm time exceeded");
    if (code >= 0)
        snprintf(text, sizeof(text), "%s script %s: exit code %d", name, path, code);
    else if (signo)
        snprintf(text, sizeof(text), "%s script %s: got signal %d", name, path, signo);
    else
        snprintf(text, sizeof(text), "%s script %s: %s", name, path,
                 script_words(code));
    log(arg, LOG_EV_SYSTEM, text);
}

int action_call(const struct action_call *c, bool in_session, prologue_log_fn log,
                void *arg)
{
    const struct config_action *a = action_of(c);
    struct arena *arena = arena_new();
    int code = SCRIPT_UNFIT, signo = 0;
    struct script s = { .path = a->path,
                        .output = in_session ? 1 : -1,
                        .error = in_session ? 2 : -1,
                        .in_session = in_session,
                        .umask = SCRIPT_UMASK,
                        .limit_s = a->limit_s,
                        .ret_signal = &signo };
    struct action_words words;
    struct diag why;

    if (action_is_unfit(c, log, arg)) {
        arena_free(arena);
        return code;
    }
    if (action_prepare(c, arena, &words, &why) != 0) {
        log(arg, LOG_EV_ADMIN, why.text);
    } else {
        s.argv = words.argv;
        s.envp = words.envp;
        code = script_run(&s);
        say_end(c, code, signo, log, arg);
    }
    arena_free(arena);
    return code;
}
