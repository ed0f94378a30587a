/* mom.h - the door of the MoM's core: messages and events of jobs go in, effects come
 * out (tpp.md 5 and 6, execution.md 11).
 *
 * The core reads no clock, socket, file or process. The shell (or the simulator) hands
 * it what the server said, what became of processes, and the time; it carries out the
 * effects in order. Effects that answer at once (a stream opened, usage read) call the
 * core again with the same 'struct mom_out': what they add is carried out in turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_MOM_H
#define MOM_MOM_H

#include "lib/base/diag.h"
#include "lib/wire/im.h"
#include "lib/wire/is.h"
#include "lib/wire/task.h"
#include "lib/wire/tpp.h"

struct mom;

/* $enforce (execution.md 18). Percent and factors are of one cpu. */
struct mom_enforce {
    bool is_set; /* false: the values of PBS, MOM_ENFORCE_DEFAULTS */
    bool mem, complexmem, cpuburst, cpuaverage;
    double delta_percent_over, delta_cpufactor, delta_weightup, delta_weightdown;
    double average_percent_over, average_cpufactor, average_trialperiod_s;
};
#define MOM_ENFORCE_DEFAULTS                                                           \
    {                                                                                  \
        .is_set = true, .delta_percent_over = 50, .delta_cpufactor = 1.05,             \
        .delta_weightup = 0.4, .delta_weightdown = 0.1, .average_percent_over = 50,    \
        .average_cpufactor = 1.025, .average_trialperiod_s = 120                       \
    }

struct mom_config {
    const char *host;      /* canonical host name */
    const char *node_name; /* natural vnode */
    const char *version;   /* pbs_version */
    uint32_t port;         /* MoM service port; the TPP port is one more */
    uint32_t server_port;  /* part of the server's address on the router network */
    const char *server_host;
    uint32_t ncpus;
    uint64_t mem_kb;
    const char *topology;  /* "hwloc<?xml ..." */
    const char *only_user; /* not root: the only user whose jobs run; NULL: all */
    size_t n_server_ips;   /* who may command, from 'server_port' alone; host order */
    const uint32_t *server_ips;
    bool server_is_local; /* on this host: loopback addresses are its own as well */
    int64_t min_check_poll_s, max_check_poll_s; /* 10, 120 */
    double cputmult, wallmult;                  /* 1.0 */
    struct mom_enforce enforce;
    int suspend_signo, resume_signo; /* 0: SIGSTOP, SIGCONT */
    const char *ends_by;             /* the script of MOM_TERMINATE, which comes in the
                                        place of SIGTERM; NULL: none. Lives until there
                                        are other rules */
    bool runs_epilogues;             /* the executor carries out MOM_EPILOGUE */
    bool forbids_attach;             /* $attach_allow false */
    bool checkpoints;                /* MOM_CHECKPOINT can be carried out: of a job that
                                        runs on, */
    bool checkpoint_aborts;          /* ... of one that ends */
    bool restarts_aside;             /* $restart_background */
    int64_t checkpoint_limit_s, /* how long their scripts may take; 0: not limited */
        checkpoint_abort_limit_s, restart_limit_s;
    int64_t max_poll_downtime_s; /* how long a host of a job may be lost; 0: 300 */
    int64_t join_alarm_s;        /* how long other hosts may take to join; 0: 30 */
    int64_t launch_delay_s; /* ... and to be ready for a job that goes on without some
                               of them; 0: 30 */
    bool load_suspends;     /* then its jobs stand */
    bool has_kbd_idle;      /* as long as keyboard or mouse are used, */
    int64_t kbd_idle_s;     /* ... until they were not for so long; */
    int64_t kbd_busy_s;     /* a use that is shorter does not count, */
    int64_t kbd_poll_s;     /* how often they are looked at */
    bool busy_requeues;     /* jobs of several hosts leave a host where others stand */
    bool has_max_load; /* the host is busy from max_load on, until its load is below */
    double max_load, ideal_load; /* ... ideal_load, which is not more */
};

/* What a job's processes used: totals since its start. */
struct mom_usage {
    int64_t cput_s;
    int64_t mem_kb;
    int64_t vmem_kb;
};

/* What a job may have of this host; INT64_MAX: no limit. */
struct mom_share {
    int64_t ncpus, mem_kb, vmem_kb;
};

