/* zonefile.c - see zonefile.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/zonefile.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAME  100
#define MAX_BYTES (64 * 1024) /* the largest known one has 4 KiB */

/* True for names as "America/New_York" and "Etc/GMT+5". Each part begins with a letter,
 * so that no name leads out of the directory. */
static bool is_name(const char *name)
{
    if (strlen(name) > MAX_NAME)
        return false;
    for (const char *p = name; *p; p++) {
        bool begins = p == name || p[-1] == '/';

        if (begins ? !isalpha((unsigned char)*p)
                   : !isalnum((unsigned char)*p) && !strchr("_-+/", *p))
            return false;
    }
    return *name && name[strlen(name) - 1] != '/';
}

/* Append the whole file; false when it is empty, too large or cannot be read. */
static bool read_all(int fd, struct buf *out)
{
    size_t before = out->len;
    ssize_t n;

    do {
        n = read(fd, buf_reserve(out, 4096), 4096);
        if (n > 0)
            out->len += (size_t)n;
    } while (n > 0 && out->len - before <= MAX_BYTES);
    out->data[out->len] = '\0';
    return n == 0 && out->len > before;
}

int zonefile_read(const char *dir, const char *name, struct buf *out, struct diag *why)
{
    char path[PATH_MAX];
    struct stat st;
    size_t before = out->len;
    bool ok = false;
    int fd = -1;

    if (is_name(name) &&
        snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path))
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read_all(fd, out);
        close(fd);
    }
    if (ok)
        return 0;
    out->len = before;
    return diag_code(why, PBSE_BAD_ICAL_TZ);
}
