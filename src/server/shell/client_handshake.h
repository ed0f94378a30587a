/* client_handshake.h - the token handshakes of clients (wire.md 4.4), off the loop.
 *
 * Between the answer to Authenticate and the end of the handshakes a connection is
 * still a stranger's: it has a time limit, its packets go to handshake_packet(), and
 * nothing is served. Methods may block (munge asks its daemon), so tokens are looked at
 * in threads; meanwhile the connection is held and all others go on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_CLIENT_HANDSHAKE_H
#define SERVER_SHELL_CLIENT_HANDSHAKE_H

#include "lib/auth/auth.h"
#include "lib/auth/session.h"
#include "server/shell/client.h"

/* Begin, after the null reply. 'user' is whom a helper vouched for, NULL when 'method'
 * has to tell; 'host' is where it comes from, by name. PBSE_SYSTEM when a method gives
 * no context. */
int handshake_begin(struct client *c, const struct auth_plugin *method,
                    const struct auth_plugin *encrypt, const char *user,
                    const char *host, struct diag *why) MUST_CHECK;

/* The next packet of a client whose handshake is under way, given to a thread; one
 * that is not a token, or one too many, ends the connection. */
void handshake_packet(struct client *c, const struct packet *f);

/* The connection is going; also when there is no handshake. */
void handshake_abandon(struct client *c);

#endif
