/* job_array.c - see job_array.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_array.h"

#include "lib/attr/ids.h"
#include "server/model/job_state.h"
#include "server/model/job_tally.h"
#include "server/model/model_priv.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

bool array_has_begun(const struct job *job)
{
    const struct job_array *a = job->array;

    return a && (a->n_subjobs > 0 || a->waiting.n < a->waiting.n_places);
}

bool array_is_under_way(const struct job *job)
{
    return job->array && (job_state(job) == 'B' || job->array->n_subjobs > 0);
}

int64_t subjob_index(const struct job *array, size_t place)
{
    return index_range_at(&array->array->waiting.range, place);
}

const char *subjob_id(const struct job *array, size_t place, struct arena *arena)
{
    return subjob_id_make(array->obj.id, subjob_index(array, place), arena);
}

struct subjob subjob_at(const struct model *m, const struct job *array, size_t place,
                        struct arena *arena)
{
    struct subjob s = { .array = array, .place = place };

    if (place == INDEX_NO_PLACE)
        return s;
    s.end = array_ends_find(&array->array->ends, place);
    if (!s.end && array->array->n_subjobs > 0)
        s.job = model_job(m, subjob_id(array, place, arena));
    return s;
}

const struct job *array_of_indices(const struct model *m, const char *id,
                                   struct arena *arena, const char **ret_list)
{
    const char *open = strchr(id, '['), *close = open ? strchr(open, ']') : NULL;
    const struct job *array;

    if (!close || close == open + 1)
        return NULL;
    array =
        model_job(m, arena_printf(arena, "%.*s[]%s", (int)(open - id), id, close + 1));
    if (!array || !array->array)
        return NULL;
    *ret_list = arena_strndup(arena, open + 1, (size_t)(close - open - 1));
    return array;
}

const struct job *job_behind(const struct model *m, const char *id, struct arena *arena)
{
    const struct job *job = model_job(m, id);
    const char *list;

    return job ? job : array_of_indices(m, id, arena, &list);
}

static void put_range(struct index_set *set, const struct index_range *r)
{
    size_t at = 0;

    while ((at = index_range_next(&set->range, r, at)) != INDEX_NO_PLACE)
        index_set_put(set, at++, true);
}

bool array_places(const struct job *array, const char *list, struct index_set *ret)
{
    struct index_range r;

    index_set_init(ret, &array->array->waiting.range, false);
    while (*list && index_list_next(&list, &r))
        put_range(ret, &r);
    if (ret->n > 0 && !*list)
        return true;
    index_set_fini(ret);
    return false;
}

bool array_has_indices(const struct job *array, const char *list)
{
    struct index_set set;

    if (!array_places(array, list, &set))
        return false;
    index_set_fini(&set);
    return true;
}

struct subjob subjob_find(const struct model *m, const char *id, struct arena *arena)
{
    const char *list;
    const struct job *array = array_of_indices(m, id, arena, &list);
    struct index_range r;

    /* An id is written in one way only: without zeros before the index. */
    if (!array || !index_list_next(&list, &r) || *list || r.first != r.last)
        return (struct subjob){ .place = INDEX_NO_PLACE };
    return subjob_at(m, array, index_range_place(&array->array->waiting.range, r.first),
                     arena);
}

/* What a subjob has not from its parent: what is said of the array, or of one that has
 * not started. */
static const int not_of_subjobs[] = {
    JOB_A_ARRAY,
    JOB_A_ARRAY_STATE_COUNT,
    JOB_A_ARRAY_INDICES_SUBMITTED,
    JOB_A_ARRAY_INDICES_REMAINING,
    JOB_A_MAX_RUN_SUBJOBS,
    JOB_A_CHECKPOINT,
    JOB_A_HOLD_TYPES,
    JOB_A_SUBMIT_ARGUMENTS,
    JOB_A_BLOCK,
    JOB_A_DEPEND,
    JOB_A_COMMENT,
    JOB_A_STIME,
    JOB_A_OBITTIME,
    JOB_A_EXIT_STATUS,
    JOB_A_RESOURCES_USED,
    JOB_A_ESTIMATED,
    JOB_A_TOPJOB,
    JOB_A_HISTORY_TIMESTAMP,
    JOB_A_HF_SCRIPT,
    JOB_A_HF_ARRAY_ENDS,
    JOB_A_HF_DEPEND_HOLD,
    JOB_A_HF_KILL_BY,
    JOB_A_HF_KILL_AT,
};

/* The view's own texts lie in the arena; all others are the parent's. */
static void set_text(struct object *o, int attr, const char *text, struct arena *arena)
{
    obj_attrs_view_put(&o->attrs, (size_t)attr,
                       (struct attr_value){ .set = true, .u.str = (char *)text },
                       arena);
}

