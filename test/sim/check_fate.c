/* check_fate.c - see check_fate.h.
 *
 *                       the reservation ends        an occurrence ends
 *                       kill   requeue  hold        kill   requeue  hold
 *   runs                gone   leaves   leaves      gone   waits    waits
 *   runs, only once     gone   gone     gone        gone   gone     gone
 *   waits               gone   leaves   leaves      stays  stays    stays
 *
 * "Leaves" and "waits" are held where the word is hold, and only then. A job that is to
 * be kept may be gone all the same: its run has ended by itself, somebody has deleted
 * it, or no queue takes it.
 *
 * An array that has begun is a job that waits, and its subjobs have fates of their own:
 * what leaves with the array follows it, after its run and the array. An array of which
 * nothing waits ends where it is. The hold is the array's, and between two occurrences
 * there is none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_fate.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

enum outcome {
    OUT_GONE,
    OUT_LEAVES,
    OUT_WAITS, /* its run has ended, and it is in the reservation */
    OUT_STAYS, /* as it was */
};

static enum outcome wanted(const struct fate *f)
{
    static const enum outcome rows[2][3] = {
        /* kill, requeue, hold; an occurrence that ends, and the reservation */
        { OUT_GONE, OUT_WAITS, OUT_WAITS },
        { OUT_GONE, OUT_LEAVES, OUT_LEAVES },
    };

    if (!f->ran && !f->is_last)
        return OUT_STAYS;
    if (f->was_doomed || (f->ran && f->once))
        return OUT_GONE;
    return rows[f->is_last][f->word];
}

static void forget(struct fates *list, struct fate *f)
{
    DL_DELETE(list->list, f);
    free(f->job_id);
    free(f->resv_id);
    free(f);
}

void fates_fini(struct fates *list)
{
    fates_forget_after(list, 0);
}

void fates_forget_after(struct fates *list, uint64_t seq)
{
    struct fate *f, *next;

    DL_FOREACH_SAFE (list->list, f, next) {
        if (f->seq > seq)
            forget(list, f);
        else if (f->over_seq > seq)
            f->over_seq = 0;
    }
}

static struct fate *find(const struct sim *s, const char *job_id)
{
    struct fate *f;

    DL_FOREACH (s->fates.list, f)
        if (strcmp(f->job_id, job_id) == 0)
            return f->over_seq ? NULL : f;
    return NULL;
}

/* The end begins. */

static bool has_user_hold(const struct job *j, const struct record *rec)
{
    struct arena *arena = arena_new();
    const char *holds = job_holds_text(j, arena);
    bool has;

    for (size_t i = 0; rec && i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_HOLD_TYPES)
            holds = rec->changes[i].after ? rec->changes[i].after : "n";
    has = strchr(holds, 'u') != NULL;
    arena_free(arena);
    return has;
}

static enum end_word word_of(const struct model *m, const struct resv *r,
                             const struct record *rec)
{
    const char *word = obj_str(&r->obj, RESV_A_ON_END,
                               obj_str(m->server, SERVER_A_RESV_DEFAULT_ON_END, ""));
    bool by_itself = rec->fact == FACT_RESV_OVER ? rec->reason != REASON_CANCELLED
                                                 : rec->reason == REASON_END_REACHED;

    if (!by_itself)
        return END_KILLS;
    return strcmp(word, "requeue") == 0 ? END_REQUEUES
           : strcmp(word, "hold") == 0  ? END_HOLDS
                                        : END_KILLS;
}

/* The run of one that goes back to its queue is over with its obituary: it waits, and
 * only its MoM has not forgotten it yet. */
static bool has_run(const struct job *j)
{
    return job_is_at_mom(j) &&
           !(job_state(j) == 'E' && obj_num(&j->obj, JOB_A_HF_REQUEUE, 0));
}

static void note(struct sim *s, const struct job *j, const struct record *rec,
                 enum end_word word)
{
    struct fate *f = xcalloc(1, sizeof(*f));

