/* node_attrs.h - Vnodes: indexes of their attributes, in the order of replies.
 *
 * A row that only our own daemons keep is a line here and a line at the end of the
 * table in node_attrs.c; a row that clients see is also a line in its ordered index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_NODE_ATTRS_H
#define LIB_ATTR_NODE_ATTRS_H

#include "lib/attr/row.h"

enum node_attr {
    NODE_A_MOM,
    NODE_A_PORT,
    NODE_A_PBS_VERSION,
    NODE_A_NTYPE,
    NODE_A_STATE,
    NODE_A_PCPUS,
    NODE_A_PRIORITY,
    NODE_A_JOBS,
    NODE_A_MAX_RUNNING,
    NODE_A_MAX_USER_RUN,
    NODE_A_MAX_GROUP_RUN,
    NODE_A_NO_TASKS,
    NODE_A_PNAMES,
    NODE_A_RESV,
    NODE_A_RESOURCES_AVAILABLE,
    NODE_A_RESOURCES_ASSIGNED,
    NODE_A_QUEUE,
    NODE_A_COMMENT,
    NODE_A_RESV_ENABLE,
    NODE_A_NO_MULTINODE_JOBS,
    NODE_A_SHARING,
    NODE_A_PROVISION_ENABLE,
    NODE_A_CURRENT_AOE,
    NODE_A_IN_MULTIVNODE_HOST,
    NODE_A_MAINTENANCE_JOBS,
    NODE_A_LICENSE,
    NODE_A_LICENSE_INFO,
    NODE_A_TOPOLOGY_INFO,
    NODE_A_VNODE_POOL,
    NODE_A_POWER_PROVISIONING,
    NODE_A_CURRENT_EOE,
    NODE_A_PARTITION,
    NODE_A_POWEROFF_ELIGIBLE,
    NODE_A_LAST_STATE_CHANGE_TIME,
    NODE_A_LAST_USED_TIME,

    /* kept by our own daemons, never shown */
    NODE_A_HF_STATE,
    NODE_A_HF_UNKNOWN_AT,
    NODE_A_HF_MODTIME,
    NODE_A_HF_OWN_COMMENT,
    NODE_A_HF_FROM_MOM,
    NODE_A_HF_INDIRECT,
    NODE_A_COUNT
};

extern const struct attr_row node_rows[NODE_A_COUNT];

#endif
