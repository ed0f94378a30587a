/* Unit tests of lib/wire/job_notes.c and of notes in lib/wire/job_file.c: a record with
 * its notes is what a record written whole would be; a note that was cut short or is of
 * another record is none; damage is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_notes.h"

#include "../unit.h"
#include "lib/wire/dis.h"

#include <stdlib.h>
#include <string.h>

static struct job_record_task first_tasks[] = {
    { .number = 2, .session = 4802, .vnode = 0, .mark = "boot:2" },
    { .number = 3, .session = 4803, .vnode = 0, .mark = "boot:3" },
};

static struct job_record a_record(void)
{
    return (struct job_record){ .id = "7.svr",
                                .phase = 42,
                                .session = 4711,
                                .mark = "boot:1",
                                .cput_s = 1,
                                .n_tasks = 3,
                                .n_stored = ARRAY_LEN(first_tasks),
                                .tasks = first_tasks };
}

static struct job_note begins(uint32_t number)
{
    return (struct job_note){ .task = { .number = number,
                                        .session = 4800 + (int32_t)number,
                                        .vnode = 1,
                                        .mark = "boot:9",
                                        .is_attached = number % 2 },
                              .n_tasks = number,
                              .cput_s = number,
                              .mem_kb = 10,
                              .vmem_kb = 20 };
}

static struct job_note ends(uint32_t number, uint32_t n_tasks)
{
    return (struct job_note){ .task.number = number,
                              .has_ended = true,
                              .n_tasks = n_tasks,
                              .cput_s = 100 + number };
}

static void make(struct buf *file, const struct job_record *r)
{
    struct buf b = { 0 };

    buf_clear(file);
    job_record_encode(r, &b);
    job_file_make(b.data, b.len, 0, file, NULL);
    buf_fini(&b);
}

static void write_next(struct buf *file, const struct job_record *r)
{
    struct job_file f = job_file_read(file->data, file->len);
    struct buf record = { 0 }, b = { 0 };
    size_t offset;

    job_record_encode(r, &record);
    CU_ASSERT_FATAL(job_file_next(&f, record.data, record.len, 0, &b, &offset));
    memcpy(file->data + offset, b.data, b.len);
    buf_fini(&record);
    buf_fini(&b);
}

/* The bytes of one more note, and where they go. */
static bool next_bytes(const struct buf *file, const char *note, size_t len,
                       struct buf *ret, size_t *ret_offset)
{
    struct job_file f = job_file_read(file->data, file->len);

    buf_clear(ret);
    return job_file_add_note(&f, note, len, ret, ret_offset);
}

static bool write_bytes(struct buf *file, const char *note, size_t len)
{
    struct buf b = { 0 };
    size_t offset;
    bool ok = next_bytes(file, note, len, &b, &offset);

    if (ok) {
        CU_ASSERT_FATAL(offset + b.len <= file->len);
        memcpy(file->data + offset, b.data, b.len);
    }
    buf_fini(&b);
    return ok;
}

static bool write_note(struct buf *file, struct job_note n)
{
    struct buf note = { 0 };
    bool ok;

    job_note_encode(&n, &note);
    ok = write_bytes(file, note.data, note.len);
    buf_fini(&note);
    return ok;
}

/* Read a copy without the bytes behind the end; the record lies in the arena. */
static bool folds(const struct buf *file, struct arena *arena, struct job_record *ret)
{
    char *copy = malloc(file->len);
    struct buf b = { 0 };
    struct job_file f;
    bool ok;

    memcpy(copy, file->data, file->len);
    f = job_file_read(copy, file->len);
    ok = job_notes_fold(&f, &b);
    CU_ASSERT(ok || b.len == 0);
    if (ok)
        CU_ASSERT_TRUE_FATAL(job_record_decode(b.data, b.len, arena, ret));
    buf_fini(&b);
    free(copy);
    return ok;
}

