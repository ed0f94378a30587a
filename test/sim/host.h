/* host.h - an execution host: a MoM's core as it ships, and around it what a host has:
 * files, processes that outlive the MoM, and a way to the network that can be cut.
 *
 * The MoM can be killed between any two things that it does. What it had written stays,
 * and the processes of its jobs go on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_HOST_H
#define TEST_SIM_HOST_H

#include "check_storm.h"
#include "disk.h"
#include "mom/executor.h"

struct sim;

#define HOST_MOM_PORT 15002

/* Processes of a job: a shepherd and the job's session, as mom/shell/spawn.h has them.
 */
enum run_state {
    RUN_STARTING, /* it prepares itself */
    RUN_HELD,     /* it has reported its session and waits for its go */
    RUN_RESTORED, /* it has its go, and its script restores it from an image */
    RUN_ON,
};

struct run {
    uint64_t number; /* never used again */
    char *job_id;
    int32_t run_version;
    int32_t session;
    enum run_state state;
    bool ignores_term;
    bool was_signalled; /* to end */
    bool is_stopped;
    bool is_restart;  /* from an image */
    int64_t lasts_ms; /* all of it, with what an image has of it */
    int64_t left_ms;  /* until it ends by itself, when it goes on at since_ms */
    int64_t since_ms;
    uint64_t clock;   /* counts stops and goes: a timer of before means nothing */
    int64_t wrong_ms; /* check_stopped.c: it is not as the server says since then */
    struct run *prev, *next;
};

/* Processes of a task that a job has spawned, here or from another host. */
struct extra {
    uint64_t number;
    char *job_id;
    int32_t run_version;
    uint32_t task;
    int32_t session;
    enum run_state state;
    bool is_dying;
    bool is_stopped;
    bool is_owed; /* it ends with that when it goes on */
    int32_t owed_status;
    int64_t wrong_ms; /* as in struct run */
    bool restarts;    /* from an image */
    struct extra *prev, *next;
};

/* What the MoM knows of them; it goes away with the MoM. */
struct task {
    char *job_id;
    int32_t run_version;
    int32_t session; /* 0: not reported yet */
    uint64_t run;    /* its number */
    bool is_adopted; /* not a child of this MoM: its end is looked for */
    bool is_unsaved; /* it did not begin, for its record could not be written */
    bool is_dropped; /* the core has forgotten the job */
    struct task *prev, *next;
};

/* A script that makes an image of a job. It outlives the MoM. */
struct making {
    uint64_t number;
    char *job_id;
    int32_t run_version;
    bool aborts;     /* the job ends with it */
    bool is_sisters; /* it has no top task */
    bool keeps_before;
    uint64_t started_by; /* lives of the MoM */
    uint64_t awaited_by;
    bool is_abandoned;
    bool is_killed;
    struct making *prev, *next;
};

struct mom_host {
    struct sim *sim;
    size_t index;
    char name[16];
    uint32_t addr;
    bool cut_off; /* from the network */
    struct disk disk;
    int64_t clock_s;      /* its clock is so many seconds ahead of the server's, */
    int64_t boot_clock_s; /* ... and was when it was booted */
    bool knows_nobody;    /* no user can be looked up: what is started there fails */
    struct run *runs;
    struct extra *extras;
    struct making *makings;
    struct script_run *scripts;
    struct storms storms;
    uint64_t last_run;
    uint64_t last_connection; /* of a task to its MoM */
    int32_t last_session;

    struct mom *mom;   /* NULL: it does not run */
    uint64_t life;     /* counts starts of the MoM */
    int64_t up_ms;     /* when it was started */
    bool is_watched;   /* $max_load N suspend */
    bool is_busy;      /* it has more to do than that */
    bool sends_on;     /* $action multinodebusy 0 requeue */
    bool has_keyboard; /* $kbd_idle */
    bool is_typed_at;
    int64_t touched_ms; /* when it was typed at last */
    bool silent;        /* takes commands and answers none */
    int dies_after;     /* killed after so many further steps; 0: not */
    bool is_dying;      /* in the middle of what it does: nothing more happens */
    struct task *tasks;
    struct executor executor;
    int64_t timer_at;
    int64_t ticked_ms;
    int n_ticks; /* at that instant */
};

void host_init(struct sim *s, size_t index);
void host_fini(struct mom_host *h);

/* kill_jobs: -r, jobs that still run are killed and given back. */
void host_start_mom(struct mom_host *h, bool kill_jobs);
/* SIGKILL. */
void host_kill_mom(struct mom_host *h);
/* SIGTERM kills its jobs, SIGINT does not. */
void host_end_mom(struct mom_host *h, bool kill_jobs);
/* The power fails: of the MoM and of its jobs nothing is left but files. */
void host_crash(struct mom_host *h);

