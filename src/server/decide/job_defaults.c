/* job_defaults.c - see job_defaults.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_defaults.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/model/resource_request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Is it one of the names between commas? */
static bool is_noted(const char *names, const char *name)
{
    size_t len = strlen(name);

    while (*names) {
        size_t n = strcspn(names, ",");

        if (n == len && strncasecmp(names, name, len) == 0)
            return true;
        names += n + (names[n] == ',');
    }
    return false;
}

static bool is_default(const struct edit *job, const struct wire_attrs *asked,
                       const char *name)
{
    const char *value =
        wire_attrs_value(asked, job_rows[JOB_A_RESOURCE_LIST].name, name);
    const struct resources *before =
        job->o ? obj_resources(job->o, JOB_A_RESOURCE_LIST) : NULL;

    /* An empty value takes away what was asked for, and the default is back. */
    if (value)
        return *value == '\0';
    if (before && resources_find(before, name))
        return is_noted(obj_str(job->o, JOB_A_HF_DEFAULTS, ""), name);
    return true;
}

void job_defaults_note(struct edit *job, const struct wire_attrs *asked,
                       struct arena *arena)
{
    const struct attr_value *list = edit_value(job, JOB_A_RESOURCE_LIST);
    struct buf names = { 0 };

    for (size_t i = 0; list->set && i < list->u.res.n; i++) {
        const char *name = list->u.res.v[i].def->name;

        if (is_default(job, asked, name))
            buf_printf(&names, "%s%s", names.len ? "," : "", name);
    }
    if (names.len > 0)
        edit_set_str(job, JOB_A_HF_DEFAULTS, arena_strdup(arena, names.data));
    else
        edit_unset(job, JOB_A_HF_DEFAULTS, NULL);
    buf_fini(&names);
}

static void forget(struct edit *job, const char *names, struct arena *arena)
{
    while (*names) {
        size_t n = strcspn(names, ",");

        edit_unset(job, JOB_A_RESOURCE_LIST, arena_strndup(arena, names, n));
        names += n + (names[n] == ',');
    }
}

int job_defaults_renew(struct edit *job, const struct model *m, const struct queue *q,
                       struct arena *arena, struct diag *why)
{
    const char *names = edit_str(job, JOB_A_HF_DEFAULTS, "");
    const struct wire_attrs nothing = { 0 };
    struct attr_value *list = &job->v[JOB_A_RESOURCE_LIST];
    const char *schedselect;
    int err;

    /* Every job has some: without any it was made by a server that did not note them,
     * and its list stays as it is. */
    if (*names == '\0')
        return 0;
    forget(job, names, arena);
    MUST(job->touched[JOB_A_RESOURCE_LIST]); /* 'list' is the edit's copy */
    /* A job that has asked for nothing is left with an empty list, which is filled. */
    list->set = true;
    err =
        resource_request_complete(&list->u.res, m, q, false, arena, &schedselect, why);
    if (err)
        return err;
    edit_set_str(job, JOB_A_SCHEDSELECT, schedselect);
    job_defaults_note(job, &nothing, arena);
    return 0;
}

void job_checkpoint_in(struct edit *job, const struct queue *q, struct arena *arena)
{
    int64_t least = q ? obj_num(&q->obj, QUEUE_A_CHECKPOINT_MIN, 0) : 0;
    const char *text = edit_str(job, JOB_A_CHECKPOINT, "u");

    if (least <= 0 || (*text != 'c' && *text != 'w'))
        return;
    if (text[1] == '\0' || strtoll(text + 2, NULL, 10) < least)
        edit_set_str(job, JOB_A_CHECKPOINT,
                     arena_printf(arena, "%c=%" PRId64, *text, least));
}
