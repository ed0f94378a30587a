/* Unit tests of mom/shell/steady.c: MoMs of one boot go by one clock, whatever the real
 * one shows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/steady.h"

#include "../unit.h"
#include "lib/io/clock.h"
#include "mom/shell/home.h"
#include "mom/shell/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[] = "/tmp/hf-steady-XXXXXX";

static const char *file(void)
{
    static char path[64];

    snprintf(path, sizeof(path), "%s/mom_priv/boot", root);
    return path;
}

static void put(const char *boot, int64_t us)
{
    char line[200];
    int n = snprintf(line, sizeof(line), "%s %" PRId64 "\n", boot, us);
    struct diag why;

    CU_ASSERT_EQUAL(home_write(file(), 0600, line, (size_t)n, &why), 0);
}

/* A MoM is started. How far is its clock ahead of the real one? */
static int64_t ahead_s(void)
{
    struct diag why;

    clock_steady_from(0);
    CU_ASSERT_EQUAL(steady_begin(root, &why), 0);
    return clock_steady() - clock_read();
}

/* The two clocks are read one after the other, on a host that is busy. */
static bool about(int64_t s, int64_t want_s)
{
    return s >= want_s - 60 && s <= want_s + 60;
}

static void test_the_first_one_shows_real_time(void)
{
    struct buf text = { 0 };

    CU_ASSERT(about(ahead_s(), 0));
    CU_ASSERT(home_read(file(), 200, &text));
    CU_ASSERT_EQUAL(strncmp(text.data, proc_boot_id(), strlen(proc_boot_id())), 0);
    buf_fini(&text);
}

/* The real clock was put back by an hour since the first MoM of this boot began. */
static void test_the_next_one_goes_on(void)
{
    put(proc_boot_id(), clock_steady_boot_us() + 3600 * (int64_t)1000000);
    CU_ASSERT(about(ahead_s(), 3600));
    CU_ASSERT(about(ahead_s(), 3600));
}

static void test_what_is_of_no_use(void)
{
    static const struct {
        const char *name, *boot;
        int64_t us;
    } rows[] = {
        { "another boot", "0b0e67b4-0000-4000-8000-000000000000", 1000000 },
        { "a boot whose name is longer", "%s0", 1000000 },
        { "no instant", "%s", 0 },
        { "one before the epoch", "%s", -1000000 },
        { "one that nobody can add to", "%s", INT64_MAX },
        { "no boot", "", 1000000 },
    };
    char boot[100];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool is_this = strncmp(rows[i].boot, "%s", 2) == 0;

        snprintf(boot, sizeof(boot), "%s%s", is_this ? proc_boot_id() : rows[i].boot,
                 is_this ? rows[i].boot + 2 : "");
        put(boot, rows[i].us);
        CU_ASSERT(about(ahead_s(), 0));
        CU_ASSERT(about(ahead_s(), 0));
    }
}

static void test_a_file_that_cannot_be_written(void)
{
    struct diag why;

    clock_steady_from(0);
    CU_ASSERT_EQUAL(steady_begin("/proc/nowhere", &why), PBSE_SYSTEM);
    CU_ASSERT(about(clock_steady() - clock_read(), 0));
}

static const struct unit_case cases[] = {
    { "the first one shows real time", test_the_first_one_shows_real_time },
    { "the next one goes on", test_the_next_one_goes_on },
    { "what is of no use", test_what_is_of_no_use },
    { "a file that cannot be written", test_a_file_that_cannot_be_written },
};

int main(void)
{
    char command[128];
    int status;

    if (!mkdtemp(root))
        return 2;
    snprintf(command, sizeof(command), "mkdir -p %s/mom_priv", root);
    if (system(command) != 0)
        return 2;
    status = unit_main("mom/steady", cases, ARRAY_LEN(cases));
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command) == 0 ? status : 2;
}
