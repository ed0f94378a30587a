/* monitor.h - who asks the MoM about its host over the router network, and what a host
 * that may command it wants (tpp.md 9).
 *
 * Questions are answered in threads, since a file system, a command of the
 * configuration or the name service may hang; answers leave a stream in the order of
 * its questions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_MONITOR_H
#define MOM_SHELL_MONITOR_H

#include "mom/shell/shell.h"

/* A message of protocol 1. Who may not ask has the stream closed, and the log says so.
 */
void monitor_take(struct shell *s, uint64_t stream, const struct tpp_addr *peer,
                  const char *data, size_t len);

/* Who has asked on that stream has gone. */
void monitor_stream_closed(struct shell *s, uint64_t stream);

/* What is not answered yet never is. */
void monitor_close(struct shell *s);

#endif
