/* need.c - see need.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/need.h"

#include "lib/base/printable.h"

#include <string.h>

bool need_is_private(enum need_kind kind)
{
    return kind >= NEED_FILE;
}

bool need_is_deed(enum need_kind kind)
{
    return kind == NEED_TRANSFER || kind == NEED_TOLD;
}

char *need_key(const struct need *need)
{
    /* The name comes last, because it may have blanks in it. */
    return xasprintf("%d %" PRIu64 " %s %s", (int)need->kind, need->asker,
                     need->detail ? need->detail : "", need->name);
}

/* It goes into comments, logs and answers to others. */
static const char *one_line(const char *text, struct arena *arena)
{
    struct buf line = { 0 };
    const char *ret;

    buf_add_printable(&line, text, strnlen(text, FINDING_MAX_WORDS));
    ret = arena_strndup(arena, line.data ? line.data : "", line.len);
    buf_fini(&line);
    return ret;
}

const char *finding_words(const struct wire_reply *reply, struct arena *arena)
{
    const struct wire_object *o = reply->objects.n ? &reply->objects.v[0] : NULL;

    if (reply->choice == REPLY_TEXT && reply->text)
        return one_line(reply->text, arena);
    return reply->choice == REPLY_STATUS && o && o->attrs.n ? o->attrs.v[0].value
                                                            : NULL;
}

struct need need_copy(const struct need *need, struct arena *arena)
{
    struct need copy = *need;

    /* The request and its arena may be gone before the answer comes. */
    copy.name = arena_strdup(arena, need->name);
    copy.detail = arena_strdup(arena, need->detail);
    if (need->data)
        copy.data = arena_copy(arena, need->data, need->len);
    return copy;
}

static struct wire_strings copy_strings(const struct wire_strings *from,
                                        struct arena *arena)
{
    struct wire_strings copy = { 0 };

    copy.v = ARENA_ARRAY(arena, const char *, from->n);
    for (; copy.n < from->n; copy.n++)
        copy.v[copy.n] = arena_strdup(arena, from->v[copy.n]);
    return copy;
}

static struct wire_attrs copy_attrs(const struct wire_attrs *from, struct arena *arena)
{
    struct wire_attrs copy = { 0 };

    for (size_t i = 0; i < from->n; i++) {
        const struct wire_attr *a = &from->v[i];

        wire_attrs_add(&copy, arena, arena_strdup(arena, a->name),
                       arena_strdup(arena, a->resource), arena_strdup(arena, a->value),
                       a->op);
    }
    return copy;
}

struct finding finding_copy(const struct finding *f, struct arena *arena)
{
    /* Numbers are copied by the assignment; everything that a pointer leads to
     * follows. */
    struct finding copy = *f;

    copy.groups = copy_strings(&f->groups, arena);
    copy.changes = copy_attrs(&f->changes, arena);
    if (f->n_addrs > 0)
        copy.addrs = arena_copy(arena, f->addrs, f->n_addrs * sizeof(*f->addrs));
    if (f->data)
        copy.data = arena_copy(arena, f->data, f->len);
    copy.words = arena_strdup(arena, f->words);
    return copy;
}
