/* hook_show.c - StatusHook: the hooks of the site, or the shipped ones (wire.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/config.h"
#include "server/model/hook_event.h"
#include "server/requests/handlers.h"
#include "server/requests/hook_edit.h"
#include "server/requests/show.h"

#include <string.h>

static bool is_pbs(const struct object *o)
{
    return strcmp(obj_str(o, HOOK_A_TYPE, HOOK_SITE), HOOK_PBS) == 0;
}

bool show_hook(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out)
{
    const char *event = obj_str(o, HOOK_A_EVENT, "");

    (void)m;
    switch (attr) {
    case HOOK_A_HOOK_NAME:
        /* Returning true says that the value has been dealt with; false shows the
         * stored one. */
        return true; /* is the object's name */
    case HOOK_A_EVENT:
        show_text(rq, o, attr, *event ? event : "\"\"", out);
        return true;
    case HOOK_A_FREQ:
        return !(hook_events_of(event) & (HOOK_PERIODIC | HOOK_EXECHOST_PERIODIC));
    default:
        return false;
    }
}

static int refuse(struct decision *out, const char *name, const char *words)
{
    return diag_set(&out->why, PBSE_HOOKERROR, "%s %s", name, words);
}

int handle_status_hook(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    const struct body_status *body = rq->body;
    bool all = *body->id == '\0' || *body->id == '@';
    bool pbs = str_same(rq->wire->extend, "pbshook");
    uint32_t type = pbs ? OBJECT_PBS_HOOK : OBJECT_HOOK;
    const struct object *one = all ? NULL : model_find(m, OBJ_HOOK, body->id);
    struct asked asked;
    int err;

    /* A hook runs as root. Its text and its very existence are for those who could
     * change it, and for schedulers. */
    if (!rq->who->server_uid && !rq->who->scheduler)
        return diag_set(&out->why, PBSE_HOOKERROR,
                        "%s is unauthorized to access hooks data from server %s",
                        rq->actor, rq->cfg->server_name);
    if (!all && !one)
        return refuse(out, body->id, "does not exist!");
    /* Shipped hooks and hooks of the site are two kinds to a client, although they
     * share their names. */
    if (one && is_pbs(one) != pbs)
        return refuse(out, body->id, pbs ? "not of 'pbs' type" : "not of 'site' type");
    err = asked_parse(&body->wanted, OBJ_HOOK, rq->arena, &asked, &out->why);
    if (err)
        return err;
    MUST(out->reply.objects.n == 0); /* the reply has hooks and nothing else */
    out->reply.choice = REPLY_STATUS;
    MODEL_EACH (m, OBJ_HOOK, o) {
        if (one ? o == one : is_pbs(o) == pbs)
            show_object(m, rq, o, type, &asked, out);
    }
    return 0;
}
