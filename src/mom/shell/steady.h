/* steady.h - the clock that MoMs of one boot of the host share (clock_steady()).
 *
 * Records of jobs say since when a job runs. A MoM that is started anew reads them, so
 * it counts from the instant from which the one before it did, whatever was done to the
 * host's clock meanwhile: mom_priv/boot has it. After another boot of the host no job
 * of a record runs any more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_STEADY_H
#define MOM_SHELL_STEADY_H

#include "lib/base/diag.h"

/* Before the first clock_steady(). PBSE_SYSTEM with words when the next MoM cannot be
 * told; this one has a clock in any case. */
int steady_begin(const char *home, struct diag *why) MUST_CHECK;

#endif
