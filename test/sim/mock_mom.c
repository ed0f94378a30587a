/* mock_mom.c - see mock_mom.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define HELLO_FIRST_MS   1000
#define HELLO_LAST_MS    64000
#define START_MS         500
#define USAGE_PERIOD_MS  120000
#define OBIT_REPEAT_MS   45000
#define KILL_MS          1000
#define STATUS_TERM      271
#define STATUS_RESTARTED (-4)
#define TOPOLOGY                                                                       \
    "hwloc<?xml version=\"1.0\"?><topology><object type=\"Machine\"><object "          \
    "type=\"Socket\" os_index=\"0\"></object></object></topology>"

/* A job at a MoM, for timers that outlive it. */
struct job_ref {
    size_t mom;
    uint64_t number;
};

void mock_mom_init(struct sim *s, size_t index)
{
    struct mock_mom *m = &s->moms[index];

    *m = (struct mock_mom){ .index = index, .addr = 0x0a000010 + (uint32_t)index };
    snprintf(m->host, sizeof(m->host), "h%zu", index + 1);
}

static void forget_job(struct mock_mom *m, struct mom_job *j)
{
    DL_DELETE(m->jobs, j);
    free(j->id);
    free(j->exec_vnode);
    free(j);
}

void mock_mom_fini(struct mock_mom *m)
{
    while (m->jobs)
        forget_job(m, m->jobs);
}

bool mock_mom_is_reachable(const struct sim *s, size_t mom)
{
    return s->moms[mom].up && !s->moms[mom].cut_off && !s->router_lost;
}

static struct mom_job *find_job(const struct mock_mom *m, const char *id)
{
    struct mom_job *j;

    DL_FOREACH (m->jobs, j)
        if (strcmp(j->id, id) == 0)
            return j;
    return NULL;
}

static struct mom_job *find_ref(const struct sim *s, const struct job_ref *ref)
{
    struct mom_job *j;

    DL_FOREACH (s->moms[ref->mom].jobs, j)
        if (j->number == ref->number)
            return j;
    return NULL;
}

static void job_after(struct sim *s, const struct mock_mom *m, const struct mom_job *j,
                      int64_t delay_ms, event_fn fn)
{
    struct job_ref *ref = xmalloc(sizeof(*ref));

    *ref = (struct job_ref){ m->index, j->number };
    sim_after(s, delay_ms, fn, ref, free);
}

/* Say something; in bad weather it is lost or said twice. */
static void say(struct sim *s, const struct mock_mom *m, const struct is_message *msg)
{
    if (!m->stream || !mock_mom_is_reachable(s, m->index) ||
        net_stream_loses(s, m->stream))
        return;
    net_to_server(s, m->stream, msg);
    if (rnd_percent(&s->rnd, s->weather.twice_percent))
        net_to_server(s, m->stream, msg);
}

/* Hello. */

static void hello_later(struct sim *s, struct mock_mom *m);

static void say_hello(struct sim *s, struct mock_mom *m)
{
    const struct is_message msg = { .command = IS_HELLOSVR, .mom_port = MOCK_MOM_PORT };

    net_to_server(s, m->stream, &msg);
}

static void hello_now(struct sim *s, void *arg)
{
    const struct job_ref *ref = arg;
    struct mock_mom *m = &s->moms[ref->mom];

    if (ref->number != m->life || !m->up || m->greeted)
        return;
    if (mock_mom_is_reachable(s, m->index) && s->shell.up) {
        if (!m->stream)
            m->stream = net_stream_open(s, m->index);
        say_hello(s, m);
    }
    hello_later(s, m);
}

static void hello_later(struct sim *s, struct mock_mom *m)
{
    struct job_ref *ref = xmalloc(sizeof(*ref));

    *ref = (struct job_ref){ m->index, m->life };
    sim_after(s, m->hello_ms, hello_now, ref, free);
    m->hello_ms = MIN_OF(2 * m->hello_ms, HELLO_LAST_MS);
}

