/* resv_question.c - see resv_question.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_question.h"

#include "server/decide/sched_link.h"

#include "lib/attr/resv_attrs.h"
#include "lib/attr/sched_attrs.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_SCHED "default"

int64_t question_asked_at(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_HF_ASKED_AT, INT64_MIN);
}

int64_t question_again_at(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_HF_ASK_AGAIN_AT, INT64_MAX);
}

static bool is_asked(const struct svr_view *view, const struct object *sched)
{
    const struct sched_link *l = sched_link_find(view->links, sched->id);

    /* A scheduler that does not schedule gives no answers. */
    return l && sched_link_is_up(l) && obj_num(sched, SCHED_A_SCHEDULING, 0);
}

const char *question_asks(const struct model *m, const struct svr_view *view,
                          const struct resv *r, struct arena *arena)
{
    const char *partition = obj_str(&r->obj, RESV_A_PARTITION, NULL);
    const struct object *one = partition ? sched_of_partition(m, partition) : NULL;
    const char *names = NULL;

    MODEL_EACH (m, OBJ_SCHED, o) {
        /* A confirmed reservation belongs to the scheduler of its partition, and only
         * that one knows its vnodes. */
        if ((partition && o != one) || !is_asked(view, o))
            continue;
        names = names ? arena_printf(arena, "%s,%s", names, o->id)
                      : arena_strdup(arena, o->id);
    }
    return names;
}

bool question_asks_ours(const struct svr_view *view, const char *asks)
{
    char name[256];
    size_t len;

    for (const char *p = asks; *p; p += len + (p[len] == ',')) {
        const struct sched_link *l;

        len = strcspn(p, ",");
        snprintf(name, sizeof(name), "%.*s", (int)len, p);
        l = sched_link_find(view->links, name);
        if (!l || !l->may_cut)
            return false;
    }
    return true;
}

void question_put(struct record *rec, struct arena *arena, const char *asks,
                  int64_t now_at)
{
    record_change_num(rec, arena, RESV_A_HF_ASKED_AT, now_at);
    record_change(rec, arena, RESV_A_HF_ASKED, NULL, asks);
    /* Noes to an older question do not count for this one. */
    record_change(rec, arena, RESV_A_HF_ANSWERED, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_ASK_AGAIN_AT, NULL, NULL);
}

void question_put_again(struct record *rec, struct arena *arena, int64_t at)
{
    record_change(rec, arena, RESV_A_HF_ANSWERED, NULL, NULL);
    record_change_num(rec, arena, RESV_A_HF_ASK_AGAIN_AT, at);
}

void question_over(struct record *rec, struct arena *arena)
{
    record_change(rec, arena, RESV_A_HF_ASKED_AT, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_ASKED, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_ANSWERED, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_ASK_AGAIN_AT, NULL, NULL);
}

const char *question_who(const struct model *m, const struct request *rq,
                         const char *partition)
{
    const struct sched_link *l = sched_link_of_conn(rq->view->links, rq->who->conn);
    const struct object *o = sched_of_partition(m, partition);

    /* The connection says who it is. Only a client that is no scheduler, such as a
     * test, is judged by the partition it names. */
    if (l)
        return l->name;
    return o ? o->id : DEFAULT_SCHED;
}

static bool has_name(const struct attr_value *list, const char *name)
{
    for (size_t i = 0; list->set && i < list->u.list.n; i++)
        if (strcmp(list->u.list.v[i], name) == 0)
            return true;
    return false;
}

bool question_is_denied_by(const struct model *m, const struct resv *r,
                           const char *sched)
{
    const struct attr_value *asked = obj_attr(&r->obj, RESV_A_HF_ASKED);
    const struct attr_value *noes = obj_attr(&r->obj, RESV_A_HF_ANSWERED);

    for (size_t i = 0; asked->set && i < asked->u.list.n; i++) {
        const char *name = asked->u.list.v[i];

        /* A scheduler that was deleted meanwhile cannot answer and is not waited
         * for. */
        if (strcmp(name, sched) != 0 && !has_name(noes, name) &&
            model_find(m, OBJ_SCHED, name))
            return false;
    }
    return true;
}

void question_note_no(struct record *rec, struct arena *arena, const struct resv *r,
                      const char *sched)
{
    const struct attr_value *noes = obj_attr(&r->obj, RESV_A_HF_ANSWERED);
    const char *before =
        noes->set ? attr_value_text(resv_rows[RESV_A_HF_ANSWERED].type, noes, arena)
                  : NULL;

    /* One scheduler that says no twice counts once. */
    if (has_name(noes, sched))
        return;
    record_change(rec, arena, RESV_A_HF_ANSWERED, NULL,
                  before ? arena_printf(arena, "%s,%s", before, sched)
                         : arena_strdup(arena, sched));
}
