/* clients.h - connections of clients and schedulers: requests in, replies out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_CLIENTS_H
#define SERVER_SHELL_CLIENTS_H

#include "server/shell/shell.h"

/* Listen on the batch port and on the local socket. PBSE_SYSTEM with words. */
int clients_new(struct shell *sh, struct clients **ret, struct diag *why) MUST_CHECK;
void clients_free(struct clients *cs);

/* Accept no more; connections go on. */
void clients_stop_listening(struct clients *cs);

/* Effects of the core. A connection that is gone by now is passed over. */
void clients_reply(struct clients *cs, uint64_t conn, const struct wire_reply *reply);
/* The store is lost: no reply, but a refusal that says so; 'reads_only': to a question.
 */
void clients_give_up(struct clients *cs, uint64_t conn, bool reads_only);
void clients_listing(struct clients *cs, uint64_t conn);
void clients_close(struct clients *cs, uint64_t conn);
void clients_sched_command(struct clients *cs, uint64_t conn, int32_t command,
                           const char *job_id);

/* Something that was decided has left, so that who had too much of that may go on. */
void clients_eased(struct clients *cs);

/* At the end of a turn: connections for which too much memory is held are closed. */
void clients_end_turn(struct clients *cs);

/* Bytes that clients have not taken yet. */
bool clients_have_unsent(const struct clients *cs);

#endif
