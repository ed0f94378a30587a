/* setting.c - the settings of sched_config as rows (scheduling.md 5.2, 5.3).
 *
 * Every value is checked as its row says, also that of a setting which no plan obeys
 * yet: an existing file stays valid, its mistakes are told, and what it asks for in
 * vain is known by name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/policy/setting.h"

#include "lib/attr/value.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static enum policy_line wrong(struct diag *why, const char *text)
{
    diag_set(why, PBSE_BADATVAL, "%s", text);
    return POLICY_WRONG;
}

/* A number is true unless 0, the word false is false, any other word is true. */
static bool is_true(const char *value)
{
    if (isdigit((unsigned char)*value))
        return strtol(value, NULL, 10) != 0;
    return strcasecmp(value, "false") != 0;
}

static enum policy_line read_bool(struct policy *p, const struct setting *row,
                                  const char *value, struct diag *why)
{
    (void)why;
    /* Of what no plan does, only a line that asks for it is told: files of PBS name
     * every setting with its default. */
    if (!row->unserved)
        *(bool *)((char *)p + row->offset) = is_true(value);
    else if (is_true(value) != is_true(row->usual))
        setting_note(p, row);
    return POLICY_FINE;
}

/* A word or a text of a setting that is not served, or one that means nothing now. */
static enum policy_line read_word(struct policy *p, const struct setting *row,
                                  const char *value, struct diag *why)
{
    (void)why;
    if (row->unserved && (!row->usual || strcasecmp(value, row->usual) != 0))
        setting_note(p, row);
    return POLICY_FINE;
}

/* What is no number is no limit. */
static enum policy_line read_attempts(struct policy *p, const struct setting *row,
                                      const char *value, struct diag *why)
{
    (void)row;
    (void)why;
    p->preempt_attempts =
        isdigit((unsigned char)*value) ? (int64_t)strtoll(value, NULL, 10) : INT64_MAX;
    return POLICY_FINE;
}

static void set_text(struct policy *p, const struct setting *row, char *text)
{
    char **place = (char **)((char *)p + row->offset);

    free(*place);
    *place = text;
}

/* An empty prefix would mean every queue: it means none. */
static enum policy_line read_prefix(struct policy *p, const struct setting *row,
                                    const char *value, struct diag *why)
{
    (void)why;
    set_text(p, row, *value ? xstrdup(value) : NULL);
    return POLICY_FINE;
}

static enum policy_line read_resources(struct policy *p, const struct setting *row,
                                       const char *value, struct diag *why)
{
    (void)why;
    set_text(p, row, xstrdup(value));
    return POLICY_FINE;
}

static enum policy_line read_infinite(struct policy *p, const struct setting *row,
                                      const char *value, struct diag *why)
{
    (void)why;
    /* PBS counts these two so whatever the line says. */
    set_text(p, row, xasprintf("mpiprocs,ompthreads,%s", value));
    return POLICY_FINE;
}

static enum policy_line read_time(struct policy *p, const struct setting *row,
                                  const char *value, struct diag *why)
{
    int64_t duration_s;

    /* A number alone is a duration elsewhere, but no time here (scheduling.md 5.1). */
    if (!strchr(value, ':') || duration_parse(value, &duration_s) != 0) {
        diag_set(why, PBSE_BADATVAL, "Invalid time %s", value);
        return POLICY_WRONG;
    }
    return read_word(p, row, value, why);
}

static enum policy_line read_factor(struct policy *p, const struct setting *row,
                                    const char *value, struct diag *why)
{
    char *end;
    double factor = strtod(value, &end);

    if (end == value || *end)
        return wrong(why, "Invalid fairshare_decay_factor");
    /* Asked this way round, what is no number at all is refused too. */
    if (!(factor > 0 && factor < 1)) {
        diag_set(why, PBSE_BADATVAL,
                 "fairshare_decay_factor: Invalid value: %s.  Valid values are between "
                 "0 and 1.",
                 value);
        return POLICY_WRONG;
    }
    return read_word(p, row, value, why);
}

static enum policy_line read_entity(struct policy *p, const struct setting *row,
                                    const char *value, struct diag *why)
{
    static const char *const entities[] = { "euser", "egroup", "Account_Name", "queue",
                                            "egroup:euser" };

    for (size_t i = 0; i < ARRAY_LEN(entities); i++)
        if (strcmp(value, entities[i]) == 0)
            return read_word(p, row, value, why);
    diag_set(why, PBSE_BADATVAL, "fairshare_entity %s is erroneous (or deprecated).",
             value);
    return POLICY_WRONG;
}

static enum policy_line read_ignore(struct policy *p, const struct setting *row,
                                    const char *value, struct diag *why)
{
    bool ignore = strcmp(value, "dedicated_time") == 0;

    if (!ignore && strcmp(value, "none") != 0)
        return wrong(why, "resv_confirm_ignore valid values: dedicated_time or none");
    *(bool *)((char *)p + row->offset) = ignore;
    return POLICY_FINE;
}

