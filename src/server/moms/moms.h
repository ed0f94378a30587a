/* moms.h - the links to the MoMs: who has said hello on which stream, which commands
 * are unanswered, and what every job on its way wants from its MoM next.
 *
 * Nothing here outlives the process. What a MoM must be told is derived from the state
 * of the jobs and of its link: after a restart, a reconnection or a lost message the
 * same derivation sends it again. So the model says what is true, and this room says
 * what has to be sent because of it.
 *
 * The engine owns one 'struct moms'. For each input it calls the function below that
 * fits, takes up the records of the decision, calls moms_touch() for every record it
 * applied, and then moms_pump() until a call adds no record. Effects for MoMs leave
 * with the number of the last record applied, so nothing overtakes what it is about.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MOMS_MOMS_H
#define SERVER_MOMS_MOMS_H

#include "server/decide/config.h"
#include "server/decide/effect.h"
#include "server/decide/host_book.h"
#include "server/decide/request.h"

struct moms;

/* One turn: what is known, and where records and effects go. The texts of records live
 * in out->arena. */
struct moms_turn {
    const struct model *m;
    const struct svr_config *cfg;
    int64_t now_at;
    const char *actor;    /* the server itself: "root@host" */
    struct decision *out; /* records to be taken up */
    struct effects *effects;
};

/* The hosts that vnodes name are put into 'hosts', which outlives it. */
struct moms *moms_new(struct host_book *hosts);
void moms_free(struct moms *ms);

/* After svr_loaded(): every vnode's last known availability holds for the node wait,
 * and every job on its way is looked at. */
void moms_start(struct moms *ms, struct moms_turn *t);

/* Inputs (svr.h). An unknown or forbidden peer is logged and its stream closed. */
void moms_message(struct moms *ms, struct moms_turn *t, uint64_t stream,
                  const char *host, uint32_t port, const struct is_message *msg);
void moms_lost(struct moms *ms, struct moms_turn *t, uint64_t stream);
void moms_router_lost(struct moms *ms, struct moms_turn *t);
void moms_router_back(struct moms *ms, struct moms_turn *t);

/* Something was found out about a host in 'hosts', or given up: MoMs that said hello
 * while their host was not known are looked at again. NULL: about any host. */
void moms_host_learned(struct moms *ms, struct moms_turn *t, const char *host);

/* Send a client's request to the MoMs of 'n' running jobs, one or more. When all of
 * them have answered, that becomes the reply on 'conn' (0: nobody waits): the first
 * failure, if there is one. A MoM without a link answers 15070. A signal is sent under
 * the id of each job; other requests go as they are, and to one job. */
void moms_forward(struct moms *ms, struct moms_turn *t, uint64_t conn, size_t n,
                  const char *const *job_ids, const struct wire_request *rq);

/* Every MoM with a link is told to end (IS_SHUTDOWN). */
void moms_shutdown(struct moms *ms, struct moms_turn *t);

/* A record was applied: its job or vnode is looked at by the next pump. */
void moms_touch(struct moms *ms, const struct record *rec);

/* What MoMs tell of thousands of vnodes and jobs, and the end of the stream of such a
 * MoM, is taken up in parts. While moms_have_tidings(), moms_take_tidings() makes the
 * records of the next part, of at most about that cost (config_slice_cost()), and says
 * what it cost: take them up before you call again. */
bool moms_have_tidings(const struct moms *ms);
/* So much waits that it is to be taken up at once, whatever that costs. */
bool moms_are_behind(const struct moms *ms);
size_t moms_take_tidings(struct moms *ms, struct moms_turn *t, size_t most);

/* Send what is due, at or after moms_deadline() or after records, and look at 'most'
 * jobs that something happened to; the others are left to the next call. True when it
 * added records to t->out: take them up and call again. */
bool moms_pump(struct moms *ms, struct moms_turn *t, size_t most);
/* Has the last call left something? */
bool moms_have_work(const struct moms *ms);

/* The next instant at which moms_pump() has something to do; INT64_MAX: none. */
int64_t moms_deadline(const struct moms *ms);

#endif
