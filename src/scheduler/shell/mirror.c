/* mirror.c - see mirror.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/mirror.h"

#include "lib/io/clock.h"

#include "scheduler/shell/status.h"

#define CHECK_TRIES 5

void mirror_ask_server(struct shell *sh)
{
    static const char *const attr = "holdfast_extensions";
    struct body_status body = { .id = "" };
    const struct wire_request rq = { .number = BATCH_STATUS_SERVER, .body = &body };
    struct arena *arena = arena_new();
    struct wire_reply reply;
    const char *offers = NULL;
    struct diag why;

    wire_attrs_add(&body.wanted, arena, attr, NULL, "", WIRE_OP_SET);
    if (link_call(sh->primary, &rq, arena, &reply, &why) == 0 && reply.code == 0 &&
        reply.objects.n > 0)
        offers = wire_attrs_value(&reply.objects.v[0].attrs, attr, NULL);
    sh->can_mirror = str_list_has(offers, EXTENSION_CHANGES);
    sh->can_answer_many = str_list_has(offers, EXTENSION_ANSWERS);
    arena_free(arena);
}

void mirror_drop(struct shell *sh)
{
    snapshot_free(sh->mirror);
    sh->mirror = NULL;
}

static int ask(struct shell *sh, struct arena *arena, struct wire_reply *ret,
               struct diag *why)
{
    struct body_changes body = { .since = sh->mirror ? snapshot_seq(sh->mirror) : 0 };
    const struct wire_request rq = { .number = BATCH_STATUS_CHANGES, .body = &body };

    snapshot_classes(arena, &body);
    return link_call(sh->primary, &rq, arena, ret, why);
}

static void begin(struct shell *sh)
{
    MUST(!sh->mirror);
    sh->mirror = snapshot_new();
    snapshot_set_name(sh->mirror, sh->name);
    snapshot_add(sh->mirror, &sh->resources);
    snapshot_add(sh->mirror, &sh->scheds);
    snapshot_keep(sh->mirror);
}

/* True when the reply was taken over; what is kept is of no use otherwise. */
static bool take(struct shell *sh, const struct wire_reply *reply)
{
    if (reply->code)
        return false;
    if (!sh->mirror)
        begin(sh);
    snapshot_told_at(sh->mirror, clock_read());
    return snapshot_patch(sh->mirror, &reply->objects);
}

/* A refusal is usual: the server has been told something on which all objects depend,
 * or has forgotten what is gone. The log has a line for it, since each costs a whole
 * status. */
static void tell_dropped(const struct shell *sh, const struct wire_reply *reply)
{
    logfile_printf(sh->log, LOG_EV_DEBUG, LOG_IN_SERVER, "",
                   "Asking for the whole status again (%d)", (int)reply->code);
}

static int say_failed(const struct wire_reply *reply, struct diag *why)
{
    return diag_set(why, reply->code ? reply->code : PBSE_PROTOCOL,
                    "StatusChanges failed: %s (%d)", reply->text ? reply->text : "",
                    (int)reply->code);
}

int mirror_update(struct shell *sh, struct arena *arena, struct diag *why)
{
    struct wire_reply reply;

    MUST(sh->primary && sh->can_mirror);
    for (int tries = 0; tries < 2; tries++) {
        int err = ask(sh, arena, &reply, why);

        if (err) {
            mirror_drop(sh);
            return err;
        }
        if (take(sh, &reply))
            return 0;
        /* A server that has lost its store shows nothing for a while, whatever it is
         * asked; what is kept of it stays as good as it was. */
        if (reply.code == PBSE_SAVE_ERR)
            return say_failed(&reply, why);
        if (sh->mirror && snapshot_seq(sh->mirror) > 0)
            tell_dropped(sh, &reply);
        mirror_drop(sh);
    }
    /* Until the next connection it is asked for everything, as other servers are. */
    sh->can_mirror = false;
    return say_failed(&reply, why);
}

/* What is kept is compared with the status of everything, when the administrator wants
 * to be sure of it. The parts of the status come one after the other, and what changes
 * meanwhile is a difference, too: one is told only when the server has changed nothing
 * since what is kept was asked for. When it never stands still, nothing is told. */
static void check_mirror(struct shell *sh, struct arena *arena)
{
    struct diag differs = { 0 }, why = { 0 };

    for (int tries = 0; tries < CHECK_TRIES; tries++) {
        struct snapshot *fresh;
        uint64_t seq = snapshot_seq(sh->mirror);
        bool same;

        if (status_snapshot(sh, arena, &fresh, &why) != 0)
            return;
        same = snapshot_same(sh->mirror, fresh, &differs);
        snapshot_free(fresh);
        if (same || mirror_update(sh, arena, &why) != 0)
            return;
        if (snapshot_seq(sh->mirror) == seq) {
            logfile_printf(
                sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "",
                "What is kept of the server's status is not what the server says: %s",
                differs.text);
            mirror_drop(sh);
            return;
        }
    }
}

int mirror_snapshot(struct shell *sh, struct arena *arena, struct snapshot **ret,
                    struct diag *why)
{
    int err;

    /* Jobs of other servers come and go without a word: all is asked for each time. */
    if (!sh->can_mirror || !policy_keeps_status(sh->policy) ||
        policy_peer_count(sh->policy) > 0)
        return status_snapshot(sh, arena, ret, why);
    err = mirror_update(sh, arena, why);
    if (err && !sh->can_mirror && !link_is_broken(sh->primary)) {
        logfile_write(sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "", why->text);
        return status_snapshot(sh, arena, ret, why);
    }
    if (!err && policy_checks_status(sh->policy))
        check_mirror(sh, arena);
    if (!err && !sh->mirror)
        err = mirror_update(sh, arena, why);
    *ret = sh->mirror;
    if (!err)
        snapshot_skip_none(*ret);
    return err;
}
