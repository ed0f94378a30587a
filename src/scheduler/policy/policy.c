/* policy.c - sched_config line by line: one row per setting.
 *
 * Settings that no part of the plan reads yet are rows without a place: their lines are
 * accepted, so that an existing file stays valid.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/policy/policy.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum setting_kind {
    SETTING_BOOL,
    SETTING_LIST,
    SETTING_SORT,
    SETTING_UNREAD
};

struct setting {
    const char *name;
    enum setting_kind kind;
    size_t offset;
};

/* clang-format off */
static const struct setting settings[] = {
    { "by_queue",               SETTING_BOOL, offsetof(struct policy, by_queue) },
    { "update_comments",        SETTING_BOOL, offsetof(struct policy, update_comments) },
    { "node_sort_key",          SETTING_SORT, 0 },
    { "resources",              SETTING_LIST, offsetof(struct policy, resources) },
    { "resource_unset_infinite", SETTING_LIST, offsetof(struct policy, unset_infinite) },
    { "round_robin",            SETTING_UNREAD, 0 },
    { "strict_ordering",        SETTING_UNREAD, 0 },
    { "strict_fifo",            SETTING_UNREAD, 0 },
    { "fair_share",             SETTING_UNREAD, 0 },
    { "preemptive_sched",       SETTING_UNREAD, 0 },
    { "backfill_prime",         SETTING_UNREAD, 0 },
    { "prime_spill",            SETTING_UNREAD, 0 },
    { "prime_exempt_anytime_queues", SETTING_UNREAD, 0 },
    { "primetime_prefix",       SETTING_UNREAD, 0 },
    { "nonprimetime_prefix",    SETTING_UNREAD, 0 },
    { "dedicated_prefix",       SETTING_UNREAD, 0 },
    { "job_sort_key",           SETTING_UNREAD, 0 },
    { "smp_cluster_dist",       SETTING_UNREAD, 0 },
    { "provision_policy",       SETTING_UNREAD, 0 },
    { "server_dyn_res",         SETTING_UNREAD, 0 },
    { "peer_queue",             SETTING_UNREAD, 0 },
    { "fairshare_usage_res",    SETTING_UNREAD, 0 },
    { "fairshare_entity",       SETTING_UNREAD, 0 },
    { "fairshare_decay_time",   SETTING_UNREAD, 0 },
    { "fairshare_decay_factor", SETTING_UNREAD, 0 },
    { "unknown_shares",         SETTING_UNREAD, 0 },
    { "fairshare_enforce_no_shares", SETTING_UNREAD, 0 },
    { "max_job_check",          SETTING_UNREAD, 0 },
    { "preempt_attempts",       SETTING_UNREAD, 0 },
    { "resv_confirm_ignore",    SETTING_UNREAD, 0 },
    { "allow_aoe_calendar",     SETTING_UNREAD, 0 },
};
/* clang-format on */

struct policy *policy_new(void)
{
    struct policy *p = xcalloc(1, sizeof(*p));

    p->update_comments = true;
    p->unset_infinite = xstrdup("mpiprocs,ompthreads");
    return p;
}

void policy_free(struct policy *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_sort_keys; i++)
        free(p->sort_keys[i].resource);
    free(p->resources);
    free(p->unset_infinite);
    free(p);
}

bool policy_list_has(const char *list, const char *name)
{
    size_t len = strlen(name);

    while (list && *list) {
        list += strspn(list, ", \t");
        if (strncasecmp(list, name, len) == 0 &&
            (!list[len] || strchr(", \t", list[len])))
            return true;
        list += strcspn(list, ",");
    }
    return false;
}

static const struct setting *find_setting(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        if (strlen(settings[i].name) == len &&
            strncmp(settings[i].name, name, len) == 0)
            return &settings[i];
    return NULL;
}

/* A number is true unless 0, the word false is false, any other word is true. */
static bool read_bool(const char *value)
{
    if (isdigit((unsigned char)*value))
        return strtol(value, NULL, 10) != 0;
    return strcasecmp(value, "false") != 0;
}

/* "RES HIGH|LOW [total]": what is sorted by is a vnode's total. */
static bool read_sort_key(struct policy *p, const char *value, struct diag *why)
{
    char resource[128], direction[8], what[16];
    int n = sscanf(value, "%127s %7s %15s", resource, direction, what);
    bool high = n >= 2 && strcasecmp(direction, "HIGH") == 0;

    if (n < 2 || (!high && strcasecmp(direction, "LOW") != 0) ||
        (n == 3 && strcasecmp(what, "total") != 0) ||
        p->n_sort_keys == POLICY_SORT_KEYS_MAX) {
        diag_set(why, PBSE_BADATVAL, "Invalid node_sort_key");
        return false;
    }
    p->sort_keys[p->n_sort_keys++] =
        (struct sort_key){ .resource = xstrdup(resource), .high_first = high };
    return true;
}

static void read_list(struct policy *p, const struct setting *row, const char *value)
{
    char **place = (char **)((char *)p + row->offset);
    char *list = row->offset == offsetof(struct policy, unset_infinite)
                     ? xasprintf("mpiprocs,ompthreads,%s", value)
                     : xstrdup(value);

    free(*place);
    *place = list;
}

static bool apply(struct policy *p, const struct setting *row, const char *value,
                  struct diag *why)
{
    switch (row->kind) {
    case SETTING_BOOL:
        *(bool *)((char *)p + row->offset) = read_bool(value);
        return true;
    case SETTING_SORT:
        return read_sort_key(p, value, why);
    case SETTING_LIST:
        read_list(p, row, value);
        return true;
    case SETTING_UNREAD:
        return true;
    }
    return true;
}

/* The value: one word, or what stands between quotes. In memory of its own. */
static char *cut_value(const char *text)
{
    if (*text == '"' || *text == '\'') {
        const char *end = strchr(text + 1, *text);

        return end ? xstrndup(text + 1, (size_t)(end - text - 1)) : xstrdup(text + 1);
    }
    return xstrndup(text, strcspn(text, " \t\r\n"));
}

bool policy_line(struct policy *p, const char *line, struct diag *why)
{
    static const char separators[] = " \t:";
    const struct setting *row;
    size_t name_len;
    char *value;
    bool ok;

    line += strspn(line, " \t\r\n");
    if (!*line || *line == '#' || *line == '*')
        return true;
    name_len = strcspn(line, " \t:\r\n");
    row = find_setting(line, name_len);
    line += name_len;
    line += strspn(line, separators);
    value = cut_value(line);
    if (!*value) {
        diag_set(why, PBSE_BADATVAL, "Config line invalid");
        ok = false;
    } else if (!row) {
        diag_set(why, PBSE_BADATVAL, "Unknown config parameter");
        ok = false;
    } else {
        ok = apply(p, row, value, why);
    }
    free(value);
    return ok;
}
