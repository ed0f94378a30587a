/* Fuzz target: messages of a server and of another MoM to a MoM's core, divided by
 * bytes 0xff. The shell's part (storing, starting) is played: all goes well.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/mom.h"

#include "../unit/mom/node1.h"
#include "fuzz.h"

#define STREAM 77
#define PEER   88

const char fuzz_frames[] = "is.txt";

static const struct tpp_addr *other_mom(void)
{
    static struct tpp_addr addr;

    addr = tpp_addr_ipv4(0x0a000009, 15003);
    return &addr;
}

static struct mom *make(struct mom_out *out)
{
    const struct mom_config cfg = node1_config();
    struct is_range cluster = { 0x0a000000, 255 };
    const struct is_message hello = {
        .command = IS_REPLYHELLO, .need_inventory = 1, .n_ranges = 1, .ranges = &cluster
    };
    struct mom *m = mom_new(&cfg);

    mom_set_vnodes(m, 1000, 5, 0, NULL, out);
    mom_start(m, 1000, false, out);
    mom_router_up(m, 1000, out);
    mom_connected(m, 1000, STREAM, 1, out);
    mom_message(m, 1000, STREAM, node1_server(), &hello, true, out);
    return m;
}

static void kill_all(struct mom *m, int64_t now_at, const char *id, struct mom_out *out)
{
    uint32_t task;

    while ((task = mom_first_task(m, id)))
        mom_task_ended(m, now_at, id, task, 256 + 9, NULL, out);
    mom_exited(m, now_at, id, 256 + 9, NULL, out);
}

/* What the core asks for is done; what that asks for too. */
static void carry_out(struct mom *m, int64_t now_at, struct mom_out *out, size_t from)
{
    for (size_t i = from; i < out->n && i < from + 200; i++) {
        const struct mom_effect e = out->v[i];
        struct buf b = { 0 };

        if (e.kind == MOM_SEND)
            is_encode(&b, &e.u.msg);
        else if (e.kind == MOM_SEND_IM)
            im_encode(&b, &e.u.im);
        else if (e.kind == MOM_REACH)
            mom_reached(m, now_at, e.u.reach.host, e.u.reach.port, 1000 + i, out);
        else if (e.kind == MOM_PREPARE)
            mom_prepared(m, now_at, e.job_id, "c0", 7001, 7002, out);
        else if (e.kind == MOM_SPAWN)
            mom_task_started(m, now_at, e.job_id, e.task, 4712, 0, NULL, out);
        else if (e.kind == MOM_STORE)
            mom_stored(m, now_at, e.job_id, NULL, out);
        else if (e.kind == MOM_START)
            mom_started(m, now_at, e.job_id, 4711, 0, NULL, out);
        else if (e.kind == MOM_FILES)
            mom_files_done(m, now_at, e.u.files.token, 0, NULL, out);
        else if (e.kind == MOM_KILL && e.u.signo == 9)
            kill_all(m, now_at, e.job_id, out);
        buf_fini(&b);
    }
}

static void give(struct mom *m, int64_t now_at, const uint8_t *data, size_t len,
                 struct mom_out *out)
{
    const char *copy = arena_copy(out->arena, data, len);
    struct is_message msg;
    struct im_message im;
    size_t from = out->n;
    bool known;

    if (im_protocol_of(copy, len) == IM_PROTOCOL) {
        if (im_decode(copy, len, out->arena, &im) != DIS_OK)
            return;
        mom_im(m, now_at, PEER, other_mom(), &im, out);
    } else if (is_decode(copy, len, false, out->arena, &msg, &known) == DIS_OK) {
        mom_message(m, now_at, STREAM, node1_server(), &msg, known, out);
    } else {
        return;
    }
    carry_out(m, now_at, out, from);
    from = out->n;
    mom_tick(m, now_at + 5, out);
    FUZZ_CHECK(mom_next_deadline(m) <= mom_recount_deadline(m));
    carry_out(m, now_at, out, from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const uint8_t *end = data + len;
    struct mom_out out = { .arena = arena_new() };
    struct mom *m = make(&out);
    int64_t now_at = 1001;
    const char *id;

    for (int i = 0; i < 30 && data < end; i++, now_at += 10) {
        const uint8_t *cut = memchr(data, 0xff, (size_t)(end - data));

        give(m, now_at, data, (size_t)((cut ? cut : end) - data), &out);
        data = cut ? cut + 1 : end;
    }
    /* What is written to a job's file can be read again. */
    for (size_t i = 0; (id = mom_running(m, i)); i++) {
        struct buf b = { 0 };
        struct mom_out other = { .arena = out.arena };
        struct mom *next = make(&other);
        const char *loaded = NULL;

        mom_job_encode(m, id, &b);
        FUZZ_CHECK(mom_load(next, b.data, b.len, &loaded) && strcmp(loaded, id) == 0);
        mom_free(next);
        buf_fini(&b);
    }
    mom_free(m);
    arena_free(out.arena);
    return 0;
}
