/* job_comment.h - what the server itself writes into the comments of jobs, and how it
 * knows these texts again (attributes.md 14.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_COMMENT_H
#define SERVER_DECIDE_JOB_COMMENT_H

#include "server/decide/config.h"

#include "lib/base/arena.h"

enum comment_origin {
    COMMENT_FOREIGN, /* an operator's own words, which the server leaves as they are */
    COMMENT_OF_WAIT, /* why the job does not run, or where it has gone */
    COMMENT_OF_RUN,  /* where and since when it runs: false as soon as it does not */
    COMMENT_OF_HOLD, /* who or what holds it: false as soon as nothing does */
};

/* By the words with which the comment begins. */
enum comment_origin job_comment_origin(const char *comment);

/* "Job Array Began at Sat Nov 21 at 08:02", in the server's own time zone. */
const char *array_began_comment(const struct svr_config *cfg, int64_t at,
                                struct arena *arena);

#endif