static void begin_hello(struct sim *s, struct mock_mom *m)
{
    m->life++;
    m->stream = 0;
    m->greeted = false;
    m->hello_ms = HELLO_FIRST_MS;
    hello_later(s, m);
}

static void repeat_obits(struct sim *s, struct mock_mom *m);

void mock_mom_start(struct sim *s, size_t mom)
{
    struct mock_mom *m = &s->moms[mom];

    if (m->up)
        return;
    sim_trace(s, "mom %s: starts", m->host);
    m->up = true;
    m->modtime = sim_now_at(s);
    begin_hello(s, m);
}

static void close_stream(struct sim *s, struct mock_mom *m)
{
    if (m->stream)
        net_stream_cut(s, m->stream);
    m->stream = 0;
}

/* Jobs that do not survive end as a reboot ends them. */
void mock_mom_stop(struct sim *s, size_t mom, bool keep_jobs)
{
    struct mock_mom *m = &s->moms[mom];
    struct mom_job *j, *next;

    if (!m->up)
        return;
    sim_trace(s, "mom %s: stops", m->host);
    m->life++;
    close_stream(s, m);
    m->up = false;
    DL_FOREACH_SAFE (m->jobs, j, next) {
        if (j->state == MOM_JOB_COMING) {
            forget_job(m, j);
        } else if (j->state == MOM_JOB_RUNNING && !keep_jobs) {
            j->state = MOM_JOB_ENDED;
            j->status = STATUS_RESTARTED;
        }
    }
}

void mock_mom_cut_off(struct sim *s, size_t mom, bool cut_off)
{
    struct mock_mom *m = &s->moms[mom];

    sim_trace(s, "mom %s: %s", m->host, cut_off ? "is cut off" : "is reachable again");
    m->cut_off = cut_off;
    if (cut_off)
        close_stream(s, m);
    if (m->up)
        begin_hello(s, m);
}

void mock_mom_stream_ended(struct sim *s, size_t mom, uint64_t stream)
{
    struct mock_mom *m = &s->moms[mom];

    if (m->up && m->stream == stream)
        begin_hello(s, m);
}

uint64_t mock_mom_called(struct sim *s, const char *host, uint32_t port)
{
    for (int i = 0; i < s->cluster.n_hosts; i++) {
        struct mock_mom *m = &s->moms[i];

        if (strcmp(m->host, host) != 0 || port != MOCK_MOM_PORT + 1 ||
            !mock_mom_is_reachable(s, m->index))
            continue;
        if (!m->stream) {
            m->stream = net_stream_open(s, m->index);
            say_hello(s, m);
        }
        return m->stream;
    }
    return 0;
}

/* Registering. */

static void add_attr(struct is_vnode *vn, const char *name, const char *value)
{
    vn->attrs[vn->n++] =
        (struct is_vnode_attr){ .name = name, .value = value, .type = 0, .flags = 0 };
}

/* The MoM's own vnode has no cpus: jobs go to the others. */
static void fill_vnodes(const struct sim *s, const struct mock_mom *m,
                        struct arena *arena, struct is_state *st)
{
    int n = s->cluster.vnodes_per_host;

    st->vnodes = ARENA_ARRAY(arena, struct is_vnode, (size_t)n + 1);
    st->n_vnodes = (size_t)n + 1;
    for (int i = 0; i <= n; i++) {
        struct is_vnode *vn = &st->vnodes[i];

        vn->attrs = ARENA_ARRAY(arena, struct is_vnode_attr, 4);
        vn->name =
            i == 0 ? m->host : arena_printf(arena, "vn[%d]", (int)m->index * n + i - 1);
        if (i == 0)
            add_attr(vn, "topology_info", TOPOLOGY);
        add_attr(vn, "resources_available.ncpus",
                 arena_printf(arena, "%d", i == 0 ? 0 : s->cluster.ncpus));
        add_attr(vn, "resources_available.mem", "1gb");
    }
}

