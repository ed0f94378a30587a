/* check_storm.h - the server does not ask a MoM the same again and again: what was
 * answered is not asked again at once, and what was refused is asked later.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_STORM_H
#define TEST_SIM_CHECK_STORM_H

#include "lib/wire/is.h"

#include <stdint.h>

struct mom_host;
struct said;

/* What a MoM was asked in this second. A zeroed one is empty. */
struct storms {
    int64_t second;
    struct said *said;
};

void storms_fini(struct storms *w);

/* The server's message has come to the host's MoM. */
void check_storm(struct mom_host *h, const struct is_message *msg);

#endif