/* The numbers of the tasks that it has: "2 3 ". */
static void has_tasks(const struct buf *file, const char *expect)
{
    struct arena *arena = arena_new();
    struct buf b = { 0 };
    struct job_record r;

    buf_add_str(&b, "");
    CU_ASSERT_TRUE_FATAL(folds(file, arena, &r));
    for (size_t i = 0; i < r.n_stored; i++)
        buf_printf(&b, "%u ", r.tasks[i].number);
    CU_ASSERT_STRING_EQUAL(b.data, expect);
    buf_fini(&b);
    arena_free(arena);
}

static void test_tasks_begin_and_end(void)
{
    struct job_record r = a_record(), read;
    struct arena *arena = arena_new();
    struct buf file = { 0 };
    struct job_file f;

    make(&file, &r);
    has_tasks(&file, "2 3 ");
    CU_ASSERT_TRUE(write_note(&file, begins(4)));
    CU_ASSERT_TRUE(write_note(&file, ends(2, 4)));
    CU_ASSERT_TRUE(write_note(&file, begins(5)));
    CU_ASSERT_TRUE(write_note(&file, ends(4, 5)));
    CU_ASSERT_TRUE(write_note(&file, ends(9, 5))); /* it had never begun */
    f = job_file_read(file.data, file.len);
    CU_ASSERT(f.n_notes == 5 && !f.is_damaged);
    CU_ASSERT_TRUE_FATAL(folds(&file, arena, &read));
    CU_ASSERT_EQUAL_FATAL(read.n_stored, 2);
    CU_ASSERT(read.tasks[0].number == 3 && read.tasks[0].session == 4803);
    CU_ASSERT(read.tasks[1].number == 5 && read.tasks[1].session == 4805);
    CU_ASSERT(read.tasks[1].vnode == 1 && read.tasks[1].is_attached);
    CU_ASSERT_STRING_EQUAL(read.tasks[1].mark, "boot:9");
    /* The last note says what changes with the tasks. */
    CU_ASSERT(read.n_tasks == 5 && read.cput_s == 109 && read.mem_kb == 0);
    CU_ASSERT(read.session == 4711 && strcmp(read.id, "7.svr") == 0);
    /* The same task once more: what was said last counts. */
    CU_ASSERT_TRUE(write_note(&file, begins(4)));
    has_tasks(&file, "3 4 5 ");
    buf_fini(&file);
    arena_free(arena);
}

/* Written in turns: places have notes of records that do not count any more. */
static void test_the_next_record_makes_notes_void(void)
{
    struct job_record r = a_record();
    struct buf file = { 0 }, old = { 0 };

    make(&file, &r);
    CU_ASSERT_TRUE(write_note(&file, ends(2, 3)));
    CU_ASSERT_TRUE(write_note(&file, begins(4)));
    has_tasks(&file, "3 4 ");
    write_next(&file, &r);
    has_tasks(&file, "2 3 ");
    CU_ASSERT_TRUE(write_note(&file, begins(5)));
    has_tasks(&file, "2 3 5 ");
    /* The third record is as long as the first, so that its notes lie right behind. */
    write_next(&file, &r);
    has_tasks(&file, "2 3 ");
    CU_ASSERT_TRUE(write_note(&file, begins(6)));
    has_tasks(&file, "2 3 6 ");
    /* A record that was cut short leaves the one before, with its notes. */
    buf_add(&old, file.data, file.len);
    write_next(&file, &r);
    memset(file.data + file.len / 2 + 50, 'x', 1);
    has_tasks(&file, "2 3 6 ");
    buf_fini(&file);
    buf_fini(&old);
}

