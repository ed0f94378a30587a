/* shell.c - what comes from the router network and the clock, and where effects of the
 * core go.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/shell.h"

#include "lib/base/version.h"
#include "lib/io/daemon.h"
#include "lib/io/pool.h"
#include "lib/io/startup.h"
#include "lib/wire/rm.h"
#include "mom/shell/checkpoints.h"
#include "mom/shell/demux.h"
#include "mom/shell/epilogues.h"
#include "mom/shell/host.h"
#include "mom/shell/job_groups.h"
#include "mom/shell/monitor.h"
#include "mom/shell/proc.h"
#include "mom/shell/restrict.h"
#include "mom/shell/service.h"
#include "mom/shell/signalling.h"
#include "mom/shell/spawning.h"
#include "mom/shell/steady.h"
#include "mom/shell/task_service.h"
#include "mom/shell/topology.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shell_log(struct shell *s, int event, int log_class, const char *object,
               const char *text)
{
    logfile_write(s->log, (uint32_t)event, (uint32_t)log_class, object, text);
}

/* Wake up when the core or the executor of jobs has something to do next. */
static void shell_set_timer(struct shell *s)
{
    const struct executor *x = &s->executor;
    int64_t at = mom_next_deadline(s->mom);

    if (x->next_deadline)
        at = MIN_OF(at, x->next_deadline(x->self));
    /* There is one timer for the core and the executor: whoever is due first wakes
     * both, and the other one finds nothing to do. */
    if (at == INT64_MAX)
        loop_timer_clear(s->timer);
    else
        loop_timer_set(s->timer, (at - clock_steady()) * 1000);
}

/* Open a stream to the server, at the address that is known. The name may mean another
 * host by now, so it is asked for as well: the next hello goes by the answer. */
static void connect_to_server(struct shell *s, struct mom_out *out)
{
    const struct tpp_addr peer = tpp_addr_ipv4(s->server_ip, (uint16_t)s->server_port);
    uint64_t stream = s->server_ip ? leaf_open_addr(s->leaf, &peer) : 0;

    servers_ask(s);
    mom_connected(s->mom, clock_steady(), stream, leaf_stream_number(s->leaf, stream),
                  out);
}

/* Answer where the message came from: a connection of the service port, or a stream. */
static void send_message(struct shell *s, uint64_t stream, const struct is_message *msg)
{
    struct buf b = { 0 };

    if (stream & MOM_CONNECTION) {
        service_reply(s->service, stream, &msg->reply);
        return;
    }
    is_encode(&b, msg);
    leaf_send(s->leaf, stream, b.data, b.len);
    buf_fini(&b);
}

static void send_im(struct shell *s, uint64_t stream, const struct im_message *msg)
{
    struct buf b = { 0 };

    im_encode(&b, msg);
    leaf_send(s->leaf, stream, b.data, b.len);
    buf_fini(&b);
}

/* The kernel keeps it; a host that does not tell is not busy. */
static void read_load(struct shell *s, struct mom_out *out)
{
    double load;

    mom_host_load(s->mom, clock_steady(), getloadavg(&load, 1) == 1 ? load : 0, out);
}

static void read_idle(struct shell *s, struct mom_out *out)
{
    /* Terminals and the like say when they were used by the real clock. */
    int64_t idle_s = idle_time_read(&s->idle, s->home, clock_read());

    mom_host_idle(s->mom, clock_steady(), idle_s, out);
}

static void try_note(struct shell *s, struct mom_out *out)
{
    struct diag why;
    int err = records_try(&s->records, &why);

    mom_noted(s->mom, clock_steady(), err ? &why : NULL, out);
}

