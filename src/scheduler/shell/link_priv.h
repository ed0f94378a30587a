/* link_priv.h - a link from the inside, for link.c and link_open.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_LINK_PRIV_H
#define SCHEDULER_SHELL_LINK_PRIV_H

#include "lib/auth/session.h"
#include "lib/wire/packet.h"
#include "scheduler/shell/link.h"

struct link {
    int fd;
    bool broken;
    int64_t timeout_ms; /* how long an answer may take */
    char *user;
    struct auth_session *session; /* encrypts; NULL: in the clear */
    struct buf in;
    size_t read_bytes; /* of the packet at the front of 'in' that was read last */
    struct buf out;
    struct buf plain; /* the decrypted payload of that packet */
};

/* Wait until 'fd' is ready for POLLIN or POLLOUT. 0: it is; PBSE_SYSTEM otherwise, also
 * when a signal asks the daemon to end. deadline_ms by clock_mono_ms(), < 0: none. */
int link_wait(int fd, short what, int64_t deadline_ms, bool *timed_out,
              struct diag *why) MUST_CHECK;

/* The next whole packet, as it came; it is there until the next one is read. */
int link_read_packet(struct link *l, int64_t deadline_ms, bool *timed_out,
                     struct packet *ret, struct diag *why) MUST_CHECK;

/* Send a packet as it is. */
int link_write_packet(struct link *l, uint8_t type, const void *data, size_t len,
                      struct diag *why) MUST_CHECK;

#endif
