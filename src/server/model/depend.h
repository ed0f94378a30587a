/* depend.h - what a job waits for: other jobs (attribute depend, cli.md 3.7).
 *
 * "afterok:5.svr@svr:6.svr@svr,on:2" is a list of entries, each about one job, or a
 * count. A job stores only what it waits for itself. What others wait for (before...)
 * is the other side of their entries and is derived from the links; who submits
 * "before:7" gives job 7 an entry "after". An entry that is satisfied goes, and with
 * the last one that keeps the job its hold.
 *
 * A job that others wait for stays, as history, until all of them have looked at how it
 * ended; so nothing is lost when the server dies in between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_DEPEND_H
#define SERVER_MODEL_DEPEND_H

#include "server/model/model.h"

enum depend_type {
    DEPEND_ON,
    DEPEND_AFTER,
    DEPEND_AFTEROK,
    DEPEND_AFTERNOTOK,
    DEPEND_AFTERANY,
    DEPEND_BEFORE,
    DEPEND_BEFOREOK,
    DEPEND_BEFORENOTOK,
    DEPEND_BEFOREANY,
    DEPEND_RUNONE,
    DEPEND_TYPE_COUNT /* none of these */
};

/* Nobody's job waits for more. */
#define DEPEND_MAX_ENTRIES 1000
#define DEPEND_MAX_COUNT   1000000

struct depend_entry {
    enum depend_type type;
    const char *job;    /* its id, without "@server"; NULL for DEPEND_ON */
    const char *server; /* behind '@', NULL when there is none */
    int64_t count;      /* DEPEND_ON */
};

struct depend_list {
    size_t n;
    size_t cap;
    struct depend_entry *v; /* in the arena, like all texts */
};

/* DEPEND_TYPE_COUNT: there is no type of that name. */
enum depend_type depend_type_named(const char *name);
const char *depend_type_name(enum depend_type type);

/* False for a text that is none, has too many entries, or names no job by a full id. */
bool depend_parse(const char *text, struct arena *arena,
                  struct depend_list *ret) MUST_CHECK;
void depend_add(struct depend_list *list, struct arena *arena,
                const struct depend_entry *e);
/* The text, jobs of one type together; NULL for an empty list. Jobs of which no server
 * is said are those of 'server'. */
const char *depend_text(const struct depend_list *list, const char *server,
                        struct arena *arena);

/* Is it about a job of another server? That server says when it is satisfied. */
bool depend_is_remote(const struct model *m, const struct depend_entry *e);

/* What the other job says of it: after <-> before; runone stays. */
enum depend_type depend_other_side(enum depend_type type);

/* What an entry of a job's says now. */
enum depend_state {
    DEPEND_MET,   /* satisfied: the entry goes */
    DEPEND_IDLE,  /* it stays and keeps nobody (runone while none runs) */
    DEPEND_OPEN,  /* the job must wait */
    DEPEND_FAILED /* it will never be satisfied: the job is deleted */
};
enum depend_state depend_judge(const struct model *m, const struct depend_entry *e);

/* All entries together: the worst of them. '*left' (may be NULL): those that stay;
 * '*culprit' (may be NULL): the job with which it failed. */
enum depend_state depend_judge_all(const struct model *m,
                                   const struct depend_list *list, struct arena *arena,
                                   struct depend_list *left, const char **culprit);

/* Is it too late for it to wait for anybody? It is at its MoM, or an array of which
 * something has run: that is not disturbed. */
bool job_is_beyond_depend(const struct job *job);

/* True while the job must not run. */
bool job_waits_for_others(const struct model *m, const struct job *job,
                          struct arena *arena);

#endif
