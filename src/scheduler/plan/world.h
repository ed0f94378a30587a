/* world.h - the complex through time, as one plan sees and changes it.
 *
 * Each vnode has a timeline of what is free and a list of bookings: who has what of it
 * (book.h). Whatever the plan decides is booked in the world at once, so that the
 * next decision knows of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_WORLD_H
#define SCHEDULER_PLAN_WORLD_H

#include "scheduler/plan/book.h"
#include "scheduler/policy/policy.h"
#include "scheduler/snapshot/snapshot.h"

struct desk;
struct links;
struct placement_sets;
struct waiting;

/* The vnodes of which something was taken, in the order of that. */
struct took {
    bool wanted; /* by somebody; else nothing is noted */
    size_t n, cap;
    size_t *v;
};

struct world {
    const struct snapshot *s;
    const struct policy *p;
    struct arena *arena;
    struct arena *scratch; /* of one search at a time; see world_scratch() */
    int64_t now_at;
    size_t n_res;
    size_t n; /* vnodes */
    /* From here to 'infinite': what follows from vnodes and policy alone, and is kept
     * with the snapshot where that is kept. Plans only read it, but for the desk. */
    size_t *order;   /* vnodes as policy wants them tried */
    size_t *place;   /* [vnode] in that order */
    size_t *by_name; /* vnodes sorted by name */
    size_t *host;    /* [vnode] */
    size_t n_hosts;
    size_t *on_host;    /* [n] the vnodes by host, of each as policy wants them tried */
    size_t *host_first; /* [n_hosts + 1] where those of a host begin */
    struct {
        size_t n;
        const char **v;
    } queues;          /* that have vnodes of their own, by name */
    struct desk *desk; /* for the searches of a plan, one after the other */
    int64_t *total;    /* [world_slot()], 0 when unset; behind them the server's */
    bool *is_set;      /* [world_slot()], likewise */
    bool has_server;   /* the server limits something: world_is_limited() */
    size_t *home;   /* [vnode * n_res] vnode whose resource it is; NULL: its own, all */
    bool *ignored;  /* [res]: not compared by this policy */
    bool *infinite; /* [res]: unset counts as infinite */
    struct links *links;     /* that are kept, too; NULL: none are */
    struct waiting *waiting; /* likewise: waiting.h */
    struct book *book;
    struct timeline **line; /* the book's, see world_line() */
    struct {
        size_t n, cap;
        struct booking **v;
    } changed;      /* lasting bookings that this plan has set aside */
    int64_t **sum;  /* [vnode], all NULL between calls: world_demand()'s own */
    bool *lent;     /* [res], NULL: none */
    size_t *booked; /* [n] the vnodes that have one, in order; likewise */
    size_t n_booked;
    struct placement_sets *sets; /* made so far: placement_set.h */
    struct took took;            /* since somebody wants to know: alike.h */
};

/* One chunk on its vnodes: a piece each. */
struct piece {
    size_t vnode;
    int64_t *amounts;          /* [n_res]; slot 0: only link_beside() uses it */
    const struct need **needs; /* what is printed, in order; NULL: all that is not 0 */
    size_t n_needs;
};

struct placed {
    bool incomplete; /* read from a text that names a vnode which is not known */
    size_t n;
    size_t cap;
    struct piece *pieces;
};

struct placement {
    size_t n;
    size_t cap;
    struct placed *chunks;
};

enum use {
    USE_SHARED,
    USE_EXCL,
    USE_HOST
};

/* The complex as the snapshot has it, with nobody on it: see world_book(). Lives in the
 * arena, as long as 's' and 'p'. */
struct world *world_new(const struct snapshot *s, const struct policy *p,
                        int64_t now_at, struct arena *arena);

/* End what a world has beside its arena. */
void world_fini(struct world *w);

/* The timeline of a vnode, made at the first need. */
struct timeline *world_line(struct world *w, size_t vnode);

/* What is free of a vnode all through the window: of one resource, or of each of them
 * into least[0 .. n_res). */
int64_t world_least(const struct world *w, size_t vnode, size_t res, int64_t start_at,
                    int64_t end_at);
void world_least_all(const struct world *w, size_t vnode, int64_t start_at,
                     int64_t end_at, int64_t *least);

/* The memory of a search; what the search before had there is gone. */
struct arena *world_scratch(struct world *w);

/* The vnode of that name, SIZE_MAX when there is none. */
size_t world_vnode(const struct world *w, const char *name);

/* The place of a resource of a vnode in what is counted by vnode and resource: what a
 * vnode borrows ("@other") is counted at the other one, for all who borrow it. */
