/* verdicts.c - see verdicts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/hook_event.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define GIVEN_UP_S 30 /* an answer that comes later is nobody's any more */

static const struct {
    const char *name;
    enum hook_event hook;
    uint32_t asks;  /* the request that waits for the verdict */
    uint32_t makes; /* the one with which it comes to be */
    enum fact is_made;
} events[VERDICT_EVENTS] = {
    [VERDICT_QUEUEJOB] = { "queuejob", HOOK_QUEUEJOB, BATCH_QUEUE_JOB, BATCH_COMMIT,
                           FACT_JOB_QUEUED },
    [VERDICT_RESVSUB] = { "resvsub", HOOK_RESVSUB, BATCH_SUBMIT_RESV, BATCH_SUBMIT_RESV,
                          FACT_RESV_SUBMITTED },
};

/* One question of the server. */
struct verdict_question {
    uint64_t asker; /* as in struct need */
    enum verdict_event event;
    uint64_t conn; /* whose request waits; 0: a rule does */
    int64_t asked_at;
    bool accepted;
    struct arena *arena; /* of 'changes' */
    struct wire_attrs changes;
    struct verdict_question *prev, *next; /* the last one first */
};

static bool find_event(const char *name, enum verdict_event *ret)
{
    for (int i = 0; i < VERDICT_EVENTS; i++)
        if (strcmp(events[i].name, name) == 0) {
            *ret = (enum verdict_event)i;
            return true;
        }
    return false;
}

/* What hooks say. */

static void say(struct verdict_said *said, enum verdict_kind kind)
{
    free(said->words);
    free(said->changes);
    *said = (struct verdict_said){ .kind = kind, .takes_ms = said->takes_ms };
}

void verdicts_calm(struct verdicts *v)
{
    for (int i = 0; i < VERDICT_EVENTS; i++) {
        say(&v->said[i], VERDICT_ACCEPT);
        v->said[i].takes_ms = 0;
    }
}

/* The words from the i-th on. */
static char *rest_of(const struct words *w, size_t i)
{
    struct buf text = { 0 };
    char *copy;

    for (size_t k = i; k < w->n; k++)
        buf_printf(&text, "%s%s", k > i ? " " : "", w->v[k]);
    copy = xstrdup(text.data);
    buf_fini(&text);
    return copy;
}

bool verdicts_line(struct sim *s, const struct words *w)
{
    enum verdict_event event;
    struct verdict_said *said;

    if (w->n < 4 || !find_event(w->v[2], &event))
        return false;
    said = &s->verdicts.said[event];
    if (words_are(w, 3, "accept")) {
        say(said, VERDICT_ACCEPT);
    } else if (words_are(w, 3, "reject *")) {
        say(said, VERDICT_REJECT);
        said->words = rest_of(w, 4);
    } else if (words_are(w, 3, "set *")) {
        say(said, VERDICT_ACCEPT);
        said->changes = rest_of(w, 4);
    } else if (words_are(w, 3, "fail")) {
        say(said, VERDICT_FAIL);
    } else if (words_are(w, 3, "never answer")) {
        say(said, VERDICT_NEVER);
    } else if (words_are(w, 3, "answer after *")) {
        said->takes_ms = 1000 * atoll(w->v[5]);
    } else {
        return false;
    }
    return true;
}

/* "name=value name.resource=value" */
static struct wire_attrs parse_changes(const char *text, struct arena *arena)
{
    struct wire_attrs list = { 0 };
    char *rest = NULL;

    for (char *word = strtok_r(arena_strdup(arena, text ? text : ""), " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '='), *resource;

        MUST(value); /* or the scenario is wrong */
        *value++ = '\0';
        resource = strchr(word, '.');
        if (resource)
            *resource++ = '\0';
        wire_attrs_add(&list, arena, word, resource, value, WIRE_OP_SET);
    }
    return list;
}

bool verdicts_say(struct sim *s, const struct need *need, struct arena *arena,
                  struct finding *ret, int64_t *ret_takes_ms)
{
    const struct verdict_said *said;
    enum verdict_event event;

