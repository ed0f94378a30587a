/* status.c - what a cycle asks the server (scheduling.md 4).
 *
 * All jobs are asked for at once, with their queue, instead of queue by queue: one
 * round trip, whatever the number of queues.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/status.h"

/* Only what the snapshot reads: on a thousand vnodes the rest is most of the bytes. */
static const char *const vnode_attrs[] = {
    "resv_enable",
    "no_multinode_jobs",
    "resources_available",
    "license",
    "sharing",
    "Priority",
    "queue",
    "partition",
    "Mom",
    "state",
    NULL,
};

/* The first is one of ours: servers of another make do not know it. */
static const char *const resv_attrs[] = {
    "alter_seq",        "reserve_state",        "reserve_substate",
    "reserve_start",    "reserve_end",          "queue",
    "Resource_List",    "schedselect",          "schedselect_orig",
    "resv_nodes",       "reserve_retry",        "partition",
    "reserve_standing", "reserve_alter_revert", NULL,
};

static const char *const queue_attrs[] = {
    "queue_type", "started", "Priority", "partition", NULL,
};

static const char *const job_attrs[] = {
    "Resource_List", "exec_vnode", "array", "schedselect", "comment", "job_state",
    "stime",         "queue_rank", "qtime", "Priority",    "queue",   "substate",
    NULL,
};

static void want(struct wire_attrs *list, struct arena *arena, const char *const *names)
{
    for (; *names; names++)
        wire_attrs_add(list, arena, *names, NULL, "", WIRE_OP_SET);
}

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

int status_all(struct shell *sh, uint32_t number, const char *const *names,
               const char *extend, const char *what, struct arena *arena,
               struct wire_objects *ret, struct diag *why)
{
    struct body_status body = { .id = "" };
    const struct wire_request rq = { .number = number,
                                     .body = &body,
                                     .extend = extend };

    if (names)
        want(&body.wanted, arena, names);
    return status_call(sh, &rq, what, arena, ret, why);
}

static int ask_jobs(struct shell *sh, struct arena *arena, struct wire_objects *ret,
                    struct diag *why)
{
    struct body_select body = { 0 };
    const struct wire_request rq = { .number = BATCH_SELECT_STATUS,
                                     .body = &body,
                                     .extend = "S" };

    want(&body.wanted, arena, job_attrs);
    return status_call(sh, &rq, "pbs_selstat failed", arena, ret, why);
}

static int ask_resvs(struct shell *sh, struct arena *arena, struct wire_objects *ret,
                     struct diag *why)
{
    static const char words[] = "pbs_statresv failed";
    int err;

    if (!sh->no_seq) {
        err =
            status_all(sh, BATCH_STATUS_RESV, resv_attrs, NULL, words, arena, ret, why);
        if (err != PBSE_NOATTR)
            return err;
        sh->no_seq = true;
    }
    return status_all(sh, BATCH_STATUS_RESV, resv_attrs + 1, NULL, words, arena, ret,
                      why);
}

int status_snapshot(struct shell *sh, struct arena *arena, struct snapshot *s,
                    struct diag *why)
{
    struct wire_objects resvs, vnodes, queues, jobs;
    int err = ask_resvs(sh, arena, &resvs, why);

    if (!err)
        err = status_all(sh, BATCH_STATUS_NODE, vnode_attrs, NULL,
                         "Error getting nodes", arena, &vnodes, why);
    if (!err)
        err = status_all(sh, BATCH_STATUS_QUEUE, queue_attrs, NULL, "Statque failed",
                         arena, &queues, why);
    if (!err)
        err = ask_jobs(sh, arena, &jobs, why);
    if (err)
        return err;
    snapshot_set_name(s, sh->name);
    snapshot_add(s, &sh->resources);
    snapshot_add(s, &sh->scheds);
    snapshot_add(s, &resvs);
    snapshot_add(s, &vnodes);
    snapshot_add(s, &queues);
    snapshot_add(s, &jobs);
    return 0;
}
