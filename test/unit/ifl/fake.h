/* fake.h - a server in a thread of the test: it notes every request as one line and
 * answers what the test has laid out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_IFL_FAKE_H
#define TEST_UNIT_IFL_FAKE_H

#include "lib/wire/batch.h"

struct fake;

/* Make a PBS_HOME of its own with a listening ipc/server.sock, a listening TCP port on
 * the loopback, and set the environment so that libpbs finds them. */
struct fake *fake_start(void);
void fake_stop(struct fake *f); /* all of it is gone afterwards */

const char *fake_home(const struct fake *f);

/* Answers, given out in this order: one for each request but Connect (acknowledged) and
 * Disconnect (closed). Without one left the connection is closed. */
void fake_reply(struct fake *f, const struct wire_reply *reply);
/* One answer of several replies, a packet each. */
void fake_parts(struct fake *f, const struct wire_reply *parts, size_t n);
void fake_raw(struct fake *f, const char *bytes, size_t len); /* frames and all */
void fake_cut(struct fake *f, const char *bytes, size_t len); /* and close */
void fake_null(struct fake *f, int n_times);
void fake_silence(struct fake *f); /* no answer to this one */

/* Wait until 'n' requests were noted since the start, then the n-th (from 0): its line
 * of batch_dump_request(). */
const char *fake_request(struct fake *f, size_t n);
size_t fake_count(struct fake *f);

#endif
