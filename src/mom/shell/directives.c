/* directives.c - see directives.h. One row per directive of execution.md 6.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/directives.h"

#include "lib/base/log.h"
#include "mom/shell/cgroup.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS_MAX                                                                    \
    INT32_MAX /* as milliseconds, and beside a time, it stays a number */
#define NAME_MOST          63 /* $momname */
#define DEFAULT_MIN        10 /* seconds between samples (execution.md 6) */
#define DEFAULT_MAX        120
#define DEFAULT_PROLOG     30
#define DEFAULT_SYSTEM_UID 999
#define DEFAULT_KBD_BUSY   10
#define DEFAULT_KBD_POLL   1
#define DEFAULT_COPY       600 /* less than a server waits for the answer */

const char *const config_action_names[CONFIG_ACTION_COUNT] = {
    [CONFIG_ACTION_TERMINATE] = "terminate",
    [CONFIG_ACTION_CHECKPOINT] = "checkpoint",
    [CONFIG_ACTION_CHECKPOINT_ABORT] = "checkpoint_abort",
    [CONFIG_ACTION_RESTART] = "restart",
    [CONFIG_ACTION_MULTINODEBUSY] = "multinodebusy",
};

void reading_say(const struct reading *r, int event, const char *object,
                 const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    r->log->fn(r->log->arg, event, object, text);
}

struct directive;
typedef bool (*directive_fn)(struct reading *r, const struct directive *d,
                             const char *arg);
struct directive {
    const char *name;
    directive_fn take;
    size_t offset;    /* in struct config, for the simple ones; 0: it has no member */
    bool is_unserved; /* checked, and said in the log */
};

static bool read_seconds(struct reading *r, const struct directive *d, const char *arg,
                         int64_t *ret)
{
    char *end;
    long n = strtol(arg, &end, 0);

    if (end == arg || *end || n <= 0 || n > SECONDS_MAX) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    *ret = n;
    return true;
}

static bool take_seconds(struct reading *r, const struct directive *d, const char *arg)
{
    int64_t n;

    if (!read_seconds(r, d, arg, &n))
        return false;
    /* The row of the directive says which member that is; take_seconds stands in rows
     * of int64_t only. */
    *(int64_t *)(void *)((char *)r->c + d->offset) = n;
    reading_say(r, LOG_EV_SYSTEM, d->name, "setting %" PRId64, n);
    return true;
}

/* Said in words of its own, which suites know (execution.md 6). */
static bool take_prolog_alarm(struct reading *r, const struct directive *d,
                              const char *arg)
{
    int64_t s;

    if (!read_seconds(r, d, arg, &s))
        return false;
    r->c->prolog_alarm_s = s;
    reading_say(r, LOG_EV_SYSTEM, "prolog alarm", "%" PRId64, s);
    return true;
}

static bool take_factor(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    double f = strtod(arg, &end);

    if (end == arg || *end || !(f > 0) || !isfinite(f)) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    /* take_factor stands in rows of double only. */
    *(double *)(void *)((char *)r->c + d->offset) = f;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}

static bool take_mask(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    unsigned long n = strtoul(arg, &end, 0);

    (void)d;
    /* Any number is a mask; bits that nobody knows select nothing. */
    if (end == arg || *end)
        return false;
    r->c->log_events = (uint32_t)n;
    return true;
}

static bool take_text(struct reading *r, const struct directive *d, const char *arg)
{
    if (!arg[0])
        return false;
    *(const char **)(void *)((char *)r->c + d->offset) = arena_strdup(r->c->arena, arg);
    return true;
}

/* A directory in which everybody makes directories, and where nobody may touch those of
 * others: root's or ours, with mode 1777. A path that is relative would depend on where
 * the daemon was started. */
static bool is_for_all(struct reading *r, const char *dir)
{
    struct stat st;

    if (dir[0] == '/' && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
        (st.st_mode & 01777) == 01777 && (st.st_uid == 0 || st.st_uid == geteuid()))
        return true;
    reading_say(r, LOG_EV_ERROR, "tmp_file_sec_user",
                "Security violation \"%s\" resolves to \"(null)\"", dir);
    return false;
}

static bool take_tmpdir(struct reading *r, const struct directive *d, const char *arg)
{
    return is_for_all(r, arg) && take_text(r, d, arg);
}

