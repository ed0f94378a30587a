/* resv_act.c - ResvAct: what PBS's own requests about reservations cannot say
 * (doc/extensions.md).
 *
 * A server of another make may end the connection at a number that it does not know, so
 * who asks has looked into holdfast_extensions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)HOLDFAST_SUBMIT == RESV_ACT_SUBMIT, "submit");
_Static_assert((int)HOLDFAST_ALTER == RESV_ACT_ALTER, "alter");
_Static_assert((int)HOLDFAST_DELETE == RESV_ACT_DELETE, "delete");
_Static_assert((int)HOLDFAST_STATUS == RESV_ACT_STATUS, "status");
_Static_assert((int)HOLDFAST_DRY_RUN == RESV_ACT_DRY_RUN, "dry run");
_Static_assert((int)HOLDFAST_PUSH == RESV_ACT_PUSH, "push");
_Static_assert((int)HOLDFAST_RELEASE == RESV_ACT_RELEASE, "release");
_Static_assert((int)HOLDFAST_FORCE == RESV_ACT_FORCE, "force");
_Static_assert((int)HOLDFAST_FROM == RESV_ACT_FROM, "from");

/* The request whose rules the attributes follow. */
static uint32_t ordinary(unsigned what)
{
    switch (what) {
    case HOLDFAST_SUBMIT:
        return BATCH_SUBMIT_RESV;
    case HOLDFAST_ALTER:
        return BATCH_MODIFY_RESV;
    default:
        return BATCH_STATUS_RESV;
    }
}

/* ret->attrs.v is for free(). */
static bool body_of(int c, const struct holdfast_act *act, struct body_resv_act *ret)
{
    *ret = (struct body_resv_act){
        .what = act->what,
        .flags = act->flags,
        .occurrence = act->occurrence,
        .id = act->id ? act->id : "",
    };
    if (act->what != HOLDFAST_SUBMIT && !ifl_has_id(c, act->id))
        return false;
    return !ifl_verify(c, ordinary(act->what), MGR_OBJ_RESV,
                       (const void *)act->attribs) &&
           !ifl_attrs(c, act->attribs, act->what == HOLDFAST_SUBMIT, &ret->attrs);
}

char *holdfast_resv_act(int c, const struct holdfast_act *act)
{
    struct ifl_answer answer;
    struct body_resv_act body;
    char *text = NULL;

    if (!body_of(c, act, &body))
        return NULL;
    if (ifl_ask(c, BATCH_RESV_ACT, &body, NULL, &answer) == 0) {
        if (answer.reply.choice != REPLY_TEXT && answer.reply.choice != REPLY_NULL)
            ifl_set_error(c, PBSE_PROTOCOL, NULL);
        else if (!(text = strdup(answer.reply.text ? answer.reply.text : "")))
            ifl_set_error(c, PBSE_SYSTEM, NULL);
    }
    ifl_answer_fini(&answer);
    free(body.attrs.v);
    return text;
}

struct batch_status *holdfast_resv_look(int c, const struct holdfast_act *act)
{
    struct batch_status *list = NULL;
    struct body_resv_act body;

    if (!body_of(c, act, &body))
        return NULL;
    list = ifl_ask_status(c, BATCH_RESV_ACT, &body, NULL);
    free(body.attrs.v);
    return list;
}
