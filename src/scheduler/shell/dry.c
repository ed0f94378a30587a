/* dry.c - dry runs: what would be said about reservations that are not there, or not so
 * (doc/design/046-dry-run.md).
 *
 * Each is planned on what the server has then, so what is said is what a cycle would
 * say. A question that cannot be looked at is left unanswered, and its time ends it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include "lib/io/clock.h"
#include "scheduler/shell/mirror.h"

/* The answer to one, in the arena. */
static int answer(struct shell *sh, const struct wire_object *o, struct arena *arena,
                  struct wire_request *ret, struct diag *why)
{
    struct snapshot *s;
    int err = mirror_snapshot(sh, arena, &s, why);

    if (err)
        return err;
    sched_try(s, sh->policy, clock_read(), o, arena, ret);
    if (s != sh->mirror)
        snapshot_free(s);
    logfile_printf(sh->log, LOG_EV_DEBUG, LOG_IN_SERVER, o->name, "Dry run: %s",
                   ret->extend ? ret->extend : "others would be moved");
    return 0;
}

/* Give the last answer and ask for the next question, whose answer becomes the next
 * one; false: there is none. */
static bool next(struct shell *sh, const struct wire_request *said, struct arena *arena,
                 struct wire_request *ret)
{
    struct wire_reply reply;
    struct diag why = { 0 };
    int err = link_call(sh->primary, said, arena, &reply, &why);

    if (!err && reply.code == 0 && reply.objects.n == 0)
        return false;
    if (!err && reply.code)
        err = diag_set(&why, reply.code, "DryRun failed: %s (%d)",
                       reply.text ? reply.text : "", (int)reply.code);
    if (!err)
        err = answer(sh, &reply.objects.v[0], arena, ret, &why);
    if (err)
        logfile_write(sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "", why.text);
    return err == 0;
}

void shell_dry_runs(struct shell *sh)
{
    static const struct body_run none = { .object_id = "", .vnodes = "" };
    struct wire_request said = { .number = BATCH_DRY_RUN, .body = &none };
    struct arena *last = arena_new(), *arena = arena_new();

    MUST(sh->primary && sh->policy);
    /* The question is in the memory of its round, the answer is sent in the next one.
     */
    while (next(sh, &said, arena, &said)) {
        struct arena *swap = last;

        last = arena;
        arena = swap;
        arena_clear(arena);
    }
    arena_free(last);
    arena_free(arena);
}
