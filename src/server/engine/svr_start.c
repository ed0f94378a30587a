/* svr_start.c - the server starts: default objects of a first start (operations.md 7),
 * or what the store has given back (operations.md 11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/edit.h"
#include "server/decide/hot_put_back.h"
#include "server/decide/job_end.h"
#include "server/decide/job_letter.h"
#include "server/decide/resv_proposal.h"
#include "server/engine/svr_priv.h"
#include "server/model/hot_start.h"
#include "server/model/job_state.h"
#include "server/model/resv_state.h"
#include "server/moms/moms.h"
#include "server/react/react.h"

#include <string.h>

#define DEFAULT_QUEUE "workq"
#define SCHEMA        "1"

struct starting {
    struct turn *t;
    struct decision d;
    struct request rq; /* the server itself asks */
    struct requester self;
};

static void begin_self(struct starting *st, struct turn *t)
{
    *st = (struct starting){ .t = t, .d = turn_decision(t) };
    /* The default objects are made by the server itself, with every right. */
    st->self = (struct requester){ .user = t->s->cfg.root_user,
                                   .host = t->s->cfg.server_host,
                                   .server_uid = true,
                                   .rights = WHO_ANYONE };
    st->rq = (struct request){ .who = &st->self,
                               .actor = t->s->actor,
                               .now_at = t->now_at,
                               .arena = t->out->arena,
                               .cfg = &t->s->cfg,
                               .view = &t->s->view };
}

static struct record *commit(struct starting *st, struct edit *e, enum fact fact,
                             enum obj_kind kind, const char *id)
{
    struct record *rec = decide(&st->d, &st->rq, fact, kind, id);

    edit_commit(e, st->d.arena, rec);
    edit_fini(e);
    return rec;
}

static void set_member(struct edit *e, int attr, const char *name, const char *text)
{
    int err = edit_set(e, attr, name, text, WIRE_OP_SET, NULL);

    MUST(err == 0);
    (void)err;
}

static void create_queue(struct starting *st)
{
    struct edit e;

    edit_init(&e, st->t->s->m, OBJ_QUEUE, NULL);
    edit_set_str(&e, QUEUE_A_QUEUE_TYPE, "Execution");
    /* The first queue takes and runs jobs at once, as in PBS. */
    edit_set_num(&e, QUEUE_A_ENABLED, 1);
    edit_set_num(&e, QUEUE_A_STARTED, 1);
    commit(st, &e, FACT_CREATED, OBJ_QUEUE, DEFAULT_QUEUE);
}

static void set_directory(struct starting *st, struct edit *e, int attr,
                          const char *name)
{
    const char *home = st->t->s->cfg.home;

    edit_set_str(e, attr, home ? arena_printf(st->d.arena, "%s/%s", home, name) : name);
}

static void create_sched(struct starting *st)
{
    struct edit e;

    edit_init(&e, st->t->s->m, OBJ_SCHED, NULL);
    edit_defaults(&e);
    edit_set_str(&e, SCHED_A_SCHED_HOST, st->t->s->cfg.server_host);
    edit_set_str(&e, SCHED_A_PARTITION, "pbs-default");
    edit_set_num(&e, SCHED_A_SCHEDULING, 1);
    set_directory(st, &e, SCHED_A_SCHED_PRIV, "sched_priv");
    set_directory(st, &e, SCHED_A_SCHED_LOG, "sched_logs");
    commit(st, &e, FACT_CREATED, OBJ_SCHED, "default");
}

