/* snapshot.h - what the plan knows of the complex: the objects of status replies as
 * structs. Filled by snapshot_add(), read by plan/ only.
 *
 * Units: instants (*_at) are seconds since the epoch, amounts are whole numbers, KiB
 * for sizes and ten-thousandths for floats. Texts live in the snapshot's arena; in a
 * snapshot that is kept (kept.c), in that of their object.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SNAPSHOT_SNAPSHOT_H
#define SCHEDULER_SNAPSHOT_SNAPSHOT_H

#include "lib/attr/execvnodes.h"
#include "lib/attr/select.h"
#include "lib/cal/zone.h"
#include "scheduler/sched.h"

#include <uthash.h>

#define WALLTIME_NONE_S    157680000 /* a job without walltime: five years */
#define RETRY_TIME_S       600 /* reserve_retry_time, when the server does not say */
#define FUZZY_S            60  /* opt_backfill_fuzzy, likewise */
#define PARTITION_DEFAULT  "pbs-default"
#define PREEMPT_QUEUE_PRIO 150 /* preempt_queue_prio, likewise */
#define FLOAT_SCALE        10000

/* Slot 0 of every vector of amounts is no resource but the right to be on the vnode:
 * a sharer takes one of many, who wants the vnode alone takes all. */
#define RES_PRESENCE       0
#define PRESENCE_ALL       ((int64_t)1 << 40)

enum res_kind {
    RES_NUMBER,
    RES_SIZE,
    RES_FLOAT,
    RES_BOOL,
    RES_TEXT
};

struct res {
    const char *name;
    enum res_kind kind;
    bool consumable; /* counted at the vnode */
    bool summed;     /* counted at queue and server, there or at the vnode too */
    bool by_case;    /* texts differ by case too (all but host) */
};

struct res_table {
    size_t n; /* includes slot 0 */
    size_t cap;
    struct res *v;
};

struct res_value {
    size_t res;       /* index in the table */
    int64_t amount;   /* numbers, sizes, floats; booleans 0 or 1 */
    const char *text; /* as received */
};

struct res_values {
    size_t n;
    size_t cap;
    struct res_value *v;
};

/* What a chunk asks for, in the order of schedselect. */
struct need {
    size_t res;
    int64_t amount;
    const char *text;
};

struct req_chunk {
    int64_t count;
    size_t n;
    struct need *needs;
};

/* Amounts of resources that are counted at queue and server, each once. */
struct res_sums {
    size_t n;
    struct need *v;
};

/* A schedselect with its place, and what is asked for beside the chunks. Equal texts
 * share one request, so that requests can be compared by address. */
struct request {
    const char *key;
    bool valid;
    struct place place;
    size_t n;
    struct req_chunk *chunks;
    int64_t n_total;     /* chunks with their counts */
    struct res_sums all; /* what the whole of it counts at the server */
    struct arena *arena; /* where all of it is */
    size_t n_uses;       /* in a kept snapshot: by objects */
    UT_hash_handle hh;
};

#define REQUEST_CHUNKS_MAX 100000

enum sharing {
    SHARING_DEFAULT_SHARED,
    SHARING_DEFAULT_EXCL,
    SHARING_DEFAULT_EXCLHOST,
    SHARING_IGNORE_EXCL,
    SHARING_FORCE_EXCL,
    SHARING_FORCE_EXCLHOST,
};

/* What a plan has made of an element and the vnodes, for the next plan: see
 * snap_derived(). */
struct snap_memo {
    uint64_t version; /* of what was derived from the vnodes then; 0: nothing yet */
    void *what;
    void *stake;     /* what it has of the vnodes (plan/holders.h), NULL: nothing yet */
    size_t waiter;   /* 1 + its slot among those that wait (plan/waiting.h), 0: none */
    uint64_t serial; /* of that */
};

struct maybe_number {
    bool is_set;
    int64_t value;
};

