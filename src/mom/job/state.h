/* state.h - what the MoM keeps of jobs, of their hosts and of its server; private to
 * the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_STATE_H
#define MOM_JOB_STATE_H

#include "lib/base/deadlines.h"
#include "lib/base/log.h"
#include "lib/wire/job_record.h"
#include "mom/job/ended_tasks.h"
#include "mom/mom.h"

#include <stdlib.h>
#include <string.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>
#include <utlist.h>

#define OBIT_REPEAT_S       45
#define KILL_DELAY_S        10
#define START_GRACE_S       10 /* for a start that shall end; then it is given up */
#define MAX_SCRIPT_BYTES    ((size_t)2 << 30) /* the highest jobscript_max_size */
#define MAX_SAVED_BYTES     (256u << 20)
#define MAX_RECEIVING       1000 /* half-received jobs at a time */
#define MAX_POLL_DOWNTIME_S 300
#define JOIN_WAIT_S         30         /* $sister_join_job_alarm, $job_launch_delay */
#define MAX_POSTED_BYTES    (1u << 20) /* published by the tasks of a job on this host */
#define MAX_WATCHERS        MAX_TASKS  /* of all tasks of a job on this host */
#define MAX_ASKED_BYTES     (64u << 20) /* other hosts, by the tasks of a job here */
#define HIGHEST_SIGNAL      64          /* of Linux, real-time signals included */
/* The exit status with which the server runs a job again (execution.md 20). */
#define STATUS_RETRY        (-3)
#define STATUS_FROM_IMAGE   (-15) /* the job goes on from its image */
#define STATUS_NEVER_RAN    254   /* of a task that could not be started */
#define MAX_TASKS           JOB_RECORD_MAX_TASKS

/* Substates that the server knows, and two of ours below 41. */
enum job_phase {
    JOB_GONE = 0,
    JOB_RECEIVING = 1, /* QueueJob is here, Commit is not */
    JOB_STORING = 2,   /* being written; not answered yet */
    JOB_RESTING = 20,  /* among m->resting: its image waits for its next run */
    JOB_PRERUN = 41,
    JOB_RUNNING = 42,
    JOB_SUSPENDED = 43,
    JOB_KILLING = 56,  /* its top task has ended, other hosts still end theirs */
    JOB_EPILOGUE = 57, /* nothing of it runs but the administrator's script */
    JOB_EXITED = 53,   /* obituary acknowledged, the server deletes it */
    JOB_OBIT = 58,     /* obituary to be sent or acknowledged */
};

/* What runs of a job as the mother superior starts it: a session of processes. 'used'
 * is what all of the job has used on this host. */
struct mom_task {
    uint32_t number;  /* 1: the top task */
    int32_t session;  /* 0: not begun */
    const char *mark; /* of the session, mom_set_session_mark(); "" if not known */
    struct mom_usage used;
    bool is_pretended; /* it uses what it asked for, whatever 'used' says */
    int64_t cpupercent;
    int64_t sampled_at;
};

#define MOST_COUNTED    JOB_RECORD_MOST

/* An attribute of a job that its host has stopped: ours, and only in the record. */
#define JOB_STANDS      "hf_stands"
/* An attribute of a job that has files left which could not be delivered: ours, and
 * only in the record. */
#define JOB_UNDELIVERED "hf_undelivered"
/* An attribute of a job of another host, the directory of its own that this host has
 * made: ours, and only in the record. */
#define JOB_MADE_JOBDIR "hf_made_jobdir"
/* An attribute of a job that a script is to end: ours, and only in the record. */
#define JOB_TERMINATES  "hf_terminates"
/* An attribute with which a job joins that goes on from an image: the event of that. */
#define JOB_IMAGE       "hf_image"

/* Who waits for something of a task: another host, or a task of this host. */
struct asker {
    uint64_t stream; /* or its connection, MOM_TASK_CONNECTION; 0: nobody */
    int32_t event;
    uint32_t task; /* that asks */
};

/* What makes an order to spawn the same as an earlier one. No bytes lie in between. */
struct order_key {
    uint64_t stream;
    uint64_t event;
};

