/* object_size.h - how much memory one object, and all jobs of one user, may take.
 *
 * What a client puts into attributes stays in memory and in the store as long as the
 * object lives. The limits are the shell's settings (config.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_OBJECT_SIZE_H
#define SERVER_DECIDE_OBJECT_SIZE_H

#include "server/decide/edit.h"

/* May the object become as large as the edit makes it? One that is too large already
 * may become smaller. Schedulers are not asked. PBSE_IVALREQ with the limit in words.
 */
int object_keeps_size(const struct request *rq, const struct edit *e,
                      struct diag *why) MUST_CHECK;

/* May the jobs of 'user' take 'more_bytes'? Nothing more is always allowed.
 * PBSE_EXCQRESC with the limit in words. */
int user_jobs_keep_size(const struct model *m, const struct request *rq,
                        const char *user, size_t more_bytes,
                        struct diag *why) MUST_CHECK;

#endif