enum mom_effect_kind {
    MOM_CONNECT,     /* open a stream to the server, then call mom_connected() */
    MOM_SEND,        /* 'msg' on 'stream' */
    MOM_CLOSE,       /* close 'stream' */
    MOM_REACH,       /* open a stream to the MoM 'reach', then mom_reached() */
    MOM_SEND_IM,     /* 'im' on 'stream' */
    MOM_ANSWER_TASK, /* 'answer' on the connection 'stream' */
    MOM_READ_LOAD,   /* find out the load of the host, then mom_host_load() */
    MOM_READ_IDLE,   /* ... since when keyboard and mouse are idle, mom_host_idle() */
    MOM_TRY_NOTE,    /* find out whether records of jobs can be written: mom_noted() */
    /* MOM_STORE to MOM_DROP are an executor's (executor.h). */
    MOM_STORE,   /* write the new job and its script, then mom_stored(). The MoM's death
                    does not lose it; the host's neither, if 'store' says so */
    MOM_SAVE,    /* write the job's record again, durably; with 'task' nothing but that
                    task has    changed, so that a note may do (mom_job_note()) */
    MOM_WHERE,   /* the job lies on other vnodes now: list those in its node file */
    MOM_LIMIT,   /* the job may have another share of this host (mom_job_share()): so
                    may what of it runs */
    MOM_PREPARE, /* the job has other hosts: make what their tasks write to, then
                    mom_prepared() */
    MOM_SPAWN,   /* start another task of the job, then mom_task_started(), later
                    mom_task_ended() */
    MOM_ADOPT,   /* a session that runs already is task 'task' of the job now: watch it,
                    later mom_task_ended() */
    MOM_START,   /* start the job's processes, then mom_started(), later mom_exited() */
    MOM_BEGIN,   /* write the record of the job that was started, as with MOM_SAVE of
                    'task', and let it begin. One
                    that cannot be written does not begin, or it would begin once more
                    when the MoM is restarted: mom_exited() follows */
    MOM_KILL,    /* 'signo' to every process of the job here, or of its task 'task';
                    nothing is answered */
    MOM_TERMINATE, /* have the administrator's script end the job, then
                      mom_terminated() */
    MOM_EPILOGUE,  /* nothing of the job runs any more: run the administrator's script,
                      then mom_epilogue_done(). MOM_KILL of the job ends it */
    MOM_SAMPLE,    /* mom_used() for each job that runs, then mom_sampled() */
    MOM_TELL,  /* append 'text' and a newline to the job's output, error file or both,
                  then mom_files_done() with 'token' */
    MOM_FILES, /* carry out request 'files', then mom_files_done() with 'token' */
    MOM_CHECKPOINT, /* make an image of all tasks of the job here, then
                       mom_checkpointed() */
    MOM_GO_BACK, /* the last image does not count: the one that it has replaced does */
    MOM_ABANDON, /* the image that is being made is not wanted: nothing is answered */
    MOM_REST,    /* nothing of the job runs, but its image will: its files stay */
    MOM_DROP,    /* forget the job: remove all its files */
    MOM_LOG,
    MOM_EXIT, /* leave the main loop */
};

/* Streams that are connections to the MoM's service port have this bit in their number:
 * every request on them is answered, and each belongs to whoever opened it (wire.md
 * 13).
 */
#define MOM_CONNECTION      (UINT64_C(1) << 63)
/* Connections of tasks of this host (task.h) have this one. */
#define MOM_TASK_CONNECTION (UINT64_C(1) << 62)

/* So many jobs at most whose time has come have their turn in one turn of the MoM. What
 * becomes of a job costs some 30 us, and others wait for the end of the turn. */
#define MOM_JOBS_IN_TURN    100

