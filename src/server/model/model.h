/* model.h - everything the server knows that must survive it: its objects and the
 * links between them.
 *
 * Objects are attribute values by row (lib/attr/row.h) plus what is derived from them.
 * Readers take a const model. The only writer is model_apply(), which cannot fail;
 * derived parts (links, sums, indexes) are remade there and nowhere else, so that a
 * model rebuilt from the store equals the live one (model_same()).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_MODEL_H
#define SERVER_MODEL_MODEL_H

#include "lib/attr/resource.h"
#include "lib/attr/resource_sums.h"
#include "lib/attr/row.h"
#include "lib/attr/select.h"
#include "lib/base/buf.h"
#include "lib/base/deadlines.h"
#include "lib/base/numbers.h"
#include "lib/base/ranks.h"
#include "server/model/occurrence_times.h"
#include "server/model/record.h"

#include "lib/attr/hook_attrs.h"
#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/sched_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/model/obj_attrs.h"

#include <uthash.h>

struct object {
    enum obj_kind kind;
    char *id;
    struct obj_attrs attrs; /* by the rows of the kind's table */
    uint64_t created_seq;   /* order of creation; numbered anew by a restart */
    uint64_t made_seq; /* the same order, by the seq of the record that made it, which
                        * a restart keeps; 0: the server, which nobody has made */
    uint64_t version;  /* seq of the last record that touched it */
    /* Seq of the last record after which a status may show something else of it: its
     * own, or one that changed what is derived for it. */
    uint64_t shown_seq;
    struct object *prev, *next; /* all of the kind, in order of creation (utlist) */
    struct object *changed_prev, *changed_next; /* in order of shown_seq: changes.h */
    bool *reads; /* which attributes are read, while a check wants to know (reads.h) */
    UT_hash_handle hh;
};

struct node;
struct resv;
struct occurrence;

/* What everybody, users, groups and projects have in a place: job_tally.h. */
#define TALLY_KIND_COUNT 4
struct tally;
struct tallies {
    struct tally *of[TALLY_KIND_COUNT]; /* each an uthash by name */
};
struct job;
struct queue;

/* What is booked on a vnode for a reservation or a running job. */
struct booking {
    struct node *node;
    size_t n_parts;          /* of the exec_vnode that lie on it */
    struct resources amount; /* what of it; owned */
};

struct bookings {
    size_t n;
    struct booking *v;
};

/* A host by the name of its MoM, with its vnodes in order of creation. */
struct host {
    char *name;
    size_t n;
    struct node *nodes; /* by host_prev, host_next */
    UT_hash_handle hh;
};

/* The task numbers of the jobs at a MoM. A host without any is not here. */
struct host_tasks {
    char *host; /* as exec_host names it (the MoM's natural vnode), in lower case */
    struct numbers taken;
    UT_hash_handle hh;
};

/* A resource of a vnode that is another one's (indirect.h). */
struct borrowed {
    char *resource;
    struct node *home;
};

struct node {
    struct object obj;
    /* derived */
    struct host *host; /* from Mom; NULL when it has none */
    struct node *host_prev, *host_next;
    struct queue *queue; /* that it is attached to, or NULL */
    size_t n_borrowed;   /* from hf_indirect, where the other vnode is there */
    struct borrowed *borrowed;
    size_t n_dangling;  /* the rest of hf_indirect */
    size_t n_referrers; /* vnodes that borrow from this one, each once */
    struct node **referrers;
    /* Occurrences whose resv_nodes name it, by created_seq of the reservation, then in
     * the order of the series. */
    size_t n_occurrences;
    struct occurrence **occurrences;
    struct occurrence_times times; /* the same ones by time */
    size_t n_jobs;                 /* running jobs on it, by created_seq */
    struct job **jobs;
    size_t n_by_admin; /* of them that admin-suspend has stopped, or is to stop */
    size_t n_awaited; /* queued jobs that a hot start puts back on it, by created_seq */
    struct job **awaited;
    /* Sum over links: running reservations, jobs outside of them. */
    struct resource_sums assigned;
};

