/* job_file.h - the file that a job's record lies in: two places, written in turns.
 *
 * The record of a job is written several times while the job lives. Each time it goes
 * where the older one of the last two lies, and nothing else of the file changes: its
 * name, its length and its blocks stay. So a write needs no change of a directory, no
 * further room on the disk and one synchronisation, of data alone. A write that is cut
 * short at whatever byte leaves the record that was written before it.
 *
 * Each place begins with a head of text: the number of the turn, how long place and
 * record are, and a sum over all of that, by which a half-written place is known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_JOB_FILE_H
#define LIB_WIRE_JOB_FILE_H

#include "lib/base/buf.h"

#define JOB_FILE_MAX_BYTES (64u << 20) /* no file that is longer is read */

/* What a file holds: the newest record that is whole. */
struct job_file {
    const char *record; /* within the bytes of the file */
    size_t len;
    uint64_t turn; /* in which it was written; 0: the file has no places, as those of
                      older MoMs have none, and all of it is the record */
    size_t place_bytes;
};

/* The bytes of a whole file, with the record in one place and none in the other. The
 * places have room for a record that grows a little. */
void job_file_make(const void *record, size_t len, struct buf *out);

/* Linear in the length of the file. What the record says is not looked at: it may be
 * none (job_record.h). */
struct job_file job_file_read(const char *data, size_t len);

/* The bytes that write the next record into that file, and where in it they go. False:
 * it has no place for them, and a new file has to be made. */
bool job_file_next(const struct job_file *f, const void *record, size_t len,
                   struct buf *out, size_t *ret_offset) MUST_CHECK;

#endif
