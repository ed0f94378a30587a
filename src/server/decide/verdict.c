/* verdict.c - see verdict.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/verdict.h"

#include "lib/attr/hook_attrs.h"
#include "server/decide/config.h"
#include "server/decide/know.h"

#include <strings.h>

static bool has_hook(const struct model *m, enum hook_event event)
{
    MODEL_EACH (m, OBJ_HOOK, o) {
        /* A hook that is switched off is not asked. */
        if (obj_num(o, HOOK_A_ENABLED, 1) &&
            (hook_events_of(obj_str(o, HOOK_A_EVENT, "")) & event))
            return true;
    }
    return false;
}

static bool is_same_attr(const struct wire_attr *a, const struct wire_attr *b)
{
    if (strcasecmp(a->name, b->name) != 0)
        return false;
    /* An attribute without a resource and one with a resource are two things. */
    return a->resource && b->resource ? strcasecmp(a->resource, b->resource) == 0
                                      : a->resource == b->resource;
}

static bool is_changed(const struct wire_attr *a, const struct wire_attrs *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        if (is_same_attr(a, &changes->v[i]))
            return true;
    return false;
}

static void add_attr(struct wire_attrs *to, const struct wire_attr *a,
                     struct arena *arena)
{
    wire_attrs_add(to, arena, a->name, a->resource, a->value, a->op);
}

/* What the hooks set stands in the place of what came; an empty value takes it away. */
static struct wire_attrs changed(const struct wire_attrs *attrs,
                                 const struct wire_attrs *changes, struct arena *arena)
{
    struct wire_attrs list = { 0 };

    for (size_t i = 0; i < attrs->n; i++)
        if (!is_changed(&attrs->v[i], changes))
            add_attr(&list, &attrs->v[i], arena);
    for (size_t i = 0; i < changes->n; i++)
        if (*changes->v[i].value)
            add_attr(&list, &changes->v[i], arena);
    return list;
}

static const char *event_name(enum hook_event event, struct arena *arena)
{
    struct buf text = { 0 };
    const char *name;

    hook_events_print(event, &text);
    name = arena_strdup(arena, text.data);
    buf_fini(&text);
    return name;
}

/* Hooks that nobody could ask have not accepted (hooks.md 14). */
static int rejected(const struct finding *f, const char *event, struct decision *out)
{
    const char *words = arena_strdup(out->arena, f->words);

    if (!words)
        words =
            arena_printf(out->arena,
                         f->failed ? "%s request rejected: its hooks gave no answer "
                                     "in time, try again later"
                                   : "%s request rejected by a hook",
                         event);
    out->why_text = words;
    return diag_set(&out->why, PBSE_HOOKERROR, "%s", words);
}

int request_verdict(const struct model *m, const struct request *rq,
                    enum hook_event event, const struct wire_attrs *attrs,
                    struct wire_attrs *ret, struct decision *out)
{
    struct need need = { .kind = NEED_VERDICT };
    const struct finding *f;

    *ret = *attrs;
    /* Without a hook of the event the request is not even parked. */
    if (!rq->cfg->runs_hooks || !has_hook(m, event))
        return 0;
    /* The event names the question; the shell knows which hooks belong to it. */
    need.name = event_name(event, rq->arena);
    f = request_know(rq, &need);
    if (!f)
        return NEEDED;
    if (f->failed || !f->found)
        return rejected(f, need.name, out);
    *ret = changed(attrs, &f->changes, rq->arena);
    return 0;
}
