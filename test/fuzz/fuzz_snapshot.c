/* Fuzz target: what a server tells the scheduler: a status reply becomes a snapshot,
 * and a plan is made of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/sched.h"

#include "fuzz.h"

const char fuzz_frames[] = "replies.txt";

static struct policy *policy;

/* A zoneinfo file without changes, for series that are told by their rule. */
#define NO_BYTES_15 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define UTC_BLOCK                                                                      \
    "TZif2" NO_BYTES_15 NO_BYTES_15 "\0\0\0\0\1\0\0\0\4"                               \
    "\0\0\0\0\0\0"                                                                     \
    "UTC\0"
static const char utc[] = UTC_BLOCK UTC_BLOCK "\nUTC0\n";

static void plan(const struct wire_objects *objects, struct arena *arena)
{
    struct snapshot *s = snapshot_new();
    struct plan got = { 0 };

    snapshot_add(s, objects);
    for (size_t i = 0; i < snapshot_queue_count(s); i++)
        FUZZ_CHECK(snapshot_queue_name(s, i) != NULL);
    for (size_t i = 0; i < snapshot_zone_count(s); i++)
        snapshot_give_zone(s, i, utc, sizeof(utc) - 1);
    sched_plan(s, policy, 1790000000, NULL, arena, &got);
    for (size_t i = 0; i < got.n; i++) {
        struct wire_request rq;
        struct buf b = { 0 };

        if (plan_step_request(&got.steps[i], arena, &rq))
            batch_encode_request(&b, &rq);
        buf_fini(&b);
    }
    snapshot_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    struct wire_reply reply;

    if (!policy)
        policy = policy_new();
    if (batch_decode_reply((const char *)data, len, arena, &reply) == DIS_OK &&
        reply.choice == REPLY_STATUS)
        plan(&reply.objects, arena);
    arena_free(arena);
    return 0;
}
