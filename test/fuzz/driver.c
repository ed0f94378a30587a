/* driver.c - runs a fuzz target over its golden frames and its corpus: each as it is,
 * each cut, and seeded damage. With a fuzzing engine the target is linked to that
 * instead.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../golden/frames.h"
#include "fuzz.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAMAGED_EACH 60

/* A run of these costs a thousand times what others do: they are not cut, and damaged
 * once. */
static const char *const slow[] = { "recur.txt", "server.txt", "server_mom.txt" };

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

static void run_damaged(const struct frame *f, int times, uint64_t *seed)
{
    static const char likely[] = "+-0129\xff";
    char *copy = malloc(f->len + 1);

    if (!copy)
        err(2, "malloc");
    for (int i = 0; i < times && f->len > 0; i++) {
        memcpy(copy, f->data, f->len);
        for (uint64_t n = 1 + random_next(seed) % 3; n > 0; n--)
            copy[random_next(seed) % f->len] =
                likely[random_next(seed) % sizeof(likely)];
        run(copy, f->len);
    }
    free(copy);
}

static size_t run_all(const struct frames *all, bool is_slow, uint64_t *seed)
{
    for (size_t i = 0; i < all->n; i++) {
        size_t len = all->v[i].len;

        for (size_t cut = is_slow ? len : 0; cut <= len; cut++)
            run(all->v[i].data, cut);
        run_damaged(&all->v[i], is_slow ? 1 : DAMAGED_EACH, seed);
    }
    return all->n;
}

static bool is_slow(const char *corpus)
{
    for (size_t i = 0; i < ARRAY_LEN(slow); i++)
        if (strcmp(corpus, slow[i]) == 0)
            return true;
    return false;
}

/* "test/fuzz/fuzz_dis", "lt-fuzz_dis": "dis.txt". */
static const char *corpus_name(struct arena *arena, const char *program)
{
    const char *name = strstr(program, "fuzz_");

    while (name && strstr(name + 1, "fuzz_"))
        name = strstr(name + 1, "fuzz_");
    if (!name)
        errx(2, "%s: not a target's name", program);
    return arena_printf(arena, "%s.txt", name + strlen("fuzz_"));
}

int main(int argc, char **argv)
{
    struct arena *a = arena_new();
    uint64_t seed = 88172645463325252u;
    const char *corpus = corpus_name(a, argc > 0 ? argv[0] : "");
    struct frames inputs = inputs_load(a, corpus);
    size_t n = run_all(&inputs, is_slow(corpus), &seed);

    if (*fuzz_frames) {
        struct frames frames = frames_load(a, fuzz_frames);

        n += run_all(&frames, is_slow(corpus), &seed);
    }
    printf("%zu inputs, whole, cut and damaged\n", n);
    arena_free(a);
    return n == 0;
}
