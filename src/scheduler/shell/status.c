/* status.c - what a cycle asks the server (scheduling.md 4).
 *
 * All jobs are asked for at once, with their queue, instead of queue by queue: one
 * round trip, whatever the number of queues.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/status.h"

#include "lib/io/zonefile.h"
#include "scheduler/shell/peers.h"

static int status_call(struct shell *sh, const struct wire_request *rq,
                       const char *what, struct arena *arena, struct wire_objects *ret,
                       struct diag *why)
{
    struct wire_reply reply;
    int err = link_call(sh->primary, rq, arena, &reply, why);

    if (err)
        return err;
    if (reply.code)
        return diag_set(why, reply.code, "%s: %s (%d)", what,
                        reply.text ? reply.text : "", (int)reply.code);
    *ret = reply.objects;
    return 0;
}

int status_all(struct shell *sh, const struct status_kind *kind, struct arena *arena,
               struct wire_objects *ret, struct diag *why)
{
    struct body_status body = { .id = "" };
    const struct wire_request rq = { .number = kind->request,
                                     .body = &body,
                                     .extend = kind->extend };

    if (kind->by_snapshot)
        snapshot_wants(kind->object, kind->ours, arena, &body.wanted);
    return status_call(sh, &rq, kind->words, arena, ret, why);
}

/* With what only a server of ours knows of them, unless it is of another make. */
static int ask_jobs(struct shell *sh, struct arena *arena, struct wire_objects *ret,
                    struct diag *why)
{
    struct body_select body = { 0 };
    const struct wire_request rq = { .number = BATCH_SELECT_STATUS,
                                     .body = &body,
                                     .extend = "S" };

    snapshot_wants(OBJECT_JOB, !sh->no_seq, arena, &body.wanted);
    return status_call(sh, &rq, "pbs_selstat failed", arena, ret, why);
}

static int ask_resvs(struct shell *sh, struct arena *arena, struct wire_objects *ret,
                     struct diag *why)
{
    const struct status_kind resvs = { .request = BATCH_STATUS_RESV,
                                       .words = "pbs_statresv failed",
                                       .by_snapshot = true,
                                       .object = OBJECT_RESV,
                                       .ours = !sh->no_seq };

    return status_all(sh, &resvs, arena, ret, why);
}

/* Ask one of the two. A server of another make refuses an attribute that it does not
 * know; it is asked again without those, and so from then on. */
static int ask_with_ours(struct shell *sh,
                         int (*ask)(struct shell *sh, struct arena *arena,
                                    struct wire_objects *ret, struct diag *why),
                         struct arena *arena, struct wire_objects *ret,
                         struct diag *why)
{
    int err = ask(sh, arena, ret, why);

    if (err != PBSE_NOATTR || sh->no_seq)
        return err;
    sh->no_seq = true;
    return ask(sh, arena, ret, why);
}

/* Read the zones of series that a server of another make leaves to us. Without its zone
 * a series is denied: "Error unrolling standing reservation." */
static void give_zones(struct snapshot *s)
{
    for (size_t i = 0; i < snapshot_zone_count(s); i++) {
        struct buf file = { 0 };
        struct diag why;

        if (zonefile_read(ZONEFILE_DIR, snapshot_zone_name(s, i), &file, &why) == 0)
            snapshot_give_zone(s, i, file.data, file.len);
        buf_fini(&file);
    }
}

static const struct status_kind server_kind = { .request = BATCH_STATUS_SERVER,
                                                .words = "pbs_statserver failed",
                                                .by_snapshot = true,
                                                .object = OBJECT_SERVER };

int status_snapshot(struct shell *sh, struct arena *arena, struct snapshot **ret,
                    struct diag *why)
{
    static const struct status_kind vnodes_kind = { .request = BATCH_STATUS_NODE,
                                                    .words = "Error getting nodes",
                                                    .by_snapshot = true,
                                                    .object = OBJECT_NODE };
    static const struct status_kind queues_kind = { .request = BATCH_STATUS_QUEUE,
                                                    .words = "Statque failed",
                                                    .by_snapshot = true,
                                                    .object = OBJECT_QUEUE };
    struct wire_objects server, resvs, vnodes, queues, jobs, pulled = { 0 };
    struct snapshot *s;
    int err = status_all(sh, &server_kind, arena, &server, why);

    if (!err)
        err = ask_with_ours(sh, ask_resvs, arena, &resvs, why);
    if (!err)
        err = status_all(sh, &vnodes_kind, arena, &vnodes, why);
    if (!err)
        err = status_all(sh, &queues_kind, arena, &queues, why);
    if (!err)
        err = ask_with_ours(sh, ask_jobs, arena, &jobs, why);
    if (err)
        return err;
    peers_ask(sh, arena, &queues, &jobs, &pulled);
    /* All replies are there: a cycle never plans with half of the complex. */
    MUST(sh->name);
    s = *ret = snapshot_new();
    snapshot_set_name(s, sh->name);
    snapshot_add(s, &sh->resources);
    snapshot_add(s, &sh->scheds);
    snapshot_add(s, &server);
    snapshot_add(s, &resvs);
    snapshot_add(s, &vnodes);
    snapshot_add(s, &queues);
    snapshot_add(s, &jobs);
    snapshot_add(s, &pulled);
    give_zones(s);
    return 0;
}
