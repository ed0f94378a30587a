/* host.c - see host.h. Here are the MoM's life, its inputs and its clock; its processes
 * and files are in host_tasks.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_ADDR 0x0a000001
#define SERVER_PORT 15001
#define FIRST_ADDR  0x0a000010
#define TICKS_MAX   20 /* at one instant */
#define KBD_IDLE_S  40 /* the rules of $kbd_idle */
#define KBD_BUSY_S  5
#define KBD_POLL_S  3
#define TOPOLOGY                                                                       \
    "hwloc<?xml version=\"1.0\"?><topology><object type=\"Machine\"><object "          \
    "type=\"Socket\" os_index=\"0\"></object></object></topology>"

void host_init(struct sim *s, size_t index)
{
    struct mom_host *h = &s->hosts[index];

    *h = (struct mom_host){ .sim = s,
                            .index = index,
                            .addr = FIRST_ADDR + (uint32_t)index,
                            .last_session = 1000,
                            .timer_at = INT64_MAX };
    snprintf(h->name, sizeof(h->name), "h%zu", index + 1);
}

static void free_mom(struct mom_host *h)
{
    host_forget_tasks(h);
    mom_free(h->mom);
    h->mom = NULL;
}

void host_fini(struct mom_host *h)
{
    if (!h->sim)
        return;
    free_mom(h);
    host_kill_runs(h);
    disk_fini(&h->disk);
    storms_fini(&h->storms);
}

int64_t host_now_at(const struct mom_host *h)
{
    return sim_now_at(h->sim) + h->boot_clock_s;
}

void host_set_clock(struct mom_host *h, int64_t ahead_s)
{
    sim_trace(h->sim, "host %s: its clock is set, %" PRId64 " s ahead", h->name,
              ahead_s);
    h->clock_s = ahead_s;
}

/* Can records be written? */
static void try_note(struct mom_host *h, struct mom_out *out)
{
    struct diag why;

    diag_set(&why, PBSE_SYSTEM, "No space left on device");
    mom_noted(h->mom, host_now_at(h), h->disk.is_full ? &why : NULL, out);
}

/* The server's leaf is the first. */
static size_t leaf_index(const struct mom_host *h)
{
    return h->index + 1;
}

/* Effects. */

bool host_dies_here(struct mom_host *h)
{
    if (h->dies_after > 0 && --h->dies_after == 0)
        h->is_dying = true;
    return h->is_dying;
}

/* In bad weather it is said twice. */
static void say(struct mom_host *h, uint64_t stream, const struct buf *b,
                bool to_server)
{
    struct sim *s = h->sim;
    bool twice = sweep_doubles(s, leaf_index(h), to_server);

    comm_send(s, leaf_index(h), stream, b->data, b->len);
    if (rnd_percent(&s->rnd, s->weather.twice_percent) || twice)
        comm_send(s, leaf_index(h), stream, b->data, b->len);
}

static void send_message(struct mom_host *h, uint64_t stream,
                         const struct is_message *msg)
{
    struct buf b = { 0 };

    if (h->silent && msg->command == IS_CMD_REPLY)
        return;
    is_encode(&b, msg);
    say(h, stream, &b, true);
    buf_fini(&b);
    if (sweep_mom_tells(h->sim, h))
        h->is_dying = true;
}

static void send_im(struct mom_host *h, uint64_t stream, const struct im_message *msg)
{
    struct buf b = { 0 };

    im_encode(&b, msg);
    say(h, stream, &b, false);
    buf_fini(&b);
    if (sweep_mom_says(h->sim, h))
        h->is_dying = true;
}

static void reach(struct mom_host *h, const char *host, uint32_t port,
                  struct mom_out *out)
{
    struct sim *s = h->sim;
    uint64_t stream = 0;

