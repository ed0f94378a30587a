/* question_kind.h - what kinds of questions are put to schedulers about a reservation,
 * and what an answer or the time does to each: one row for each kind.
 *
 * A row is the only place that knows its kind. rules/resv_ask.c puts and gives up any
 * question, requests/resv_confirm.c takes any answer; neither asks which kind it is. To
 * add a kind: a member of the enum, a row beside its functions, and the condition in
 * question_kind() under which it is the one that is open (doc/design/030-questions.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_QUESTION_KIND_H
#define SERVER_DECIDE_QUESTION_KIND_H

#include "server/decide/resv_answer.h"

#include "lib/wire/sched_command.h"

enum question_kind {
    QUESTION_NONE,     /* nobody is to be asked about the reservation */
    QUESTION_NEW,      /* may it be: PHASE_UNCONFIRMED */
    QUESTION_MAINTAIN, /* of maintenance that is unconfirmed: no scheduler is asked, its
                        * maker says which vnodes it has */
    QUESTION_REPLACE,  /* which vnodes replace the lost ones: it is degraded or in
                        * conflict */
    QUESTION_ALTER,    /* a proposal is open, which goes before the others: schedulers
                        * see only that question */
    QUESTION_KIND_COUNT,
};

struct question_row {
    /* When it is due to be put, for the first time or again; NULL: never. */
    int64_t (*due_at)(const struct model *m, const struct resv *r);
    /* The command that wakes those whom it asks. */
    enum sched_command command;
    /* What an answer does: 0 and records, or a PBSE code with a->out->why and nothing
     * changed. A no is taken also when it comes too late to matter. */
    int (*yes)(const struct resv_answer *a);
    int (*no)(const struct resv_answer *a);
    /* When it is given up because nobody has answered, and what is done then; both
     * NULL: it is put for as long as it takes. */
    int64_t (*limit_at)(const struct model *m, const struct resv *r);
    void (*give_up)(const struct model *m, const struct resv *r, const char *actor,
                    int64_t now_at, struct decision *out);
};

/* The rows, each beside its functions: question_confirm.c, question_alter.c. */
extern const struct question_row question_new;
extern const struct question_row question_maintain;
extern const struct question_row question_replace;
extern const struct question_row question_alter;

/* The one that is open about the reservation. */
enum question_kind question_kind(const struct resv *r);

/* When it is due to be put, for the first time or again; INT64_MAX: never. */
int64_t question_due_at(const struct model *m, const struct resv *r);

/* When it is given up because nobody has answered; INT64_MAX: never. */
int64_t question_limit_at(const struct model *m, const struct resv *r);

/* Append the records of giving it up; question_limit_at() has come. */
void question_give_up(const struct model *m, const struct resv *r, const char *actor,
                      int64_t now_at, struct decision *out);

/* The command (enum sched_command) that wakes those whom it asks. */
int32_t question_command(const struct resv *r);

/* Take an answer to it: the row's word. */
int question_take(const struct resv_answer *a, bool yes) MUST_CHECK;

#endif
