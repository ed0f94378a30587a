/* core.h - the MoM's jobs and its link to the server; private to the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_CORE_H
#define MOM_JOB_CORE_H

#include "lib/base/deadlines.h"
#include "lib/base/log.h"
#include "lib/wire/job_record.h"
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
#define HIGHEST_SIGNAL      64         /* of Linux, real-time signals included */
#define STATUS_NEVER_RAN    254        /* of a task that could not be started */
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

/* A task that another task of the job has spawned here, over TM or from another host.
 */
struct spawned {
    uint32_t number;
    int32_t session;  /* 0: not begun */
    const char *mark; /* as that of the top task */
    bool has_ended;
    int32_t status; /* then */
    int32_t vnode;
    uint32_t parent_task; /* that asked for it, and its vnode */
    int32_t parent_vnode;
    struct asker
        asker; /* its start is told to; the same order again is the same task */
    bool is_told;
    bool is_attached;  /* nobody has started it here: a user has given it to the job */
    bool is_down;      /* it has ended while an image was made that ends the job: nobody
                          hears of that before it is known what becomes of the image */
    bool is_restoring; /* from an image, by a script that has not ended */
    struct wire_strings args; /* until it is started; in the job's arena */
    struct wire_strings env;
    struct spawned *prev, *next;
};

/* Who waits for the end of a task of this host. */
struct watcher {
    uint32_t task;
    struct asker asker;
    struct watcher *prev, *next;
};

/* What a task has published for the others. */
struct posted {
    uint32_t task;
    const char *name;
    struct wire_bytes info;
    struct posted *prev, *next;
};

/* A host of a job, as exec_host2 has them, each once. The first is the mother
 * superior's. */
