/* clients.h - the commands of users and administrators: each one connection, a few
 * requests, a reply.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CLIENTS_H
#define TEST_SIM_CLIENTS_H

#include "lib/wire/batch.h"

struct sim;

enum client_kind {
    CLIENT_RESERVE,       /* pbs_rsub */
    CLIENT_ALTER_RESV,    /* pbs_ralter */
    CLIENT_DELETE_RESV,   /* pbs_rdel */
    CLIENT_SUBMIT,        /* qsub: QueueJob, JobScript, Commit */
    CLIENT_DELETE_JOB,    /* qdel */
    CLIENT_RUN_JOB,       /* qrun without vnodes */
    CLIENT_MOVE_JOB,      /* qmove */
    CLIENT_ORDER_JOB,     /* qorder */
    CLIENT_RELEASE_NODES, /* pbs_release_nodes */
    CLIENT_SIGNAL,        /* qsig */
    CLIENT_HOLD,          /* qhold, qrls */
    CLIENT_RERUN,         /* qrerun */
    CLIENT_ALTER_JOB,     /* qalter */
    CLIENT_MANAGE,        /* qmgr */
    CLIENT_LOOK,          /* pbs_rstat */
    CLIENT_WHY,           /* pbs_rstat --why */
};

struct client {
    enum client_kind kind;
    char *label; /* what it is about */
    char *user;
    uint64_t conn; /* 0: over */
    bool answered;
    int64_t asked_ms;
    char *answer; /* text of the reply, or "error N" */
    char *id;     /* SUBMIT: from QueueJob's reply */
    int step;
    int64_t lasts_s;
    char *vnodes; /* RESERVE: of maintenance, which the client confirms itself */
    char *real;   /* the request that is tried first, as bytes; NULL: none */
    size_t real_len;
    bool tries;          /* it is being tried */
    char *verdict;       /* that it was told, NULL: none */
    void *line;          /* of the scenario, for a sweep; NULL: none */
    uint64_t seq;        /* of the last record that its requests made, for a sweep */
    uint32_t occurrence; /* DELETE_RESV: of a series, that one alone; 0: all of it */
    struct client *prev, *next;
};

struct clients {
    struct client *list;
};

void clients_fini(struct clients *c);

/* What a reservation does at its end. NULL: not given. */
struct end_wish {
    const char *on_end, *on_end_queue;
    const char *auto_extend, *auto_extend_max, *auto_extend_release;
};

/* pbs_rsub. 'waiting': -I with that number; NULL: without. Times are absolute. */
struct resv_wish {
    const char *label;
    const char *user;
    const char *select;
    const char *place; /* NULL: none */
    const char *rule;  /* NULL, or of a series, */
    const char *zone;  /* in that time zone; NULL: in UTC */
    const char *job;   /* NULL, or the id of the job it is made out of: no start */
    const char *qmove; /* NULL, or the id of the job that is to be moved into it */
    int64_t start_at;
    int64_t duration_s; /* 0: not given */
    const char *waiting;
    int64_t idle_s;     /* delete_idle_time, 0: none */
    const char *vnodes; /* NULL, or what --hosts found: maintenance */
    struct end_wish end;
    bool dry; /* --dry-run first */
};
void client_reserve(struct sim *s, const struct resv_wish *wish);

/* pbs_ralter. NULL or 0: not given. */
struct alter_wish {
    const char *label;
    const char *user;
    const char *id;
    const char *select;
    const char *name;
    const char *users, *groups;
    const char *mail, *mail_to; /* Mail_Points, Mail_Users */
    struct end_wish end;
    bool dry; /* --dry-run first */
    int64_t start_at;
    int64_t end_at;
    int64_t duration_s;
    const char *waiting; /* -I */
    bool force;
    bool push;
    uint32_t occurrence; /* of a series; 0: none is named */
    bool release;
};
void client_alter(struct sim *s, const struct alter_wish *wish);

/* pbs_rstat of all. */
void client_look(struct sim *s, const char *user);

/* pbs_rstat --why. */
void client_why(struct sim *s, const char *user, const char *label, const char *id);

/* qsub. 'into' NULL: the default queue, else the id of a reservation. */
struct job_wish {
    const char *label;
    const char *user;
    const char *into;
    const char *select;
    int64_t walltime_s;      /* 0: none */
    int64_t least_s, most_s; /* min_walltime and max_walltime, 0: none */
    int64_t lasts_s;
    bool reserving;         /* create_resv_from_job */
    bool once;              /* -r n */
    const char *checkpoint; /* -c; NULL: none */
    const char *depend;
    const char *indices; /* of an array, as "1-5"; NULL: none */
};
void client_submit(struct sim *s, const struct job_wish *wish);

void client_delete(struct sim *s, const char *user, const char *label, const char *id,
                   bool resv, bool history);
/* pbs_rdel of one occurrence. */
void client_delete_occurrence(struct sim *s, const char *user, const char *label,
                              const char *id, uint32_t occurrence);
void client_run(struct sim *s, const char *label, const char *id);

/* qmove into that queue, and qorder with that other job. */
void client_move(struct sim *s, const char *user, const char *label, const char *id,
                 const char *queue);
/* pbs_release_nodes. */
void client_release(struct sim *s, const char *user, const char *label, const char *id,
                    const char *vnodes);
/* qsig -s suspend and the like, as root. */
void client_signal(struct sim *s, const char *label, const char *id, const char *word);
/* qhold and qrls of the user's hold. */
void client_hold(struct sim *s, const char *user, const char *label, const char *id,
                 bool hold);
/* qrerun, as root. */
void client_rerun(struct sim *s, const char *label, const char *id);
/* qalter: an attribute gets that value; 'resource' may be NULL. */
void client_alter_job(struct sim *s, const char *user, const char *label,
                      const char *id, const char *attr, const char *resource,
                      const char *value);
void client_order(struct sim *s, const char *user, const char *label, const char *id,
                  const char *other);

/* qmgr, as root: "set server X = V", unset with value NULL. */
void client_manage(struct sim *s, uint32_t command, uint32_t type, const char *name,
                   const char *attr, const char *resource, const char *value,
                   enum wire_op op);

/* The command that made 'label' is interrupted. */
void client_interrupt(struct sim *s, const char *label);

/* Of the command that made 'label': its answer without the id, NULL when there is none
 * (yet). */
const char *client_answer(const struct sim *s, const char *label);
/* Of the last pbs_ralter of it. */
const char *client_alter_answer(const struct sim *s, const char *label);

/* Of the last qmove, or of the last qalter, of a job: "ok" or "error N". */
const char *client_move_answer(const struct sim *s, const char *label);
const char *client_depend_answer(const struct sim *s, const char *label);

/* Of the last one that was tried first: the verdict, "error N", or NULL. */
const char *client_dry_answer(const struct sim *s, const char *label);

/* Of the last question why: the reason of the denial, "error N", or "no denial". */
const char *client_why_answer(const struct sim *s, const char *label);

/* Nobody waits any more. */
void clients_check_answered(struct sim *s);

#endif
