/* resv_world.h - a small cluster for the tests of reservations: the server's core with
 * five vnodes of two cpus, a scheduler that is played by the test, and a clock that is
 * a number.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SERVER_RESV_WORLD_H
#define TEST_UNIT_SERVER_RESV_WORLD_H

#include "server/engine/svr.h"
#include "server/model/node_life.h"
#include "server/model/resv_state.h"

#include "../unit.h"

#define NOW          1795247571
#define CONN_SCHED   1
#define CONN_SCHED2  2
#define CONN_SECOND  3 /* of another scheduler */
#define CONN_SECOND2 4
#define CONN_USER    7
#define CONN_OTHER   8

struct world {
    struct svr *s;
    struct arena *arena; /* of everything since world_clear() */
    struct effects out;
    int64_t now_at;
};

/* What a slice costs in worlds that are made from now on; 0: the default (config.h). */
extern size_t world_slice_cost;

/* A server that has run for a while, with the vnodes vn[0] .. vn[4], free, and nothing
 * else; with a scheduler attached that waits for commands. */
void world_new(struct world *w);
void world_free(struct world *w);

/* Forget the effects so far. */
void world_clear(struct world *w);

/* What would be stored becomes a new server, which must have the same model. Holds and
 * links are lost; the scheduler registers again. */
void world_restart(struct world *w);
/* The same, and no MoM reports afterwards. */
void world_restart_silent(struct world *w);

/* A fact from elsewhere: one attribute of an object changes (or the object is made). */
void world_fact(struct world *w, enum fact fact, enum obj_kind kind, const char *id,
                int attr, const char *resource, const char *text);
void world_vnode(struct world *w, const char *name, uint32_t bits);
void world_server(struct world *w, int attr, const char *resource, const char *text);

/* A job: running on 'exec_vnode' since now, or queued when that is NULL. Its end. */
void world_job(struct world *w, const char *id, const char *queue,
               const char *exec_vnode, const char *walltime);
/* A running one is suspended with admin-suspend, and its vnodes are in maintenance. */
void world_job_stands(struct world *w, const char *id);
void world_job_end(struct world *w, const char *id);

/* A scheduler registers its two connections. */
void world_attach(struct world *w, const char *sched, uint64_t primary,
                  uint64_t secondary);
/* The default scheduler goes, and comes again as ours does: its cycles may be cut. */
void world_attach_ours(struct world *w);

/* Requests. Attributes as "name[.resource]=value", separated by '|'. */
void world_submit(struct world *w, const char *user, const char *attrs);
void world_submit_as(struct world *w, const struct requester *who, const char *extend,
                     const char *id, const char *attrs);
void world_confirm(struct world *w, const char *id, const char *vnodes);
void world_confirm_at(struct world *w, const struct requester *who, const char *id,
                      const char *vnodes, uint64_t start_at, const char *extend);
void world_deny(struct world *w, const char *id);
/* 'extend' NULL or "force". */
void world_modify(struct world *w, const char *user, const char *id, const char *attrs,
                  const char *extend);
/* A no with an extension of its own. */
void world_deny_with(struct world *w, const char *id, const char *extend);
/* What a status shows to that user, "" when nothing; 'extend' as in the request. */
const char *world_shown(struct world *w, const char *user, const char *id,
                        const char *attr, const char *resource, const char *extend);
/* What a status shows to root of a vnode. */
const char *world_vnode_shown(struct world *w, const char *vnode, const char *attr,
                              const char *resource);
void world_delete(struct world *w, const char *user, const char *id);
/* ResvAct (enum resv_act, flags, occurrence), and what the one object of a status
 * shows.
 */
void world_act(struct world *w, const char *user, uint32_t what, uint32_t flags,
               uint32_t occurrence, const char *id, const char *attrs);
const char *world_occurrence_shown(struct world *w, const char *id, uint32_t occurrence,
                                   const char *attr, const char *resource);

/* There is a second scheduler, "second" of the partition "p2", and it is attached. */
void world_second_sched(struct world *w);

/* The scheduler says that it is through, until no further command comes. */
void world_sched_done(struct world *w);

/* Go to an instant, stopping at every deadline on the way. */
void world_go(struct world *w, int64_t at);

/* What has left since world_clear(). */
const struct wire_reply *world_reply(const struct world *w, uint64_t conn);
int world_reply_code(const struct world *w, uint64_t conn);         /* -1: none */
const char *world_reply_text(const struct world *w, uint64_t conn); /* "" when none */
/* The text of the n-th accounting line of that type, NULL when there are fewer. */
const char *world_account(const struct world *w, char type, size_t n);
size_t world_count_log(const struct world *w, const char *text);
/* The log lines about that object, each with a newline behind it. */
const char *world_log_of(const struct world *w, const char *object);
size_t world_count_mail(const struct world *w, const char *line);
bool world_has_record(const struct world *w, enum fact fact, enum obj_kind kind,
                      const char *id);
size_t world_count_fact(const struct world *w, enum fact fact);
/* True when the scheduler was sent that command. */
bool world_commanded(const struct world *w, int32_t command);

/* An attribute's text, "" when unset or when there is no such object. */
const char *world_attr(struct world *w, enum obj_kind kind, const char *id, int attr,
                       const char *resource);
/* "5/10", "gone" */
const char *world_phase(struct world *w, const char *id);
/* Assigned cpus of a vnode by the model's links. */
int64_t world_assigned(const struct world *w, const char *vnode);

/* A confirmed reservation R1.svr of user1 from 'start_at' for 'length_s' seconds with
 * one chunk of two cpus on each of 'n' vnodes from vn[0] on; the effects are cleared.
 */
void world_reserve(struct world *w, size_t n, int64_t start_at, int64_t length_s);

/* A decision of the test's own comes about. */
void world_take(struct world *w, struct decision *d);

/* A later occurrence "R1[n].svr" of that reservation, confirmed. */
void world_later(struct world *w, int64_t index, int64_t start_at, int64_t length_s,
                 const char *vnodes);

#define EXPECT_TEXT(got, expect)                                                       \
    do {                                                                               \
        const char *got_ = (got), *expect_ = (expect);                                 \
        if (!got_ || strcmp(got_, expect_) != 0)                                       \
            fprintf(stderr, "%s:%d: '%s', expected '%s'\n", __FILE__, __LINE__,        \
                    got_ ? got_ : "(none)", expect_);                                  \
        CU_ASSERT_TRUE(got_ &&strcmp(got_, expect_) == 0);                             \
    } while (0)

#endif
