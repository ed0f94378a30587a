/* waiters.c - see waiters.h.
 *
 * The text is "afterok 12.alpha alpha:15001,afterany 13.alpha alpha". Behind a server
 * may follow when it is asked, "x" and how often that has failed, and the words
 * "again", "own" and "known".
 *
 * Thousands of changes of a long list would write it as often. So what has changed
 * since it was written stands beside it as news, in the same form: an entry that is
 * there already is another one now, one behind which "off" stands is gone, and others
 * are new.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/waiters.h"

#include "lib/attr/ids.h"
#include "server/model/job_state.h"
#include "server/model/model_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

void waiters_add(struct waiters *list, struct arena *arena, const struct waiter *w)
{
    list->v = arena_grow(arena, list->v, list->n, &list->cap, 8, sizeof(*list->v));
    list->v[list->n++] = *w;
}

/* Letters of host names, and the sign before a port. */
static bool is_server(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.:";

    return *text && *text != '.' && *text != ':' && !text[strspn(text, letters)];
}

/* What a registration may have brought (requests/job_register_dep.c). */
static bool is_fit(const struct waiter *w, struct arena *arena)
{
    struct job_id id;

    return w->type >= DEPEND_AFTER && w->type <= DEPEND_AFTERANY && w->job &&
           w->server && job_id_parse(w->job, arena, &id) && id.server &&
           is_server(w->server);
}

/* A time or a number. */
static bool read_time(const char *word, int64_t *ret)
{
    if (!*word || strlen(word) > 18 || word[strspn(word, "0123456789")])
        return false;
    *ret = strtoll(word, NULL, 10);
    return true;
}

static bool read_word(struct waiter *w, const char *word)
{
    if (word[0] == 'x')
        return read_time(word + 1, &w->n_failed);
    if (strcmp(word, "again") == 0)
        return w->again = true;
    if (strcmp(word, "own") == 0)
        return w->own = true;
    if (strcmp(word, "known") == 0)
        return w->known = true;
    if (strcmp(word, "off") == 0)
        return w->off = true;
    return read_time(word, &w->at);
}

/* The server, and what is said behind it. */
static bool read_rest(struct waiter *w, char *text)
{
    bool good = true;

    w->server = strsep(&text, " ");
    while (good && text)
        good = read_word(w, strsep(&text, " "));
    return good;
}

bool waiters_read(const char *text, bool news, struct arena *arena, struct waiters *ret)
{
    char *next = *text ? arena_strdup(arena, text) : NULL;

    *ret = (struct waiters){ 0 };
    while (next) {
        const char *type = strsep(&next, " ");
        struct waiter w = { .type = depend_type_named(type) };

        w.job = next ? strsep(&next, " ") : NULL;
        if (next && !read_rest(&w, strsep(&next, ",")))
            return false;
        if (!is_fit(&w, arena) || (w.off && !news) || ret->n == WAITERS_MAX)
            return false;
        waiters_add(ret, arena, &w);
    }
    return true;
}

size_t waiters_find(const struct waiters *list, enum depend_type type, const char *job)
{
    size_t i = 0;

    while (i < list->n && (list->v[i].type != type || !str_same(list->v[i].job, job)))
        i++;
    return i;
}

struct waiters waiters_without(const struct waiters *list, size_t at,
                               struct arena *arena)
{
    struct waiters left = { 0 };

    for (size_t i = 0; i < list->n; i++)
        if (i != at)
            waiters_add(&left, arena, &list->v[i]);
    return left;
}

static int news_of(int attr)
{
    MUST(attr == JOB_A_HF_WAITERS || attr == JOB_A_HF_VERIFY);
    return attr == JOB_A_HF_WAITERS ? JOB_A_HF_WAITERS_NEWS : JOB_A_HF_VERIFY_NEWS;
}

static struct waiters stored(const struct job *job, int attr, bool news,
                             struct arena *arena)
{
    struct waiters list;
    bool good = waiters_read(obj_str(&job->obj, attr, ""), news, arena, &list);

    MUST(good); /* stored_text.c has looked at what comes from a store */
    return list;
}

/* An entry of the news comes true. */
static void renew(struct waiters *list, struct arena *arena, const struct waiter *w)
{
    size_t at = waiters_find(list, w->type, w->job);

    if (w->off && at < list->n)
        *list = waiters_without(list, at, arena);
    else if (at < list->n)
        list->v[at] = *w;
    else if (!w->off)
        waiters_add(list, arena, w);
}

struct waiters waiters_in(const struct job *job, int attr, struct arena *arena)
{
    struct waiters list = stored(job, attr, false, arena);
    const struct waiters news = stored(job, news_of(attr), true, arena);

    for (size_t i = 0; i < news.n; i++)
        renew(&list, arena, &news.v[i]);
    return list;
}

struct waiters waiters_of(const struct job *job, struct arena *arena)
{
    return waiters_in(job, JOB_A_HF_WAITERS, arena);
}

static bool is_same_job(const struct waiter *a, const struct waiter *b)
{
    return a->type == b->type && str_same(a->job, b->job);
}

static bool is_same(const struct waiter *a, const struct waiter *b)
{
    return str_same(a->server, b->server) && a->at == b->at && a->again == b->again &&
           a->own == b->own && a->known == b->known && a->n_failed == b->n_failed;
}

/* What makes 'list' of 'base': lists keep their order, and grow at their end. False: it
 * is too much. */
static bool news_since(const struct waiters *base, const struct waiters *list,
                       struct arena *arena, struct waiters *ret)
{
    size_t k = 0;