static inline size_t world_slot(const struct world *w, size_t vnode, size_t res)
{
    return (w->home ? w->home[vnode * w->n_res + res] : vnode) * w->n_res + res;
}

/* True when some vnode borrows the resource: sums over vnodes say nothing of it. */
bool world_is_lent(const struct world *w, size_t res);

/* How a request with this place uses that vnode (scheduling.md 15.2). */
enum use world_use(const struct world *w, size_t vnode, const struct place *place);

/* What all have together of the resources that the server names (its
 * resources_available) is counted as if it were one vnode more, behind the last one,
 * that no search looks at for a chunk: it has a timeline and bookings as they have. */
static inline size_t world_server(const struct world *w)
{
    return w->n;
}

/* Does the server limit what all have of the resource together? */
static inline bool world_is_limited(const struct world *w, size_t res)
{
    return w->has_server && w->is_set[world_server(w) * w->n_res + res];
}

/* What a placement takes of each vnode, all chunks together, and what its request takes
 * of the server: added up once, to be asked about and booked many times. A resource
 * that a vnode borrows is taken where it is counted. 'rq' NULL: amounts only, for who
 * is on the vnodes already by a reservation, and has its share of the server by that.
 * Lives as long as the arena. */
struct demand {
    size_t n;
    size_t *vnodes;    /* [n] each once; world_server() is one */
    int64_t **amounts; /* [n][n_res] */
};
struct demand world_demand(struct world *w, struct arena *arena,
                           const struct request *rq, const struct placement *pl);

/* A request for whatever is there, of those whose own cannot be read. */
extern const struct request world_anyhow;

/* Is all of it free through the window? Linear in the demand, for each vnode
 * logarithmic in the changes on it. */
bool world_has(struct world *w, const struct demand *d, int64_t start_at,
               int64_t end_at) MUST_CHECK;

/* The same only where 'id' has something: 'at' is 1 + the place in the demand of each
 * vnode, 0 for none. Linear in what that one has. */
bool world_has_beside(struct world *w, const struct demand *d, const size_t *at,
                      const char *id, int64_t start_at, int64_t end_at) MUST_CHECK;

/* Take it through [start_at, end_at) for 'id', which lives as long as the world; NULL
 * for an empty window or demand. It is gone when the plan is over. */
struct booking *world_take(struct world *w, const char *id, const struct demand *d,
                           int64_t start_at, int64_t end_at);

/* The same for a stake, as whose it lasts; 'id' and 'd' live as long as the stake. */
struct booking *world_take_for(struct world *w, struct stake *st, const char *id,
                               const struct demand *d, int64_t start_at,
                               int64_t end_at);

/* The same with a placement's demand. */
struct booking *world_book(struct world *w, const char *id, const struct request *rq,
                           const struct placement *pl, int64_t start_at,
                           int64_t end_at);

/* Give back what was taken, as if it had not been; not that of a stake. */
void world_unbook(struct world *w, struct booking *h);

/* Set a booking aside ('drop'), or take it again; all that 'id' has. */
void world_switch(struct world *w, struct booking *h, bool drop);
void world_drop(struct world *w, const char *id);
void world_restore(struct world *w, const char *id);

/* Who has something of the resource on the vnode in the window, or all of the vnode;
 * RES_PRESENCE: who is on it. NULL: nobody. The one who was there first. */
const struct booking *world_holder(const struct world *w, size_t vnode, size_t res,
                                   int64_t start_at, int64_t end_at);

/* Leave a book that lasts as it was when the plan began. */
void world_settle(struct world *w);

/* An empty book for this world, in that arena. A lasting one is kept for the next
 * plans. */
void world_open_book(struct world *w, struct arena *arena, bool lasting);

/* exec_vnode <-> placement. Reading leaves out vnodes and resources that are not known;
 * false when the text cannot be read. */
bool placement_read(const struct world *w, const char *exec_vnode,
                    struct placement *ret) MUST_CHECK;
/* The same into that arena. */
bool placement_read_into(const struct world *w, const char *exec_vnode,
                         struct arena *arena, struct placement *ret) MUST_CHECK;
const char *placement_print(const struct world *w, const struct placement *pl);

/* Append an empty chunk; append a piece of 0 of everything to one. */
struct placed *placement_add(struct placement *pl, struct arena *arena);
struct piece *placed_add(struct placed *pd, struct arena *arena, const struct world *w,
                         size_t vnode);

/* A copy that lives as long as the world. */
struct placed placed_keep(const struct world *w, const struct placed *pd);

/* Has the chunk a piece there? */
bool placed_has(const struct placed *pd, size_t vnode);

#endif