/* The hooks that tools expect to find: there, and switched off. */
/* clang-format off */
static const struct {
    const char *name, *type, *event, *fail_action;
    int order, alarm_s, freq_s;
} shipped_hooks[] = {
    { "pbs_cgroups", "site",
      "execjob_begin,execjob_epilogue,execjob_end,execjob_launch,execjob_attach,"
      "execjob_resize,execjob_abort,execjob_postsuspend,execjob_preresume,"
      "exechost_periodic,exechost_startup",
      "offline_vnodes", 100, 90, 120 },
    { "PBS_alps_inventory_check", "pbs", "exechost_periodic", "none", 1, 90, 300 },
    { "PBS_power", "pbs",
      "periodic,execjob_begin,execjob_prologue,execjob_epilogue,execjob_end,"
      "exechost_periodic,exechost_startup",
      "none", 2000, 180, 300 },
    { "PBS_cray_atom", "pbs", "execjob_begin,execjob_end", "offline_vnodes",
      100, 300, 120 },
};
/* clang-format on */

static void create_hook(struct starting *st, size_t i)
{
    struct edit e;

    edit_init(&e, st->t->s->m, OBJ_HOOK, NULL);
    edit_defaults(&e);
    edit_set_str(&e, HOOK_A_TYPE, shipped_hooks[i].type);
    /* Switched off: this server does not run them. */
    edit_set_num(&e, HOOK_A_ENABLED, 0);
    edit_set_str(&e, HOOK_A_EVENT, shipped_hooks[i].event);
    edit_set_num(&e, HOOK_A_ALARM, shipped_hooks[i].alarm_s);
    edit_set_num(&e, HOOK_A_FREQ, shipped_hooks[i].freq_s);
    edit_set_num(&e, HOOK_A_ORDER, shipped_hooks[i].order);
    edit_set_str(&e, HOOK_A_FAIL_ACTION, shipped_hooks[i].fail_action);
    commit(st, &e, FACT_CREATED, OBJ_HOOK, shipped_hooks[i].name);
}

/* On a first start all of them; later those that only a newer version brings. One that
 * the site has deleted does not come back: only shipped ones of type pbs cannot be
 * deleted. */
static void create_hooks(struct starting *st, bool first)
{
    for (size_t i = 0; i < ARRAY_LEN(shipped_hooks); i++) {
        bool pbs = strcmp(shipped_hooks[i].type, "pbs") == 0;

        if ((first || pbs) && !model_find(st->t->s->m, OBJ_HOOK, shipped_hooks[i].name))
            create_hook(st, i);
    }
}

static void create_server(struct starting *st)
{
    struct model *m = st->t->s->m;
    struct edit e;

    edit_init(&e, m, OBJ_SERVER, m->server);
    edit_defaults(&e);
    edit_set_str(&e, SERVER_A_DEFAULT_QUEUE, DEFAULT_QUEUE);
    set_member(&e, SERVER_A_RESOURCES_DEFAULT, "ncpus", "1");
    set_member(&e, SERVER_A_DEFAULT_CHUNK, "ncpus", "1");
    edit_set_num(&e, SERVER_A_JOB_HISTORY_ENABLE, 0);
    edit_set_num(&e, SERVER_A_HF_NEXT_NUMBER, 0);
    edit_set_str(&e, SERVER_A_HF_HOLDFAST, SCHEMA);
    commit(st, &e, FACT_CREATED, OBJ_SERVER, m->server->id);
}

static void create_defaults(struct turn *t)
{
    struct starting st;

    begin_self(&st, t);
    create_server(&st);
    create_queue(&st);
    create_sched(&st);
    create_hooks(&st, true);
    take_up(t, &st.d);
}

static void create_missing_hooks(struct turn *t)
{
    struct starting st;

    begin_self(&st, t);
    create_hooks(&st, false);
    take_up(t, &st.d);
}

/* Times that are not shown once they were unset, and are from the next start on
 * (attributes.md 17). What they do is the same in between. */
static const int back_at_start[] = {
    SERVER_A_NODE_FAIL_REQUEUE,
    SERVER_A_RESEND_TERM_DELAY,
};

