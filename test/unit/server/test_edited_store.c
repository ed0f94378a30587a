/* test_edited_store.c - a store that somebody has edited by hand is loaded, or refused
 * with words about the row; nothing crashes, whatever was left out, doubled, exchanged
 * or made absurd.
 *
 * Each case is one world with one thing changed. It is stored, loaded and, when that is
 * granted, started and led through an hour. The cases run in a process of their own,
 * so that all that crash are named.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/store/store.h"
#include "server/model/load_check.h"
#include "server/model/occurrence.h"
#include "server/shell/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOUR 3600

/* What is stored instead of a value; NULL: its row is left out. */
static const char *const absurd[] = {
    NULL,
    "",
    " ",
    "0",
    "-1",
    "4611686018427387904",
    "x",
    "@",
    "vn[0]",
    "1.svr",
    "S1[1].svr",
    "(vn[0]:ncpus=2)+(vn[0]:ncpus=9)",
    "(vn[99]:ncpus=1)",
    "((",
    "\xff\xfe",
    "R1",
    "2#(vn[0]:ncpus=2){0-1}",
    "1795248000+600",
    "+",
    "+q@b,x",
    "q,r@b",
    "afterok 5.b",
    "on 5.b b",
    "before:12.svr",
};
/* Whom it is stored as; what is no id of its kind is among them. */
static const char *const ids[] = {
    "",
    "R",
    "[",
    "R1.svr",
    "s1.svr",
    "S1[0].svr",
    "S1[99999999999].svr",
    "S1[x].svr",
    "S2[2-3].svr",
    "S2[1-99999].svr",
    "1.svr",
    "1",
    "R99999999999999999999.svr",
    "vn[0]",
    "R1",
    "workq",
    "ncpus",
};

enum change_of {
    NOTHING,
    THE_VALUE,
    THE_RESOURCE,
    THE_ID,
    THE_KIND,
    THE_ROW,
    OTHERS
};

/* The world's objects as a store hands them over. */
static struct arena *kept;
static struct world origin; /* which some of their texts belong to */
static struct store_record objects[64];
static size_t n_objects;

static void add_row(void *arg UNUSED, const struct store_record *row,
                    const struct arena *turn UNUSED)
{
    objects[n_objects++] = *row;
}

static const struct bundles_to kept_rows = { add_row, NULL };

static void keep(struct bundles *bundles, const struct object *o, uint64_t seq)
{
    struct record *rec = record_of_object(o, kept);
    struct store_record row;

    rec->seq = seq;
    row = records_to_store(rec, kept);
    bundles_put(bundles, &row, kept, &kept_rows);
}

struct value {
    int attr;
    const char *text;
};

static void have(const char *id, size_t n, const struct value *v)
{
    struct decision d = { .arena = origin.arena };
    struct record *rec = record_add(&d.records, origin.arena, FACT_SET, OBJ_JOB, id,
                                    "root@svr", origin.now_at);

    for (size_t i = 0; i < n; i++)
        record_change(rec, origin.arena, v[i].attr, NULL, v[i].text);
    world_take(&origin, &d);
}

/* Jobs with texts that the server takes apart again: of what other servers have said,
 * who waits where, how one is stopped. */
