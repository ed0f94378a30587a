/* expect.c - the lines of a scenario that look.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_words.h"
#include "script.h"
#include "server/decide/resv_proposal.h"
#include "server/model/hot_start.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/model/resv_oversub.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static const struct object *labelled(const struct sim *s, const char *label)
{
    const char *id = label_id(s, label);
    const struct object *o;

    if (!id)
        return NULL;
    o = model_find(shell_model(s), OBJ_RESV, id);
    return o ? o : model_find(shell_model(s), OBJ_JOB, id);
}

static void state_text(const struct object *o, struct buf *out)
{
    if (!o)
        buf_add_str(out, "gone");
    else if (o->kind == OBJ_JOB)
        buf_add_char(out, job_state(TO_JOB(o)));
    else
        buf_add_str(out, resv_state_short(obj_num(o, RESV_A_RESERVE_STATE, 0)));
}

/* As it is shown: 10 for a confirmed series with a later occurrence that is degraded.
 */
static int64_t substate_of(const struct object *o)
{
    if (o->kind == OBJ_JOB)
        return obj_num(o, JOB_A_SUBSTATE, 0);
    if (resv_phase(TO_RESV(o)) == PHASE_CONFIRMED && resv_later_is_degraded(TO_RESV(o)))
        return resv_phase_substate(PHASE_DEGRADED);
    return obj_num(o, RESV_A_RESERVE_SUBSTATE, 0);
}

/* "R1 state RN", "R1 state RN substate 10", "R1 state gone" */
static void expect_state(struct sim *s, const struct words *w)
{
    const struct object *o = labelled(s, w->v[1]);
    const char *substate = words_after(w, "substate");
    int64_t is = o ? substate_of(o) : 0;
    struct buf text = { 0 };

    state_text(o, &text);
    if (strcmp(text.data, w->v[3]) != 0)
        check_failed(s, CHECK_EXPECT, "%s is in state %s, not %s", w->v[1], text.data,
                     w->v[3]);
    if (substate && is != atoll(substate))
        check_failed(s, CHECK_EXPECT, "%s is in substate %" PRId64 ", not %s", w->v[1],
                     is, substate);
    buf_fini(&text);
}

/* "R1 ends at 90" */
static void expect_end(struct sim *s, const struct words *w)
{
    const struct object *o = labelled(s, w->v[1]);
    int64_t end_at = o ? obj_num(o, RESV_A_RESERVE_END, 0) - SIM_EPOCH_S : -1;

    if (end_at != atoll(w->v[4]))
        check_failed(s, CHECK_EXPECT, "%s ends at %" PRId64 ", not %s", w->v[1], end_at,
                     w->v[4]);
}

static bool holds(const struct object *o, const char *vnode)
{
    const struct bookings *h = o && o->kind == OBJ_RESV ? &TO_RESV(o)->current.bookings
                               : o                      ? &TO_JOB(o)->bookings
                                                        : NULL;

    for (size_t i = 0; h && i < h->n; i++)
        if (strcmp(h->v[i].node->obj.id, vnode) == 0)
            return true;
    return false;
}

static void expect_holds(struct sim *s, const struct words *w, const char *word,
                         bool want)
{
    const char *vnode = vnode_named(s, word);

    if (holds(labelled(s, w->v[1]), vnode) != want)
        check_failed(s, CHECK_EXPECT, "%s %s %s", w->v[1],
                     want ? "does not hold" : "holds", vnode);
}

/* "J1 in late": the queue */
static void expect_in(struct sim *s, const struct words *w)
{
    const struct object *o = labelled(s, w->v[1]);
    const char *queue =
        o && o->kind == OBJ_JOB ? obj_str(o, JOB_A_QUEUE, "none") : "no queue at all";

    if (strcmp(queue, w->v[3]) != 0)
        check_failed(s, CHECK_EXPECT, "%s is in %s, not in %s", w->v[1], queue,
                     w->v[3]);
}

