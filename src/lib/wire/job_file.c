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

#define BLOCK_BYTES  4096
#define FIRST_TURN   2    /* at the begin of the file; 0 is no turn */
#define GROWTH_BYTES 1024 /* a record gets a session, a mark, a directory */
#define HEAD_BYTES   64
#define SUMMED_BYTES 40 /* of the head: all before the sum */

struct head {
    uint64_t turn;
    uint32_t place_bytes, len;
};

/* The sum of Fowler, Noll and Vo: it tells a write that was cut short from a whole one,
 * and shall not withstand anybody. */
static uint64_t add_to_sum(uint64_t sum, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ (unsigned char)data[i]) * 0x100000001b3u;
    return sum;
}

static void head_put(const struct head *h, const char *record, char to[HEAD_BYTES + 1])
{
    uint64_t sum;
    int n = snprintf(to, HEAD_BYTES + 1, "HFR1 %016" PRIx64 " %08" PRIx32 " %08" PRIx32,
                     h->turn, h->place_bytes, h->len);

    MUST(n == SUMMED_BYTES - 1);
    to[n] = ' ';
    sum = add_to_sum(0xcbf29ce484222325u, to, SUMMED_BYTES);
    sum = add_to_sum(sum, record, h->len);
    n = snprintf(to + SUMMED_BYTES, HEAD_BYTES + 1 - SUMMED_BYTES,
                 "%016" PRIx64 "       \n", sum);
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
                                   .place_bytes = place_bytes };
    }
    return f;
}

static void put_place(const struct head *h, const void *record, struct buf *out)
{
    char text[HEAD_BYTES + 1];

    head_put(h, record, text);
    buf_add(out, text, HEAD_BYTES);
    buf_add(out, record, h->len);
}

void job_file_make(const void *record, size_t len, struct buf *out)
{
    size_t bytes = HEAD_BYTES + len + GROWTH_BYTES;
    struct head h = { .turn = FIRST_TURN, .len = (uint32_t)len };
    size_t rest;

    MUST(len <= UINT32_MAX / 4);
    bytes = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    h.place_bytes = (uint32_t)bytes;
    put_place(&h, record, out);
    /* The blocks of both places are taken now, while there is room. */
    rest = 2 * bytes - HEAD_BYTES - len;
    memset(buf_reserve(out, rest), 0, rest);
    out->len += rest;
}

bool job_file_next(const struct job_file *f, const void *record, size_t len,
                   struct buf *out, size_t *ret_offset)
{
    const struct head h = { .turn = f->turn + 1,
                            .place_bytes = (uint32_t)f->place_bytes,
                            .len = (uint32_t)len };

    if (f->turn == 0 || f->turn == UINT64_MAX || len > f->place_bytes - HEAD_BYTES)
        return false;
    put_place(&h, record, out);
    *ret_offset = (h.turn % 2) * f->place_bytes;
    return true;
}
