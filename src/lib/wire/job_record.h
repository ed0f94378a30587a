/* job_record.h - a job as the file has it that a MoM keeps of it: what a restart of the
 * MoM must know, and what people who look into the file are shown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_JOB_RECORD_H
#define LIB_WIRE_JOB_RECORD_H

#include "lib/base/attrs.h"
#include "lib/base/buf.h"

/* Seconds and KiB of a job; sums of two stay numbers. */
#define JOB_RECORD_MOST      (INT64_MAX / 4)
#define JOB_RECORD_MAX_TASKS 100000 /* of a job on this host */
#define JOB_RECORD_MAX_MARK  200    /* characters */

/* A task beside the top task that has a session. */
struct job_record_task {
    uint32_t number;
    int32_t session, vnode;
    const char *mark; /* of the session; "" if not known */
    bool is_attached;
};

/* What an image has beside the top task, and the event of the order to make it; 0:
 * there is no such image. */
struct job_record_image_task {
    uint32_t number;
    int32_t vnode, session;
};
struct job_record_tasks {
    int32_t event;
    size_t n;
    struct job_record_image_task *v;
};

/* Of the job's checkpoint (mom/job/core.h has what the fields mean). */
struct job_record_image {
    int32_t making; /* 0: none is being made, 1: of a job that runs on, 2: that ends */
    bool has_image, is_restart;
    bool has_ended; /* while it was being made, with: */
    int32_t end_status;
    int32_t session;                             /* that the image was made of */
    int64_t cput_s, mem_kb, vmem_kb, walltime_s; /* used by then */
    int64_t last_s;
    int32_t stage; /* of the work on it; one of them: */
#define JOB_RECORD_SCRIPT_RUNS 2
    int32_t undo;
    bool is_due;
    struct job_record_tasks being_made, last, before;
};

struct job_record {
    const char *id;
    int32_t phase; /* the substate, as servers know it */
    int32_t run_version;
    int32_t session; /* of the top task; 0: none yet */
    const char *mark;
    int32_t status; /* exit status, where it is set already */
    bool status_is_set;
    int64_t since_at, walltime_s; /* the clock of walltime */
    int64_t kill_at;
    int64_t cput_s, mem_kb, vmem_kb; /* used so far */
    struct wire_attrs attrs;
    bool is_sister;
    uint32_t own; /* which of the job's hosts this is */
    uint16_t out_port, err_port;
    uint32_t ms_ip;
    uint32_t n_tasks; /* numbers given out, the top task counted */
    size_t n_stored;
    struct job_record_task *tasks;
    struct job_record_image image;
};

/* Append the record in the layout of today, whose mark stands in front. */
void job_record_encode(const struct job_record *r, struct buf *out);

/* Everything lies in the arena, '*ret' included. False: it is no record, is damaged, or
 * has bytes behind it. Records of older layouts are read, with what they do not have
 * as it was then. */
bool job_record_decode(const char *data, size_t len, struct arena *arena,
                       struct job_record *ret) MUST_CHECK;

/* Is it the record of that job? Nothing else of it is looked at. */
bool job_record_is_of(const char *data, size_t len, const char *job_id);

#endif
