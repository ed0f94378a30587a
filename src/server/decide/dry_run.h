/* dry_run.h - a question to schedulers about something that is no fact and becomes
 * none: what a dry run waits for (doc/design/046-dry-run.md).
 *
 * It belongs to the request that waits for it, which is parked, and ends with that:
 * with its reply, with its client, with the process. No record knows of it. Schedulers
 * that have said that they understand it are woken by a command of its own, and ask for
 * it with DryRun; nobody else is shown it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DRY_RUN_H
#define SERVER_DECIDE_DRY_RUN_H

#include "server/decide/request.h"

/* What a scheduler has said. */
struct dry_answer {
    bool yes;
    bool away;
    uint64_t start_at;     /* of a yes, or the first one that would fit; 0: not said */
    const char *partition; /* NULL: not said */
    const char *vnodes;    /* of a yes */
    const char *reason;    /* of a no, NULL: not said */
    /* A yes that moves others; NULL: an ordinary answer. */
    const struct body_offer_resv *offer;
};

struct dry_asked {
    const char *sched;
    bool was_given; /* it has the question */
    bool has_answered;
    struct dry_answer answer;
};

/* All of it is in the arena of the request's progress. */
struct dry_run {
    const char *id;            /* what the request waits for: of no other object */
    struct wire_object object; /* the reservation as schedulers are to see it */
    size_t n, cap;
    struct dry_asked *v;
    int64_t asked_at; /* the request came then */
    int64_t limit_at; /* nobody waits for answers any longer */
    int64_t again_at; /* it is put again then; 0: it is put already */
    bool is_put;      /* since then: schedulers may ask for it */
    bool is_lost;     /* one of them has gone */
    size_t n_refused; /* answers that did not hold */
};

/* The answer of that scheduler; NULL: it was not asked. */
struct dry_asked *dry_run_asked(struct dry_run *d, const char *sched);

/* Whether that scheduler still has to be given it. */
bool dry_run_is_for(const struct dry_run *d, const char *sched);

/* Take an answer; its texts are copied into 'arena'. */
void dry_run_take(struct dry_asked *asked, const struct dry_answer *answer,
                  struct arena *arena);

/* Nobody has said anything: it is put again at that instant. */
void dry_run_put_again(struct dry_run *d, int64_t at);

#endif
