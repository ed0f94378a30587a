/* tolerate.c - a job that may go on without hosts that have failed (attribute
 * tolerate_node_failures; execution.md 28, doc/design/079).
 *
 * Its lists are taken apart as texts: the n-th chunk of exec_vnode is the n-th piece of
 * exec_host and exec_host2, and the n-th chunk of schedselect. A job of which that is
 * not so, since a chunk of it lies on several hosts, goes on with all hosts or not at
 * all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <ctype.h>
#include <strings.h>

bool job_tolerates_failures(const struct mom_job *j)
{
    const char *word = wire_attrs_value(&j->attrs, "tolerate_node_failures", NULL);

    if (!word)
        return false;
    return strcasecmp(word, "all") == 0 ||
           (strcasecmp(word, "job_start") == 0 && j->phase == JOB_PRERUN);
}

/* The text up to the next '+' that stands in no parentheses; *at moves behind it. */
static const char *next_part(const char **at, struct arena *arena)
{
    const char *from = *at;
    int depth = 0;

    for (; **at && (**at != '+' || depth > 0); ++*at)
        depth += (**at == '(') - (**at == ')');
    from = arena_strndup(arena, from, (size_t)(*at - from));
    *at += **at == '+';
    return from;
}

static void add_part(struct buf *out, const char *part)
{
    buf_printf(out, "%s%s", out->len ? "+" : "", part);
}

static bool stays(const struct mom_job *j, size_t at)
{
    return !j->hosts.v[j->hosts.host_of[at]].has_failed;
}

/* Parts that stay; false when there are not as many as the job has pieces. */
static bool pick(const struct mom_job *j, const char *text, struct arena *arena,
                 struct buf *out)
{
    size_t n = 0;

    while (*text) {
        const char *part = next_part(&text, arena);

        if (n == j->hosts.n_vnodes)
            return false;
        if (stays(j, n++))
            add_part(out, part);
    }
    return n == j->hosts.n_vnodes;
}

/* The same of a select, in which a chunk may stand for several: "3:ncpus=2". */
static bool pick_chunks(const struct mom_job *j, const char *text, struct arena *arena,
                        struct buf *out)
{
    size_t n = 0;

    while (*text) {
        const char *part = next_part(&text, arena), *rest = part;
        unsigned long count = 1;

        if (isdigit((unsigned char)*part)) {
            count = strtoul(part, (char **)&rest, 10);
            rest += *rest == ':';
        }
        if (count > j->hosts.n_vnodes - n)
            return false;
        for (; count > 0; count--)
            if (stays(j, n++))
                add_part(out, arena_printf(arena, *rest ? "1:%s" : "1%s", rest));
    }
    return n == j->hosts.n_vnodes;
}

bool tolerate_where(const struct mom_job *j, struct arena *arena,
                    struct wire_attrs *ret)
{
    static const struct {
        const char *name;
        bool is_needed, is_select;
    } rows[] = {
        { "exec_vnode", true, false },
        { "exec_host2", true, false },
        { "exec_host", false, false },
        { "schedselect", false, true },
    };
    struct wire_attrs all = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *text = wire_attrs_value(&j->attrs, rows[i].name, NULL);
        struct buf rest = { 0 };
        bool good = text && (rows[i].is_select ? pick_chunks(j, text, arena, &rest)
                                               : pick(j, text, arena, &rest));

        /* The mother superior's own stays. */
        if (good && rest.len)
            wire_attrs_add(&all, arena, rows[i].name, NULL,
                           arena_strdup(arena, rest.data), WIRE_OP_SET);
        buf_fini(&rest);
        if (!good && rows[i].is_needed)
            return false;
    }
    *ret = all;
    return true;
}
