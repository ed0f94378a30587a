/* test_changes.c - what changed since a record: whoever was shown everything, and then
 * only the changes, has what a full status shows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "one_record.h"
#include "test/unit/unit.h"

#include "server/decide/config.h"
#include "server/model/changes.h"
#include "server/requests/show.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct model *m;
static struct arena *arena;

/* What a scheduler keeps of one kind: how objects looked, in the order of the server.
 */
struct mirror {
    size_t n;
    struct seen {
        char *id;
        struct buf look;
    } v[64];
};

static const enum obj_kind kinds[] = { OBJ_QUEUE, OBJ_NODE, OBJ_RESV, OBJ_JOB };

#define N_KINDS ARRAY_LEN(kinds)

static void begin(void)
{
    m = model_new("svr");
    arena = arena_new();
}

static void end(void)
{
    model_free(m);
    arena_free(arena);
}

/* One record; its changes as in one_record.h. */
static void apply(enum fact fact, enum obj_kind kind, const char *id, ...)
{
    struct record *rec;
    va_list ap;

    va_start(ap, id);
    rec = one_record(arena, fact, kind, id, ap);
    va_end(ap);
    rec->seq = m->seq + 1;
    model_apply(m, rec);
    changes_check(m);
}

static void look_at(const struct object *o, struct buf *out)
{
    static const struct svr_view view;
    const struct requester who = { .user = "root", .host = "svr", .rights = ~0u };
    static const struct svr_config cfg = { .server_name = "svr", .server_host = "svr" };
    static const struct wire_request wire;
    const struct asked all = { .all = true };
    struct request rq = { .who = &who, .actor = "root@svr", .now_at = 1 };

    rq.view = &view;
    rq.cfg = &cfg;
    rq.wire = &wire;
    rq.arena = arena;
    show_encode(m, &rq, o, &all, out);
}

static size_t seen_at(const struct mirror *mi, const char *id)
{
    size_t i = 0;

    while (i < mi->n && strcmp(mi->v[i].id, id) != 0)
        i++;
    return i;
}

static void forget(struct mirror *mi, const char *id)
{
    size_t i = seen_at(mi, id);

    /* It may have come and gone between two questions. */
    if (i == mi->n)
        return;
    free(mi->v[i].id);
    buf_fini(&mi->v[i].look);
    memmove(&mi->v[i], &mi->v[i + 1], (mi->n - i - 1) * sizeof(mi->v[i]));
    mi->n--;
}

static void see(struct mirror *mi, const struct object *o)
{
    size_t i = seen_at(mi, o->id);

    CU_ASSERT_FATAL(i < ARRAY_LEN(mi->v));
    if (i == mi->n)
        mi->v[mi->n++] = (struct seen){ .id = xstrdup(o->id) };
    buf_clear(&mi->v[i].look);
    look_at(o, &mi->v[i].look);
}

static void patch(struct mirror *mi, enum obj_kind kind, uint64_t since)
{
    size_t n;
    const char **gone = changes_gone(m, kind, since, arena, &n);
    const struct object **changed;

    for (size_t i = 0; i < n; i++)
        forget(mi, gone[i]);
    changed = changes_since(m, kind, since, arena, &n);
    for (size_t i = 0; i < n; i++)
        see(mi, changed[i]);
}

static bool is_full(const struct mirror *mi, enum obj_kind kind)
{
    struct buf fresh = { 0 };
    bool same = mi->n == m->kinds[kind].n;
    size_t i = 0;

    MODEL_EACH (m, kind, o) {
        if (!same)
            break;
        buf_clear(&fresh);
        look_at(o, &fresh);
        same = strcmp(mi->v[i].id, o->id) == 0 && mi->v[i].look.len == fresh.len &&
               memcmp(mi->v[i].look.data, fresh.data, fresh.len) == 0;
        if (!same)
            printf("%s is not as it was told\n", o->id);
        i++;
    }
    buf_fini(&fresh);
    return same;
}

static void clear(struct mirror *mi)
{
    while (mi->n > 0)
        forget(mi, mi->v[0].id);
}

static uint32_t dice = 1;

static unsigned roll(unsigned sides)
{
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 16) % sides;
}

static void change_node(const char *id)
{
    const struct node *n = model_node(m, id);

    if (!n)
        apply(FACT_CREATED, OBJ_NODE, id, "Mom", "h", "resources_available.ncpus", "4",
              NULL);
    else if (roll(3) == 0 && n->n_jobs == 0 && n->n_occurrences == 0)
        apply(FACT_DELETED, OBJ_NODE, id, NULL);
    else
        apply(FACT_SET, OBJ_NODE, id, "comment", roll(2) ? "x" : "y", NULL);
}

static void change_job(const char *id)
{
    const struct job *j = model_job(m, id);

    if (!j)
        apply(FACT_JOB_QUEUED, OBJ_JOB, id, "job_state", "Q", "queue", "workq",
              "Resource_List.ncpus", "1", NULL);
    else if (obj_num(&j->obj, JOB_A_JOB_STATE, 0) == 'Q' && model_node(m, "n0"))
        apply(FACT_JOB_RUN, OBJ_JOB, id, "job_state", "R", "exec_vnode", "(n0:ncpus=1)",
              NULL);
    else
        apply(FACT_DELETED, OBJ_JOB, id, NULL);
}

static void change_resv(const char *id)
{
    const struct resv *r = model_resv(m, id);

    if (!r)
        apply(FACT_RESV_SUBMITTED, OBJ_RESV, id, "reserve_state", "1",
              "Resource_List.ncpus", "1", NULL);
    else if (obj_num(&r->obj, RESV_A_RESERVE_STATE, 0) == 1 && model_node(m, "n1"))
        apply(FACT_RESV_CONFIRMED, OBJ_RESV, id, "reserve_state", "2", "resv_nodes",
              "(n1:ncpus=1)", NULL);
    else
        apply(FACT_RESV_GONE, OBJ_RESV, id, NULL);
}

