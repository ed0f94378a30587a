/* log.h - the words of a PBS log line: event bits and object classes (operations.md
 * 13).
 *
 * Cores only name them; lib/io/logfile.h writes lines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_LOG_H
#define LIB_BASE_LOG_H

#include <stdint.h>

/* A line is written when any of its bits is in the mask, or when it is forced. */
enum log_event {
    LOG_EV_ERROR = 0x0001,
    LOG_EV_SYSTEM = 0x0002,
    LOG_EV_ADMIN = 0x0004,
    LOG_EV_JOB = 0x0008,
    LOG_EV_JOB_USAGE = 0x0010,
    LOG_EV_SECURITY = 0x0020,
    LOG_EV_SCHED = 0x0040,
    LOG_EV_DEBUG = 0x0080,
    LOG_EV_DEBUG2 = 0x0100,
    LOG_EV_RESV = 0x0200,
    LOG_EV_DEBUG3 = 0x0400,
    LOG_EV_DEBUG4 = 0x0800,
    LOG_EV_DEBUGPRT = 0x1000,
    LOG_EV_FORCE = 0x8000, /* never filtered, never shown */
};

#define LOG_MASK_DEFAULT 0x1ffu /* server and MoM */
#define LOG_MASK_SCHED   0x2ffu /* scheduler */

/* The type field of a line. */
enum log_class {
    LOG_IN_NONE = 0,
    LOG_IN_SERVER = 1,
    LOG_IN_QUEUE = 2,
    LOG_IN_JOB = 3,
    LOG_IN_REQUEST = 4,
    LOG_IN_FILE = 5,
    LOG_IN_ACCT = 6,
    LOG_IN_NODE = 7,
    LOG_IN_RESV = 8,
    LOG_IN_SCHED = 9,
    LOG_IN_HOOK = 10,
    LOG_IN_RESOURCE = 11,
    LOG_IN_TPP = 12,
    LOG_CLASS_COUNT
};

/* "Svr", "Job"...; "n/a" for a number out of range. */
const char *log_class_name(uint32_t log_class);

#endif
