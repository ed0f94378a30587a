/* directive_words.c - directives of several words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/directive_rows.h"

#include "lib/base/log.h"
#include "mom/shell/cgroup.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_KBD_BUSY 10 /* seconds (execution.md 6) */
#define DEFAULT_KBD_POLL 1

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
bool directive_cgroups(struct reading *r, const struct directive *d, const char *arg)
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

bool directive_enforce(struct reading *r, const struct directive *d, const char *arg)
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

/* A load above which the host is busy, or below which it is not any more. */
bool directive_load(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    double f = strtod(arg, &end);
    const char *word = end + strspn(end, " \t");

    if (end == arg || !(f >= 0) || !isfinite(f) || (*word && word == end) ||
        (*word && (d->name[0] == 'i' || strcasecmp(word, "suspend") != 0))) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    /* directive_load stands in rows of double only. */
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
bool directive_suspendsig(struct reading *r, const struct directive *d, const char *arg)
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
bool directive_kbd_idle(struct reading *r, const struct directive *d, const char *arg)
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
