/* record.h - records: the facts that the server decides, stores, applies and tells.
 *
 * A record says that one thing happened to one object ("resv.confirmed", R7.svr) and
 * which attributes changed by it, as texts. It is at once the row of the journal, what
 * apply() turns into memory, and what react() derives accounting lines, log lines and
 * messages from. All of an object's lasting state is in its attributes, so a restart
 * is apply() over one "loaded" record per stored object.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RECORD_H
#define SERVER_MODEL_RECORD_H

#include "lib/base/arena.h"

enum obj_kind {
    OBJ_SERVER,
    OBJ_SCHED,
    OBJ_RESOURCE,
    OBJ_QUEUE,
    OBJ_NODE,
    OBJ_HOOK,
    OBJ_RESV,
    OBJ_OCCURRENCE, /* one that comes later: model/occurrence.h */
    OBJ_JOB,
    OBJ_REQUEST, /* one that is carried out to its end: decide/kept_request.h */
    OBJ_KIND_COUNT,
};

/* What can happen. The name and what follows from it are in fact_rows[] (fact.c). */
enum fact {
    FACT_LOADED, /* at start: the object as the store holds it */

    FACT_CREATED, /* by Manager or first start */
    FACT_SET,     /* by Manager, or a daemon's own bookkeeping */
    FACT_DELETED,

    FACT_RESV_SUBMITTED,
    FACT_RESV_CONFIRMED,   /* first confirmation */
    FACT_RESV_RECONFIRMED, /* degraded -> new nodes */
    FACT_RESV_DENIED,
    FACT_RESV_STARTED,
    FACT_RESV_DEGRADED, /* an unusable vnode in it, or another one */
    FACT_RESV_CONFLICT, /* maintenance takes vnodes of it */
    FACT_RESV_HEALED,   /* every unusable vnode is back */
    FACT_RESV_RETRY,    /* the next attempt's time was set or cleared */
    FACT_RESV_ASKED,    /* a question to the scheduler was put */
    FACT_RESV_OVER,     /* an occurrence is over, later ones are left */
    FACT_RESV_TURN,     /* the next occurrence becomes the current one */
    FACT_RESV_ENDING,   /* end reached or pbs_rdel: jobs are being deleted */
    FACT_RESV_GONE,     /* purged; the object leaves the model */
    FACT_RESV_ALTER_ASKED,
    FACT_RESV_ALTERED,
    FACT_RESV_ALTER_DENIED,

    FACT_JOB_QUEUED, /* committed */
    FACT_JOB_MODIFIED,
    FACT_JOB_RUN,      /* nodes given, about to be sent to the MoM */
    FACT_JOB_SENT,     /* MoM took it: substate 41 */
    FACT_JOB_STARTED,  /* session known: substate 42 */
    FACT_JOB_REJECTED, /* MoM refused: queued again */
    FACT_JOB_USAGE,
    FACT_JOB_ACCRUES,   /* another kind of time passes for it from now on */
    FACT_JOB_MOVED,     /* into another queue */
    FACT_JOB_RELEASED,  /* it has given vnodes back and runs on with the rest */
    FACT_JOB_SUSPENDED, /* its processes are stopped */
    FACT_JOB_RESUMING,  /* it has its vnodes again, and is to go on */
    FACT_JOB_RESUMED,   /* it goes on */
    FACT_JOB_STANDS,    /* its busy host has stopped it */
    FACT_JOB_STOOD,     /* ... and lets it go on */
    FACT_JOB_LEAVES,    /* it is offered to another server */
    FACT_JOB_STAYS,     /* that server does not take it, or nobody can say */
    FACT_JOB_WAVERS,    /* it may have taken it; it will be asked again */
    FACT_JOB_LEFT,      /* the other server has it; leaves the model */
    FACT_JOB_AWAY,      /* the same where history is kept */
    FACT_JOB_KILLED,    /* deletion of a running job asked for */
    FACT_JOB_OBIT,      /* exited: status known, end processing */
    FACT_JOB_REQUEUED,
    FACT_JOB_ENDED,   /* leaves the model */
    FACT_JOB_DELETED, /* a job that did not run was deleted; leaves the model */
    /* The same two where the server keeps history: the job stays, and holds nothing. */
    FACT_JOB_FINISHED,
    FACT_JOB_WITHDRAWN,
    FACT_JOB_FORGOTTEN, /* history is not kept any longer; leaves the model */

    FACT_ARRAY_BEGAN, /* its first subjob is given vnodes */
    FACT_ARRAY_CUT,   /* subjobs that wait were deleted; the note lists their indices */
    FACT_ARRAY_TOOK,  /* it took over subjobs that are over */
    FACT_SUBJOB_MADE, /* it becomes an object, with what its array says of it */
    FACT_SUBJOB_ENDED,   /* its run is over: state X */
    FACT_SUBJOB_DELETED, /* it waited to be run again, and was deleted: state X */
    FACT_SUBJOB_TAKEN,   /* by its array; leaves the model */

    FACT_NODE_STATE,    /* availability of a vnode changed */
    FACT_NODE_REPORTED, /* MoM told of vnodes and resources */

    FACT_COUNT,
};

/* Why a fact came about, where somebody does something else because of it. What only
 * readers of the journal and the logs want to know is said in a record's note. */
enum reason {
    REASON_NONE, /* somebody's request, or what always follows */

    /* FACT_RESV_ENDING */
    REASON_END_REACHED,
    REASON_IDLE,
    REASON_EXPIRED,   /* nobody waits for its confirmation any longer */
    REASON_JOB_STAYS, /* the job that it was made for cannot be moved into it */

    REASON_SERVER_BEGAN, /* an alteration was open when the server went */
    REASON_CANCELLED, /* FACT_DELETED, FACT_RESV_OVER: somebody deletes this occurrence
                       */
    REASON_SKIPPED,   /* FACT_DELETED: its end had passed before its turn came */

