/* stored_text.c - see stored_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/stored_text.h"

#include "lib/attr/job_attrs.h"
#include "server/model/job_checkpoint.h"
#include "server/model/job_phase.h"
#include "server/model/job_suspend.h"
#include "server/model/waiters.h"

#include <string.h>

/* "+queue@server,-queue@server". */
static bool is_route_said(const char *text, struct arena *arena UNUSED)
{
    for (;;) {
        size_t len = strcspn(text, ",");

        if (len < 2 || (*text != '+' && *text != '-'))
            return false;
        text += len;
        if (!*text++)
            return true;
    }
}

static bool is_waiters(const char *text, struct arena *arena)
{
    struct waiters list;

    return waiters_read(text, false, arena, &list) && list.n > 0;
}

static bool is_news(const char *text, struct arena *arena)
{
    struct waiters list;

    return waiters_read(text, true, arena, &list) && list.n > 0;
}

/* What a job waits for itself; the other sides are not stored. */
static bool is_depend(const char *text, struct arena *arena)
{
    struct depend_list list;

    if (!depend_parse(text, arena, &list))
        return false;
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i].type >= DEPEND_BEFORE && list.v[i].type <= DEPEND_BEFOREANY)
            return false;
    return true;
}

static bool is_aways(const char *text, struct arena *arena)
{
    struct aways list;

    return aways_read(text, arena, &list);
}

static bool is_suspension(const char *text, struct arena *arena UNUSED)
{
    return suspend_manner_named(text) != SUSPEND_NOT;
}

static bool is_checkpoint(const char *text, struct arena *arena UNUSED)
{
    return checkpoint_reason_named(text) != CHECKPOINT_NOT;
}

/* The first part stays with every release. */
static bool is_release(const char *text, struct arena *arena UNUSED)
{
    return text[0] == '+' && !text[strspn(text, "+-")];
}

static const struct {
    int attr;
    bool (*is_good)(const char *text, struct arena *arena);
} rows[] = {
    { JOB_A_DEPEND, is_depend },         { JOB_A_HF_ROUTE_SAID, is_route_said },
    { JOB_A_HF_WAITERS, is_waiters },    { JOB_A_HF_VERIFY, is_waiters },
    { JOB_A_HF_WAITERS_NEWS, is_news },  { JOB_A_HF_VERIFY_NEWS, is_news },
    { JOB_A_HF_SUSPEND, is_suspension }, { JOB_A_HF_CHECKPOINT, is_checkpoint },
    { JOB_A_HF_RELEASE, is_release },    { JOB_A_HF_TELL_UNTIL, is_aways },
};

bool stored_text_is_good(enum obj_kind kind, int attr, const char *text,
                         struct arena *arena)
{
    for (size_t i = 0; kind == OBJ_JOB && i < ARRAY_LEN(rows); i++)
        if (rows[i].attr == attr)
            return rows[i].is_good(text, arena);
    return true;
}

/* A routing queue that has sent it will note the place in a list with commas. */
static bool goes_somewhere(const struct job *job)
{
    const char *to = obj_str(&job->obj, JOB_A_HF_MOVE_TO, "");
    const char *at = strchr(to, '@');

    return at && at[1] &&
           !(obj_num(&job->obj, JOB_A_HF_ROUTE_SENT, 0) && strchr(to, ','));
}

bool stored_job_is_whole(const struct job *job)
{
    if (job_is_leaving(job))
        return goes_somewhere(job);
    return !job_is_suspended(job) || job_suspend_manner(job) != SUSPEND_NOT;
}