static void fill_running(const struct mock_mom *m, struct arena *arena,
                         struct is_message *msg)
{
    struct mom_job *j;
    size_t n = 0;

    DL_FOREACH (m->jobs, j)
        n++;
    msg->running = ARENA_ARRAY(arena, struct is_running, n + 1);
    DL_FOREACH (m->jobs, j)
        if (j->state != MOM_JOB_COMING)
            msg->running[msg->n_running++] =
                (struct is_running){ .job_id = j->id,
                                     .substate = j->state == MOM_JOB_RUNNING ? 42 : 58,
                                     .run_version = j->run_version,
                                     .exec_vnode = j->exec_vnode };
}

static void say_register(struct sim *s, struct mock_mom *m)
{
    struct arena *arena = arena_new();
    struct is_message msg = { .command = IS_REGISTERMOM };

    fill_running(m, arena, &msg);
    msg.state = (struct is_state){ .pcpus = 0,
                                   .acpus = 0,
                                   .mem_kb = 1 << 20,
                                   .arch = "linux",
                                   .has_vnodes = true,
                                   .modtime = m->modtime,
                                   .version = "23.06.06" };
    fill_vnodes(s, m, arena, &msg.state);
    say(s, m, &msg);
    arena_free(arena);
}

/* Jobs: what they say. */

static void say_about_job(struct sim *s, const struct mock_mom *m,
                          const struct mom_job *j, enum is_command command)
{
    struct arena *arena = arena_new();
    struct is_job_update update = { .job_id = j->id, .run_version = j->run_version };
    struct is_message msg = { .command = command, .n_updates = 1, .updates = &update };
    int64_t wall_s = (s->clock.now_ms - j->began_ms) / 1000;

    if (command == IS_JOBOBIT)
        update.status = j->status;
    wire_attrs_add(&update.attrs, arena, "session_id", NULL,
                   arena_printf(arena, "%d", j->session), WIRE_OP_SET);
    wire_attrs_add(&update.attrs, arena, "resources_used", "walltime",
                   arena_printf(arena, "%" PRId64, wall_s), WIRE_OP_SET);
    wire_attrs_add(&update.attrs, arena, "resources_used", "cput",
                   arena_printf(arena, "%" PRId64, wall_s), WIRE_OP_SET);
    say(s, m, &msg);
    arena_free(arena);
}

static void obit_again(struct sim *s, void *arg)
{
    struct mock_mom *m = &s->moms[((struct job_ref *)arg)->mom];
    struct mom_job *j = find_ref(s, arg);

    if (!j || j->state != MOM_JOB_ENDED || j->acked)
        return;
    say_about_job(s, m, j, IS_JOBOBIT);
    job_after(s, m, j, OBIT_REPEAT_MS, obit_again);
}

static void repeat_obits(struct sim *s, struct mock_mom *m)
{
    struct mom_job *j;

    DL_FOREACH (m->jobs, j)
        if (j->state == MOM_JOB_ENDED) {
            j->acked = false;
            job_after(s, m, j, START_MS, obit_again);
        }
}

static void end_job(struct sim *s, struct mock_mom *m, struct mom_job *j,
                    int32_t status)
{
    if (j->state != MOM_JOB_RUNNING)
        return;
    sim_trace(s, "mom %s: job %s has ended (%d)", m->host, j->id, status);
    j->state = MOM_JOB_ENDED;
    j->status = status;
    job_after(s, m, j, 0, obit_again);
}

static void job_runs_out(struct sim *s, void *arg)
{
    struct mock_mom *m = &s->moms[((struct job_ref *)arg)->mom];
    struct mom_job *j = find_ref(s, arg);

    if (j)
        end_job(s, m, j,
                j->walltime_ms && j->walltime_ms < j->lasts_ms ? STATUS_TERM : 0);
}

