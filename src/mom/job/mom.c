/* mom.c - the door: messages find their rule, time passes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <signal.h>

/* What is left out has the values of PBS. */
static void rules_complete(struct mom_config *cfg)
{
    if (cfg->max_poll_downtime_s <= 0)
        cfg->max_poll_downtime_s = MAX_POLL_DOWNTIME_S;
    if (cfg->join_alarm_s <= 0)
        cfg->join_alarm_s = JOIN_WAIT_S;
    if (cfg->launch_delay_s <= 0)
        cfg->launch_delay_s = JOIN_WAIT_S;
    if (cfg->suspend_signo <= 0)
        cfg->suspend_signo = SIGSTOP;
    if (cfg->resume_signo <= 0)
        cfg->resume_signo = SIGCONT;
    if (!cfg->enforce.is_set)
        cfg->enforce = (struct mom_enforce)MOM_ENFORCE_DEFAULTS;
    MUST(cfg->min_check_poll_s > 0 && cfg->min_check_poll_s <= cfg->max_check_poll_s);
    MUST(cfg->cputmult > 0 && cfg->wallmult > 0);
}

struct mom *mom_new(const struct mom_config *cfg)
{
    struct mom *m = xcalloc(1, sizeof(*m));
    struct arena *a = arena_new();

    m->arena = a;
    m->cfg = *cfg;
    m->cfg.host = arena_strdup(a, cfg->host);
    m->cfg.node_name = arena_strdup(a, cfg->node_name);
    m->cfg.version = arena_strdup(a, cfg->version);
    m->cfg.server_host = arena_strdup(a, cfg->server_host);
    m->cfg.only_user = arena_strdup(a, cfg->only_user);
    mom_set_servers(m, cfg->n_server_ips, cfg->server_ips, cfg->server_is_local);
    rules_complete(&m->cfg);
    load_set_rules(m);
    keyboard_set_rules(m);
    mom_set_host(m, cfg->ncpus, cfg->mem_kb, cfg->topology);
    /* Nothing is due before there is a router to say hello through, and a job to
     * sample. */
    m->hello_at = INT64_MAX;
    m->sample_at = INT64_MAX;
    m->try_note_at = INT64_MAX;
    m->join_at = INT64_MAX;
    m->sample_interval_s = cfg->min_check_poll_s;
    return m;
}

void mom_free(struct mom *m)
{
    struct mom_job *j, *tmp;
    struct copying *c, *next;

    if (!m)
        return;
    HASH_ITER (hh, m->jobs, j, tmp)
        job_free(m, j);
    resting_free_all(m);
    joins_free_all(m);
    reach_free_all(m);
    HASH_ITER (hh, m->copies, c, next) {
        HASH_DEL(m->copies, c);
        free(c->msgid);
        free(c->job_id);
        free(c);
    }
    /* The last job of a peer took the peer with it. job_free() may have noted answers
     * that are still to come; nobody will hear them now. */
    MUST(!m->peers && !m->askers && m->n_running == 0 && m->n_receiving == 0);
    obit_expect_none(m);
    left_hosts_free(m);
    deadlines_fini(&m->due);
    free(m->ranges);
    free(m->server_ips);
    free(m->topology);
    arena_free(m->vnode_arena);
    arena_free(m->arena);
    free(m);
}

void mom_set_host(struct mom *m, uint32_t ncpus, uint64_t mem_kb, const char *topology)
{
    char *copy = xstrdup(topology);

    free(m->topology);
    m->topology = copy;
    m->cfg.topology = copy;
    m->cfg.ncpus = ncpus;
    m->cfg.mem_kb = mem_kb;
}

void mom_set_rules(struct mom *m, int64_t now_at, const struct mom_config *cfg,
                   struct mom_out *out)
{
    struct mom_job *j, *tmp;

