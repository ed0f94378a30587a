/* spares.c - see spares.h.
 *
 * A spare file is filled and written to disk before it changes places with the record;
 * the directory is written before the file that was the record is filled again. So no
 * name of a record leads to a file that is being written, after a crash neither. Only a
 * record that was given up may: what is found under its name is then not its own
 * (mom_record_is_of()), and goes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/spares.h"

#include "mom/shell/home.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPARES_MAX 16
#define SPARE_MAX  65536 /* bytes: a longer one gives its room back */

static const char *name_of(const struct spares *s, unsigned i, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/mom_priv/spare/%u", s->home, i);
    return path;
}

void spares_open(struct spares *s, const char *home)
{
    char path[PATH_MAX];

    *s = (struct spares){ .home = home };
    for (unsigned i = 0; i < SPARES_MAX; i++)
        (void)unlink(name_of(s, i, path));
}

static bool fill(const char *path, const void *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && home_write_all(fd, data, len) &&
              ftruncate(fd, (off_t)len) == 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
}

/* True: the bytes have the name. *ret_left: and what had it is spare now. */
static bool take_place(const char *spare, const char *path, bool *ret_left)
{
    *ret_left = renameat2(AT_FDCWD, spare, AT_FDCWD, path, RENAME_EXCHANGE) == 0;
    /* There is no such file yet, or this file system cannot do it. */
    return *ret_left || rename(spare, path) == 0;
}

int spares_write(struct spares *s, const char *path, const void *data, size_t len,
                 struct diag *why)
{
    unsigned i = s->n ? s->n - 1 : 0;
    char spare[PATH_MAX];
    bool is_left;

    MUST(s->n <= SPARES_MAX);
    if (!s->home)
        return home_write(path, 0600, data, len, why);
    name_of(s, i, spare);
    if (fill(spare, data, len) && take_place(spare, path, &is_left) &&
        home_sync_dir_of(path)) {
        s->n = i + is_left;
        return 0;
    }
    /* Nobody can say what of it is on disk: it is not used again. */
    (void)unlink(spare);
    s->n = i;
    return home_write(path, 0600, data, len, why);
}

void spares_give(struct spares *s, const char *path)
{
    char spare[PATH_MAX];
    struct stat st;

    if (s->home && s->n < SPARES_MAX && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_nlink == 1 && st.st_size <= SPARE_MAX &&
        rename(path, name_of(s, s->n, spare)) == 0)
        s->n++;
    else
        (void)unlink(path);
}
