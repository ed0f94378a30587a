/* clients.h - the commands of users and administrators: each one connection, a few
 * requests, a reply.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CLIENTS_H
#define TEST_SIM_CLIENTS_H

#include "lib/wire/batch.h"

struct sim;

enum client_kind {
    CLIENT_RESERVE,     /* pbs_rsub */
    CLIENT_DELETE_RESV, /* pbs_rdel */
    CLIENT_SUBMIT,      /* qsub: QueueJob, JobScript, Commit */
    CLIENT_DELETE_JOB,  /* qdel */
    CLIENT_RUN_JOB,     /* qrun without vnodes */
    CLIENT_MANAGE,      /* qmgr */
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
    struct client *prev, *next;
};

struct clients {
    struct client *list;
};

void clients_fini(struct clients *c);

/* pbs_rsub. 'waiting': -I with that number; NULL: without. Times are absolute. */
struct resv_wish {
    const char *label;
    const char *user;
    const char *select;
    const char *place; /* NULL: none */
    int64_t start_at;
    int64_t duration_s;
    const char *waiting;
    int64_t idle_s; /* delete_idle_time, 0: none */
};
void client_reserve(struct sim *s, const struct resv_wish *wish);

/* qsub. 'into' NULL: the default queue, else the id of a reservation. */
struct job_wish {
    const char *label;
    const char *user;
    const char *into;
    const char *select;
    int64_t walltime_s; /* 0: none */
    int64_t lasts_s;
};
void client_submit(struct sim *s, const struct job_wish *wish);

void client_delete(struct sim *s, const char *user, const char *label, const char *id,
                   bool resv);
void client_run(struct sim *s, const char *label, const char *id);

/* qmgr, as root: "set server X = V", unset with value NULL. */
void client_manage(struct sim *s, uint32_t command, uint32_t type, const char *name,
                   const char *attr, const char *resource, const char *value,
                   enum wire_op op);

/* The command that made 'label' is interrupted. */
void client_interrupt(struct sim *s, const char *label);

/* Of the command that made 'label': its answer without the id, NULL when there is none
 * (yet). */
const char *client_answer(const struct sim *s, const char *label);

/* Nobody waits any more. */
void clients_check_answered(struct sim *s);

#endif
