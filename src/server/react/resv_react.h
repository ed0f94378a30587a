/* resv_react.h - what the reactions to reservations' records share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_RESV_REACT_H
#define SERVER_REACT_RESV_REACT_H

#include "lib/base/date.h"
#include "server/react/react.h"

/* Its phase before the record; the present one when the record did not change it. */
int64_t react_resv_state_before(const struct reaction *r);

/* The reservation that the record is about, or that its occurrence belongs to; NULL
 * when that is not there. Its objects may be gone from the model's links by then. */
const struct resv *react_resv(const struct reaction *r);

/* "S5[3].svr": the occurrence that the record is about. */
const char *react_occurrence_name(const struct reaction *r);

/* The log line of a new reservation. */
void react_resv_log_new(const struct reaction *r, const struct object *o);

/* From when to when the record moves the start, or that only the vnodes are others. */
const char *react_resv_moved_text(const struct reaction *r);

/* Local civil time. */
struct date react_date(const struct reaction *r, int64_t at);

#endif