    f->job_id = xstrdup(j->obj.id);
    f->resv_id = xstrdup(rec->id);
    f->seq = rec->seq;
    f->word = word;
    f->is_last = rec->fact == FACT_RESV_ENDING;
    f->ran = has_run(j);
    f->once = !obj_num(&j->obj, JOB_A_RERUNABLE, 1);
    f->was_doomed = obj_is_set(&j->obj, JOB_A_HF_KILL_BY) ||
                    (j->parent && obj_is_set(&j->parent->obj, JOB_A_HF_KILL_BY));
    f->was_held = has_user_hold(j, NULL);
    f->is_array = array_is_under_way(j);
    f->is_subjob = j->parent != NULL;
    f->n_waiting = f->is_array ? j->array->waiting.n : 0;
    DL_PREPEND(s->fates.list, f);
}

/* A subjob that is over only waits for its array to take it over. */
static bool is_followed(const struct job *j, const struct resv *r)
{
    const struct job *whole = j->parent ? j->parent : j;

    return whole->resv == r && !job_is_leaving(whole) && job_state(j) != 'X';
}

static void begin(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = model_resv(m, rec->id);
    struct fate *f;

    if (!r || resv_phase(r) == PHASE_ENDING)
        return;
    /* A run that did not end has held up the turn of the next occurrence until the last
     * was over: now it is the end of the reservation that counts. */
    DL_FOREACH (s->fates.list, f)
        if (!f->over_seq && strcmp(f->resv_id, rec->id) == 0)
            f->over_seq = rec->seq;
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        if (is_followed(TO_JOB(o), r))
            note(s, TO_JOB(o), rec, word_of(m, r, rec));
    }
}

/* Queues. */

static bool names(const struct attr_value *list, const char *owner)
{
    size_t len = strcspn(owner, "@");

    for (size_t i = 0; list->set && i < list->u.list.n; i++)
        if (strcspn(list->u.list.v[i], "@") == len &&
            strncmp(list->u.list.v[i], owner, len) == 0)
            return true;
    return false;
}

/* It gives jobs away, which an array that has begun cannot be. */
static bool routes(const struct queue *q)
{
    return strncasecmp(obj_str(&q->obj, QUEUE_A_QUEUE_TYPE, ""), "R", 1) == 0;
}

/* Stories set no limits of queues, and no lists of groups or hosts. */
static bool takes(const struct model *m, const char *name, const struct job *j)
{
    const struct queue *q = name && *name ? model_queue(m, name) : NULL;

    return q && !q->resv && obj_num(&q->obj, QUEUE_A_ENABLED, 0) &&
           !(array_is_under_way(j) && routes(q)) &&
           (!obj_num(&q->obj, QUEUE_A_ACL_USER_ENABLE, 0) ||
            names(obj_attr(&q->obj, QUEUE_A_ACL_USERS),
                  obj_str(&j->obj, JOB_A_JOB_OWNER, "")));
}

/* The first that takes it: what the reservation names, where the job came from, the
 * default; NULL: none does. */
static const char *first_queue(const struct model *m, const struct job *j)
{
    const char *const tried[] = {
        j->resv ? obj_str(&j->resv->obj, RESV_A_ON_END_QUEUE, NULL) : NULL,
        obj_str(&j->obj, JOB_A_HF_QUEUE_BEFORE, NULL),
        obj_str(m->server, SERVER_A_DEFAULT_QUEUE, NULL),
    };

    for (size_t i = 0; i < ARRAY_LEN(tried); i++)
        if (takes(m, tried[i], j))
            return tried[i];
    return NULL;
}

/* What becomes of it. */