static void bring_times_back(struct turn *t)
{
    const struct object *o = t->s->m->server;
    struct starting st;
    struct edit e;
    size_t n = 0;

    edit_init(&e, t->s->m, OBJ_SERVER, o);
    for (size_t i = 0; i < ARRAY_LEN(back_at_start); i++)
        if (!obj_is_set(o, back_at_start[i])) {
            edit_set_str(&e, back_at_start[i], server_rows[back_at_start[i]].dflt);
            n++;
        }
    begin_self(&st, t);
    if (n)
        commit(&st, &e, FACT_SET, OBJ_SERVER, o->id);
    else
        edit_fini(&e);
    take_up(t, &st.d);
}

/* "Requeued" is what it is called for every job, running ones too. */
static void log_recovered_job(struct turn *t, const struct object *o)
{
    const char *queue = obj_str(o, JOB_A_QUEUE, "");

    effect_log(t->out, t->s->m->seq, LOG_EV_DEBUG2, LOG_IN_JOB, o->id,
               "enqueuing into %s, state %c hop %" PRId64, queue, job_state(TO_JOB(o)),
               obj_num(o, JOB_A_HOP_COUNT, 1));
    effect_log(t->out, t->s->m->seq, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG,
               LOG_IN_JOB, o->id,
               "Requeueing job, substate: %" PRId64 " Requeued in queue: %s",
               job_substate(TO_JOB(o)), queue);
}

/* The queue of a confirmed one is told of as when it was opened (reservations.md 6). */
static void log_recovered_resv(struct turn *t, const struct object *o,
                               const char *server)
{
    const struct resv *r = TO_RESV(o);

    effect_log(t->out, t->s->m->seq, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG,
               LOG_IN_SERVER, server, "Recovered reservation %s", o->id);
    if (!r->queue || !phase_is_confirmed(resv_phase(r)))
        return;
    effect_log(t->out, t->s->m->seq, LOG_EV_ADMIN, LOG_IN_QUEUE, r->queue->obj.id,
               "attributes set:  at request of pbs_server@%s", t->s->cfg.server_host);
    effect_log(t->out, t->s->m->seq, LOG_EV_ADMIN, LOG_IN_QUEUE, r->queue->obj.id,
               "attributes set: enabled = True");
}

static void log_recovered(struct turn *t)
{
    const struct model *m = t->s->m;
    const char *server = log_server_name(&t->s->cfg, t->out->arena);

    /* The order of the lines is PBS's. */
    MODEL_EACH (m, OBJ_QUEUE, o) {
        effect_log(t->out, m->seq, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG,
                   LOG_IN_SERVER, server, "Recovered queue %s", o->id);
    }
    MODEL_EACH (m, OBJ_HOOK, o) {
        effect_log(t->out, m->seq, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG,
                   LOG_IN_SERVER, server, "Found hook %s type=%s", o->id,
                   obj_str(o, HOOK_A_TYPE, "site"));
    }
    MODEL_EACH (m, OBJ_RESV, o) {
        log_recovered_resv(t, o, server);
    }
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        log_recovered_job(t, o);
    }
    effect_log(t->out, m->seq, LOG_EV_SYSTEM, LOG_IN_SERVER, server,
               "Recovered %zu jobs", m->kinds[OBJ_JOB].n);
}

static void mail_aborted(struct turn *t, const struct object *o)
{
    if (job_wants_letter(o, LETTER_ABORT))
        job_letter(t->out, t->s->m->seq, o,
                   "Aborted by PBS Server \n"
                   "Job aborted on PBS Server initialization\n");
}

/* A cold start gives up every job, whatever its MoM says later (operations.md 11). */
static void abort_jobs(struct turn *t)
{
    struct decision d = turn_decision(t);

    MODEL_EACH_LIVE(t->s->m, OBJ_JOB, o)
    {
        /* An array takes its subjobs along. */
        if (!TO_JOB(o)->parent)
            job_delete_records(t->s->m, TO_JOB(o), t->s->actor, t->now_at,
                               JOB_END_FORCE | JOB_END_NOMAIL, &d);
    }
    /* The mails are written while the jobs are still there. */
    MODEL_EACH_LIVE(t->s->m, OBJ_JOB, o)
    {
        mail_aborted(t, o);
    }
    take_up(t, &d);
}

