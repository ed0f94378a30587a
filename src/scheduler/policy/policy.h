/* policy.h - the settings that plans obey (scheduling.md 5 and 6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_POLICY_POLICY_H
#define SCHEDULER_POLICY_POLICY_H

#include "scheduler/sched.h"

#define POLICY_SORT_KEYS_MAX 20
#define POLICY_PERIODS_MAX   1000

/* What of a resource vnodes are sorted by. */
enum sort_by {
    SORT_TOTAL,
    SORT_ASSIGNED,
    SORT_UNUSED
};

/* A key of node_sort_key (scheduling.md 15.3). */
struct sort_key {
    char *resource; /* "sort_priority": the vnode's Priority; "last_used_time" */
    bool high_first;
    enum sort_by by;
};

/* From from_at until before to_at. */
struct period {
    int64_t from_at;
    int64_t to_at;
};

struct policy {
    bool by_queue;
    bool strict_ordering; /* a job that cannot run has its place kept, or others wait */
    bool strict_fifo;     /* those of its queue wait */
    bool backfill;        /* false: with strict ordering all others wait */
    bool preemptive;      /* preemptive_sched: jobs have levels, and may preempt */
    int64_t preempt_attempts; /* in one plan */
    bool update_comments;
    bool resvs_ignore_dedicated; /* resv_confirm_ignore */
    bool keep_status;            /* ours, as check_status: doc/design/042-mirror.md */
    bool check_status;
    size_t n_sort_keys;
    struct sort_key sort_keys[POLICY_SORT_KEYS_MAX];
    size_t n_job_keys; /* of jobs */
    struct sort_key job_keys[POLICY_SORT_KEYS_MAX];
    bool sorts_anew; /* a key changes with what is placed: sorted for each request */
    char *resources; /* comma list of what is compared, NULL: everything */
    char *unset_infinite;   /* comma list of what counts as infinite when unset */
    char *dedicated_prefix; /* of queues that run in dedicated time only; NULL: none */
    char *nonprime_prefix;  /* of queues that never run in prime time; NULL: none */
    size_t n_dedicated;
    struct period *dedicated;
    size_t n_peers;
    struct policy_peer peers[POLICY_PEERS_MAX];
    uint64_t unserved; /* settings that ask for what is not served, by their rows */
};

/* True when 'name' is one of the comma-separated words of 'list' (may be NULL). */
bool policy_list_has(const char *list, const char *name);

/* The dedicated time that holds the instant, NULL: none. */
const struct period *policy_dedicated_at(const struct policy *p, int64_t at);

/* The first dedicated time in whose beginning or end [start_at, end_at) reaches from
 * outside or inside; NULL: the window crosses no such boundary. */
const struct period *policy_crossed(const struct policy *p, int64_t start_at,
                                    int64_t end_at);

/* The first later start at which a window that crosses the period at start_at may lie
 * wholly inside it or behind it. */
int64_t policy_next_start(const struct period *crossed, int64_t start_at);

/* Is the name of the queue one of those that the prefix means? */
bool policy_prefix_has(const char *prefix, const char *queue);

#endif