    for (int i = 0; i < s->cluster.n_hosts; i++) {
        const struct tpp_addr peer =
            tpp_addr_ipv4(FIRST_ADDR + (uint32_t)i, (uint16_t)port);

        if (strcmp(s->hosts[i].name, host) == 0)
            stream = comm_open(s, leaf_index(h), &peer);
    }
    mom_reached(h->mom, host_now_at(h), host, port, stream, out);
}

static void connect_to_server(struct mom_host *h, struct mom_out *out)
{
    const struct tpp_addr server = tpp_addr_ipv4(SERVER_ADDR, SERVER_PORT);
    uint64_t stream = comm_open(h->sim, leaf_index(h), &server);

    mom_connected(h->mom, host_now_at(h), stream, (int)stream, out);
}

static int64_t idle_s(const struct mom_host *h)
{
    return h->is_typed_at ? 0 : (h->sim->clock.now_ms - h->touched_ms) / 1000;
}

static void carry_out(struct mom_host *h, const struct mom_effect *e,
                      struct mom_out *out)
{
    switch (e->kind) {
    case MOM_CONNECT:
        connect_to_server(h, out);
        break;
    case MOM_SEND:
        send_message(h, e->stream, &e->u.msg);
        break;
    case MOM_SEND_IM:
        send_im(h, e->stream, &e->u.im);
        break;
    case MOM_REACH:
        reach(h, e->u.reach.host, e->u.reach.port, out);
        break;
    case MOM_ANSWER_TASK: /* tasks of the simulation believe what they see */
        break;
    case MOM_CLOSE:
        if (!(e->stream & MOM_TASK_CONNECTION))
            comm_close(h->sim, leaf_index(h), e->stream);
        break;
    case MOM_TRY_NOTE:
        try_note(h, out);
        break;
    case MOM_READ_LOAD:
        mom_host_load(h->mom, host_now_at(h), h->is_busy ? 9 : 0, out);
        break;
    case MOM_READ_IDLE:
        mom_host_idle(h->mom, host_now_at(h), idle_s(h), out);
        break;
    case MOM_LOG:
        sim_trace(h->sim, "mom %s: %s: %s", h->name, e->u.log.object, e->u.log.text);
        break;
    case MOM_EXIT:
        h->is_dying = true;
        break;
    default:
        h->executor.carry_out(h->executor.self, host_now_at(h), e, out);
    }
}

struct mom_out host_input(struct mom_host *h)
{
    MUST(h->mom);
    return (struct mom_out){ .arena = arena_new() };
}

static void set_timer(struct mom_host *h);

void host_end_input(struct mom_host *h, struct mom_out *out)
{
    for (size_t i = 0; i < out->n && !host_dies_here(h); i++) {
        const struct mom_effect e = out->v[i];

        carry_out(h, &e, out);
    }
    arena_free(out->arena);
    if (h->is_dying)
        host_kill_mom(h);
    else
        set_timer(h);
}

/* Time. */

struct timer {
    struct mom_host *host;
    uint64_t life;
    int64_t at;
};

static void check_deadline(struct mom_host *h)
{
    struct sim *s = h->sim;

    if (mom_recount_deadline(h->mom) < mom_next_deadline(h->mom))
        check_failed(s, CHECK_QUIET, "mom %s: a job's deadline was forgotten", h->name);
    h->n_ticks = h->ticked_ms == s->clock.now_ms ? h->n_ticks + 1 : 0;
    h->ticked_ms = s->clock.now_ms;
    if (h->n_ticks > TICKS_MAX)
        check_failed(s, CHECK_QUIET, "mom %s: its deadline does not pass", h->name);
}

static void tick(struct sim *s UNUSED, void *arg)
{
    const struct timer *t = arg;
    struct mom_host *h = t->host;
    struct mom_out out;

    if (!h->mom || h->life != t->life || h->timer_at != t->at)
        return;
    h->timer_at = INT64_MAX;
    check_deadline(h);
    out = host_input(h);
    mom_tick(h->mom, host_now_at(h), &out);
    host_end_input(h, &out);
}