static void wrong(struct sim *s, const struct fate *f, const char *what)
{
    static const char *const words[] = { "kill", "requeue", "hold" };

    check_failed(s, CHECK_FATE, "job %s %s: \"%s\" at the end of %s%s, it %s%s%s%s",
                 f->job_id, what, words[f->word], f->is_last ? "" : "an occurrence of ",
                 f->resv_id, f->ran ? "ran" : "waited", f->once ? ", only once" : "",
                 f->was_doomed ? ", was being deleted" : "",
                 f->was_held ? ", was held" : "");
}

static bool is_by_server(const struct sim *s)
{
    return s->shell.turn_conn == 0;
}

static const char *text_after(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return rec->changes[i].after;
    return NULL;
}

/* The end ends its run, or deletes it. */
static void check_ended_by(struct sim *s, const struct model *m, const struct fate *f)
{
    const struct job *j = model_job(m, f->job_id);
    enum outcome want = wanted(f);

    if (want == OUT_GONE || (want == OUT_LEAVES && !first_queue(m, j)))
        return;
    wrong(s, f, "is deleted, and was to be kept");
}

/* It is over with its run. */
static void check_over(struct sim *s, const struct model *m, const struct fate *f)
{
    if (wanted(f) == OUT_GONE || (f->is_array && f->n_waiting == 0))
        return;
    if (f->is_array)
        wrong(s, f, "is over, and subjobs of it wait");
    else if (!f->ran)
        wrong(s, f, "is over without a run");
    else if (run_was_signalled(s, f->job_id) && !run_was_over_limit(m, f->job_id))
        wrong(s, f, "is over, and its run was only to end");
}

/* An array leaves when none of its subjobs has a run any longer, for those that wait.
 */
static bool may_leave(const struct job *array)
{
    for (const struct job *j = array->array->first; j; j = j->array_next)
        if (job_is_at_mom(j))
            return false;
    return array->array->waiting.n > 0;
}

static void check_leaves_resv(struct sim *s, const struct model *m,
                              const struct fate *f, const struct record *rec)
{
    const struct job *j = model_job(m, rec->id);
    const char *queue = text_after(rec, JOB_A_QUEUE);
    bool held = has_user_hold(j, rec);

    if (wanted(f) != OUT_LEAVES)
        wrong(s, f, "leaves");
    else if (f->is_array && !may_leave(j))
        wrong(s, f, "leaves, and subjobs of it run, or none waits");
    else if (!str_same(queue, first_queue(m, j)))
        wrong(s, f, "leaves for a queue that is not the first that takes it");
    else if (f->word == END_HOLDS && !held)
        wrong(s, f, "leaves without a hold");
    else if (f->word == END_REQUEUES && held != f->was_held && !f->is_touched)
        wrong(s, f, "leaves with other holds");
}

/* Also of the job: somebody does something to it. */
static bool is_touch(enum fact fact)
{
    return fact == FACT_JOB_MODIFIED || fact == FACT_JOB_KILLED ||
           fact == FACT_JOB_DELETED || fact == FACT_JOB_WITHDRAWN ||
           fact == FACT_JOB_MOVED || fact == FACT_ARRAY_CUT ||
           fact == FACT_SUBJOB_DELETED;
}

static bool is_farewell(const struct record *rec)
{
    return fact_removes(rec->fact) || fact_retires(rec->fact);
}

/* Subjobs. */

/* The array goes: somebody has deleted it, or its own end was looked at. */
static bool array_goes(const struct sim *s, const struct model *m, const char *id)
{
    const struct job *array = model_job(m, id)->parent;
    const struct fate *f = find(s, array->obj.id);

    return obj_is_set(&array->obj, JOB_A_HF_KILL_BY) || (f && f->is_touched);
}

static void check_follows(struct sim *s, const struct model *m, const struct fate *f,
                          const char *queue)
{
    const struct job *j = model_job(m, f->job_id);

    if (wanted(f) != OUT_LEAVES)
        wrong(s, f, "leaves");
    else if (job_is_at_mom(j))
        wrong(s, f, "leaves while it runs");
    else if (!str_same(queue, obj_str(&j->parent->obj, JOB_A_QUEUE, "")))
        wrong(s, f, "does not follow its array");
}