    REASON_PUSHED, /* FACT_RESV_ALTERED: moved to make room for another one; its note
                      says for which */
    REASON_LOCAL,  /* a reservation is confirmed or altered and no scheduler said so */

    /* the queue of a reservation, changed by the server itself */
    REASON_RESV_KEEPS,  /* made, opened or removed with it */
    REASON_RESV_CLOSES, /* its reservation ends while jobs are in it */

    /* jobs */
    REASON_ALTERED,         /* FACT_JOB_MODIFIED by ModifyJob: accounting tells it */
    REASON_RERUN,           /* FACT_JOB_MODIFIED: back into the queue on request */
    REASON_OVER,            /* FACT_JOB_KILLED: the occurrence that it is in is over */
    REASON_RESV_REQUEUES,   /* FACT_JOB_MODIFIED: back into the queue at the end of its
                               reservation or occurrence */
    REASON_DEPENDENCY,      /* FACT_JOB_DELETED, _WITHDRAWN: it would wait for ever */
    REASON_RELEASE,         /* FACT_JOB_MODIFIED: vnodes are to be given back */
    REASON_NOT_RELEASED,    /* FACT_JOB_MODIFIED: its MoM would not */
    REASON_PRUNED,          /* FACT_JOB_RELEASED: hosts have failed; it goes on, */
    REASON_PRUNED_AT_START, /* ... or begins, without them */
    REASON_SUSPEND,         /* FACT_JOB_MODIFIED: to be suspended; its note says how */
    REASON_NOT_SUSPENDED,   /* FACT_JOB_MODIFIED: its MoM would not; a code and words */
    REASON_CHECKPOINT, /* FACT_JOB_MODIFIED: its MoM is to make an image and end it */
    REASON_NOT_CHECKPOINTED, /* FACT_JOB_MODIFIED: its MoM would not, or could not; a
                                code and words */
    REASON_RESUME,           /* FACT_JOB_MODIFIED: the scheduler may resume it */
    REASON_NOT_RESUMED,      /* FACT_JOB_SUSPENDED: its MoM would not; a code and words.
                                FACT_JOB_RESUMED: its MoM is away and is told later */
    REASON_MOVED,            /* FACT_JOB_MOVED by MoveJob or OrderJob */
    REASON_ROUTED,           /* FACT_JOB_MOVED by its routing queue */
    REASON_ROUTE_REJECTED,   /* FACT_JOB_DELETED, _WITHDRAWN: no destination takes it */
    REASON_ROUTE_EXPIRED,    /* likewise: it has been in its routing queue too long */
    REASON_TRANSFER,    /* FACT_JOB_MODIFIED of history: still kept for its sender */
    REASON_SHUTDOWN,    /* FACT_JOB_KILLED: the server ends */
    REASON_NO_LETTER,   /* FACT_JOB_KILLED, _DELETED, _WITHDRAWN: who deletes it wants
                           no letter about it */
    REASON_NODE_LOST,   /* FACT_JOB_OBIT: given up, its node is down */
    REASON_MOM_MISSING, /* FACT_JOB_REJECTED: the MoM cannot be reached */
    REASON_MOM_REFUSED, /* FACT_JOB_REJECTED: by the MoM's answer */
    REASON_STAGE_IN,    /* FACT_JOB_REJECTED: its files could not be fetched */

    REASON_CYCLE, /* of a scheduler: it is to begin a cycle, though nothing changed */

    REASON_COUNT,
};

/* One attribute that a record changes. */
struct change {
    int attr;             /* index in the kind's attribute table */
    const char *resource; /* member of a resource list, else NULL */
    const char *before;   /* canonical text, NULL: was unset */
    const char *after;    /* canonical text, NULL: unset */
};

struct record {
    uint64_t seq; /* given when the decision is taken up; 0 before */
    int64_t at;   /* epoch seconds */
    enum fact fact;
    enum obj_kind kind;
    const char *id; /* object: full id or name; the server's own name for OBJ_SERVER */
    const char *actor; /* "user@host", "Scheduler@svr", "root@svr" */
    enum reason reason;
    const char *note; /* free words for journal, log and accounting, or NULL */
    size_t n_changes;
    size_t cap_changes;
    struct change *changes;
};

struct records {
    size_t n;
    size_t cap;
    struct record **v;
};

/* True for facts that make or end their object. */
bool fact_creates(enum fact f);
bool fact_removes(enum fact f);
/* True for facts after which their object is history: there for those who ask for it,
 * and gone for all others. */
bool fact_retires(enum fact f);
/* "resv.confirmed"; the journal stores it. fact_find() returns FACT_COUNT if unknown.
 */
const char *fact_name(enum fact f);
enum fact fact_find(const char *name);

/* The journal's words for a reason, NULL for REASON_NONE; the PBS error code that those
 * who wait are told because of it, 0 when there is none. */
const char *reason_text(enum reason r);
int reason_code(enum reason r);

/* Does the server itself end a job for that reason? Then it is told as an abort. */
bool reason_aborts(enum reason r);

/* What the journal keeps beside the fact: the note, else the words of the reason. */
const char *record_words(const struct record *rec);

/* A record in the arena, appended to 'list'. Texts are not copied. */
struct record *record_add(struct records *list, struct arena *arena, enum fact fact,
                          enum obj_kind kind, const char *id, const char *actor,
                          int64_t at);

/* Append a change; 'before' is filled in from the model when the record is taken up. */
void record_change(struct record *rec, struct arena *arena, int attr,
                   const char *resource, const char *after);
void record_change_num(struct record *rec, struct arena *arena, int attr,
                       int64_t after);

#endif
