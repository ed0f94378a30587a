/* rules.c - see rules.h: a row for each attribute, a function for each grammar.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/rules.h"

#include "include/pbs_ifl.h"
#include "lib/attr/check.h"
#include "lib/wire/batch.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Letters and digits of ASCII, written out: isalnum() would follow the locale of the
 * calling program. */
#define WORD_CHARS     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* Of the number of a job (cli.md 1.3). */
#define JOB_DIGITS_MAX 12

typedef int rule_fn(const char *text);

static int good_if(bool good)
{
    return good ? 0 : PBSE_BADATVAL;
}

static bool has_only(const char *text, const char *letters)
{
    return *text && !text[strspn(text, letters)];
}

static int rule_name(const char *text)
{
    if (strlen(text) > PBS_MAXJOBNAME)
        return PBSE_JOBNBIG;
    return good_if(has_only(text, WORD_CHARS "._+-"));
}

static int rule_name_or_none(const char *text)
{
    return *text ? rule_name(text) : 0;
}

/* Letters of holds; n and p stand alone. */
static int rule_holds(const char *text)
{
    return good_if(has_only(text, "uos") || strcmp(text, "n") == 0 ||
                   strcmp(text, "p") == 0);
}

/* What a job may have is what may be looked for, in a criterion as well. */
static int rule_checkpoint(const char *text)
{
    const struct attr_value v = { .set = true, .u.str = (char *)(uintptr_t)text };

    return check_checkpoint(&v, NULL);
}

/* Letters of -k. The d asks for files in their final place and says which only together
 * with o or e, or with n for none (cli.md 2). */
static int rule_keep(const char *text)
{
    return good_if(has_only(text, "oed")
                       ? strpbrk(text, "oe") != NULL
                       : strcmp(text, "n") == 0 || strcmp(text, "dn") == 0 ||
                             strcmp(text, "nd") == 0);
}

/* The j asks for mail about each subjob as well, and is no event by itself. */
static int rule_mail(const char *text)
{
    return good_if(strcmp(text, "n") == 0 ||
                   (has_only(text, "abej") && strcmp(text, "j") != 0));
}

static int rule_states(const char *text)
{
    return good_if(has_only(text, "EHQRTWSUBXFM"));
}

/* Variables are for the job: any text is one. */
static int rule_any(const char *text)
{
    (void)text;
    return 0;
}

static int rule_digits(const char *text)
{
    return good_if(has_only(text, "0123456789"));
}

static int rule_priority(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return good_if(end != text && !*end && n >= -1024 && n <= 1023);
}

/* Read one number of a range. False when no number is there. A number that is too
 * large is read as LONG_MAX. */
static bool take_number(const char **at, long *n)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    *n = strtol(*at, &end, 10);
    *at = end;
    return true;
}

/* A range of subjobs: X-Y[:Z] with X < Y and Z >= 1. */
static int rule_range(const char *text)
{
    long first, last, step = 1;

    if (!take_number(&text, &first) || *text++ != '-' || !take_number(&text, &last))
        return PBSE_BADATVAL;
    if (*text == ':') {
        text++;
        if (!take_number(&text, &step))
            return PBSE_BADATVAL;
    }
    /* A number that was cut to LONG_MAX says nothing about the order of the two: that
     * range has an error of its own (cli.md 2). */
    if (*text || step < 1 || (first >= last && first != LONG_MAX))
        return PBSE_BADATVAL;
    return first == LONG_MAX || last == LONG_MAX || step == LONG_MAX ? PBSE_ATVALERANGE
                                                                     : 0;
}

/* The host of a piece "x[@host]"; *len is 0 when it names none. */
static const char *host_of(const char *piece, size_t *len)
{
    size_t all = strcspn(piece, ",");
    const char *mark = memchr(piece, '@', all);

    *len = mark ? (size_t)(piece + all - (mark + 1)) : 0;
    return mark ? mark + 1 : "";
}