/* It is killed while it runs, or deleted while it waits for its next run. */
static bool is_deleted(enum fact fact)
{
    return fact == FACT_JOB_KILLED || fact == FACT_SUBJOB_DELETED;
}

static void check_subjob(struct sim *s, const struct model *m, struct fate *f,
                         const struct record *rec)
{
    const char *queue = rec->fact == FACT_SET ? text_after(rec, JOB_A_QUEUE) : NULL;
    bool over = rec->fact == FACT_SUBJOB_ENDED || rec->fact == FACT_SUBJOB_DELETED ||
                is_farewell(rec);

    if (is_touch(rec->fact) && !is_by_server(s))
        f->is_touched = true;
    if (f->is_touched || (wanted(f) != OUT_GONE && array_goes(s, m, f->job_id)))
        f->is_touched = true;
    else if (is_deleted(rec->fact) && wanted(f) != OUT_GONE)
        wrong(s, f, "is deleted, and was to be kept");
    else if (queue)
        check_follows(s, m, f, queue);
    else if (over && rec->fact != FACT_SUBJOB_DELETED)
        check_over(s, m, f);
    if (over || queue)
        f->over_seq = rec->seq;
}

static void check_job(struct sim *s, const struct model *m, const struct record *rec)
{
    struct fate *f = find(s, rec->id);
    bool moves = rec->fact == FACT_JOB_MOVED;

    if (!f)
        return;
    if (f->is_subjob) {
        check_subjob(s, m, f, rec);
        return;
    }
    if (is_touch(rec->fact) && !is_by_server(s)) {
        f->is_touched = true;
    } else if (rec->fact == FACT_JOB_KILLED || rec->fact == FACT_JOB_DELETED ||
               rec->fact == FACT_JOB_WITHDRAWN) {
        if (!f->is_touched)
            check_ended_by(s, m, f);
        f->is_touched = true; /* its end was looked at */
    } else if (moves) {
        check_leaves_resv(s, m, f, rec);
    } else if (is_farewell(rec) && !f->is_touched) {
        check_over(s, m, f);
    }
    if (moves || is_farewell(rec))
        f->over_seq = rec->seq;
}

/* The next occurrence has its turn, or the reservation goes: the end is over. */
static void check_kept(struct sim *s, const struct model *m, const struct fate *f)
{
    const struct job *j = model_job(m, f->job_id);
    enum outcome want = wanted(f);

    if (f->is_touched || !j)
        return;
    if (want == OUT_GONE || want == OUT_LEAVES)
        wrong(s, f, "is still there");
    else if (!j->resv || strcmp(j->resv->obj.id, f->resv_id) != 0 || job_is_at_mom(j))
        wrong(s, f, "does not wait for the next occurrence");
    else if (!f->is_subjob &&
             has_user_hold(j, NULL) !=
                 (f->was_held || (want == OUT_WAITS && f->word == END_HOLDS)))
        wrong(s, f, "has other holds");
}

static void end(struct sim *s, const struct model *m, const struct record *rec)
{
    struct fate *f;

    DL_FOREACH (s->fates.list, f)
        if (!f->over_seq && strcmp(f->resv_id, rec->id) == 0) {
            check_kept(s, m, f);
            f->over_seq = rec->seq;
        }
}

void check_fate_record(struct sim *s, const struct model *m, const struct record *rec)
{
    switch (rec->fact) {
    case FACT_RESV_OVER:
    case FACT_RESV_ENDING:
        begin(s, m, rec);
        break;
    case FACT_RESV_TURN:
    case FACT_RESV_GONE:
        end(s, m, rec);
        break;
    default:
        if (rec->kind == OBJ_JOB)
            check_job(s, m, rec);
    }
}