struct queue {
    struct object obj;
    /* derived */
    struct resv *resv; /* the reservation it belongs to, or NULL */
    /* Which one its jobs are in, and whether they count for it: the same, but while a
     * record changes links. */
    const struct resv *jobs_resv;
    bool jobs_inside;
    struct ranks jobs; /* their in_queue, as they are listed: job_order.h */
    size_t n_classes;  /* of jobs that wait to be routed: route_wait.h */
    struct route_class **classes;
    size_t n_away;      /* jobs on their way to other servers, without a doubt */
    size_t n_jobs;      /* jobs in it, history not counted */
    size_t n_nodes;     /* vnodes attached to it */
    size_t n_state[10]; /* of them by state index: T Q H W R E B X M F */
    size_t n_subjobs;   /* counted there */
    struct resource_sums assigned;
    struct tallies tallies; /* of its jobs */
};

/* From start_at up to, not including, end_at. */
struct window {
    int64_t start_at;
    int64_t end_at;
};

/* One time of a reservation: occurrence.h. */
struct occurrence {
    struct resv *resv;
    const struct object *values; /* whose attributes are its times, vnodes and state */
    struct bookings bookings;    /* from resv_nodes */
    struct window booked; /* where it is in the times of its vnodes: no end while it is
                           * counted, for then it is there until it goes */
    bool counted;         /* running: its bookings and resources are in the sums */
    struct occurrence *prev, *next; /* later ones of the series, by index (utlist) */
};

/* An occurrence that comes later, "S5[3].svr"; its attributes: enum occurrence_attr. */
struct later {
    struct object obj;
    /* derived */
    struct occurrence occurrence; /* its resv is NULL while that is not there */
    bool stray;                   /* linked, and its reservation is not there */
};

struct resv {
    struct object obj;
    /* derived */
    struct occurrence current; /* the one that clients see */
    size_t n_later;            /* those after it, in order of the series */
    struct occurrence *later;
    struct queue *queue; /* NULL before creation and after deletion of the queue */
    const struct resv *stands_for; /* NULL but in a dry run: decide/dry_resv.h */
};

struct job {
    struct object obj;
    /* derived */
    struct queue *queue;
    struct resv *resv;        /* the reservation whose queue it is in, or NULL */
    struct bookings bookings; /* from exec_vnode while it runs */
    struct bookings awaits;   /* from hf_hot_vnodes while it is queued */
    struct ranked in_order;   /* its place among all jobs: job_order.h */
    struct ranked in_queue;   /* the same among those of its queue; of one that is over:
                               * in the order in which history ends (history.h) */
    struct route_class *route_class; /* while it waits to be routed */
    struct job *route_prev, *route_next;
    size_t n_parents; /* jobs that it waits for, in the order of its depend */
    struct job **parents;
    size_t n_children; /* jobs that wait for it, by created_seq */
    struct job **children;
    bool is_waited; /* jobs of other servers wait for it: waiters.h */
    struct job *waited_prev, *waited_next;
    struct deadline tell; /* when their servers are to be told of it; of m->to_tell */
    struct job *list_prev, *list_next;       /* live jobs */
    struct job *outside_prev, *outside_next; /* while it is counted in vnodes */
    bool past;                               /* it is history, and holds nothing */
    struct job_array *array; /* of a job array, else NULL: job_array.h */
    struct job *parent;      /* of a subjob: its array, when that is there */
    size_t place;            /* likewise: of its index among those of the array */
    struct job *array_prev, *array_next;
    size_t bytes;  /* memory of its attributes, script included */
    size_t weight; /* for how many jobs it counts in tallies: job_weight() */
    bool linked;
    bool tallied;           /* it is in the tallies, with that weight */
    bool hot;               /* a hot start has to do with it: see hot_start.h */
    bool counted_in_vnodes; /* its bookings and resources are in the sums */
};

/* Jobs that are over and kept: history.h. */
struct history {
    struct ranks kept; /* by in_queue; those that nobody waits for */
    /* The same of jobs that are to be forgotten and came from another server, which may
     * ask for them for a while yet. */
    struct ranks guests;
    size_t n;                          /* all */
    struct history_of_queue *by_queue; /* uthash by name */
};