/* "RES !PROGRAM ARGS" */
static enum policy_line read_dyn_res(struct policy *p, const struct setting *row,
                                     const char *value, struct diag *why)
{
    const char *mark = strchr(value, '!');

    /* Both are wanted, the resource and the program. */
    if (!mark || mark == value || !mark[1])
        return wrong(why, "Invalid server_dyn_res");
    return read_word(p, row, value, why);
}

/* "LOCALQ REMOTEQ[@SERVER[:PORT]]" */
static enum policy_line read_peer(struct policy *p, const struct setting *row UNUSED,
                                  const char *value, struct diag *why)
{
    static const char blanks[] = " \t";
    const char *local = value + strspn(value, blanks);
    size_t n_local = strcspn(local, blanks);
    const char *remote = local + n_local + strspn(local + n_local, blanks);
    size_t n_remote = strcspn(remote, blanks);
    size_t n_queue = strcspn(remote, " \t@");
    const char *rest = remote + n_remote + strspn(remote + n_remote, blanks);
    bool named = n_queue < n_remote;

    /* Two words, and a server where there is an "@". */
    if (n_local == 0 || n_queue == 0 || *rest || n_remote == n_queue + 1 ||
        p->n_peers == POLICY_PEERS_MAX)
        return wrong(why, "Invalid peer queue");
    p->peers[p->n_peers++] = (struct policy_peer){
        .local = xasprintf("%.*s", (int)n_local, local),
        .remote = xasprintf("%.*s", (int)n_queue, remote),
        .server = named ? xasprintf("%.*s", (int)(n_remote - n_queue - 1),
                                    remote + n_queue + 1)
                        : NULL,
    };
    return POLICY_FINE;
}

/* The value of an order: "RES HIGH|LOW [total|assigned|unused]". */
struct order {
    char resource[128];
    bool high_first;
    enum sort_by by;
};

/* Without a third word the total counts (scheduling.md 15.3). */
static bool parse_by(const char *word, enum sort_by *ret)
{
    static const char *const words[] = {
        [SORT_TOTAL] = "total", [SORT_ASSIGNED] = "assigned", [SORT_UNUSED] = "unused"
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcasecmp(word, words[i]) == 0) {
            *ret = (enum sort_by)i;
            return true;
        }
    return false;
}

static bool parse_order(const char *value, struct order *ret)
{
    char direction[8], what[16] = "total";
    int n = sscanf(value, "%127s %7s %15s", ret->resource, direction, what);

    ret->high_first = n >= 2 && strcasecmp(direction, "HIGH") == 0;
    if (n < 2 || (!ret->high_first && strcasecmp(direction, "LOW") != 0))
        return false;
    return parse_by(what, &ret->by);
}

static void add_order(struct policy *p, const struct order *o)
{
    MUST(p->n_sort_keys < POLICY_SORT_KEYS_MAX);
    p->sort_keys[p->n_sort_keys++] = (struct sort_key){
        .resource = xstrdup(o->resource), .high_first = o->high_first, .by = o->by
    };
    /* What is kept with the snapshot cannot have such an order (fit_sorted.c). */
    if (o->by != SORT_TOTAL || strcmp(o->resource, "last_used_time") == 0)
        p->sorts_anew = true;
}

static enum policy_line read_node_order(struct policy *p,
                                        const struct setting *row UNUSED,
                                        const char *value, struct diag *why)
{
    struct order o;

    if (!parse_order(value, &o) || p->n_sort_keys == POLICY_SORT_KEYS_MAX)
        return wrong(why, "Invalid node_sort_key");
    add_order(p, &o);
    return POLICY_FINE;
}

static enum policy_line read_job_order(struct policy *p,
                                       const struct setting *row UNUSED,
                                       const char *value, struct diag *why)
{
    struct order o;

    if (!parse_order(value, &o) || p->n_job_keys == POLICY_SORT_KEYS_MAX)
        return wrong(why, "Invalid job_sort_key");
    p->job_keys[p->n_job_keys++] = (struct sort_key){ .resource = xstrdup(o.resource),
                                                      .high_first = o.high_first };
    if (strcmp(o.resource, "sort_priority") != 0)
        return POLICY_FINE;
    diag_set(why, PBSE_BADATVAL,
             "Obsolete config name sort_priority in job_sort_key, instead use "
             "job_priority");
    return POLICY_NOTICE;
}

