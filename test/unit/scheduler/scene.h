/* scene.h - small complexes for tests of the scheduler's core, told in a few words.
 *
 * Texts are lists "name=value name.resource=value ..." as status replies show them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SCHEDULER_SCENE_H
#define TEST_UNIT_SCHEDULER_SCENE_H

#include "scheduler/sched.h"

#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define NOW      1000000

struct scene {
    struct arena *arena;
    struct snapshot *snapshot;
    struct policy *policy;
    struct plan plan;
};

static inline struct scene scene_new(void)
{
    return (struct scene){ .arena = arena_new(),
                           .snapshot = snapshot_new(),
                           .policy = policy_new() };
}

static inline void scene_free(struct scene *sc)
{
    snapshot_free(sc->snapshot);
    policy_free(sc->policy);
    arena_free(sc->arena);
}

/* "a=1 b.c=2": blanks in values are written as '~'. */
static inline void scene_attrs(struct scene *sc, struct wire_attrs *attrs,
                               const char *text)
{
    char *copy = arena_strdup(sc->arena, text);
    char *rest = NULL;

    for (char *word = strtok_r(copy, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        char *resource;

        *value++ = '\0';
        for (char *c = value; *c; c++)
            *c = *c == '~' ? ' ' : *c;
        resource = strchr(word, '.');
        if (resource)
            *resource++ = '\0';
        wire_attrs_add(attrs, sc->arena, word, resource, value, WIRE_OP_SET);
    }
}

static inline void scene_add(struct scene *sc, uint32_t type, const char *name,
                             const char *text)
{
    struct wire_objects list = { 0 };

    scene_attrs(sc, &wire_objects_add(&list, sc->arena, type, name)->attrs, text);
    snapshot_add(sc->snapshot, &list);
}

/* A free vnode on a host with 'ncpus'; 'more' may hold a state, which then counts. */
static inline void scene_vnode(struct scene *sc, const char *name, const char *host,
                               int ncpus, const char *more)
{
    char text[512];

    snprintf(text, sizeof(text),
             "resources_available.ncpus=%d resources_available.host=%s "
             "resources_available.vnode=%s license=l sharing=default_shared %s %s",
             ncpus, host, name, more, strstr(more, "state=") ? "" : "state=free");
    scene_add(sc, OBJECT_NODE, name, text);
}

/* The test bench of the demands: h hosts of one vnode each, n1 .. nh. */
static inline void scene_hosts(struct scene *sc, int hosts, int ncpus)
{
    for (int i = 1; i <= hosts; i++) {
        char name[32];

        snprintf(name, sizeof(name), "n%d", i);
        scene_vnode(sc, name, name, ncpus, "");
    }
}

static inline void scene_queue(struct scene *sc, const char *name, bool started)
{
    scene_add(sc, OBJECT_QUEUE, name,
              started ? "queue_type=Execution started=True enabled=True"
                      : "queue_type=Execution started=False enabled=True");
}

/* A reservation R<n>.svr with its queue R<n>. */
static inline void scene_resv(struct scene *sc, int n, const char *state, int start,
                              int end, const char *select, const char *more)
{
    char id[16], queue[16], text[1024];

    snprintf(id, sizeof(id), "R%d.svr", n);
    snprintf(queue, sizeof(queue), "R%d", n);
    snprintf(text, sizeof(text),
             "%s reserve_start=%d reserve_end=%d queue=%s schedselect=%s %s", state,
             start, end, queue, select, more);
    scene_add(sc, OBJECT_RESV, id, text);
    scene_queue(sc, queue, strstr(state, "reserve_state=5") != NULL);
}

static inline void scene_job(struct scene *sc, const char *id, const char *queue,
                             const char *select, const char *more)
{
    char text[1024];

    snprintf(text, sizeof(text), "queue=%s schedselect=%s %s %s", queue, select, more,
             strstr(more, "job_state=") ? "" : "job_state=Q");
    scene_add(sc, OBJECT_JOB, id, text);
}

static inline const struct plan *scene_plan(struct scene *sc)
{
    sched_plan(sc->snapshot, sc->policy, NOW, NULL, sc->arena, &sc->plan);
    return &sc->plan;
}

/* The step about that object, NULL when there is none. */
static inline const struct plan_step *scene_step(const struct scene *sc, const char *id)
{
    for (size_t i = 0; i < sc->plan.n; i++)
        if (strcmp(sc->plan.steps[i].id, id) == 0)
            return &sc->plan.steps[i];
    return NULL;
}

/* The first step of that kind about it, likewise. */
static inline const struct plan_step *scene_find(const struct scene *sc, const char *id,
                                                 enum plan_kind kind)
{
    for (size_t i = 0; i < sc->plan.n; i++)
        if (sc->plan.steps[i].kind == kind && strcmp(sc->plan.steps[i].id, id) == 0)
            return &sc->plan.steps[i];
    return NULL;
}

static inline void scene_expect(const char *story, const char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0)
        fprintf(stderr, "%s: '%s', not '%s'\n", story, got, wanted);
    CU_ASSERT_STRING_EQUAL(got, wanted);
}

/* What a step says in a form to compare: vnodes, "denied: reason", the comment. */
static inline const char *scene_said_of(const struct scene *sc,
                                        const struct plan_step *step)
{
    switch (step->kind) {
    case PLAN_CONFIRM_RESV:
    case PLAN_RUN_JOB:
        return step->vnodes;
    case PLAN_SHRINK_JOB:
    case PLAN_EXTEND_JOB:
        return step->walltime;
    case PLAN_DENY_RESV:
        return arena_printf(sc->arena, "denied: %s", step->reason);
    case PLAN_COMMENT_JOB:
        return step->reason;
    case PLAN_PREEMPT_JOBS:
        return "preempts";
    }
    return "?";
}

/* What happened to an object in that form, or "nothing". */
static inline const char *scene_said(const struct scene *sc, const char *id)
{
    const struct plan_step *step = scene_step(sc, id);

    return step ? scene_said_of(sc, step) : "nothing";
}

#define ASSERT_SAID(sc, id, expect)                                                    \
    do {                                                                               \
        const char *said_ = scene_said(sc, id);                                        \
        if (strcmp(said_, expect) != 0)                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __func__, __LINE__, id, said_);         \
        CU_ASSERT_STRING_EQUAL(said_, expect);                                         \
    } while (0)

#endif
