/* walk.h - the objects that a status request asks for, one after another.
 *
 * A walk may pause: between two steps objects may come, change and go. Each object that
 * is there all the while is met once, in order of creation or in the order of the
 * request's list of ids; one that is gone before its turn is not met. Jobs are met in
 * the order of their queue_rank (model/job_walk.h); StatusChanges, whose readers put
 * them in order themselves, shows them in order of creation too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_WALK_H
#define SERVER_REQUESTS_WALK_H

#include "lib/attr/indices.h"
#include "server/model/job_walk.h"
#include "server/requests/job_select.h"
#include "server/requests/show.h"

struct walk_changes;

struct walk {
    const struct model *m;
    const struct request *rq;
    struct arena *arena;
    enum obj_kind kind;
    struct asked asked;
    const char *ids;           /* what is left of a comma list; NULL: by kind */
    const struct object *next; /* by kind, but for jobs without 'changes' */
    struct job_walk jobs;      /* which these have */
    bool past;                 /* history too */
    uint64_t queue;            /* created_seq of the queue whose jobs these are, or 0 */
    const char *queue_name;
    struct selection *selection;  /* SelStat and SelectJobs, else NULL */
    uint64_t defs_seq;            /* that the selection was read with */
    struct walk_changes *changes; /* StatusChanges, else NULL; then 'kind' and 'asked'
                                     are those of the class that is walked */
    struct wire_object other;     /* WALK_OTHER */
    uint64_t other_seq;           /* the record that it has seen */

    /* subjobs of arrays: walk_subjobs.c */
    bool subjobs_too;           /* behind their array: status with t */
    bool subjobs_alone;         /* in its place: selection with t or T */
    bool subjobs_begun;         /* those that run, as any job: selection with S */
    const struct object *array; /* whose subjobs are met now, or NULL */
    size_t place;               /* the next one */
    struct index_range indices; /* of these */
    const char *index_list;     /* and of these ranges; NULL: all of the array */
    size_t view_cost;           /* of the last step: a subjob was made up */
};

enum walk_step {
    WALK_AT,    /* an object */
    WALK_PAST,  /* one was passed over: not for this requester, or not asked for */
    WALK_OTHER, /* walk.other, which is no object of the model */
    WALK_END
};

/* True when finished and moved jobs are asked for. */
bool request_wants_history(const struct request *rq);

/* A walk over StatusQue, StatusNode, StatusResv, StatusJob, SelStat, SelectJobs or
 * StatusChanges; what it needs is taken from 'arena', 'rq' must live as long. Refusals
 * as wire.md 7.2 K and 10.3. */
int walk_open(const struct model *m, const struct request *rq, struct arena *arena,
              struct walk *ret, struct diag *why) MUST_CHECK;
void walk_close(struct walk *w);

/* One step: *ret is set with WALK_AT alone, and good until the model changes. */
enum walk_step walk_next(struct walk *w, const struct object **ret);

/* The parts of a walk over StatusChanges (walk_changes.c). Which may be asked for, and
 * by whom: 15007 unless a scheduler asks, 15004 for types that are not served or named
 * twice, 15016 when what has changed since then is not known any more: ask with 0. */
int changes_open(struct walk *w, struct diag *why) MUST_CHECK;
enum walk_step changes_next(struct walk *w, const struct object **ret);
/* The record that has been seen besides those of the objects that were met: a part of
 * the reply need not wait for what was decided since the walk began, unless it shows
 * something of it, or leaves something out for it. */
uint64_t changes_seen(const struct walk *w);

/* The subjobs of a walk over jobs: what the request's extension says of them. */
void walk_open_subjobs(struct walk *w);
/* The walk meets the indices of the array that 'list' names, NULL: all, until
 * walk_next_subjob() has said the last one and 'w->array' is NULL. */
void walk_indices(struct walk *w, const struct job *array, const char *list);
/* The walk is at an object of the kind: it may be an array with its subjobs. */
enum walk_step walk_array(struct walk *w, const struct object *o,
                          const struct object **ret);
enum walk_step walk_next_subjob(struct walk *w);
/* A subjob, which is met elsewhere. */
bool walk_passes_over(const struct walk *w, const struct job *job);

/* About what the last step cost, in the units of request_slice_cost(). */
size_t walk_cost(const struct walk *w);

/* It was to remember too much of jobs that changed their places and has ended too early
 * (JOB_WALK_MAX_ASIDE): the caller refuses instead of leaving jobs out. */
bool walk_is_lost(const struct walk *w);

/* The object is about to leave the model, or (retires) to become history. */
void walk_leave(struct walk *w, const struct object *o, bool retires);
/* The job has another place in the order of jobs than it had. */
void walk_moved(struct walk *w, const struct job *job, struct rank_place was);

/* The handlers' part: refuse what cannot be walked, else decide a listing. */
int decide_listing(const struct model *m, const struct request *rq,
                   struct decision *out);

#endif