struct snap_vnode {
    const char *name;
    const char *host;
    const char *queue;     /* NULL: of no queue */
    const char *partition; /* NULL: of the default scheduler */
    bool usable;           /* not down, offline, stale, ... */
    bool busy;             /* too loaded for new jobs now */
    bool idle;             /* the state is exactly "free" */
    bool may_return;       /* not usable, but only because it is down or offline */
    bool stale;            /* its MoM does not report it any more */
    bool resv_enable;
    bool no_multinode;
    enum sharing sharing;
    int64_t priority;
    int64_t last_used_at;                                         /* 0: never */
    struct maybe_number max_running, max_user_run, max_group_run; /* jobs on it */
    struct res_values available;
};

/* A limit of running jobs: of everybody (o), a user, a group or a project. */
struct snap_limit {
    char kind;
    const char *name; /* PBS_ALL, PBS_GENERIC, or whose it is */
    size_t res;       /* SIZE_MAX: of their number */
    int64_t amount;
};

struct snap_limits {
    size_t n, cap;
    struct snap_limit *v;
};

struct snap_queue {
    const char *name;
    const char *partition;
    const char *group_key; /* node_group_key, NULL: the server's */
    bool execution;
    bool started;
    int64_t priority;
    struct res_values available; /* resources_available: of its jobs together */
    struct snap_limits limits;
    struct snap_limits soft; /* nobody is held by them: scheduling.md 22 */
    struct maybe_number backfill_depth;
};

/* One occurrence of a series, from the current one on. */
struct snap_occurrence {
    int64_t start_at;
    int64_t end_at; /* > start_at; both 0: it was deleted, and only keeps its place */
    bool degraded;  /* other vnodes are wanted for it, when its retry has come */
    bool bare;      /* it has no vnodes, whatever the map says */
    const struct request *request; /* its own; NULL: that of the series */
};

/* What an open alteration wants of a later occurrence. */
struct snap_alteration {
    int64_t index; /* 0: none is open */
    int64_t start_at, end_at;
    const struct request *request;
};

#define SNAP_OCCURRENCES_MAX 10000

struct snap_occurrences {
    size_t n; /* 0: the server does not tell them, or not in a form that can be read */
    struct snap_occurrence *v;
};

struct snap_resv {
    const char *id;
    const char *queue; /* NULL: none yet */
    const char *partition;
    const struct request *request;      /* NULL: lacks a select */
    const struct request *request_orig; /* before an alteration of the select */
    struct res_values asked;            /* Resource_List */
    const char *nodes; /* resv_nodes, NULL before the first confirmation */
    int64_t state;
    int64_t substate;
    int64_t start_at;
    int64_t end_at;
    int64_t old_start_at;         /* before an alteration that is open; else start_at */
    int64_t old_end_at;           /* likewise */
    bool knows_old_end;           /* the server said it */
    struct maybe_number question; /* the server numbers them: the open alteration's, 0:
                                     none */
    bool may_push;                /* the open alteration: followers may be moved, */
    bool may_shorten;             /* or the extension may be a shorter one */
    struct maybe_number retry;    /* the instant of the next attempt */
    int64_t standing;             /* PBS's word for a series: not 0 */
    int64_t index;                /* of a series: number of the current occurrence */
    int64_t count;                /* of all of its occurrences */
    const char *rule, *zone;      /* how it repeats; NULL: not told */
    int64_t series_start_at;      /* of the occurrence that was altered first, and */
    int64_t series_length_s;      /* its length, before that; 0: none was altered */
    struct snap_occurrences occurrences;
    struct snap_alteration later;
    struct execvnodes map; /* the vnodes of each, by position; n 0: none, or a text that
                              cannot be read */
    const struct request *request_series; /* of later occurrences */
    bool skip;                            /* answered in this cycle already */
    bool alien;             /* of another partition: only what it holds counts */
    struct snap_memo *memo; /* NULL: the snapshot is not kept */
};

