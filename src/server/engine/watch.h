/* watch.h - which objects a rule has to look at, and when.
 *
 * Every object that rules exist for has a watch. It is dirty after a change of the
 * object or a neighbour, or when its deadline has come; a heap gives the next deadline.
 * So an idle server does nothing, however many objects it has.
 *
 * Dirty objects are in one of two lists. What a turn makes dirty is looked at in that
 * turn, as far as the turn may take; the rest is put off, and later turns look at it
 * (doc/design/006). So who comes with something small does not wait for what follows
 * from somebody else's large request.
 *
 * A setting may concern all objects of a kind, and a queue all of its jobs. They are
 * not marked one by one, which would be one turn for however many there are: a sweep
 * goes through the list, and gives one after the other when nothing else is dirty.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_WATCH_H
#define SERVER_ENGINE_WATCH_H

#include "server/engine/inquiries.h"
#include "server/model/model.h"

enum watch_list {
    WATCH_NOW,     /* made dirty in this turn */
    WATCH_PUT_OFF, /* for later turns */
    WATCH_LIST_COUNT
};

struct watch {
    const struct object *o;
    int64_t deadline_at; /* INT64_MAX: none */
    size_t heap_at;      /* index in the heap + 1; 0: not in it */
    bool dirty;
    enum watch_list list; /* that it is in while it is dirty */
    uint64_t settling;    /* the settling that n_said belongs to */
    size_t n_said; /* how often it was looked at, to find rules that do not settle */
    struct asker *asker; /* its rules wait for answers (doc/design/032), or NULL */
    struct watch *prev, *next; /* of the list, in the order of getting dirty */
    UT_hash_handle hh;
};

/* All objects of a kind look: those from 'next' on, and then (wraps) the first ones, up
 * to 'end_seq'. So what begins it anew in its middle lets none of them wait longer. */
struct kind_sweep {
    bool on;
    bool wraps;
    const struct object *next; /* NULL: behind the last one */
    uint64_t end_seq;          /* created_seq; those from there on do not look */
};

/* The same of the jobs of a queue, as they are listed. A job that moves in the order,
 * or comes into the queue, is dirty itself. */
struct queue_sweep {
    const struct queue *queue;
    bool wraps;
    struct rank_place at, end; /* those behind the one are next, up to the other */
    struct queue_sweep *prev, *next;
};

struct watches {
    const struct model *m; /* whose objects these are; for sweeps */
    struct watch *by_object;
    struct watch *dirty[WATCH_LIST_COUNT];
    enum watch_list list; /* that this turn takes from and adds to */
    struct watch **heap;
    size_t n;
    size_t cap;
    uint64_t settling; /* counts inputs: what follows from one is one settling, in
                        * however many turns */
    size_t most_said;  /* of n_said, in this settling */
    struct kind_sweep sweeps[OBJ_KIND_COUNT];
    struct queue_sweep *queue_sweeps; /* those that are on, oldest first */
    bool sweeps_now; /* one has begun in this turn, which may go on with it */
};

/* A zeroed struct is empty; whoever sweeps sets 'm'. */
void watches_fini(struct watches *w);

/* Make it dirty: it, a neighbour of it or the time has changed. */
void watch_touch(struct watches *w, const struct object *o);
/* The same, if the object is still there. */
void watch_again(struct watches *w, const struct object *o);
/* The object is about to leave the model, or to become history. */
void watch_forget(struct watches *w, const struct object *o);
/* All objects of the kind that live: each of them is dirty until it was taken. */
void watch_sweep(struct watches *w, enum obj_kind kind);
/* The same of the jobs of a queue. */
void watch_sweep_queue(struct watches *w, const struct queue *q);

/* How many objects have one. */
size_t watches_count(const struct watches *w);

/* The watch of an object, NULL when it has none. */
const struct watch *watch_find(const struct watches *w, const struct object *o);

/* Who asks for its rules, from now on until they know enough. */
struct asker *watch_asker(struct watch *x, struct inquiries *inquiries);
/* Its rules need nothing any more. */
void watch_knows_enough(struct watch *x);

/* The next dirty one of this turn's list, or of sweeps when it is their turn; it is no
 * longer dirty. NULL when there is none. */
struct watch *watch_take(struct watches *w);

/* The rest of what this turn made dirty is for later turns. */
void watches_put_off(struct watches *w);
bool watches_are_put_off(const struct watches *w);
/* The turn that begins is such a later turn, until watches_put_off(): it takes what was
 * put off, and what it makes dirty is put off as well. */
void watches_resume(struct watches *w);

/* When its rules want to look again; INT64_MAX: never. */
void watch_set_deadline(struct watches *w, struct watch *x, int64_t deadline_at);

/* Make those dirty whose deadline has come. */
void watch_due(struct watches *w, int64_t now_at);
int64_t watch_deadline(const struct watches *w);

/* True when the object is dirty or its deadline has come: it will be looked at without
 * being touched. */
bool watch_is_pending(const struct watches *w, const struct object *o, int64_t now_at);

#endif
