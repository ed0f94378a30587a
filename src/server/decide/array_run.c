/* array_run.c - see array_run.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/array_run.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_comment.h"
#include "server/decide/job_end.h"
#include "server/model/job_phase.h"

#include <string.h>

static struct record *about(const struct job *job, enum fact fact, const char *actor,
                            int64_t now_at, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, OBJ_JOB, job->obj.id, actor,
                      now_at);
}

bool subjob_may_start(const struct subjob *s)
{
    char state = job_state(s->array);

    return (state == 'Q' || state == 'B') &&
           !obj_is_set(&s->array->obj, JOB_A_HF_KILL_BY) && !s->end &&
           (!s->job || job_state(s->job) == 'Q');
}

static void began_record(const struct job *array, const struct svr_config *cfg,
                         const char *actor, int64_t now_at, struct decision *out)
{
    struct record *rec = about(array, FACT_ARRAY_BEGAN, actor, now_at, out);

    record_job_event(rec, out->arena, array, JOB_EV_BEGIN, now_at);
    record_change_num(rec, out->arena, JOB_A_STIME, now_at);
    record_change_num(rec, out->arena, JOB_A_MTIME, now_at);
    record_change(rec, out->arena, JOB_A_COMMENT, NULL,
                  array_began_comment(cfg, now_at, out->arena));
}

const struct job *subjob_begin_records(const struct subjob *s,
                                       const struct svr_config *cfg, const char *actor,
                                       int64_t now_at, struct decision *out)
{
    const struct job *view = subjob_view(s, out->arena);
    struct record *made, *all;

    MUST(subjob_may_start(s));
    if (s->job)
        return s->job;
    /* One request may start several of them. */
    if (!obj_is_set(&s->array->obj, JOB_A_STIME) &&
        !array_was_decided(out, s->array->obj.id, FACT_ARRAY_BEGAN))
        began_record(s->array, cfg, actor, now_at, out);
    /* From here on a change of the array changes nothing of this subjob: it keeps what
     * it was started with. */
    all = record_of_object(&view->obj, out->arena);
    made = about(view, FACT_SUBJOB_MADE, actor, now_at, out);
    made->n_changes = all->n_changes;
    made->cap_changes = all->cap_changes;
    made->changes = all->changes;
    return view;
}

/* The exit status of a subjob that is over may be told by the same decision. */
static uint16_t substate_of(const struct job *job, int64_t status)
{
    if (obj_is_set(&job->obj, JOB_A_HF_KILL_BY) || status == ARRAY_END_NO_STATUS)
        return JOB_SUB_TERMINATED;
    return status == 0 ? JOB_SUB_FINISHED : JOB_SUB_FAILED;
}

struct array_end subjob_outcome(const struct job *job)
{
    const struct object *o = &job->obj;
    int64_t runs = obj_num(o, JOB_A_RUN_COUNT, 0);
    int64_t status = obj_num(o, JOB_A_EXIT_STATUS, ARRAY_END_NO_STATUS);

    return (struct array_end){
        .first = (uint32_t)job->place,
        .last = (uint32_t)job->place,
        .exit_status = (int32_t)status,
        .substate = substate_of(job, status),
        .run_count = (uint16_t)MAX_OF(MIN_OF(runs, UINT16_MAX), 0),
    };
}

struct record *subjob_over_record(const struct job *job, enum fact fact,
                                  int64_t exit_status, const char *actor,
                                  int64_t now_at, struct decision *out)
{
    static const char *const words[] = { "Subjob terminated", "Subjob finished",
                                         "Subjob failed" };
    struct record *rec = about(job, fact, actor, now_at, out);

    MUST(job->parent && !job->array);
    record_job_event(rec, out->arena, job, JOB_EV_EXPIRE, now_at);
    record_change(rec, out->arena, JOB_A_COMMENT, NULL,
                  words[substate_of(job, exit_status) - JOB_SUB_TERMINATED]);
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
    checkpoint_forget(job, rec, out->arena);
    return rec;
}

bool array_was_decided(const struct decision *out, const char *id, enum fact fact)
{
    for (size_t i = out->records.n; i > 0; i--)
        if (out->records.v[i - 1]->fact == fact &&
            str_same(out->records.v[i - 1]->id, id))
            return true;
    return false;
}

