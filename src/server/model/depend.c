/* depend.c - see depend.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/depend.h"

#include "lib/attr/ids.h"
#include "lib/attr/job_attrs.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[DEPEND_TYPE_COUNT] = {
    [DEPEND_ON] = "on",
    [DEPEND_AFTER] = "after",
    [DEPEND_AFTEROK] = "afterok",
    [DEPEND_AFTERNOTOK] = "afternotok",
    [DEPEND_AFTERANY] = "afterany",
    [DEPEND_BEFORE] = "before",
    [DEPEND_BEFOREOK] = "beforeok",
    [DEPEND_BEFORENOTOK] = "beforenotok",
    [DEPEND_BEFOREANY] = "beforeany",
    [DEPEND_RUNONE] = "runone",
};

static enum depend_type find_type(const char *text, size_t len)
{
    for (enum depend_type t = 0; t < DEPEND_TYPE_COUNT; t++)
        if (strlen(names[t]) == len && memcmp(names[t], text, len) == 0)
            return t;
    return DEPEND_TYPE_COUNT;
}

enum depend_type depend_type_named(const char *name)
{
    return find_type(name, strlen(name));
}

const char *depend_type_name(enum depend_type type)
{
    MUST(type < DEPEND_TYPE_COUNT);
    return names[type];
}

/* Entries that are older than the server's name are about its own jobs. */
bool depend_is_remote(const struct model *m, const struct depend_entry *e)
{
    if (!e->job || !e->server || str_same(e->server, m->server->id))
        return false;
    for (size_t i = 0; i < m->n_other_names; i++)
        if (m->other_names[i].was_ours && str_same(e->server, m->other_names[i].name))
            return false;
    return true;
}

enum depend_type depend_other_side(enum depend_type type)
{
    static const enum depend_type other[DEPEND_TYPE_COUNT] = {
        [DEPEND_AFTER] = DEPEND_BEFORE,           [DEPEND_AFTEROK] = DEPEND_BEFOREOK,
        [DEPEND_AFTERNOTOK] = DEPEND_BEFORENOTOK, [DEPEND_AFTERANY] = DEPEND_BEFOREANY,
        [DEPEND_BEFORE] = DEPEND_AFTER,           [DEPEND_BEFOREOK] = DEPEND_AFTEROK,
        [DEPEND_BEFORENOTOK] = DEPEND_AFTERNOTOK, [DEPEND_BEFOREANY] = DEPEND_AFTERANY,
        [DEPEND_RUNONE] = DEPEND_RUNONE,
    };

    MUST(type < DEPEND_TYPE_COUNT && type != DEPEND_ON); /* a count has no other side */
    return other[type];
}

void depend_add(struct depend_list *list, struct arena *arena,
                const struct depend_entry *e)
{
    list->v = arena_grow(arena, list->v, list->n, &list->cap, 8, sizeof(*list->v));
    list->v[list->n++] = *e;
}

static bool parse_count(const char *text, size_t len, struct depend_entry *e)
{
    /* Few digits: the number cannot overflow. */
    if (len == 0 || len > 7 || strspn(text, "0123456789") < len)
        return false;
    e->count = strtoll(text, NULL, 10);
    return e->count > 0 && e->count <= DEPEND_MAX_COUNT;
}

/* "5.svr" or "5[].svr", with "@server" or without. */
static bool parse_job(const char *text, size_t len, struct arena *arena,
                      struct depend_entry *e)
{
    const char *at = memchr(text, '@', len);
    size_t n = at ? (size_t)(at - text) : len;
    struct job_id id;

    e->job = arena_strndup(arena, text, n);
    e->server = at ? arena_strndup(arena, at + 1, len - n - 1) : NULL;
    /* A subjob or a range is nothing that one could wait for. */
    return job_id_parse(e->job, arena, &id) && id.server && !(id.array && *id.index);
}

bool depend_parse(const char *text, struct arena *arena, struct depend_list *ret)
{
    *ret = (struct depend_list){ 0 };
    for (;; text++) {
        size_t len = strcspn(text, ":,");
        struct depend_entry e = { .type = find_type(text, len) };

        if (e.type == DEPEND_TYPE_COUNT || text[len] != ':')
            return false;
        text += len;
        while (*text == ':') {
            size_t arg = strcspn(++text, ":,");
            bool good = e.type == DEPEND_ON ? parse_count(text, arg, &e)
                                            : parse_job(text, arg, arena, &e);

            if (!good || ret->n == DEPEND_MAX_ENTRIES)
                return false;
            depend_add(ret, arena, &e);
            text += arg;
        }
        if (!*text)
            return true;
    }
}

