/* Unit tests of lib/wire/job_record.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_record.h"

#include "../unit.h"
#include "lib/wire/dis.h"

#include <stdlib.h>
#include <string.h>

static struct job_record_task tasks[] = {
    { .number = 2, .session = 4800, .vnode = 1, .mark = "boot:7" },
    { .number = 0x20000001,
      .session = 4801,
      .vnode = 0,
      .mark = "",
      .is_attached = true },
};

/* A job with something in each place. */
static struct job_record full(struct arena *arena)
{
    struct job_record r = { .id = "6[1].svr",
                            .phase = 42,
                            .run_version = -3,
                            .session = 4711,
                            .mark = "boot:6",
                            .status = -29,
                            .status_is_set = true,
                            .since_at = 1795250303,
                            .walltime_s = 77,
                            .kill_at = INT64_MAX,
                            .cput_s = 5,
                            .mem_kb = 6,
                            .vmem_kb = JOB_RECORD_MOST,
                            .is_sister = true,
                            .own = 1,
                            .out_port = 65535,
                            .err_port = 1,
                            .ms_ip = 0x0a000001,
                            .n_tasks = 3,
                            .n_stored = ARRAY_LEN(tasks),
                            .tasks = tasks };

    wire_attrs_add(&r.attrs, arena, "Job_Name", NULL, "j\nk\"", WIRE_OP_SET);
    wire_attrs_add(&r.attrs, arena, "Resource_List", "ncpus", "1", WIRE_OP_SET);
    return r;
}

static void same(const struct job_record *a, const struct job_record *b)
{
    CU_ASSERT_STRING_EQUAL(a->id, b->id);
    CU_ASSERT(a->phase == b->phase && a->run_version == b->run_version);
    CU_ASSERT(a->session == b->session && strcmp(a->mark, b->mark) == 0);
    CU_ASSERT(a->status == b->status && a->status_is_set == b->status_is_set);
    CU_ASSERT(a->since_at == b->since_at && a->walltime_s == b->walltime_s);
    CU_ASSERT(a->kill_at == b->kill_at && a->cput_s == b->cput_s);
    CU_ASSERT(a->mem_kb == b->mem_kb && a->vmem_kb == b->vmem_kb);
    CU_ASSERT(a->is_sister == b->is_sister && a->own == b->own);
    CU_ASSERT(a->out_port == b->out_port && a->err_port == b->err_port);
    CU_ASSERT(a->ms_ip == b->ms_ip && a->n_tasks == b->n_tasks);
    CU_ASSERT_EQUAL_FATAL(a->n_stored, b->n_stored);
    for (size_t i = 0; i < a->n_stored; i++) {
        CU_ASSERT_EQUAL(a->tasks[i].number, b->tasks[i].number);
        CU_ASSERT_EQUAL(a->tasks[i].session, b->tasks[i].session);
        CU_ASSERT_EQUAL(a->tasks[i].vnode, b->tasks[i].vnode);
        CU_ASSERT_STRING_EQUAL(a->tasks[i].mark, b->tasks[i].mark);
        CU_ASSERT_EQUAL(a->tasks[i].is_attached, b->tasks[i].is_attached);
    }
    CU_ASSERT_EQUAL_FATAL(a->attrs.n, b->attrs.n);
    for (size_t i = 0; i < a->attrs.n; i++)
        CU_ASSERT_STRING_EQUAL(a->attrs.v[i].value, b->attrs.v[i].value);
}

static void test_what_is_written_is_read(void)
{
    struct arena *arena = arena_new();
    const struct job_record r = full(arena), least = { .id = "1.s", .mark = "" };
    struct job_record read;
    struct buf b = { 0 };

    job_record_encode(&r, &b);
    CU_ASSERT_TRUE_FATAL(job_record_decode(b.data, b.len, arena, &read));
    same(&r, &read);
    CU_ASSERT_TRUE(job_record_is_of(b.data, b.len, "6[1].svr"));
    CU_ASSERT_FALSE(job_record_is_of(b.data, b.len, "6[].svr"));
    buf_clear(&b);
    job_record_encode(&least, &b);
    CU_ASSERT_TRUE_FATAL(job_record_decode(b.data, b.len, arena, &read));
    same(&least, &read);
    buf_fini(&b);
    arena_free(arena);
}

/* A copy without the bytes behind the end, so that reading one of them is noticed. */
static bool reads(const char *data, size_t len)
{
    struct arena *arena = arena_new();
    char *copy = malloc(len + 1);
    struct job_record r;
    bool ok;

    memcpy(copy, data, len);
    copy = realloc(copy, len ? len : 1);
    ok = job_record_decode(copy, len, arena, &r);
    (void)job_record_is_of(copy, len, "6[1].svr");
    free(copy);
    arena_free(arena);
    return ok;
}

static void test_damage_is_refused(void)
{
    struct arena *arena = arena_new();
    const struct job_record r = full(arena);
    struct buf b = { 0 };

    job_record_encode(&r, &b);
    for (size_t len = 0; len < b.len; len++)
        CU_ASSERT_FALSE(reads(b.data, len));
    CU_ASSERT_TRUE(reads(b.data, b.len));
    buf_add_char(&b, '+');
    CU_ASSERT_FALSE(reads(b.data, b.len)); /* something behind it */
    buf_fini(&b);
    arena_free(arena);
}

static void test_numbers_that_no_job_has_are_refused(void)
{
    struct arena *arena = arena_new();
    struct job_record good = full(arena), r[7];
    struct buf b = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(r); i++)
        r[i] = good;
    r[0].phase = -1;
    r[1].session = -1;
    r[2].since_at = -1;
    r[3].mem_kb = JOB_RECORD_MOST + 1;
    r[4].n_tasks = JOB_RECORD_MAX_TASKS + 1;
    r[5].id = "";
    r[6].mark = memset(arena_zero(arena, 300), 'x', 299);
    for (size_t i = 0; i < ARRAY_LEN(r); i++) {
        buf_clear(&b);
        job_record_encode(&r[i], &b);
        CU_ASSERT_FALSE(reads(b.data, b.len));
    }
    buf_fini(&b);
    arena_free(arena);
}

/* As a MoM wrote it whose jobs had one host, one task and no marks. */
static void test_older_layouts_are_read(void)
{
    struct arena *arena = arena_new();
    struct job_record r;
    struct buf b = { 0 };

    for (int layout = 1; layout <= 4; layout++) {
        buf_clear(&b);
        dis_put_string(&b, arena_printf(arena, "HFJ%d", layout));
        dis_put_string(&b, "1.svr");
        for (int i = 0; i < 11; i++)
            dis_put_int(&b, i == 4 ? 0 : 42);
        dis_put_uint(&b, 0); /* attributes */
        for (int i = 0; layout > 1 && i < 7; i++)
            dis_put_uint(&b, i == 5);
        CU_ASSERT_EQUAL(job_record_decode(b.data, b.len, arena, &r), layout <= 2);
        if (layout > 2)
            continue;
        CU_ASSERT(r.phase == 42 && r.n_tasks == 1 && r.n_stored == 0 && !*r.mark);
    }
    buf_fini(&b);
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what is written is read", test_what_is_written_is_read },
        { "damage is refused, wherever it is cut", test_damage_is_refused },
        { "numbers that no job has are refused",
          test_numbers_that_no_job_has_are_refused },
        { "older layouts are read, newer ones are not", test_older_layouts_are_read },
    };

    return unit_main("wire/job_record", cases, ARRAY_LEN(cases));
}
