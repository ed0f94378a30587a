/* fake_mom.c - see fake_mom.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/fake_mom.h"

#include "lib/attr/job_attrs.h"

#include "test/unit/unit.h"

#include <string.h>

struct fake_mom fake_mom_new(void)
{
    struct fake_mom fm = {
        .r = rig_new(), .stream = 10, .service_port = MOM_PORT, .modtime = 1000
    };

    CU_ASSERT_EQUAL_FATAL(
        rig_manager(fm.r, RIG_ROOT, 0, OBJECT_NODE, "n1", "Mom=localhost"), 0);
    fake_connect(&fm, 0, NULL);
    return fm;
}

void fake_mom_free(struct fake_mom *fm)
{
    CU_ASSERT_TRUE(rig_is_same(fm->r));
    rig_free(fm->r);
}

/* Append the effects of one more input to those of the inputs before. */
static void feed(struct fake_mom *fm, const struct is_message *msg)
{
    svr_mom_message(fm->r->s, fm->r->now_at, fm->stream, MOM_HOST, fm->service_port + 1,
                    msg, &fm->r->out);
}

void fake_send(struct fake_mom *fm, const struct is_message *msg)
{
    fm->r->out = (struct effects){ .arena = fm->r->arena };
    feed(fm, msg);
}

void fake_hello(struct fake_mom *fm)
{
    struct is_message msg = { .command = IS_HELLOSVR, .mom_port = fm->service_port };

    fm->stream++;
    fake_send(fm, &msg);
}

static struct is_message register_message(struct fake_mom *fm, const char *name,
                                          size_t n_running, struct is_running *running)
{
    static struct is_vnode_attr attrs[] = {
        { "resources_available.ncpus", "4", 0, 0 },
        { "topology_info", "hwloc<?xml?>", 3, 21 },
    };
    static struct is_vnode vnode = { NULL, 2, attrs };

    vnode.name = name;
    return (struct is_message){
        .command = IS_REGISTERMOM,
        .n_running = n_running,
        .running = running,
        .state = { .pcpus = 4,
                   .acpus = 4,
                   .mem_kb = 1000000,
                   .arch = "linux",
                   .has_vnodes = true,
                   .modtime = fm->modtime,
                   .n_vnodes = 1,
                   .vnodes = &vnode,
                   .version = "0.1" },
    };
}

void fake_register(struct fake_mom *fm, size_t n_running, struct is_running *running)
{
    struct is_message msg = register_message(fm, "n1", n_running, running);

    fake_send(fm, &msg);
}

void fake_register_as(struct fake_mom *fm, const char *vnode, size_t n_running,
                      struct is_running *running)
{
    struct is_message msg = register_message(fm, vnode, n_running, running);

    fake_hello(fm);
    fake_send(fm, &msg);
}

void fake_connect(struct fake_mom *fm, size_t n_running, struct is_running *running)
{
    struct is_message msg = register_message(fm, "n1", n_running, running);

    fake_hello(fm);
    feed(fm, &msg);
}

void fake_lose(struct fake_mom *fm)
{
    fm->r->out = (struct effects){ .arena = fm->r->arena };
    svr_mom_lost(fm->r->s, fm->r->now_at, fm->stream, &fm->r->out);
}

const struct is_message *fake_told(const struct fake_mom *fm, uint32_t number, size_t n)
{
    for (size_t i = 0; i < fm->r->out.n; i++) {
        const struct effect *e = &fm->r->out.v[i];

        if (e->kind == EFFECT_MOM_MESSAGE && e->u.mom.stream == fm->stream &&
            e->u.mom.msg.command == IS_CMD && e->u.mom.msg.request.number == number &&
            n-- == 0)
            return &e->u.mom.msg;
    }
    return NULL;
}

const struct is_message *fake_message(const struct fake_mom *fm,
                                      enum is_command command)
{
    for (size_t i = 0; i < fm->r->out.n; i++) {
        const struct effect *e = &fm->r->out.v[i];

        if (e->kind == EFFECT_MOM_MESSAGE && e->u.mom.stream == fm->stream &&
            e->u.mom.msg.command == command)
            return &e->u.mom.msg;
    }
    return NULL;
}

void fake_answer(struct fake_mom *fm, const struct is_message *told, int32_t code,
                 const char *text)
{
    struct is_message msg = {
        .command = IS_CMD_REPLY,
        .msgid = told->msgid,
        .reply = { .code = code,
                   .choice = text ? REPLY_TEXT : REPLY_NULL,
                   .text = text },
    };

    fake_send(fm, &msg);
}

void fake_usage(struct fake_mom *fm, const char *job_id, int32_t run_version,
                const char *session_id, const char *walltime)
{
    struct is_job_update u = { .job_id = job_id, .run_version = run_version };
    struct is_message msg = { .command = IS_RESCUSED, .n_updates = 1, .updates = &u };

    if (session_id)
        wire_attrs_add(&u.attrs, fm->r->arena, "session_id", NULL, session_id, 0);
    wire_attrs_add(&u.attrs, fm->r->arena, "resources_used", "walltime", walltime, 0);
    fake_send(fm, &msg);
}