/* The text that this decision gives to the array's ends already; NULL: none. */
static const char *ends_decided(const struct job *array, const struct decision *out)
{
    for (size_t i = out->records.n; i > 0; i--) {
        const struct record *rec = out->records.v[i - 1];

        if (!str_same(rec->id, array->obj.id))
            continue;
        for (size_t k = 0; k < rec->n_changes; k++)
            if (rec->changes[k].attr == JOB_A_HF_ARRAY_ENDS)
                return rec->changes[k].after;
    }
    return NULL;
}

struct array_ends array_ends_of(const struct job *array, const struct decision *out)
{
    const struct array_ends *from = &array->array->ends;
    const char *text = ends_decided(array, out);
    struct array_ends copy = { 0 };
    bool read = text && array_ends_read(&copy, &array->array->waiting.range, text);

    MUST(!text || read); /* we have written it ourselves */
    if (!text)
        array_ends_copy(&copy, from);
    return copy;
}

void array_ends_change(struct record *rec, const struct job *array,
                       const struct array_ends *ends, struct arena *arena)
{
    struct buf text = { 0 };

    array_ends_print(ends, &array->array->waiting.range, &text);
    record_change(rec, arena, JOB_A_HF_ARRAY_ENDS, NULL,
                  arena_strndup(arena, text.data, text.len));
    buf_fini(&text);
}

static void change_cut(struct record *rec, const struct job *array,
                       const struct index_set *cut, struct decision *out)
{
    static const struct array_end how = { .exit_status = ARRAY_END_NO_STATUS,
                                          .substate = JOB_SUB_TERMINATED };
    struct array_ends ends = array_ends_of(array, out);

    array_ends_add_all(&ends, cut, &how);
    array_ends_change(rec, array, &ends, out->arena);
    array_ends_fini(&ends);
}

void array_cut_record(const struct job *array, const struct index_set *cut,
                      const char *actor, int64_t now_at, struct decision *out)
{
    struct record *rec;
    struct buf text = { 0 };

    MUST(cut->n > 0);
    rec = about(array, FACT_ARRAY_CUT, actor, now_at, out);
    change_cut(rec, array, cut, out);
    /* Each of them is told of: react/job_account.c. */
    index_set_print(cut, &text);
    rec->note = arena_strndup(out->arena, text.data, text.len);
    buf_fini(&text);
}

/* What waits and is no object. */
static struct index_set waiting_places(const struct job *array)
{
    const struct job_array *a = array->array;
    struct index_set set;

    index_set_copy(&set, &a->waiting);
    for (const struct job *j = a->first; j; j = j->array_next)
        index_set_put(&set, j->place, false);
    return set;
}

void array_doom_records(const struct job *array, const char *actor, int64_t now_at,
                        uint32_t flags, struct decision *out)
{
    struct index_set cut;
    struct record *rec;

    MUST(array_is_under_way(array)); /* else it is deleted as any job is */
    if (!obj_is_set(&array->obj, JOB_A_HF_KILL_BY)) {
        cut = waiting_places(array);
        rec = about(array, FACT_JOB_KILLED, actor, now_at, out);
        record_change(rec, out->arena, JOB_A_HF_KILL_BY, NULL, actor);
        record_change_num(rec, out->arena, JOB_A_HF_KILL_AT, now_at);
        if (flags & JOB_END_NOMAIL)
            rec->reason = REASON_NO_LETTER;
        change_cut(rec, array, &cut, out);
        index_set_fini(&cut);
    }
    if ((flags & JOB_END_FORGET) && !obj_num(&array->obj, JOB_A_HF_FORGET, 0))
        record_change(about(array, FACT_SET, actor, now_at, out), out->arena,
                      JOB_A_HF_FORGET, NULL, "True");
}

void array_delete_records(const struct model *m, const struct job *array,
                          const char *actor, int64_t now_at, uint32_t flags,
                          struct decision *out)
{
    array_doom_records(array, actor, now_at, flags, out);
    if (!(flags & JOB_END_FORCE))
        return;
    for (const struct job *j = array->array->first; j; j = j->array_next)
        job_delete_records(m, j, actor, now_at, flags, out);
}