struct snap_job {
    const char *id;
    const char *queue;
    const struct request *request; /* NULL: lacks a select */
    const char *exec_vnode;
    const char *comment;
    char state; /* letter of job_state */
    int64_t substate;
    bool array;
    const char *array_id;                   /* of a subjob */
    const char *remaining;                  /* of an array: the indices that wait */
    struct maybe_number max_subjobs;        /* how many of it may run at once */
    int64_t walltime_s;                     /* -1: none */
    int64_t soft_walltime_s;                /* likewise: length.h */
    int64_t min_walltime_s, max_walltime_s; /* likewise: it may be shortened to fit */
    int64_t started_at;
    /* Of one that is, or was, suspended, where the server is ours (doc/extensions.md):
     */
    const char *kept;     /* what it still has of its exec_vnode; NULL: not told */
    int64_t ran_s;        /* before runs_from_at */
    int64_t runs_from_at; /* when it was suspended or resumed last; 0: never */
    int64_t preempted_at; /* and has not run since; 0: it is none of these */
    int64_t rank;         /* order of arrival */
    int64_t priority;
    struct res_values asked; /* Resource_List */
    const char *user, *group, *project;
    const char *targets; /* preempt_targets: whom it may preempt; NULL: anybody */
    bool no_rerun;       /* it may not be run again, */
    bool no_checkpoint;  /* and wants no checkpoints */
    bool spared;        /* could not be preempted in this cycle: snapshot_spare_job() */
    bool gave_up;       /* preempts nobody in this cycle: snapshot_give_up() */
    bool put_off;       /* waits for the next cycle: snapshot_put_off() */
    int64_t eligible_s; /* eligible_time, as it was told */
    int64_t told_at;    /* then; 0: right before the plan */
    int64_t accrue_type;    /* 1 ineligible, 2 eligible, 0 and others: neither */
    bool topjob;            /* it was a top job */
    bool topjob_ineligible; /* it never is one */
    struct {
        int64_t start_at; /* 0: not estimated */
        const char *vnodes;
        int64_t soft_walltime_s; /* 0: not told */
    } estimated;
    struct snap_memo *memo; /* as of a reservation */
};

/* A time zone in which a series repeats. */
struct snap_zone {
    const char *name;
    const struct zone *zone; /* NULL: not there, or cannot be read */
};

struct snap_zones {
    size_t n, cap;
    struct snap_zone *v;
};

/* What the scheduler object says about preemption; texts NULL: nothing. */
struct snap_preempt {
    const char *prio, *order; /* lib/attr/preempt.h */
    int64_t queue_priority;   /* from which on a queue is an express one */
    bool ignores_targets;     /* preempt_targets_enable is off */
    bool enforces_resumption;
};

struct snap_kept;

struct snapshot {
    struct arena *arena;
    struct snap_kept *kept; /* NULL: filled once, see kept.c */
    struct resource_defs *defs;
    const char *sched_name;
    const char *partition;  /* of the scheduler object */
    bool do_not_span_psets; /* of the scheduler object: see plan/placement_set.h */
    bool only_explicit_psets;
    int64_t retry_time_s;         /* reserve_retry_time of the server */
    bool group_enable;            /* node_group_enable of the server */
    const char *group_key;        /* node_group_key of the server, NULL: none */
    struct res_values available;  /* resources_available of the server: of all jobs
                                     together */
    struct snap_limits limits;    /* of the server */
    struct snap_limits soft;      /* likewise */
    const char *suspend_releases; /* comma list of what suspended jobs give back; NULL:
                                     all */
    struct snap_preempt preempt;
    const char *run_wait; /* job_run_wait of the scheduler object; NULL: not told */
    bool has_runjob_hook; /* of a server of another make, which runs hooks */
    struct maybe_number backfill_depth; /* of the server */
    bool counts_eligible;               /* eligible_time_enable of the server */
    const char *formula,
        *sched_formula;       /* of the server, of the scheduler; NULL: none */
    bool has_threshold;       /* job_sort_formula_threshold is set, */
    double threshold;         /* to that */
    int64_t told_at;          /* snapshot_told_at() */
    int64_t backfill_fuzzy_s; /* opt_backfill_fuzzy of the scheduler object */
    struct res_table res;
    struct request *requests; /* by key */
    size_t n_vnodes, cap_vnodes;
    struct snap_vnode *vnodes;
    size_t n_queues, cap_queues;
    struct snap_queue *queues;
    size_t n_resvs, cap_resvs;
    struct snap_resv *resvs;
    size_t n_jobs, cap_jobs;
    struct snap_job *jobs;
    struct snap_zones zones; /* those of series whose server does not tell the times */
};