/* "R1 retry set", "R1 retry unset", "R1 retry at 95" */
static void expect_retry(struct sim *s, const struct words *w)
{
    const struct object *o = labelled(s, w->v[1]);
    int64_t at = o ? obj_num(o, RESV_A_RESERVE_RETRY, 0) : 0;
    const char *when = words_after(w, "at");

    if (when && at != SIM_EPOCH_S + atoll(when))
        check_failed(s, CHECK_EXPECT,
                     "the next attempt for %s is at %" PRId64 ", not %s", w->v[1],
                     at ? at - SIM_EPOCH_S : 0, when);
    if (!when && (at != 0) != (strcmp(w->v[3], "set") == 0))
        check_failed(s, CHECK_EXPECT, "%s has %s next attempt", w->v[1],
                     at ? "a" : "no");
}

/* What was said, and the words from the i-th on. */
static void expect_answer(struct sim *s, const struct words *w, const char *answer,
                          size_t first)
{
    struct buf want = { 0 };

    for (size_t i = first; i < w->n; i++)
        buf_printf(&want, "%s%s", i > first ? " " : "", w->v[i]);
    if (!answer || strcmp(answer, want.data) != 0)
        check_failed(s, CHECK_EXPECT, "%s was answered '%s', not '%s'", w->v[1],
                     answer ? answer : "nothing", want.data);
    buf_fini(&want);
}

static void expect_unanswered(struct sim *s, const struct words *w, const char *answer)
{
    if (answer)
        check_failed(s, CHECK_EXPECT, "%s was answered '%s' already", w->v[1], answer);
}

/* "R1 times 100 200": from when to when */
static void expect_times(struct sim *s, const struct words *w)
{
    const struct object *o = labelled(s, w->v[1]);
    int64_t start_at = o ? obj_num(o, RESV_A_RESERVE_START, 0) - SIM_EPOCH_S : 0;
    int64_t end_at = o ? obj_num(o, RESV_A_RESERVE_END, 0) - SIM_EPOCH_S : 0;

    if (start_at != atoll(w->v[3]) || end_at != atoll(w->v[4]))
        check_failed(s, CHECK_EXPECT, "%s is from %" PRId64 " to %" PRId64, w->v[1],
                     start_at, end_at);
}

static const struct occurrence *labelled_occurrence(struct sim *s, const char *word)
{
    struct arena *arena = arena_new();
    const char *id = label_id(s, arena_strndup(arena, word, strcspn(word, "[")));
    const struct resv *r = id ? model_resv(shell_model(s), id) : NULL;
    const struct occurrence *oc =
        r ? occurrence_at(shell_model(s), r, atoll(strchr(word, '[') + 1), arena)
          : NULL;

    arena_free(arena);
    return oc;
}

/* "R1[3] is from 100 to 200", "R1[3] is gone" */
static void expect_occurrence(struct sim *s, const struct words *w)
{
    const struct occurrence *oc = labelled_occurrence(s, w->v[1]);
    struct window is = oc ? occurrence_window(oc) : (struct window){ 0 };
    bool gone = strcmp(w->v[3], "gone") == 0;

    if (gone == (oc != NULL))
        check_failed(s, CHECK_EXPECT, "%s is %sthere", w->v[1], oc ? "" : "not ");
    else if (!gone && (is.start_at != SIM_EPOCH_S + atoll(w->v[4]) ||
                       is.end_at != SIM_EPOCH_S + atoll(w->v[6])))
        check_failed(s, CHECK_EXPECT, "%s is from %" PRId64 " to %" PRId64, w->v[1],
                     is.start_at - SIM_EPOCH_S, is.end_at - SIM_EPOCH_S);
}

static void expect_altering(struct sim *s, const struct words *w, bool want)
{
    const char *id = label_id(s, w->v[1]);
    const struct resv *r = id ? model_resv(shell_model(s), id) : NULL;

    if (!r || proposal_is_open(r) != want)
        check_failed(s, CHECK_EXPECT, "%s is %sbeing altered", w->v[1],
                     want ? "not " : "");
}