static void set_num(struct object *o, int attr, int64_t num, struct arena *arena)
{
    obj_attrs_view_put(&o->attrs, (size_t)attr,
                       (struct attr_value){ .set = true, .u.num = num }, arena);
}

/* "^array_index^" in the path of a standard file is the subjob's index. */
static void name_file(struct object *o, int attr, int64_t index, struct arena *arena)
{
    static const char word[] = "^array_index^";
    const char *path = obj_str(o, attr, NULL);
    const char *at = path ? strstr(path, word) : NULL;
    const char *done = "";

    if (!at)
        return;
    for (; at; at = strstr(path, word)) {
        done =
            arena_printf(arena, "%s%.*s%" PRId64, done, (int)(at - path), path, index);
        path = at + strlen(word);
    }
    set_text(o, attr, arena_printf(arena, "%s%s", done, path), arena);
}

static void view_end(struct object *o, const struct subjob *s, struct arena *arena)
{
    static const char *const words[] = { "Subjob terminated", "Subjob finished",
                                         "Subjob failed" };
    bool past = job_state(s->array) == 'F';

    /* Of an array that is not over the end is one of state X; the substate tells it
     * when the array is history. */
    set_num(o, JOB_A_JOB_STATE, past ? 'F' : 'X', arena);
    set_num(o, JOB_A_SUBSTATE, past ? s->end->substate : JOB_SUB_EXPIRED, arena);
    set_text(o, JOB_A_COMMENT, words[s->end->substate - JOB_SUB_TERMINATED], arena);
    if (s->end->exit_status != ARRAY_END_NO_STATUS)
        set_num(o, JOB_A_EXIT_STATUS, s->end->exit_status, arena);
    if (s->end->run_count > 0)
        set_num(o, JOB_A_RUN_COUNT, s->end->run_count, arena);
}

static struct job *view_new(const struct subjob *s, struct arena *arena)
{
    const struct object *from = &s->array->obj;
    struct job *job = ARENA_NEW(arena, struct job);
    struct object *o = &job->obj;

    o->kind = OBJ_JOB;
    o->id = (char *)subjob_id(s->array, s->place, arena);
    o->attrs = obj_attrs_view(&from->attrs, JOB_A_COUNT, arena);
    o->created_seq = from->created_seq;
    o->version = from->version;
    o->shown_seq = from->shown_seq;
    for (size_t i = 0; i < ARRAY_LEN(not_of_subjobs); i++)
        if (o->attrs.place[not_of_subjobs[i]])
            *obj_attrs_at(&o->attrs, (size_t)not_of_subjobs[i]) =
                (struct attr_value){ 0 };
    job->queue = s->array->queue;
    job->resv = s->array->resv;
    job->parent = (struct job *)s->array;
    job->place = s->place;
    return job;
}

const struct job *subjob_view(const struct subjob *s, struct arena *arena)
{
    int64_t index;
    struct job *job;

    MUST(s->array && s->place != INDEX_NO_PLACE);
    if (s->job)
        return s->job;
    index = subjob_index(s->array, s->place);
    job = view_new(s, arena);
    set_num(&job->obj, JOB_A_JOB_STATE, 'Q', arena);
    set_num(&job->obj, JOB_A_SUBSTATE, JOB_SUB_QUEUED, arena);
    set_text(&job->obj, JOB_A_ARRAY_ID, s->array->obj.id, arena);
    set_text(&job->obj, JOB_A_ARRAY_INDEX, arena_printf(arena, "%" PRId64, index),
             arena);
    name_file(&job->obj, JOB_A_OUTPUT_PATH, index, arena);
    name_file(&job->obj, JOB_A_ERROR_PATH, index, arena);
    if (s->end)
        view_end(&job->obj, s, arena);
    return job;
}

const char *array_state_count(const struct job *array, struct arena *arena)
{
    const struct job_array *a = array->array;
    /* Of an array that is history they count as finished (attributes.md 14.2). */
    bool past = job_state(array) == 'F';

    return arena_printf(arena, "Queued:%zu Running:%zu Exiting:%zu Expired:%zu",
                        a->waiting.n, a->n_running, a->n_exiting,
                        past ? 0 : a->n_expired + a->ends.n_places);
}

const char *array_indices_remaining(const struct job_array *a, struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret;

    index_set_print(&a->waiting, &text);
    ret = arena_strndup(arena, text.data, text.len);
    buf_fini(&text);
    return ret;
}

/* A subjob's object counts for its parent, or does so no longer (sign -1). */
static void count(struct job_array *a, const struct job *j, int sign)
{
    char state = job_state(j);
    bool waits = sign > 0 ? state == 'Q' : !array_ends_find(&a->ends, j->place);

    a->n_running += state == 'R' ? (size_t)sign : 0;
    a->n_exiting += state == 'E' ? (size_t)sign : 0;
    a->n_expired += state == 'X' ? (size_t)sign : 0;
    a->n_again += state == 'Q' ? (size_t)sign : 0;
    /* Without its object a subjob waits, unless it is over. */
    index_set_put(&a->waiting, j->place, waits);
}

