/* tidings.h - what has happened to a MoM and is not taken up whole yet: a message, or
 * the end of its stream.
 *
 * A MoM may have thousands of vnodes and jobs, so what she tells of them is taken up so
 * many in a turn, while others are served (doc/design/006). Each vnode and each job has
 * records of its own, and the server may be killed between any two turns: the MoM
 * registers again, and whatever was taken up already is no news then. What she says
 * meanwhile waits behind it in the order in which it came. What she has said on a
 * stream that has ended is not taken up any more, as if it had been lost on the way.
 *
 * Only the files of moms/ include it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MOMS_TIDINGS_H
#define SERVER_MOMS_TIDINGS_H

#include "server/moms/moms_priv.h"

struct listed_job;
struct vnode_list; /* of vnodes.c: a list that is being taken up */

/* So much memory may wait. */
#define TIDINGS_MAX_BYTES ((size_t)64 << 20)

enum tidings_kind {
    TIDINGS_MESSAGE,
    TIDINGS_LOST,        /* the stream of the MoM has ended */
    TIDINGS_ROUTER_LOST, /* nobody knows how her vnodes are */
};

struct tidings {
    enum tidings_kind kind;
    struct mom *mom;
    uint64_t number;       /* of all tidings; 0 is none */
    size_t bytes;          /* of memory, as counted in struct moms */
    struct arena *arena;   /* of the message and of what is remembered */
    struct is_message msg; /* TIDINGS_MESSAGE */
    bool begun;
    uint64_t youngest;           /* vnodes with a larger number came later */
    size_t phase;                /* of the phases of its kind (tidings.c) */
    size_t next;                 /* in that phase: the next one of an array ... */
    const struct mom_node *node; /* ... or of the vnodes of the MoM; NULL: the end */
    struct listed_job *jobs;     /* of register.c: those that the MoM lists */
    struct vnode_list *list;     /* NULL: the message has none */
    struct tidings *prev, *next_one;
};

/* What a slice may still cost, in the units of config_slice_cost(). */
struct slice {
    size_t left;
    size_t n_records; /* of the turn's decision when it was looked at last */
};

/* Is something left? What was looked at since the last call, and the records that came
 * of it, are taken from it. */
bool slice_goes_on(struct slice *s, const struct moms_turn *t, size_t looks);
/* For how many looks that make one record each there is room. */
size_t slice_records(const struct slice *s);

/* Append: what the MoM has said, copied; that her stream has ended, and how. */
void tidings_add_message(struct moms *ms, struct mom *mom,
                         const struct is_message *msg);
void tidings_add(struct moms *ms, struct mom *mom, enum tidings_kind kind);

/* Is something of that MoM waiting? */
bool tidings_wait(const struct moms *ms, const struct mom *mom);

/* Take up one part of what has waited longest, of at most about that cost; what it
 * cost. The records must be applied before the next part. Needs tidings. */
size_t tidings_take(struct moms *ms, struct moms_turn *t, size_t most);

/* What that MoM has said is forgotten. All of it goes. */
void tidings_forget_said(struct moms *ms, const struct mom *mom);
void tidings_fini(struct moms *ms);

/* The vnode leaves the vnodes of its MoM. */
void tidings_leave_node(struct moms *ms, const struct mom_node *n);

/* The next vnode of the MoM of which 'x' speaks, and the one after it is the next then;
 * NULL: there is none. The vnode may have left the model. */
const struct mom_node *tidings_next_node(struct tidings *x);

/* vnodes.c: the phases of a state block. True: this one is over. */
void vnodes_begin(struct moms *ms, struct moms_turn *t, struct tidings *x);
bool vnodes_define(struct moms *ms, struct moms_turn *t, struct tidings *x,
                   struct slice *s);
bool vnodes_make(struct moms *ms, struct moms_turn *t, struct tidings *x,
                 struct slice *s);
bool vnodes_take(struct moms *ms, struct moms_turn *t, struct tidings *x,
                 struct slice *s);
bool vnodes_mark_stale(struct moms *ms, struct moms_turn *t, struct tidings *x,
                       struct slice *s);
/* The same for what is known of the MoM as a whole: a state block without a list, a
 * stream that has ended. */
bool vnodes_take_plain(struct moms *ms, struct moms_turn *t, struct tidings *x,
                       struct slice *s);
bool vnodes_are_down(struct moms *ms, struct moms_turn *t, struct tidings *x,
                     struct slice *s);
bool vnodes_are_unknown(struct moms *ms, struct moms_turn *t, struct tidings *x,
                        struct slice *s);
void vnode_list_free(struct vnode_list *list);

/* register.c: the phases of the jobs of a registration. */
bool register_compare(struct moms *ms, struct moms_turn *t, struct tidings *x,
                      struct slice *s);
bool register_look(struct moms *ms, struct moms_turn *t, struct tidings *x,
                   struct slice *s);
void listed_jobs_clear(struct listed_job **jobs);

#endif
