/* job_pending.h - the job that a connection is sending: from QueueJob to Commit.
 *
 * One per connection. It is volatile: it is thrown away when the connection ends, and
 * nobody but its sender has heard of it. The engine owns the table and is the only one
 * who changes it: handlers see it in svr_view, and what becomes of such a job is an act
 * of their decision (ACT_KEEP_JOB, ACT_ADD_SCRIPT, ACT_FORGET_JOB), so that a request
 * that is refused, or parked, has changed nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_PENDING_H
#define SERVER_DECIDE_JOB_PENDING_H

#include "lib/base/buf.h"
#include "server/model/record.h"

#include <uthash.h>

struct pending_job {
    uint64_t conn;
    char *id;            /* full job id */
    struct record *rec;  /* FACT_JOB_QUEUED in 'arena', without script */
    struct arena *arena; /* texts of 'rec' */
    struct buf script;
    bool has_script;
    UT_hash_handle hh;
};

struct pending_jobs;

/* No connection sends a job at first. */
struct pending_jobs *pending_new(void);
void pending_free(struct pending_jobs *p); /* NULL is fine */

/* The job of that connection, NULL when it sends none. */
const struct pending_job *pending_find(const struct pending_jobs *p, uint64_t conn);

/* Bytes of memory that it takes until it is committed or dropped. */
size_t pending_bytes(const struct pending_job *job);

/* A new one for the connection; an unfinished one is thrown away. 'rec' is copied. */
void pending_add(struct pending_jobs *p, uint64_t conn, const struct record *rec);
/* Append a part of its script (copied); there is a job of that connection. */
void pending_add_script(struct pending_jobs *p, uint64_t conn, const char *data,
                        size_t len);
/* Fine when there is none. */
void pending_drop(struct pending_jobs *p, uint64_t conn);
/* The same of every connection that sends the job of that id. Time: all that are being
 * sent. */
void pending_drop_id(struct pending_jobs *p, const char *id);

/* Append a copy of its record, texts included, to 'list'. */
struct record *pending_record(const struct pending_job *job, struct records *list,
                              struct arena *arena);

#endif