struct mom_effect {
    enum mom_effect_kind kind;
    uint64_t stream;    /* SEND, CLOSE */
    const char *job_id; /* all that are about a job */
    uint32_t task; /* SPAWN, ADOPT, BEGIN, SAVE, KILL: of the job; 0: the top task, KILL
                      and SAVE: all */
    union {
        struct is_message msg; /* SEND */
        struct im_message im;  /* SEND_IM */
        struct {               /* ANSWER_TASK */
            struct task_reply reply;
            enum task_command asked;
        } answer;
        struct { /* REACH */
            const char *host;
            uint32_t port; /* its TPP port */
        } reach;
        struct { /* SPAWN */
            int32_t vnode;
            const struct wire_strings *args, *env;
            int32_t restart_session; /* it goes on from the job's image, in which it was
                                        that session; mom_task_restarted() follows. 0:
                                        it begins */
        } spawn;
        struct { /* STORE */
            bool is_durable;
        } store;
        int signo; /* KILL */
        struct {   /* EPILOGUE: what the script is told (execution.md 16) */
            int32_t session, status;
            const char *asked, *used; /* "name=value,name=value" */
            bool removes; /* and what the job shall not leave goes (Remove_Files) */
        } epilogue;
        struct { /* CHECKPOINT, GO_BACK */
            bool
                aborts; /* and the job ends: its processes, by the script or after it */
            bool was_begun; /* by an earlier run of the MoM: find out what became of it
                             */
            bool keeps_before; /* the image that this one replaces is to stay */
            bool has_before;   /* GO_BACK: there is such a one */
        } checkpoint;
        struct {                  /* DROP */
            int32_t run_version;  /* the run of which files are left */
            bool may_have_images; /* or nothing of one */
            const char
                *sandbox;     /* the directory of its own, with its files; NULL: none,
                                 or it stays, for something was not delivered */
            const char *user; /* whose it is */
        } drop;
        struct {            /* TELL */
            uint64_t token; /* 0: nobody waits */
            bool to_output, to_error;
            const char *text;
        } tell;
        struct { /* FILES */
            uint64_t token;
            bool remove; /* DelFiles */
            const struct body_files *body;
        } files;
        struct { /* LOG */
            int event;
            int log_class;
            const char *object;
            const char *text;
        } log;
    } u;
};

struct mom_out {
    struct arena *arena; /* the caller's; everything pointed to lives here */
    size_t n;
    size_t cap;
    struct mom_effect *v;
};

/* The configuration's texts are copied. */
struct mom *mom_new(const struct mom_config *cfg);
void mom_free(struct mom *m);

/* The vnodes to report and the time of their definition; copied. What is reported as
 * the time never shrinks, and grows when a name is new, so that the server makes it.
 * Once registered, a change is reported at once. The natural vnode is added by itself.
 */
void mom_set_vnodes(struct mom *m, int64_t now_at, int64_t modtime, size_t n,
                    const struct is_vnode *vnodes, struct mom_out *out);

/* What the host has, as mom_config said it; it is reported with the next vnodes. */
void mom_set_host(struct mom *m, uint32_t ncpus, uint64_t mem_kb, const char *topology);

/* SIGHUP: take over what a configuration file says of jobs: polls, factors, $enforce,
 * the signals of suspension, how long another host may be lost, $attach_allow, what
 * makes the host busy. Nothing else of 'cfg' is looked at. */
void mom_set_rules(struct mom *m, int64_t now_at, const struct mom_config *cfg,
                   struct mom_out *out);

/* Recovery: one call per job record found, mom_found() when something is known of its
 * processes, then mom_start(). False: the record is damaged (the caller removes its
 * files). */
bool mom_load(struct mom *m, const char *data, size_t len,
              const char **ret_id) MUST_CHECK;
/* Is it the record of that job? Nothing else of it is looked at. A file that somebody
 * has copied to another name must not be loaded: the job would be there when its own
 * record is found. */
bool mom_record_is_of(const char *data, size_t len, const char *job_id);

/* Its processes may run on ('running'), or have ended with 'status'. A job that may run
 * is held to its limits when mom_used() has told of its processes: the host may have
 * been down, and then the time since is nobody's use. */
void mom_found(struct mom *m, const char *job_id, bool running, int32_t status);

/* kill_jobs: -r, jobs that still run are killed and given back (-4). */
void mom_start(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_out *out);

/* The way to the router. */
void mom_router_up(struct mom *m, int64_t now_at, struct mom_out *out);
void mom_router_down(struct mom *m, int64_t now_at, struct mom_out *out);

/* Answer to MOM_CONNECT. 'stream' 0: it could not be opened. 'number' is for the log.
 */
void mom_connected(struct mom *m, int64_t now_at, uint64_t stream, int number,
                   struct mom_out *out);
void mom_stream_closed(struct mom *m, int64_t now_at, uint64_t stream,
                       struct mom_out *out);

/* What the server's names mean now: instead of the addresses of the configuration. */
void mom_set_servers(struct mom *m, size_t n_ips, const uint32_t *ips, bool is_local);
/* Streams to the server can be opened now, and could not be when MOM_CONNECT asked for
 * one: the next hello leaves at once, as soon as there is a router. */
