/* Unit tests of what the client of a blocking job is told (cli.md 3.9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_ended.h"

#include "../unit.h"

#include <string.h>

/* The bytes of cli.md 3.9. */
static void test_bytes(void)
{
    static const char expect[] = "PKTV1\0\0\0\0\0\x11+1+91050.pbs1+0+3";
    const struct job_ended e = { "1050.pbs1", "", 3 };
    struct buf out = { 0 };

    job_ended_put(&e, &out);
    CU_ASSERT_EQUAL_FATAL(out.len, sizeof(expect) - 1);
    CU_ASSERT_EQUAL(memcmp(out.data, expect, out.len), 0);
    buf_fini(&out);
}

static void test_read(void)
{
    static const struct {
        const char *bytes;
        enum job_ended_part part;
        int32_t version;
        struct job_ended expect;
    } cases[] = {
        { "+1+51.svr+0+3", JOB_ENDED_WHOLE, 1, { "1.svr", "", 3 } },
        { "+1+51.svr+4gone-3", JOB_ENDED_WHOLE, 1, { "1.svr", "gone", -3 } },
        { "", JOB_ENDED_NO_VERSION, -1, { "", "", 0 } },
        { "+2+51.svr", JOB_ENDED_NO_VERSION, 2, { "", "", 0 } },
        { "x", JOB_ENDED_NO_VERSION, -1, { "", "", 0 } },
        { "+1", JOB_ENDED_NO_ID, 1, { "", "", 0 } },
        { "+1+9short", JOB_ENDED_NO_ID, 1, { "", "", 0 } },
        { "+1+51.svr", JOB_ENDED_NO_MESSAGE, 1, { "1.svr", "", 0 } },
        { "+1+51.svr9+99", JOB_ENDED_NO_MESSAGE, 1, { "1.svr", "", 0 } },
        { "+1+51.svr+0", JOB_ENDED_NO_VALUE, 1, { "1.svr", "", 0 } },
        { "+1+51.svr+0x", JOB_ENDED_NO_VALUE, 1, { "1.svr", "", 0 } },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct job_ended got;
        int32_t version;

        CU_ASSERT_EQUAL(job_ended_get(cases[i].bytes, strlen(cases[i].bytes), arena,
                                      &got, &version),
                        cases[i].part);
        CU_ASSERT_EQUAL(version, cases[i].version);
        CU_ASSERT_STRING_EQUAL(got.job_id, cases[i].expect.job_id);
        CU_ASSERT_STRING_EQUAL(got.message, cases[i].expect.message);
        CU_ASSERT_EQUAL(got.exit_value, cases[i].expect.exit_value);
    }
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "an end is told in the bytes of PBS", test_bytes },
        { "the first part that is wrong is named", test_read },
    };

    return unit_main("job_ended", cases, ARRAY_LEN(cases));
}
