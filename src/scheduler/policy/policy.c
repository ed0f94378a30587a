/* policy.c - the life of a policy, and sched_config line by line (scheduling.md 5.1).
 *
 * It is prime time for ever: of settings that may differ in prime and non-prime time,
 * those for non-prime time are checked and not obeyed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/policy/policy.h"

#include "scheduler/policy/setting.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct policy *policy_new(void)
{
    struct policy *p = xcalloc(1, sizeof(*p));

    /* What holds without a line in sched_config. */
    p->update_comments = true;
    p->backfill = true;
    p->preempt_attempts = INT64_MAX;
    p->keep_status = true;
    p->unset_infinite = xstrdup("mpiprocs,ompthreads");
    return p;
}

void policy_free(struct policy *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_sort_keys; i++)
        free(p->sort_keys[i].resource);
    for (size_t i = 0; i < p->n_job_keys; i++)
        free(p->job_keys[i].resource);
    for (size_t i = 0; i < p->n_peers; i++) {
        free(p->peers[i].local);
        free(p->peers[i].remote);
        free(p->peers[i].server);
    }
    free(p->resources);
    free(p->unset_infinite);
    free(p->dedicated_prefix);
    free(p->nonprime_prefix);
    free(p->dedicated);
    free(p);
}

size_t policy_peer_count(const struct policy *p)
{
    return p->n_peers;
}

const struct policy_peer *policy_peer(const struct policy *p, size_t i)
{
    MUST(i < p->n_peers);
    return &p->peers[i];
}

bool policy_keeps_status(const struct policy *p)
{
    return p->keep_status;
}

bool policy_checks_status(const struct policy *p)
{
    return p->check_status;
}

/* Members stand between commas and blanks; case does not count. */
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

bool policy_add_dedicated(struct policy *p, int64_t from_at, int64_t to_at)
{
    if (from_at >= to_at)
        return true; /* no instant lies in it */
    /* Each window that is searched is compared with each period, so their number has a
     * bound. */
    if (p->n_dedicated == POLICY_PERIODS_MAX)
        return false;
    p->dedicated = xrealloc(p->dedicated, (p->n_dedicated + 1) * sizeof(*p->dedicated));
    p->dedicated[p->n_dedicated++] =
        (struct period){ .from_at = from_at, .to_at = to_at };
    return true;
}

const struct period *policy_dedicated_at(const struct policy *p, int64_t at)
{
    for (size_t i = 0; i < p->n_dedicated; i++)
        if (p->dedicated[i].from_at <= at && at < p->dedicated[i].to_at)
            return &p->dedicated[i];
    return NULL;
}

const struct period *policy_crossed(const struct policy *p, int64_t start_at,
                                    int64_t end_at)
{
    const struct period *first = NULL;

    for (size_t i = 0; i < p->n_dedicated; i++) {
        const struct period *d = &p->dedicated[i];
        MUST(d->from_at < d->to_at); /* an empty one is not kept */

        bool meets = start_at < d->to_at && end_at > d->from_at;
        bool inside = start_at >= d->from_at && end_at <= d->to_at;

        if (meets && !inside && (!first || d->from_at < first->from_at))
            first = d;
    }
    return first;
}

int64_t policy_next_start(const struct period *crossed, int64_t start_at)
{
    MUST(start_at < crossed->to_at);
    return start_at < crossed->from_at ? crossed->from_at : crossed->to_at;
}

bool policy_prefix_has(const char *prefix, const char *queue)
{
    /* Without a prefix no queue is meant. */
    return prefix && strncmp(queue, prefix, strlen(prefix)) == 0;
}

/* The value at *at: one word, or what stands between quotes; *at is moved behind it. In
 * memory of its own. */