static void jobs_with_texts_of_the_server(void)
{
    static const struct value leaves[] = {
        { JOB_A_HF_ROUTE_SENT, "True" }, { JOB_A_HF_ROUTE_SAID, "+q@b,-r@c:15001" },
        { JOB_A_HF_MOVE_TO, "q@b" },     { JOB_A_HF_MOVE_UNTIL, "4611686018427387904" },
        { JOB_A_JOB_STATE, "T" },        { JOB_A_SUBSTATE, "1" }
    };
    static const struct value routed[] = { { JOB_A_HF_ROUTE_SAID, "+q@b" },
                                           { JOB_A_HF_CAME, "True" },
                                           { JOB_A_HF_TRACK_AT, "1" },
                                           /* as earlier versions wrote it */
                                           { JOB_A_HF_TELL_UNTIL, "1700000000" } };
    static const struct value awaited[] = {
        { JOB_A_HF_WAITERS, "afterok 5.b b:15001,afterany 6.b b" },
        { JOB_A_HF_VERIFY, "afterok 7.b b:15001,after 8.b b 7 again own" },
        { JOB_A_HF_TELL_UNTIL, "b:15001 1 7,b 3 9" },
        { JOB_A_HF_VERIFY_AT, "1" },
        { JOB_A_DEPEND, "afterok:12.svr@svr:7.b@b,after:8.b@b" }
    };
    static const struct value stands[] = { { JOB_A_HF_SENT, "True" },
                                           { JOB_A_HF_SUSPEND, "admin-suspend" },
                                           { JOB_A_SUBSTATE, "43" } };
    static const struct value making[] = { { JOB_A_HF_SENT, "True" },
                                           { JOB_A_HF_CHECKPOINT, "hold" },
                                           { JOB_A_HF_RELEASE, "+-" } };

    world_job(&origin, "14.svr", "workq", NULL, NULL);
    world_job(&origin, "15.svr", "workq", NULL, NULL);
    world_job(&origin, "16.svr", "workq", NULL, NULL);
    world_job(&origin, "17.svr", "workq", "(vn[3]:ncpus=1)", NULL);
    world_job(&origin, "18.svr", "workq", "(vn[3]:ncpus=1)", NULL);
    have("14.svr", ARRAY_LEN(leaves), leaves);
    have("15.svr", ARRAY_LEN(routed), routed);
    have("16.svr", ARRAY_LEN(awaited), awaited);
    have("17.svr", ARRAY_LEN(stands), stands);
    have("18.svr", ARRAY_LEN(making), making);
}

/* It adds to all vnodes, and has done so to the first of them. */
static void a_request_that_is_kept(void)
{
    struct wire_attrs attrs = { 0 };
    struct body_manage body = { .command = MANAGER_SET,
                                .object_type = OBJECT_NODE,
                                .object_name = "@default" };
    const struct wire_request wire = { .number = BATCH_MANAGER,
                                       .user = "root",
                                       .body = &body };
    struct buf bytes = { 0 };

    wire_attrs_add(&attrs, origin.arena, "Priority", NULL, "1", WIRE_OP_INCR);
    body.attrs = attrs;
    batch_encode_request(&bytes, &wire);
    world_fact(&origin, FACT_CREATED, OBJ_REQUEST, "9", REQUEST_A_ASKED, NULL,
               arena_strndup(origin.arena, bytes.data, bytes.len));
    buf_fini(&bytes);
    world_fact(&origin, FACT_SET, OBJ_REQUEST, "9", REQUEST_A_ACTOR, NULL, "root@svr");
    world_fact(&origin, FACT_SET, OBJ_REQUEST, "9", REQUEST_A_RIGHTS, NULL, "uom");
    world_fact(&origin, FACT_SET, OBJ_REQUEST, "9", REQUEST_A_PLACE, NULL, "5");
}

/* All kinds, and the links between them: reservations that run and wait, with queues
 * and jobs, a series, a resource of the site that a vnode has. */
