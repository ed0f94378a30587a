/* resv_attrs.h - Reservations: pbs_rsub, pbs_rstat, pbs_ralter: indexes of their
 * attributes, in the order of replies.
 *
 * A row that only our own daemons keep is a line here and a line at the end of the
 * table in resv_attrs.c; a row that clients see is also a line in its ordered index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_RESV_ATTRS_H
#define LIB_ATTR_RESV_ATTRS_H

#include "lib/attr/row.h"

enum resv_attr {
    RESV_A_RESERVE_NAME,
    RESV_A_RESERVE_OWNER,
    RESV_A_RESERVE_STATE,
    RESV_A_RESERVE_SUBSTATE,
    RESV_A_RESERVATION_TAG,
    RESV_A_RESERVE_ID,
    RESV_A_RESERVE_START,
    RESV_A_RESERVE_END,
    RESV_A_RESERVE_DURATION,
    RESV_A_QUEUE,
    RESV_A_RESOURCE_LIST,
    RESV_A_SCHEDSELECT,
    RESV_A_RESOURCES_USED,
    RESV_A_RESV_NODES,
    RESV_A_USER_LIST,
    RESV_A_GROUP_LIST,
    RESV_A_AUTHORIZED_USERS,
    RESV_A_AUTHORIZED_GROUPS,
    RESV_A_AUTHORIZED_HOSTS,
    RESV_A_SERVER,
    RESV_A_ACCOUNT_NAME,
    RESV_A_CTIME,
    RESV_A_MAIL_POINTS,
    RESV_A_MAIL_USERS,
    RESV_A_MTIME,
    RESV_A_HASHNAME,
    RESV_A_HOP_COUNT,
    RESV_A_PRIORITY,
    RESV_A_INTERACTIVE,
    RESV_A_VARIABLE_LIST,
    RESV_A_EUSER,
    RESV_A_EGROUP,
    RESV_A_QMOVE,
    RESV_A_RESERVE_STANDING,
    RESV_A_RESERVE_RRULE,
    RESV_A_RESERVE_INDEX,
    RESV_A_RESERVE_COUNT,
    RESV_A_RESERVE_EXECVNODES,
    RESV_A_RESERVE_TIMEZONE,
    RESV_A_RESERVE_RETRY,
    RESV_A_DELETE_IDLE_TIME,
    RESV_A_RESERVE_JOB,
    RESV_A_SCHEDSELECT_ORIG,
    RESV_A_SUBMIT_HOST,
    RESV_A_CREDENTIAL_ID,
    RESV_A_NODE_SET,
    RESV_A_PARTITION,
    RESV_A_RESERVE_ALTER_REVERT,
    RESV_A_RESERVE_STANDING_REVERT,

    /* kept by our own daemons, never shown */
    RESV_A_HF_ASKED_AT,
    RESV_A_HF_QUESTION,
    RESV_A_HF_BEGUN_AT,
    RESV_A_HF_ASKED,
    RESV_A_HF_ANSWERED,
    RESV_A_HF_IDLE_AT,
    RESV_A_COUNT
};

extern const struct attr_row resv_rows[RESV_A_COUNT];

#endif
