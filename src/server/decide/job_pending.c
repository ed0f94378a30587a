/* job_pending.c - see job_pending.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_pending.h"

#include <stdlib.h>
#include <string.h>

struct pending_jobs {
    struct pending_job *by_conn;
};

struct pending_jobs *pending_new(void)
{
    return xcalloc(1, sizeof(struct pending_jobs));
}

static void pending_end(struct pending_jobs *p, struct pending_job *job)
{
    HASH_DEL(p->by_conn, job);
    buf_fini(&job->script);
    arena_free(job->arena);
    free(job->id);
    free(job);
}

void pending_free(struct pending_jobs *p)
{
    struct pending_job *job, *next;

    if (!p)
        return;
    HASH_ITER (hh, p->by_conn, job, next)
        pending_end(p, job);
    free(p);
}

static struct pending_job *find(const struct pending_jobs *p, uint64_t conn)
{
    struct pending_job *job;

    HASH_FIND(hh, p->by_conn, &conn, sizeof(conn), job);
    return job;
}

const struct pending_job *pending_find(const struct pending_jobs *p, uint64_t conn)
{
    return find(p, conn);
}

static struct record *copy_record(const struct record *from, struct records *list,
                                  struct arena *arena)
{
    struct record *rec =
        record_add(list, arena, from->fact, from->kind, arena_strdup(arena, from->id),
                   arena_strdup(arena, from->actor), from->at);

    /* Every text is copied, since the source lives in the arena of one request only. */
    rec->reason = from->reason;
    rec->note = arena_strdup(arena, from->note);
    for (size_t i = 0; i < from->n_changes; i++)
        record_change(rec, arena, from->changes[i].attr,
                      arena_strdup(arena, from->changes[i].resource),
                      arena_strdup(arena, from->changes[i].after));
    MUST(rec->n_changes == from->n_changes);
    return rec;
}

struct record *pending_record(const struct pending_job *job, struct records *list,
                              struct arena *arena)
{
    MUST(job->rec->fact == FACT_JOB_QUEUED);
    return copy_record(job->rec, list, arena);
}

void pending_add(struct pending_jobs *p, uint64_t conn, const struct record *rec)
{
    struct pending_job *job = xcalloc(1, sizeof(*job));
    struct records one = { 0 };

    MUST(rec->fact == FACT_JOB_QUEUED); /* it becomes true with CommitJob only */
    /* A second QueueJob on the same connection gives up the first job. */
    pending_drop(p, conn);
    MUST(!pending_find(p, conn)); /* a connection sends one job at a time */
    job->conn = conn;
    job->id = xstrdup(rec->id);
    job->arena = arena_new();
    job->rec = copy_record(rec, &one, job->arena);
    HASH_ADD(hh, p->by_conn, conn, sizeof(conn), job);
}

void pending_add_script(struct pending_jobs *p, uint64_t conn, const char *data,
                        size_t len)
{
    struct pending_job *job = find(p, conn);

    MUST(job); /* the handler has found it in this very turn */
    buf_add(&job->script, data, len);
    job->has_script = true;
}

size_t pending_bytes(const struct pending_job *job)
{
    /* A script that is not committed takes memory like one that is, so it counts in the
     * user's budget. */
    return arena_used_bytes(job->arena) + job->script.cap;
}

void pending_drop(struct pending_jobs *p, uint64_t conn)
{
    struct pending_job *job = find(p, conn);

    if (job)
        pending_end(p, job);
}

void pending_drop_id(struct pending_jobs *p, const char *id)
{
    struct pending_job *job, *next;

    HASH_ITER (hh, p->by_conn, job, next)
        if (strcmp(job->id, id) == 0)
            pending_end(p, job);
}