static void test_a_cut_note_is_none(void)
{
    struct job_record r = a_record();
    struct buf file = { 0 }, note = { 0 }, b = { 0 };
    struct job_note n = begins(5);
    size_t offset;

    make(&file, &r);
    CU_ASSERT_TRUE(write_note(&file, begins(4)));
    job_note_encode(&n, &note);
    CU_ASSERT_TRUE_FATAL(next_bytes(&file, note.data, note.len, &b, &offset));
    for (size_t cut = 0; cut < b.len; cut++) {
        memset(file.data + offset, 0, b.len);
        memcpy(file.data + offset, b.data, cut);
        has_tasks(&file, "2 3 4 ");
        /* Its end is on disk before its begin. */
        memset(file.data + offset, 0, b.len);
        memcpy(file.data + offset + cut, b.data + cut, b.len - cut);
        has_tasks(&file, cut ? "2 3 4 " : "2 3 4 5 ");
    }
    /* The next one goes over it. */
    memset(file.data + offset, 0, b.len);
    memcpy(file.data + offset, b.data, b.len - 1);
    CU_ASSERT_TRUE(write_note(&file, ends(3, 4)));
    has_tasks(&file, "2 4 ");
    buf_fini(&file);
    buf_fini(&note);
    buf_fini(&b);
}

/* All but the last note were on disk before the next was written. */
static void test_a_note_changed_later_is_noticed(void)
{
    struct arena *arena = arena_new();
    struct job_record r = a_record(), read;
    struct buf file = { 0 };
    struct job_file f;
    size_t from, to;

    make(&file, &r);
    f = job_file_read(file.data, file.len);
    from = (size_t)(f.record - file.data) + f.len;
    CU_ASSERT_TRUE(write_note(&file, begins(4)));
    CU_ASSERT_TRUE(write_note(&file, begins(5)));
    f = job_file_read(file.data, file.len);
    to = from + f.notes_bytes;
    CU_ASSERT_TRUE(write_note(&file, begins(6)));
    for (size_t i = from; i < to; i++) {
        file.data[i] ^= 1;
        CU_ASSERT_FALSE(folds(&file, arena, &read));
        file.data[i] ^= 1;
    }
    has_tasks(&file, "2 3 4 5 6 ");
    /* The last may be one that was cut. */
    file.data[to + 30] ^= 1;
    has_tasks(&file, "2 3 4 5 ");
    /* A note in the place of another one, of which it has the length. */
    memcpy(file.data + from, file.data + from + (to - from) / 2, (to - from) / 2);
    CU_ASSERT_FALSE(folds(&file, arena, &read));
    buf_fini(&file);
    arena_free(arena);
}

