/* resv_number.h - the numbers of a reservation's state and substate on the wire
 * (reservations.md 3.1). Programs that use libpbs find the same in pbs_ifl.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_RESV_NUMBER_H
#define LIB_ATTR_RESV_NUMBER_H

enum resv_state {
    RESV_NONE = 0,
    RESV_UNCONFIRMED = 1,
    RESV_CONFIRMED = 2,
    RESV_WAIT = 3,
    RESV_TIME_TO_RUN = 4,
    RESV_RUNNING = 5,
    RESV_FINISHED = 6,
    RESV_BEING_DELETED = 7,
    RESV_DELETED = 8,
    RESV_DELETING_JOBS = 9,
    RESV_DEGRADED = 10,
    RESV_BEING_ALTERED = 11,
    RESV_IN_CONFLICT = 12,
    RESV_STATE_COUNT,
};

/* The reserve_start of a reservation whose start the scheduler chooses. */
#define RESV_START_OPEN 1893488460

#endif
