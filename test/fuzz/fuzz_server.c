/* Fuzz target: requests to a server's core, one behind the other as a client may send
 * them. The user named in the header is believed (root, ann, others), as after
 * authentication; ten seconds pass between two requests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/world.h"

#include "fuzz.h"

#define MOST_REQUESTS 20
#define MOST_SLICES   1000

const char fuzz_frames[] = "requests.txt";

/* What leaves must be well formed. */
static void check_effects(const struct rig *r)
{
    for (size_t i = 0; i < r->out.n; i++) {
        const struct effect *e = &r->out.v[i];
        struct buf b = { 0 };

        if (e->kind == EFFECT_REPLY)
            batch_encode_reply(&b, &e->u.reply.reply);
        else if (e->kind == EFFECT_MOM_MESSAGE)
            is_encode(&b, &e->u.mom.msg);
        buf_fini(&b);
    }
}

/* Ask, and let a request that is too long for one turn go on. A connection has one
 * request at a time: when this one has no answer yet, the next comes on another. The
 * connection to go on with. */
static uint64_t ask(struct rig *r, uint64_t conn, const struct wire_request *rq)
{
    bool answered =
        rig_ask_on(r, conn, rq->user, rq->number, rq->body, rq->extend) != NULL;

    check_effects(r);
    for (int i = 0; i < MOST_SLICES && svr_has_work(r->s); i++) {
        answered |= rig_go_on(r, conn) != NULL;
        check_effects(r);
    }
    return answered ? conn : conn + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct rig *r = NULL;
    struct dis_in in = { (const char *)data, (const char *)data + len, NULL };
    struct wire_request rq;
    bool known = false;
    uint64_t conn = 500;

    for (int i = 0; i < MOST_REQUESTS; i++) {
        struct arena *peek = arena_new();

        in.arena = r ? r->arena : peek;
        if (batch_read_request(&in, &rq, &known) != DIS_OK || !known) {
            arena_free(peek);
            break;
        }
        if (!r) { /* a world costs more than decoding: only when something decodes */
            r = fuzz_world();
            in.at = (const char *)data;
            in.arena = r->arena;
            FUZZ_CHECK(batch_read_request(&in, &rq, &known) == DIS_OK);
        }
        arena_free(peek);
        if (rq.number != BATCH_CONNECT && rq.number != BATCH_AUTHENTICATE &&
            rq.number != BATCH_DISCONNECT)
            conn = ask(r, conn, &rq);
        rig_advance(r, r->now_at + 10);
        check_effects(r);
    }
    if (r)
        fuzz_world_end(r);
    return 0;
}
