/* resv_record.h - changes that several decisions about reservations share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_RECORD_H
#define SERVER_DECIDE_RESV_RECORD_H

#include "server/decide/request.h"

/* resv_answer_time in force: after so long a question is put again. */
int64_t resv_answer_time_s(const struct model *m);

/* The next attempt is set, the question put before is answered. */
void resv_record_retry(struct record *rec, struct arena *arena, const struct model *m,
                       const struct resv *r, int64_t now_at);

/* The next attempt is due now. An alteration that is open is asked about first. */
void resv_record_retry_now(struct record *rec, struct arena *arena,
                           const struct resv *r, int64_t now_at);

/* The attempt to replace lost vnodes of 'r' was in vain: what was short, for those who
 * ask why (doc/extensions.md, ResvWhy), cut to DENIAL_REASON_MAX characters; NULL: it
 * was not said. It holds until the next attempt, or until nothing is sought any more.
 */
void resv_record_in_vain(struct record *rec, struct arena *arena, const struct resv *r,
                         const char *reason, int64_t now_at);

/* No vnodes are sought in the place of lost ones any more. */
void resv_record_unsought(struct record *rec, struct arena *arena);

/* Nor is any question open. */
void resv_record_unasked(struct record *rec, struct arena *arena);

/* Append the records that end a reservation at somebody's request or for that 'reason':
 * the queue takes no more jobs, those in it are deleted by their own rule, and when
 * none is left the reservation goes. Its later occurrences go at once. */
void resv_record_ending(const struct model *m, const struct resv *r, const char *actor,
                        enum reason reason, int64_t now_at, struct decision *out);

#endif