/* The name of a vnode is one word. */
static bool take_name(struct reading *r, const struct directive *d, const char *arg)
{
    size_t len = strlen(arg);

    if (len == 0 || len > NAME_MOST || strcspn(arg, " \t") != len) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    return take_text(r, d, arg);
}

/* Whose it is and who may write there is looked at when the MoM starts. */
static bool take_checkpoint_path(struct reading *r, const struct directive *d,
                                 const char *arg)
{
    if (!arg[0]) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "No value specified, no action taken.");
        return false;
    }
    return arg[0] == '/' && take_text(r, d, arg);
}

/* "DIR" or "DIR shared". */
static bool take_jobdir_root(struct reading *r, const struct directive *d,
                             const char *arg)
{
    size_t len = strcspn(arg, " \t");
    const char *dir = arena_strndup(r->c->arena, arg, len);
    const char *word = arg + len + strspn(arg + len, " \t");

    if (*word && strcasecmp(word, "shared") != 0) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    r->c->jobdir_is_shared = *word != '\0';
    if (strcmp(dir, "PBS_USER_HOME") == 0) {
        r->c->jobdir_root = NULL;
        return true;
    }
    if (!is_for_all(r, dir))
        return false;
    r->c->jobdir_root = dir;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}

/* "memory", "cpu", "cpuset" or "pids=N". */
static bool take_controller(struct config *c, const char *word)
{
    char *end;

    if (strncmp(word, "pids=", 5) == 0) {
        long n = strtol(word + 5, &end, 10);

        c->cgroup_controllers |= CGROUP_PIDS;
        c->cgroup_pids = n;
        return end != word + 5 && !*end && n > 0 && n <= SECONDS_MAX;
    }
    for (unsigned bit = 1; bit < CGROUP_PIDS; bit <<= 1)
        if (strcmp(cgroup_controller_name(bit), word) == 0) {
            c->cgroup_controllers |= bit;
            return true;
        }
    return false;
}

/* "DIR [CONTROLLER...]", or "off". */
static bool take_cgroups(struct reading *r, const struct directive *d, const char *arg)
{
    char *words = arena_strdup(r->c->arena, arg), *save = NULL;
    const char *root = strtok_r(words, " \t", &save), *word;
    struct config *c = r->c;

    c->cgroup_controllers = 0;
    c->cgroup_pids = 0;
    while (root && (word = strtok_r(NULL, " \t", &save)))
        if (!take_controller(c, word))
            root = NULL;
    if (!root ||
        (root[0] != '/' && (strcmp(root, "off") != 0 || c->cgroup_controllers))) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    c->cgroup_root = root[0] == '/' ? root : NULL;
    if (!c->cgroup_controllers)
        c->cgroup_controllers = CGROUP_MEMORY | CGROUP_CPU | CGROUP_CPUSET;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}

/* One text more. The list is copied for each; the arena gives the old ones back with
 * the whole configuration. */
static void add_text(struct reading *r, size_t *n, const char ***list, const char *text)
{
    const char **more = ARENA_ARRAY(r->c->arena, const char *, *n + 1);

    if (*n > 0)
        memcpy(more, *list, *n * sizeof(*more));
    more[(*n)++] = arena_strdup(r->c->arena, text);
    *list = more;
}

static bool take_client(struct reading *r, const struct directive *d, const char *arg)
{
    (void)d;
    if (!arg[0])
        return false;
    add_text(r, &r->c->n_clients, &r->c->clients, arg);
    return true;
}

static bool take_restricted(struct reading *r, const struct directive *d,
                            const char *arg)
{
    if (!*arg) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "No value specified, no action taken.");
        return false;
    }
    add_text(r, &r->c->n_restricted, &r->c->restricted, arg);
    return true;
}

void directive_add_resource(struct reading *r, const char *name, size_t name_len,
                            const char *value)
{
    struct config *c = r->c;

    ARENA_ROOM(c->arena, &c->resources, v, 8);
    c->resources.v[c->resources.n++] =
        (struct host_resource){ .name = arena_strndup(c->arena, name, name_len),
                                .value = arena_strdup(c->arena, value) };
}

