/* edges.h - which object leads to which: the one table of what depends on what.
 *
 * An edge leads from an object of one kind to objects of another one, along the links
 * that model.h shows: from a job to the vnodes that it runs on, from a vnode to the
 * jobs on it. Every edge has one that leads back, so that whoever says what it looks at
 * has said whose changes it has to hear of:
 *
 *  - The row of a rule names the edges along which the rule looks (rules/rule.h). A
 *    record about an object wakes the rules of all objects at the ends of the edges
 * that lead back (engine/touch.c).
 *  - The row of an edge says whether a status of its ends shows something of where it
 *    begins (.shown). When the links of an object move, its ends look new (model.c). It
 *    also says when such a status shows more than that (enum lasts), so that whoever
 *    keeps what was shown knows of which kinds that makes sense (requests/show.h).
 *  - The row of an attribute says that links and sums follow it (ATTR_LINKS).
 *
 * Debug builds and the simulator hold everybody to that: a rule that stays silent has
 * read only what it says that it looks at (engine/settled.c), and links are made of
 * attributes that say so (model.c).
 *
 * To add a kind of link: two members of enum edge, one for each direction; their two
 * rows in edges.c, each with a function that walks the pointers; SEES() in the rows of
 * the rules that look along it. test_edges walks every edge there and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_EDGES_H
#define SERVER_MODEL_EDGES_H

#include "server/model/model.h"

enum edge {
    EDGE_JOB_NODES, /* a running job: the vnodes that it is on */
    EDGE_NODE_JOBS,
    EDGE_JOB_QUEUE,
    EDGE_QUEUE_JOBS,
    EDGE_JOB_RESV, /* a job: the reservation whose queue it is in */
    EDGE_RESV_JOBS,
    EDGE_RESV_LATER, /* a reservation: its later occurrences */
    EDGE_LATER_RESV,
    EDGE_RESV_NODES, /* a reservation: the vnodes that its occurrences have */
    EDGE_NODE_RESVS,
    EDGE_LATER_NODES, /* a later occurrence: the vnodes that it has */
    EDGE_NODE_LATERS,
    EDGE_RESV_QUEUE,
    EDGE_QUEUE_RESV,
    EDGE_NODE_QUEUE, /* a vnode: the queue that it is attached to */
    EDGE_QUEUE_NODES,
    EDGE_NODE_FIRST, /* a vnode: the first two vnodes of its host */
    EDGE_FIRST_NODES,
    EDGE_SUBJOB_ARRAY, /* a subjob: its array */
    EDGE_ARRAY_SUBJOBS,

    /* These are there during a hot start only (hot_start.h). */
    EDGE_HOT_JOB_QUEUE, /* a job that is put back: its queue */
    EDGE_QUEUE_HOT_JOBS,
    EDGE_HOT_JOB_NODES, /* ... the vnodes that it awaits, and those that share with them
                         */
    EDGE_NODE_HOT_JOBS,
    EDGE_HOT_JOB_JOBS, /* ... the jobs that run there */
    EDGE_JOB_HOT_JOBS,
    EDGE_HOT_JOB_RESVS, /* ... the reservations that hold something there */
    EDGE_RESV_HOT_JOBS,
    EDGE_HOT_JOB_LATERS, /* ... the later occurrences that hold something there */
    EDGE_LATER_HOT_JOBS,
    EDGE_SERVER_JOBS, /* the server: all jobs */
    EDGE_JOB_SERVER,

    EDGE_JOB_PARENTS, /* a job: those that it waits for */
    EDGE_JOB_CHILDREN,
    EDGE_SERVER_WAITING, /* the server: jobs that wait for one that is over */
    EDGE_WAITING_SERVER,
    EDGE_SERVER_WAITED, /* the server: jobs that jobs of other servers wait for */
    EDGE_WAITED_SERVER,
    EDGE_SERVER_OLDEST, /* the server: the job that became history first */
    EDGE_OLDEST_SERVER,

    EDGE_ROUTED_QUEUE, /* a job that is to be routed: its queue */
    EDGE_QUEUE_ROUTED,

    EDGE_COUNT
};

typedef void (*edge_fn)(void *arg, const struct object *to);

/* Call fn for each end of the edge from there, which is of the kind where it begins; an
 * end may be met more than once. The model must not change meanwhile. Time: linear in
 * the number of ends. */
void edge_each(const struct model *m, enum edge e, const struct object *from,
               edge_fn fn, void *arg);

/* Are the ends jobs of one queue? They may be many: who need not meet them at once goes
 * through the queue, where some of the jobs may be no ends. */
bool edge_leads_to_queue(enum edge e);
/* Of such an edge: that queue, NULL when there are no ends. */
const struct queue *edge_queue(enum edge e, const struct object *from);

/* How long a status of an object stays right after it was made. */
enum lasts {
    LASTS,         /* until the object looks new */
    LASTS_A_WHILE, /* the same, or until the time or others change it: ask */
    LASTS_NEVER,   /* it changes with nearly everything, or is not worth keeping */
};

/* The shortest of what the edges say that end at objects of that kind; LASTS_NEVER for
 * kinds at which no edge ends: there are few of them, and nobody asks for all. */
enum lasts kind_lasts(enum obj_kind kind);

/* An edge's name for messages, and the kinds of objects at which it begins and ends. */
const char *edge_name(enum edge e);
enum obj_kind edge_from(enum edge e);
enum obj_kind edge_to(enum edge e);
/* The edge that leads from the ends to where this one begins. */
enum edge edge_back(enum edge e);

#endif
