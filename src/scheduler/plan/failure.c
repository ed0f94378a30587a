/* failure.c - what each failure is called in comments and logs (scheduling.md 12).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan.h"

/* clang-format off */
static const struct failure_row {
    const char *comment;
    const char *log;     /* NULL: the same */
    const char *of_resv; /* of a reservation, when that is called otherwise */
    bool resource;       /* the name of the resource, and numbers, follow */
    const char *tail;    /* after the name; NULL: the numbers */
    const char *log_tail;
    bool own_words; /* in the place of resource (comment) and numbers (log) */
    bool early;          /* of jobs that are not considered in the first place */
} rows[N_FAILURES] = {
    [FAIL_NONE]            = { .comment = "" },
    [FAIL_QUEUE_STOPPED]   = { .comment = "Queue not started.",
                               .log = "Queue not started", .early = true },
    [FAIL_DEDICATED]       = { .comment = "Dedicated time conflict",
                               .log = "Dedicated Time", .early = true },
    [FAIL_CROSSES_DEDICATED] = { .comment = "Job would cross dedicated time boundary",
                               .log = "Job would not finish before dedicated time" },
    [FAIL_NONPRIME_ONLY]   = { .comment = "Job will run in nonprimetime only",
                               .log = "Job only runs in nonprimetime", .early = true },
    [FAIL_NO_VNODES]       = { .comment = "No available resources on nodes" },
    [FAIL_IN_USE]          = { .comment = "Job is requesting an exclusive node and node is in use",
                               .of_resv = "Reservation is requesting an exclusive node and node is in use" },
    [FAIL_SHORT]           = { .comment = "Insufficient amount of resource: ", .resource = true },
    [FAIL_VNODE_LIMIT]     = { .comment = "Node has reached job run limit" },
    [FAIL_VNODE_USER_LIMIT] = { .comment = "Node has reached user run limit" },
    [FAIL_VNODE_GROUP_LIMIT] = { .comment = "Node has reached group run limit" },
    [FAIL_LIMIT]           = { .comment = "", .own_words = true },
    [FAIL_QUEUE_SHORT]     = { .comment = "Insufficient amount of queue resource: ",
                               .resource = true },
    [FAIL_SERVER_SHORT]    = { .comment = "Insufficient amount of server resource: ",
                               .resource = true },
    [FAIL_CONFLICT]        = { .comment = "Job would conflict with reservation or top job" },
    [FAIL_NOT_FOR_RESV]    = { .comment = "Node not eligible for advance reservation" },
    [FAIL_SET_BUSY]        = { .comment = "Placement set ", .resource = true,
                               .tail = "has too few free resources",
                               .log_tail = "has too few free resources or is too small" },
    [FAIL_SETS_TOO_SMALL]  = { .comment = "can't fit in the largest placement set, and can't span psets",
                               .log = "Can't fit in the largest placement set, and can't span placement sets" },
    [FAIL_FEW_FREE_VNODES] = { .comment = "Not enough free nodes available" },
    [FAIL_FEW_VNODES]      = { .comment = "Not enough total nodes available" },
    [FAIL_FORMULA]         = { .comment = "Job is under job_sort_formula threshold value",
                               .early = true },
    [FAIL_STRICT]          = { .comment = "Job would break strict sorted order",
                               .early = true },
    [FAIL_SUBJOB_LIMIT]    = { .comment = "Number of concurrent running subjobs limit reached" },
    [FAIL_JOB_SELECT]      = { .comment = "Invalid Job/Resv select", .early = true },
    [FAIL_RESV_STATE]      = { .comment = "Reservation is in an invalid state" },
    [FAIL_RESV_UNREADABLE] = { .comment = "Reservation is invalid" },
    [FAIL_RESV_STANDING]   = { .comment = "Error unrolling standing reservation." },
    [FAIL_RESV_TIMES]      = { .comment = "Reservation would end before it starts" },
    [FAIL_RESV_JOBS]       = { .comment = "Reservation has running jobs in it" },
};
/* clang-format on */

static const char *with_resource(const struct failure_row *row, struct arena *arena,
                                 const char *text, const char *resource,
                                 const char *numbers)
{
    if (row->own_words)
        return resource;
    if (!row->resource)
        return text;
    return arena_printf(arena, "%s%s %s", text, resource ? resource : "",
                        numbers ? numbers : "");
}

const char *failure_comment(struct arena *arena, enum plan_failure failure,
                            const char *resource, const char *numbers)
{
    const struct failure_row *row = &rows[failure];

    MUST(failure < N_FAILURES && row->comment);
    return with_resource(row, arena, row->comment, resource,
                         row->tail ? row->tail : numbers);
}

const char *failure_log(struct arena *arena, enum plan_failure failure,
                        enum asker asker, const char *resource, const char *numbers)
{
    const struct failure_row *row = &rows[failure];
    const char *text = row->log ? row->log : row->comment;

    MUST(failure < N_FAILURES && text);
    if (asker == ASKER_RESV && row->of_resv)
        text = row->of_resv;
    if (row->own_words)
        return numbers;
    return with_resource(row, arena, text, resource,
                         row->log_tail ? row->log_tail : numbers);
}

bool failure_is_early(enum plan_failure failure)
{
    return rows[failure].early;
}
