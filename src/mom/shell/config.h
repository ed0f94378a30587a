/* config.h - mom_priv/config (execution.md 5, 6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_CONFIG_H
#define MOM_SHELL_CONFIG_H

#include "mom/mom.h"
#include "mom/shell/host_facts.h"
#include "mom/shell/vnodefile.h"

struct usecp { /* host:from to */
    const char *host;
    const char *from;
    const char *to;
};

/* $action EVENT TIMEOUT !PATH ARG... (execution.md 7) */
#define CONFIG_ACTION_ARGS 32
struct config_action {
    const char *path; /* NULL: none */
    int64_t limit_s;  /* 0: as long as it takes */
    bool requeues;    /* "requeue" in place of a script */
    size_t n_args;
    const char *args[CONFIG_ACTION_ARGS];
};
enum config_action_kind {
    CONFIG_ACTION_TERMINATE,
    CONFIG_ACTION_CHECKPOINT,
    CONFIG_ACTION_CHECKPOINT_ABORT,
    CONFIG_ACTION_RESTART,
    CONFIG_ACTION_MULTINODEBUSY,
    CONFIG_ACTION_COUNT,
};
extern const char *const config_action_names[CONFIG_ACTION_COUNT];

#define CONFIG_RESTRICT_EXEMPT 10
struct config {
    struct arena *arena;
    uint32_t log_events;
    int64_t min_check_poll_s, max_check_poll_s;
    int64_t max_poll_downtime_s;     /* how long another host of a job may be lost */
    int64_t sister_join_job_alarm_s; /* how long they may take to join, */
    int64_t job_launch_delay_s; /* ... and then to be ready; 0: as the core has it */
    double cputmult, wallmult;
    double max_load, ideal_load; /* < 0: not set; the second is not more */
    bool load_suspends;          /* "suspend" behind $max_load */
    int64_t kbd_idle_s;          /* $kbd_idle; 0: nobody looks, */
    int64_t kbd_busy_s, kbd_poll_s;
    struct mom_enforce enforce;
    int suspend_signo, resume_signo; /* $suspendsig */
    bool restrict_user;              /* those without a job have no processes here, */
    int64_t restrict_max_system_uid; /* ... unless their uid is at most this, */
    size_t n_restrict_exempt;        /* ... or they are named */
    const char *restrict_exempt[CONFIG_RESTRICT_EXEMPT];
    bool alien_attach, alien_kill; /* processes outside of the jobs of their user */
    bool attach_allow;             /* users may give sessions to their jobs */
    bool nodefile_on_sisters;      /* where their tasks find one */
    bool reject_root_scripts;      /* no jobs of root */
    struct config_action actions[CONFIG_ACTION_COUNT];
    int64_t prolog_alarm_s;  /* time that a prologue or an epilogue may take */
    int64_t copy_alarm_s;    /* time that one request to copy files may take */
    const char *tmpdir;      /* NULL: of pbs.conf */
    const char *jobdir_root; /* of sandboxes; NULL: the user's home */
    bool jobdir_is_shared;   /* by all hosts of a job */
    const char
        *cgroup_root; /* $cgroups: where jobs have groups; NULL: they have none */
    unsigned cgroup_controllers; /* of enum cgroup_controller */
    int64_t cgroup_pids;         /* processes and threads of a job; 0: no limit */
    unsigned port;               /* $port: of the service; 0: of pbs.conf */
    const char *checkpoint_path; /* of images; NULL: in the home */
    bool restart_background;     /* a job runs while its restart script does */
    bool restart_transmogrify;   /* the script becomes the job */
    const char *node_name;       /* $momname; NULL: as pbs.conf says */
    size_t n_clients;
    const char **clients; /* $clienthost */
    size_t n_restricted;
    const char **restricted; /* $restricted: who may ask and not command, "*.site" */
    struct {
        size_t n, cap;
        struct host_resource *v;
    } resources; /* lines without a dollar sign */
    size_t n_usecp;
    struct usecp *usecp;
    struct vnode_list vnodes;
    bool vnodes_add_up; /* those that files do not name any more stay until a restart */
    int64_t modtime;    /* newest vnode file, 0 without one */
};

/* How reading tells: event bits, class and object of the line, words. */
struct config_log {
    void (*fn)(void *arg, int event, int log_class, const char *object,
               const char *words);
    void *arg;
};

/* Read the main file and config.d of 'mom_priv'. 'file' is -c, or NULL: then the
 * default file may be missing. 'host' is where vnodes are that do not say so. False
 * when a line was wrong; *ret holds what was right. The caller ends it with
 * config_fini(). */
bool config_read(const char *mom_priv, const char *file, const char *host,
                 const struct config_log *log, struct config *ret) MUST_CHECK;
void config_fini(struct config *c);

/* Names of config.d, PBS... first, each part sorted. The caller frees with
 * config_names_free(). */
char **config_names(const char *mom_priv);
void config_names_free(char **names);

#endif
