/* svr_priv.h - what the files of the engine share; handlers, rules and reactions do not
 * include it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_SVR_PRIV_H
#define SERVER_ENGINE_SVR_PRIV_H

#include "server/decide/sched_link.h"
#include "server/engine/listing.h"
#include "server/engine/parked.h"
#include "server/engine/stop.h"
#include "server/engine/svr.h"
#include "server/engine/waiting.h"
#include "server/engine/watch.h"
#include "server/rules/rule.h"

struct moms;
struct moms_turn;
struct needs;

struct svr {
    struct svr_config cfg; /* texts owned */
    char *actor;           /* the server itself: "root@host" */
    struct model *m;
    struct pending_jobs *pending;
    struct denials *denials;
    struct moms *moms;
    struct sched_links links;
    struct svr_view view;
    struct waiting_table waiting;
    struct listings listings;
    struct parked_table parked;
    struct inquiries inquiries;
    struct facts *facts;
    struct host_book *hosts;
    struct watches watches;
    struct stop stop;
    uint64_t n_turns;   /* that were settled, as far as their share goes */
    uint64_t n_checked; /* by check_settled() */
    bool rest_had_turn; /* the last svr_go_on() was for what was put off */
    bool started;
    bool store_failed;
};

/* One input being carried out. */
struct turn {
    struct svr *s;
    int64_t now_at;
    struct effects *out;
};

static inline struct turn turn_begin(struct svr *s, int64_t now_at, struct effects *out)
{
    return (struct turn){ .s = s, .now_at = now_at, .out = out };
}

/* A decision whose texts live in the turn's arena. */
struct decision turn_decision(const struct turn *t);

/* learn.c: the request waits for what it has to know; 'let_in': it is past the access
 * lists. False: its user has too many that wait. */
bool wait_for_needs(struct turn *t, const struct request *rq, bool let_in, bool silent);
/* The rules of the object wait for what they have to know. */
void rules_wait(struct turn *t, struct watch *x, struct needs *needs);
/* Hosts whose addresses are not known yet are asked for. */
void ask_hosts(struct turn *t);
/* Answers that have not come in time, and when the next one is due. */
void give_up_answers(struct turn *t);
int64_t answers_deadline(const struct svr *s);

/* What the links to the MoMs need of a turn; '*d' becomes an empty decision for what
 * they have to record. */
struct moms_turn moms_turn(const struct turn *t, struct decision *d);

/* Number, complete, apply and tell the records of a decision, and its log lines. */
void take_up(struct turn *t, struct decision *d);

/* What follows from the turn: rules and MoM commands until nothing more is due or the
 * turn has had its share; when nothing is left, scheduler commands, and replies to
 * those who have waited long enough. Every input ends with it. */
void settle(struct turn *t);
/* Commands go to the schedulers that may be sent one. */
void pump_schedulers(struct turn *t);
/* What MoMs have told, as far as one turn's share goes. True when some of it is left:
 * what follows from it is put off until all of it is there. */
bool take_tidings(struct turn *t);
/* The same for what earlier turns have left. */
void settle_rest(struct turn *t);

/* What rules are given; they decide into 'arena', and note into 'needs' what they have
 * to know first. */
struct rule_context rule_context(const struct svr *s, int64_t now_at,
                                 struct arena *arena, struct needs *needs);
/* ... and what those of this object, which has the watch 'x' or none (NULL), know. */
void rules_know(struct rule_context *c, const struct watch *x);
/* Builds with checks: all who had to look have looked, and where they say. */
void check_settled(const struct turn *t);

/* Who waits is asked again in a later turn: something happened to the object, or the
 * time is over. */
void waiting_asks_again(struct turn *t, struct waiting_reply *w);
/* The time of a waiting reply is over. */
void wait_is_over(struct turn *t, struct waiting_reply *w);

/* A start: the requests that were kept and are not at their end go on. */
void carry_on_requests(struct turn *t);

/* Send a reply that does not wait. */
void send_reply(struct turn *t, uint64_t conn, const struct wire_reply *reply);

/* The reply is a listing: its first slice; a short one is sent at once. */
enum svr_outcome begin_listing(struct turn *t, const struct request *rq);

/* A refusal as a reply: a text when the code has one (wire.md 8.1). */
struct wire_reply refusal(struct arena *arena, int code, const char *text);

/* End a client connection after what went before. */
void close_conn(struct turn *t, uint64_t conn);

/* The request's connection becomes the scheduler's first or second one, and is told so
 * whatever the store does. */
enum svr_outcome sched_register(struct turn *t, const struct request *rq,
                                const char *sched);

/* The connection has ended: should it be a scheduler's, the other one is closed, and
 * whoever waits for a deferred run of his is told. */
void sched_conn_gone(struct turn *t, uint64_t conn);
/* Timed cycles: when the next one is due; those that are. */
int64_t cycles_deadline(const struct svr *s);
void wake_due_cycles(struct turn *t);

/* dry_runs.c: a parked request waits for what schedulers say to its dry run: those that
 * have to be given it are woken. */
void dry_runs_wake(struct turn *t, struct parked *p);
/* A scheduler asks for the next one, and may answer one: the act ACT_DRY_RUN. */
void dry_runs_next(struct turn *t, const struct request *rq, const struct act *a);
/* It is through with a command: what it was given and has not answered is put to it
 * again, a little later. */
void dry_runs_unanswered(struct turn *t, const char *sched);
/* It has gone: whoever waits for its word is told. */
void dry_runs_lost(struct turn *t, const char *sched);

/* Who waits for the deferred run of a job, NULL when nobody does. */
struct waiting_reply *waits_for_run(const struct svr *s, const char *job_id);
/* The deferred run of a job is answered; false when nobody waits for it. */
bool answer_deferred(struct turn *t, const char *job_id, int code, const char *text);

/* The rules of the object, and of all whose rules look at it, look again; before a
 * record about it and after. */
void touch_around(struct svr *s, const struct object *o, const struct record *rec);
/* A record about the server or a scheduler: the rules that look at settings do. */
void touch_for_settings(struct svr *s, const struct record *rec);
/* After a start, or when what rules know besides the model has changed. */
void touch_all(struct svr *s);

#endif