/* The slot of a resource, made when it is new. Constant in the number of vnodes. */
size_t snap_res(struct snapshot *s, const char *name);

/* The slot, or SIZE_MAX when nobody has named it. */
size_t snap_res_find(const struct snapshot *s, const char *name);

/* Read a value of a resource. A text that is no value of its kind reads as 0. Sizes are
 * rounded up to KiB. What is beyond +-AMOUNT_MAX reads as that: sums of many stay in
 * their range. */
#define AMOUNT_MAX (INT64_MAX / 1024)
int64_t snap_amount(const struct res *res, const char *text);

/* The same of what somebody asks for or has: never below 0, or it would be given to the
 * others. */
int64_t snap_need(const struct res *res, const char *text);

/* Append the value of a resource; both texts are copied. */
void snap_values_add(struct snapshot *s, struct res_values *list, const char *name,
                     const char *text);

/* The value of a resource, NULL when it is not there. */
const struct res_value *snap_values_find(const struct res_values *list, size_t res);

/* The zone of that name, when it has been given; else NULL. */
const struct zone *snap_zone(const struct snapshot *s, const char *name);

/* A zone of that name will be wanted. */
void snap_want_zone(struct snapshot *s, const char *name);

/* Does this partition belong to the scheduler the snapshot is for? */
bool snap_is_mine(const struct snapshot *s, const char *partition);

/* NULL when there is none of that name; NULL is the name of none. */
const struct snap_queue *snap_queue_find(const struct snapshot *s, const char *name);

/* The request of a schedselect (NULL gives NULL) and a place; not valid when one of
 * them cannot be read or asks for more than REQUEST_CHUNKS_MAX chunks. 'asked' is the
 * Resource_List, NULL: none; it counts with what no chunk can name. */
const struct request *snap_request(struct snapshot *s, const char *select,
                                   const char *place, const struct res_values *asked);

/* The arrays of a snapshot, alike. */
enum {
    N_SNAP_KINDS = 4
};

struct snap_kind {
    uint32_t type; /* enum wire_object_type */
    size_t size_bytes;
    size_t array, n, cap; /* offsets in struct snapshot */

    /* Read the object into a zeroed element. False: it is another scheduler's. */
    bool (*read)(struct snapshot *s, void *place, const struct wire_object *o);
};

extern const struct snap_kind snap_kinds[N_SNAP_KINDS];

/* The row of objects of that type, NULL: there is none. */
const struct snap_kind *snap_kind_of(uint32_t type);
size_t *snap_count(struct snapshot *s, const struct snap_kind *kind);
void *snap_at(struct snapshot *s, const struct snap_kind *kind, size_t i);

/* Append a zeroed element; others of the kind may move. */
void *snap_append(struct snapshot *s, const struct snap_kind *kind);

/* One object each: called by snapshot_add(). */
void snap_add(struct snapshot *s, const struct snap_kind *kind,
              const struct wire_object *o);
void snap_add_server(struct snapshot *s, const struct wire_object *o);
void snap_add_resource(struct snapshot *s, const struct wire_object *o);

/* What holds of the server until its object has been read. */
void snap_forget_server(struct snapshot *s);