static void job_is_killed(struct sim *s, void *arg)
{
    struct mock_mom *m = &s->moms[((struct job_ref *)arg)->mom];
    struct mom_job *j = find_ref(s, arg);

    if (j)
        end_job(s, m, j, STATUS_TERM);
}

static void job_usage(struct sim *s, void *arg)
{
    struct mock_mom *m = &s->moms[((struct job_ref *)arg)->mom];
    struct mom_job *j = find_ref(s, arg);

    if (!j || j->state != MOM_JOB_RUNNING)
        return;
    say_about_job(s, m, j, IS_RESCUSED);
    job_after(s, m, j, USAGE_PERIOD_MS, job_usage);
}

static void start_job(struct sim *s, struct mock_mom *m, struct mom_job *j)
{
    int64_t lasts_ms = j->lasts_ms;

    sim_trace(s, "mom %s: job %s runs on %s", m->host, j->id, j->exec_vnode);
    j->state = MOM_JOB_RUNNING;
    j->began_ms = s->clock.now_ms;
    j->session = 1000 + (int32_t)j->number;
    if (j->walltime_ms)
        lasts_ms = MIN_OF(lasts_ms, j->walltime_ms);
    job_after(s, m, j, START_MS, job_usage);
    job_after(s, m, j, lasts_ms, job_runs_out);
}

/* Commands. */

static void answer(struct sim *s, const struct mock_mom *m,
                   const struct is_message *msg, int32_t code, uint32_t choice,
                   const char *text)
{
    const struct is_message to = {
        .command = IS_CMD_REPLY,
        .msgid = msg->msgid,
        .reply = { .code = code, .choice = choice, .text = text },
    };

    if (!m->silent)
        say(s, m, &to);
}

static void answer_done(struct sim *s, const struct mock_mom *m,
                        const struct is_message *msg)
{
    answer(s, m, msg, 0, REPLY_NULL, NULL);
}

static void answer_unknown(struct sim *s, const struct mock_mom *m,
                           const struct is_message *msg)
{
    answer(s, m, msg, PBSE_UNKJOBID, REPLY_TEXT, "Unknown Job Id");
}

/* "hh:mm:ss" or seconds. */
static int64_t parse_walltime_ms(const char *text)
{
    int64_t total = 0;

    for (char *end; text && *text; text = *end ? end + 1 : end) {
        total = total * 60 + strtol(text, &end, 10);
        if (end == text)
            break;
    }
    return total * 1000;
}

static void queue_job(struct sim *s, struct mock_mom *m, const struct is_message *msg)
{
    const struct body_queue *body = msg->request.body;
    const char *version = wire_attrs_value(&body->attrs, "run_version", NULL);
    const char *exec_vnode = wire_attrs_value(&body->attrs, "exec_vnode", NULL);
    struct mom_job *j = find_job(m, body->id);

    if (j && j->state == MOM_JOB_COMING) {
        forget_job(m, j);
    } else if (j) {
        answer(s, m, msg, PBSE_JOBEXIST, REPLY_NULL, NULL);
        return;
    }
    j = xcalloc(1, sizeof(*j));
    j->id = xstrdup(body->id);
    j->exec_vnode = xstrdup(exec_vnode ? exec_vnode : "");
    j->run_version = version ? atoi(version) : 0;
    j->walltime_ms =
        parse_walltime_ms(wire_attrs_value(&body->attrs, "Resource_List", "walltime"));
    j->number = ++m->last_number;
    j->lasts_ms = 60000;
    DL_APPEND(m->jobs, j);
}

static struct mom_job *coming_job(const struct mock_mom *m)
{
    struct mom_job *j;

    DL_FOREACH (m->jobs, j)
        if (j->state == MOM_JOB_COMING)
            return j;
    return NULL;
}

/* The script says how long the job lasts: "sleep 30". */
static void job_script(const struct mock_mom *m, const struct is_message *msg)
{
    const struct body_script *body = msg->request.body;
    struct mom_job *j = coming_job(m);
    int64_t lasts_s;

    if (j && body->data.len > 6 &&
        sscanf(body->data.data, "sleep %" SCNd64, &lasts_s) == 1)
        j->lasts_ms = lasts_s * 1000;
}

