/* steady.c - see steady.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/steady.h"

#include "lib/io/clock.h"
#include "mom/shell/home.h"
#include "mom/shell/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 200

/* "BOOT MICROSECONDS": 0 when that is of another boot, or of none. */
static int64_t boot_us_of(const char *path, const char *boot)
{
    struct buf text = { 0 };
    size_t len = strlen(boot);
    int64_t us = 0;

    if (home_read(path, MOST_BYTES, &text) && strncmp(text.data, boot, len) == 0 &&
        text.data[len] == ' ')
        us = strtoll(text.data + len, NULL, 10);
    buf_fini(&text);
    return us > 0 && us < INT64_MAX / 2 ? us : 0;
}

int steady_begin(const char *home, struct diag *why)
{
    const char *boot = proc_boot_id();
    char path[PATH_MAX], line[MOST_BYTES];
    int64_t us;
    int n;

    if (!boot)
        return diag_set(why, PBSE_SYSTEM,
                        "the kernel does not tell one boot of the "
                        "host from another one");
    snprintf(path, sizeof(path), "%s/mom_priv/boot", home);
    us = boot_us_of(path, boot);
    if (us) {
        clock_steady_from(us);
        return 0;
    }
    n = snprintf(line, sizeof(line), "%s %" PRId64 "\n", boot, clock_steady_boot_us());
    return home_write(path, 0600, line, (size_t)n, why);
}
