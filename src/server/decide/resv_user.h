/* resv_user.h - the account a reservation is made for (reservations.md 5.2, step
 * 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_USER_H
#define SERVER_DECIDE_RESV_USER_H

#include "server/decide/edit.h"

struct resv_account {
    const char *user;
    const char *group;
    struct wire_strings groups; /* all of the user's, the primary one first */
};

/* From User_List, group_list and the requester, or the 'job' that the reservation is
 * made out of (NULL: none). Everything in the request's arena. 15095 for root (unless
 * the job runs as root), an unknown user or somebody else's account; 15045 for a group
 * that the user is not in. */
int resv_account_find(const struct request *rq, const struct edit *e,
                      const struct job *job, struct resv_account *ret,
                      struct diag *why) MUST_CHECK;

#endif