static char *cut_value(const char **at)
{
    const char *text = *at;
    size_t len;

    if (*text == '"' || *text == '\'') {
        /* A quote that is never closed takes the rest of the line, as in PBS. */
        const char *end = strchr(text + 1, *text);

        len = end ? (size_t)(end - text - 1) : strlen(text + 1);
        *at = text + 1 + len + (end ? 1 : 0);
        return xstrndup(text + 1, len);
    }
    len = strcspn(text, " \t\r\n");
    *at = text + len;
    return xstrndup(text, len);
}

enum when {
    WHEN_OBEYED,
    WHEN_NOT_NOW,
    WHEN_UNKNOWN
};

/* Read the word behind the value into 'word' and say when the setting holds; a word
 * without a meaning is told in the log. */
static enum when read_keyword(const char *at, char *word, size_t size)
{
    static const struct {
        const char *word;
        enum when when;
    } keywords[] = {
        { "", WHEN_OBEYED },           { "prime", WHEN_OBEYED },
        { "PRIME", WHEN_OBEYED },      { "all", WHEN_OBEYED },
        { "ALL", WHEN_OBEYED },        { "non_prime", WHEN_NOT_NOW },
        { "NON_PRIME", WHEN_NOT_NOW }, { "none", WHEN_NOT_NOW },
        { "NONE", WHEN_NOT_NOW },
    };
    size_t len;

    MUST(size > 0);
    at += strspn(at, " \t\r\n");
    /* A word that is too long for the place is longer than every keyword, and unknown
     * when it is cut too. */
    len = MIN_OF(strcspn(at, " \t\r\n"), size - 1);
    memcpy(word, at, len);
    word[len] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (strcmp(word, keywords[i].word) == 0)
            return keywords[i].when;
    return WHEN_UNKNOWN;
}

/* A value for non-prime time is checked as if it were read, in a policy that is thrown
 * away; what it asks for and no plan does is noted in 'p'. */
static enum policy_line check_only(struct policy *p, const struct setting *row,
                                   const char *value, struct diag *why)
{
    struct policy *other = policy_new();
    enum policy_line result = row->read(other, row, value, why);

    p->unserved |= other->unserved;
    policy_free(other);
    return result;
}

static enum policy_line tell_obsolete(const struct setting *row, struct diag *why)
{
    MUST(row->instead);
    diag_set(why, PBSE_BADATVAL, "Obsolete config name %s%s%s", row->name,
             *row->instead ? ", instead use " : "", row->instead);
    return POLICY_NOTICE;
}

static enum policy_line apply(struct policy *p, const struct setting *row,
                              const char *value, const char *rest, struct diag *why)
{
    char keyword[64];
    enum when when = read_keyword(rest, keyword, sizeof(keyword));
    enum policy_line result = when == WHEN_NOT_NOW && row->by_prime
                                  ? check_only(p, row, value, why)
                                  : row->read(p, row, value, why);

    if (result != POLICY_FINE)
        return result;
    /* The value holds all the same, for all times (scheduling.md 5.1). */
    if (when == WHEN_UNKNOWN) {
        diag_set(why, PBSE_BADATVAL, "Invalid prime keyword: %s", keyword);
        return POLICY_WRONG;
    }
    return row->instead ? tell_obsolete(row, why) : POLICY_FINE;
}

enum policy_line policy_line(struct policy *p, const char *line, struct diag *why)
{
    const struct setting *row;
    enum policy_line result = POLICY_WRONG;
    size_t name_len;
    char *value;

    line += strspn(line, " \t\r\n");
    if (!*line || *line == '#' || *line == '*')
        return POLICY_FINE;
    name_len = strcspn(line, " \t:\r\n");
    row = setting_find(line, name_len);
    line += name_len;
    line += strspn(line, " \t:");
    value = cut_value(&line);
    /* A line without a value is told as such, also when its name is unknown. */
    if (!*value)
        diag_set(why, PBSE_BADATVAL, "Config line invalid");
    else if (!row)
        diag_set(why, PBSE_BADATVAL, "Unknown config parameter");
    else
        result = apply(p, row, value, line, why);
    free(value);
    return result;
}