/* Each piece is compared with all before it. Lists are typed by people, and short. */
static bool host_stood_before(const char *list, const char *piece)
{
    size_t len, other_len;
    const char *host = host_of(piece, &len);

    for (const char *p = list; p < piece; p += strcspn(p, ",") + 1) {
        const char *other = host_of(p, &other_len);

        if (len == other_len && strncasecmp(host, other, len) == 0)
            return true;
    }
    return false;
}

enum list_how {
    LIST_HOSTS_ONCE = 1, /* each host, and none, at most once */
    LIST_PATHS = 2,      /* every x begins with '/' */
    LIST_SIGNS = 4,      /* a sign may stand before x */
};

/* Check a list "x[@host],..."; 'how' says what else holds of its members. */
static int check_list(const char *text, int how)
{
    const char *p = text;

    for (;; p++) {
        const char *x = p + (how & LIST_SIGNS && (*p == '+' || *p == '-'));
        size_t len = strcspn(p, ","), host_len;

        if (*x == '\0' || *x == ',' || *x == '@' || (how & LIST_PATHS && *x != '/'))
            return PBSE_BADATVAL;
        (void)host_of(p, &host_len);
        if (memchr(p, '@', len) && host_len == 0)
            return PBSE_BADATVAL;
        if (how & LIST_HOSTS_ONCE && host_stood_before(text, p))
            return PBSE_BADATVAL;
        p += len;
        if (*p == '\0')
            return 0;
    }
}

static int rule_names(const char *text)
{
    return check_list(text, 0);
}

static int rule_names_once(const char *text)
{
    return check_list(text, LIST_HOSTS_ONCE);
}

static int rule_shells(const char *text)
{
    return check_list(text, LIST_HOSTS_ONCE | LIST_PATHS);
}

static int rule_users(const char *text)
{
    return check_list(text, LIST_SIGNS);
}

static int rule_users_or_none(const char *text)
{
    return *text ? rule_users(text) : 0;
}

/* The next of 'ends' that has no backslash before it, or the end. */
static const char *skip_to(const char *p, const char *ends)
{
    while (*p && !strchr(ends, *p))
        p += *p == '\\' && p[1] ? 2 : 1;
    return p;
}

/* Check a list of files to stage: "local@host:remote,...". */
static int rule_stage(const char *text)
{
    for (;; text++) {
        const char *at = skip_to(text, "@,"), *colon, *end;

        if (*at != '@' || at == text)
            return PBSE_BADATVAL;
        colon = skip_to(at + 1, ":,");
        if (*colon != ':' || colon == at + 1)
            return PBSE_BADATVAL;
        end = skip_to(colon + 1, ",");
        if (end == colon + 1)
            return PBSE_BADATVAL;
        if (!*end)
            return 0;
        text = end;
    }
}

static const struct {
    const char *name;
    bool counts; /* its argument is a number */
} depend_types[] = {
    { "on", true },         { "synccount", true },   { "after", false },
    { "afterok", false },   { "afternotok", false }, { "afterany", false },
    { "before", false },    { "beforeok", false },   { "beforenotok", false },
    { "beforeany", false }, { "syncwith", false },   { "runone", false },
};

/* The row of a kind of dependency in "type:arg[:arg...],..."; -1 when there is no
 * such kind. */
static int depend_type(const char *text, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(depend_types); i++)
        if (strlen(depend_types[i].name) == len &&
            memcmp(depend_types[i].name, text, len) == 0)
            return (int)i;
    return -1;
}

/* The end of a server's name behind '.' or '@', NULL when there is none. */
static const char *skip_server(const char *p, const char *end)
{
    const char *begin = p;

    while (p < end && *p != '@' && *p != '#' && isgraph((unsigned char)*p))
        p++;
    return p > begin ? p : NULL;
}

/* "12", "12[]", "12.svr", "12.svr@host" (cli.md 1.3). Behind '@' may stand ":port",
 * too, which then looks like an id of digits alone. */