/* "host:from to" */
static bool take_usecp(struct reading *r, const struct directive *d, const char *arg)
{
    /* The host ends at the first colon and the prefix at the first blank, so a path
     * with a blank cannot be named (execution.md 6). */
    const char *colon = strchr(arg, ':');
    const char *blank = colon ? strpbrk(colon, " \t") : NULL;
    struct arena *a = r->c->arena;
    struct usecp *more;

    (void)d;
    /* An empty prefix would be one of every path, and an empty host is nobody. */
    if (!colon || colon == arg || !blank || blank == colon + 1) {
        reading_say(r, LOG_EV_ERROR, "usecp", "invalid host specification: %s", arg);
        return false;
    }
    more = ARENA_ARRAY(a, struct usecp, r->c->n_usecp + 1);
    if (r->c->n_usecp)
        memcpy(more, r->c->usecp, r->c->n_usecp * sizeof(*more));
    more[r->c->n_usecp++] = (struct usecp){
        .host = arena_strndup(a, arg, (size_t)(colon - arg)),
        .from = arena_strndup(a, colon + 1, (size_t)(blank - colon - 1)),
        .to = arena_strdup(a, blank + strspn(blank, " \t")),
    };
    r->c->usecp = more;
    return true;
}

/* Words with a number behind them, and words that stand alone or behind a '!'
 * (execution.md 18). */
static const struct {
    const char *word;
    bool is_flag;
    size_t offset; /* in struct mom_enforce */
} enforce_words[] = {
    { "mem", true, offsetof(struct mom_enforce, mem) },
    { "complexmem", true, offsetof(struct mom_enforce, complexmem) },
    { "cpuburst", true, offsetof(struct mom_enforce, cpuburst) },
    { "cpuaverage", true, offsetof(struct mom_enforce, cpuaverage) },
    { "delta_percent_over", false, offsetof(struct mom_enforce, delta_percent_over) },
    { "delta_cpufactor", false, offsetof(struct mom_enforce, delta_cpufactor) },
    { "delta_weightup", false, offsetof(struct mom_enforce, delta_weightup) },
    { "delta_weightdown", false, offsetof(struct mom_enforce, delta_weightdown) },
    { "average_percent_over", false,
      offsetof(struct mom_enforce, average_percent_over) },
    { "average_cpufactor", false, offsetof(struct mom_enforce, average_cpufactor) },
    { "average_trialperiod", false,
      offsetof(struct mom_enforce, average_trialperiod_s) },
};

static bool enforce_number(const char *text, double *ret)
{
    char *end;
    double f = strtod(text, &end);

    if (end == text || *end || !(f >= 0) || f > INT32_MAX)
        return false;
    *ret = f;
    return true;
}

static bool take_enforce(struct reading *r, const struct directive *d, const char *arg)
{
    bool on = arg[0] != '!';
    const char *word = on ? arg : arg + 1;
    size_t len = strcspn(word, " \t");
    const char *value = word + len + strspn(word + len, " \t");

    for (size_t i = 0; i < ARRAY_LEN(enforce_words); i++) {
        char *at = (char *)&r->c->enforce + enforce_words[i].offset;

        if (strlen(enforce_words[i].word) != len ||
            strncmp(enforce_words[i].word, word, len) != 0)
            continue;
        if (enforce_words[i].is_flag && !*value) {
            *(bool *)at = on;
            return true;
        }
        /* Each row says which type its member has. */
        if (!enforce_words[i].is_flag && on &&
            enforce_number(value, (double *)(void *)at))
            return true;
    }
    reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
    return false;
}

static bool read_bool(struct reading *r, const struct directive *d, const char *arg,
                      bool *ret)
{
    static const char *const no[] = { "no", "false", "off", "0" };
    static const char *const yes[] = { "yes", "true", "on", "1" };

    if (!*arg) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "No value specified, no action taken.");
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        if (strcasecmp(arg, no[i]) == 0 || strcasecmp(arg, yes[i]) == 0) {
            *ret = strcasecmp(arg, yes[i]) == 0;
            reading_say(r, LOG_EV_SYSTEM, d->name, "%s", *ret ? "true" : "false");
            return true;
        }
    reading_say(r, LOG_EV_SYSTEM, arena_printf(r->c->arena, "set_%s", d->name),
                "Illegal value \"%s\", no action taken.", arg);
    return false;
}

