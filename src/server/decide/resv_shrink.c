/* resv_shrink.c - see resv_shrink.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_shrink.h"

#include "lib/base/buf.h"
#include "server/model/resource_request.h"
#include "server/model/resv_fit.h"
#include "server/model/resv_state.h"

/* Make the list of the edit equal to 'list'. */
static void want_resources(struct edit *e, const struct resources *list,
                           struct arena *arena)
{
    edit_unset(e, RESV_A_RESOURCE_LIST, NULL);
    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->v[i].def->name;
        int err = edit_set(e, RESV_A_RESOURCE_LIST, name,
                           resources_text(list, name, arena), WIRE_OP_SET, NULL);

        MUST(!err);
        (void)err;
    }
}

/* Chunks, and none of any: that is never fewer of what there is, but no select either
 * (reservations.md 13.5). */
static bool asks_for_nothing(const char *select, struct arena *arena)
{
    struct select sel;

    if (select_parse(select, NULL, arena, &sel, NULL))
        return false;
    for (size_t i = 0; i < sel.n; i++)
        if (sel.chunks[i].count > 0)
            return false;
    return true;
}

int resv_shrink_to(struct edit *e, const struct model *m, const struct resv *r,
                   const char *select, struct arena *arena, struct diag *why)
{
    const char *old = obj_str(&r->obj, RESV_A_SCHEDSELECT, "");
    struct resources list = { 0 };
    const char *schedselect;
    int err;

    if (asks_for_nothing(select, arena))
        return diag_code(why, PBSE_SELECT_NOT_SUBSET);
    /* The list is worked on as a copy; the reservation keeps its own if this
     * refuses. */
    resources_copy(&list, obj_resources(&r->obj, RESV_A_RESOURCE_LIST));
    err = resource_request_reselect(&list, m, select, old, arena, &schedselect, why);
    if (err == PBSE_BADATVAL) /* clients tell which value (reservations.md 13.1) */
        err = diag_about(why, err, "Resource_List.select");
    /* A reservation may shrink. More or other chunks would be a new request. */
    if (!err && !schedselect_is_subset(schedselect, old))
        err = diag_code(why, PBSE_SELECT_NOT_SUBSET);
    if (!err) {
        want_resources(e, &list, arena);
        edit_set_str(e, RESV_A_SCHEDSELECT, schedselect);
    }
    resources_clear(&list);
    return err;
}

static bool has_job(const struct model *m, const struct resv *r,
                    const struct exec_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n; i++) {
        const struct node *n = model_node(m, chunk->parts[i].vnode);

        if (n && resv_has_job_on(r, n))
            return true;
    }
    return false;
}

/* Nothing but vnodes: the rest of a host that was taken whole. */
static bool is_bare(const struct exec_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n; i++)
        if (chunk->parts[i].n > 0)
            return false;
    return true;
}

static int64_t count_all(const struct select *sel)
{
    int64_t n = 0;

    for (size_t i = 0; i < sel->n; i++)
        n += sel->chunks[i].count;
    return n;
}

/* For each chunk of the select how many of its copies have a job: they stand side by
 * side in the vnodes, in its order (reservations.md 25.4). False when the two do not
 * add up. */
static bool count_busy(const struct model *m, const struct resv *r,
                       const struct select *sel, const struct exec_vnode *vnodes,
                       int64_t *ret)
{
    bool extras = (int64_t)vnodes->n > count_all(sel);
    size_t chunk = 0;
    int64_t copies = 0;

    for (size_t i = 0; i < vnodes->n; i++) {
        if (extras && is_bare(&vnodes->chunks[i]))
            continue;
        while (chunk < sel->n && copies == sel->chunks[chunk].count) {
            chunk++;
            copies = 0;
        }
        if (chunk == sel->n)
            return false;
        ret[chunk] += has_job(m, r, &vnodes->chunks[i]);
        copies++;
    }
    return sel->n > 0 && chunk == sel->n - 1 && copies == sel->chunks[chunk].count;
}

static const char *print(const struct select *sel, const int64_t *counts,
                         struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret;

    for (size_t i = 0; i < sel->n; i++) {
        if (counts[i] == 0)
            continue;
        buf_printf(&text, "%s%" PRId64, text.len > 0 ? "+" : "", counts[i]);
        for (size_t k = 0; k < sel->chunks[i].n; k++) {
            buf_printf(&text, ":%s=", sel->chunks[i].res[k].name);
            chunk_value_print(sel->chunks[i].res[k].value, &text);
        }
    }
    ret = arena_strdup(arena, text.data);
    buf_fini(&text);
    return ret;
}

const char *resv_busy_select(const struct model *m, const struct resv *r,
                             struct arena *arena)
{
    const char *nodes = obj_str(&r->obj, RESV_A_RESV_NODES, "");
    enum resv_phase phase = resv_phase(r);
    struct exec_vnode vnodes;
    struct select sel;
    int64_t *busy, n = 0;

    if ((phase != PHASE_RUNNING && phase != PHASE_RUNNING_DEGRADED) ||
        select_parse(obj_str(&r->obj, RESV_A_SCHEDSELECT, ""), NULL, arena, &sel,
                     NULL) ||
        exec_vnode_parse(nodes, NULL, arena, &vnodes, NULL))
        return NULL;
    busy = ARENA_ARRAY(arena, int64_t, sel.n);
    if (!count_busy(m, r, &sel, &vnodes, busy))
        return NULL;
    for (size_t i = 0; i < sel.n; i++) {
        MUST(busy[i] <= sel.chunks[i].count);
        n += busy[i];
    }
    return n == 0 || n == count_all(&sel) ? NULL : print(&sel, busy, arena);
}