size_t job_weight(const struct job *job)
{
    if (!job->array)
        return job_state(job) == 'X' ? 0 : 1;
    MUST(job->array->waiting.n >= job->array->n_again);
    return job->array->waiting.n - job->array->n_again;
}

size_t new_job_weight(const char *indices)
{
    struct index_range range;

    return indices && index_range_parse(indices, &range) == 0
               ? (size_t)index_range_count(&range)
               : 1;
}

/* One of its subjobs came or went. */
static void weigh_again(struct model *m, struct job *array)
{
    size_t weight = job_weight(array);

    if (!array->tallied || weight == array->weight)
        return;
    tallies_reweigh(&m->tallies, array, weight);
    if (array->queue)
        tallies_reweigh(&array->queue->tallies, array, weight);
    array->weight = weight;
}

static void join_array(struct model *m, struct job *j)
{
    struct object *o = find_object(m, OBJ_JOB, obj_str(&j->obj, JOB_A_ARRAY_ID, ""));
    struct job *array = o ? STRUCT_OF(o, struct job, obj) : NULL;
    size_t place;

    MUST(!j->parent);
    if (!array || !array->array)
        return;
    place =
        index_range_place(&array->array->waiting.range,
                          strtoll(obj_str(&j->obj, JOB_A_ARRAY_INDEX, "-1"), NULL, 10));
    if (place == INDEX_NO_PLACE)
        return;
    j->parent = array;
    j->place = place;
    DL_APPEND2(array->array->first, j, array_prev, array_next);
    array->array->n_subjobs++;
    count(array->array, j, 1);
    weigh_again(m, array);
}

static void leave_array(struct model *m, struct job *j)
{
    struct job *array = j->parent;
    struct job_array *a = array->array;

    DL_DELETE2(a->first, j, array_prev, array_next);
    a->n_subjobs--;
    count(a, j, -1);
    j->parent = NULL;
    weigh_again(m, array);
}

/* What the parent's own attributes say. Its objects stay where they are. */
static void make_array(struct job *j)
{
    const char *submitted = obj_str(&j->obj, JOB_A_ARRAY_INDICES_SUBMITTED, "");
    const char *ends = obj_str(&j->obj, JOB_A_HF_ARRAY_ENDS, "");
    struct job_array *a = j->array;
    struct index_range range;

    if (index_range_parse(submitted, &range) != 0 ||
        index_range_count(&range) > INDEX_MAX_PLACES)
        return;
    if (!a)
        a = j->array = xcalloc(1, sizeof(*a));
    index_set_fini(&a->waiting);
    array_ends_fini(&a->ends);
    index_set_init(&a->waiting, &range, true);
    /* A store that was edited may say nonsense; then the subjobs are not over. */
    (void)!array_ends_read(&a->ends, &range, ends);
    for (size_t i = 0; i < a->ends.n; i++)
        index_set_put_run(&a->waiting, a->ends.v[i].first, a->ends.v[i].last, false);
    for (struct job *sub = a->first; sub; sub = sub->array_next)
        index_set_put(&a->waiting, sub->place, job_state(sub) == 'Q');
}

void link_array(struct model *m, struct job *j)
{
    if (obj_is_set(&j->obj, JOB_A_ARRAY_INDICES_SUBMITTED))
        make_array(j);
    else if (obj_is_set(&j->obj, JOB_A_ARRAY_ID))
        join_array(m, j);
}

void unlink_array(struct model *m, struct job *j)
{
    if (j->parent)
        leave_array(m, j);
}

void array_free(struct job *j)
{
    struct job *sub, *next;

    if (!j->array)
        return;
    DL_FOREACH_SAFE2 (j->array->first, sub, next, array_next)
        sub->parent = NULL; /* it stays without an array */
    index_set_fini(&j->array->waiting);
    array_ends_fini(&j->array->ends);
    free(j->array);
    j->array = NULL;
}

static bool same_places(const struct index_set *a, const struct index_set *b)
{
    if (a->n != b->n || a->n_places != b->n_places)
        return false;
    for (size_t at = 0; (at = index_set_next(a, at)) != INDEX_NO_PLACE; at++)
        if (!index_set_has(b, at))
            return false;
    return true;
}

bool arrays_same(const struct job_array *a, const struct job_array *b)
{
    if (!a || !b)
        return a == b;
    return same_places(&a->waiting, &b->waiting) && a->n_subjobs == b->n_subjobs &&
           a->n_running == b->n_running && a->n_exiting == b->n_exiting &&
           a->n_expired == b->n_expired && a->n_again == b->n_again &&
           a->ends.n == b->ends.n && a->ends.n_places == b->ends.n_places;
}
