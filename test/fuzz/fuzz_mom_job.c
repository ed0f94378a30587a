/* Fuzz target: the MoM's own job files, damaged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/mom.h"

#include "../unit/mom/node1.h"
#include "fuzz.h"

const char fuzz_frames[] = "";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const struct mom_config cfg = node1_config();
    struct mom_out out = { .arena = arena_new() };
    struct mom *m = mom_new(&cfg);
    const char *id = NULL;

    if (mom_load(m, (const char *)data, len, &id)) {
        struct buf b = { 0 };

        FUZZ_CHECK(id && *id);
        mom_job_encode(m, id, &b);
        mom_found(m, id, true, 0);
        mom_start(m, 1000, false, &out);
        mom_exited(m, 1010, id, 0, NULL, &out);
        mom_tick(m, 1020, &out);
        buf_fini(&b);
    }
    mom_free(m);
    arena_free(out.arena);
    return 0;
}
