/* printjob.h - the record of a job, as a MoM's file or the server's store has it
 * (cli.md 12, operations.md 25).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_PRINTJOB_PRINTJOB_H
#define CMDS_PRINTJOB_PRINTJOB_H

#include "lib/base/attrs.h"
#include "lib/base/buf.h"
#include "lib/store/store.h"
#include "lib/wire/job_record.h"

#define CMD "printjob"

/* What both forms begin with. */
struct shown_job {
    const char *id;
    char letter; /* of its state */
    int64_t substate, flags, stime, obittime;
    const char *file_base, *queue;
};

/* Print what a job is, then its attributes in the order of the list, on stdout. */
void show_head(const struct shown_job *j);
void show_attrs(const struct wire_attrs *attrs);

/* The file of a MoM: 'path' is for the lines of its tasks. */
void show_mom_file(const struct job_record *r, const char *path, bool with_attrs);

/* The server's object. Attributes that the server keeps for itself are left out. */
void show_stored(const struct store_record *job, bool with_attrs);
/* Its script. False: it has none. */
bool show_script(const struct store_record *job);

#endif
