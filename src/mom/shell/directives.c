/* directives.c - see directives.h. One row per directive of execution.md 6.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/directives.h"

#include "lib/base/log.h"
#include "mom/shell/directive_rows.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_MIN        10 /* seconds between samples (execution.md 6) */
#define DEFAULT_MAX        120
#define DEFAULT_PROLOG     30
#define DEFAULT_SYSTEM_UID 999
#define DEFAULT_COPY       600 /* less than a server waits for the answer */

/* The class that PBS has the lines of an object in (execution.md 2, 6, 7). */
static int class_of(const char *object)
{
    static const char *const of_server[] = { "parse_config", "prolog alarm", "action" };

    for (size_t i = 0; i < ARRAY_LEN(of_server); i++)
        if (strcmp(object, of_server[i]) == 0)
            return LOG_IN_SERVER;
    return LOG_IN_NONE;
}

void reading_say(const struct reading *r, int event, const char *object,
                 const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    r->log->fn(r->log->arg, event, class_of(object), object, text);
}

void reading_fail(const struct reading *r, int event, int error, const char *routine,
                  const char *fmt, ...)
{
    char text[1024];
    size_t len = 0;
    va_list ap;

    if (error)
        len +=
            (size_t)snprintf(text, sizeof(text), "%s (%d) in ", strerror(error), error);
    len += (size_t)snprintf(text + len, sizeof(text) - len, "%s, ", routine);
    MUST(len < sizeof(text)); /* names and errors are short */
    va_start(ap, fmt);
    vsnprintf(text + len, sizeof(text) - len, fmt, ap);
    va_end(ap);
    r->log->fn(r->log->arg, LOG_EV_ERROR | event, LOG_IN_SERVER, "pbs_mom", text);
}

#define OF(member) offsetof(struct config, member)

static const struct directive directives[] = {
    { "action", directive_action, 0, false },
    { "alien_attach", directive_bool, OF(alien_attach), false },
    { "alien_kill", directive_bool, OF(alien_kill), false },
    { "attach_allow", directive_bool, OF(attach_allow), false },
    { "cgroups", directive_cgroups, 0, false },
    { "checkpoint_path", directive_checkpoint_path, OF(checkpoint_path), false },
    { "clienthost", directive_client, 0, false },
    { "configversion", directive_version, 0, false },
    { "copy_alarm", directive_seconds, OF(copy_alarm_s), false },
    { "cputmult", directive_factor, OF(cputmult), false },
    { "enforce", directive_enforce, 0, false },
    { "gen_nodefile_on_sister_mom", directive_bool, OF(nodefile_on_sisters), false },
    { "ideal_load", directive_load, OF(ideal_load), false },
    { "job_launch_delay", directive_seconds, OF(job_launch_delay_s), false },
    { "jobdir_root", directive_jobdir_root, 0, false },
    { "kbd_idle", directive_kbd_idle, 0, false },
    { "logevent", directive_mask, 0, false },
    { "max_check_poll", directive_seconds, OF(max_check_poll_s), false },
    { "max_load", directive_load, OF(max_load), false },
    { "max_poll_downtime", directive_seconds, OF(max_poll_downtime_s), false },
    { "min_check_poll", directive_seconds, OF(min_check_poll_s), false },
    { "momname", directive_vnode_name, OF(node_name), false },
    { "port", directive_port, 0, false },
    { "prologalarm", directive_prolog_alarm, OF(prolog_alarm_s), false },
    { "reject_root_scripts", directive_bool, OF(reject_root_scripts), false },
    { "report_hook_checksums", directive_bool, 0, true },
    { "restart_background", directive_bool, OF(restart_background), false },
    { "restart_transmogrify", directive_bool, OF(restart_transmogrify), false },
    { "restrict_user", directive_bool, OF(restrict_user), false },
    { "restrict_user_exceptions", directive_exceptions, 0, false },
    { "restrict_user_maxsysid", directive_seconds, OF(restrict_max_system_uid), false },
    { "restricted", directive_restricted, 0, false },
    { "sister_join_job_alarm", directive_seconds, OF(sister_join_job_alarm_s), false },
    { "suspendsig", directive_suspendsig, 0, false },
    { "tmpdir", directive_tmpdir, OF(tmpdir), false },
    { "usecp", directive_usecp, 0, false },
    { "vnodedef_additive", directive_bool, OF(vnodes_add_up), false },
    { "wallmult", directive_factor, OF(wallmult), false },
};

const char *directive_name(size_t i, bool *ret_is_served)
{
    if (i >= ARRAY_LEN(directives))
        return NULL;
    *ret_is_served = !directives[i].is_unserved;
    return directives[i].name;
}

void directives_default_polls(struct config *c)
{
    c->min_check_poll_s = DEFAULT_MIN;
    c->max_check_poll_s = DEFAULT_MAX;
}

void directives_defaults(struct config *c)
{
    directives_default_polls(c);
    c->log_events = LOG_MASK_DEFAULT;
    c->prolog_alarm_s = DEFAULT_PROLOG;
    c->copy_alarm_s = DEFAULT_COPY;
    c->cputmult = c->wallmult = 1.0;
    c->max_load = c->ideal_load = -1;
    c->attach_allow = true;
    c->restrict_max_system_uid = DEFAULT_SYSTEM_UID;
    c->nodefile_on_sisters = true;
    c->vnodes_add_up = true;
    c->suspend_signo = SIGSTOP;
    c->resume_signo = SIGCONT;
    c->enforce = (struct mom_enforce)MOM_ENFORCE_DEFAULTS;
}

static void take_row(struct reading *r, const struct directive *d, int n,
                     const char *line, const char *arg)
{
    if (!d->take(r, d, arg)) {
        reading_fail(r, 0, 0, "parse_config", "%s[%d] command \"%s\" failed, aborting",
                     r->file, n, line);
        r->ok = false;
    } else if (d->is_unserved) {
        /* Said by name, so that nobody relies on it. */
        reading_say(r, LOG_EV_SYSTEM, d->name, "known, and not served by this MoM");
    }
}

void directive_take(struct reading *r, int n, const char *line)
{
    size_t len = 1;
    const char *arg;

    /* Here line[0] is the '$'; len counts it. */
    while (isalnum((unsigned char)line[len]) || line[len] == '_' || line[len] == ':')
        len++;
    arg = line + len + strspn(line + len, " \t");
    for (size_t i = 0; i < ARRAY_LEN(directives); i++)
        if (strlen(directives[i].name) == len - 1 &&
            strncmp(directives[i].name, line + 1, len - 1) == 0) {
            take_row(r, &directives[i], n, line, arg);
            return;
        }
    /* All mistakes are told in one run: who reads the file goes on after each of them
     * (execution.md 5). */
    reading_fail(r, 0, 0, "parse_config", "command name %.*s not found", (int)len - 1,
                 line + 1);
    r->ok = false;
}
