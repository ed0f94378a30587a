/* run_limit.c - see run_limit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/run_limit.h"

#include "lib/base/buf.h"
#include "lib/base/must.h"

#include <string.h>

const char run_limit_kinds[] = "gpou";

/* In the order of run_limit_kinds. */
/* clang-format off */
static const struct words_row {
    const char *queue, *queue_log, *queue_own; /* %q the queue, %e whose limit, %r the resource */
    const char *server, *server_log, *server_own;
    const char *queue_res, *queue_res_own, *server_res, *server_res_own;
} words[] = {
    { /* group */
      "Group has reached queue %q running limit.", "Queue %q per-group job limit reached",
      "Queue %q job limit reached for group %e",
      "Group has reached server running limit.", "Server per-group limit reached",
      "Server job limit reached for group %e",
      "Queue %q per-group limit reached on resource %r",
      "would exceed group %e's limit on resource %r in queue %q",
      "Server per-group limit reached on resource %r",
      "would exceed group %e's limit on resource %r in complex" },
    { /* project */
      "Project has reached queue %q's running limit.", "Queue %q per-project job limit reached",
      "Queue %q job limit reached for project %e",
      "Project has reached server running limit.", "Server per-project limit reached",
      "Server job limit reached for project %e",
      "Queue %q per-project limit reached on resource %r",
      "would exceed project %e's limit on resource %r in queue %q",
      "Server per-project limit reached on resource %r",
      "would exceed project %e's limit on resource %r in complex" },
    { /* all */
      "Queue %q job limit has been reached.", "Queue %q job limit reached",
      "Queue %q job limit has been reached.",
      "Server job limit has been reached.", "Server job limit reached",
      "Server job limit has been reached.",
      "would exceed overall limit on resource %r in queue %q",
      "would exceed overall limit on resource %r in queue %q",
      "would exceed overall limit on resource %r in complex",
      "would exceed overall limit on resource %r in complex" },
    { /* user */
      "User has reached queue %q running job limit.", "Queue %q per-user job limit reached",
      "Queue %q job limit reached for user %e",
      "User has reached server running job limit.", "Server per-user job limit reached",
      "Server job limit reached for user %e",
      "Queue %q per-user limit reached on resource %r",
      "would exceed user %e's limit on resource %r in queue %q",
      "Server per-user limit reached on resource %r",
      "would exceed user %e's limit on resource %r in complex" },
};
/* clang-format on */

/* %q, %e and %r in their places. */
static const char *fill(const char *text, const struct run_limit *l,
                        struct arena *arena)
{
    struct buf out = { 0 };
    const char *ret;

    for (; *text; text++) {
        if (*text != '%') {
            buf_add_char(&out, *text);
            continue;
        }
        text++;
        buf_add_str(&out, *text == 'q'   ? l->queue
                          : *text == 'e' ? l->entity
                                         : l->resource);
    }
    ret = arena_strdup(arena, out.data);
    buf_fini(&out);
    return ret;
}

static const struct words_row *row_of(const struct run_limit *l)
{
    const char *at = strchr(run_limit_kinds, l->kind);

    MUST(l->kind && at); /* the letter is one of the constant */
    return &words[at - run_limit_kinds];
}

static const char *resource_text(const struct run_limit *l)
{
    const struct words_row *w = row_of(l);

    if (l->queue)
        return l->own ? w->queue_res_own : w->queue_res;
    return l->own ? w->server_res_own : w->server_res;
}

static const char *comment_text(const struct run_limit *l)
{
    const struct words_row *w = row_of(l);

    if (l->resource)
        return resource_text(l);
    if (l->queue)
        return l->own ? w->queue_own : w->queue;
    return l->own ? w->server_own : w->server;
}

const char *run_limit_comment(const struct run_limit *l, struct arena *arena)
{
    return fill(comment_text(l), l, arena);
}

const char *run_limit_log(const struct run_limit *l, struct arena *arena)
{
    const struct words_row *w = row_of(l);

    /* A limit of one's own has the same words in both places; there is no other limit
     * of all jobs. */
    if (l->resource || (l->own && l->kind != 'o'))
        return fill(comment_text(l), l, arena);
    return fill(l->queue ? w->queue_log : w->server_log, l, arena);
}
