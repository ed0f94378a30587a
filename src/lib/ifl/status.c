/* status.c - asking about objects, and selecting jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

/* What a status reply says; NULL with pbs_errno 0 when there is nothing. */
static struct batch_status *ask(int c, uint32_t number, const void *body,
                                const char *extend, struct arena *arena)
{
    struct batch_status *list = NULL;
    struct wire_reply reply = { 0 };
    int err = ifl_ask(c, number, body, extend, arena, &reply);

    if (!err && reply.choice != REPLY_STATUS)
        err = ifl_set_error(c, PBSE_PROTOCOL, NULL);
    if (!err)
        err = ifl_status_list(&reply.objects, &list);
    if (err && pbs_errno != err)
        ifl_set_error(c, err, NULL);
    return list;
}

static struct batch_status *status(int c, uint32_t number, int object, const char *id,
                                   const struct attrl *wanted, const char *extend)
{
    struct body_status body = { .id = id ? id : "" };
    struct batch_status *list;
    struct arena *arena;

    if (ifl_verify(c, number, object, wanted))
        return NULL;
    arena = arena_new();
    body.wanted = ifl_wanted(wanted, arena);
    list = ask(c, number, &body, extend, arena);
    arena_free(arena);
    return list;
}

struct batch_status *ifl_statjob(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    return status(c, BATCH_STATUS_JOB, MGR_OBJ_JOB, id, wanted, extend);
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

    if (extend && strcmp(extend, PBS_HOOK) == 0) {
        object = MGR_OBJ_PBS_HOOK;
    } else if (extend && strcmp(extend, SITE_HOOK) != 0) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
        return NULL;
    }
    return status(c, BATCH_STATUS_HOOK, object, id, wanted, extend);
}

static bool body_select(int c, uint32_t number, const struct attropl *criteria,
                        const struct attrl *wanted, struct arena *arena,
                        struct body_select *ret)
{
    if (ifl_verify(c, number, MGR_OBJ_JOB, (const void *)criteria) ||
        ifl_verify(c, BATCH_STATUS_JOB, MGR_OBJ_JOB, wanted))
        return false;
    *ret =
        (struct body_select){ ifl_attrs(criteria, arena), ifl_wanted(wanted, arena) };
    return true;
}

struct batch_status *ifl_selstat(int c, struct attropl *criteria, struct attrl *wanted,
                                 const char *extend)
{
    struct arena *arena = arena_new();
    struct batch_status *list = NULL;
    struct body_select body;

    if (body_select(c, BATCH_SELECT_STATUS, criteria, wanted, arena, &body))
        list = ask(c, BATCH_SELECT_STATUS, &body, extend, arena);
    arena_free(arena);
    return list;
}

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
    struct arena *arena = arena_new();
    struct wire_reply reply;
    struct body_select body;
    char **ids = NULL;

    if (body_select(c, BATCH_SELECT_JOBS, criteria, NULL, arena, &body) &&
        ifl_ask(c, BATCH_SELECT_JOBS, &body, extend, arena, &reply) == 0) {
        if (reply.choice == REPLY_SELECT)
            ids = id_array(c, &reply.ids);
        else
            ifl_set_error(c, PBSE_PROTOCOL, NULL);
    }
    arena_free(arena);
    return ids;
}