/* A task that another task of the job has spawned here, over TM or from another host,
 * until it has ended (ended_tasks.h). */
struct spawned {
    struct mom_job *job;
    uint32_t number;
    int32_t session; /* 0: not begun */
    char *mark;      /* as that of the top task */
    int32_t vnode;
    uint32_t parent_task; /* that asked for it, and its vnode */
    int32_t parent_vnode;
    struct asker
        asker; /* its start is told to; the same order again is the same task */
    bool is_told;
    bool is_attached;  /* nobody has started it here: a user has given it to the job */
    bool is_down;      /* it has ended while an image was made that ends the job: nobody
                          hears of that before it is known what becomes of the image */
    int32_t status;    /* then */
    bool is_restoring; /* from an image, by a script that has not ended */
    char *program;     /* until it is started; NULL: from an image */
    struct askers *of; /* of asker.stream; NULL: nobody asks any more */
    struct spawned *of_prev, *of_next;
    struct spawned *prev, *next;
    struct order_key order; /* of 'asker'; among j->orders while that is somebody */
    UT_hash_handle hh, order_hh;
};

/* Orders whose tasks have ended, the last of them. An order that is said twice comes
 * twice in a row, and the task may have ended in between. */
#define MOST_ENDED_ORDERS 64
struct ended_orders {
    size_t n; /* ever noted; the last MOST_ENDED_ORDERS are there */
    struct ended_order {
        struct order_key order;
        uint32_t number;
    } v[MOST_ENDED_ORDERS];
};

/* Who waits for the end of a task of this host. */
struct watcher {
    struct watched *task;
    struct asker asker;
    struct askers *of;
    struct watcher *of_prev, *of_next;
    struct watcher *prev, *next;
};

/* A task that somebody waits for. */
struct watched {
    struct mom_job *job;
    uint32_t number;
    struct watcher *watchers;
    UT_hash_handle hh;
};

/* What was asked on a stream, or by a task on its connection, of all jobs (askers.h).
 */
struct askers {
    uint64_t stream;
    struct mom *m;
    struct spawned *orders;
    struct watcher *watchers;
    struct asked *asked; /* whose client it is */
    UT_hash_handle hh;
};

/* What a task has published for the others. */
struct posted {
    uint32_t task;
    const char *name;
    struct wire_bytes info;
    struct posted *prev, *next;
};

/* What another host does with the tasks of a job, as far as the mother superior knows.
 */
enum host_stance {
    STANCE_RUNS,
    STANCE_STANDS,
    STANCE_UNKNOWN
};

/* A host of a job, as exec_host2 has them, each once. The first is the mother
 * superior's. */
struct job_host {
    const char *name;
    uint32_t port;   /* its MoM's service port */
    bool is_member;  /* it was asked to join, and was not released */
    bool is_stale;   /* it may not know where the job lies now */
    bool has_failed; /* the job is to go on without it (tolerate.c) */
    enum host_stance stance;
    int32_t undo;    /* it has not said that it has undone this (image_hosts.c); 0: it
                        has nothing to undo */
    int64_t lost_at; /* nothing was heard since; 0: it is there */
    struct mom_usage used;
    int64_t cpupercent;
};

struct host_list {
    size_t n;
    struct job_host *v;
    size_t own;      /* which of them we are */
    size_t n_vnodes; /* as IM and TM count them: the pieces of exec_host2 */
    uint32_t *host_of;
};

/* A question of ours to another host of the job, which is not answered yet. */
struct asked {
    int32_t event;
    enum im_command command;
    size_t host;
    bool is_sent;   /* no: there is no stream yet */
    bool is_resent; /* its stream broke once */
    /* A task's request to its MoM that became this question. */
    uint64_t client; /* the task's connection; 0: it is our own */
    int32_t client_event;
    uint32_t client_task;
    enum task_command client_asked;
    struct arena *arena; /* of 'order', and not NULL, when it has a body of its own */
    struct im_message order;
    size_t task_bytes; /* that a task's request takes, of its job's asked_bytes */
    struct mom_job *job;
    struct askers *of; /* of 'client' */
    struct asked *of_prev, *of_next;
    struct asked *prev, *next;
};

