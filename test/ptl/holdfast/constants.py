# SPDX-License-Identifier: Apache-2.0
"""Object kinds, commands and operators, named as in PTL."""

SERVER, QUEUE, JOB, NODE, RESV, SCHED, VNODE, RSC = (
    "server", "queue", "job", "node", "resv", "sched", "vnode", "resource")

MGR_CMD_CREATE, MGR_CMD_DELETE, MGR_CMD_SET, MGR_CMD_UNSET, MGR_CMD_LIST = (
    "create", "delete", "set", "unset", "list")

EQ, NE, GT, GE, LT, LE, MATCH_RE, SET, UNSET = (
    "eq", "ne", "gt", "ge", "lt", "le", "match", "set", "unset")

INCR, DECR = "+=", "-="