static void set_timer(struct mom_host *h)
{
    int64_t at = mom_next_deadline(h->mom);
    struct timer *t;

    if (at == h->timer_at)
        return;
    h->timer_at = at;
    if (at == INT64_MAX)
        return;
    t = xmalloc(sizeof(*t));
    *t = (struct timer){ h, h->life, at };
    clock_post(&h->sim->clock, (at - h->boot_clock_s) * 1000, tick, t, free);
}

/* Life and death of the MoM. */

static const uint32_t servers[] = { SERVER_ADDR };

static struct mom_config config_of(const struct mom_host *h)
{
    return (struct mom_config){
        .host = h->name,
        .node_name = h->name,
        .version = "23.06.06",
        .port = HOST_MOM_PORT,
        .server_port = SERVER_PORT,
        .server_host = h->sim->name,
        .mem_kb = 1 << 20,
        .topology = TOPOLOGY,
        .n_server_ips = ARRAY_LEN(servers),
        .server_ips = servers,
        .min_check_poll_s = 10,
        .max_check_poll_s = 120,
        .cputmult = 1,
        .wallmult = 1,
        .checkpoints = h->sim->images,
        .checkpoint_aborts = h->sim->images,
        .ends_by = h->sim->ends_by_script ? "/end" : NULL,
        .runs_epilogues = true,
        .has_max_load = h->is_watched,
        .load_suspends = h->is_watched,
        .max_load = 4,
        .ideal_load = 2,
        .busy_requeues = h->sends_on,
        .has_kbd_idle = h->has_keyboard,
        .kbd_idle_s = KBD_IDLE_S,
        .kbd_busy_s = KBD_BUSY_S,
        .kbd_poll_s = KBD_POLL_S,
    };
}

static void make_core(struct mom_host *h)
{
    const struct mom_config cfg = config_of(h);

    h->mom = mom_new(&cfg);
    h->executor = host_executor(h);
}

void host_reads_rules(struct mom_host *h)
{
    const struct mom_config cfg = config_of(h);
    struct mom_out out;

    if (!h->mom)
        return;
    out = host_input(h);
    mom_set_rules(h->mom, host_now_at(h), &cfg, &out);
    host_end_input(h, &out);
}

void host_is_busy(struct mom_host *h, bool is_busy)
{
    bool was_watched = h->is_watched;

    h->is_watched = true;
    h->is_busy = is_busy;
    if (!was_watched)
        host_reads_rules(h);
}

void host_sends_on(struct mom_host *h)
{
    h->sends_on = true;
    host_reads_rules(h);
}

void host_is_typed_at(struct mom_host *h, bool is_typed_at)
{
    bool was_watched = h->has_keyboard;

    if (h->is_typed_at)
        h->touched_ms = h->sim->clock.now_ms;
    h->has_keyboard = true;
    h->is_typed_at = is_typed_at;
    if (!was_watched)
        host_reads_rules(h);
}

/* The MoM's own vnode has no cpus: jobs go to the others. */
static void report_vnodes(struct mom_host *h, struct mom_out *out)
{
    const struct cluster *c = &h->sim->cluster;
    int n = c->vnodes_per_host;
    struct is_vnode *v = ARENA_ARRAY(out->arena, struct is_vnode, (size_t)n + 1);

    for (int i = 0; i <= n; i++) {
        const char *ncpus = arena_printf(out->arena, "%d", i == 0 ? 0 : c->ncpus);
        struct is_vnode_attr *a = ARENA_ARRAY(out->arena, struct is_vnode_attr, 2);

        a[0] = (struct is_vnode_attr){ .name = "resources_available.ncpus",
                                       .value = ncpus };
        a[1] =
            (struct is_vnode_attr){ .name = "resources_available.mem", .value = "1gb" };
        v[i].name = i == 0
                        ? h->name
                        : arena_printf(out->arena, "vn[%d]", (int)h->index * n + i - 1);
        v[i].attrs = a;
        v[i].n = 2;
    }
    mom_set_vnodes(h->mom, host_now_at(h), host_now_at(h), (size_t)n + 1, v, out);
}