void mom_server_known(struct mom *m, int64_t now_at, struct mom_out *out);

/* A decoded message; 'known' as is_decode() told. 'peer' is the leaf that sent it, as
 * the router names it: whoever is not the server is refused, and the stream closed. */
void mom_message(struct mom *m, int64_t now_at, uint64_t stream,
                 const struct tpp_addr *peer, const struct is_message *msg, bool known,
                 struct mom_out *out);

/* A decoded message of another MoM (im.h). */
void mom_im(struct mom *m, int64_t now_at, uint64_t stream, const struct tpp_addr *peer,
            const struct im_message *msg, struct mom_out *out);
/* Answer to MOM_REACH. 'stream' 0: it could not be opened. */
void mom_reached(struct mom *m, int64_t now_at, const char *host, uint32_t port,
                 uint64_t stream, struct mom_out *out);

/* A request of a task of this host, on a connection that began with it. When the
 * connection ends mom_stream_closed() is called. */
void mom_task_request(struct mom *m, int64_t now_at, uint64_t connection,
                      const struct task_request *rq, struct mom_out *out);

/* The user of the job that such a request names, when it shows the job's cookie; NULL:
 * it does not, and is refused. The text lives until the next input. */
const char *mom_task_user(const struct mom *m, const struct task_request *rq);

/* What is known of whoever asks for TASK_ATTACH, and of the process that it names. */
struct mom_attach {
    const char *user;      /* account that owns the connection; NULL: it has none */
    uint32_t uid;          /* of it */
    int32_t session;       /* of the process; 0: there is no such process */
    uint32_t owner;        /* of the process */
    uint32_t leader_owner; /* of the session's leader; of the process if it has none */
    const char *mark;      /* mom_set_session_mark() */
};
/* Such a request, which shows by what the kernel knows and by no cookie that it may. */
void mom_attach(struct mom *m, int64_t now_at, uint64_t connection,
                const struct task_request *rq, const struct mom_attach *found,
                struct mom_out *out);

/* One look at all processes of the host: what is asked for each of them is made once,
 * in a time that is linear in the jobs and their tasks. The core hears of nothing else
 * until it ends. */
struct mom_look;
struct mom_look *mom_look_begin(struct mom *m);
void mom_look_end(struct mom_look *l);
/* Is it a session of some job? */
bool mom_look_has_session(const struct mom_look *l, int32_t session);
/* As mom_attach(), of a session that nobody has asked for: it is given to the only job
 * that the user has here. False: he has none or several, or it may not be given. */
bool mom_look_attach(struct mom_look *l, const struct mom_attach *found,
                     struct mom_out *out);
/* The users of all jobs that are here or come, one for each job: texts live until the
 * next input. 'ret' has room for mom_n_jobs(); how many there are. */
size_t mom_users(const struct mom *m, const char **ret);

/* May that leaf ask about this host, and command its MoM (tpp.md 9)? Hosts of the
 * cluster may, the server's, $clienthost's and this one. */
bool mom_may_ask(const struct mom *m, const struct tpp_addr *peer);
/* May a server's request come from that address (host order) over the service port? */
bool mom_may_connect(const struct mom *m, uint32_t ip);
/* A request on a connection that has shown who it is, 'known' as batch_decode_request()
 * told. When the connection ends mom_stream_closed() is called. */
void mom_request(struct mom *m, int64_t now_at, uint64_t connection, const char *peer,
                 const struct wire_request *rq, bool known, struct mom_out *out);

/* Answers of the shell. 'why' is NULL when all went well. */
void mom_stored(struct mom *m, int64_t now_at, const char *job_id,
                const struct diag *why, struct mom_out *out);
/* session > 0, or status < 0: why it did not start (-1, -2, -3, -10, -21). 'text' is
 * for the log; NULL: the usual words. */
void mom_started(struct mom *m, int64_t now_at, const char *job_id, int32_t session,
                 int32_t status, const char *text, struct mom_out *out);
/* Answer to MOM_PREPARE: where tasks on other hosts write output and error output to,
 * and how they show that they may. NULL: it could not be prepared. */
void mom_prepared(struct mom *m, int64_t now_at, const char *job_id, const char *cookie,
                  uint16_t out_port, uint16_t err_port, struct mom_out *out);
