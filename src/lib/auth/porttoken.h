/* porttoken.h - what a server shows first on a connection to a MoM's service port
 * (wire.md 13).
 *
 * The token names the source port of the connection and the time. It is encrypted with
 * a key that everybody knows, so it proves nothing; whom a MoM serves is decided by the
 * address and the reserved port of the connection. It is checked because a server of
 * another make waits for the answer to it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_PORTTOKEN_H
#define LIB_AUTH_PORTTOKEN_H

#include "lib/base/diag.h"

#define PORT_TOKEN_MAX_BYTES 512
#define PORT_TOKEN_AGE_S     300

/* 'data' is the token's packet without its frame. 0, or PBSE_BADCRED with the words
 * that belong into the log. */
int port_token_check(const char *data, size_t len, unsigned port, int64_t now_at,
                     struct diag *why) MUST_CHECK;

#endif