/* The network. */

static void on_message(struct sim *s, size_t leaf, uint64_t stream,
                       const struct tpp_addr *peer, const char *data, size_t len)
{
    struct mom_host *h = &s->hosts[leaf - 1];
    bool is_of_mom = im_protocol_of(data, len) == IM_PROTOCOL;
    struct mom_out out;
    struct is_message msg;
    struct im_message im;
    bool known;

    if (is_of_mom ? sweep_mom_hears(s, h) : sweep_mom_is_told(s, h))
        return;
    out = host_input(h);
    if (is_of_mom) {
        if (im_decode(data, len, out.arena, &im) == DIS_OK)
            mom_im(h->mom, host_now_at(h), stream, peer, &im, &out);
        else
            check_failed(s, CHECK_WIRE, "a message between MoMs cannot be decoded");
    } else if (is_decode(data, len, false, out.arena, &msg, &known) != DIS_OK || !known)
        check_failed(s, CHECK_WIRE, "a message to a MoM cannot be decoded");
    else {
        check_storm(h, &msg);
        mom_message(h->mom, host_now_at(h), stream, peer, &msg, known, &out);
    }
    host_end_input(h, &out);
}

static void on_closed(struct sim *s, size_t leaf, uint64_t stream)
{
    struct mom_host *h = &s->hosts[leaf - 1];
    struct mom_out out = host_input(h);

    mom_stream_closed(h->mom, host_now_at(h), stream, &out);
    host_end_input(h, &out);
}

static void on_router(struct sim *s, size_t leaf, bool is_up)
{
    struct mom_host *h = &s->hosts[leaf - 1];
    struct mom_out out = host_input(h);

    if (is_up)
        mom_router_up(h->mom, host_now_at(h), &out);
    else
        mom_router_down(h->mom, host_now_at(h), &out);
    host_end_input(h, &out);
}

static const struct leaf_ops ops = { on_message, on_closed, on_router };

void host_cut_off(struct mom_host *h, bool cut_off)
{
    sim_trace(h->sim, "mom %s: %s", h->name,
              cut_off ? "is cut off" : "is reachable again");
    h->cut_off = cut_off;
    comm_leaf_away(h->sim, leaf_index(h), cut_off);
}

void host_start_mom(struct mom_host *h, bool kill_jobs)
{
    const struct tpp_addr addr = tpp_addr_ipv4(h->addr, HOST_MOM_PORT + 1);
    struct mom_out out;

    if (h->mom)
        return;
    sim_trace(h->sim, "mom %s: starts%s", h->name, kill_jobs ? " with -r" : "");
    h->life++;
    h->up_ms = h->sim->clock.now_ms;
    h->timer_at = INT64_MAX;
    make_core(h);
    host_recover(h);
    out = host_input(h);
    report_vnodes(h, &out);
    mom_start(h->mom, host_now_at(h), kill_jobs, &out);
    host_end_input(h, &out);
    if (h->mom)
        comm_leaf_start(h->sim, leaf_index(h), &addr, &ops);
}

void host_kill_mom(struct mom_host *h)
{
    if (!h->mom)
        return;
    sim_trace(h->sim, "mom %s: stops", h->name);
    comm_leaf_stop(h->sim, leaf_index(h));
    h->is_dying = false;
    h->dies_after = 0;
    free_mom(h);
}

void host_end_mom(struct mom_host *h, bool kill_jobs)
{
    struct mom_out out;

    if (!h->mom)
        return;
    out = host_input(h);
    mom_stop(h->mom, host_now_at(h), kill_jobs, &out);
    host_end_input(h, &out);
}

void host_crash(struct mom_host *h)
{
    host_kill_mom(h);
    host_kill_runs(h);
    h->boot_clock_s = h->clock_s;
}