    m->cfg.min_check_poll_s = cfg->min_check_poll_s;
    m->cfg.max_check_poll_s = cfg->max_check_poll_s;
    m->cfg.cputmult = cfg->cputmult;
    m->cfg.wallmult = cfg->wallmult;
    m->cfg.enforce = cfg->enforce;
    m->cfg.suspend_signo = cfg->suspend_signo;
    m->cfg.resume_signo = cfg->resume_signo;
    m->cfg.forbids_attach = cfg->forbids_attach;
    m->cfg.checkpoints = cfg->checkpoints;
    m->cfg.checkpoint_aborts = cfg->checkpoint_aborts;
    m->cfg.restarts_aside = cfg->restarts_aside;
    m->cfg.checkpoint_limit_s = cfg->checkpoint_limit_s;
    m->cfg.checkpoint_abort_limit_s = cfg->checkpoint_abort_limit_s;
    m->cfg.restart_limit_s = cfg->restart_limit_s;
    m->cfg.max_poll_downtime_s = cfg->max_poll_downtime_s;
    m->cfg.join_alarm_s = cfg->join_alarm_s;
    m->cfg.launch_delay_s = cfg->launch_delay_s;
    m->cfg.has_max_load = cfg->has_max_load;
    m->cfg.max_load = cfg->max_load;
    m->cfg.ideal_load = cfg->ideal_load;
    m->cfg.load_suspends = cfg->load_suspends;
    m->cfg.ends_by = cfg->ends_by;
    m->cfg.has_kbd_idle = cfg->has_kbd_idle;
    m->cfg.kbd_idle_s = cfg->kbd_idle_s;
    m->cfg.kbd_busy_s = cfg->kbd_busy_s;
    m->cfg.kbd_poll_s = cfg->kbd_poll_s;
    m->cfg.busy_requeues = cfg->busy_requeues;
    rules_complete(&m->cfg);
    load_set_rules(m);
    keyboard_set_rules(m);
    standing_begin(m, now_at, out);
    /* A sample that is due keeps its time; the intervals after it grow from the
     * minimum, as they do when a job starts (execution.md 17). */
    m->sample_interval_s = m->cfg.min_check_poll_s;
    HASH_ITER (hh, m->jobs, j, tmp)
        life_reckon(m, j);
}

/* The server names a run so that a late order does not hit the next run of the job; -1
 * means whichever is here. What rests at a sister may be of an earlier run than the
 * last, in which she had no part, and is not wanted either. */
static bool is_named(const struct is_message *msg, const struct mom_job *j)
{
    return msg->run_version == -1 || msg->run_version == j->run_version ||
           (j->is_sister && j->phase == JOB_RESTING &&
            j->run_version < msg->run_version);
}

static void discard(struct mom *m, int64_t now_at, const struct is_message *msg,
                    struct mom_out *out)
{
    struct mom_job *j = job_find_any(m, msg->job_id);
    const struct is_message done = { .command = IS_DISCARD_DONE,
                                     .job_id = arena_strdup(out->arena, msg->job_id),
                                     .run_version = msg->run_version };

    /* Who does not have the run any more says done as well, since the server waits for
     * each host that it asked (tpp.md 5.4). */
    if (j && is_named(msg, j)) {
        out_joblog(out, LOG_EV_JOB, j, "Job discarded at request of Server");
        if (j->phase == JOB_RESTING)
            resting_drop(m, now_at, j, out);
        else
            life_drop(m, j, out);
    }
    /* The answer leaves on the stream of today's server, which need not be the stream
     * that the order came on (tpp.md 5.4). */
    out_send(out, m->server, &done);
}

static void unknown_command(uint64_t stream, const char *peer,
                            const struct is_message *msg, struct mom_out *out)
{
    out_log(out, LOG_EV_ERROR, LOG_IN_SERVER, "is_request", "unknown command %d sent",
            msg->command);
    out_log(out, LOG_EV_ERROR, LOG_IN_SERVER, "is_request", "Protocol failure from %s",
            peer);
    out_add(out, MOM_CLOSE)->stream = stream;
}

void mom_message(struct mom *m, int64_t now_at, uint64_t stream,
                 const struct tpp_addr *from, const struct is_message *msg, bool known,
                 struct mom_out *out)
{
    char peer[TPP_ADDR_TEXT_BYTES];

