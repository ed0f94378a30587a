/* delete.c - deleting jobs, always by list.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

/* The ids, each once, in their order. */
static struct wire_strings distinct(char **ids, int n, struct arena *arena)
{
    struct wire_strings list = { 0, ARENA_ARRAY(arena, const char *, (size_t)n) };

    for (int i = 0; i < n; i++) {
        size_t j = 0;

        while (j < list.n && strcmp(list.v[j], ids[i]) != 0)
            j++;
        if (j == list.n)
            list.v[list.n++] = ids[i];
    }
    return list;
}

static struct batch_deljob_status *deljob_status(const struct wire_deleted_job *from)
{
    struct batch_deljob_status *st = calloc(1, sizeof(*st));

    if (!st)
        return NULL;
    st->code = (int)from->code;
    st->name = strdup(from->id);
    if (st->name)
        return st;
    free(st);
    return NULL;
}

/* Programs get the entries last first. */
static struct batch_deljob_status *deleted_list(int c, const struct wire_deleted *all)
{
    struct batch_deljob_status *list = NULL;

    for (size_t i = 0; i < all->n; i++) {
        struct batch_deljob_status *st = deljob_status(&all->v[i]);

        if (!st) {
            ifl_delstatfree(list);
            ifl_set_error(c, PBSE_SYSTEM, NULL);
            return NULL;
        }
        st->next = list;
        list = st;
    }
    return list;
}

struct batch_deljob_status *ifl_deljoblist(int c, char **ids, int n, const char *extend)
{
    struct batch_deljob_status *list = NULL;
    struct arena *arena;
    struct body_list body;
    struct wire_reply reply = { 0 };

    if (!ids || n <= 0) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        if (!ifl_has_id(c, ids[i]))
            return NULL;
    arena = arena_new();
    body.ids = distinct(ids, n, arena);
    ifl_ask(c, BATCH_DELETE_JOB_LIST, &body, extend, arena, &reply);
    if (reply.choice == REPLY_DELETE)
        list = deleted_list(c, &reply.deleted);
    arena_free(arena);
    return list;
}

/* The code of the job's entry; of the request itself when it has none. */
int ifl_deljob(int c, const char *id, const char *extend)
{
    char *ids[] = { (char *)(uintptr_t)id };
    struct batch_deljob_status *list;
    int code;

    if (!ifl_has_id(c, id))
        return pbs_errno;
    list = ifl_deljoblist(c, ids, 1, extend);
    code = list ? list->code : pbs_errno;
    ifl_delstatfree(list);
    pbs_errno = code;
    return code;
}
