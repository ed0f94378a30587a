/* Unit tests of mom_priv/config: the core calculates with its numbers, so a number that
 * it could not calculate with is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/config.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char said[512];

static void note(void *arg, int event, const char *object, const char *words)
{
    (void)arg;
    (void)event;
    if (strcmp(object, "read_config") != 0 && strcmp(object, "parse_config") != 0)
        snprintf(said, sizeof(said), "%s: %s", object, words);
}

/* Read a file of one line; the caller ends '*ret'. */
static bool read_line(const char *line, struct config *ret)
{
    const struct config_log log = { .fn = note };
    char path[] = "/tmp/hf-config-XXXXXX";
    int fd = mkstemp(path);
    bool ok;

    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT(dprintf(fd, "%s\n", line) > 0);
    close(fd);
    said[0] = '\0';
    ok = config_read("/nonexistent", path, &log, ret);
    unlink(path);
    return ok;
}

static void test_numbers_have_bounds(void)
{
    static const struct {
        const char *line;
        bool taken;
    } rows[] = {
        { "$min_check_poll 1", true },
        { "$min_check_poll 0", false },
        { "$min_check_poll -1", false },
        { "$min_check_poll ten", false },
        { "$max_check_poll 2147483647", true },
        { "$max_check_poll 2147483648", false },
        { "$copy_alarm 2147483647", true },
        { "$copy_alarm 9223372036854775807",
          false }, /* as milliseconds it was negative */
        { "$copy_alarm 99999999999999999999", false },
        { "$cputmult 0.5", true },
        { "$cputmult 0", false },
        { "$cputmult inf", false },
        { "$wallmult nan", false },
        { "$wallmult infinity", false },
        { "$wallmult 1e999", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config c;

        CU_ASSERT_EQUAL(read_line(rows[i].line, &c), rows[i].taken);
        if (!rows[i].taken)
            CU_ASSERT_PTR_NOT_NULL(strstr(said, "bad value"));
        CU_ASSERT(c.copy_alarm_s > 0 && c.copy_alarm_s <= INT32_MAX);
        CU_ASSERT(c.max_check_poll_s >= c.min_check_poll_s);
        config_fini(&c);
    }
}

static const struct unit_case cases[] = {
    { "a number that nothing can be calculated with is refused",
      test_numbers_have_bounds },
};

int main(void)
{
    return unit_main("mom/config", cases, ARRAY_LEN(cases));
}
