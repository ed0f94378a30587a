/* world.c - see world.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/world.h"

#include "test/fuzz/fuzz.h"

void fuzz_world_mom(struct rig *r, const struct is_message *msg)
{
    r->out = (struct effects){ .arena = r->arena };
    svr_mom_message(r->s, r->now_at, FUZZ_MOM_STREAM, FUZZ_MOM_HOST, FUZZ_MOM_PORT + 1,
                    msg, &r->out);
}

static void connect_mom(struct rig *r)
{
    static struct is_vnode_attr attrs[] = { { "resources_available.ncpus", "4", 0,
                                              0 } };
    static struct is_vnode vnode = { "n1", 1, attrs };
    const struct is_message hello = { .command = IS_HELLOSVR,
                                      .mom_port = FUZZ_MOM_PORT };
    const struct is_message registers = {
        .command = IS_REGISTERMOM,
        .state = { .pcpus = 4,
                   .acpus = 4,
                   .mem_kb = 1000000,
                   .arch = "linux",
                   .has_vnodes = true,
                   .modtime = 1000,
                   .n_vnodes = 1,
                   .vnodes = &vnode,
                   .version = "0.1" },
    };

    fuzz_world_mom(r, &hello);
    fuzz_world_mom(r, &registers);
}

static void submit(struct rig *r, uint32_t number, const char *attrs)
{
    const struct body_queue body = { .id = "",
                                     .destination = "",
                                     .attrs = rig_attrs(r, attrs) };
    const struct wire_reply *reply =
        rig_ask(r, RIG_USER, number, &body, number == BATCH_QUEUE_JOB ? ":C:" : NULL);

    FUZZ_CHECK(reply && reply->code == 0);
}

static const char *msgid_of(const struct rig *r, uint32_t number)
{
    for (size_t i = 0; i < r->out.n; i++) {
        const struct effect *e = &r->out.v[i];

        if (e->kind == EFFECT_MOM_MESSAGE && e->u.mom.msg.command == IS_CMD &&
            e->u.mom.msg.request.number == number)
            return e->u.mom.msg.msgid;
    }
    return NULL;
}

static void run(struct rig *r, const char *job_id)
{
    const struct body_run body = { .object_id = job_id, .vnodes = "(n1:ncpus=1)" };
    struct is_job_update started = { .job_id = job_id, .run_version = 1 };
    const struct wire_reply *reply =
        rig_ask(r, RIG_ROOT, BATCH_ASYRUN_JOB_ACK, &body, NULL);
    struct is_message taken = { .command = IS_CMD_REPLY,
                                .reply = { .choice = REPLY_NULL } };
    const struct is_message used = { .command = IS_RESCUSED,
                                     .n_updates = 1,
                                     .updates = &started };

    FUZZ_CHECK(reply && reply->code == 0);
    taken.msgid = msgid_of(r, BATCH_COMMIT);
    FUZZ_CHECK(taken.msgid);
    fuzz_world_mom(r, &taken);
    wire_attrs_add(&started.attrs, r->arena, "session_id", NULL, "4711", 0);
    fuzz_world_mom(r, &used);
}

struct rig *fuzz_world(void)
{
    struct rig *r = rig_new();

    FUZZ_CHECK(rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "n1", "Mom=localhost") == 0);
    connect_mom(r);
    rig_attach_sched(r);
    submit(r, BATCH_QUEUE_JOB, "Resource_List.walltime=100");
    run(r, "0.svr");
    submit(r, BATCH_QUEUE_JOB, "Resource_List.select=1:ncpus=2");
    submit(r, BATCH_SUBMIT_RESV,
           "reserve_start=1800001000 Resource_List.walltime=600 "
           "Resource_List.select=1:ncpus=1");
    return r;
}

void fuzz_world_end(struct rig *r)
{
    FUZZ_CHECK(rig_is_same(r));
    rig_free(r);
}