/* How tasks of the job show that they are; said before MOM_START is answered. */
void mom_set_cookie(struct mom *m, const char *job_id, const char *cookie);
/* Where it works, if it starts; said before MOM_START is answered. */
void mom_set_jobdir(struct mom *m, const char *job_id, const char *path);
/* Where a task of the job works on a host that is not its first: that directory was not
 * there before, and goes with the job. Said before MOM_SPAWN is answered. */
void mom_set_made_jobdir(struct mom *m, const char *job_id, const char *path);
/* What tells the session that is about to be reported from a later one with the same
 * number, in the executor's words: kept with the job's record. Said before
 * mom_started() (task 1) or mom_task_started(). */
void mom_set_session_mark(struct mom *m, const char *job_id, uint32_t task,
                          const char *mark);
/* As mom_started() and mom_exited(), of a task that was spawned. */
void mom_task_started(struct mom *m, int64_t now_at, const char *job_id, uint32_t task,
                      int32_t session, int32_t status, const char *text,
                      struct mom_out *out);
void mom_task_ended(struct mom *m, int64_t now_at, const char *job_id, uint32_t task,
                    int32_t status, const struct mom_usage *used, struct mom_out *out);
/* 0..255, or 256 + signal. 'used' may be NULL when it is not known. */
void mom_exited(struct mom *m, int64_t now_at, const char *job_id, int32_t status,
                const struct mom_usage *used, struct mom_out *out);
/* Answer to MOM_CHECKPOINT: the image is complete and lies at 'path', or NULL and why
 * it does not: a number of errno.h, or an exit status of the script. */
void mom_checkpointed(struct mom *m, int64_t now_at, const char *job_id,
                      const char *path, int error, struct mom_out *out);
/* A job that mom_job_restarts() is restored: its script has ended well. */
void mom_restarted(struct mom *m, int64_t now_at, const char *job_id,
                   struct mom_out *out);
/* Answer to MOM_TERMINATE: did the script end well? What it has left is killed after
 * the usual delay; otherwise at once. */
void mom_terminated(struct mom *m, int64_t now_at, const char *job_id, bool went_well,
                    struct mom_out *out);
/* So is a task beside its top task. */
void mom_task_restarted(struct mom *m, int64_t now_at, const char *job_id,
                        uint32_t task, struct mom_out *out);
/* Answer to MOM_EPILOGUE: what the script ended with, 0 when there is none. With this
 * one a job that has an image goes on from there, and keeps its output. */
#define MOM_EPILOGUE_RESTARTS 2
void mom_epilogue_done(struct mom *m, int64_t now_at, const char *job_id, int code,
                       struct mom_out *out);
/* From now on the job uses what it asked for, in the words in which it did: nothing
 * runs of which more could be known (execution.md 31). Before mom_started(). */
void mom_pretend_usage(struct mom *m, const char *job_id);
/* Answers to MOM_SAMPLE: what a job used, and that all have been asked. */
void mom_used(struct mom *m, int64_t now_at, const char *job_id,
              const struct mom_usage *used);
void mom_sampled(struct mom *m, int64_t now_at, struct mom_out *out);
/* Answer to MOM_READ_LOAD: processes that ran or waited, on average of the last minute.
 */
void mom_host_load(struct mom *m, int64_t now_at, double load, struct mom_out *out);
/* Answer to MOM_TRY_NOTE. NULL: records can be written, and MOM_SAVE follows of each
 * job whose record could not; else why not. */
void mom_noted(struct mom *m, int64_t now_at, const struct diag *why,
               struct mom_out *out);
/* The record of that job, which may be gone, could not be written. */
void mom_not_saved(struct mom *m, int64_t now_at, const char *job_id,
                   const struct diag *why, struct mom_out *out);
/* Answer to MOM_READ_IDLE: seconds since keyboard or mouse were touched. */
void mom_host_idle(struct mom *m, int64_t now_at, int64_t idle_s, struct mom_out *out);
/* As mom_used(), by whoever counts all that the job has ever run here: what has ended
 * is in these sums. Also when it is about to be told that the job has ended. */
void mom_used_in_all(struct mom *m, int64_t now_at, const char *job_id,
                     const struct mom_usage *used);
/* The kernel has ended processes of the job, for it had all the memory that it may
 * have on this host. The rest is ended too, if it has not been, with the status of a
 * job that has used too much memory. */
void mom_out_of_memory(struct mom *m, int64_t now_at, const char *job_id,
                       struct mom_out *out);
/* Answer to MOM_FILES and MOM_TELL: code 0, or a PBSE code with its text. A token of 0
 * is nobody's. */
