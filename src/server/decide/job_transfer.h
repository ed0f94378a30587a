/* job_transfer.h - a job goes to another server: what is sent of it, and what the
 * answer means (wire.md 14, doc/design/057-between-servers.md).
 *
 * The other server has the job from its answer to Commit on. Whoever sends QueueJob
 * again with the id of a job that is there is told so (15009). So a transfer may be
 * tried as often as it takes to know how it ended, and the job is never at both
 * servers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_TRANSFER_H
#define SERVER_DECIDE_JOB_TRANSFER_H

#include "server/decide/request.h"

/* How long a server asks another one whether it has a job; that one remembers it for
 * longer (HISTORY_OF_GUESTS_S). A job of which nobody knows by then is held: an
 * administrator has to look. */
#define TRANSFER_ASKS_S 14400
/* A job goes through so many servers and queues at most (hop_count; 15024). */
#define JOB_HOPS_MAX    10

/* The parts of a destination "queue@server[:port]"; texts in the arena. */
struct transfer_to {
    const char *queue;
    const char *server; /* with its port, where one is named */
};
struct transfer_to transfer_to_parse(const char *destination, struct arena *arena);

struct attr_row;
struct svr_config;

/* Is that a name of this server: its own, its host's, or the short name of that? A port
 * may follow. */
bool names_this_server(const struct svr_config *cfg, const char *name);

/* Does a destination name another server? */
bool transfer_is_needed(const struct svr_config *cfg, const char *destination);

/* Does an attribute of a job go with it? What a client may set, and what servers tell
 * each other. Names that only one server knows, such as vnodes and reservations, stay,
 * and are passed over when another server sends them. */
bool transfer_has(const struct attr_row *row);

/* May the job, which is not at a MoM, go to another server? What other objects of this
 * server hold on to does not: 15029 for jobs that wait for others or are waited for;
 * 15016 for an array of which something has begun; 15024 after too many servers. */
int transfer_check(const struct job *job, struct diag *why) MUST_CHECK;

/* Append the record with which such a job leaves for 'destination'. */
struct record *transfer_leaves_record(const struct job *job, const char *actor,
                                      const char *destination, int64_t now_at,
                                      struct decision *out);

/* The requests that hand the job over, one behind the other: QueueJob, its script in
 * parts, Commit. '*ret_len' bytes in the arena. Attributes that came from defaults of
 * this server do not travel. */
const char *transfer_requests(const struct job *job, const char *user,
                              struct arena *arena, size_t *ret_len);

/* One request as another server is sent it, 'extend' may be NULL; '*ret_len' bytes in
 * the arena. */
const char *server_request(uint32_t number, const char *user, const void *body,
                           const char *extend, struct arena *arena, size_t *ret_len);

/* Does another server answer so before it has looked at the job that it is asked about,
 * or when it cannot store what it is told? Then it may say something else later. */
bool code_says_nothing(int code);

enum transfer_end {
    TRANSFER_TAKEN,   /* the other server has the job */
    TRANSFER_REFUSED, /* it has not, and will not get it */
    TRANSFER_OPEN,    /* nobody knows yet: ask again */
};

/* What the answer to an attempt says of the job, which is leaving. */
enum transfer_end transfer_end(const struct job *job, const struct finding *answer);

/* Append the record with which the job is the other server's: FACT_JOB_AWAY, or
 * FACT_JOB_LEFT where nothing is kept of it. */
struct record *transfer_left_record(const struct model *m, const struct job *job,
                                    const char *actor, int64_t now_at,
                                    struct decision *out);

#endif
