/* job_notes.h - what has become of single tasks of a job since its record was written:
 * notes behind the record (job_file.h).
 *
 * A task that begins or ends changes one line of a record that may have thousands, and
 * a job may begin and end thousands of tasks. So only the task is written down, and the
 * record whole when something else changes or there is no room for a note.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_JOB_NOTES_H
#define LIB_WIRE_JOB_NOTES_H

#include "lib/wire/job_file.h"
#include "lib/wire/job_record.h"

/* How a task is now, and what changes with tasks alone. */
struct job_note {
    struct job_record_task task;
    bool has_ended;                  /* or never began: of 'task' the number counts */
    uint32_t n_tasks;                /* as in the record, */
    int64_t cput_s, mem_kb, vmem_kb; /* ... and so are these */
};

/* Append the bytes of a note: JOB_FILE_MAX_NOTE at most. */
void job_note_encode(const struct job_note *n, struct buf *out);

/* The texts lie in the arena. False: it is no note, is damaged, has a number that no
 * job has or bytes behind it. */
bool job_note_decode(const char *data, size_t len, struct arena *arena,
                     struct job_note *ret) MUST_CHECK;

/* Append the file's record with all of its notes in it; without notes these are the
 * bytes of the file's record, which may be none. With notes the tasks come in the order
 * of their numbers. False, and nothing is appended: there are notes that cannot be
 * trusted, or the record that they belong to is none. Time: n log n of tasks and notes.
 */
bool job_notes_fold(const struct job_file *f, struct buf *out) MUST_CHECK;

#endif
