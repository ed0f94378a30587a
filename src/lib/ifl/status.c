/* status.c - asking about objects, and selecting jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

struct batch_status *ifl_ask_status(int c, uint32_t number, const void *body,
                                    const char *extend)
{
    struct batch_status *list = NULL;
    struct ifl_answer answer;

    if (ifl_ask(c, number, body, extend, &answer) == 0) {
        if (answer.reply.choice != REPLY_STATUS)
            ifl_set_error(c, PBSE_PROTOCOL, NULL);
        list = answer.list;
        answer.list = NULL;
    }
    ifl_answer_fini(&answer);
    return list;
}

static struct batch_status *status(int c, uint32_t number, int object, const char *id,
                                   const struct attrl *wanted, const char *extend)
{
    struct body_status body = { .id = id ? id : "" };
    struct batch_status *list;

    /* Names of attributes are looked at before anything travels (wire.md 15.3). */
    if (ifl_verify(c, number, object, wanted) || ifl_wanted(c, wanted, &body.wanted))
        return NULL;
    list = ifl_ask_status(c, number, &body, extend);
    free(body.wanted.v);
    return list;
}

/* A subjob or a range is answered as it was asked for. */
static bool wants_subjobs(const char *id, const char *extend)
{
    const char *bracket = id ? strchr(id, '[') : NULL;

    return extend && strchr(extend, 't') && (!bracket || bracket[1] == ']');
}

struct batch_status *ifl_statjob(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    struct batch_status *list =
        status(c, BATCH_STATUS_JOB, MGR_OBJ_JOB, id, wanted, extend);
    int err = list && wants_subjobs(id, extend) ? ifl_fill_subjobs(list) : 0;

    if (!err)
        return list;
    ifl_set_error(c, err, NULL);
    ifl_statfree(list);
    return NULL;
}

struct batch_status *ifl_statque(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    return status(c, BATCH_STATUS_QUEUE, MGR_OBJ_QUEUE, id, wanted, extend);
}

struct batch_status *ifl_statserver(int c, struct attrl *wanted, const char *extend)
{
    return status(c, BATCH_STATUS_SERVER, MGR_OBJ_SERVER, "", wanted, extend);
}

struct batch_status *ifl_statsched(int c, struct attrl *wanted, const char *extend)
{
    return status(c, BATCH_STATUS_SCHED, MGR_OBJ_SCHED, "", wanted, extend);
}

struct batch_status *ifl_statvnode(int c, const char *id, struct attrl *wanted,
                                   const char *extend)
{
    return status(c, BATCH_STATUS_NODE, MGR_OBJ_NODE, id, wanted, extend);
}

struct batch_status *ifl_statresv(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    return status(c, BATCH_STATUS_RESV, MGR_OBJ_RESV, id, wanted, extend);
}

struct batch_status *ifl_statrsc(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    return status(c, BATCH_STATUS_RESOURCE, MGR_OBJ_RSC, id, wanted, extend);
}

struct batch_status *ifl_stathook(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    int object = MGR_OBJ_SITE_HOOK;

    /* The extension says which of the two kinds is meant, and goes to the server as it
     * is; any other word is refused here (wire.md 15.2). */
    if (extend && strcmp(extend, PBS_HOOK) == 0) {
        object = MGR_OBJ_PBS_HOOK;
    } else if (extend && strcmp(extend, SITE_HOOK) != 0) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
        return NULL;
    }
    return status(c, BATCH_STATUS_HOOK, object, id, wanted, extend);
}

struct batch_status *holdfast_why(int c, const char *id)
{
    const struct body_id body = { .id = id };

    /* A server of another make may end the connection at a number that it does not
     * know, so who asks has looked into holdfast_extensions. */
    return ifl_has_id(c, id) ? ifl_ask_status(c, BATCH_RESV_WHY, &body, NULL) : NULL;
}

/* To be ended with free() of both lists. */
static bool body_select(int c, uint32_t number, const struct attropl *criteria,
                        const struct attrl *wanted, struct body_select *ret)
{
    *ret = (struct body_select){ 0 };
    return !ifl_verify(c, number, MGR_OBJ_JOB, (const void *)criteria) &&
           !ifl_verify(c, BATCH_STATUS_JOB, MGR_OBJ_JOB, wanted) &&
           !ifl_attrs(c, criteria, false, &ret->criteria) &&
           !ifl_wanted(c, wanted, &ret->wanted);
}

static void body_select_fini(struct body_select *body)
{
    free(body->criteria.v);
    free(body->wanted.v);
}

struct batch_status *ifl_selstat(int c, struct attropl *criteria, struct attrl *wanted,
                                 const char *extend)
{
    struct batch_status *list = NULL;
    struct body_select body;

    if (body_select(c, BATCH_SELECT_STATUS, criteria, wanted, &body))
        list = ifl_ask_status(c, BATCH_SELECT_STATUS, &body, extend);
    body_select_fini(&body);
    return list;
}

/* One allocation for the array and one for each id: PBS's programs free them so. */
static char **id_array(int c, const struct wire_strings *ids)
{
    char **v = calloc(ids->n + 1, sizeof(*v));
    size_t i;

    for (i = 0; v && i < ids->n; i++)
        if (!(v[i] = strdup(ids->v[i])))
            break;
    if (v && i == ids->n)
        return v;
    while (v && i > 0)
        free(v[--i]);
    free(v);
    ifl_set_error(c, PBSE_SYSTEM, NULL);
    return NULL;
}

char **ifl_selectjob(int c, struct attropl *criteria, const char *extend)
{
    struct ifl_answer answer = { 0 };
    struct body_select body;
    char **ids = NULL;

    if (body_select(c, BATCH_SELECT_JOBS, criteria, NULL, &body) &&
        ifl_ask(c, BATCH_SELECT_JOBS, &body, extend, &answer) == 0) {
        if (answer.reply.choice == REPLY_SELECT)
            ids = id_array(c, &answer.reply.ids);
        else
            ifl_set_error(c, PBSE_PROTOCOL, NULL);
    }
    ifl_answer_fini(&answer);
    body_select_fini(&body);
    return ids;
}