    for (size_t i = 0; i < base->n && ret->n <= WAITERS_NEWS_MAX; i++) {
        struct waiter gone = base->v[i];

        gone.off = true;
        if (k == list->n || !is_same_job(&base->v[i], &list->v[k]))
            waiters_add(ret, arena, &gone);
        else if (!is_same(&base->v[i], &list->v[k++]))
            waiters_add(ret, arena, &list->v[k - 1]);
    }
    for (; k < list->n && ret->n <= WAITERS_NEWS_MAX; k++)
        waiters_add(ret, arena, &list->v[k]);
    return ret->n <= WAITERS_NEWS_MAX;
}

void waiters_record(struct record *rec, struct arena *arena, const struct job *job,
                    int attr, const struct waiters *list)
{
    const struct waiters base = stored(job, attr, false, arena);
    struct waiters news = { 0 };
    bool anew = !list->n || !base.n || !news_since(&base, list, arena, &news);

    if (anew)
        record_change(rec, arena, attr, NULL, waiters_text(list, arena));
    if (!anew || obj_is_set(&job->obj, news_of(attr)))
        record_change(rec, arena, news_of(attr), NULL,
                      anew ? NULL : waiters_text(&news, arena));
}

const char *waiters_text(const struct waiters *list, struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret = NULL;

    for (size_t i = 0; i < list->n; i++) {
        const struct waiter *w = &list->v[i];

        buf_printf(&text, "%s%s %s %s", i ? "," : "", depend_type_name(w->type), w->job,
                   w->server);
        if (w->at)
            buf_printf(&text, " %" PRId64, w->at);
        if (w->n_failed)
            buf_printf(&text, " x%" PRId64, w->n_failed);
        buf_printf(&text, "%s%s%s%s", w->again ? " again" : "", w->own ? " own" : "",
                   w->known ? " known" : "", w->off ? " off" : "");
    }
    if (text.len)
        ret = arena_strdup(arena, text.data);
    buf_fini(&text);
    return ret;
}

void aways_add(struct aways *list, struct arena *arena, const struct away *a)
{
    list->v = arena_grow(arena, list->v, list->n, &list->cap, 8, sizeof(*list->v));
    list->v[list->n++] = *a;
}

bool aways_read(const char *text, struct arena *arena, struct aways *ret)
{
    int64_t of_all;
    char *next = read_time(text, &of_all) || !*text ? NULL : arena_strdup(arena, text);

    *ret = (struct aways){ 0 };
    while (next) {
        char *rest = strsep(&next, ",");
        struct away a = { .server = strsep(&rest, " ") };
        const char *at = rest ? strsep(&rest, " ") : "";

        if (!is_server(a.server) || !read_time(at, &a.at) || !rest ||
            !read_time(rest, &a.until) || ret->n == WAITERS_MAX)
            return false;
        aways_add(ret, arena, &a);
    }
    return true;
}

struct aways aways_of(const struct job *job, struct arena *arena)
{
    struct aways list;
    bool good = aways_read(obj_str(&job->obj, JOB_A_HF_TELL_UNTIL, ""), arena, &list);

    MUST(good); /* stored_text.c has looked at what comes from a store */
    return list;
}

struct away *aways_find(const struct aways *list, const char *server)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_same(list->v[i].server, server))
            return &list->v[i];
    return NULL;
}

const char *aways_text(const struct aways *list, const char *server,
                       struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret = NULL;

    for (size_t i = 0; i < list->n; i++)
        if (!str_same(list->v[i].server, server))
            buf_printf(&text, "%s%s %" PRId64 " %" PRId64, text.len ? "," : "",
                       list->v[i].server, list->v[i].at, list->v[i].until);
    if (text.len)
        ret = arena_strdup(arena, text.data);
    buf_fini(&text);
    return ret;
}

bool waiter_parse(const char *text, struct arena *arena, struct waiter *ret)
{
    const char *at = strchr(text, '@');
    struct job_id id;

    ret->job = arena_strndup(arena, text, strcspn(text, "@"));
    if (!job_id_parse(ret->job, arena, &id) || !id.server || !is_server(id.server) ||
        (id.array && *id.index))
        return false;
    ret->server = arena_strdup(arena, at ? at + 1 : id.server);
    return is_server(ret->server);
}

bool job_is_awaited(const struct job *job)
{
    return job->n_children > 0 || obj_is_set(&job->obj, JOB_A_HF_WAITERS);
}

/* Of one that is over each waiter is told, of one that may have begun only who waits
 * for no more than that. */
static bool may_be_told(struct model *m, const struct job *j)
{
    struct waiters list;

    if (job_is_history(j))
        return true;
    if (!job_is_beyond_depend(j))
        return false;
    arena_clear(m->scratch);
    list = waiters_of(j, m->scratch);
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i].type == DEPEND_AFTER)
            return true;
    return false;
}

void waiters_link(struct model *m, struct job *j)
{
    MUST(!j->is_waited);
    if (!obj_is_set(&j->obj, JOB_A_HF_WAITERS))
        return;
    j->is_waited = true;
    DL_APPEND2(m->waited, j, waited_prev, waited_next);
    if (may_be_told(m, j))
        deadline_set(&m->to_tell, &j->tell, obj_num(&j->obj, JOB_A_HF_TELL_AT, 0));
}

void waiters_unlink(struct model *m, struct job *j)
{
    if (!j->is_waited)
        return;
    j->is_waited = false;
    deadline_set(&m->to_tell, &j->tell, DEADLINE_NEVER);
    DL_DELETE2(m->waited, j, waited_prev, waited_next);
}