/* A host that the job has left, until it has said what was used there. */
struct releasing {
    const char *host; /* in the job's arena */
    uint32_t port;    /* its MoM's service port */
    int32_t event;
    bool is_sent, is_resent; /* as in struct asked */
    bool
        is_given_up; /* it cannot be reached, unless it was this MoM that was cut off */
    int64_t cput_s;  /* of its, that the job's own use has taken over */
    struct releasing *prev, *next;
};

enum checkpoint_kind {
    CHECKPOINT_NONE,
    CHECKPOINT_PERIODIC, /* the job runs on */
    CHECKPOINT_ABORT,    /* and the job ends */
};

/* Where a host is with an image of the job (image.c has the table). */
enum image_stage {
    IMAGE_IDLE,
    IMAGE_OTHERS, /* mother superior: the other hosts make theirs */
    IMAGE_OWN = JOB_RECORD_SCRIPT_RUNS, /* the scripts of this host run */
    IMAGE_ENDING,    /* sister: they have ended well, tasks that they left alive end */
    IMAGE_STOPPED,   /* sister: of the job there is the image alone */
    IMAGE_UNDOING,   /* mother superior: the other hosts go back to what was before */
    IMAGE_RESTORING, /* tasks of this host are restored */
    IMAGE_STAGES,
};

enum image_event {
    IMAGE_EV_ASK,      /* the other hosts are asked */
    IMAGE_EV_MAKE,     /* the scripts of this host begin */
    IMAGE_EV_MADE,     /* they have ended well, */
    IMAGE_EV_END,      /* ... and tasks of a sister are to end with that */
    IMAGE_EV_STOPPED,  /* those have */
    IMAGE_EV_FAILED,   /* a script has failed */
    IMAGE_EV_UNDO,     /* other hosts are to go back */
    IMAGE_EV_UNDONE,   /* they have, or cannot be reached */
    IMAGE_EV_RESTORE,  /* tasks are to be restored */
    IMAGE_EV_RESTORED, /* their scripts have ended, well or not */
    IMAGE_EV_DROP,     /* the job ends for another reason */
    IMAGE_EVENTS,
};

/* A task beside the top task, as it was when an image was made. */
struct image_task {
    uint32_t number;
    int32_t vnode, session;
};

/* An image of what the job has on this host. */
struct image {
    int32_t event; /* of the order that all hosts had to make theirs; 0: no image */
    size_t n;
    struct image_task *tasks; /* on the heap */
};

/* The images of a job, and what is being done about them (doc/design/066, 084). */
struct checkpoint {
    enum checkpoint_kind making; /* in the record, since its script outlives the MoM */
    enum image_stage stage;
    struct image being_made;
    struct image last;   /* if has_image, as ID.CK */
    struct image before; /* sister: as ID.CK.prev, until it is known that all hosts have
                            made the last one */
    bool has_ended;      /* the job's processes have, while it was being made, */
    int32_t end_status;  /* ... with this */
    bool may_have_files; /* of images: one was asked for, or an earlier MoM had the job
                          */
    bool has_image;      /* a complete one is on disk; what the job had used by then: */
    struct mom_usage used;
    int64_t walltime_s;
    int32_t session;    /* that it was made of */
    bool is_restart;    /* this run goes on from it */
    bool is_restarting; /* not all is restored, and the server does not know of the run
                         */
    bool is_top_restored;   /* the script of its top task has ended */
    bool is_due;            /* sister: its tasks are to be restored yet */
    int64_t last_s;         /* cput or walltime of the last attempt, periodic or not */
    uint64_t waiter_stream; /* of the HoldJob that waits for it */
    const char *waiter_msgid; /* NULL: none; in the job's arena */

    /* Of the mother superior. */
    int64_t answer_by;   /* other hosts are not waited for longer; 0: they are */
    int32_t undo;        /* the event of the last order to go back; 0: none */
    bool undo_failed;    /* a host could not */
    int32_t failed_code; /* of the host that failed first; 0: none has */
    char *failed_why;    /* and its words, on the heap; NULL: none */