static bool take_bool(struct reading *r, const struct directive *d, const char *arg)
{
    bool value;

    if (!read_bool(r, d, arg, &value))
        return false;
    /* take_bool stands in rows of bool only; what is not served has no member. */
    if (d->offset)
        *(bool *)((char *)r->c + d->offset) = value;
    return true;
}

/* Names of accounts, with commas or blanks between them. */
static bool take_exceptions(struct reading *r, const struct directive *d,
                            const char *arg)
{
    char *words = arena_strdup(r->c->arena, arg), *save = NULL;
    struct config *c = r->c;

    c->n_restrict_exempt = 0;
    for (const char *name = strtok_r(words, ", \t", &save); name;
         name = strtok_r(NULL, ", \t", &save)) {
        if (c->n_restrict_exempt == CONFIG_RESTRICT_EXEMPT) {
            reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
            return false;
        }
        c->restrict_exempt[c->n_restrict_exempt++] = name;
    }
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s",
                c->n_restrict_exempt ? arg : "No value specified, no action taken.");
    return c->n_restrict_exempt > 0;
}

/* A load above which the host is busy, or below which it is not any more. */
static bool take_load(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    double f = strtod(arg, &end);
    const char *word = end + strspn(end, " \t");

    if (end == arg || !(f >= 0) || !isfinite(f) || (*word && word == end) ||
        (*word && (d->name[0] == 'i' || strcasecmp(word, "suspend") != 0))) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    /* take_load stands in rows of double only. */
    *(double *)(void *)((char *)r->c + d->offset) = f;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    if (d->name[0] == 'm')
        r->c->load_suspends = *word != '\0';
    reading_say(r, LOG_EV_DEBUG, "add_static", "%s[0] add name %s value %s", r->file,
                d->name, arg);
    directive_add_resource(r, d->name, strlen(d->name), arg);
    return true;
}

/* "STOP [CONT]": the numbers of the signals that suspend and resume. */
static bool take_suspendsig(struct reading *r, const struct directive *d,
                            const char *arg)
{
    char *end;
    long stop = strtol(arg, &end, 10), cont = SIGCONT;
    const char *second = end + strspn(end, " \t");
    bool ok = end != arg;

    if (*second) {
        cont = strtol(second, &end, 10);
        ok = ok && end != second && !*end;
    }
    if (!ok || stop < 1 || stop >= NSIG || cont < 1 || cont >= NSIG) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    r->c->suspend_signo = (int)stop;
    r->c->resume_signo = (int)cont;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}

/* "IDLE [BUSY [POLL]]", in seconds. */
static bool take_kbd_idle(struct reading *r, const struct directive *d, const char *arg)
{
    unsigned idle, busy = DEFAULT_KBD_BUSY, poll = DEFAULT_KBD_POLL;
    char more;
    int n = sscanf(arg, "%9u %9u %9u %c", &idle, &busy, &poll, &more);

    /* A sign would be taken for a part of the number. */
    if (n < 1 || n > 3 || arg[strspn(arg, "0123456789 \t")] || idle == 0 || poll == 0) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    r->c->kbd_idle_s = idle;
    r->c->kbd_busy_s = busy;
    r->c->kbd_poll_s = poll;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%u %u %u", idle, busy, poll);
    return true;
}

static bool take_port(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    unsigned long n = strtoul(arg, &end, 0);

    if (end == arg || *end || n == 0 || n > 65534) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    r->c->port = (unsigned)n;
    reading_say(r, LOG_EV_SYSTEM, d->name, "setting %lu", n);
    return true;
}

static bool take_version(struct reading *r, const struct directive *d, const char *arg)
{
    /* A file of vnodes begins with "2", and is read by another reader. */
    reading_say(r, LOG_EV_ERROR, d->name,
                "$configversion value is out of range (min 2, max 2) - will treat as "
                "old-style");
    (void)arg;
    return true;
}

