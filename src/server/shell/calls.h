/* calls.h - calls to clients that wait for the end of their job at a port (cli.md 3.9).
 *
 * A client may be away for a moment, and its name may take long to find out: calls are
 * made in threads, repeated for some minutes, and given up then. Nothing is kept for
 * the next start: a client that was not called asks the server itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_CALLS_H
#define SERVER_SHELL_CALLS_H

#include "lib/wire/job_ended.h"
#include "server/shell/shell.h"

/* No call waits at first; free drops those that do. */
struct calls *calls_new(struct shell *sh);
void calls_free(struct calls *all); /* NULL is fine */

/* Tell whoever listens at 'port' of 'host', which 'user' has named: other users' calls
 * do not wait for his. Everything is copied. */
void calls_make(struct calls *all, const char *user, const char *host, uint16_t port,
                const struct job_ended *e);

#endif
