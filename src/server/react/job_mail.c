/* job_mail.c - mail about jobs that the server ends itself (operations.md 18).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

#include "lib/attr/job_attrs.h"

#include <string.h>

/* Unset points mean mail at an abort, and nothing else. */
static bool is_wanted(const struct object *o, char point)
{
    const char *points = obj_str(o, JOB_A_MAIL_POINTS, "a");

    return !strchr(points, 'n') && strchr(points, point);
}

static const char *recipients(const struct object *o, struct arena *arena)
{
    if (!obj_is_set(o, JOB_A_MAIL_USERS))
        return arena_strdup(arena, obj_str(o, JOB_A_JOB_OWNER, ""));
    return attr_value_text(job_rows[JOB_A_MAIL_USERS].type,
                           obj_attr(o, JOB_A_MAIL_USERS), arena);
}

/* Who deletes a job is told of elsewhere: the server ends this one by itself. */
void mail_job_killed(const struct reaction *r)
{
    struct arena *arena = r->out->arena;
    struct effect *e;

    if ((r->rec->reason != REASON_SHUTDOWN && r->rec->reason != REASON_OVER &&
         r->rec->reason != REASON_DEPENDENCY) ||
        !is_wanted(r->o, 'a'))
        return;
    e = effect_add(r->out, EFFECT_MAIL, r->rec->seq);
    e->u.mail.to = recipients(r->o, arena);
    e->u.mail.subject = arena_printf(arena, "PBS JOB %s", r->rec->id);
    e->u.mail.text = arena_printf(arena,
                                  "PBS Job Id: %s\n"
                                  "Job Name:   %s\n"
                                  "Aborted by PBS Server \n"
                                  "%s\n",
                                  r->rec->id, obj_str(r->o, JOB_A_JOB_NAME, ""),
                                  record_words(r->rec));
}