    tpp_addr_text(from, peer);
    /* This is asked of every message and not once for each stream: while a stream is
     * open its server may have lost the address (mom_set_servers()). */
    if (!link_is_authorized(m, from)) {
        out_log(out, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_SERVER, "is_request",
                "bad connect from %s", peer);
        out_add(out, MOM_CLOSE)->stream = stream;
        return;
    }
    link_adopt(m, stream, out);
    switch (msg->command) {
    case IS_REPLYHELLO:
        link_hello_reply(m, now_at, stream, peer, msg, out);
        break;
    case IS_CLUSTER_ADDRS:
        link_add_ranges(m, msg, out);
        break;
    case IS_CMD:
        request_take(m, now_at, stream, peer, msg, known, out);
        break;
    case IS_OBITREPLY:
        obit_take_answers(m, msg, out);
        break;
    case IS_DISCARD_JOB:
        discard(m, now_at, msg, out);
        break;
    case IS_SHUTDOWN:
        /* The server ends; jobs of this host do not end with it. */
        mom_stop(m, now_at, false, out);
        break;
    case IS_HOOK_ACTION_ACK:
        left_hosts_heard(m, msg);
        break;
    case IS_CMD_REPLY:
        break; /* we ask nothing that is answered */
    default:
        unknown_command(stream, peer, msg, out);
    }
}

bool mom_may_ask(const struct mom *m, const struct tpp_addr *peer)
{
    return link_is_cluster(m, tpp_addr_ip(peer));
}

bool mom_may_connect(const struct mom *m, uint32_t ip)
{
    return link_is_server_ip(m, ip);
}

void mom_request(struct mom *m, int64_t now_at, uint64_t connection, const char *peer,
                 const struct wire_request *rq, bool known, struct mom_out *out)
{
    /* Requests on a connection are answered in order, so no id tells the answers
     * apart. */
    const struct is_message msg = { .command = IS_CMD, .msgid = "", .request = *rq };

    MUST(connection & MOM_CONNECTION);
    request_take(m, now_at, connection, peer, &msg, known, out);
}

void mom_stop(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    (void)now_at;
    /* The table does not change meanwhile, since life_give_back() frees no job. Jobs
     * that are not killed run on with their shepherds, and the next MoM finds them. */
    HASH_ITER (hh, m->jobs, j, tmp) {
        if (kill_jobs && job_has_processes(j))
            life_give_back(m, j, out);
    }
    out_add(out, MOM_EXIT);
}

void mom_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    life_tick(m, now_at, out);
    link_tick(m, now_at, out);
    load_tick(m, now_at, out);
    keyboard_tick(m, now_at, out);
    noting_tick(m, now_at, out);
    joins_tick(m, now_at, out);
}

int64_t mom_next_deadline(const struct mom *m)
{
    int64_t at = MIN_OF(life_deadline(m), MIN_OF(m->load_at, m->keyboard_at));

    at = MIN_OF(at, MIN_OF(m->try_note_at, m->join_at));
    /* link_tick() says hello under the same condition. Were hello_at counted without
     * it, the shell would wake up at once, again and again, for a hello that does not
     * leave. */
    if (m->router_is_up && !m->registered)
        at = MIN_OF(at, m->hello_at);
    return at;
}

const struct wire_attrs *mom_job_attrs(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find_any(m, job_id);

    return j ? &j->attrs : NULL;
}

bool mom_job_script(const struct mom *m, const char *job_id, const char **ret,
                    size_t *ret_len)
{
    const struct mom_job *j = job_find(m, job_id);

    if (!j || j->is_script_gone || wire_attrs_value(&j->attrs, "executable", NULL))
        return false;
    /* A script of no bytes was never written into its buffer. */
    *ret = j->script.data ? j->script.data : "";
    *ret_len = j->script.len;
    return true;
}

bool mom_job_saved(const struct mom *m, const char *job_id, bool error,
                   const char **ret, size_t *ret_len)
{
    const struct mom_job *j = job_find(m, job_id);

    if (!j || j->saved[error].len == 0)
        return false;
    *ret = j->saved[error].data;
    *ret_len = j->saved[error].len;
    return true;
}

int32_t mom_job_session(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find(m, job_id);

    return j ? j->top.session : 0;
}

void mom_set_session_mark(struct mom *m, const char *job_id, uint32_t task,
                          const char *mark)
{
    struct mom_job *j = job_find(m, job_id);
    struct spawned *t = j && task > 1 ? spawned_find(j, task) : NULL;

    if (t)
        spawned_set_mark(t, mark);
    else if (j && task <= 1)
        j->top.mark = arena_strdup(j->arena, mark);
}

const char *mom_session_mark(const struct mom *m, const char *job_id, uint32_t task)
{
    const struct mom_job *j = job_find(m, job_id);
    const struct spawned *t = j && task > 1 ? spawned_find(j, task) : NULL;

    if (t)
        return t->mark;
    return j && task <= 1 ? j->top.mark : "";
}

