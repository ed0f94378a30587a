/* directive_values.c - directives of one value: a number, a word, yes or no.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/directive_rows.h"

#include "lib/base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MOST 63 /* $momname */

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

bool directive_seconds(struct reading *r, const struct directive *d, const char *arg)
{
    int64_t n;

    if (!read_seconds(r, d, arg, &n))
        return false;
    /* The row of the directive says which member that is; directive_seconds stands in
     * rows of int64_t only. */
    *(int64_t *)(void *)((char *)r->c + d->offset) = n;
    reading_say(r, LOG_EV_SYSTEM, d->name, "setting %" PRId64, n);
    return true;
}

/* Said in words of its own, which suites know (execution.md 6). */
bool directive_prolog_alarm(struct reading *r, const struct directive *d,
                            const char *arg)
{
    int64_t s;

    if (!read_seconds(r, d, arg, &s))
        return false;
    r->c->prolog_alarm_s = s;
    reading_say(r, LOG_EV_SYSTEM, "prolog alarm", "%" PRId64, s);
    return true;
}

bool directive_factor(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    double f = strtod(arg, &end);

    if (end == arg || *end || !(f > 0) || !isfinite(f)) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    /* directive_factor stands in rows of double only. */
    *(double *)(void *)((char *)r->c + d->offset) = f;
    reading_say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}

bool directive_mask(struct reading *r, const struct directive *d, const char *arg)
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

bool directive_text(struct reading *r, const struct directive *d, const char *arg)
{
    if (!arg[0])
        return false;
    *(const char **)(void *)((char *)r->c + d->offset) = arena_strdup(r->c->arena, arg);
    return true;
}

/* The name of a vnode is one word. */
bool directive_vnode_name(struct reading *r, const struct directive *d, const char *arg)
{
    size_t len = strlen(arg);

    if (len == 0 || len > NAME_MOST || strcspn(arg, " \t") != len) {
        reading_say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    return directive_text(r, d, arg);
}

bool directive_port(struct reading *r, const struct directive *d, const char *arg)
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

bool directive_bool(struct reading *r, const struct directive *d, const char *arg)
{
    bool value;

    if (!read_bool(r, d, arg, &value))
        return false;
    /* directive_bool stands in rows of bool only; what is not served has no member. */
    if (d->offset)
        *(bool *)((char *)r->c + d->offset) = value;
    return true;
}

bool directive_version(struct reading *r, const struct directive *d, const char *arg)
{
    /* A file of vnodes begins with "2", and is read by another reader. */
    reading_fail(r, 0, 0, d->name,
                 "$configversion value is out of range (min 2, max 2) - will treat as "
                 "old-style");
    (void)arg;
    return true;
}
