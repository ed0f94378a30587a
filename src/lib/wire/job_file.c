/* job_file.c - see job_file.h.
 *
 * A turn with an even number is written at the begin of the file, one with an odd
 * number in its middle. Both places end where blocks of a disk end, so that a write of
 * one never touches a block of the other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_BYTES       4096
#define FIRST_TURN        2    /* at the begin of the file; 0 is no turn */
#define GROWTH_BYTES      1024 /* a record gets a session, a mark, a directory */
#define HEAD_BYTES        64
#define SUMMED_BYTES      40 /* of the head: all before the sum */

/* The head of a note: "HFN1 00000001 0040 1234567890abcdef\n". */
#define NOTE_MARK         "HFN1 "
#define NOTE_HEAD_BYTES   36
#define NOTE_SUMMED_BYTES 19

struct head {
    uint64_t turn;
    uint32_t place_bytes, len;
    uint64_t sum;
};

#define NO_SUM 0xcbf29ce484222325u /* of no bytes */

/* The sum of Fowler, Noll and Vo. */
static uint64_t add_to_sum(uint64_t sum, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ (unsigned char)data[i]) * 0x100000001b3u;
    return sum;
}

uint64_t job_file_sum(const void *data, size_t len)
{
    return add_to_sum(NO_SUM, data, len);
}

static void head_put(struct head *h, const char *record, char to[HEAD_BYTES + 1])
{
    int n = snprintf(to, HEAD_BYTES + 1, "HFR1 %016" PRIx64 " %08" PRIx32 " %08" PRIx32,
                     h->turn, h->place_bytes, h->len);

    MUST(n == SUMMED_BYTES - 1);
    to[n] = ' ';
    h->sum = add_to_sum(NO_SUM, to, SUMMED_BYTES);
    h->sum = add_to_sum(h->sum, record, h->len);
    n = snprintf(to + SUMMED_BYTES, HEAD_BYTES + 1 - SUMMED_BYTES,
                 "%016" PRIx64 "       \n", h->sum);
    MUST(n == HEAD_BYTES - SUMMED_BYTES);
}

/* The head is made anew from what was read of it: so each byte of it is compared. */
static bool head_get(const char *place, size_t place_bytes, struct head *ret)
{
    char text[SUMMED_BYTES + 1], again[HEAD_BYTES + 1];
    struct head h;

    memcpy(text, place, SUMMED_BYTES);
    text[SUMMED_BYTES] = '\0';
    if (sscanf(text, "HFR1 %16" SCNx64 " %8" SCNx32 " %8" SCNx32, &h.turn,
               &h.place_bytes, &h.len) != 3 ||
        h.place_bytes != place_bytes || h.len > place_bytes - HEAD_BYTES)
        return false;
    head_put(&h, place + HEAD_BYTES, again);
    if (memcmp(again, place, HEAD_BYTES) != 0)
        return false;
    *ret = h;
    return true;
}

/* The head of note 'number', whose sum begins with that of the record. */
static void note_head_put(uint64_t record_sum, uint32_t number, const char *note,
                          size_t len, char to[NOTE_HEAD_BYTES + 1])
{
    uint64_t sum;
    int n = snprintf(to, NOTE_HEAD_BYTES + 1, NOTE_MARK "%08" PRIx32 " %04x", number,
                     (unsigned)len);

    MUST(n == NOTE_SUMMED_BYTES - 1);
    to[n] = ' ';
    sum = add_to_sum(record_sum, to, NOTE_SUMMED_BYTES);
    sum = add_to_sum(sum, note, len);
    n = snprintf(to + NOTE_SUMMED_BYTES, NOTE_HEAD_BYTES + 1 - NOTE_SUMMED_BYTES,
                 "%016" PRIx64 "\n", sum);
    MUST(n == NOTE_HEAD_BYTES - NOTE_SUMMED_BYTES);
}

/* Is there a whole note of that record? Its head is made anew, as that of a place. */
static bool note_get(uint64_t record_sum, const char *at, size_t room,
                     uint32_t *ret_number, size_t *ret_len)
{
    char text[NOTE_SUMMED_BYTES + 1], again[NOTE_HEAD_BYTES + 1];
    uint32_t number;
    unsigned len;

    if (room < NOTE_HEAD_BYTES)
        return false;
    memcpy(text, at, NOTE_SUMMED_BYTES);
    text[NOTE_SUMMED_BYTES] = '\0';
    if (sscanf(text, NOTE_MARK "%8" SCNx32 " %4x", &number, &len) != 2 || len == 0 ||
        len > JOB_FILE_MAX_NOTE || len > room - NOTE_HEAD_BYTES)
        return false;
    note_head_put(record_sum, number, at + NOTE_HEAD_BYTES, len, again);
    if (memcmp(again, at, NOTE_HEAD_BYTES) != 0)
        return false;
    *ret_number = number;
    *ret_len = len;
    return true;
}

/* Somewhere in there, where no note should be. A sum is reckoned for each mark that is
 * found; notes have JOB_FILE_MAX_NOTE bytes at most, so that this ends soon. */
