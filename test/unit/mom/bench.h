/* bench.h - a MoM of tests whose server and executor are the test: messages go in, and
 * what comes out is looked at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_MOM_BENCH_H
#define TEST_UNIT_MOM_BENCH_H

#include "mom/job/core.h"

#include "../unit.h"
#include "node1.h"

#include <string.h>

struct bench {
    struct mom *m;
    struct mom_out out;
    int64_t now_at;
    uint64_t stream;
    size_t n_carried; /* effects that pretend() has carried out */
};

static inline void forget(struct bench *b)
{
    b->out.n = 0;
    b->n_carried = 0;
}

static inline const struct mom_effect *effect(const struct bench *b,
                                              enum mom_effect_kind kind, size_t n)
{
    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == kind && n-- == 0)
            return &b->out.v[i];
    return NULL;
}

static inline const struct is_message *sent(const struct bench *b,
                                            enum is_command command)
{
    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == MOM_SEND && b->out.v[i].u.msg.command == command)
            return &b->out.v[i].u.msg;
    return NULL;
}

static inline int32_t told_status(const struct bench *b)
{
    const struct is_message *obit = sent(b, IS_JOBOBIT);

    return obit ? obit->updates[0].status : INT32_MIN;
}

static inline bool logged(const struct bench *b, const char *text)
{
    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == MOM_LOG && strcmp(b->out.v[i].u.log.text, text) == 0)
            return true;
    return false;
}

static inline bool killed_with(const struct bench *b, int signo)
{
    const struct mom_effect *e;

    for (size_t i = 0; (e = effect(b, MOM_KILL, i)); i++)
        if (e->u.signo == signo)
            return true;
    return false;
}

static inline void message(struct bench *b, const struct is_message *msg)
{
    mom_message(b->m, b->now_at, b->stream, node1_server(), msg, true, &b->out);
}

static inline void say_hello(struct bench *b)
{
    const struct is_message hello = { .command = IS_REPLYHELLO, .need_inventory = 1 };

    mom_router_up(b->m, b->now_at, &b->out);
    CU_ASSERT_PTR_NOT_NULL(effect(b, MOM_CONNECT, 0));
    b->stream = 77;
    mom_connected(b->m, b->now_at, b->stream, 1, &b->out);
    message(b, &hello);
}

static inline void bench_init(struct bench *b)
{
    const struct mom_config cfg = node1_config();

    memset(b, 0, sizeof(*b));
    b->out.arena = arena_new();
    b->now_at = 100000;
    b->m = mom_new(&cfg);
    mom_set_vnodes(b->m, b->now_at, 5, 0, NULL, &b->out);
    mom_start(b->m, b->now_at, false, &b->out);
    say_hello(b);
    forget(b);
}

static inline void bench_fini(struct bench *b)
{
    mom_free(b->m);
    arena_free(b->out.arena);
}

static inline void request(struct bench *b, uint32_t number, const void *body,
                           const char *msgid)
{
    const struct is_message msg = {
        .command = IS_CMD,
        .msgid = msgid,
        .request = { .number = number, .user = "root", .body = body },
    };

    message(b, &msg);
}

static inline void add(struct bench *b, struct wire_attrs *attrs, const char *name,
                       const char *resource, const char *value)
{
    wire_attrs_add(attrs, b->out.arena, name, resource, value, WIRE_OP_SET);
}

static inline struct wire_attrs job_attrs(struct bench *b, const char *run_version)
{
    struct wire_attrs attrs = { 0 };

    add(b, &attrs, "Job_Name", NULL, "j");
    add(b, &attrs, "euser", NULL, "joe");
    add(b, &attrs, "exec_vnode", NULL, "(node1:ncpus=1)");
    add(b, &attrs, "Resource_List", "ncpus", "1");
    add(b, &attrs, "Resource_List", "walltime", "00:01:00");
    add(b, &attrs, "job_kill_delay", NULL, "5");
    add(b, &attrs, "run_version", NULL, run_version);
    return attrs;
}

static inline void send_job(struct bench *b, const char *id,
                            const struct wire_attrs *attrs)
{
    const struct body_queue queue = { .id = id,
                                      .destination = "node1",
                                      .attrs = *attrs };
    const struct body_script script = { .job_id = "", .data = { "sleep 1\n", 8 } };
    const struct body_id commit = { .id = id };

    request(b, BATCH_QUEUE_JOB, &queue, "m1");
    request(b, BATCH_JOB_SCRIPT, &script, "m1");
    request(b, BATCH_COMMIT, &commit, "m1");
}

/* A job that runs as session 4711. */
static inline void run_job(struct bench *b, const char *id)
{
    struct wire_attrs attrs = job_attrs(b, "3");

    send_job(b, id, &attrs);
    mom_stored(b->m, b->now_at, id, NULL, &b->out);
    mom_started(b->m, b->now_at, id, 4711, 0, NULL, &b->out);
    forget(b);
}

static inline void signal_job(struct bench *b, const char *id, const char *name)
{
    const struct body_signal body = { .job_id = id, .signal = name };

    request(b, BATCH_SIGNAL_JOB, &body, "m2");
}

static inline void obit_reply(struct bench *b, const char *id, bool reject)
{
    const struct wire_strings ids = { .n = 1, .v = &id };
    struct is_message msg = { .command = IS_OBITREPLY };

    if (reject)
        msg.rejects = ids;
    else
        msg.acks = ids;
    message(b, &msg);
}

#endif
