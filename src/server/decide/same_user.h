/* same_user.h - whether a user of some host is an account of the server's host
 * (attributes.md 9 and 13).
 *
 * A user of the server's own host is; with flatuid so is each user of the same name.
 * For everybody else the files of the server's host say it (lib/auth/equiv.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_SAME_USER_H
#define SERVER_DECIDE_SAME_USER_H

#include "server/decide/request.h"

/* May jobs of 'who' run as that account, which is not root's? 0; PBSE_BADUSER; NEEDED.
 */
int user_may_run_as(const struct model *m, const struct request *rq,
                    const struct requester *who, const char *account,
                    struct diag *why) MUST_CHECK;

/* Is the requester, a user of another host, the account of its name here, so that what
 * belongs to that user on any host belongs to it? 0; PBSE_BADUSER; NEEDED. Nobody is
 * asked where flatuid says so of all. */
int requester_is_account(const struct model *m, const struct request *rq,
                         struct diag *why) MUST_CHECK;

#endif
