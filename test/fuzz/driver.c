/* driver.c - runs a fuzz target over the golden frames: each as it is, each cut, and
 * seeded damage. With a fuzzing engine the target is linked to that instead.
 *
 * usage: target file-of-frames
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../golden/frames.h"
#include "fuzz.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAMAGED_EACH 60

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* The bytes are in memory of their own so that a sanitizer sees one too far. */
static void run(const char *data, size_t len)
{
    uint8_t *own = malloc(len + (len == 0));

    if (!own)
        err(2, "malloc");
    memcpy(own, data, len);
    LLVMFuzzerTestOneInput(own, len);
    free(own);
}

static void run_damaged(const struct frame *f, uint64_t *seed)
{
    static const char likely[] = "+-0129\xff";
    char *copy = malloc(f->len + 1);

    if (!copy)
        err(2, "malloc");
    for (int i = 0; i < DAMAGED_EACH && f->len > 0; i++) {
        memcpy(copy, f->data, f->len);
        for (uint64_t n = 1 + random_next(seed) % 3; n > 0; n--)
            copy[random_next(seed) % f->len] =
                likely[random_next(seed) % sizeof(likely)];
        run(copy, f->len);
    }
    free(copy);
}

int main(int argc, char **argv)
{
    struct arena *a = arena_new();
    const char *file = argc > 1 ? argv[1] : fuzz_frames;
    struct frames all = frames_load(a, file);
    uint64_t seed = 88172645463325252u;

    for (size_t i = 0; i < all.n; i++) {
        for (size_t cut = 0; cut <= all.v[i].len; cut++)
            run(all.v[i].data, cut);
        run_damaged(&all.v[i], &seed);
    }
    printf("%zu frames of %s, whole, cut and damaged\n", all.n, file);
    arena_free(a);
    return 0;
}