/* The jobs of a server that was renamed show its new name (attributes.md 10). */
static void rename_in_jobs(struct turn *t)
{
    const char *name = t->s->cfg.server_name;
    struct decision d = turn_decision(t);

    MODEL_EACH (t->s->m, OBJ_JOB, o) {
        struct record *rec;

        if (strcmp(obj_str(o, JOB_A_SERVER, name), name) == 0)
            continue;
        rec = record_add(&d.records, d.arena, FACT_SET, OBJ_JOB, o->id, t->s->actor,
                         t->now_at);
        record_change(rec, d.arena, JOB_A_SERVER, NULL, name);
    }
    take_up(t, &d);
}

/* A hot start looks for the jobs that ran before; any other one forgets them. */
static void remember_runs(struct turn *t, enum svr_start type)
{
    const struct svr *s = t->s;
    struct decision d = turn_decision(t);

    if (type == SVR_HOT)
        hot_start_begin(s->m, s->actor, t->now_at, &d);
    else
        hot_start_end(s->m, s->actor, t->now_at, &d);
    take_up(t, &d);
    if (hot_start_is_on(s->m))
        effect_log(t->out, s->m->seq, LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_IN_SERVER,
                   log_server_name(&s->cfg, t->out->arena),
                   "Hot start: %zu jobs ran before", s->m->n_hot);
}

/* Nothing of an alteration that was open has been made, and nobody waits for it any
 * more. Questions about new and degraded reservations are put again by their rules. */
static void drop_alterations(struct turn *t)
{
    struct decision d = turn_decision(t);

    proposal_drop_all(t->s->m, t->s->actor, t->now_at, &d);
    take_up(t, &d);
}

/* What was sent of jobs that were leaving is not known any more: the other server is
 * asked until it says whether it has them. */
static void doubt_transfers(struct turn *t)
{
    struct decision d = turn_decision(t);

    MODEL_EACH_LIVE(t->s->m, OBJ_JOB, o)
    {
        struct record *rec;

        if (!job_is_leaving(TO_JOB(o)))
            continue;
        rec = record_add(&d.records, d.arena, FACT_JOB_WAVERS, OBJ_JOB, o->id,
                         t->s->actor, t->now_at);
        rec->note = arena_printf(d.arena, "%d %s", PBSE_SYSTEM,
                                 reason_text(REASON_SERVER_BEGAN));
        record_change(rec, d.arena, JOB_A_HF_MOVE_DOUBT, NULL, "True");
        record_change(rec, d.arena, JOB_A_HF_MOVE_AGAIN_AT, NULL, NULL);
    }
    take_up(t, &d);
}

static void start_moms(struct turn *t)
{
    struct decision d;
    struct moms_turn mt = moms_turn(t, &d);

    moms_start(t->s->moms, &mt);
    take_up(t, &d);
}

void svr_start(struct svr *s, int64_t now_at, enum svr_start type, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);

    MUST(!s->started);
    s->started = true;
    /* A new store gets its first objects. Any other start begins with what was
     * stored. */
    if (type == SVR_CREATE) {
        create_defaults(&t);
    } else {
        log_recovered(&t);
        create_missing_hooks(&t);
        bring_times_back(&t);
        rename_in_jobs(&t);
        drop_alterations(&t);
        doubt_transfers(&t);
    }
    if (type == SVR_COLD)
        abort_jobs(&t);
    carry_on_requests(&t);
    /* A cold start has given up the jobs already, and a hot one must know of them
     * before the MoMs are heard. */
    remember_runs(&t, type);
    start_moms(&t);
    /* Whatever fell due while the server was away is found now. */
    touch_all(s);
    settle(&t);
}