/* Its MoM is told of its configuration: has it scripts for images, what makes it busy.
 */
void host_reads_rules(struct mom_host *h);

/* From the first time on it has a limit of its load, at which jobs stand. */
void host_is_busy(struct mom_host *h, bool is_busy);

/* From the first time on jobs of several hosts leave it when it is busy. */
void host_sends_on(struct mom_host *h);
/* From the first time on its MoM looks at its keyboard, and jobs stand while it is
 * used.
 */
void host_is_typed_at(struct mom_host *h, bool is_typed_at);

/* What its MoM goes by: the clock of the host as it was when the host was booted
 * (lib/io/clock.h). */
int64_t host_now_at(const struct mom_host *h);

/* Its clock is set, so many seconds ahead of the server's. */
void host_set_clock(struct mom_host *h, int64_t ahead_s);

void host_cut_off(struct mom_host *h, bool cut_off);

/* An input of the core: put its effects into *out, then end it. */
struct mom_out host_input(struct mom_host *h);
void host_end_input(struct mom_host *h, struct mom_out *out);
/* Is this the step at which it is killed? */
bool host_dies_here(struct mom_host *h);

/* host_tasks.c: the executor, with processes and files. */
struct executor host_executor(struct mom_host *h);
/* The jobs whose records are on the disk, given to a new core. */
void host_recover(struct mom_host *h);
/* The MoM is dead: pipes are closed, children have no parent. */
void host_forget_tasks(struct mom_host *h);
void host_kill_runs(struct mom_host *h);
/* host_records.c: the record of a job, which its executor writes. False: the disk is
 * full. 'task' as with MOM_SAVE. */
const char *host_record_name(struct arena *arena, const char *job_id);
bool host_save_record(struct mom_host *h, const char *job_id, uint32_t task) MUST_CHECK;
/* The job, given to a new core; NULL: it is damaged. */
const char *host_load_record(struct mom_host *h, const struct file *f);
/* host_extras.c: tasks beside the top task. */
void extras_spawn(struct mom_host *h, const char *job_id, uint32_t task, bool restarts);
/* 'is_saved': its record is on disk. */
void extras_begin(struct mom_host *h, const char *job_id, uint32_t task, bool is_saved);
/* task 0: all of the job. */
void extras_signal(struct mom_host *h, const char *job_id, uint32_t task, int signo);
void extras_recover(struct mom_host *h, const char *job_id);
void extras_forget(struct mom_host *h);
void extras_kill(struct mom_host *h);
/* The top task has begun: it spawns a task on each other vnode of the job. */
void extras_ask(struct mom_host *h, const char *job_id);

/* What the processes of a run still last, when they go on now. */
int64_t host_left_ms(const struct mom_host *h, const struct run *r);
struct run *host_run_of(const struct mom_host *h, const char *job_id,
                        int32_t run_version);
/* They are ended from outside, and how is written down. */
void host_end_run(struct mom_host *h, struct run *r);

/* A signal to the processes of the job's top task. */
void host_signal_job(struct mom_host *h, const char *job_id, int signo);

/* host_scripts.c: scripts at the end of a job. */
void scripts_end_job(struct mom_host *h, const char *job_id);
void scripts_epilogue(struct mom_host *h, const char *job_id, struct mom_out *out);
void scripts_kill_epilogue(struct mom_host *h, const char *job_id);
/* The MoM has ended, and they with it. */
void scripts_forget(struct mom_host *h);

/* host_images.c: images of jobs. */
void images_make(struct mom_host *h, const struct mom_effect *e, struct mom_out *out);
void images_abandon(struct mom_host *h, const char *job_id);
void images_go_back(struct mom_host *h, const char *job_id, bool has_before);
/* The job is forgotten, or was found again. */
void images_drop(struct mom_host *h, const char *job_id);
/* It has none, as its core says. */
void images_check_none(struct mom_host *h, const char *job_id);
void images_settle(struct mom_host *h, const char *job_id);
/* The host has lost its power: scripts are gone. */
void images_kill(struct mom_host *h);
/* How long the job lasts by its image; false: it has none that is complete. */
bool images_left_ms(const struct mom_host *h, const char *job_id, int64_t *ret);

/* Does something of that run of the job live here? */
const struct run *host_run(const struct mom_host *h, const char *job_id,
                           int32_t run_version);

#endif
