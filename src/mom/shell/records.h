/* records.h - the records of jobs on disk.
 *
 * The record of a job is written when the job is taken, when it begins and when it
 * ends. The first time it gets a file, mom_priv/jobs/ID.JB, and each further time it is
 * written into a place of that file (lib/wire/job_file.h): one synchronisation of data,
 * and none of the directory but for a name that is not on disk yet. The first time
 * needs none at all when the job begins before anybody hears of it. Making a file and
 * giving it back costs a file system several times what writing it costs, so the file
 * of a job that has gone is the next one's. A task that begins or ends is a note behind
 * the record (lib/wire/job_notes.h), with one synchronisation of data, too. Such files
 * lie in mom_priv/spare, and nobody but the MoM ever has them open: scripts and
 * outputs, which users have, are none of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_RECORDS_H
#define MOM_SHELL_RECORDS_H

#include "lib/base/buf.h"
#include "lib/base/diag.h"

struct record_file;

struct records {
    const char *home;          /* the caller's, as long as this lives */
    unsigned n;                /* mom_priv/spare/0 to n - 1 may be written over */
    uint64_t n_names;          /* names that were given in mom_priv/jobs, */
    uint64_t n_durable;        /* ... of which the first are on disk */
    struct record_file *files; /* that were written, by path */
};

/* Nothing is spare yet; what an earlier MoM has left is removed. */
void records_open(struct records *s, const char *home);
/* Forget what is known of the files, which stay. */
void records_close(struct records *s);

/* 'path' has the old record, with its notes, or the new one, without any, at any
 * moment; the new one durably when this returns 0. 'base' is for records_note().
 * PBSE_SYSTEM with words. */
int records_save(struct records *s, const char *path, uint64_t base, const void *data,
                 size_t len, struct diag *why) MUST_CHECK;

/* The first record of a job of which nobody has heard: the caller's death does not lose
 * it, and that of the host does, or leaves a damaged record or one of another job under
 * its name, until records_save() or records_note() has returned for the same path. */
int records_lay(struct records *s, const char *path, uint64_t base, const void *data,
                size_t len, struct diag *why) MUST_CHECK;

/* Somebody else may write the directory of the records to disk: whoever has done that
 * after he was told records_names() says so, and it is not done here again for the
 * names that were there by then. */
uint64_t records_names(const struct records *s);
void records_names_are_durable(struct records *s, uint64_t names);

/* The same for a note behind the record, 1 to JOB_FILE_MAX_NOTE bytes: true when it is
 * there durably. False: the record has to be saved whole, since it was written by an
 * earlier MoM or with another 'base', since there is no room, or since it could not be
 * written. Then it may be there, and what the record is read with has it or not.
 * Room for notes is a part of the record's length, so that notes cost as much as
 * themselves on the average, however long the record is. */
bool records_note(struct records *s, const char *path, uint64_t base, const void *data,
                  size_t len) MUST_CHECK;

/* Is there room for the files of a job beside its record, scripts of usual length
 * included? Nothing stays of the attempt. PBSE_SYSTEM with words. */
int records_try(const struct records *s, struct diag *why) MUST_CHECK;

/* What the file has, of whatever MoM it is: its newest whole record with the notes
 * behind it, durably. An earlier MoM may have been killed before that was on disk.
 * PBSE_SYSTEM with words: it cannot be read, is longer than 'max_bytes', or its notes
 * are damaged. */
int records_read(const char *path, size_t max_bytes, struct buf *out,
                 struct diag *why) MUST_CHECK;

/* Remove the file, which nobody will want again; it may become a spare one. */
void records_give(struct records *s, const char *path);

#endif
