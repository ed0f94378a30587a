/* hot_put_back.h - the records with which a hot start begins and ends
 * (model/hot_start.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_HOT_PUT_BACK_H
#define SERVER_DECIDE_HOT_PUT_BACK_H

#include "server/decide/request.h"

/* A hot start begins: running jobs are marked with their vnodes. Jobs that are marked
 * already, by the end of the server before or by a hot start that was not over, stay
 * so. Nothing when there is no such job. */
void hot_start_begin(const struct model *m, const char *actor, int64_t now_at,
                     struct decision *out);

/* It is over, or another kind of start forgets it: all marks go. */
void hot_start_end(const struct model *m, const char *actor, int64_t now_at,
                   struct decision *out);

#endif