static void print_entry(struct buf *out, const struct depend_entry *e,
                        const char *server)
{
    if (e->type == DEPEND_ON)
        buf_printf(out, ":%" PRId64, e->count);
    else
        buf_printf(out, ":%s@%s", e->job, e->server ? e->server : server);
}

const char *depend_text(const struct depend_list *list, const char *server,
                        struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret = NULL;

    for (enum depend_type t = 0; t < DEPEND_TYPE_COUNT; t++) {
        bool named = false;

        for (size_t i = 0; i < list->n; i++) {
            if (list->v[i].type != t)
                continue;
            if (!named)
                buf_printf(&text, "%s%s", text.len ? "," : "", names[t]);
            named = true;
            print_entry(&text, &list->v[i], server);
        }
    }
    if (text.len)
        ret = arena_strdup(arena, text.data);
    buf_fini(&text);
    return ret;
}

static bool has_run(const struct job *job)
{
    return obj_is_set(&job->obj, JOB_A_STIME);
}

/* Its MoM has taken it, and it has not gone back since. An array does not go back. */
static bool has_begun(const struct job *job)
{
    return job_is_array(job)
               ? has_run(job)
               : job_is_at_mom(job) && obj_num(&job->obj, JOB_A_HF_SENT, 0);
}

bool job_is_beyond_depend(const struct job *job)
{
    return job_is_at_mom(job) || (job_is_array(job) && has_run(job));
}

/* A job that was deleted before it ran did not end well. */
static enum depend_state judge_past(const struct job *job, enum depend_type type)
{
    bool ok = job_phase(job) == JOB_FINISHED;
    bool met = type == DEPEND_AFTERANY || (type == DEPEND_AFTEROK && ok) ||
               (type == DEPEND_AFTERNOTOK && !ok) ||
               (type == DEPEND_AFTER && has_run(job));

    return met ? DEPEND_MET : DEPEND_FAILED;
}

static enum depend_state judge_runone(const struct job *other)
{
    if (!other)
        return DEPEND_MET;
    if (other->past)
        return has_run(other) ? DEPEND_FAILED : DEPEND_MET;
    return job_is_beyond_depend(other) ? DEPEND_OPEN : DEPEND_IDLE;
}

enum depend_state depend_judge(const struct model *m, const struct depend_entry *e)
{
    const struct job *other = e->job ? model_job(m, e->job) : NULL;

    if (depend_is_remote(m, e))
        return DEPEND_OPEN;
    if (e->type == DEPEND_ON)
        return e->count > 0 ? DEPEND_OPEN : DEPEND_MET;
    if (e->type == DEPEND_RUNONE)
        return judge_runone(other);
    /* It was there when the entry was made, so somebody has made it vanish. */
    if (!other)
        return DEPEND_FAILED;
    if (other->past)
        return judge_past(other, e->type);
    return e->type == DEPEND_AFTER && has_begun(other) ? DEPEND_MET : DEPEND_OPEN;
}

enum depend_state depend_judge_all(const struct model *m,
                                   const struct depend_list *list, struct arena *arena,
                                   struct depend_list *left, const char **culprit)
{
    enum depend_state worst = DEPEND_MET;

    for (size_t i = 0; i < list->n; i++) {
        const struct depend_entry *e = &list->v[i];
        enum depend_state state = depend_judge(m, e);

        if (state == DEPEND_FAILED && worst != DEPEND_FAILED && culprit)
            *culprit = e->job;
        worst = MAX_OF(worst, state);
        if (left && state != DEPEND_MET)
            depend_add(left, arena, e);
    }
    return worst;
}

bool job_waits_for_others(const struct model *m, const struct job *job,
                          struct arena *arena)
{
    const char *text = obj_str(&job->obj, JOB_A_DEPEND, NULL);
    struct depend_list list;

    return text && depend_parse(text, arena, &list) &&
           depend_judge_all(m, &list, arena, NULL, NULL) >= DEPEND_OPEN;
}
