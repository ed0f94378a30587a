/* check_changes.c - a scheduler that is told only what has changed knows as much as one
 * that asks for everything.
 *
 * The checker has a snapshot of its own and brings it up to date after a turn, as the
 * daemon does before each cycle; then it is compared with one that is made anew.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

static struct snapshot *new_kept(void)
{
    struct snapshot *s = snapshot_new();

    snapshot_keep(s);
    return s;
}

/* 0, or the code of the refusal; PBSE_PROTOCOL when the reply does not follow. */
static int ask(struct sim *s, struct snapshot *kept, struct arena *arena)
{
    struct body_changes body = { .since = snapshot_seq(kept) };
    struct wire_objects objects = { 0 };
    int err;

    snapshot_classes(arena, &body);
    err = svr_changes(s->shell.svr, sim_now_at(s), &body, arena, &objects);
    if (err)
        return err;
    return snapshot_patch(kept, &objects) ? 0 : PBSE_PROTOCOL;
}

void check_changes_forget(struct sim *s)
{
    snapshot_free(s->checks.kept);
    s->checks.kept = NULL;
}

void check_changes(struct sim *s)
{
    struct arena *arena = arena_new();
    struct snapshot *fresh = new_kept();
    struct diag why = { 0 };
    int err;

    if (!s->checks.kept)
        s->checks.kept = new_kept();
    err = ask(s, s->checks.kept, arena);
    /* A setting has changed on which all depends, or an object has become this
     * scheduler's that was another one's: it asks for everything. */
    if (err == PBSE_BADSTATE || err == PBSE_PROTOCOL) {
        check_changes_forget(s);
        s->checks.kept = new_kept();
        err = ask(s, s->checks.kept, arena);
    }
    if (!err)
        err = ask(s, fresh, arena);
    if (err)
        check_failed(s, CHECK_CHANGES, "what has changed is refused: %d", err);
    else if (!snapshot_same(s->checks.kept, fresh, &why))
        check_failed(s, CHECK_CHANGES, "%s", why.text);
    snapshot_free(fresh);
    arena_free(arena);
}
