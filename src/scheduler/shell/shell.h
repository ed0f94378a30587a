/* shell.h - the daemon around the scheduler's core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_SHELL_H
#define SCHEDULER_SHELL_SHELL_H

#include "lib/io/conf.h"
#include "lib/io/logfile.h"
#include "lib/wire/sched_command.h"
#include "scheduler/sched.h"
#include "scheduler/shell/link.h"
#include "scheduler/shell/updates.h"

struct shell {
    const struct conf *conf;
    const char *name; /* of the scheduler object */
    char *user;       /* in the requests' headers */
    char *priv_dir;
    struct logfile *log;
    struct policy *policy;
    struct resolver *resolver;
    struct link *primary;   /* requests */
    struct link *secondary; /* commands */
    /* Answers to StatusRsc and StatusSched, kept from one configure to the next. */
    struct arena *defs_arena;
    struct wire_objects resources;
    struct wire_objects scheds;
    /* Of the administrator's files: what is asked for and not served. */
    long holidays_year;      /* 0: none */
    bool has_shares;         /* resource_group */
    char *unserved;          /* names told last, NULL: none */
    bool quit;               /* told to by the server */
    bool no_seq;             /* the server is of another make */
    bool can_mirror;         /* the server tells what has changed: mirror.h */
    bool can_answer_many;    /* it takes AnswerResvs */
    struct peers *peers;     /* other servers whose jobs may be pulled: peers.h */
    struct snapshot *mirror; /* what is kept of it, NULL: nothing */
    int64_t cycle_length_s;  /* sched_cycle_length */
    struct updates updates;  /* attr_update_period */
    char *last_waiting; /* the job at which the last cycle was left, NULL: at none */
    /* Jobs that were refused after others had left for them: they preempt nobody until
     * the next cycle that is not one for news only. */
    struct wire_strings in_vain;
    int32_t remembered; /* a command that came during a cycle, 0: none */
    char *remembered_job;
};

/* Put the installed file in the place of each of the administrator's files that is not
 * there: sched_config, holidays, dedicated_time, resource_group. */
void shell_lay_files(struct shell *sh);

/* Read these four into a fresh policy; what is wrong in them, and what is not served
 * yet, goes to the log. */
void shell_read_config(struct shell *sh);

/* Ask for resource definitions and the own object. */
void shell_configure(struct shell *sh);

/* Say which names of sched_config no resource has. */
void shell_tell_unknown_names(struct shell *sh);

/* One cycle; 'job_id' for command 11, else NULL. 'news_only': the log does not say
 * again why a job waits when it waits for the reason that was told by the last cycle.
 */
void shell_cycle(struct shell *sh, const char *job_id, bool news_only);

/* All jobs may preempt others again. */
void shell_forget_in_vain(struct shell *sh);

/* Say what would become of requests that are tried: command SCHED_DRY_RUN. */
void shell_dry_runs(struct shell *sh);

/* A command that came too early is obeyed when the cycle is over; the latest one. */
void shell_remember(struct shell *sh, int32_t command, const char *job_id);

/* Serve commands, connecting again whenever a link is lost, until a signal or a quit.
 */
void shell_run(struct shell *sh);

/* Log lines of a cycle that are about none of its steps. */
void shell_log_remarks(struct shell *sh, struct planning *p);

/* Log lines of a step. 'reply' is the server's word on it, NULL where there is none. */
void shell_log_step(struct shell *sh, const struct plan_step *step,
                    const struct wire_reply *reply);

#endif
