/* shell.h - the server's process around its real core: what src/server/shell does, on
 * virtual time and with a store that can fail and crash.
 *
 * Every input is a turn. What goes into the next commit, and what may leave when, is
 * the engine's turns.h, as in the daemon.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_SHELL_H
#define TEST_SIM_SHELL_H

#include "lib/store/store.h"
#include "server/engine/svr.h"
#include "server/engine/turns.h"

struct sim;
struct conn;

enum crash_when {
    CRASH_NOT,
    CRASH_BEFORE_COMMIT, /* the next commit never happens */
    CRASH_AFTER_COMMIT,  /* it is durable, and nothing of it was told */
};

struct shell {
    bool up;
    bool ever_started;
    uint64_t life; /* counts starts */
    struct svr *svr;
    struct store *store;
    struct bundles *bundles; /* while it is up */
    bool store_failing;
    bool store_refuses;       /* it says that it cannot: nobody waits for it at all */
    bool store_contradicts;   /* a record that comes cannot be true */
    int64_t failing_since_ms; /* the transaction under way; 0: it does not fail */
    enum crash_when crash;
    struct turns *turns; /* NULL while the server is down */
    uint64_t turn_conn;  /* whose request this turn carries out; 0: none */
    bool works;          /* the next slice of a parked request is on its way */
    bool releasing;
    struct model *shadow; /* what the records told so far make of an empty model */
};

void shell_init(struct sim *s);
void shell_fini(struct sim *s);

void shell_start(struct sim *s, enum svr_start type);
/* SIGKILL: all that is not committed is gone. */
void shell_crash(struct sim *s);
/* The n-th record from now on contradicts what is stored: a mistake of the server's,
 * after which it ends. */
void shell_store_contradicts(struct sim *s, uint64_t n);
/* It is out of reach, or answers that it cannot ('refuses'). */
void shell_store_fails(struct sim *s, bool failing, bool refuses);

/* Inputs. */
void shell_request(struct sim *s, struct conn *c, const char *data, size_t len);
void shell_client_gone(struct sim *s, uint64_t conn);
void shell_sched_done(struct sim *s, uint64_t conn);
void shell_tick(struct sim *s);
/* The answer of another server. */
void shell_learned(struct sim *s, const struct need *need, const struct finding *f);

/* An input that no request makes: where the core puts what it does then, NULL when the
 * server is down. What is due is carried out first. */
struct effects *shell_begin_turn(struct sim *s);
void shell_end_turn(struct sim *s);

/* When the core wants to be ticked; INT64_MAX: never. */
int64_t shell_deadline_ms(const struct sim *s);

/* NULL while the server is down. */
const struct model *shell_model(const struct sim *s);

/* A model of what the store holds, as a restart would make it; model_free() it. */
struct model *shell_stored_model(const struct sim *s);
/* Apply the records that are not durable yet. */
void shell_apply_undurable(const struct sim *s, struct model *m);

#endif
