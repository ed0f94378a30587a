/* log.c - names of the object classes in log lines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/log.h"

static const char *const names[LOG_CLASS_COUNT] = {
    [LOG_IN_NONE] = "n/a",    [LOG_IN_SERVER] = "Svr",  [LOG_IN_QUEUE] = "Que",
    [LOG_IN_JOB] = "Job",     [LOG_IN_REQUEST] = "Req", [LOG_IN_FILE] = "Fil",
    [LOG_IN_ACCT] = "Act",    [LOG_IN_NODE] = "Node",   [LOG_IN_RESV] = "Resv",
    [LOG_IN_SCHED] = "Sched", [LOG_IN_HOOK] = "Hook",   [LOG_IN_RESOURCE] = "Resc",
    [LOG_IN_TPP] = "TPP",
};

const char *log_class_name(uint32_t log_class)
{
    return log_class < LOG_CLASS_COUNT ? names[log_class] : names[LOG_IN_NONE];
}