static void change_something(void)
{
    static const char *const nodes[] = { "n0", "n1", "n2", "n3" };
    static const char *const jobs[] = { "1.svr", "2.svr", "3.svr" };
    static const char *const resvs[] = { "R8.svr", "R9.svr" };

    switch (roll(4)) {
    case 0:
        change_node(nodes[roll(4)]);
        break;
    case 1:
        change_job(jobs[roll(3)]);
        break;
    case 2:
        change_resv(resvs[roll(2)]);
        break;
    default:
        apply(FACT_SET, OBJ_QUEUE, "workq", "Priority", roll(2) ? "1" : "2", NULL);
        break;
    }
}

static void test_full_then_patched_equals_full(void)
{
    struct mirror mirrors[N_KINDS] = { 0 };
    uint64_t since = 0;

    begin();
    apply(FACT_CREATED, OBJ_QUEUE, "workq", "queue_type", "Execution", NULL);
    for (int round = 0; round < 2000; round++) {
        for (unsigned n = roll(6); n > 0; n--)
            change_something();
        CU_ASSERT_TRUE(changes_are_known(m, since));
        for (size_t k = 0; k < N_KINDS; k++) {
            patch(&mirrors[k], kinds[k], since);
            CU_ASSERT_TRUE_FATAL(is_full(&mirrors[k], kinds[k]));
        }
        since = m->seq;
    }
    for (size_t k = 0; k < N_KINDS; k++)
        clear(&mirrors[k]);
    end();
}

static void test_only_what_changed_is_told(void)
{
    size_t n;
    const struct object **v;

    begin();
    apply(FACT_CREATED, OBJ_NODE, "n1", "Mom", "h1", NULL);
    apply(FACT_CREATED, OBJ_NODE, "n2", "Mom", "h2", NULL);
    apply(FACT_CREATED, OBJ_NODE, "n3", "Mom", "h3", NULL);
    apply(FACT_SET, OBJ_NODE, "n1", "comment", "x", NULL);
    v = changes_since(m, OBJ_NODE, 2, arena, &n);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    /* The one that changed last is older, and so it comes first. */
    CU_ASSERT_STRING_EQUAL(v[0]->id, "n1");
    CU_ASSERT_STRING_EQUAL(v[1]->id, "n3");
    changes_since(m, OBJ_NODE, m->seq, arena, &n);
    CU_ASSERT_EQUAL(n, 0);
    end();
}

static void test_a_vnode_that_comes_back_has_gone_first(void)
{
    size_t n;
    const char **gone;

    begin();
    apply(FACT_CREATED, OBJ_NODE, "n1", "Mom", "h1", NULL);
    apply(FACT_DELETED, OBJ_NODE, "n1", NULL);
    apply(FACT_CREATED, OBJ_NODE, "n1", "Mom", "h1", NULL);
    gone = changes_gone(m, OBJ_NODE, 1, arena, &n);
    CU_ASSERT_EQUAL_FATAL(n, 1);
    CU_ASSERT_STRING_EQUAL(gone[0], "n1");
    changes_gone(m, OBJ_JOB, 1, arena, &n);
    CU_ASSERT_EQUAL(n, 0);
    changes_gone(m, OBJ_NODE, 2, arena, &n);
    CU_ASSERT_EQUAL(n, 0);
    end();
}

static void test_a_ring_that_ran_over_says_so(void)
{
    uint64_t first_gone_seq = 2;
    size_t n;

    begin();
    for (int i = 0; i < CHANGES_MAX_GONE; i++) {
        apply(FACT_CREATED, OBJ_NODE, "n1", NULL);
        apply(FACT_DELETED, OBJ_NODE, "n1", NULL);
    }
    CU_ASSERT_TRUE(changes_are_known(m, 0));
    apply(FACT_CREATED, OBJ_NODE, "n1", NULL);
    apply(FACT_DELETED, OBJ_NODE, "n1", NULL);
    CU_ASSERT_FALSE(changes_are_known(m, first_gone_seq - 1));
    CU_ASSERT_TRUE(changes_are_known(m, first_gone_seq));
    changes_gone(m, OBJ_NODE, first_gone_seq, arena, &n);
    CU_ASSERT_EQUAL(n, CHANGES_MAX_GONE);
    end();
}

static void test_what_cannot_be_told_is_refused(void)
{
    begin();
    apply(FACT_CREATED, OBJ_NODE, "n1", NULL);
    CU_ASSERT_TRUE(changes_are_known(m, 1));
    CU_ASSERT_FALSE(changes_are_known(m, 2));
    apply(FACT_CREATED, OBJ_RESOURCE, "foo", "type", "long", "flag", "nh", NULL);
    CU_ASSERT_FALSE(changes_are_known(m, 1));
    CU_ASSERT_TRUE(changes_are_known(m, 2));
    end();
    /* After a restart nobody knows what went before. */
    begin();
    model_loaded(m, 7);
    CU_ASSERT_FALSE(changes_are_known(m, 6));
    CU_ASSERT_TRUE(changes_are_known(m, 7));
    end();
}

static const struct unit_case cases[] = {
    { "full, then patched, equals full", test_full_then_patched_equals_full },
    { "only what changed is told", test_only_what_changed_is_told },
    { "a vnode that comes back has gone first",
      test_a_vnode_that_comes_back_has_gone_first },
    { "a ring that ran over says so", test_a_ring_that_ran_over_says_so },
    { "what cannot be told is refused", test_what_cannot_be_told_is_refused },
};

int main(void)
{
    return unit_main("server changes", cases, ARRAY_LEN(cases));
}
