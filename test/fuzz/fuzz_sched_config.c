/* Fuzz target: lines of sched_config.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/sched.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len), *at = text, *line;
    struct policy *policy = policy_new();
    struct buf names = { 0 };

    while ((line = strsep(&at, "\n"))) {
        struct diag why = { 0 };

        if (policy_line(policy, line, &why) != POLICY_FINE)
            FUZZ_CHECK(*why.text);
    }
    policy_unserved(policy, &names);
    buf_fini(&names);
    policy_free(policy);
    free(text);
    return 0;
}
