/* askers.c - see askers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/askers.h"

struct askers *askers_find(const struct mom *m, uint64_t stream)
{
    struct askers *of;

    HASH_FIND(hh, m->askers, &stream, sizeof(stream), of);
    return of;
}

static struct askers *need(struct mom *m, uint64_t stream)
{
    struct askers *of = askers_find(m, stream);

    MUST(stream);
    if (of)
        return of;
    of = xcalloc(1, sizeof(*of));
    of->m = m;
    of->stream = stream;
    HASH_ADD(hh, m->askers, stream, sizeof(of->stream), of);
    return of;
}

static void free_empty(struct askers *of)
{
    if (of->orders || of->watchers || of->asked)
        return;
    HASH_DEL(of->m->askers, of);
    free(of);
}

void askers_note_order(struct mom *m, struct spawned *t)
{
    MUST(!t->of);
    t->of = need(m, t->asker.stream);
    DL_APPEND2(t->of->orders, t, of_prev, of_next);
}

void askers_note_watcher(struct mom *m, struct watcher *w)
{
    MUST(!w->of);
    w->of = need(m, w->asker.stream);
    DL_APPEND2(w->of->watchers, w, of_prev, of_next);
}

void askers_note_asked(struct mom *m, struct asked *a)
{
    MUST(!a->of);
    a->of = need(m, a->client);
    DL_APPEND2(a->of->asked, a, of_prev, of_next);
}

void askers_forget_order(struct spawned *t)
{
    struct askers *of = t->of;

    if (!of)
        return;
    DL_DELETE2(of->orders, t, of_prev, of_next);
    t->of = NULL;
    free_empty(of);
}

void askers_forget_watcher(struct watcher *w)
{
    struct askers *of = w->of;

    if (!of)
        return;
    DL_DELETE2(of->watchers, w, of_prev, of_next);
    w->of = NULL;
    free_empty(of);
}

void askers_forget_asked(struct asked *a)
{
    struct askers *of = a->of;

    if (!of)
        return;
    DL_DELETE2(of->asked, a, of_prev, of_next);
    a->of = NULL;
    free_empty(of);
}