/* "R1 overlaps R2": lists it and no other one; "R1 overlaps nobody" */
static void expect_overlap(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[1]);
    const char *other = label_id(s, w->v[3]);
    const struct resv *r = id ? model_resv(shell_model(s), id) : NULL;
    struct arena *arena = arena_new();
    struct oversub list = { 0 };

    if (r)
        list = resv_oversub(shell_model(s), &r->current, sim_now_at(s), arena);
    if (!r || list.n_jobs + list.n_resvs != (other ? 1 : 0) ||
        (other && !str_same(list.n_jobs ? list.jobs[0] : list.resvs[0], other)))
        check_failed(s, CHECK_EXPECT, "%s lists %zu jobs and %zu reservations, not %s",
                     w->v[1], list.n_jobs, list.n_resvs, w->v[3]);
    arena_free(arena);
}

/* "R1 account B 1" */
static void expect_account(struct sim *s, const struct words *w)
{
    const struct entry *e = ledger_by_label(&s->ledger, w->v[1]);
    int n = e ? e->n_account[w->v[3][0] & 127] : 0;

    if (n != atoi(w->v[4]))
        check_failed(s, CHECK_EXPECT, "%s has %d accounting lines %s, not %s", w->v[1],
                     n, w->v[3], w->v[4]);
}

static void expect_vnode(struct sim *s, const struct words *w)
{
    const char *vnode = vnode_named(s, w->v[2]);
    const struct model *m = shell_model(s);
    const struct node *n = m ? model_node(m, vnode) : NULL;
    struct arena *arena = arena_new();
    const char *state = n ? node_state_text(node_state(n), arena) : "not there";

    if (strcmp(state, w->v[4]) != 0)
        check_failed(s, CHECK_EXPECT, "vnode %s is %s, not %s", vnode, state, w->v[4]);
    arena_free(arena);
}

/* "all vnodes have Priority 7" */
static void expect_all_vnodes(struct sim *s, const struct words *w)
{
    int attr = attr_find_any(kind_table(OBJ_NODE), w->v[4]);
    struct arena *arena = arena_new();

    MODEL_EACH (shell_model(s), OBJ_NODE, o) {
        const char *is = attr < 0
                             ? "unknown"
                             : attr_value_text(kind_table(OBJ_NODE)->rows[attr].type,
                                               obj_attr(o, attr), arena);

        if (!str_same(is, w->v[5]))
            check_failed(s, CHECK_EXPECT, "vnode %s has %s %s, not %s", o->id, w->v[4],
                         is ? is : "unset", w->v[5]);
    }
    arena_free(arena);
}

/* No job has a vnode. */
static void expect_no_holds(struct sim *s)
{
    MODEL_EACH (shell_model(s), OBJ_NODE, o)
        if (TO_NODE(o)->n_jobs > 0)
            check_failed(s, CHECK_EXPECT, "vnode %s is held by job %s", o->id,
                         TO_NODE(o)->jobs[0]->obj.id);
}

/* "J1 stands", "J1 runs on": for the server, and as its processes are. */
static void expect_stands(struct sim *s, const struct words *w, bool want)
{
    const struct object *o = labelled(s, w->v[1]);
    bool stands = o && job_stopped_by_host(TO_JOB(o));

    if (!o || stands != want)
        check_failed(s, CHECK_EXPECT, "%s %s for the server", w->v[1],
                     !o       ? "is gone"
                     : stands ? "stands"
                              : "does not stand");
    for (int i = 0; o && i < s->cluster.n_hosts; i++) {
        const struct run *r =
            host_run(&s->hosts[i], o->id, (int32_t)obj_num(o, JOB_A_RUN_VERSION, 0));

        if (r && r->state == RUN_ON && r->is_stopped != want)
            check_failed(s, CHECK_EXPECT, "the processes of %s %s on %s", w->v[1],
                         r->is_stopped ? "stand" : "run", s->hosts[i].name);
    }
}

/* "J1 processes stand", "J1 processes run" */
static void expect_all_processes(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[1]);

    if (id)
        expect_processes(s, id, strcmp(w->v[3], "stand") == 0);
    else
        check_failed(s, CHECK_EXPECT, "%s is gone", w->v[1]);
}