/* What plans make of names, hosts, queues, resources and priorities of the vnodes is
 * kept for the next plan as long as these are the same: NULL when there is none. Then
 * snap_derive() gives an arena for it, which is freed with all in it when a vnode
 * changes in these, and snap_derived_set() keeps it, with what ends it before that;
 * NULL: the snapshot is not kept. What has been in the arena before is gone. Memos of
 * another version than that of snap_derived_version() are void. */
void *snap_derived(const struct snapshot *s);
struct arena *snap_derive(const struct snapshot *s);
void snap_derived_set(const struct snapshot *s, void *derived, void (*fini)(void *));
struct arena *snap_derived_arena(const struct snapshot *s);
uint64_t snap_derived_version(const struct snapshot *s);

/* What a snapshot that is kept has been told since a plan has taken that up. */
struct snap_news {
    bool moved;    /* some are gone, and others may stand in their places */
    size_t n_left; /* those from that place on have been gone meanwhile; SIZE_MAX: none
                      has */
    size_t n, cap;
    size_t *v; /* [n] elements that are new or were shown again, some of them twice */
};
const struct snap_news *snap_news(const struct snapshot *s, uint32_t type);
void snap_news_taken(const struct snapshot *s);

/* The stakes that belonged to elements that are gone or were shown again since then, as
 * long as what was derived stays: how many, and where they are. */
size_t snap_orphans(const struct snapshot *s, void ***ret);

/* Nothing is known of the elements of that type any more, as after snap_news.moved. */
void snap_forget_places(struct snapshot *s, uint32_t type);

/* Do plans derive the same from both vnodes? */
bool snap_derives_same(const struct snapshot *s, const struct snap_vnode *a,
                       const struct snap_vnode *b);

/* Where the texts of the object go that is being read. */
struct arena *snap_arena(const struct snapshot *s);

/* The object that is being read uses the request; the last user gives it back. */
void snap_kept_use(struct snapshot *s, struct request *rq);
void snap_request_release(struct snapshot *s, struct request *rq);
void snap_kept_free(struct snapshot *s);

/* A reservation that the server does not have, or has otherwise, in the place of the
 * one of its name or behind all others, while somebody plans: trial.c. */
struct snap_trial {
    struct snapshot *s;
    size_t at;
    bool in_place;
    struct snap_resv was; /* in_place: what the server has */
};

/* False, and the snapshot is as it was, when it is of another scheduler. */
bool snap_trial_begin(struct snap_trial *t, struct snapshot *s,
                      const struct wire_object *o) MUST_CHECK;
/* The snapshot is as it was; a plan has been made since then. What the plan points to
 * is gone. */
void snap_trial_end(struct snap_trial *t);

/* Its parts in kept.c: read it into a zeroed element; what it has beside that goes. */
bool snap_read_trial(struct snapshot *s, struct snap_resv *place,
                     const struct wire_object *from) MUST_CHECK;
void snap_forget_trial(struct snapshot *s);

/* Read each attribute that has a row into 'object', the struct for objects of that type
 * (enum wire_object_type); others are passed over. */
void snap_read_fields(struct snapshot *s, uint32_t type, void *object,
                      const struct wire_object *o);

/* Texts of a reply go with the reply, so the object has copies that live as long as it
 * does. */
char *snap_text(struct snapshot *s, const char *text);

/* Servers check what they store, and a text that is no number counts as 0. */
int64_t snap_number(const char *text);

/* The values of reserve_occurrences and reserve_execvnodes, into a struct
 * snap_occurrences and a struct execvnodes. */
void snap_read_occurrences(struct snapshot *s, void *place, const struct wire_attr *a);
void snap_read_execvnodes(struct snapshot *s, void *place, const struct wire_attr *a);

/* The window of alter_occurrence, into a struct snap_alteration. */
void snap_read_alteration(struct snapshot *s, void *place, const struct wire_attr *a);

/* Give occurrences their own requests by the text of reserve_occurrence_schedselects;
 * what cannot be read is passed over. */
void snap_give_requests(struct snapshot *s, struct snap_resv *r, const char *text,
                        const char *place);

#endif