static void commit_job(struct sim *s, struct mock_mom *m, const struct is_message *msg)
{
    const struct body_id *body = msg->request.body;
    struct mom_job *j = find_job(m, body->id);

    if (!j) {
        answer_unknown(s, m, msg);
        return;
    }
    if (j->state != MOM_JOB_COMING)
        return; /* its QueueJob was answered already */
    answer(s, m, msg, 0, REPLY_COMMIT, j->id);
    start_job(s, m, j);
}

static void signal_job(struct sim *s, struct mock_mom *m, const struct is_message *msg)
{
    const struct body_signal *body = msg->request.body;
    struct mom_job *j = find_job(m, body->job_id);

    if (!j || j->state == MOM_JOB_COMING) {
        answer_unknown(s, m, msg);
        return;
    }
    answer_done(s, m, msg);
    if (j->state == MOM_JOB_RUNNING)
        job_after(s, m, j, KILL_MS, job_is_killed);
}

static void delete_job(struct sim *s, struct mock_mom *m, const struct is_message *msg)
{
    const struct body_manage *body = msg->request.body;
    struct mom_job *j = find_job(m, body->object_name);

    if (!j) {
        answer_unknown(s, m, msg);
        return;
    }
    answer_done(s, m, msg);
    forget_job(m, j);
}

static void command(struct sim *s, struct mock_mom *m, const struct is_message *msg)
{
    switch (msg->request.number) {
    case BATCH_QUEUE_JOB:
        queue_job(s, m, msg);
        break;
    case BATCH_JOB_SCRIPT:
        job_script(m, msg);
        break;
    case BATCH_COMMIT:
        commit_job(s, m, msg);
        break;
    case BATCH_SIGNAL_JOB:
        signal_job(s, m, msg);
        break;
    case BATCH_DELETE_JOB:
        delete_job(s, m, msg);
        break;
    case BATCH_COPY_FILES:
    case BATCH_DEL_FILES:
    case BATCH_MODIFY_JOB:
        answer_done(s, m, msg);
        break;
    default:
        answer(s, m, msg, PBSE_UNKREQ, REPLY_NULL, NULL);
        break;
    }
}

static void obit_replies(struct mock_mom *m, const struct is_message *msg)
{
    struct mom_job *j;

    for (size_t i = 0; i < msg->acks.n; i++)
        if ((j = find_job(m, msg->acks.v[i])) && j->state == MOM_JOB_ENDED)
            j->acked = true;
    for (size_t i = 0; i < msg->rejects.n; i++)
        if ((j = find_job(m, msg->rejects.v[i])) && j->state == MOM_JOB_ENDED)
            forget_job(m, j);
}

static void discard(struct sim *s, struct mock_mom *m, const struct is_message *msg)
{
    const struct is_message done = { .command = IS_DISCARD_DONE,
                                     .job_id = msg->job_id,
                                     .run_version = msg->run_version };
    struct mom_job *j = find_job(m, msg->job_id);

    if (j && (msg->run_version == -1 || msg->run_version == j->run_version)) {
        sim_trace(s, "mom %s: discards %s", m->host, j->id);
        forget_job(m, j);
    }
    say(s, m, &done);
}

void mock_mom_message(struct sim *s, size_t mom, uint64_t stream,
                      const struct is_message *msg)
{
    struct mock_mom *m = &s->moms[mom];

    if (m->stream != stream)
        return;
    switch (msg->command) {
    case IS_REPLYHELLO:
        m->greeted = true;
        say_register(s, m);
        repeat_obits(s, m);
        break;
    case IS_CMD:
        command(s, m, msg);
        break;
    case IS_OBITREPLY:
        obit_replies(m, msg);
        break;
    case IS_DISCARD_JOB:
        discard(s, m, msg);
        break;
    default:
        break;
    }
}
