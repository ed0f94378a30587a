/* shell.h - the MoM on a real host: carries out what the core wants.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SHELL_H
#define MOM_SHELL_SHELL_H

#include "lib/io/logfile.h"
#include "lib/io/loop.h"
#include "lib/tpp/leaf.h"
#include "mom/mock/mock.h"
#include "mom/shell/idle_time.h"
#include "mom/shell/plan.h"
#include "mom/shell/records.h"

#include <limits.h>

#define MOM_SERVER_IPS_MAX 128

struct task; /* a job with a shepherd */

struct shell {
    const struct conf *conf;
    struct config config;
    struct plan_host host;
    struct site_env environment; /* what pbs_environment says; of all jobs */
    const char *config_file;     /* -c */
    char home[1024];             /* PBS_MOM_HOME */
    char checkpoint_dir[1088];
    char host_name[256], short_name[256], node_name[256];
    unsigned mom_port, rm_port, server_port;
    bool mock, kill_at_start;
    char user[257]; /* of a MoM without root; "" with root */
    int64_t started_at;
    struct logfile *log;
    struct loop *loop;
    struct loop_timer *timer;
    struct loop_timer *watch; /* over the following: */
    struct task *leaderless;  /* adopted tasks whose first process has ended */
    struct look *look;        /* at them, under way; NULL: none */
    uint64_t n_looks;         /* begun */
    struct task *ended;       /* others, of which the core is told at the turn's end */
    size_t n_server_ips;
    uint32_t server_ips[MOM_SERVER_IPS_MAX]; /* as the core knows them */
    uint32_t server_ip;  /* where hellos go, host order; 0: not known yet */
    struct pool *askers; /* name services are asked there; NULL: nobody was asked yet */
    bool asks_servers;   /* and has not been answered */
    bool asks_again;     /* when it is, for names of a newer configuration */
    bool has_said_clients; /* which of $clienthost nobody knows */
    struct leaf *leaf;
    struct mom *mom;
    struct executor executor;
    struct mock *mock_runs;            /* -m */
    struct service *service;           /* the port for servers that send large jobs */
    struct task_service *task_service; /* the port for tasks of jobs */
    struct records records;            /* of jobs, on disk */
    struct task *tasks;
    size_t n_spawned;                /* among them, beside top tasks */
    struct sample *sample;           /* of their usage, under way; NULL: none */
    struct loop_timer *sample_on;    /* then; NULL: it was never needed */
    struct spawning *spawning;       /* tasks that wait; NULL: none ever was spawned */
    struct signalling *signalling;   /* signals that wait; NULL: none */
    int64_t walk_again_ms;           /* for them, not before (clock_mono_ms()) */
    struct loop_timer *walk_timer;   /* then; NULL: it was never needed */
    struct ending *endings;          /* jobs whose epilogue waits or runs */
    size_t n_epilogues;              /* of them that run */
    struct demux *demuxes;           /* of jobs that are to start */
    struct demux *demux_processes;   /* all of them */
    struct cgroup_tree *groups;      /* of jobs in the kernel; NULL: there are none */
    struct loop_timer *groups_again; /* groups that could not be removed yet */
    struct idle_time idle;           /* of keyboard and mouse */
    struct restricting *restricting; /* $restrict_user; NULL: it was never on */
    struct topology *topology;       /* of the host; NULL: nobody has asked */
    struct making *makings;          /* images whose scripts run */
    struct loop_timer *checkpoint_watch; /* over those of an earlier MoM; NULL: none */
    unsigned n_images_removed;
    struct pool
        *monitors; /* questions about the host are answered there; NULL: none yet */
    struct asking *askings; /* ... that are not answered */
    size_t n_askings;
    int64_t monitor_alarm_s; /* what a command that answers one may take (-a) */
    struct pool *reachers;   /* names of other MoMs are asked there; NULL: none yet */
    struct arena *arena;     /* of the effects being carried out */
    struct arena *decoding;  /* of the message being taken */
    bool stopping;
};

/* Log one line of the MoM. */
void shell_log(struct shell *s, int event, int log_class, const char *object,
               const char *text);

/* After going into the background, with s->loop made: core, recovered jobs, leaf.
 * PBSE_SYSTEM with words. */
int shell_open(struct shell *s, struct diag *why) MUST_CHECK;
void shell_run(struct shell *s);
void shell_close(struct shell *s);

/* Carry out all effects; answers of the shell add more. */
void shell_carry_out(struct shell *s, struct mom_out *out);

/* Read the configuration again. False: a file was wrong, and all is as it was. */
bool shell_reread(struct shell *s);
/* Begin to end: with 'kill_jobs' all jobs are given back to the server first. */
void shell_stop(struct shell *s, bool kill_jobs);

/* The host is another one than was known: tell the core, and so the server. */
void shell_report_topology(struct shell *s, const char *text);

/* servers.c: tell the core which addresses the server's names have now; new ones are
 * logged. The first waits for the name service and is for the time before the loop
 * runs; the second asks in a thread, one question at a time, and tells the core when
 * the answer comes. */
void servers_find(struct shell *s);
void servers_ask(struct shell *s);
/* The same, after the configuration was read anew. */
void servers_reread(struct shell *s);

/* sisters.c: open a stream to another host's MoM, and tell the core. The name service
 * is asked in a thread. */
void sisters_reach(struct shell *s, const char *host, uint32_t port,
                   struct mom_out *out);

/* tasks.c */
void tasks_start_job(struct shell *s, const char *job_id, struct mom_out *out);
/* The job that has reported may run; without its record on disk it ends instead. */
void tasks_begin(struct shell *s, const char *job_id, uint32_t number, bool is_saved);
/* A task beside the top task, which has begun or is another host's. */
void tasks_spawn(struct shell *s, const char *job_id, uint32_t number,
                 const struct plan_task *task, int32_t restart_session,
                 struct mom_out *out);
/* Watch the session of a task that was attached. */
void tasks_adopt(struct shell *s, const char *job_id, uint32_t number);
/* number 0: all of the job, 1: its top task, else the one that was spawned with it. */
void tasks_kill(struct shell *s, const char *job_id, uint32_t number, int signo);
/* At the end of a turn: of all shepherds that have ended in it the core hears at once,
 * so that what their tasks have left is looked for with one walk (signalling.h). */
void tasks_tell_ended(struct shell *s);
/* The job has ended and will be restarted: how this run ended is not asked again. */
void tasks_rest(struct shell *s, const char *job_id);
/* task_usage.c: see what the tasks use and tell the core, in turns of the loop; a
 * sample that is asked for meanwhile is this one. */
void tasks_sample(struct shell *s, struct mom_out *out);
void tasks_sample_close(struct shell *s);
/* 'sandbox' is a directory of 'user' that goes with it; NULL: none does. */
void tasks_drop(struct shell *s, const char *job_id, int run_version,
                const char *sandbox, const char *user);
bool tasks_recover(struct shell *s, struct diag *why) MUST_CHECK;
void tasks_close(struct shell *s);

#endif
