/* mom_link.h - the server's leaf on the router network: streams of IS messages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_MOM_LINK_H
#define SERVER_SHELL_MOM_LINK_H

#include "server/shell/shell.h"

/* Connecting goes on by itself. NULL, with a log line, when there is no router whose
 * name is known: the server works without MoMs then. */
struct mom_link *mom_link_new(struct shell *sh);
void mom_link_free(struct mom_link *ml);

/* On a stream that a MoM has opened. NULL link: nothing. */
void mom_link_send(struct mom_link *ml, uint64_t stream, const struct is_message *msg);
void mom_link_close(struct mom_link *ml, uint64_t stream);

#endif
