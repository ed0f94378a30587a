/* copy.h - CopyFiles and DelFiles, carried out with the rights of the job's user, in a
 * process of its own (as_user.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_COPY_H
#define MOM_SHELL_COPY_H

#include "lib/base/buf.h"
#include "lib/base/log.h"
#include "lib/wire/batch.h"
#include "mom/shell/plan.h"

#define COPY_STD_FILE 1 /* flag of a pair: a job's output in the spool */
#define COPY_OUT      1 /* bits of a direction (tpp.md 6.2) */
#define COPY_SANDBOX  2

struct copy_work {
    const struct plan_host *host;
    const struct body_files *body;
    bool remove;     /* DelFiles */
    int64_t pause_s; /* between tries to reach another host */
};

/* Try every file that is to be delivered, whatever became of those before it; of what
 * is staged in, the first failure takes back the rest. False: 'report' says what did
 * not work, in the words that the user is mailed (execution.md 22). Lines of another
 * kind stand among them (copy_line()). What was delivered is gone from this host, but
 * for a sandbox. */
bool copy_run(const struct copy_work *w, struct buf *report);

/* A report line by line: *ret is words for the user, a line for the log, or how many
 * files were copied. Returns what follows. */
#define COPY_LOG_MARK   '\001'
#define COPY_COUNT_MARK '\002'
struct copy_line {
    const char *words; /* with its newline; NULL: another kind */
    int event;         /* of a line for the log, 0: another kind */
    const char *object, *text;
    size_t n_done;
};
const char *copy_line(const char *at, struct copy_line *ret, struct arena *arena);

/* Add a line for the log, of one job, to a report. */
void copy_log(struct buf *report, int event, const char *object, const char *text);

/* A path of the request as the user means it: "\\," is a comma. */
const char *copy_unescape(const char *path, struct arena *arena);

/* The file in the spool that a pair names, whatever directory it is said to be in. */
const char *copy_spool_path(const struct plan_host *h, const char *name,
                            struct arena *arena);

#endif