/* A value that was loaded before the definition of its resource. */
struct late_value {
    struct object *o;
    int attr;
    char *resource;
    char *text;
    struct late_value *prev, *next;
};

struct model {
    struct resource_defs *defs;
    size_t n_counted; /* resources that vnodes count, by name; from defs */
    const struct resource_def **counted;
    struct {
        struct object *by_id; /* uthash */
        struct object *first; /* utlist, order of creation */
        size_t n;
        uint64_t members_seq; /* of the last record that made or removed one */
    } kinds[OBJ_KIND_COUNT];
    uint64_t seq;          /* of the last record applied */
    uint64_t defs_seq;     /* of the last one that changed defs */
    uint64_t settings_seq; /* of the last one that changed a server attribute other
                            * than the next number */
    uint64_t looks_seq;    /* of the last one that changed one with ATTR_LOOKS */
    struct object *server; /* the one object of its kind */
    /* Names in ids of jobs that are not this server's. */
    size_t n_other_names;
    struct other_name {
        char *name;
        bool was_ours; /* a former name of this server; else another server's */
    } * other_names;
    struct host *hosts;            /* uthash by name */
    struct host_tasks *tasks;      /* uthash by host */
    struct resource_sums assigned; /* server resources_assigned */
    /* Jobs that are counted in vnodes, by outside_prev, outside_next in no order. */
    struct job *outside;
    struct job *live;         /* by list_prev, list_next; in order of creation */
    struct history history;   /* all other jobs */
    struct ranks live_order;  /* in_order of those in 'live': job_order.h */
    struct ranks past_order;  /* in_order of all others */
    struct job *waited;       /* by waited_prev, waited_next: waiters.h */
    struct deadlines to_tell; /* those of them of which there is something to tell */
    bool loading;             /* in model_loaded() */
    size_t n_jobs;            /* history not counted */
    size_t n_orphans;         /* jobs whose queue is not there */
    size_t n_dangling;        /* references to vnodes that are not there (yet) */
    size_t n_stray;           /* later occurrences without their reservation */
    size_t n_hot;             /* jobs that a hot start has to do with */
    size_t n_state[10];       /* of all jobs, as in struct queue */
    size_t n_subjobs;         /* likewise */
    size_t n_awaited;         /* vnodes whose last known state holds: node_life.h */
    struct tallies tallies;   /* likewise */
    uint64_t created;         /* counts objects: the source of created_seq */
    struct late_value *late;  /* while objects are loaded */
    struct changes *changes;  /* what looks different since when: changes.h */
    struct arena *scratch;    /* of one model_apply() */
    struct object *gone; /* what the last record removed; freed by the next record */
};

/* Index of a job's state letter in n_state. */
#define JOB_STATE_LETTERS "TQHWREBXMF"
int job_state_index(int letter);

/* A model without objects; free takes all of its objects along. NULL is fine. */
struct model *model_new(const char *server_name);
void model_free(struct model *m);

/* Attributes of OBJ_RESOURCE, a resource defined by the site: they feed m->defs. */
enum resource_attr {
    RESOURCE_A_TYPE,
    RESOURCE_A_FLAG,
    RESOURCE_A_COUNT
};

/* Attributes of OBJ_REQUEST: decide/kept_request.h. */
enum request_attr {
    REQUEST_A_ASKED,
    REQUEST_A_ACTOR,
    REQUEST_A_RIGHTS,
    REQUEST_A_PLACE,
    REQUEST_A_COUNT
};

/* Attributes of OBJ_OCCURRENCE, named as those of reservations are. */
enum occurrence_attr {
    OCCURRENCE_A_INDEX,
    OCCURRENCE_A_START,
    OCCURRENCE_A_END,
    OCCURRENCE_A_STATE,
    OCCURRENCE_A_SUBSTATE,
    OCCURRENCE_A_RESV_NODES,
    OCCURRENCE_A_RETRY,
    OCCURRENCE_A_RESOURCE_LIST,
    OCCURRENCE_A_SCHEDSELECT,
    OCCURRENCE_A_COUNT
};

extern const struct attr_table occurrence_table;

