/* fuzz.h - what a fuzz target offers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The golden frames that are the target's corpus. */
extern const char fuzz_frames[];

/* Whatever the bytes: no crash, no overrun, and what decodes encodes again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#endif
