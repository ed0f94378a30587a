/* job_letter.c - see job_letter.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_letter.h"

#include "lib/attr/job_attrs.h"

#include <string.h>

bool job_wants_letter(const struct object *job, enum letter_point point)
{
    const char *points = obj_str(job, JOB_A_MAIL_POINTS, "a");

    /* An array may have ten thousand subjobs. */
    if (obj_is_set(job, JOB_A_ARRAY_ID) && !strchr(points, 'j'))
        return false;
    return point == LETTER_ALWAYS ||
           (!strchr(points, 'n') && strchr(points, (char)point) != NULL);
}

/* To Mail_Users, else to the owner. */
static const char *recipients(const struct object *job, struct arena *arena)
{
    if (!obj_is_set(job, JOB_A_MAIL_USERS))
        return arena_strdup(arena, obj_str(job, JOB_A_JOB_OWNER, ""));
    return attr_value_text(job_rows[JOB_A_MAIL_USERS].type,
                           obj_attr(job, JOB_A_MAIL_USERS), arena);
}

void job_letter(struct effects *out, uint64_t seq, const struct object *job,
                const char *text)
{
    struct effect *e = effect_add(out, EFFECT_MAIL, seq);

    MUST(job->kind == OBJ_JOB);
    e->u.mail.to = recipients(job, out->arena);
    e->u.mail.to_owner = !obj_is_set(job, JOB_A_MAIL_USERS);
    e->u.mail.subject = arena_printf(out->arena, "PBS JOB %s", job->id);
    e->u.mail.text = arena_printf(out->arena,
                                  "PBS Job Id: %s\n"
                                  "Job Name:   %s\n"
                                  "%s",
                                  job->id, obj_str(job, JOB_A_JOB_NAME, ""), text);
}