    /* Of a sister. */
    struct asker asker;    /* its image is waited for there */
    struct asker restorer; /* ... or its tasks are */
    int32_t restore;       /* what the order to restore said; 0: there is none */
    bool is_broken;        /* tasks could not be restored */
};

/* A MoM that we ask, by the name that exec_host2 has for it. */
struct reached {
    char *key; /* "host:port" */
    char *host;
    uint32_t port;
    uint64_t stream; /* 0: none */
    bool is_awaited; /* MOM_REACH is under way */
    UT_hash_handle hh;
};

/* The other end of a stream, or of a connection to the service port, while jobs are
 * received on it. */
struct peer {
    uint64_t stream;
    struct mom_job *jobs; /* on their way, in the order of their QueueJob */
    UT_hash_handle hh;
};

struct mom_job {
    const char *id;
    struct arena *arena;       /* id and msgid */
    struct arena *attrs_arena; /* 'attrs', made anew with each change of them */
    struct wire_attrs attrs;
    struct buf script;
    bool is_unsaved;     /* its record could not be written when it should have been */
    bool is_script_gone; /* it is a file, or of no use any more */
    struct buf saved[2]; /* output and error output of an earlier run elsewhere */
    enum job_phase phase;
    struct peer *peer;           /* it is received from; NULL: not under way */
    struct mom_job *prev, *next; /* of the same peer */
    uint64_t stream;             /* where its Commit came from */
    const char *msgid;           /* of its Commit; NULL: that is answered */
    int64_t commit_by;           /* when it is, at the latest; INT64_MAX: not by time */
    bool again; /* the same run is sent once more: answer, change nothing */
    int32_t run_version;
    struct mom_task top;
    struct mom_usage ended;                /* used by tasks that have ended */
    struct host_list hosts;                /* n is 1 for a job of this host alone */
    struct mom_job *wide_prev, *wide_next; /* among m->wide, */
    bool is_wide;             /* ... when n is more, or hosts are being released */
    bool is_sister;           /* another host's MoM is the mother superior */
    bool is_joining;          /* not all sisters are ready for its start, */
    enum im_command joins_by; /* ... as they were asked last; ALL_OKAY: not yet */
    bool is_killed;           /* sister: KILL_JOB came, or DELETE_JOB2: */
    bool is_released;         /* the job goes on without this host */
    int32_t start_status;     /* why the sisters could not join; 0: nothing wrong */
    struct asked *asked;      /* what other hosts have not answered */
    int64_t answer_by;        /* they are not waited for longer; INT64_MAX: no */
    uint64_t waiter_stream;   /* request of the server that waits for them; 0: none */
    const char *waiter_msgid;
    enum im_command waits_for;
    struct releasing *releasing;
    int32_t waiter_code;        /* what it will be told, if nothing else goes wrong */
    int32_t out_port, err_port; /* where tasks of sisters write to, at the MS */
    uint64_t ms_stream;         /* sister: where the mother superior speaks; 0: lost */
    uint32_t ms_ip;
    int64_t ms_lost_at;
    struct asker joiner;        /* sister: JOIN_JOB is answered there */
    struct asker killer;        /* sister: KILL_JOB is */
    struct spawned *tasks;      /* that live, or are down; oldest first */
    struct spawned *tasks_hash; /* the same by number, */
    struct spawned *orders;     /* ... and by 'order' */
    size_t n_down, n_restoring; /* of them */
    uint32_t n_tasks;           /* numbers given out, the top task counted */
    struct ended_tasks ended_tasks;
    struct ended_orders *ended_orders; /* NULL: none */
    struct watched *watched;           /* by number */
    size_t n_watchers;
    size_t asked_bytes; /* of 'asked', those that tasks have asked for */
    struct posted *posted;
    size_t posted_bytes;
    int32_t status;           /* exit status */
    bool status_is_set;       /* a negative status given before the end stays */
    int64_t since_at;         /* the clock of walltime runs since; 0: it stands */
    int64_t walltime_s;       /* before since_at */
    int64_t walltime_limit_s; /* -1: none */
    struct mom_share share;
    bool burst_is_said, average_is_said; /* that it uses more processors */
    int32_t over;    /* sister: the exit status of a job that has used more of this host
                        than it may, which the mother superior hears of; 0: it has not */
    int64_t kill_at; /* SIGKILL follows; INT64_MAX: no */
    int64_t obit_at; /* last sent; 0: not yet */
    uint64_t obit_stream; /* where its obituaries were sent last, */
    unsigned n_obits;     /* ... and how many of them are not answered there */
    struct deadline due;
    unsigned n_copying;
    struct checkpoint checkpoint;
    bool is_lost;        /* ran before the restart, and nothing is known of it */
    enum job_phase was;  /* then */
    bool is_unseen;      /* found again by its record, and not by its processes yet */
    bool is_told;        /* the server knows the session */
    bool is_dropped;     /* goes away when its copies are done */
    bool is_terminating; /* by a script that has not ended */
    bool is_ended_by_order;
    bool is_requeued; /* for its host was busy */
    UT_hash_handle hh;
};

