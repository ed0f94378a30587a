/* delete.c - deleting jobs, always by list.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

/* Equal texts stand in the order of their places, which makes the first of them known.
 */
static int by_text(const void *a, const void *b)
{
    const char *const *x = *(const char *const *const *)a;
    const char *const *y = *(const char *const *const *)b;
    int cmp = strcmp(*x, *y);

    return cmp ? cmp : (x > y) - (x < y);
}

/* The ids, each once (wire.md 15.2), in their order. They are sorted to be compared,
 * since a list may have a hundred thousand of them. False: no memory. */
static bool distinct(char **ids, size_t n, struct wire_strings *ret)
{
    const char **v = malloc(n * sizeof(*v)), ***sorted = malloc(n * sizeof(*sorted));
    bool ok = v && sorted;

    for (size_t i = 0; i < n && ok; i++) {
        v[i] = ids[i];
        sorted[i] = &v[i];
    }
    if (ok)
        qsort(sorted, n, sizeof(*sorted), by_text);
    for (size_t i = n; i-- > 1 && ok;) /* of equals the first in order stays */
        if (strcmp(*sorted[i], *sorted[i - 1]) == 0)
            *sorted[i] = NULL;
    *ret = (struct wire_strings){ .v = v };
    for (size_t i = 0; i < n && ok; i++)
        if (v[i])
            v[ret->n++] = v[i];
    free(sorted);
    return ok;
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
    struct ifl_answer answer = { 0 };
    struct body_list body;

    if (!ids || n <= 0) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
        return NULL;
    }
    /* One bad id refuses the whole list before anything is sent. */
    for (int i = 0; i < n; i++)
        if (!ifl_has_id(c, ids[i]))
            return NULL;
    if (distinct(ids, (size_t)n, &body.ids))
        ifl_ask(c, BATCH_DELETE_JOB_LIST, &body, extend, &answer);
    else
        ifl_set_error(c, PBSE_SYSTEM, NULL);
    if (answer.reply.choice == REPLY_DELETE)
        list = deleted_list(c, &answer.reply.deleted);
    ifl_answer_fini(&answer);
    free(body.ids.v);
    return list;
}

/* The code of the job's entry; of the request itself when it has none. PBS's library
 * returns 0 there (wire.md 15.2), and a program would believe that the job is gone. */
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
