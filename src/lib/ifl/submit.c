/* submit.c - a new job: announce it, send its script in pieces, commit.
 *
 * The server finds the new job by the connection, so the whole conversation holds the
 * connection's lock. Without script and credential one request does it all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES     65536
#define IMPLICIT_COMMIT ":C:"

struct job {
    const struct attropl *attribs;
    const char *script;
    const char *destination;
    const char *extend;
    struct body_job_cred cred; /* type 0: none */
};

/* QueueJob; the new id, malloc'd. */
static char *queue_job(int c, const struct job *j, const char *extend, uint32_t choice)
{
    struct body_queue body = { .id = "", .destination = j->destination };
    struct ifl_paths paths;
    char *id = NULL;

    if (!ifl_paths(c, j->attribs, &paths) &&
        !ifl_attrs(c, paths.list, true, &body.attrs))
        id = ifl_ask_text(c, BATCH_QUEUE_JOB, &body, extend, choice);
    free(body.attrs.v);
    ifl_paths_fini(&paths);
    return id;
}

static char *submit_at_once(int c, const struct job *j)
{
    size_t len = j->extend ? strlen(j->extend) : 0;
    char *id, *extend = malloc(sizeof(IMPLICIT_COMMIT) + len);

    if (!extend) {
        ifl_set_error(c, PBSE_SYSTEM, NULL);
        return NULL;
    }
    /* The caller's own extension stands behind the word that asks for the commit. */
    strcpy(extend, IMPLICIT_COMMIT);
    strcat(extend, j->extend ? j->extend : "");
    id = queue_job(c, j, extend, REPLY_COMMIT);
    free(extend);
    return id;
}

static int send_chunks(int c, FILE *f)
{
    struct body_script body = { .job_id = "" };
    char *room = malloc(CHUNK_BYTES);
    int err = room ? 0 : ifl_set_error(c, PBSE_SYSTEM, NULL);

    /* An empty script sends no piece at all, and makes a job all the same. */
    while (!err && (body.data.len = fread(room, 1, CHUNK_BYTES, f)) > 0) {
        body.data.data = room;
        err = ifl_do(c, BATCH_JOB_SCRIPT, &body, NULL);
        body.sequence++;
    }
    if (!err && ferror(f))
        err = ifl_set_error(c, PBSE_BADSCRIPT, "cannot access script file");
    free(room);
    return err;
}

/* An id that is lost on the way to its commit is of no use: the server drops the job.
 * After a commit that failed it is told all the same. */
static char *submit_in_steps(int c, const struct job *j, FILE *script)
{
    char *id = queue_job(c, j, j->extend, REPLY_QUEUE);
    struct body_id commit = { .id = id };
    int err = 0;

    if (!id)
        return NULL;
    if (script)
        err = send_chunks(c, script);
    if (!err && j->cred.data.len > 0)
        err = ifl_do(c, BATCH_JOB_CRED, &j->cred, NULL);
    if (err) {
        free(id);
        return NULL;
    }
    ifl_do(c, BATCH_COMMIT, &commit, NULL);
    return id;
}

static char *submit(int c, const struct job *j)
{
    FILE *script = NULL;
    struct ifl_handle *h;
    char *id;

    if (ifl_verify(c, BATCH_QUEUE_JOB, MGR_OBJ_JOB, (const void *)j->attribs))
        return NULL;
    /* A script that cannot be read is found before the server is asked for an id. */
    if (j->script && *j->script && !(script = fopen(j->script, "re"))) {
        ifl_set_error(c, PBSE_BADSCRIPT, "cannot access script file");
        return NULL;
    }
    h = ifl_handle_lock(c);
    id = NULL;
    if (h) {
        id = script || j->cred.data.len > 0 ? submit_in_steps(c, j, script)
                                            : submit_at_once(c, j);
        ifl_handle_unlock(h);
    }
    if (script)
        fclose(script);
    return id;
}

char *ifl_submit(int c, struct attropl *attribs, const char *script,
                 const char *destination, const char *extend)
{
    const struct job j = { .attribs = attribs,
                           .script = script,
                           .destination = destination,
                           .extend = extend };

    return submit(c, &j);
}

char *ifl_submit_with_cred(int c, struct attropl *attribs, char *script,
                           char *destination, char *extend, int credtype,
                           size_t credlen, char *creddata)
{
    const struct job j = {
        .attribs = attribs,
        .script = script,
        .destination = destination,
        .extend = extend,
        .cred = { .type = (uint32_t)credtype, .data = { creddata, credlen } },
    };

    return submit(c, &j);
}
