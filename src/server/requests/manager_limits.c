/* manager_limits.c - old-style and new-style limits do not live together, wherever in
 * the complex they are (attributes.md 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/manager.h"

enum limit_style {
    LIMIT_OLD,
    LIMIT_NEW,
};

/* Limits of amounts in the queue (max_queued_res, queued_jobs_threshold_res), and the
 * server's own limits of jobs queued, take no part. */
static const int server_old[] = {
    SERVER_A_MAX_RUNNING,        SERVER_A_MAX_USER_RUN,
    SERVER_A_MAX_GROUP_RUN,      SERVER_A_MAX_USER_RES,
    SERVER_A_MAX_GROUP_RES,      SERVER_A_MAX_USER_RUN_SOFT,
    SERVER_A_MAX_GROUP_RUN_SOFT, SERVER_A_MAX_USER_RES_SOFT,
    SERVER_A_MAX_GROUP_RES_SOFT, -1,
};
static const int server_new[] = {
    SERVER_A_MAX_RUN,
    SERVER_A_MAX_RUN_RES,
    SERVER_A_MAX_RUN_SOFT,
    SERVER_A_MAX_RUN_RES_SOFT,
    -1,
};
static const int queue_old[] = {
    QUEUE_A_MAX_QUEUABLE,
    QUEUE_A_MAX_RUNNING,
    QUEUE_A_MAX_USER_RUN,
    QUEUE_A_MAX_GROUP_RUN,
    QUEUE_A_MAX_USER_RES,
    QUEUE_A_MAX_GROUP_RES,
    QUEUE_A_MAX_USER_RUN_SOFT,
    QUEUE_A_MAX_GROUP_RUN_SOFT,
    QUEUE_A_MAX_USER_RES_SOFT,
    QUEUE_A_MAX_GROUP_RES_SOFT,
    -1,
};
static const int queue_new[] = {
    QUEUE_A_MAX_RUN,
    QUEUE_A_MAX_RUN_RES,
    QUEUE_A_MAX_RUN_SOFT,
    QUEUE_A_MAX_RUN_RES_SOFT,
    QUEUE_A_MAX_QUEUED,
    QUEUE_A_QUEUED_JOBS_THRESHOLD,
    -1,
};

static const int *limits_of(enum obj_kind kind, enum limit_style style)
{
    MUST(kind == OBJ_SERVER || kind == OBJ_QUEUE); /* the others have no limits */
    if (kind == OBJ_SERVER)
        return style == LIMIT_OLD ? server_old : server_new;
    return style == LIMIT_OLD ? queue_old : queue_new;
}

static bool object_has(const struct object *o, enum limit_style style)
{
    for (const int *attr = limits_of(o->kind, style); *attr >= 0; attr++)
        /* A single limit of the style is enough. */
        if (obj_is_set(o, *attr))
            return true;
    return false;
}

/* Any object but the one that is being changed. */
static bool others_have(const struct model *m, const struct object *changed,
                        enum limit_style style)
{
    if (m->server != changed && object_has(m->server, style))
        return true;
    MODEL_EACH (m, OBJ_QUEUE, o) {
        if (o != changed && object_has(o, style))
            return true;
    }
    return false;
}

static bool edit_has(const struct edit *e, enum obj_kind kind, enum limit_style style,
                     bool touched_only)
{
    for (const int *attr = limits_of(kind, style); *attr >= 0; attr++)
        if ((e->touched[*attr] || !touched_only) && edit_value(e, *attr)->set)
            return true;
    return false;
}

static bool clashes(const struct manager *g, const struct edit *e, enum obj_kind kind,
                    enum limit_style style, enum limit_style other)
{
    MUST(style != other);
    /* Only a change that sets a limit can clash. Old clashes do not forbid other
     * changes of the object. */
    return edit_has(e, kind, style, true) &&
           (edit_has(e, kind, other, false) || others_have(g->m, e->o, other));
}

int check_limit_styles(const struct manager *g, const struct edit *e,
                       enum obj_kind kind)
{
    if (clashes(g, e, kind, LIMIT_OLD, LIMIT_NEW) ||
        clashes(g, e, kind, LIMIT_NEW, LIMIT_OLD))
        return diag_code(&g->out->why, PBSE_MIXENTLIMS);
    return 0;
}