static void the_world_is_made(void)
{
    struct bundles *bundles = bundles_new();
    uint64_t seq = 0;

    world_new(&origin);
    world_fact(&origin, FACT_CREATED, OBJ_RESOURCE, "tapes", RESOURCE_A_TYPE, NULL,
               "long");
    world_fact(&origin, FACT_SET, OBJ_NODE, "vn[0]", NODE_A_RESOURCES_AVAILABLE,
               "tapes", "4");
    world_fact(&origin, FACT_CREATED, OBJ_HOOK, "h1", HOOK_A_TYPE, NULL, "site");
    world_reserve(&origin, 1, NOW + 60, 600);
    world_submit(&origin, "user1",
                 "reserve_start=1795248000|Resource_List.walltime=600"
                 "|Resource_List.select=1:ncpus=2|reserve_timezone=UTC"
                 "|reserve_standing=1|reserve_rrule=FREQ=DAILY;COUNT=3");
    world_confirm(&origin, "S2.svr", "3#(vn[1]:ncpus=2){1}(vn[2]:ncpus=2){0,2}");
    world_go(&origin, NOW + 61);
    world_job(&origin, "11.svr", "R1", "(vn[0]:ncpus=1)", "00:05:00");
    world_job(&origin, "12.svr", "R1", NULL, NULL);
    world_job(&origin, "13.svr", "workq", "(vn[3]:ncpus=1)", NULL);
    jobs_with_texts_of_the_server();
    a_request_that_is_kept();
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        MODEL_EACH (svr_model(origin.s), (enum obj_kind)kind, o) {
            keep(bundles, o, ++seq);
        }
    bundles_flush(bundles, &kept_rows);
    bundles_free(bundles);
    CU_ASSERT_TRUE(n_objects > 15);
}

/* Thousands of occurrences are made at once: what each has anyway is no row. */
static void test_usual_values_have_no_rows(void)
{
    const struct svr_config cfg = { .server_name = "svr",
                                    .server_host = "svr",
                                    .version = "23.06.06",
                                    .holdfast_version = "0.1.0",
                                    .root_user = "root" };
    const struct store_batch batch = { .n_records = n_objects, .records = objects };
    struct svr *s = svr_new(&cfg);
    const struct object *third;
    struct store *store;
    struct diag why;
    size_t n_rows = 0;

    for (size_t i = 0; i < n_objects; i++)
        if (strcmp(objects[i].id, "S2[2-3].svr") == 0)
            n_rows = objects[i].n;
    CU_ASSERT_EQUAL(n_rows, 2); /* times and vnodes of both */
    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &store, &why), 0);
    CU_ASSERT_EQUAL_FATAL(store_commit(store, &batch, &why), 0);
    CU_ASSERT_EQUAL_FATAL(records_load(store, NULL, s, &why), 0);
    third = model_find(svr_model(s), OBJ_OCCURRENCE, "S2[3]");
    CU_ASSERT_PTR_NOT_NULL_FATAL(third);
    CU_ASSERT_EQUAL(obj_num(third, OCCURRENCE_A_INDEX, 0), 3);
    CU_ASSERT_EQUAL(occurrence_phase(&TO_LATER(third)->occurrence), PHASE_CONFIRMED);
    store_close(store);
    svr_free(s);
}

static void test_a_value_that_cannot_be_read_is_told(void)
{
    static const struct store_change values[] = { { "enabled", "", NULL, "True" },
                                                  { "Priority", "", NULL, "many" } };
    const struct store_record queue = { .seq = 1,
                                        .actor = "",
                                        .fact = "created",
                                        .op = STORE_CREATE,
                                        .kind = "queue",
                                        .id = "q1",
                                        .n = ARRAY_LEN(values),
                                        .changes = values };
    const struct store_batch batch = { .n_records = 1, .records = &queue };
    const struct svr_config cfg = { .server_name = "svr", .server_host = "svr" };
    struct svr *s = svr_new(&cfg);
    struct store *store;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &store, &why), 0);
    CU_ASSERT_EQUAL_FATAL(store_commit(store, &batch, &why), 0);
    CU_ASSERT_EQUAL(records_load(store, NULL, s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(why.text, "queue q1 has a value of Priority that cannot be read"));
    store_close(store);
    svr_free(s);
}

/* Where the process is, so that the one that waits for it can tell. */
static struct progress_of_edits {
    size_t n, n_bad_words, n_lived;
    size_t n_kept; /* in which a request was not at its end */
    char words[200];
} * at;

struct edit_of_store {
    enum change_of what;
    size_t object, attr;
    const char *text;
    const char *id; /* of the object, for the words about it */
};

