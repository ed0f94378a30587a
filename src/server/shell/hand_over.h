/* hand_over.h - the conversation in which another server gets a job (wire.md 14).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_HAND_OVER_H
#define SERVER_SHELL_HAND_OVER_H

#include "server/decide/need.h"

/* Where the server of a destination ("queue@host") listens: the port that 'servers'
 * (PBS_IFF_SERVERS) has for it, else 'dflt'. */
unsigned hand_over_port(const char *servers, const char *destination, unsigned dflt);

#define HAND_OVER_MS 20000

/* Send the requests of a NEED_TRANSFER, or that of a NEED_TOLD, to its server, one
 * after the other, and fill in an empty finding. From a reserved port where this
 * process may have one. For a thread: it takes HAND_OVER_MS at most. 'port' is where
 * servers listen that name none. */
void hand_over(const struct need *need, unsigned port, struct arena *arena,
               struct finding *ret);

#endif