static void carry_out(struct shell *s, const struct mom_effect *e, struct mom_out *out)
{
    switch (e->kind) {
    case MOM_CONNECT:
        connect_to_server(s, out);
        break;
    case MOM_SEND:
        send_message(s, e->stream, &e->u.msg);
        break;
    case MOM_SEND_IM:
        send_im(s, e->stream, &e->u.im);
        break;
    case MOM_REACH:
        sisters_reach(s, e->u.reach.host, e->u.reach.port, out);
        break;
    case MOM_ANSWER_TASK:
        task_service_reply(s->task_service, e->stream, &e->u.answer.reply,
                           e->u.answer.asked);
        break;
    case MOM_READ_LOAD:
        read_load(s, out);
        break;
    case MOM_READ_IDLE:
        read_idle(s, out);
        break;
    case MOM_TRY_NOTE:
        try_note(s, out);
        break;
    case MOM_CLOSE:
        if (e->stream & MOM_CONNECTION)
            service_close(s->service, e->stream);
        else if (e->stream & MOM_TASK_CONNECTION)
            task_service_close(s->task_service, e->stream);
        else
            leaf_close(s->leaf, e->stream);
        break;
    case MOM_LOG:
        shell_log(s, e->u.log.event, e->u.log.log_class, e->u.log.object,
                  e->u.log.text);
        break;
    case MOM_EXIT:
        s->stopping = true;
        loop_stop(s->loop);
        break;
    default:
        s->executor.carry_out(s->executor.self, clock_steady(), e, out);
    }
}

/* An effect may bring further ones, which are appended to the same list. The list may
 * move then, so each effect is copied before it is carried out. */
void shell_carry_out(struct shell *s, struct mom_out *out)
{
    MUST(out->arena == s->arena); /* it is cleared below */
    for (size_t i = 0; i < out->n; i++) {
        const struct mom_effect e = out->v[i];

        carry_out(s, &e, out);
    }
    /* All answers of the executor have been carried out, so nothing refers to an effect
     * any more. */
    arena_clear(s->arena);
    shell_set_timer(s);
}

/* The leaf does not tell of an end that we have asked for, so the core is told here. */
static void refuse_message(struct shell *s, uint64_t stream,
                           const struct tpp_addr *peer, const char *object,
                           enum dis_error err, struct mom_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_SERVER, object, "%s from %s",
                   dis_error_text(err), tpp_addr_text(peer, text));
    leaf_close(s->leaf, stream);
    mom_stream_closed(s->mom, clock_steady(), stream, out);
}

/* Of another MoM. */
static void take_im(struct shell *s, uint64_t stream, const struct tpp_addr *peer,
                    const char *data, size_t len, struct mom_out *out)
{
    struct im_message msg;
    enum dis_error err = im_decode(data, len, s->decoding, &msg);

    if (err)
        refuse_message(s, stream, peer, "im_request", err, out);
    else
        mom_im(s->mom, clock_steady(), stream, peer, &msg, out);
}

static void take_is(struct shell *s, uint64_t stream, const struct tpp_addr *peer,
                    const char *data, size_t len, struct mom_out *out)
{
    struct is_message msg;
    bool known;
    int32_t version;
    enum dis_error err = is_decode(data, len, false, s->decoding, &msg, &known);

    if (err && is_of_other_version(data, len, &version))
        logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_SERVER, "is_request",
                       "protocol version %d unknown", version);
    if (err)
        refuse_message(s, stream, peer, "is_request", err, out);
    else
        mom_message(s->mom, clock_steady(), stream, peer, &msg, known, out);
}

static void on_message(void *arg, uint64_t stream, const struct tpp_addr *peer,
                       const char *data, size_t len)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };

    /* The message of the last turn was taken over or refused; nothing points into it
     * any more. */
    arena_clear(s->decoding);
    if (im_protocol_of(data, len) == RM_PROTOCOL)
        monitor_take(s, stream, peer, data, len);
    else if (im_protocol_of(data, len) == IM_PROTOCOL)
        take_im(s, stream, peer, data, len, &out);
    else
        take_is(s, stream, peer, data, len, &out);
    shell_carry_out(s, &out);
}

static void on_closed(void *arg, uint64_t stream)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };

    monitor_stream_closed(s, stream);
    mom_stream_closed(s->mom, clock_steady(), stream, &out);
    shell_carry_out(s, &out);
}