/* The attribute table of a kind. */
const struct attr_table *kind_table(enum obj_kind kind);
const char *kind_name(enum obj_kind kind);
enum obj_kind kind_find(const char *name); /* OBJ_KIND_COUNT if unknown */

/* Lookup: NULL when there is none. Reservations and jobs by any spelling that
 * reservations.md 1 and wire.md 7.2 K allow. */
const struct object *model_find(const struct model *m, enum obj_kind kind,
                                const char *id);
const struct node *model_node(const struct model *m, const char *name);
const struct queue *model_queue(const struct model *m, const char *name);
const struct resv *model_resv(const struct model *m, const char *id);
const struct job *model_job(const struct model *m, const char *id);
const struct host *model_host(const struct model *m, const char *name);

/* The lowest task number from 'from' on that no job at a MoM has on the host, named
 * as in exec_host: the MoM's natural vnode. */
size_t model_free_task(const struct model *m, const char *host, size_t from);

/* Iteration in order of creation: MODEL_EACH over all objects of a kind, history
 * included; MODEL_EACH_LIVE without the jobs that are over. */
#define MODEL_EACH(m, kind, o)                                                         \
    for (const struct object *o = (m)->kinds[kind].first; o; o = o->next)
#define MODEL_EACH_LIVE(m, kind, o)                                                    \
    for (const struct object *o = model_first_live(m, kind); o; o = object_next_live(o))
const struct object *model_first_live(const struct model *m, enum obj_kind kind);
const struct object *object_next_live(const struct object *o);
/* How many that iteration meets. */
size_t model_n_live(const struct model *m, enum obj_kind kind);
#define TO_NODE(o)  ((const struct node *)(const void *)(o))
#define TO_QUEUE(o) ((const struct queue *)(const void *)(o))
#define TO_RESV(o)  ((const struct resv *)(const void *)(o))
#define TO_LATER(o) ((const struct later *)(const void *)(o))
#define TO_JOB(o)   ((const struct job *)(const void *)(o))

/* The jobs of a queue as they are listed. None may come or go meanwhile. */
#define QUEUE_EACH_JOB(q, j)                                                           \
    for (struct job *j = queue_job_behind(q, RANK_PLACE_FIRST); j;                     \
         j = queue_job_behind(q, j->in_queue.place))
/* The first one behind a place, NULL: there is none. */
struct job *queue_job_behind(const struct queue *q, struct rank_place place);

/* Attribute access. obj_num() and obj_str() take what an unset one counts as. */
const struct attr_value *obj_attr(const struct object *o, int attr);
bool obj_is_set(const struct object *o, int attr);
/* Memory of all its attributes' texts and lists. */
size_t obj_bytes(const struct object *o);
int64_t obj_num(const struct object *o, int attr, int64_t unset);
const char *obj_str(const struct object *o, int attr, const char *unset);
const struct resources *obj_resources(const struct object *o,
                                      int attr); /* never NULL */

/* Apply one record: the only function that changes the model. Every change's text was
 * checked by the handler; a text that does not decode is our mistake and asserts. */
void model_apply(struct model *m, const struct record *rec);

/* Apply a FACT_LOADED record, whose texts nobody has decoded yet. Returns the first
 * change with a text that cannot be read, NULL when there is none; with a change that
 * cannot be read the model is of no use any more. */
const struct change *model_load(struct model *m, const struct record *rec) MUST_CHECK;

/* After the last FACT_LOADED: make all links and sums. */
void model_loaded(struct model *m, uint64_t seq);

/* All of an object as the record that a restart loads it from. */
struct record *record_of_object(const struct object *o, struct arena *arena);

/* A copy made from the stored attributes alone, as a restart makes it. */
struct model *model_rebuild(const struct model *m);

/* Assert the invariants: links equal recounts, sums equal sums. Debug builds and the
 * simulator call it after every record. */
void model_check(const struct model *m);
void model_differs(const char *why); /* asserts; 'why' is for the debugger */

/* True when every object, attribute and derived part is equal; else says in 'why' (may
 * be NULL) what differs. */
bool model_same(const struct model *a, const struct model *b, struct buf *why);

#endif
