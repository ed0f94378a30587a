/* job_file.h - the file that a job's record lies in: two places, written in turns, and
 * notes behind the record.
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
 * What room a place has left behind its record takes notes: small pieces of bytes that
 * are written one after the other and say what has changed since. Each has a number and
 * a sum, which starts from that of the record: so notes of an earlier record of the
 * place are none of this one, and the next record makes those of this one void. A note
 * that was cut short is none either. MoMs that knew no notes read the record without
 * them, since their sum ends with the record.
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
    uint64_t sum; /* of the record, with its turn */
    uint32_t n_notes;
    size_t notes_bytes; /* right behind the record, their heads included */
    bool is_damaged;    /* a whole note follows one that is none: the notes, and what
                           they were to say of the job, are not to be trusted */
};

/* The sum of such bytes: it tells what was written from what was not, and shall not
 * withstand anybody. */
uint64_t job_file_sum(const void *data, size_t len);

/* How long a place is made for such a record, when 'room_bytes' shall be left behind
 * it. Never so long that the file would not be read, unless for the record itself. */
size_t job_file_place_bytes(size_t len, size_t room_bytes);

/* The bytes of a whole file, with the record in one place and none in the other. The
 * places have room for a record that grows a little, and for 'room_bytes' at least
 * where that can be. '*ret', which may be NULL, is what job_file_read() would say, but
 * for 'record', which is the caller's. */
void job_file_make(const void *record, size_t len, size_t room_bytes, struct buf *out,
                   struct job_file *ret);

/* Linear in the length of the file. What the record and its notes say is not looked at:
 * it may be nothing (job_record.h, job_notes.h). */
struct job_file job_file_read(const char *data, size_t len);

/* The bytes that write the next record into that file, and where in it they go; '*f' is
 * then what the file will have, as with job_file_make(). False: it has no place for
 * them with so much room behind, and a new file has to be made; nothing has changed. */
bool job_file_next(struct job_file *f, const void *record, size_t len,
                   size_t room_bytes, struct buf *out, size_t *ret_offset) MUST_CHECK;

#define JOB_FILE_MAX_NOTE 512 /* bytes of one */

/* The same for one more note of 1 to JOB_FILE_MAX_NOTE bytes behind the record. False:
 * there is no room for it, and the record has to be written anew. */
bool job_file_add_note(struct job_file *f, const void *note, size_t len,
                       struct buf *out, size_t *ret_offset) MUST_CHECK;

/* The notes of a file that was read, in the order in which they were written: '*at' is
 * 0 at first. False behind the last. */
bool job_file_note(const struct job_file *f, size_t *at, const char **ret,
                   size_t *ret_len) MUST_CHECK;

#endif