/* A request of the server that the shell carries out, and whose answer waits for it. */
struct copying {
    uint64_t token;
    uint64_t stream;
    char *msgid;
    bool is_out;  /* it delivers files */
    char *job_id; /* of which it holds the files; it need not be here, since files are
                     staged in before the job comes. Empty: of none */
    UT_hash_handle hh;
};

/* Obituaries of a job that is not here any more, which the server has not answered. The
 * answers name the job and not its run: they must not be taken for those of a later
 * run. */
struct unanswered {
    char *job_id;
    unsigned n;
    UT_hash_handle hh;
};

/* A round over all jobs, so many in a turn: each is told of, and held to its limits. */
struct news_round {
    struct mom_job *next; /* whose turn is the next one; NULL: no round */
    int64_t due_at;       /* when it goes on */
    bool judges;          /* usage was looked at: limits are, too */
    bool again; /* it was once more meanwhile, so that another round follows */
};

struct mom {
    struct mom_config cfg;
    struct arena *arena; /* of the configuration's texts */
    char *topology;      /* cfg.topology */
    struct arena *vnode_arena;
    size_t n_vnodes;
    struct is_vnode *vnodes;
    int64_t modtime;
    struct mom_job *jobs;    /* by id, in order of arrival */
    struct mom_job *resting; /* by id: no run, but an image (resting.c) */
    struct deadlines due;    /* of jobs */
    size_t n_running;        /* or are suspended */
    size_t n_receiving;
    struct peer *peers;
    struct copying *copies;
    struct unanswered *unanswered; /* on the stream 'server' */
    struct left_host *left;        /* not acknowledged (left_hosts.c), oldest first */
    size_t n_left;
    uint64_t last_action;
    uint32_t *server_ips;  /* cfg.n_server_ips of them */
    struct mom_job *wide;  /* jobs of several hosts */
    struct askers *askers; /* by stream */
    struct reached *reached;
    int32_t last_event;
    uint64_t last_token;
    bool router_is_up;
    int64_t router_up_at;
    uint64_t server;  /* stream; 0: none */
    bool registered;  /* REPLYHELLO came on it */
    int64_t hello_at; /* not before; INT64_MAX: not now */
    unsigned n_hellos;
    size_t n_ranges;
    struct is_range *ranges;
    int64_t sample_at; /* INT64_MAX: nothing to sample */
    struct news_round news;
    int64_t sample_interval_s;
    bool sampling;
    int64_t load_at;             /* INT64_MAX: nobody asks for the load */
    bool is_busy;                /* by it */
    int64_t keyboard_at;         /* INT64_MAX: nobody asks for keyboard and mouse */
    int64_t keyboard_used_since; /* 0: they are not used */
    bool keyboard_is_busy;
    struct waiting_join *joins; /* waiting_joins.c */
    int64_t join_at;            /* INT64_MAX: no place has become free for them */
    bool cannot_note;           /* records of jobs cannot be written */
    int64_t try_note_at;        /* INT64_MAX: there is no reason to */
    bool has_standing;          /* jobs that the host has stopped, perhaps */
};

#endif