static bool is_job(const char *p, size_t len)
{
    const char *end = p + len;
    size_t digits = strspn(p, "0123456789");

    if (digits == 0 || digits > JOB_DIGITS_MAX)
        return false;
    p += digits;
    if (p < end && *p == '[') {
        p += 1 + strspn(p + 1, "0123456789-");
        if (*p++ != ']')
            return false;
    }
    if (p < end && *p == '.')
        p = skip_server(p + 1, end);
    if (p && p < end && *p == '@')
        p = skip_server(p + 1, end);
    return p == end;
}

static int rule_depend(const char *text)
{
    for (;; text++) {
        size_t len = strcspn(text, ":,");
        int type = depend_type(text, len);

        if (type < 0 || text[len] != ':')
            return PBSE_BADATVAL;
        text += len;
        while (*text == ':') {
            size_t arg = strcspn(++text, ":,");

            if (depend_types[type].counts ? strspn(text, "0123456789") != arg
                                          : !is_job(text, arg))
                return PBSE_BADATVAL;
            if (arg == 0)
                return PBSE_BADATVAL;
            text += arg;
        }
        if (!*text)
            return 0;
    }
}

enum when {
    QUEUE = 1,
    ALTER = 2,
    SELECT = 4,
    RESV = 8, /* submitted or altered */
    HOLD = 16,
    JOB = QUEUE | ALTER,
};

/* An attribute may have a rule for one kind of request and none, or another, for
 * others: a criterion is not a value (cli.md 2). The first row that fits counts. */
static const struct rule {
    const char *attr;
    unsigned when;
    rule_fn *check;
} rules[] = {
    { ATTR_N, JOB, rule_name },          { ATTR_N, SELECT, rule_name_or_none },
    { ATTR_resv_name, RESV, rule_name }, { ATTR_h, JOB | SELECT | HOLD, rule_holds },
    { ATTR_k, JOB, rule_keep },          { ATTR_m, JOB, rule_mail },
    { ATTR_M, JOB | RESV, rule_names },  { ATTR_u, JOB, rule_names_once },
    { ATTR_u, SELECT, rule_names },      { ATTR_g, JOB, rule_names_once },
    { ATTR_S, JOB, rule_shells },        { ATTR_p, JOB, rule_priority },
    { ATTR_umask, JOB, rule_digits },    { ATTR_J, QUEUE, rule_range },
    { ATTR_depend, JOB, rule_depend },   { ATTR_stagein, JOB, rule_stage },
    { ATTR_stageout, JOB, rule_stage },  { ATTR_state, SELECT, rule_states },
    { ATTR_auth_u, RESV, rule_users },   { ATTR_auth_g, RESV, rule_users_or_none },
    { ATTR_v, JOB | RESV, rule_any },    { ATTR_c, SELECT, rule_checkpoint },
};

static unsigned when_is(uint32_t number)
{
    switch (number) {
    case BATCH_QUEUE_JOB:
        return QUEUE;
    case BATCH_MODIFY_JOB:
        return ALTER;
    case BATCH_SELECT_JOBS:
    case BATCH_SELECT_STATUS:
        return SELECT;
    case BATCH_SUBMIT_RESV:
    case BATCH_MODIFY_RESV:
        return RESV;
    case BATCH_HOLD_JOB:
    case BATCH_RELEASE_JOB:
        return HOLD;
    default:
        return 0;
    }
}

bool rules_apply(uint32_t number)
{
    return number == BATCH_MANAGER || when_is(number) != 0;
}

bool rules_select(uint32_t number)
{
    return when_is(number) == SELECT;
}

/* Empty is "unset" for what may be unset; a name and the range of an array may not. */
static bool may_be_empty(const struct rule *r)
{
    return r->check != rule_name && r->check != rule_users && r->check != rule_range;
}

bool rules_check(uint32_t number, const char *attr, const char *text, int *code)
{
    unsigned when = when_is(number);

    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        if (!(rules[i].when & when) || strcasecmp(rules[i].attr, attr) != 0)
            continue;
        *code = !*text && may_be_empty(&rules[i]) ? 0 : rules[i].check(text);
        return true;
    }
    return false;
}

bool rules_queue_name(const char *name)
{
    return isalnum((unsigned char)*name) && has_only(name, WORD_CHARS "_-");
}