struct job_host {
    const char *name;
    uint32_t port;   /* its MoM's service port */
    bool is_member;  /* it was asked to join, and was not released */
    bool is_stale;   /* it may not know where the job lies now */
    bool has_failed; /* the job is to go on without it (tolerate.c) */
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
    bool is_script_gone; /* it is a file, or of no use any more */
    struct buf saved[2]; /* output and error output of an earlier run elsewhere */
    enum job_phase phase;
    struct peer *peer;           /* it is received from; NULL: not under way */
    struct mom_job *prev, *next; /* of the same peer */
    uint64_t stream;             /* where its Commit came from */
    const char *msgid;           /* of its Commit */
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
    struct asker joiner; /* sister: JOIN_JOB is answered there */
    struct asker killer; /* sister: KILL_JOB is */
    struct spawned *tasks;
    uint32_t n_tasks; /* numbers given out, the top task counted */
    struct watcher *watchers;
    struct posted *posted;
    size_t posted_bytes;
    int32_t status;           /* exit status */
    bool status_is_set;       /* a negative status given before the end stays */
    int64_t since_at;         /* the clock of walltime runs since; 0: it stands */
    int64_t walltime_s;       /* before since_at */
    int64_t walltime_limit_s; /* -1: none */
    struct mom_share share;
    bool burst_is_said, average_is_said; /* that it uses more processors */
    bool memory_is_said;                 /* sister: that it had too little memory */
    int64_t kill_at;                     /* SIGKILL follows; INT64_MAX: no */
    int64_t obit_at;                     /* last sent; 0: not yet */
    uint64_t obit_stream;                /* where its obituaries were sent last, */
    unsigned n_obits; /* ... and how many of them are not answered there */
    struct deadline due;
    unsigned n_copying;
    struct checkpoint checkpoint;
    bool is_lost;        /* ran before the restart, and nothing is known of it */
    enum job_phase was;  /* then */
    bool is_unseen;      /* found again by its record, and not by its processes yet */
    bool is_told;        /* the server knows the session */
    bool is_dropped;     /* goes away when its copies are done */
    bool is_terminating; /* by a script that has not ended */
    bool is_requeued;    /* for its host was busy */
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
    uint32_t *server_ips;          /* cfg.n_server_ips of them */
    struct mom_job *wide;          /* jobs of several hosts */
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

/* out.c: effects. What they point to is copied into out->arena. */

/* Append an effect for the caller to fill in; valid until the next one is added. */
struct mom_effect *out_add(struct mom_out *out, enum mom_effect_kind kind);
/* One that says no more than the job's id. */
void out_job(struct mom_out *out, enum mom_effect_kind kind, const struct mom_job *j);
/* A signal to all processes of the job. */
void out_kill(struct mom_out *out, const struct mom_job *j, int signo);
/* A message to another MoM; as with out_send() only '*msg' is copied. */
void out_send_im(struct mom_out *out, uint64_t stream, const struct im_message *msg);
/* A signal to one task of it. */
void out_kill_task(struct mom_out *out, const struct mom_job *j, uint32_t task,
                   int signo);
/* '*msg' is copied, what it points to is not: it lives in out->arena or longer. */
void out_send(struct mom_out *out, uint64_t stream, const struct is_message *msg);
/* A log line of up to 1023 bytes; the second form names the job. */
void out_log(struct mom_out *out, int event, int log_class, const char *object,
             const char *fmt, ...) PRINTF_LIKE(5, 6);
void out_joblog(struct mom_out *out, int event, const struct mom_job *j,
                const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Answers to the server's request 'msgid': a code alone, the id of a committed job, a
 * code with its words. */
void out_reply(struct mom_out *out, uint64_t stream, const char *msgid, int32_t code);
void out_reply_commit(struct mom_out *out, uint64_t stream, const char *msgid,
                      const char *job_id);
void out_reply_error(struct mom_out *out, uint64_t stream, const char *msgid,
                     const struct diag *why);
/* The same with a text of any length. */
void out_reply_text(struct mom_out *out, uint64_t stream, const char *msgid,
                    int32_t code, const char *text);
/* A step of receiving a job is done. That is said on a connection only: over the router
 * network there is one answer, to the Commit (tpp.md 6.3). */
void out_reply_step(struct mom_out *out, uint64_t stream, const char *msgid,
                    enum reply_choice choice, const char *job_id);

/* job.c: a job's attributes, and what they say. */

/* A job among m->jobs with copies of the attributes; the id must not be there yet. */
struct mom_job *job_new(struct mom *m, const char *id, const struct wire_attrs *attrs);

/* Replace what 'changes' names, a resource list member by member. Texts of attributes
 * that somebody holds are gone then. */
void job_replace_attrs(struct mom_job *j, const struct wire_attrs *changes);
/* Out of m->jobs or m->resting, and gone; its files are the shell's. */
void job_free(struct mom *m, struct mom_job *j);
/* The script is not needed any more, and mom_job_script() does not have it. */
void job_forget_script(struct mom_job *j);
/* May it be a job's id? Ids become file names. */
bool job_id_is_fit(const char *id, struct arena *arena);
/* NULL when it is not here. */
struct mom_job *job_find(const struct mom *m, const char *id);
/* The same, or one that rests. */
struct mom_job *job_find_any(const struct mom *m, const char *id);
/* An attribute as a number; a member of Resource_List in seconds, in KiB. 'missing'
 * when it is not there or is none. */
int64_t job_number(const struct mom_job *j, const char *name, const char *resource,
                   int64_t missing);
int64_t job_duration(const struct mom_job *j, const char *resource, int64_t missing);
int64_t job_kib(const struct mom_job *j, const char *resource, int64_t missing);
/* Seconds times $cputmult or $wallmult: never more than what sums of two may hold,
 * since an administrator may choose any factor. */
int64_t job_scaled(int64_t s, double factor);
/* Seconds it has run, suspensions not counted, times $wallmult. */
int64_t job_walltime(const struct mom *m, const struct mom_job *j, int64_t now_at);
/* The only way to a new phase. */
void job_set_phase(struct mom *m, struct mom_job *j, enum job_phase phase);
/* Its attributes have changed: look up again what is kept of them. */
void job_note_limits(struct mom_job *j);
/* It runs or is suspended. */
bool job_has_processes(const struct mom_job *j);
/* The server will come for files after the obituary. */
bool job_leaves_files(const struct mom_job *j);

/* record.c */

/* Its record in mom_priv/jobs, and a job among m->jobs from one. job_decode() takes
 * damaged ones for hostile: NULL, and nothing is added. */
void job_encode(const struct mom_job *j, struct buf *out);
struct mom_job *job_decode(struct mom *m, const char *data, size_t len);

/* job_peer.c: on which streams jobs are under way. */

/* The job is received on that stream from now on, until peer_release(); job_free() does
 * that too. */
void peer_receives(struct mom *m, struct mom_job *j, uint64_t stream);
void peer_release(struct mom *m, struct mom_job *j);
bool peer_is_of(const struct mom_job *j, uint64_t stream);
/* The oldest job that is under way there; NULL when there is none. */
struct mom_job *peer_job(const struct mom *m, uint64_t stream);

/* host_list.c: the hosts of a job. */

/* From exec_host2; one host, ourselves, when it is missing or has no other. Called
 * again when the attribute has changed: what is known of hosts that stay is kept. */
void host_list_read(struct mom *m, struct mom_job *j);
/* It belongs into m->wide, or not: hosts were released, or are gone now. */
void host_list_note_width(struct mom *m, struct mom_job *j);
/* Does that exec_host2 name a host that is none of the job's? */
bool host_list_has_more(const struct mom_job *j, const char *exec_host2);
/* The job lies on this host alone. */
bool host_list_is_single(const struct mom_job *j);
/* Which entry that is; hosts.n: none. */
size_t host_list_find(const struct mom_job *j, const char *name, uint32_t port);
/* Our own one of exec_host2; false: we are not there. */
bool host_list_find_own(const struct mom *m, const struct mom_job *j, size_t *ret);
/* The first vnode of the host, as IM and TM count; which host a vnode is of: hosts.n
 * for one that is not there. */
int32_t host_list_vnode_of(const struct mom_job *j, size_t host);
size_t host_list_host_of(const struct mom_job *j, int64_t vnode);
/* The number of the n-th task of this host (tpp.md 7.2), counted from 1. */
uint32_t host_list_task(const struct mom_job *j, uint32_t n);

/* reach.c: streams to other MoMs. */

/* The stream to that MoM, 0 when it is being opened: mom_reached() follows. */
uint64_t reach_stream(struct mom *m, const char *host, uint32_t port,
                      struct mom_out *out);
struct reached *reach_of_stream(const struct mom *m, uint64_t stream);
void reach_free_all(struct mom *m);

/* asked.c: questions to other hosts of a job. */

/* Ask that host, with the event m->last_event, which the caller has chosen anew. It is
 * sent when there is a stream. What nobody answers is gone when it has been sent, also
 * when this returns. */
void asked_add(struct mom *m, struct mom_job *j, size_t host, enum im_command command,
               struct mom_out *out);
/* The same with an event that the caller has chosen before. */
void asked_add_event(struct mom *m, struct mom_job *j, size_t host,
                     enum im_command command, int32_t event, struct mom_out *out);
/* The same of a question with a body of its own; all of 'order' is copied. */
struct asked *asked_add_order(struct mom *m, struct mom_job *j, size_t host,
                              const struct im_message *order, struct mom_out *out);
/* Send it, now or when there is a stream. */
void asked_send(struct mom *m, struct mom_job *j, struct asked *a, struct mom_out *out);
struct asked *asked_find(const struct mom_job *j, size_t host, int32_t event);
bool asked_is_open(const struct mom_job *j, enum im_command command);
void asked_free(struct mom_job *j, struct asked *a);
void asked_drop_all(struct mom_job *j);
/* The head of a message about the job, and what the job alone says of its body. */
struct im_message asked_message(const struct mom_job *j, enum im_command command,
                                int32_t event, struct arena *arena);
/* All of a message, in another arena. */
struct im_message asked_copy_message(const struct im_message *order,
                                     struct arena *arena);
/* There is a stream to that MoM; streams can be opened again. */
void asked_reached(struct mom *m, const struct reached *r, struct mom_out *out);
void asked_router_up(struct mom *m, struct mom_out *out);

/* releasing.c: hosts that the job has left. */

/* It is told to end what it has of the job. */
void releasing_add(struct mom *m, struct mom_job *j, const struct job_host *h,
                   struct mom_out *out);
/* There is a stream to that MoM; there is none any more, or none could be opened. */
void releasing_reached(struct mom_job *j, const struct reached *r, struct mom_out *out);
void releasing_lost(struct mom *m, struct mom_job *j, const struct reached *r,
                    struct mom_out *out);
/* Those who have not answered are asked once more: messages get lost with routers.
 * Those that were given up are forgotten. */
void releasing_again(struct mom *m, struct mom_job *j, struct mom_out *out);
/* It was this MoM that had lost its way when their streams ended, of which it hears
 * last: nobody is given up for that. */
void releasing_router_lost(struct mom_job *j);
/* Somebody is waited for. */
bool releasing_is_open(const struct mom_job *j);
/* That MoM has answered, and has used so much; false: nothing of that event was asked
 * of it. */
bool releasing_is_over(struct mom_job *j, const struct reached *r, int32_t event,
                       int64_t cput_s);
void releasing_drop_all(struct mom_job *j);

/* tolerate.c: jobs that may go on without hosts that have failed. */

/* May it, as it is now: at its start, or at any time? */
bool job_tolerates_failures(const struct mom_job *j);
/* Where the job lies without the hosts that have failed: exec_vnode, exec_host,
 * exec_host2 and schedselect. False: its lists do not say which of their parts is of
 * which host. */
bool tolerate_where(const struct mom_job *j, struct arena *arena,
                    struct wire_attrs *ret) MUST_CHECK;

/* joining.c: how a job over several hosts begins. */

/* What a host answers that will not be ready for the start. */
void joining_failed(struct mom_job *j, const struct asked *a, int32_t code,
                    struct mom_out *out);
/* All that were asked have answered, or are not waited for any more. */
void joining_step(struct mom *m, int64_t now_at, struct mom_job *j,
                  struct mom_out *out);

/* superior.c: what the MoM of a job's first host does with the others. */

/* Hosts that may have something of the job: those that have joined, and those that were
 * asked to and have not refused in so many words. */
size_t superior_n_members(const struct mom_job *j);
/* The same event for all of them, as in a message to several (tpp.md 7.1). */
void superior_ask_members(struct mom *m, struct mom_job *j, enum im_command command,
                          struct mom_out *out);
/* The same with an event that the caller has chosen before. */
void superior_ask_event(struct mom *m, struct mom_job *j, enum im_command command,
                        int32_t event, struct mom_out *out);
/* The job ends, with that status unless it has one already. */
void superior_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
                  struct mom_out *out);
/* A message without an answer, to those who can hear it now. */
void superior_tell_members(struct mom *m, struct mom_job *j, enum im_command command,
                           struct mom_out *out);
/* The job goes on without the hosts that have failed; the others are told. False, and
 * nothing is changed: it cannot. */
bool superior_prune(struct mom *m, struct mom_job *j, struct mom_out *out);

/* The job is stored: prepare for other hosts, and have them join. */
void superior_begin(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The job ends while they join, for that reason. */
void superior_give_up(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
                      struct mom_out *out);
/* Have all of them end the job's tasks; false: there is nobody to ask. */
bool superior_kill(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out);
/* Nothing of the job is to stay with them, nobody waits for an answer. */
void superior_forget(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The server asks for something that every host has to do first: the answer to it waits
 * for theirs. False: there is nobody to ask. */
bool superior_ask_all(struct mom *m, int64_t now_at, struct mom_job *j,
                      enum im_command command, uint64_t stream, const char *msgid,
                      struct mom_out *out);
/* A signal for the tasks on all other hosts. */
void superior_signal(struct mom *m, struct mom_job *j, int signo, struct mom_out *out);
/* exec_host2 may have changed: hosts that are not in it any more are released. True:
 * the request is answered when those that are left have taken that over. */
bool superior_rewidth(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                      const char *msgid, struct mom_out *out);
/* After a restart of this MoM. */
void superior_recover(struct mom_job *j);
void superior_poll(struct mom *m, struct mom_job *j, struct mom_out *out);
/* An answer on a stream that we have opened. */
void superior_answer(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                     struct im_message *msg, struct mom_out *out);
/* A sister wants the job run again; one was restarted and asks for us. */
void superior_requeue(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out);
/* What a host had used that was released. */
void superior_take_resc(struct mom *m, int64_t now_at, struct mom_job *j,
                        uint64_t stream, const struct im_message *msg,
                        struct mom_out *out);
void superior_rejoined(struct mom *m, struct mom_job *j, uint64_t stream,
                       struct mom_out *out);
/* The stream to that MoM could not be opened, or is over. */
void superior_lost(struct mom *m, int64_t now_at, const struct reached *r,
                   struct mom_out *out);
/* What is due. */
int64_t superior_due_at(const struct mom *m, const struct mom_job *j);
/* True: the job is gone. */
bool superior_tick(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out);

/* waiting_joins.c: orders to join a job of which an earlier copy still ends here. */

/* Keep a copy of the order until the job of this id is gone or rests; no other order
 * may wait for it. */
void joins_wait(struct mom *m, uint64_t stream, const struct tpp_addr *from,
                const struct im_message *msg);
/* What waits for that job is not wanted any more. */
void joins_drop(struct mom *m, const char *job_id);
/* The message ends the run whose order waits: the order is dropped. False: it ends none
 * that waits. */
bool joins_drop_run(struct mom *m, const struct im_message *msg);
/* Nobody can be answered there any more. */
void joins_drop_stream(struct mom *m, uint64_t stream);
/* The job has left m->jobs: the next tick, which is due at once, takes the order. */
void joins_note(struct mom *m, const char *job_id);
void joins_tick(struct mom *m, int64_t now_at, struct mom_out *out);
void joins_free_all(struct mom *m);

/* sister.c: what the other hosts do. */

/* JOIN_JOB from a mother superior at 'from': make the job, or answer why not. */
void sister_join(struct mom *m, uint64_t stream, const struct tpp_addr *from,
                 const struct im_message *msg, struct mom_out *out);
/* What the mother superior wants of a job that is here. */
void sister_take(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                 const struct tpp_addr *from, const struct im_message *msg,
                 struct mom_out *out);
/* Its record is on disk, or is not. */
void sister_stored(struct mom *m, int64_t now_at, struct mom_job *j,
                   const struct diag *why, struct mom_out *out);
void sister_lost(struct mom *m, int64_t now_at, uint64_t stream, struct mom_out *out);
int64_t sister_due_at(const struct mom *m, const struct mom_job *j);
/* True: the job is gone. */
bool sister_tick(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* A task of the job has ended here: perhaps KILL_JOB can be answered. */
void sister_step(struct mom *m, struct mom_job *j, struct mom_out *out);
/* After a restart: tell the mother superior that the job is here. */
void sister_reconnect(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out);

/* spawned.c: tasks beside the top task. */

/* The task with that number; NULL when there is none. */
struct spawned *spawned_find(const struct mom_job *j, uint32_t number);
/* Is that the number of the mother superior's first task, which is here? */
bool spawned_is_top(const struct mom_job *j, uint32_t task);
size_t spawned_n_live(const struct mom_job *j);
/* Start a task as SPAWN_TASK says; whoever asked is answered, now or when it runs. */
void spawned_start(struct mom *m, struct mom_job *j, const struct im_message *order,
                   const struct asker *asker, struct mom_out *out);
/* Can the job have one more task? One that ends cannot, or its end would never come. */
bool spawned_may_start(const struct mom_job *j);
/* One more task, with a number of its own, on that vnode; nobody asked for it yet. */
struct spawned *spawned_add(struct mom_job *j, int32_t vnode);
void spawned_free_all(struct mom_job *j);
/* Tell of the end of a task, when it comes or at once. */
void spawned_watch(struct mom *m, struct mom_job *j, uint32_t task,
                   const struct asker *asker, struct mom_out *out);
/* A task has ended, the top task or another: whoever waits for it hears that. */
void spawned_tell_end(struct mom *m, struct mom_job *j, uint32_t number, int32_t status,
                      struct mom_out *out);
/* Nobody waits there any more. */
void spawned_drop_asker(struct mom *m, uint64_t stream);
/* task_questions.c: SPAWN_TASK to GET_RESC, asked by another host or by a task of this
 * one. */
void spawned_take(struct mom *m, struct mom_job *j, const struct im_message *msg,
                  const struct asker *asker, struct mom_out *out);
/* An answer to who asked; 'body' holds what answers 'asked', or has command IM_ERROR
 * and a code. */
void spawned_answer(const struct mom_job *j, const struct asker *to,
                    enum im_command asked, const struct im_message *body,
                    struct mom_out *out);
void spawned_refuse(const struct mom_job *j, const struct asker *to,
                    enum im_command asked, int32_t code, struct mom_out *out);
/* To another host, with words. */
void spawned_refuse_text(const struct mom_job *j, const struct asker *to,
                         enum im_command asked, int32_t code, const char *text,
                         struct mom_out *out);

/* task_door.c: requests of tasks (tpp.md 8). */

/* The answer of another host to what a task of this one has asked. */
void task_door_answer(const struct mom_job *j, const struct asked *a, int32_t code,
                      const struct im_message *msg, struct mom_out *out);

/* link.c: the way to the server (tpp.md 5.3, 5.4). */

/* Connect anew when the next hello is due. */
void link_tick(struct mom *m, int64_t now_at, struct mom_out *out);
/* IS_UPDATE2 with all vnodes; the MoM must be registered. */
void link_send_update(struct mom *m, struct mom_out *out);
/* Is it an address of a server? */
bool link_is_server_ip(const struct mom *m, uint32_t ip);
/* Messages count only from a server: from one of its addresses and from its port. Any
 * other leaf of its host is a MoM, or somebody who may not command. */
bool link_is_authorized(const struct mom *m, const struct tpp_addr *peer);
/* Is it the address of a host of the cluster, whose MoM may speak of jobs? */
bool link_is_cluster(const struct mom *m, uint32_t ip);
/* The server has answered our hello: register, and say again what it may not know. */
void link_hello_reply(struct mom *m, int64_t now_at, uint64_t stream, const char *peer,
                      const struct is_message *msg, struct mom_out *out);
/* Keep the addresses of the cluster's hosts that the message lists. */
void link_add_ranges(struct mom *m, const struct is_message *msg, struct mom_out *out);
/* A server that spoke first on this stream becomes ours when we have none. */
void link_adopt(struct mom *m, uint64_t stream, struct mom_out *out);

/* requests.c, receive.c: what the server asks. */

/* One batch request; 'known': its body was understood. It is answered, now or when the
 * shell has carried something out. */
void request_take(struct mom *m, int64_t now_at, uint64_t stream, const char *peer,
                  const struct is_message *msg, bool known, struct mom_out *out);
/* QueueJob, JobScript, Commit: a job is received on one stream. Commit is answered when
 * its record is stored (mom_stored()); the same run sent again is answered at once. */
void receive_queue(struct mom *m, int64_t now_at, uint64_t stream, const char *msgid,
                   const struct wire_request *rq, struct mom_out *out);
void receive_script(struct mom *m, uint64_t stream, const char *msgid,
                    const struct body_script *body, struct mom_out *out);
void receive_commit(struct mom *m, int64_t now_at, uint64_t stream, const char *msgid,
                    const char *job_id, struct mom_out *out);
void receive_output(struct mom *m, uint64_t stream, const char *msgid,
                    const struct body_script *body, struct mom_out *out);
/* The stream is over: what was half received on it is forgotten. */
void receive_drop_stream(struct mom *m, uint64_t stream);

/* life.c: from the start to the server's last word. */

/* Its record is stored: start it. */
void life_start(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* Whatever the end was: the clock stops, leftovers die, the server is told. The job may
 * be gone afterwards. */
void life_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
              struct mom_out *out);
/* Nothing of it runs on any host: the epilogue runs, and then the server is told. */
void life_over(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* All hosts are ready: its top task starts. */
void life_start_top(struct mom *m, struct mom_job *j, struct mom_out *out);
/* SIGTERM or the script of $action now, SIGKILL after job_kill_delay seconds (10
 * without it). */
void life_terminate(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out);
/* Forget the job: at once and freed, or when what still starts or copies is done. */
void life_drop(struct mom *m, struct mom_job *j, struct mom_out *out);
/* Kill it because the MoM stops; its record says that the server runs it again. */
void life_give_back(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The exit status that stands whatever the processes end with; the first one stays. */
void life_preset(struct mom_job *j, int32_t status);
/* Stop and continue its processes; the clock of walltime stands meanwhile. */
void life_suspend(struct mom *m, int64_t now_at, struct mom_job *j,
                  struct mom_out *out);
void life_resume(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* The clock of its walltime, without anything else. */
void life_stop_clock(struct mom *m, int64_t now_at, struct mom_job *j);
void life_start_clock(struct mom *m, int64_t now_at, struct mom_job *j);
/* The obituary of one job, of all that wait for its acknowledgement; nothing while the
 * server is away, for life_tick() repeats it. */
void life_send_obit(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out);
void life_send_obits(struct mom *m, int64_t now_at, struct mom_out *out);
/* Something of the job has changed that decides when it is due. Called by whoever
 * changes it: phase, kill_at, obit_at, the clock and the limit of walltime. */
void life_reckon(struct mom *m, struct mom_job *j);
/* The same for all jobs of several hosts: the router came or went. */
void life_reckon_wide(struct mom *m);
/* Usage of one job, of all that run, with what a server needs that never heard of it.
 */
void life_tell(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
void life_tell_running(struct mom *m, int64_t now_at, struct mom_out *out);
/* What is due: late kills, walltime, obituaries, samples; and when something is next
 * (INT64_MAX: never). */
void life_tick(struct mom *m, int64_t now_at, struct mom_out *out);
int64_t life_deadline(const struct mom *m);
/* The part of it that is a job's. */
int64_t life_due_at(const struct mom *m, const struct mom_job *j);
/* Something runs that is to be sampled soon. */
void life_poll_soon(struct mom *m, int64_t now_at);

/* resting.c: jobs whose image waits for their next run. */

/* Has its run ended so that the next one goes on from its image? */
bool job_is_to_rest(const struct mom_job *j);
/* The server knows the end of its run: it rests, and its files stay. */
void job_rest(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The one that rests under that id; NULL: none. */
struct mom_job *resting_find(const struct mom *m, const char *id);
/* Its image is not wanted any more, on no host of the job. */
void resting_drop(struct mom *m, int64_t now_at, struct mom_job *j,
                  struct mom_out *out);
/* Is the one that rests an earlier run of that job, and not another one's? */
bool resting_is_of(const struct mom_job *image, const struct mom_job *j);
/* The run goes on from it; its own tasks are given numbers behind those of the image.
 */
void resting_hand_over(struct mom_job *image, struct mom_job *j);
/* A new run of a job begins: it goes on from the image that rests under its id, if that
 * is its own. Said before the record of the run is written. */
void resting_take_over(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The run was stored, or could not be: then what rests goes on resting. */
void resting_forget(struct mom *m, const char *id);
/* A job that was found in its record rests. */
void resting_add(struct mom *m, struct mom_job *j);
void resting_free_all(struct mom *m);

/* obit.c: answers to obituaries. */

/* The server's answers: what it acknowledged is over, what it rejected is none of its
 * jobs. */
void obit_take_answers(struct mom *m, const struct is_message *msg,
                       struct mom_out *out);
/* The job goes away, answers to its obituaries may still come; the stream on which they
 * would come is over. */
void obit_expect_answers(struct mom *m, const struct mom_job *j);
void obit_expect_none(struct mom *m);

/* usage.c: resources_used and limits (execution.md 17, 18). */

/* Append resources_used as the server is told; texts in 'arena'. */
void usage_attrs(const struct mom *m, const struct mom_job *j, int64_t now_at,
                 struct wire_attrs *ret, struct arena *arena);
/* Take a sample over: what was used never becomes less. */
void usage_take(const struct mom *m, struct mom_job *j, int64_t now_at,
                const struct mom_usage *used);
/* What the tasks use that live here, and what one had used that has ended. */
void usage_live(const struct mom *m, struct mom_job *j, int64_t now_at,
                const struct mom_usage *used);
void usage_ended(const struct mom *m, struct mom_job *j, int64_t now_at,
                 const struct mom_usage *used);
/* Of all hosts together. */
struct mom_usage usage_sum(const struct mom_job *j);
/* When its walltime is over; INT64_MAX: never or not by the clock. */
int64_t usage_walltime_end(const struct mom *m, const struct mom_job *j);
/* The kernel has ended processes of it for want of memory. */
void usage_out_of_memory(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out);
/* Kill what has used more than it may. */
void usage_enforce(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out);

/* load.c: how much the host has to do. */

/* The loads of the configuration are new. */
void load_set_rules(struct mom *m);
/* Ask for the load when it is due, at m->load_at. */
void load_tick(struct mom *m, int64_t now_at, struct mom_out *out);
/* noting.c: while records cannot be written, try again every 10 s. */
void noting_tick(struct mom *m, int64_t now_at, struct mom_out *out);

/* keyboard.c: whether somebody sits at the host. */

/* The words about keyboards in the configuration are new. */
void keyboard_set_rules(struct mom *m);
/* Ask for it when it is due, at m->keyboard_at. */
void keyboard_tick(struct mom *m, int64_t now_at, struct mom_out *out);

/* standing.c: jobs of a host that is busy. */

/* Has the host stopped it? */
bool job_stands(const struct mom_job *j);
/* Stop them, or let them go on, as load and keyboard are. */
void standing_settle(struct mom *m, int64_t now_at, struct mom_out *out);
/* At the start of the MoM: what is noted as stopped, by the server or by the host, is
 * stopped again, since the MoM before may have died before she did it. */
void standing_stop_again(const struct mom *m, struct mom_job *j, struct mom_out *out);
/* At the start of the MoM, and when the configuration is new. */
void standing_begin(struct mom *m, int64_t now_at, struct mom_out *out);
/* A server that has registered us may not know which of them stand, and which do not
 * any more. */
void standing_tell_all(struct mom *m, struct mom_out *out);

/* signals.c. */

/* "SIGTERM", "TERM", "15"; -1 when there is no such signal. */
int signal_number(const char *name);

#endif