/* sort_nodes is the name that node_sort_key had in older files. */
static enum policy_line read_sort_nodes(struct policy *p, const struct setting *row,
                                        const char *value, struct diag *why)
{
    (void)row;
    (void)why;
    /* A file may have it beside node_sort_key: keys count in the order of their lines.
     */
    if (is_true(value) && p->n_sort_keys < POLICY_SORT_KEYS_MAX)
        add_order(p,
                  &(struct order){ .resource = "sort_priority", .high_first = true });
    return POLICY_FINE;
}

#define AT(member)        .offset = offsetof(struct policy, member)
#define NOT_SERVED(value) .unserved = true, .usual = (value)
#define P                 .by_prime = true
#define BY_QMGR           "nothing - set via qmgr"

/* clang-format off */
static const struct setting settings[] = {
    { "by_queue",                read_bool, AT(by_queue), P },
    { "strict_ordering",         read_bool, AT(strict_ordering), P },
    { "preemptive_sched",        read_bool, AT(preemptive), P },
    { "preempt_attempts",        read_attempts },
    { "update_comments",         read_bool, AT(update_comments) },
    { "node_sort_key",           read_node_order, P },
    { "resources",               read_resources, AT(resources) },
    { "resource_unset_infinite", read_infinite, AT(unset_infinite) },
    { "dedicated_prefix",        read_prefix, AT(dedicated_prefix) },
    { "nonprimetime_prefix",     read_prefix, AT(nonprime_prefix) },
    { "primetime_prefix",        read_word }, /* it is prime time for ever */
    { "peer_queue",              read_peer },
    { "resv_confirm_ignore",     read_ignore, AT(resvs_ignore_dedicated) },

    /* ours */
    { "keep_status",             read_bool, AT(keep_status) },
    { "check_status",            read_bool, AT(check_status) },

    { "round_robin",             read_bool, P, NOT_SERVED("false") },
    { "fair_share",              read_bool, P, NOT_SERVED("false") },
    { "backfill_prime",          read_bool, P, NOT_SERVED("false") },
    { "prime_spill",             read_time, P, NOT_SERVED(NULL) },
    { "prime_exempt_anytime_queues", read_bool, NOT_SERVED("false") },
    { "job_sort_key",            read_job_order, P },
    { "smp_cluster_dist",        read_word, P, NOT_SERVED("pack") },
    { "provision_policy",        read_word, NOT_SERVED("aggressive_provision") },
    { "server_dyn_res",          read_dyn_res, NOT_SERVED(NULL) },
    { "fairshare_usage_res",     read_word, NOT_SERVED("cput") },
    { "fairshare_entity",        read_entity, NOT_SERVED("euser") },
    { "fairshare_decay_time",    read_time, NOT_SERVED("24:00:00") },
    { "fairshare_decay_factor",  read_factor, NOT_SERVED("0.5") },
    { "unknown_shares",          read_word, NOT_SERVED("0") },
    { "fairshare_enforce_no_shares", read_bool, NOT_SERVED("true") },
    { "max_job_check",           read_word, NOT_SERVED("ALL_JOBS") },
    { "allow_aoe_calendar",      read_word, NOT_SERVED(NULL) },

    { "strict_fifo",        read_bool, AT(strict_fifo), P, .instead = "strict_ordering" },
    { "half_life",          read_time, NOT_SERVED("24:00:00"),
      .instead = "fairshare_decay_time and fairshare_decay_factor instead" },
    { "backfill",           read_bool, AT(backfill), P, .instead = "server's backfill_depth=0" },
    { "sort_nodes",         read_sort_nodes, .instead = "node_sort_key" },
    { "help_starving_jobs", read_word, .instead = "use eligible_time in job_sort_formula" },
    { "max_starve",         read_word, .instead = "use eligible_time in job_sort_formula" },
    { "sort_queues",        read_word, .instead = "" },
    { "node_group_key",     read_word, .instead = BY_QMGR },
    { "log_filter",         read_word, .instead = "nothing - set log_events via qmgr" },
    { "preempt_queue_prio", read_word, .instead = BY_QMGR },
    { "preempt_prio",       read_word, .instead = BY_QMGR },
    { "preempt_order",      read_word, .instead = BY_QMGR },
    { "preempt_sort",       read_word, .instead = BY_QMGR },
};
/* clang-format on */

_Static_assert(ARRAY_LEN(settings) <= 64, "struct policy has a bit for each");

const struct setting *setting_find(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        if (strlen(settings[i].name) == len &&
            strncmp(settings[i].name, name, len) == 0)
            return &settings[i];
    return NULL;
}

void setting_note(struct policy *p, const struct setting *row)
{
    MUST(row >= settings && row < settings + ARRAY_LEN(settings));
    p->unserved |= (uint64_t)1 << (row - settings);
}

void policy_unserved(const struct policy *p, struct buf *out)
{
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        if (p->unserved & (uint64_t)1 << i)
            buf_printf(out, "%s%s", out->len ? ", " : "", settings[i].name);
}
