/* Fuzz target: what qsub -I says of its terminal. What is read is sent so that it reads
 * the same; a type with many commas may have become too long.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/terminal.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint8_t bytes[TERMINAL_BYTES] = { 0 };
    struct terminal first, again;

    memcpy(bytes, data, len < sizeof(bytes) ? len : sizeof(bytes));
    if (!terminal_get(bytes, &first))
        return 0;
    FUZZ_CHECK(*first.type && strlen(first.type) < sizeof(first.type));
    terminal_put(&first, bytes);
    FUZZ_CHECK(terminal_get(bytes, &again));
    FUZZ_CHECK(strcmp(first.type, again.type) == 0 ||
               strcmp(again.type, "unknown") == 0);
    FUZZ_CHECK(memcmp(first.control, again.control, sizeof(first.control)) == 0);
    FUZZ_CHECK(first.rows == again.rows && first.cols == again.cols);
    FUZZ_CHECK(first.x_pixels == again.x_pixels && first.y_pixels == again.y_pixels);
    return 0;
}
