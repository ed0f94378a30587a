/* check_alter.h - what was asked of alterations, kept outside of the server, and what
 * became of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_ALTER_H
#define TEST_SIM_CHECK_ALTER_H

#include "server/engine/svr.h"

struct sim;

/* What became of a part of a proposal about several reservations. */
enum wish_fate {
    WISH_OPEN,
    WISH_MADE,
    WISH_DROPPED,
};

/* A pbs_ralter that was not refused, or a part of a proposal about several
 * reservations. */
struct wish {
    char *id;
    uint64_t seq; /* of the first record about the reservation that followed; of a
                     part: of the first record of the proposal */
    bool several; /* it is a part (together.h): */
    enum wish_fate fate;
    uint64_t fate_seq; /* of the record that settled it */
    bool checked;      /* all parts have had the same fate */
    int64_t later;     /* of a series: index of the occurrence that it is about; 0: the
                          current one */
    bool times;        /* of the reservation are wanted; below is what they would be */
    int64_t start_at;
    int64_t end_at;
    int64_t duration_s;
    char *select; /* NULL: not wanted */
    char *name;
    char *users;
    char *groups;
    char *mail; /* points */
    char *mail_to;
    bool force;
    bool push;     /* others may be moved for it */
    bool release;  /* vnodes without jobs go */
    bool shorter;  /* it is content with an earlier end: the reservation's own wish */
    size_t chunks; /* that are left when what is idle goes; 0: nothing is said of it */
    struct wish *prev, *next;
};

/* A reservation that was altered although a scheduler did not agree. */
struct forced {
    char *id;
    char *vnodes; /* which it had then, as in resv_nodes */
    int64_t start_at;
    int64_t end_at;
    struct forced *prev, *next;
};

struct alters {
    struct wish *wishes; /* the latest first */
    struct forced *forced;
    const struct wish *granted; /* by the record that is being applied */
    bool agreed;                /* this turn is a scheduler's yes */
};

void alters_fini(struct alters *a);
/* What was asked later is not stored: its numbers are given again. */
void alters_forget_after(struct alters *a, uint64_t seq);

/* A ModifyResv, or a ResvAct that alters, was answered with 'out'; 'before' is the
 * model before it. */
void alter_requested(struct sim *s, const struct model *before,
                     const struct wire_request *rq, const struct effects *out);

/* The open alteration of the reservation in 'm'; NULL: none is open. */
const struct wish *alter_open(struct sim *s, const struct resv *r);

/* The one of the reservation that a record about a later occurrence answers: the open
 * one, or the last one; NULL: there is none. */
const struct wish *alter_wish(const struct sim *s, const struct resv *r);

/* A record is about to be applied to 'm', and was. */
void check_alter_before(struct sim *s, const struct model *m, const struct record *rec);
void check_alter_after(struct sim *s, const struct model *m, const struct record *rec);

/* This later occurrence was altered although no scheduler agreed. */
void alter_forced_later(struct sim *s, const struct occurrence *oc);

/* Was it forced onto this vnode, or made out of a job: may it meet others there? */
bool alter_may_overlap(const struct sim *s, const struct occurrence *oc,
                       const char *vnode);

/* A status reply: an open alteration is shown as such, a closed one is not; managers
 * see too what it was. */
void check_shown(struct sim *s, const struct model *m, bool manager,
                 const struct wire_objects *list);

/* Rules have settled. */
void check_alters_settled(struct sim *s, const struct model *m);
/* Nothing stays open once faults have stopped. */
void check_alters_answered(struct sim *s);

#endif