/* With right sums: whoever has written them is no MoM. */
static void test_notes_that_say_nothing_are_refused(void)
{
    struct arena *arena = arena_new();
    struct job_record r = a_record(), read;
    struct job_note n = begins(4), good = n, same;
    struct buf file = { 0 }, note = { 0 };
    static const int64_t rows[][9] = {
        /* kind, task, n_tasks, cput, mem, vmem, session, vnode, is_attached */
        { 1, 4, 4, 0, 0, 0, 5, 0, 0 }, /* this one is good */
        { 2, 4, 4, 0, 0, 0, 5, 0, 0 },
        { -1, 4, 4, 0, 0, 0, 5, 0, 0 },
        { 1, 1, 4, 0, 0, 0, 5, 0, 0 },
        { 1, INT64_C(1) << 32, 4, 0, 0, 0, 5, 0, 0 },
        { 1, 4, JOB_RECORD_MAX_TASKS + 1, 0, 0, 0, 5, 0, 0 },
        { 1, 4, -1, 0, 0, 0, 5, 0, 0 },
        { 1, 4, 4, -1, 0, 0, 5, 0, 0 },
        { 1, 4, 4, 0, JOB_RECORD_MOST + 1, 0, 5, 0, 0 },
        { 1, 4, 4, 0, 0, -1, 5, 0, 0 },
        { 1, 4, 4, 0, 0, 0, 0, 0, 0 },
        { 1, 4, 4, 0, 0, 0, INT64_C(1) << 31, 0, 0 },
        { 1, 4, 4, 0, 0, 0, 5, -1, 0 },
        { 1, 4, 4, 0, 0, 0, 5, INT64_C(1) << 31, 0 },
        { 1, 4, 4, 0, 0, 0, 5, 0, 2 },
        { 0, 4, 4, 0, 0, 0, 5, 0, 0 }, /* bytes behind the end of a task */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        buf_clear(&note);
        for (size_t k = 0; k < ARRAY_LEN(rows[0]); k++)
            dis_put_int(&note, rows[i][k]);
        dis_put_string(&note, "m");
        make(&file, &r);
        CU_ASSERT_TRUE(write_bytes(&file, note.data, note.len));
        CU_ASSERT_EQUAL(folds(&file, arena, &read), i == 0);
    }
    good.task.mark = memset(arena_zero(arena, 201), 'x', 200);
    buf_clear(&note);
    job_note_encode(&good, &note);
    CU_ASSERT_TRUE(job_note_decode(note.data, note.len, arena, &same));
    CU_ASSERT_STRING_EQUAL(same.task.mark, good.task.mark);
    good.task.mark = memset(arena_zero(arena, 202), 'x', 201);
    buf_clear(&note);
    job_note_encode(&good, &note);
    CU_ASSERT_FALSE(job_note_decode(note.data, note.len, arena, &same));
    /* Cut at every byte, and with one more. */
    buf_clear(&note);
    job_note_encode(&n, &note);
    for (size_t len = 1; len < note.len; len++) {
        make(&file, &r);
        CU_ASSERT_TRUE(write_bytes(&file, note.data, len));
        CU_ASSERT_FALSE(folds(&file, arena, &read));
    }
    buf_add_char(&note, '+');
    make(&file, &r);
    CU_ASSERT_TRUE(write_bytes(&file, note.data, note.len));
    CU_ASSERT_FALSE(folds(&file, arena, &read));
    /* Notes of what is no record. */
    buf_clear(&file);
    job_file_make("none", 4, 0, &file, NULL);
    CU_ASSERT_TRUE(write_note(&file, begins(4)));
    CU_ASSERT_FALSE(folds(&file, arena, &read));
    buf_fini(&file);
    buf_fini(&note);
    arena_free(arena);
}

static void test_notes_as_far_as_there_is_room(void)
{
    struct job_record r = a_record();
    struct buf file = { 0 }, record = { 0 };
    uint32_t n = 0;
    struct job_file f;

    make(&file, &r);
    while (write_note(&file, begins(4 + n)))
        n++;
    f = job_file_read(file.data, file.len);
    CU_ASSERT(n > 10 && f.n_notes == n && !f.is_damaged);
    CU_ASSERT(f.len + f.notes_bytes <= f.place_bytes);
    /* A file is made with room, as much as a file may have. */
    job_record_encode(&r, &record);
    buf_clear(&file);
    job_file_make(record.data, record.len, 50000, &file, &f);
    n = 0;
    while (write_note(&file, begins(4 + n)))
        n++;
    CU_ASSERT(n > 400 && file.len == 2 * f.place_bytes);
    CU_ASSERT_EQUAL(job_file_place_bytes(10, SIZE_MAX / 4), JOB_FILE_MAX_BYTES / 2);
    CU_ASSERT(job_file_place_bytes(JOB_FILE_MAX_BYTES, 0) > JOB_FILE_MAX_BYTES);
    CU_ASSERT_EQUAL(job_file_place_bytes(10, 0), 4096);
    buf_fini(&file);
    buf_fini(&record);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "tasks begin and end", test_tasks_begin_and_end },
        { "the next record makes notes void", test_the_next_record_makes_notes_void },
        { "a note that was cut is none", test_a_cut_note_is_none },
        { "a note that was changed later is noticed",
          test_a_note_changed_later_is_noticed },
        { "notes that say nothing are refused",
          test_notes_that_say_nothing_are_refused },
        { "notes as far as there is room", test_notes_as_far_as_there_is_room },
    };

    return unit_main("wire/job_notes", cases, ARRAY_LEN(cases));
}