/* "hosts have no images" */
static void expect_no_images(struct sim *s)
{
    const struct file *f, *next;

    for (int i = 0; i < s->cluster.n_hosts; i++)
        HASH_ITER (hh, s->hosts[i].disk.files, f, next)
            if (strstr(f->name, ".CK"))
                check_failed(s, CHECK_EXPECT, "%s lies at %s", f->name,
                             s->hosts[i].name);
}

/* "server is hot", "server is not hot" */
static void expect_hot(struct sim *s, bool want)
{
    if (hot_start_is_on(shell_model(s)) != want)
        check_failed(s, CHECK_EXPECT, "the hot start is %s",
                     want ? "over" : "not over");
}

bool expect_do(struct sim *s, const struct words *w)
{
    if (!s->shell.up)
        check_failed(s, CHECK_EXPECT, "the server is down");
    else if (words_are(w, 1, "server is hot"))
        expect_hot(s, true);
    else if (words_are(w, 1, "server is not hot"))
        expect_hot(s, false);
    else if (words_are(w, 1, "no vnode is held"))
        expect_no_holds(s);
    else if (words_are(w, 1, "hosts have no images"))
        expect_no_images(s);
    else if (words_are(w, 1, "processes to be as the server says"))
        check_stopped(s);
    else if (words_are(w, 1, "all vnodes have * *"))
        expect_all_vnodes(s, w);
    else if (words_are(w, 1, "vnode * is *"))
        expect_vnode(s, w);
    else if (words_are(w, 1, "* is from * to *") || words_are(w, 1, "* is gone"))
        expect_occurrence(s, w);
    else if (words_are(w, 1, "* processes stand") || words_are(w, 1, "* processes run"))
        expect_all_processes(s, w);
    else if (words_are(w, 1, "* stands"))
        expect_stands(s, w, true);
    else if (words_are(w, 1, "* runs on"))
        expect_stands(s, w, false);
    else if (words_are(w, 1, "* state *"))
        expect_state(s, w);
    else if (words_are(w, 1, "* ends at *"))
        expect_end(s, w);
    else if (words_are(w, 1, "* in *"))
        expect_in(s, w);
    else if (words_are(w, 1, "* holds not *"))
        expect_holds(s, w, w->v[4], false);
    else if (words_are(w, 1, "* holds *"))
        expect_holds(s, w, w->v[3], true);
    else if (words_are(w, 1, "* retry *"))
        expect_retry(s, w);
    else if (words_are(w, 1, "* alter answered *"))
        expect_answer(s, w, client_alter_answer(s, w->v[1]), 4);
    else if (words_are(w, 1, "* move answered *"))
        expect_answer(s, w, client_move_answer(s, w->v[1]), 4);
    else if (words_are(w, 1, "* move unanswered"))
        expect_unanswered(s, w, client_move_answer(s, w->v[1]));
    else if (words_are(w, 1, "* wait answered *"))
        expect_answer(s, w, client_depend_answer(s, w->v[1]), 4);
    else if (words_are(w, 1, "* dry answered *"))
        expect_answer(s, w, client_dry_answer(s, w->v[1]), 4);
    else if (words_are(w, 1, "* why answered *"))
        expect_answer(s, w, client_why_answer(s, w->v[1]), 4);
    else if (words_are(w, 1, "* alter unanswered"))
        expect_unanswered(s, w, client_alter_answer(s, w->v[1]));
    else if (words_are(w, 1, "* answered *"))
        expect_answer(s, w, client_answer(s, w->v[1]), 3);
    else if (words_are(w, 1, "* unanswered"))
        expect_unanswered(s, w, client_answer(s, w->v[1]));
    else if (words_are(w, 1, "* times * *"))
        expect_times(s, w);
    else if (words_are(w, 1, "* altering"))
        expect_altering(s, w, true);
    else if (words_are(w, 1, "* not altering"))
        expect_altering(s, w, false);
    else if (words_are(w, 1, "* overlaps *"))
        expect_overlap(s, w);
    else if (words_are(w, 1, "* account * *"))
        expect_account(s, w);
    else
        return false;
    return true;
}