    MUST(need->kind == NEED_VERDICT && need->asker != 0);
    if (!find_event(need->name, &event)) {
        check_failed(s, CHECK_VERDICT, "hooks of the event %s are asked", need->name);
        return false;
    }
    said = &s->verdicts.said[event];
    *ret = (struct finding){
        .found = said->kind == VERDICT_ACCEPT,
        .failed = said->kind == VERDICT_FAIL,
        .words = arena_strdup(arena, said->words),
        .changes = parse_changes(said->changes, arena),
    };
    *ret_takes_ms = said->takes_ms;
    return said->kind != VERDICT_NEVER;
}

/* Questions. */

static void drop(struct verdicts *v, struct verdict_question *q)
{
    DL_DELETE(v->questions, q);
    arena_free(q->arena);
    free(q);
}

void verdicts_forget(struct verdicts *v)
{
    while (v->questions)
        drop(v, v->questions);
}

void verdicts_fini(struct verdicts *v)
{
    verdicts_forget(v);
    verdicts_calm(v);
}

void verdicts_learned(struct sim *s, const struct need *need, const struct finding *f)
{
    struct verdict_question *q;

    DL_FOREACH (s->verdicts.questions, q) {
        if (q->asker != need->asker)
            continue;
        sim_trace(s, "hooks of %s: %s%s", events[q->event].name,
                  f->failed  ? "fail"
                  : f->found ? "accept"
                             : "reject",
                  sim_now_at(s) < q->asked_at + GIVEN_UP_S ? "" : ", too late");
        q->accepted = f->found && sim_now_at(s) < q->asked_at + GIVEN_UP_S;
        q->changes = finding_copy(f, q->arena).changes;
    }
}

/* Whose request a question or a new object of this turn belongs to. What belongs to
 * none is a rule's. */
static uint64_t owner(const struct sim *s, uint64_t conn, uint32_t request)
{
    const struct conn *c = conn ? net_conn(&s->net, conn) : NULL;

    return c && c->asked == request ? conn : 0;
}

static void remember(struct sim *s, uint64_t conn, const struct need *need)
{
    struct verdict_question *q = xcalloc(1, sizeof(*q));

    q->arena = arena_new();
    q->asker = need->asker;
    q->asked_at = sim_now_at(s);
    if (!find_event(need->name, &q->event))
        check_failed(s, CHECK_VERDICT, "hooks of the event %s are asked", need->name);
    q->conn = owner(s, conn, events[q->event].asks);
    DL_PREPEND(s->verdicts.questions, q);
}

/* Of a rule: the answer of any of its questions, since nothing here says which. */
static struct verdict_question *question_of(const struct sim *s,
                                            enum verdict_event event, uint64_t conn)
{
    struct verdict_question *q;

    DL_FOREACH (s->verdicts.questions, q) {
        if (q->event == event && q->conn == conn && (conn || q->accepted))
            return q;
    }
    return NULL;
}

static bool has_hook(const struct model *m, enum hook_event event)
{
    MODEL_EACH (m, OBJ_HOOK, o) {
        if (hook_events_of(obj_str(o, HOOK_A_EVENT, "")) & event)
            return true;
    }
    return false;
}

static bool has_change(const struct record *rec, const struct wire_attr *a)
{
    int attr = attr_find_any(kind_table(rec->kind), a->name);

    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr &&
            str_same(rec->changes[i].resource, a->resource) &&
            str_same(rec->changes[i].after, a->value))
            return true;
    return false;
}

static void check_made(struct sim *s, enum verdict_event event, uint64_t conn,
                       const struct record *rec)
{
    struct verdict_question *q = NULL;

    /* Its client may have gone before it was made, and what it asked for is made all
     * the same: with the answer to its own question, and not to one of a rule. */
    if (conn && !net_conn(&s->net, conn))
        q = question_of(s, event, conn);
    if (!q)
        q = question_of(s, event, owner(s, conn, events[event].makes));
    /* A job was decided about before it is committed, maybe before there was a hook. */
    if (!q && event == VERDICT_RESVSUB && has_hook(s->shell.shadow, events[event].hook))
        check_failed(s, CHECK_VERDICT, "%s came to be and no hook was asked", rec->id);
    if (!q)
        return;
    if (!q->accepted)
        check_failed(s, CHECK_VERDICT, "%s came to be and hooks have not accepted it",
                     rec->id);
    for (size_t i = 0; i < q->changes.n; i++)
        if (!has_change(rec, &q->changes.v[i]))
            check_failed(s, CHECK_VERDICT, "%s has not got the %s that a hook has set",
                         rec->id, q->changes.v[i].name);
    drop(&s->verdicts, q);
}

void check_verdicts(struct sim *s, uint64_t conn, const struct effects *turn)
{
    for (size_t i = 0; i < turn->n; i++) {
        const struct effect *e = &turn->v[i];

        if (e->kind == EFFECT_FIND_OUT && e->u.need.kind == NEED_VERDICT)
            remember(s, conn, &e->u.need);
        for (int k = 0; e->kind == EFFECT_RECORD && k < VERDICT_EVENTS; k++)
            if (e->u.record->fact == events[k].is_made)
                check_made(s, (enum verdict_event)k, conn, e->u.record);
    }
}
