/* verdicts.h - what the hooks of this complex say (doc/design/032), and whether the
 * server goes by it.
 *
 * No Python runs here. A scenario says what the hooks of an event answer from now on,
 * and how long they take; each question of the server is remembered with its answer, so
 * that nothing comes to be that hooks have not accepted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_VERDICTS_H
#define TEST_SIM_VERDICTS_H

#include "script.h"
#include "server/decide/effect.h"

/* Events that the server asks about. */
enum verdict_event {
    VERDICT_QUEUEJOB,
    VERDICT_RESVSUB,
    VERDICT_EVENTS
};

enum verdict_kind {
    VERDICT_ACCEPT,
    VERDICT_REJECT,
    VERDICT_FAIL,  /* Python could not be run */
    VERDICT_NEVER, /* there is no answer */
};

struct verdict_question;

struct verdicts {
    struct verdict_said { /* what hooks say from now on */
        enum verdict_kind kind;
        char *words;   /* of a rejection, or NULL */
        char *changes; /* "Priority=7 Account_Name=a", or NULL */
        int64_t takes_ms;
    } said[VERDICT_EVENTS];
    struct verdict_question *questions; /* of this life of the server */
};

void verdicts_fini(struct verdicts *v);

/* "hooks of queuejob reject not today": a line of a scenario; false: it makes no sense.
 */
bool verdicts_line(struct sim *s, const struct words *w);
/* From now on all hooks accept everything at once. */
void verdicts_calm(struct verdicts *v);

/* The answer to a need of the kind NEED_VERDICT, in 'arena', and how long it takes.
 * False: there is none. */
bool verdicts_say(struct sim *s, const struct need *need, struct arena *arena,
                  struct finding *ret, int64_t *ret_takes_ms);
/* The server learns that now. */
void verdicts_learned(struct sim *s, const struct need *need, const struct finding *f);
/* The server has died, and asks anew what it wants to know. */
void verdicts_forget(struct verdicts *v);

/* A turn that carried out the request of a connection, 0: none. Its questions are
 * remembered; what has come to be in it was accepted, and has what hooks have set. The
 * records of the turn are not in the shadow yet. */
void check_verdicts(struct sim *s, uint64_t conn, const struct effects *turn);

#endif
