/* verdict.h - what hooks say of a request (doc/design/032).
 *
 * Hooks run outside: their verdict is a need like any other. A handler asks for it with
 * the attributes that came, and goes on with those that the hooks leave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_VERDICT_H
#define SERVER_DECIDE_VERDICT_H

#include "server/decide/request.h"
#include "server/model/hook_event.h"

/* The verdict of the enabled hooks of 'event' on a request with the attributes 'attrs'.
 * 0: they accept, and '*ret' (which may be the same list) is 'attrs' with what they
 * have set. PBSE_HOOKERROR with their words in 'out'. NEEDED. Without such hooks, and
 * where none are run (svr_config.runs_hooks), 'attrs' stay as they are. */
int request_verdict(const struct model *m, const struct request *rq,
                    enum hook_event event, const struct wire_attrs *attrs,
                    struct wire_attrs *ret, struct decision *out) MUST_CHECK;

#endif
