/* Unit tests of lib/wire/job_file.c: whatever part of a write reaches the disk, the
 * file has the record that was being written or the one before it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_file.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

static void make(struct buf *file, const char *text)
{
    buf_clear(file);
    job_file_make(text, strlen(text), 0, file, NULL);
}

static bool has(const struct buf *file, const char *text)
{
    /* A copy, so that a byte behind the end is noticed. */
    char *copy = malloc(file->len + !file->len);
    struct job_file f;
    bool ok;

    memcpy(copy, file->data, file->len);
    f = job_file_read(copy, file->len);
    ok = f.len == strlen(text) && memcmp(f.record, text, f.len) == 0;
    free(copy);
    return ok;
}

/* The write of the next record: its bytes and where they go. */
static size_t next(const struct buf *file, const char *text, struct buf *ret)
{
    struct job_file f = job_file_read(file->data, file->len);
    size_t offset = SIZE_MAX;

    buf_clear(ret);
    CU_ASSERT_TRUE_FATAL(job_file_next(&f, text, strlen(text), 0, ret, &offset));
    CU_ASSERT_FATAL(offset + ret->len <= file->len);
    return offset;
}

static void write_next(struct buf *file, const char *text)
{
    struct buf b = { 0 };
    size_t offset = next(file, text, &b);

    memcpy(file->data + offset, b.data, b.len);
    buf_fini(&b);
}

static void test_the_newest_is_read(void)
{
    struct buf file = { 0 };
    char text[32];
    size_t len;

    make(&file, "record 0");
    CU_ASSERT(has(&file, "record 0"));
    len = file.len;
    for (int i = 1; i < 20; i++) {
        snprintf(text, sizeof(text), "record %d", i);
        write_next(&file, text);
        CU_ASSERT(has(&file, text) && file.len == len);
    }
    write_next(&file, "");
    CU_ASSERT(has(&file, ""));
    buf_fini(&file);
}

/* A write of which only [from, to) reaches the file. */
static void write_part(const struct buf *old, const struct buf *b, size_t offset,
                       size_t from, size_t to, struct buf *file)
{
    buf_clear(file);
    buf_add(file, old->data, old->len);
    memcpy(file->data + offset + from, b->data + from, to - from);
}

/* The bytes that are missing may be there by chance. */
static bool is_whole(const struct buf *file, const struct buf *b, size_t offset)
{
    return memcmp(file->data + offset, b->data, b->len) == 0;
}

/* The write ends at whatever byte, or its end is on disk before its begin. */
static void test_a_cut_write_leaves_the_one_before(void)
{
    struct buf old = { 0 }, file = { 0 }, b = { 0 };
    char longer[5001];
    const char *const texts[] = { "short", longer, "another" };

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    make(&old, longer);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        const char *before = i ? texts[i - 1] : longer;
        size_t offset = next(&old, texts[i], &b);

        for (size_t cut = 0; cut < b.len; cut++) {
            write_part(&old, &b, offset, 0, cut, &file);
            CU_ASSERT(has(&file, is_whole(&file, &b, offset) ? texts[i] : before));
            write_part(&old, &b, offset, cut, b.len, &file);
            CU_ASSERT(has(&file, is_whole(&file, &b, offset) ? texts[i] : before));
        }
        write_next(&old, texts[i]);
        CU_ASSERT(has(&old, texts[i]));
    }
    buf_fini(&old);
    buf_fini(&file);
    buf_fini(&b);
}

/* A whole write that is damaged afterwards: the older record is better than none. */
static void test_a_changed_byte_is_noticed(void)
{
    struct buf file = { 0 };
    size_t half;

    make(&file, "before");
    half = file.len / 2;
    write_next(&file, "now");
    for (size_t i = 0; i < 64 + strlen("now"); i++) {
        file.data[half + i] ^= 1;
        CU_ASSERT(has(&file, "before"));
        file.data[half + i] ^= 1;
    }
    CU_ASSERT(has(&file, "now"));
    /* A place in the wrong half is none. */
    memcpy(file.data, file.data + half, half);
    memset(file.data + half, 0, half);
    CU_ASSERT_EQUAL(job_file_read(file.data, file.len).turn, 0);
    buf_fini(&file);
}

/* Those of older MoMs, and what somebody has cut or made longer. */
static void test_a_file_without_places_is_a_record(void)
{
    struct buf file = { 0 }, none = { 0 };
    struct job_file f;
    size_t offset;

    buf_add_str(&file, "+4HFJ4 and so on");
    CU_ASSERT(has(&file, "+4HFJ4 and so on"));
    f = job_file_read(file.data, file.len);
    CU_ASSERT_FALSE(job_file_next(&f, "x", 1, 0, &none, &offset));
    make(&file, "one");
    for (size_t len = 0; len < file.len; len++) {
        f = job_file_read(file.data, len);
        CU_ASSERT(f.turn == 0 && f.len == len);
    }
    buf_add_char(&file, '\0');
    CU_ASSERT_EQUAL(job_file_read(file.data, file.len).turn, 0);
    buf_fini(&file);
    buf_fini(&none);
}

static void test_a_record_grows_as_far_as_there_is_room(void)
{
    struct buf file = { 0 }, b = { 0 };
    char *text = calloc(1, 1 << 20);
    size_t offset, len = 0;
    struct job_file f, g;

    make(&file, "small");
    f = g = job_file_read(file.data, file.len);
    memset(text, 'y', (1 << 20) - 1);
    CU_ASSERT_FALSE(job_file_next(&g, text, 100, g.place_bytes, &b, &offset));
    CU_ASSERT_FALSE(job_file_next(&g, text, 100, SIZE_MAX, &b, &offset));
    CU_ASSERT(g.turn == f.turn && g.record == f.record);
    while (g = f, job_file_next(&g, text, len, 0, &b, &offset)) {
        CU_ASSERT(g.turn == f.turn + 1 && g.len == len && g.n_notes == 0);
        CU_ASSERT_FATAL(offset + b.len <= file.len);
        buf_clear(&b);
        len++;
    }
    CU_ASSERT(len > 1000 && b.len == 0);
    text[len - 1] = '\0'; /* the longest that has a place */
    write_next(&file, text);
    CU_ASSERT(has(&file, text));
    text[len - 1] = 'y'; /* and a long one gets a file of its own */
    make(&file, text);
    CU_ASSERT(has(&file, text));
    buf_fini(&file);
    buf_fini(&b);
    free(text);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the newest record is read", test_the_newest_is_read },
        { "a write that is cut leaves the record before it",
          test_a_cut_write_leaves_the_one_before },
        { "a changed byte is noticed", test_a_changed_byte_is_noticed },
        { "a file without places is a record", test_a_file_without_places_is_a_record },
        { "a record grows as far as there is room",
          test_a_record_grows_as_far_as_there_is_room },
    };

    return unit_main("wire/job_file", cases, ARRAY_LEN(cases));
}
