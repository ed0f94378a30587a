/* asap.h - "pbs_rsub -W qmove=job": a reservation for a job that waits, as soon as
 * possible (reservations.md 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_PBS_RSUB_ASAP_H
#define CMDS_PBS_RSUB_ASAP_H

#include "include/pbs_ifl.h"

/* Look at the job and add to the request what it takes from it: resources that it does
 * not name itself. 0, or the exit code when the job is not known or does not wait; that
 * has been said. */
int rsub_asap_copy(const char *cmd, int conn, const char *job_id,
                   struct attropl **attrs);

#endif
