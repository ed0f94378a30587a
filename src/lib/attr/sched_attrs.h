/* sched_attrs.h - Schedulers: indexes of their attributes, in the order of replies.
 *
 * A row that only our own daemons keep is a line here and a line at the end of the
 * table in sched_attrs.c; a row that clients see is also a line in its ordered index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_SCHED_ATTRS_H
#define LIB_ATTR_SCHED_ATTRS_H

#include "lib/attr/row.h"

enum sched_attr {
    SCHED_A_SCHED_HOST,
    SCHED_A_SCHED_CYCLE_LENGTH,
    SCHED_A_DO_NOT_SPAN_PSETS,
    SCHED_A_ONLY_EXPLICIT_PSETS,
    SCHED_A_SCHED_PREEMPT_ENFORCE_RESUMPTION,
    SCHED_A_PREEMPT_TARGETS_ENABLE,
    SCHED_A_JOB_SORT_FORMULA_THRESHOLD,
    SCHED_A_THROUGHPUT_MODE,
    SCHED_A_JOB_RUN_WAIT,
    SCHED_A_OPT_BACKFILL_FUZZY,
    SCHED_A_PARTITION,
    SCHED_A_SCHED_PRIV,
    SCHED_A_SCHED_LOG,
    SCHED_A_SCHEDULING,
    SCHED_A_SCHEDULER_ITERATION,
    SCHED_A_SCHED_USER,
    SCHED_A_COMMENT,
    SCHED_A_STATE,
    SCHED_A_PREEMPT_QUEUE_PRIO,
    SCHED_A_PREEMPT_PRIO,
    SCHED_A_PREEMPT_ORDER,
    SCHED_A_PREEMPT_SORT,
    SCHED_A_LOG_EVENTS,
    SCHED_A_JOB_SORT_FORMULA,
    SCHED_A_SERVER_DYN_RES_ALARM,
    SCHED_A_ATTR_UPDATE_PERIOD,
    SCHED_A_COUNT
};

extern const struct attr_row sched_rows[SCHED_A_COUNT];

#endif
