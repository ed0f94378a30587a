/* trial.c - a reservation in a snapshot that the server does not have, for the time of
 * one plan.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <string.h>

static size_t find(const struct snapshot *s, const char *id)
{
    for (size_t i = 0; i < s->n_resvs; i++)
        if (strcmp(s->resvs[i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

bool snap_trial_begin(struct snap_trial *t, struct snapshot *s,
                      const struct wire_object *o)
{
    const struct snap_kind *kind = snap_kind_of(OBJECT_RESV);

    *t = (struct snap_trial){ .s = s, .at = find(s, o->name) };
    t->in_place = t->at != SIZE_MAX;
    snap_forget_places(s, OBJECT_RESV);
    if (t->in_place) {
        t->was = s->resvs[t->at];
        memset(&s->resvs[t->at], 0, sizeof(t->was));
    } else {
        (void)snap_append(s, kind);
        t->at = s->n_resvs - 1;
    }
    if (snap_read_trial(s, &s->resvs[t->at], o))
        return true;
    snap_trial_end(t);
    return false;
}

void snap_trial_end(struct snap_trial *t)
{
    struct snapshot *s = t->s;

    snap_forget_places(s, OBJECT_RESV);
    if (t->in_place) {
        s->resvs[t->at] = t->was;
        /* What it has was given back by the plan, which did not find it. */
        if (t->was.memo)
            t->was.memo->stake = NULL;
    } else {
        MUST(t->at == s->n_resvs - 1);
        s->n_resvs--;
    }
    snap_forget_trial(s);
}
