/* link_tasks.c - which task numbers of a host are taken by the jobs at its MoM.
 *
 * They follow from exec_host alone, so a host goes here by the name that it has there,
 * which stays what it is for a job while vnodes come, go and change.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Only this server writes exec_host, and no host has as many tasks; a higher number in
 * a store that something else wrote is not worth its memory. */
#define TASK_MAX 1000000

/* One piece "host/task*ncpus" of an exec_host text, its host in lower case. */
struct piece {
    char *host; /* owned, NULL: there is none that could be read */
    size_t task;
};

static char *lower_case(const char *text, size_t len)
{
    char *copy = xcalloc(1, len + 1);

    for (size_t i = 0; i < len; i++)
        copy[i] = (char)tolower((unsigned char)text[i]);
    return copy;
}

static struct piece read_piece(const char *text)
{
    size_t len = strcspn(text, "/+");
    struct piece p = { 0 };

    if (text[len] != '/')
        return p;
    p.task = strtoul(text + len + 1, NULL, 10);
    /* A number that is too high leaves the piece without a host, and nobody counts
     * it. */
    if (p.task < TASK_MAX)
        p.host = lower_case(text, len);
    return p;
}

static struct host_tasks *find(const struct model *m, const char *lower_host)
{
    struct host_tasks *h;

    HASH_FIND_STR(m->tasks, lower_host, h);
    return h;
}

static void take(struct model *m, const struct piece *p)
{
    struct host_tasks *h = find(m, p->host);

    /* The first task of a host makes its entry. */
    if (!h) {
        h = xcalloc(1, sizeof(*h));
        h->host = xstrdup(p->host);
        HASH_ADD_KEYPTR(hh, m->tasks, h->host, strlen(h->host), h);
    }
    numbers_take(&h->taken, p->task);
}

static void drop(struct model *m, const struct piece *p)
{
    struct host_tasks *h = find(m, p->host);

    MUST(h);
    numbers_drop(&h->taken, p->task);
    /* The entry goes with its last task. */
    if (h->taken.n > 0)
        return;
    HASH_DELETE(hh, m->tasks, h);
    numbers_fini(&h->taken);
    free(h->host);
    free(h);
}

static void each_piece(struct model *m, const struct job *j,
                       void (*call)(struct model *m, const struct piece *p))
{
    const char *at = obj_str(&j->obj, JOB_A_EXEC_HOST, "");

    while (at) {
        struct piece p = read_piece(at);

        if (p.host)
            call(m, &p);
        free(p.host);
        /* The pieces are separated by "+"; the host's name has none. */
        at = strchr(at, '+');
        if (at)
            at++;
    }
}

void tasks_take(struct model *m, const struct job *j)
{
    each_piece(m, j, take);
}

void tasks_drop(struct model *m, const struct job *j)
{
    each_piece(m, j, drop);
}

size_t model_free_task(const struct model *m, const char *host, size_t from)
{
    char *lower = lower_case(host, strlen(host));
    const struct host_tasks *h = find(m, lower);

    free(lower);
    /* A host without jobs has every number free. */
    return h ? numbers_free(&h->taken, from) : from;
}

bool tasks_same(const struct model *a, const struct model *b)
{
    const struct host_tasks *h, *other;

    if (HASH_COUNT(a->tasks) != HASH_COUNT(b->tasks))
        return false;
    for (h = a->tasks; h; h = h->hh.next) {
        other = find(b, h->host);
        if (!other || !numbers_same(&h->taken, &other->taken))
            return false;
    }
    return true;
}