static void on_up(void *arg)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };

    mom_router_up(s->mom, clock_steady(), &out);
    shell_carry_out(s, &out);
}

static void on_down(void *arg)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };

    mom_router_down(s->mom, clock_steady(), &out);
    shell_carry_out(s, &out);
}

static void on_leaf_log(void *arg, int event, const char *text)
{
    shell_log(arg, event, LOG_IN_TPP, "pbs_mom(Main Thread)", text);
}

static void on_timer(void *arg)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };

    executor_turn(&s->executor, s->mom, clock_steady(), &out);
    shell_carry_out(s, &out);
}

/* Report the vnodes to the server, which takes a list that is newer than the last one.
 * The time of the list is that of the newest file, or of our start. */
static void shell_report_vnodes(struct shell *s, struct mom_out *out)
{
    mom_set_vnodes(s->mom, clock_steady(), MAX_OF(s->config.modtime, s->started_at),
                   s->config.vnodes.n, s->config.vnodes.v, out);
}

void shell_report_topology(struct shell *s, const char *text)
{
    struct mom_out out = { .arena = s->arena };

    mom_set_host(s->mom, proc_ncpus(), proc_mem_kb(), text);
    shell_report_vnodes(s, &out);
    shell_carry_out(s, &out);
}

/* What a change of the files changes in the core. */
static void fill_rules(const struct shell *s, struct mom_config *cfg)
{
    cfg->min_check_poll_s = s->config.min_check_poll_s;
    cfg->max_check_poll_s = s->config.max_check_poll_s;
    cfg->cputmult = s->config.cputmult;
    cfg->wallmult = s->config.wallmult;
    cfg->enforce = s->config.enforce;
    cfg->forbids_attach = !s->config.attach_allow;
    cfg->checkpoints = s->config.actions[CONFIG_ACTION_CHECKPOINT].path != NULL;
    cfg->checkpoint_aborts =
        s->config.actions[CONFIG_ACTION_CHECKPOINT_ABORT].path != NULL;
    cfg->restarts_aside = s->config.restart_background;
    cfg->checkpoint_limit_s = s->config.actions[CONFIG_ACTION_CHECKPOINT].limit_s;
    cfg->checkpoint_abort_limit_s =
        s->config.actions[CONFIG_ACTION_CHECKPOINT_ABORT].limit_s;
    cfg->restart_limit_s = s->config.actions[CONFIG_ACTION_RESTART].limit_s;
    cfg->suspend_signo = s->config.suspend_signo;
    cfg->resume_signo = s->config.resume_signo;
    cfg->max_poll_downtime_s = s->config.max_poll_downtime_s;
    cfg->join_alarm_s = s->config.sister_join_job_alarm_s;
    cfg->launch_delay_s = s->config.job_launch_delay_s;
    cfg->has_max_load = s->config.max_load >= 0;
    cfg->max_load = s->config.max_load;
    cfg->ideal_load = s->config.ideal_load;
    cfg->load_suspends = s->config.load_suspends;
    cfg->ends_by = s->config.actions[CONFIG_ACTION_TERMINATE].path;
    cfg->has_kbd_idle = s->config.kbd_idle_s > 0;
    cfg->kbd_idle_s = s->config.kbd_idle_s;
    cfg->kbd_busy_s = s->config.kbd_busy_s;
    cfg->kbd_poll_s = s->config.kbd_poll_s;
    cfg->busy_requeues = s->config.actions[CONFIG_ACTION_MULTINODEBUSY].requeues;
    if (s->mock)
        mock_fill_rules(cfg);
}

/* A text that tells of no processors leaves the number of the operating system. */
static void log_processors(struct shell *s, const struct mom_config *cfg)
{
    struct topology_counts has = topology_count(cfg->topology);

    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_NONE, "ncpus", "hyperthreading %s",
                   has.pus > has.cores && has.cores > 0 ? "enabled" : "disabled");
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_NONE, "initialize",
                   "pcpus=%u, OS reports %u cpu(s)", has.pus ? has.pus : cfg->ncpus,
                   cfg->ncpus);
}

