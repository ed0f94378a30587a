/* fuzz.h - what a fuzz target offers, and what targets share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The golden frames that belong to the target's corpus; "" for none. Its own inputs are
 * in corpus/NAME.txt, NAME being the target's without "fuzz_". */
extern const char fuzz_frames[];

/* Whatever the bytes: no crash, no overrun, and what decodes encodes again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A broken promise ends the target, as a crash does. */
#define FUZZ_CHECK(claim)                                                              \
    do {                                                                               \
        if (!(claim))                                                                  \
            __builtin_trap();                                                          \
    } while (0)

/* The bytes up to a first NUL as a text in memory of its own; the caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t len)
{
    char *text = strndup((const char *)data, len);

    if (!text)
        abort();
    return text;
}

#endif