void mom_files_done(struct mom *m, int64_t now_at, uint64_t token, int code,
                    const char *text, struct mom_out *out);

/* SIGTERM (kill_jobs) or SIGINT. */
void mom_stop(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_out *out);

/* What is due by the clock, and when something is next. */
void mom_tick(struct mom *m, int64_t now_at, struct mom_out *out);
int64_t mom_next_deadline(const struct mom *m); /* INT64_MAX: none */

/* What the shell needs to know of a job; NULL when unknown. Live until the next input
 * of the core. */
const struct wire_attrs *mom_job_attrs(const struct mom *m, const char *job_id);
/* What it may have of this host. False: unknown. */
bool mom_job_share(const struct mom *m, const char *job_id, struct mom_share *ret);
/* Where tasks of a sister write to: the mother superior's address (host order) and
 * ports; false: this host is the mother superior's own. */
bool mom_job_outputs(const struct mom *m, const char *job_id, uint32_t *ret_ip,
                     uint16_t *ret_out_port, uint16_t *ret_err_port);
/* Its script, which may be empty; false for a job that is a program. A script of more
 * than MOM_SCRIPT_HELD_BYTES is there until MOM_STORE was answered, a shorter one until
 * MOM_START was: that one may be made a file when the job starts, since a job that has
 * not started is sent anew after the MoM's end. */
#define MOM_SCRIPT_HELD_BYTES 65536
bool mom_job_script(const struct mom *m, const char *job_id, const char **ret,
                    size_t *ret_len);
/* What an earlier run on another host had written to its output (or error output),
 * until MOM_STORE was answered; false when there is nothing. */
bool mom_job_saved(const struct mom *m, const char *job_id, bool error,
                   const char **ret, size_t *ret_len);
/* A task that was spawned and has not ended. */
struct mom_job_task {
    uint32_t number;
    int32_t session; /* 0: not begun */
    int32_t vnode;
};
/* All of them, oldest first, in the arena; how many. */
size_t mom_job_tasks(const struct mom *m, const char *job_id, struct arena *arena,
                     const struct mom_job_task **ret);
/* The one with that number. False: it is not there (any more). */
bool mom_find_task(const struct mom *m, const char *job_id, uint32_t task,
                   struct mom_job_task *ret);
/* The number of the oldest, 0 when there is none. */
uint32_t mom_first_task(const struct mom *m, const char *job_id);
/* Does its start go on from its image? *ret_session: of the processes that the image
 * was made of. */
bool mom_job_restarts(const struct mom *m, const char *job_id, int32_t *ret_session);
/* Does it have an image, or is one being made? Is there yet the one before? */
bool mom_job_has_image(const struct mom *m, const char *job_id);
bool mom_job_has_image_before(const struct mom *m, const char *job_id);
bool mom_job_makes_image(const struct mom *m, const char *job_id);
/* Session of its top process, 0 while there is none. */
int32_t mom_job_session(const struct mom *m, const char *job_id);
/* Was that task attached, so that no shepherd of ours writes its end down? */
bool mom_task_is_attached(const struct mom *m, const char *job_id, uint32_t task);
/* Has it been told to end, so that SIGKILL follows? */
bool mom_job_has_kill_due(const struct mom *m, const char *job_id);
/* What mom_set_session_mark() said of that task; "" when nothing. */
const char *mom_session_mark(const struct mom *m, const char *job_id, uint32_t task);
/* Which run of the job it is, 0 when unknown. */
int32_t mom_job_run_version(const struct mom *m, const char *job_id);
/* The job's record for its file. */
void mom_job_encode(const struct mom *m, const char *job_id, struct buf *out);
/* A note of how that task is now (lib/wire/job_notes.h), which may be written behind
 * the record as long as mom_job_base() is what it was when the record was written.
 * False: the job is not here. */
bool mom_job_note(const struct mom *m, const char *job_id, uint32_t task,
                  struct buf *out) MUST_CHECK;
/* A sum over all of its record that is not of tasks beside the top task. */
uint64_t mom_job_base(const struct mom *m, const char *job_id);
/* The i-th job that has processes; NULL behind the last. */
const char *mom_running(const struct mom *m, size_t i);
/* For tests: mom_next_deadline() by a look at every job; never earlier than it. */
int64_t mom_recount_deadline(const struct mom *m);
size_t mom_n_jobs(const struct mom *m);

#endif
