/* know.h - what a handler, or a rule, knows of the world outside (doc/design/032).
 *
 * Each function looks something up. When it is not known, the function notes it as a
 * need of the request and returns NEEDED. The handler returns that as it is; nothing of
 * its decision is kept, and the request is decided afresh when all its needs are
 * answered. A handler may look up several things before it returns NEEDED: they are
 * found out at the same time. A rule that is NEEDED something has nothing to say, and
 * is asked again when one of the answers is there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_KNOW_H
#define SERVER_DECIDE_KNOW_H

#include "lib/cal/zone.h"
#include "server/decide/request.h"

#define NEEDED    (-1)

/* So many are found out at a time; the others are noted when the request is decided
 * afresh. */
#define NEEDS_MAX 64

struct needs {
    size_t n;
    struct need v[NEEDS_MAX];
};

/* What is known about that, good for this turn; NULL: it is noted. */
const struct finding *request_know(const struct request *rq, const struct need *need);

/* The groups of a user of this host, the primary one first; good for this turn. 0;
 * PBSE_BADUSER for no account; PBSE_SYSTEM with words when nobody could say; NEEDED. */
int request_groups(const struct request *rq, const char *user, struct wire_strings *ret,
                   struct diag *why) MUST_CHECK;

/* May somebody ("user@host") be the account 'user' of the server's host, as the files
 * of that host say (lib/auth/equiv.h)? 0; PBSE_BADUSER; NEEDED. */
int request_equivalent(const struct request *rq, const char *user,
                       const char *user_at_host, struct diag *why) MUST_CHECK;

/* Does the host have an address? 0; 'code' when it has none, or nobody could say;
 * NEEDED. */
int request_host(const struct request *rq, const char *host, int code,
                 struct diag *why) MUST_CHECK;

/* Is that a host's full name, one that resolves to itself? Results as above. */
int request_full_name(const struct request *rq, const char *host, int code,
                      struct diag *why) MUST_CHECK;

/* The time zone of that name, NULL or empty: none was named; in the request's arena. 0;
 * PBSE_BAD_ICAL_TZ when there is none; PBSE_SYSTEM with words when nobody could say;
 * NEEDED. */
int request_zone(const struct request *rq, const char *name, const struct zone **ret,
                 struct diag *why) MUST_CHECK;

#endif