/* A copy of the object with that edit; false: its row is left out. */
static bool edited(const struct edit_of_store *e, struct arena *arena,
                   struct store_record *ret)
{
    struct store_change *v = ARENA_ARRAY(arena, struct store_change, ret->n + 1);

    memcpy(v, ret->changes, ret->n * sizeof(*v));
    ret->changes = v;
    if (e->what == THE_ROW)
        return false;
    if (e->what == THE_ID)
        ret->id = e->text;
    if (e->what == THE_KIND)
        ret->kind = e->text;
    if (e->what == THE_RESOURCE)
        v[e->attr].resource = e->text;
    if (e->what == THE_VALUE && e->text)
        v[e->attr].after = e->text;
    if (e->what == THE_VALUE && !e->text)
        v[e->attr] = v[--ret->n];
    return true;
}

static int store_edited(struct store *s, const struct edit_of_store *e,
                        struct arena *arena)
{
    struct store_record rows[ARRAY_LEN(objects)];
    struct store_batch batch = { .records = rows };
    struct diag why;

    for (size_t i = 0; i < n_objects; i++) {
        rows[batch.n_records] = objects[i];
        if (i != e->object || edited(e, arena, &rows[batch.n_records]))
            batch.n_records++;
    }
    /* Two objects of one id are what no store takes. */
    return store_commit(s, &batch, &why);
}

static bool known(void *arg UNUSED, const struct need *need, struct arena *arena UNUSED,
                  struct finding *ret)
{
    static const uint32_t addr = 0x7f000001;

    *ret = (struct finding){ .found = need->kind == NEED_ADDRS,
                             .addrs = &addr,
                             .n_addrs = need->kind == NEED_ADDRS };
    return true;
}

#define TURNS_MOST 1000

/* Start, go on with what was kept, and an hour, in which R1 ends and S2 begins. */
static void live(struct world *w)
{
    svr_start(w->s, w->now_at, SVR_WARM, &w->out);
    for (int i = 0; i < TURNS_MOST && svr_has_work(w->s); i++)
        svr_go_on(w->s, w->now_at, &w->out);
    world_attach(w, "default", CONN_SCHED, CONN_SCHED2);
    world_go(w, w->now_at + HOUR);
}

/* The administrator has to find the row: it is the edited one, or one that is left
 * alone by the edit. */
static bool names_a_row(const char *words, const struct edit_of_store *e)
{
    bool found = *e->id && strstr(words, e->id);

    for (size_t i = 0; i < n_objects && !found; i++)
        found = strstr(words, objects[i].id) != NULL;
    return (found || !*e->id) && strstr(words, "restore a backup");
}

static void load_and_live(struct store *s, const struct edit_of_store *e)
{
    const struct svr_config cfg = { .server_name = "svr",
                                    .server_host = "svr",
                                    .version = "23.06.06",
                                    .holdfast_version = "0.1.0",
                                    .root_user = "root",
                                    .known = known };
    struct world w = { .s = svr_new(&cfg), .arena = arena_new(), .now_at = NOW + 61 };
    struct diag why = { 0 };

    world_clear(&w);
    if (records_load(s, NULL, w.s, &why) == 0) {
        live(&w);
        at->n_kept += svr_model(w.s)->kinds[OBJ_REQUEST].n > 0;
        at->n_lived++;
    } else if (e->what == NOTHING || !names_a_row(why.text, e)) {
        fprintf(stderr, "words: %s (%s)\n", why.text, at->words);
        at->n_bad_words++;
    }
    world_free(&w);
}

static void try_edit(const struct edit_of_store *e)
{
    struct arena *arena = arena_new();
    struct store *s;
    struct diag why;

    if (store_open("memory:", &s, &why) == 0) {
        if (store_edited(s, e, arena) == 0)
            load_and_live(s, e);
        store_close(s);
    }
    arena_free(arena);
}