static void make_core(struct shell *s)
{
    struct mom_config cfg = {
        .host = s->short_name,
        .node_name = s->node_name,
        .version = PBS_VERSION,
        .port = s->mom_port,
        .server_port = s->server_port,
        .server_host = conf_server_host(s->conf),
        .ncpus = proc_ncpus(),
        .mem_kb = proc_mem_kb(),
        .topology = s->mock ? TOPOLOGY_LEAST : topology_find(s),
        .only_user = s->user[0] ? s->user : NULL,
        .runs_epilogues = !s->mock,
    };

    MUST(!s->mom);
    log_processors(s, &cfg);
    fill_rules(s, &cfg);
    s->mom = mom_new(&cfg);
    /* The addresses have to be there before the first message: who speaks from any
     * other is refused. */
    servers_find(s);
    if (s->mock) {
        s->mock_runs = mock_new(s->mom, cfg.wallmult);
        s->executor = mock_executor(s->mock_runs);
    } else {
        s->executor = host_executor(s);
    }
}

static int make_leaf(struct shell *s, struct diag *why)
{
    struct leaf_config cfg = { .loop = s->loop,
                               .node_type = TPP_LEAF,
                               .events = { .message = on_message,
                                           .closed = on_closed,
                                           .down = on_down,
                                           .up = on_up,
                                           .log = on_leaf_log,
                                           .arg = s } };

    return leaf_new_by_conf(s->conf, (uint16_t)s->rm_port, true, &cfg, &s->leaf, why);
}

int shell_open(struct shell *s, struct diag *why)
{
    struct diag no_steady;
    struct mom_out out;
    int err;

    MUST(s->loop && s->log); /* the caller has opened both */
    s->arena = arena_new();
    s->decoding = arena_new();
    s->timer = loop_timer_new(s->loop, on_timer, s);
    if (steady_begin(s->home, &no_steady) != 0)
        shell_log(s, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom", no_steady.text);
    make_core(s);
    err = make_leaf(s, why);
    if (err)
        return err;
    if (!s->mock)
        job_groups_open(s);
    records_open(&s->records, s->home);
    if (!s->mock && !tasks_recover(s, why))
        return PBSE_SYSTEM;
    if (!s->mock)
        checkpoints_sweep(s);
    out = (struct mom_out){ .arena = s->arena };
    /* Jobs are there before the server can ask for them, and the vnodes before the
     * first registration. */
    shell_report_vnodes(s, &out);
    mom_start(s->mom, clock_steady(), s->kill_at_start, &out);
    shell_carry_out(s, &out);
    signalling_send(s);
    if (!s->mock)
        restrict_reread(s);
    return 0;
}

void shell_stop(struct shell *s, bool kill_jobs)
{
    struct mom_out out = { .arena = s->arena };

    mom_stop(s->mom, clock_steady(), kill_jobs, &out);
    shell_carry_out(s, &out);
}

static void stop(struct shell *s, int signo, bool kill_jobs)
{
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom", "caught signal %d",
                   signo);
    shell_stop(s, kill_jobs);
}

/* SIGTERM gives the jobs back to the server; SIGINT leaves them running
 * (execution.md 3). */
static void on_term(void *arg, int signo)
{
    stop(arg, signo, true);
}

static void on_int(void *arg, int signo)
{
    stop(arg, signo, false);
}

static void on_noted(void *arg, int signo)
{
    struct shell *s = arg;

    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom", "caught signal %d",
                   signo);
}

static void config_says(void *arg, int event, int log_class, const char *object,
                        const char *words)
{
    shell_log(arg, event, log_class, object, words);
}

