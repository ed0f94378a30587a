/* job_ended.h - what a server tells the client of a blocking job (cli.md 3.9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_JOB_ENDED_H
#define LIB_WIRE_JOB_ENDED_H

#include "lib/wire/dis.h"

#define JOB_ENDED_VERSION   1
#define JOB_ENDED_MAX_BYTES (64u << 10) /* of the payload of its packet */

struct job_ended {
    const char *job_id;
    const char *message; /* why it has not ended by itself, "" when it has */
    int32_t exit_value;
};

/* The whole packet. */
void job_ended_put(const struct job_ended *e, struct buf *out);

/* Read the payload of a packet; strings are copied to 'arena'. What came before the
 * first part that is wrong is set: a client says which part that was. */
enum job_ended_part {
    JOB_ENDED_WHOLE,
    JOB_ENDED_NO_VERSION, /* none, or one that is not known: *ret_version */
    JOB_ENDED_NO_ID,
    JOB_ENDED_NO_MESSAGE,
    JOB_ENDED_NO_VALUE,
};
enum job_ended_part job_ended_get(const void *data, size_t len, struct arena *arena,
                                  struct job_ended *ret,
                                  int32_t *ret_version) MUST_CHECK;

#endif