static void one(const struct edit_of_store *e, size_t from, size_t *n)
{
    const struct store_record *o = &objects[e->object];

    if ((*n)++ < from)
        return;
    at->n = *n;
    snprintf(at->words, sizeof(at->words), "%s %s, edit %d of %s.%s to \"%s\"", o->kind,
             o->id, (int)e->what, o->n ? o->changes[e->attr].attr : "",
             o->n ? o->changes[e->attr].resource : "", e->text ? e->text : "(no row)");
    try_edit(e);
}

static void edit_values(size_t object, size_t from, size_t *n)
{
    const struct store_record *o = &objects[object];
    struct edit_of_store e = { THE_VALUE, object, 0, NULL, o->id };

    for (e.attr = 0; e.attr < o->n; e.attr++) {
        e.what = THE_VALUE;
        for (size_t i = 0; i < ARRAY_LEN(absurd); i++) {
            e.text = absurd[i];
            one(&e, from, n);
        }
        e.what = THE_RESOURCE;
        e.text = *o->changes[e.attr].resource ? "" : "ncpus";
        one(&e, from, n);
        e.text = "nosuch";
        one(&e, from, n);
    }
}

static void edit_object(size_t object, size_t from, size_t *n)
{
    const struct store_record *o = &objects[object];
    struct edit_of_store e = { THE_ROW, object, 0, NULL, "" };

    one(&e, from, n);
    e.what = THE_ID;
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        e.text = e.id = ids[i];
        one(&e, from, n);
    }
    e.what = THE_KIND;
    e.id = o->id;
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++) {
        e.text = kind_name((enum obj_kind)kind);
        one(&e, from, n);
    }
    e.text = "dragon";
    one(&e, from, n);
}

/* All cases from a number on. */
static void edit_all(size_t from)
{
    size_t n = 0;

    for (size_t i = 0; i < n_objects; i++) {
        edit_object(i, from, &n);
        /* One vnode is like the other; reservations and jobs are in several states. */
        if (i > 0 && strcmp(objects[i].kind, objects[i - 1].kind) == 0 &&
            strcmp(objects[i].kind, "resv") != 0 && strcmp(objects[i].kind, "job") != 0)
            continue;
        edit_values(i, from, &n);
    }
}

/* Returns whether the cases came to their end; at->n says where it was. */
static bool run_from(size_t from)
{
    int status = -1;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        edit_all(from);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return true;
    if (status != 0)
        fprintf(stderr, "crash: %s\n", at->words);
    return status == 0;
}

static void nothing_is_refused_without_an_edit(void)
{
    const struct edit_of_store e = { .what = NOTHING, .id = "" };

    try_edit(&e);
    CU_ASSERT_EQUAL(at->n_bad_words, 0);
    CU_ASSERT_EQUAL(at->n_lived, 1);
}

static void nothing_crashes(void)
{
    size_t n_crashes = 0;

    while (!run_from(at->n))
        n_crashes++;
    printf("%zu edits, %zu are granted\n", at->n, at->n_lived);
    CU_ASSERT_TRUE(at->n_lived < at->n);
    CU_ASSERT_EQUAL(n_crashes, 0);
    CU_ASSERT_EQUAL(at->n_kept, 0);
    CU_ASSERT_EQUAL(at->n_bad_words, 0);
}

static const struct unit_case cases[] = {
    { "a value that cannot be read is told", test_a_value_that_cannot_be_read_is_told },
    { "the world has objects of all kinds", the_world_is_made },
    { "a store that nobody has edited is loaded", nothing_is_refused_without_an_edit },
    { "usual values have no rows", test_usual_values_have_no_rows },
    { "no edit of the store makes a start crash", nothing_crashes },
};

int main(void)
{
    int rc;

    at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
              0);
    if (at == MAP_FAILED)
        return 2;
    kept = arena_new();
    rc = unit_main("an edited store", cases, ARRAY_LEN(cases));
    world_free(&origin);
    arena_free(kept);
    return rc;
}