bool mom_task_is_attached(const struct mom *m, const char *job_id, uint32_t task)
{
    const struct mom_job *j = job_find(m, job_id);
    const struct spawned *t = j ? spawned_find(j, task) : NULL;

    return t && t->is_attached;
}

bool mom_job_has_kill_due(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find(m, job_id);

    return j && j->kill_at != INT64_MAX;
}

int32_t mom_job_run_version(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find_any(m, job_id);

    return j ? j->run_version : 0;
}

void mom_job_encode(const struct mom *m, const char *job_id, struct buf *out)
{
    const struct mom_job *j = job_find_any(m, job_id);

    if (j)
        job_encode(j, out);
}

bool mom_job_note(const struct mom *m, const char *job_id, uint32_t task,
                  struct buf *out)
{
    const struct mom_job *j = job_find_any(m, job_id);

    MUST(task > 1); /* what the top task does is no change of it alone */
    if (j)
        job_encode_note(j, task, out);
    return j != NULL;
}

uint64_t mom_job_base(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find_any(m, job_id);

    return j ? job_base(j) : 0;
}

size_t mom_job_tasks(const struct mom *m, const char *job_id, struct arena *arena,
                     const struct mom_job_task **ret)
{
    const struct mom_job *j = job_find(m, job_id);
    struct mom_job_task *v;
    const struct spawned *t;
    size_t n = 0;

    if (!j)
        return 0;
    v = ARENA_ARRAY(arena, struct mom_job_task, spawned_n_live(j));
    DL_FOREACH (j->tasks, t)
        v[n++] = (struct mom_job_task){ t->number, t->session, t->vnode };
    *ret = v;
    return n;
}

bool mom_find_task(const struct mom *m, const char *job_id, uint32_t task,
                   struct mom_job_task *ret)
{
    const struct mom_job *j = job_find(m, job_id);
    const struct spawned *t = j ? spawned_find(j, task) : NULL;

    if (t)
        *ret = (struct mom_job_task){ t->number, t->session, t->vnode };
    return t != NULL;
}

uint32_t mom_first_task(const struct mom *m, const char *job_id)
{
    const struct mom_job *j = job_find(m, job_id);

    return j && j->tasks ? j->tasks->number : 0;
}

bool mom_job_share(const struct mom *m, const char *job_id, struct mom_share *ret)
{
    const struct mom_job *j = job_find(m, job_id);

    if (j)
        *ret = j->share;
    return j != NULL;
}

bool mom_job_outputs(const struct mom *m, const char *job_id, uint32_t *ret_ip,
                     uint16_t *ret_out_port, uint16_t *ret_err_port)
{
    const struct mom_job *j = job_find(m, job_id);

    if (!j || !j->is_sister)
        return false;
    *ret_ip = j->ms_ip;
    *ret_out_port = (uint16_t)j->out_port;
    *ret_err_port = (uint16_t)j->err_port;
    return true;
}

void mom_set_cookie(struct mom *m, const char *job_id, const char *cookie)
{
    struct wire_attr attr = { .name = "cookie", .value = cookie };
    const struct wire_attrs one = { .n = 1, .v = &attr };
    struct mom_job *j = job_find(m, job_id);

    if (j)
        job_replace_attrs(j, &one);
}

const char *mom_running(const struct mom *m, size_t i)
{
    struct mom_job *j, *tmp;

    HASH_ITER (hh, m->jobs, j, tmp)
        /* This counts from the beginning each time, which tests can afford. */
        if (job_has_processes(j) && i-- == 0)
            return j->id;
    return NULL;
}

int64_t mom_recount_deadline(const struct mom *m)
{
    int64_t at = MIN_OF(m->sample_at, MIN_OF(m->load_at, m->keyboard_at));
    struct mom_job *j, *tmp;

    at = MIN_OF(at, MIN_OF(m->try_note_at, life_telling_deadline(m)));
    HASH_ITER (hh, m->jobs, j, tmp)
        at = MIN_OF(at, life_due_at(m, j));
    if (m->router_is_up && !m->registered)
        at = MIN_OF(at, m->hello_at);
    return at;
}

size_t mom_n_jobs(const struct mom *m)
{
    return HASH_COUNT(m->jobs);
}
