/* Fuzz target: a job's file with notes behind its record. The input is such a file as
 * it is; and the record and the notes of one that is whole, with a byte 255 between
 * them, since sums would keep nearly all else out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_notes.h"

#include "fuzz.h"

#include <string.h>

const char fuzz_frames[] = "";

/* What is appended is a record, if there were notes; and nothing if it is refused. */
static void fold(const struct job_file *f)
{
    struct arena *arena = arena_new();
    struct buf out = { 0 }, again = { 0 };
    struct job_record r;

    if (!job_notes_fold(f, &out)) {
        FUZZ_CHECK(out.len == 0);
    } else if (f->n_notes) {
        FUZZ_CHECK(job_record_decode(out.data, out.len, arena, &r));
        for (size_t i = 1; i < r.n_stored; i++)
            FUZZ_CHECK(r.tasks[i - 1].number < r.tasks[i].number);
        job_record_encode(&r, &again);
        FUZZ_CHECK(again.len == out.len && memcmp(again.data, out.data, out.len) == 0);
    }
    buf_fini(&out);
    buf_fini(&again);
    arena_free(arena);
}

static void add_notes(struct buf *file, struct job_file *f, const char *at,
                      const char *end)
{
    while (at < end) {
        const char *to = memchr(at, 255, (size_t)(end - at));
        size_t len = (size_t)((to ? to : end) - at), offset;
        struct buf b = { 0 };

        if (len > 0 && len <= JOB_FILE_MAX_NOTE &&
            job_file_add_note(f, at, len, &b, &offset)) {
            FUZZ_CHECK(offset + b.len <= file->len);
            memcpy(file->data + offset, b.data, b.len);
        }
        buf_fini(&b);
        at = to ? to + 1 : end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *text = (const char *)data, *end = text + len;
    const char *to = len ? memchr(text, 255, len) : NULL;
    size_t record_len = to ? (size_t)(to - text) : len;
    struct job_file f, read;
    struct buf file = { 0 };

    f = job_file_read(text, len);
    fold(&f);
    job_file_make(text, record_len, 0, &file, &f);
    if (to)
        add_notes(&file, &f, to + 1, end);
    read = job_file_read(file.data, file.len);
    /* The record may have notes of its own in it, but none with this sum. */
    FUZZ_CHECK(read.turn == f.turn && read.n_notes == f.n_notes && !read.is_damaged);
    FUZZ_CHECK(read.notes_bytes == f.notes_bytes && read.sum == f.sum);
    fold(&read);
    buf_fini(&file);
    return 0;
}
