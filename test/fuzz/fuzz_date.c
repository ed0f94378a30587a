/* Fuzz target: dates of command lines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/datetime.h"
#include "lib/base/date.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len);
    char shown[DATE_TEXT_BYTES];
    time_t at = datetime_parse(text, 1790000000);

    FUZZ_CHECK(at >= -1);
    (void)datetime_is_clock(text);
    if (at > 0)
        FUZZ_CHECK(strlen(date_ctime(date_of(at, 3600), shown)) > 20);
    free(text);
    return 0;
}