static bool take_action(struct reading *r, const struct directive *d, const char *arg)
{
    struct config_action *a;
    char *words = arena_strdup(r->c->arena, arg), *save = NULL, *event, *timeout, *word;
    char *end;
    size_t kind = 0;
    long limit_s;

    (void)d;
    event = strtok_r(words, " \t", &save);
    timeout = strtok_r(NULL, " \t", &save);
    word = strtok_r(NULL, " \t", &save);
    if (!event || !timeout || !word)
        return false;
    while (kind < CONFIG_ACTION_COUNT && strcmp(config_action_names[kind], event) != 0)
        kind++;
    limit_s = strtol(timeout, &end, 10);
    if (kind == CONFIG_ACTION_COUNT || *end || limit_s < 0 || limit_s > SECONDS_MAX)
        return false;
    a = &r->c->actions[kind];
    if (strcmp(word, "requeue") == 0) {
        *a = (struct config_action){ .requeues = true };
        return true;
    }
    if (word[0] != '!' || !word[1])
        return false;
    *a = (struct config_action){ .limit_s = limit_s };
    a->path = word[1] == '/'
                  ? arena_strdup(r->c->arena, word + 1)
                  : arena_printf(r->c->arena, "%s/%s", r->mom_priv, word + 1);
    while ((word = strtok_r(NULL, " \t", &save))) {
        if (a->n_args == CONFIG_ACTION_ARGS)
            return false;
        a->args[a->n_args++] = arena_strdup(r->c->arena, word);
    }
    reading_say(r, LOG_EV_SYSTEM, "action", "%s: %s", event, a->path);
    if (kind == CONFIG_ACTION_MULTINODEBUSY)
        reading_say(r, LOG_EV_SYSTEM, "action",
                    "%s: a script is known, and not served by this MoM", event);
    return true;
}

#define OF(member) offsetof(struct config, member)

static const struct directive directives[] = {
    { "action", take_action, 0, false },
    { "alien_attach", take_bool, OF(alien_attach), false },
    { "alien_kill", take_bool, OF(alien_kill), false },
    { "attach_allow", take_bool, OF(attach_allow), false },
    { "cgroups", take_cgroups, 0, false },
    { "checkpoint_path", take_checkpoint_path, OF(checkpoint_path), false },
    { "clienthost", take_client, 0, false },
    { "configversion", take_version, 0, false },
    { "copy_alarm", take_seconds, OF(copy_alarm_s), false },
    { "cputmult", take_factor, OF(cputmult), false },
    { "enforce", take_enforce, 0, false },
    { "gen_nodefile_on_sister_mom", take_bool, OF(nodefile_on_sisters), false },
    { "ideal_load", take_load, OF(ideal_load), false },
    { "job_launch_delay", take_seconds, OF(job_launch_delay_s), false },
    { "jobdir_root", take_jobdir_root, 0, false },
    { "kbd_idle", take_kbd_idle, 0, false },
    { "logevent", take_mask, 0, false },
    { "max_check_poll", take_seconds, OF(max_check_poll_s), false },
    { "max_load", take_load, OF(max_load), false },
    { "max_poll_downtime", take_seconds, OF(max_poll_downtime_s), false },
    { "min_check_poll", take_seconds, OF(min_check_poll_s), false },
    { "momname", take_name, OF(node_name), false },
    { "port", take_port, 0, false },
    { "prologalarm", take_prolog_alarm, OF(prolog_alarm_s), false },
    { "reject_root_scripts", take_bool, OF(reject_root_scripts), false },
    { "report_hook_checksums", take_bool, 0, true },
    { "restart_background", take_bool, OF(restart_background), false },
    { "restart_transmogrify", take_bool, OF(restart_transmogrify), false },
    { "restrict_user", take_bool, OF(restrict_user), false },
    { "restrict_user_exceptions", take_exceptions, 0, false },
    { "restrict_user_maxsysid", take_seconds, OF(restrict_max_system_uid), false },
    { "restricted", take_restricted, 0, false },
    { "sister_join_job_alarm", take_seconds, OF(sister_join_job_alarm_s), false },
    { "suspendsig", take_suspendsig, 0, false },
    { "tmpdir", take_tmpdir, OF(tmpdir), false },
    { "usecp", take_usecp, 0, false },
    { "vnodedef_additive", take_bool, OF(vnodes_add_up), false },
    { "wallmult", take_factor, OF(wallmult), false },
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
        reading_say(r, LOG_EV_ERROR, "parse_config",
                    "%s[%d] command \"%s\" failed, aborting", r->file, n, line);
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
    reading_say(r, LOG_EV_ERROR, "parse_config", "command name %.*s not found",
                (int)len - 1, line + 1);
    r->ok = false;
}
