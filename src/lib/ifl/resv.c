/* resv.c - calls about reservations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>

char *ifl_submit_resv(int c, struct attropl *attribs, const char *extend)
{
    struct body_queue body = { .id = "", .destination = "" };
    char *text;

    if (ifl_verify(c, BATCH_SUBMIT_RESV, MGR_OBJ_RESV, (const void *)attribs) ||
        ifl_attrs(c, attribs, true, &body.attrs))
        return NULL;
    /* The answer is a text for people, "R1.svr UNCONFIRMED": the id is its first word
     * (wire.md 15.2). */
    text = ifl_ask_text(c, BATCH_SUBMIT_RESV, &body, extend, REPLY_TEXT);
    free(body.attrs.v);
    return text;
}

char *ifl_modify_resv(int c, const char *id, struct attropl *attribs,
                      const char *extend)
{
    struct body_modify_resv body = { .object_type = OBJECT_RESV, .resv_id = id };
    char *text;

    if (!ifl_has_id(c, id) ||
        ifl_verify(c, BATCH_MODIFY_RESV, MGR_OBJ_RESV, (const void *)attribs) ||
        ifl_attrs(c, attribs, false, &body.attrs))
        return NULL;
    text = ifl_ask_text(c, BATCH_MODIFY_RESV, &body, extend, REPLY_TEXT);
    free(body.attrs.v);
    return text;
}

/* The object type of a job is what PBS's clients send with this request (wire.md 7). */
int ifl_delresv(int c, const char *id, const char *extend)
{
    const struct body_manage body = { .command = MGR_CMD_DELETE,
                                      .object_type = OBJECT_JOB,
                                      .object_name = id };

    return ifl_has_id(c, id) ? ifl_do(c, BATCH_DELETE_RESV, &body, extend) : pbs_errno;
}

int ifl_confirmresv(int c, const char *id, const char *vnodes, unsigned long start,
                    const char *extend)
{
    const struct body_run body = { .object_id = id,
                                   .vnodes = vnodes,
                                   .argument = start };

    return ifl_has_id(c, id) ? ifl_do(c, BATCH_CONFIRM_RESV, &body, extend) : pbs_errno;
}
