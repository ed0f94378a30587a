/* Fuzz target: mom_priv/config, version-2 files included.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/config.h"

#include "fuzz.h"

#include <unistd.h>

const char fuzz_frames[] = "";

static void told(void *arg, int event, int log_class, const char *object,
                 const char *words)
{
    (void)arg;
    (void)event;
    (void)log_class;
    FUZZ_CHECK(object && words && *words);
}

/* One file that is written anew each time: links are not followed. */
static char path[] = "/tmp/hf-fuzz-XXXXXX";

static void remove_file(void)
{
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static int fd = -1;
    const struct config_log log = { told, NULL };
    struct config c;

    if (fd < 0) {
        fd = mkstemp(path);
        FUZZ_CHECK(fd >= 0 && atexit(remove_file) == 0);
    }
    FUZZ_CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, data, len, 0) == (ssize_t)len);
    (void)!config_read("/nonexistent", path, "h1", &log, &c);
    FUZZ_CHECK(c.min_check_poll_s > 0 && c.max_check_poll_s >= c.min_check_poll_s);
    FUZZ_CHECK(c.copy_alarm_s > 0 && c.copy_alarm_s <= INT32_MAX);
    config_fini(&c);
    return 0;
}
