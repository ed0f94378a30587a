/* runs.h - what really ran, seen by nobody's messages: the processes of each run of
 * each job, and what the server says of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_RUNS_H
#define TEST_SIM_RUNS_H

#include "server/engine/svr.h"

#include <uthash.h>

struct sim;
struct mom_host;
struct run;

/* One run of a job whose processes have begun, or (is_awaited) that the server has
 * given up before: what it sent may still be on its way. */
struct ran {
    char *key; /* "1.svr 3": the job and its run version */
    char *job_id;
    int32_t run_version;
    size_t host;
    bool is_awaited;
    bool is_over;
    int64_t over_ms;
    bool is_lost; /* with its host */
    bool was_signalled;
    bool is_crossed;   /* its MoM ended it before it heard that it was over */
    bool is_written;   /* its end is on the host's disk */
    bool is_sent_back; /* by an epilogue, to its image */
    bool is_unsaved;   /* its MoM's record of it is an older one: her disk is full */
    bool is_unsure;    /* ... and a later MoM knew no other: not how long it stood */
    int32_t status;
    int64_t lasts_ms;  /* until it ends by itself */
    int64_t on_ms;     /* of it, until it ended */
    bool is_taken;     /* the server has recorded its end */
    bool is_given_up;  /* the server has sent the job back without its end */
    bool goes_on_late; /* an administrator or its host has stopped it, and lets it go on
                          without asking for room */
    UT_hash_handle hh;
};

struct runs {
    struct ran *list;
};

void runs_fini(struct runs *r);

/* Processes of a run begin, end ('written': on disk how), are gone with their host. */
void check_run_begins(struct mom_host *h, const struct run *r);
void check_run_ended(struct mom_host *h, const struct run *r, int32_t status,
                     bool written);
void check_run_lost(struct mom_host *h, const struct run *r);
/* An epilogue has sent it back, which counts for a job that has an image. */
void check_run_sent_back(struct mom_host *h, const char *job_id, int32_t run_version);
/* A signal that ends the job found no processes any more. */
void check_run_crossed(struct mom_host *h, const char *job_id);

/* Its MoM has written its record, or could not; and she has started with that one. */
void check_run_saved(struct mom_host *h, const char *job_id, bool saved);
void check_run_read(struct mom_host *h, const char *job_id);

/* 'm' is the model before the record. */
void check_run_record(struct sim *s, const struct model *m, const struct record *rec);
/* Has an administrator (admin-suspend) or its host stopped the job? It keeps its vnodes
 * and goes on without asking for room, so it ends later than it was planned for,
 * whatever reservations were promised before. */
bool run_goes_on_late(const struct sim *s, const struct job *j);
/* Was the last run of the job told to end? */
bool run_was_signalled(const struct sim *s, const char *job_id);
/* Has its MoM ended the last run of the job, which is there, for the job's own limits?
 */
bool run_was_over_limit(const struct model *m, const char *job_id);
/* Faults have stopped for a while: who runs what? */
void check_runs_agree(struct sim *s);
/* All has ended: no end was lost, and the hosts keep nothing. */
void check_runs_end(struct sim *s);

#endif