/* Read the files again. A wrong file leaves the whole configuration as it was. */
bool shell_reread(struct shell *s)
{
    const struct config_log log = { .fn = config_says, .arg = s };
    struct mom_out out = { .arena = s->arena };
    char mom_priv[PATH_MAX + 16];
    struct mom_config rules = { 0 };
    struct config fresh, old;

    snprintf(mom_priv, sizeof(mom_priv), "%s/mom_priv", s->home);
    /* Half of a configuration could open what a missing line was to close, so it is
     * taken as a whole. */
    if (!config_read(mom_priv, s->config_file, s->short_name, &log, &fresh)) {
        shell_log(s, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom",
                  "config file(s) parsing failed, keeping the old configuration");
        config_fini(&fresh);
        return false;
    }
    if (fresh.vnodes_add_up)
        vnode_list_keep(&fresh.vnodes, &s->config.vnodes, s->node_name);
    /* Nothing keeps texts of the old configuration: whoever needs one asks s->config
     * each time, or has copied it, and the core forgets those of its rules below. */
    old = s->config;
    s->config = fresh;
    logfile_set_mask(s->log, fresh.log_events);
    fill_rules(s, &rules);
    if (s->mock_runs)
        mock_set_wallmult(s->mock_runs, rules.wallmult);
    mom_set_rules(s->mom, clock_steady(), &rules, &out);
    config_fini(&old);
    job_groups_reread(s);
    servers_reread(s);
    if (!s->mock)
        restrict_reread(s);
    shell_report_vnodes(s, &out);
    shell_carry_out(s, &out);
    return true;
}

/* What cannot be read leaves the environment as it was. */
static void reread_environment(struct shell *s)
{
    struct diag why;
    int err = startup_environment(s->conf, &s->environment, &why);

    /* In between: the lines of the new log have the time zone of the file. */
    logfile_reopen(s->log);
    startup_log_environment(s->log, s->conf, &s->environment, err, &why);
}

static void on_hup(void *arg, int signo)
{
    struct shell *s = arg;

    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_NONE, "catch_hup", "caught signal %d",
                   signo);
    shell_log(s, LOG_EV_SYSTEM, LOG_IN_NONE, "process_hup", "reset");
    reread_environment(s);
    (void)shell_reread(s); /* it has said what was wrong */
    if (!s->mock)
        topology_ask(s);
}

static void on_turn_end(void *arg)
{
    struct shell *s = arg;

    tasks_tell_ended(s);
    if (!s->stopping) /* else shell_close() waits for the ends, too */
        signalling_turn_end(s);
    task_service_keep_limits(s->task_service);
    logfile_flush(s->log);
}

void shell_run(struct shell *s)
{
    static const struct {
        int signo;
        loop_signal_fn fn;
    } rows[] = { { SIGTERM, on_term }, { SIGXCPU, on_term }, { SIGXFSZ, on_term },
                 { SIGINT, on_int },   { SIGHUP, on_hup },   { SIGUSR1, on_noted },
                 { SIGUSR2, on_noted } };
    struct loop_signal *sig[ARRAY_LEN(rows)];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        sig[i] = loop_signal_new(s->loop, rows[i].signo, rows[i].fn, s);
    daemon_hears();
    /* A short job is a dozen lines. */
    logfile_gather(s->log, true);
    loop_at_turn_end(s->loop, on_turn_end, s);
    if (!s->stopping)
        loop_run(s->loop);
    logfile_gather(s->log, false);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        loop_signal_free(sig[i]);
}

void shell_close(struct shell *s)
{
    if (!s->loop)
        return;
    signalling_close(s); /* jobs may be dropped with it, so all else is still there */
    service_free(s->service);
    task_service_free(s->task_service);
    if (s->reachers)
        pool_free(s->reachers);
    monitor_close(s);
    demux_close_all(s);
    epilogues_close(s);
    checkpoints_close(s);
    restrict_close(s);
    leaf_free(s->leaf);
    if (s->askers)
        pool_free(s->askers);
    spawning_close(s);
    tasks_sample_close(s);
    tasks_close(s);
    records_close(&s->records);
    job_groups_close(s);
    topology_close(s);
    mock_free(s->mock_runs);
    loop_timer_free(s->timer);
    mom_free(s->mom);
    arena_free(s->arena);
    arena_free(s->decoding);
    loop_free(s->loop);
    config_fini(&s->config);
}
