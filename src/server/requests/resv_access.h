/* resv_access.h - who may delete or alter a reservation (reservations.md 13.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_RESV_ACCESS_H
#define SERVER_REQUESTS_RESV_ACCESS_H

#include "server/decide/request.h"

/* True when 'owner', "user@host" or "" for one that is not known, is that user, from
 * whatever host. */
bool resv_owner_is(const char *owner, const char *user);

/* Find the reservation and let its owner (by user name, from any host), operators and
 * managers pass; a maintenance reservation, by its stored kind, needs one of the
 * latter. 15084 or 15007 with their log lines otherwise. */
int resv_access(const struct model *m, const struct request *rq, const char *id,
                const struct resv **ret, struct decision *out) MUST_CHECK;

/* The refusal of somebody who may see it and not do this: 15007 with its log line. */
int resv_unauthorized(const struct request *rq, const struct resv *r,
                      struct decision *out);

#endif
