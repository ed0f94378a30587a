/* Fuzz target: the MoM's own job files, damaged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/mom.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const struct mom_config cfg = {
        .host = "node1",
        .node_name = "node1",
        .version = "23.06.06",
        .port = 15002,
        .server_port = 15001,
        .server_host = "svr",
        .ncpus = 4,
        .mem_kb = 1000,
        .topology = "hwloc<x/>",
        .min_check_poll_s = 10,
        .max_check_poll_s = 120,
        .cputmult = 1,
        .wallmult = 1,
    };
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