static bool has_note(uint64_t record_sum, const char *at, size_t room)
{
    const char *end = at + room;
    uint32_t number;
    size_t len;

    while ((at = memmem(at, (size_t)(end - at), NOTE_MARK, strlen(NOTE_MARK)))) {
        if (note_get(record_sum, at, (size_t)(end - at), &number, &len))
            return true;
        at++;
    }
    return false;
}

/* A note that was being written when all ended is the last one, since each was on disk
 * before the next was begun. What is no note and has one behind it was changed later.
 */
static void read_notes(struct job_file *f)
{
    const char *at = f->record + f->len;
    size_t room = f->place_bytes - HEAD_BYTES - f->len, len;
    uint32_t number;

    while (note_get(f->sum, at, room, &number, &len) && number == f->n_notes) {
        f->n_notes++;
        f->notes_bytes += NOTE_HEAD_BYTES + len;
        at += NOTE_HEAD_BYTES + len;
        room -= NOTE_HEAD_BYTES + len;
    }
    f->is_damaged = has_note(f->sum, at, room);
}

struct job_file job_file_read(const char *data, size_t len)
{
    struct job_file f = { .record = data, .len = len };
    size_t place_bytes = len / 2;

    if (len == 0 || len % (2 * BLOCK_BYTES) != 0)
        return f;
    for (size_t i = 0; i < 2; i++) {
        const char *place = data + i * place_bytes;
        struct head h;

        if (head_get(place, place_bytes, &h) && h.turn % 2 == i &&
            h.turn >= FIRST_TURN && h.turn > f.turn)
            f = (struct job_file){ .record = place + HEAD_BYTES,
                                   .len = h.len,
                                   .turn = h.turn,
                                   .place_bytes = place_bytes,
                                   .sum = h.sum };
    }
    if (f.turn)
        read_notes(&f);
    return f;
}

static void put_place(struct head *h, const void *record, struct buf *out)
{
    char text[HEAD_BYTES + 1];

    head_put(h, record, text);
    buf_add(out, text, HEAD_BYTES);
    buf_add(out, record, h->len);
}

static size_t whole_blocks(size_t bytes)
{
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

size_t job_file_place_bytes(size_t len, size_t room_bytes)
{
    size_t least = whole_blocks(HEAD_BYTES + len + GROWTH_BYTES),
           wanted = whole_blocks(HEAD_BYTES + len + room_bytes);

    return MAX_OF(least, MIN_OF(wanted, (size_t)JOB_FILE_MAX_BYTES / 2));
}

static struct job_file written(const struct head *h, const void *record)
{
    return (struct job_file){ .record = record,
                              .len = h->len,
                              .turn = h->turn,
                              .place_bytes = h->place_bytes,
                              .sum = h->sum };
}

void job_file_make(const void *record, size_t len, size_t room_bytes, struct buf *out,
                   struct job_file *ret)
{
    size_t bytes, rest;
    struct head h = { .turn = FIRST_TURN, .len = (uint32_t)len };

    MUST(len <= UINT32_MAX / 4);
    bytes = job_file_place_bytes(len, room_bytes);
    h.place_bytes = (uint32_t)bytes;
    put_place(&h, record, out);
    /* The blocks of both places are taken now, while there is room. */
    rest = 2 * bytes - HEAD_BYTES - len;
    memset(buf_reserve(out, rest), 0, rest);
    out->len += rest;
    if (ret)
        *ret = written(&h, record);
}

bool job_file_next(struct job_file *f, const void *record, size_t len,
                   size_t room_bytes, struct buf *out, size_t *ret_offset)
{
    struct head h = { .turn = f->turn + 1,
                      .place_bytes = (uint32_t)f->place_bytes,
                      .len = (uint32_t)len };
    size_t all = f->turn ? f->place_bytes - HEAD_BYTES : 0;

    if (f->turn == 0 || f->turn == UINT64_MAX || len > all || room_bytes > all - len)
        return false;
    put_place(&h, record, out);
    *ret_offset = (h.turn % 2) * f->place_bytes;
    *f = written(&h, record);
    return true;
}

bool job_file_add_note(struct job_file *f, const void *note, size_t len,
                       struct buf *out, size_t *ret_offset)
{
    size_t used = HEAD_BYTES + f->len + f->notes_bytes;
    char head[NOTE_HEAD_BYTES + 1];

    MUST(len > 0 && len <= JOB_FILE_MAX_NOTE);
    if (f->turn == 0 || f->n_notes == UINT32_MAX ||
        NOTE_HEAD_BYTES + len > f->place_bytes - used)
        return false;
    note_head_put(f->sum, f->n_notes, note, len, head);
    buf_add(out, head, NOTE_HEAD_BYTES);
    buf_add(out, note, len);
    *ret_offset = (f->turn % 2) * f->place_bytes + used;
    f->n_notes++;
    f->notes_bytes += NOTE_HEAD_BYTES + len;
    return true;
}

bool job_file_note(const struct job_file *f, size_t *at, const char **ret,
                   size_t *ret_len)
{
    const char *head = f->record + f->len + *at;
    uint32_t number;

    if (*at >= f->notes_bytes)
        return false;
    MUST(note_get(f->sum, head, f->notes_bytes - *at, &number, ret_len));
    *ret = head + NOTE_HEAD_BYTES;
    *at += NOTE_HEAD_BYTES + *ret_len;
    return true;
}