void fake_alt_id(struct fake_mom *fm, const char *job_id, int32_t run_version,
                 const char *alt_id)
{
    struct is_job_update u = { .job_id = job_id, .run_version = run_version };
    struct is_message msg = { .command = IS_RESCUSED, .n_updates = 1, .updates = &u };

    wire_attrs_add(&u.attrs, fm->r->arena, "alt_id", NULL, alt_id, 0);
    fake_send(fm, &msg);
}

void fake_obit(struct fake_mom *fm, const char *job_id, int32_t run_version,
               int32_t status)
{
    struct is_job_update u = { .job_id = job_id,
                               .run_version = run_version,
                               .status = status };
    struct is_message msg = { .command = IS_JOBOBIT, .n_updates = 1, .updates = &u };

    wire_attrs_add(&u.attrs, fm->r->arena, "resources_used", "cput", "00:00:01", 0);
    fake_send(fm, &msg);
}

/* Clients. */

static const struct wire_reply *queue_job(struct rig *r, const char *user,
                                          const char *queue, const char *attrs,
                                          const char *extend)
{
    struct body_queue body = { .id = "",
                               .destination = queue,
                               .attrs = rig_attrs(r, attrs) };

    return rig_ask(r, user, BATCH_QUEUE_JOB, &body, extend);
}

const char *submit(struct rig *r, const char *user, const char *queue,
                   const char *attrs, const char *script)
{
    const struct wire_reply *reply =
        queue_job(r, user, queue, attrs, script ? NULL : ":C:");
    struct body_script body = { .job_id = "" };
    struct body_id commit = { 0 };
    uint64_t conn = r->conn;

    if (!reply || reply->code)
        return NULL;
    if (!script)
        return reply->text;
    body.size_bytes = (uint32_t)strlen(script);
    body.data = (struct wire_bytes){ script, strlen(script) };
    commit.id = reply->text;
    reply = rig_ask_on(r, conn, user, BATCH_JOB_SCRIPT, &body, NULL);
    CU_ASSERT_EQUAL(reply->code, 0);
    reply = rig_ask_on(r, conn, user, BATCH_COMMIT, &commit, NULL);
    return reply && reply->code == 0 ? reply->text : NULL;
}

int submit_code(struct rig *r, const char *user, const char *queue, const char *attrs)
{
    const struct wire_reply *reply = queue_job(r, user, queue, attrs, ":C:");

    return reply ? reply->code : -1;
}

int run_job(struct rig *r, const char *id, const char *vnodes)
{
    struct body_run body = { .object_id = id, .vnodes = vnodes };
    const struct wire_reply *reply =
        rig_ask(r, RIG_ROOT, BATCH_ASYRUN_JOB_ACK, &body, NULL);

    return reply ? reply->code : -1;
}

const char *running_job_of(struct fake_mom *fm, const char *attrs, const char *vnodes)
{
    const char *id = submit(fm->r, RIG_USER, "", attrs, "sleep 5\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CU_ASSERT_EQUAL_FATAL(run_job(fm->r, id, vnodes), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    fake_usage(fm, id, 1, "4711", "00:00:00");
    return id;
}

const char *running_job(struct fake_mom *fm)
{
    return running_job_of(fm, "", "(n1:ncpus=1)");
}

int delete_job(struct rig *r, const char *user, const char *id, const char *extend)
{
    const char **ids = ARENA_ARRAY(r->arena, const char *, 1);
    struct body_list body = { .ids = { 1, ids } };
    const struct wire_reply *reply;

    ids[0] = id;
    reply = rig_ask(r, user, BATCH_DELETE_JOB_LIST, &body, extend);
    return reply ? reply->code : -1;
}

const struct object *the_job(const struct rig *r, const char *id)
{
    return model_find(svr_model(r->s), OBJ_JOB, id);
}

char state_of(const struct rig *r, const char *id)
{
    const struct object *o = the_job(r, id);

    return o ? (char)obj_num(o, JOB_A_JOB_STATE, '?') : '-';
}

const char *accounted(const struct rig *r, char type, size_t n)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_ACCOUNT && r->out.v[i].u.account.type == type &&
            n-- == 0)
            return r->out.v[i].u.account.text;
    return NULL;
}

void new_queue(struct rig *r, const char *name, const char *attrs)
{
    char all[400];

    snprintf(all, sizeof(all), "queue_type=e enabled=true started=true %s", attrs);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_QUEUE, name, all), 0);
}

void ask_for_a_reservation(struct rig *r, uint64_t conn)
{
    struct body_queue body = { .id = "", .destination = "" };
    char start[24];

    snprintf(start, sizeof(start), "%lld", (long long)r->now_at + 3600);
    wire_attrs_add(&body.attrs, r->arena, "reserve_start", NULL, start, WIRE_OP_SET);
    wire_attrs_add(&body.attrs, r->arena, "reserve_duration", NULL, "600", WIRE_OP_SET);
    wire_attrs_add(&body.attrs, r->arena, "Resource_List", "select", "1:ncpus=1",
                   WIRE_OP_SET);
    rig_ask_on(r, conn, RIG_USER, BATCH_SUBMIT_RESV, &body, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_reply(r, conn));
    CU_ASSERT_EQUAL_FATAL(rig_reply(r, conn)->code, 0);
}

void new_router(struct rig *r, const char *name, const char *to, const char *attrs)
{
    char all[400];

    snprintf(all, sizeof(all), "queue_type=r route_destinations=%s enabled=true %s", to,
             attrs);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_QUEUE, name, all), 0);
}
