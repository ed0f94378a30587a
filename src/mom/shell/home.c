/* home.c - see home.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/home.h"

#include "lib/io/daemon.h"
#include "mom/shell/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SETTING_BYTES (64u << 20)

static const struct {
    const char *name;
    mode_t mode;
    bool is_private; /* others may not write there */
} dirs[] = {
    { "mom_priv", 0751, true },           { "mom_priv/jobs", 0751, true },
    { "mom_priv/spare", 0700, true },     { "mom_priv/hooks", 0750, true },
    { "mom_priv/hooks/tmp", 0750, true }, { "spool", 01777, false },
    { "undelivered", 01777, false },      { "aux", 0755, true },
    { "checkpoint", 0700, true },
};

static int check_dir(const char *path, mode_t mode, bool is_private, struct diag *why)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    /* Whoever can write here can have root run what he likes: the MoM does not start
     * then. */
    if (is_private &&
        ((st.st_mode & 022) || (st.st_uid != 0 && st.st_uid != geteuid())))
        return diag_set(why, PBSE_SYSTEM, "Warning: one of chk_file_sec failed: %s",
                        path);
    /* The owner of the spool may rename what is in it, so it must be root or us. */
    if (!is_private && st.st_uid != 0 && st.st_uid != geteuid())
        return diag_set(why, PBSE_SYSTEM, "Warning: one of chk_file_sec failed: %s",
                        path);
    /* The umask may have taken bits from the mode that the directory was made with. */
    if (!is_private && (st.st_mode & 07777) != mode && chmod(path, mode) < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    return 0;
}

/* It says where the scripts that run with our rights look for programs and libraries. A
 * missing one is no fault. */
static int check_environment(const char *path, struct diag *why)
{
    struct stat st;

    if (stat(path, &st) == 0 &&
        ((st.st_mode & 022) || (st.st_uid != 0 && st.st_uid != geteuid())))
        return diag_set(why, PBSE_SYSTEM, "Warning: one of chk_file_sec failed: %s",
                        path);
    return 0;
}

int home_prepare(const char *home, const char *environment, struct diag *why)
{
    char path[PATH_MAX];
    int err = 0;

    for (size_t i = 0; i < ARRAY_LEN(dirs) && !err; i++) {
        snprintf(path, sizeof(path), "%s/%s", home, dirs[i].name);
        err = daemon_mkdir(path, dirs[i].mode, why);
        if (!err)
            err = check_dir(path, dirs[i].mode, dirs[i].is_private, why);
    }
    return err ? err : check_environment(environment, why);
}

const char *home_path(const char *home, enum home_file which, const char *id,
                      char path[PATH_MAX])
{
    static const struct {
        const char *dir, *suffix;
    } files[] = {
        [HOME_RECORD] = { "mom_priv/jobs", ".JB" },
        [HOME_SCRIPT] = { "mom_priv/jobs", ".SC" },
        [HOME_OUT] = { "spool", ".OU" },
        [HOME_ERR] = { "spool", ".ER" },
        [HOME_EARLIER_OUT] = { "mom_priv/jobs", ".EO" },
        [HOME_EARLIER_ERR] = { "mom_priv/jobs", ".EE" },
        [HOME_NODES] = { "aux", "" },
        [HOME_UNDELIVERED] = { "undelivered", "" },
    };

    MUST(which < ARRAY_LEN(files));
    snprintf(path, PATH_MAX, "%s/%s/%s%s", home, files[which].dir, id,
             files[which].suffix);
    return path;
}

const char *home_exit_path(const char *home, const char *id, int run_version,
                           char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/mom_priv/jobs/%s.%d.EX", home, id, run_version);
    return path;
}

const char *home_task_exit_path(const char *home, const char *id, int run_version,
                                unsigned task, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/mom_priv/jobs/%s.%d-%08X.EX", home, id, run_version,
             task);
    return path;
}

bool home_write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

bool home_sync_dir_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir;
    bool ok;
    int fd;

    MUST(slash); /* paths of the MoM begin at its home */
    dir = xstrndup(path, (size_t)(slash - path));
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ok = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    free(dir);
    return ok;
}

static int put(const char *path, mode_t mode, const void *data, size_t len,
               bool is_durable, struct diag *why)
{
    /* What is laid may be laid by several processes of a job at the same time. */
    char *tmp = is_durable ? xasprintf("%s.new", path)
                           : xasprintf("%s.%d.new", path, (int)getpid());
    /* What is left of an earlier attempt is written over. Readers see the old file or
     * the new one, never a half. */
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
    bool ok = fd >= 0 && home_write_all(fd, data, len) && fchmod(fd, mode) == 0 &&
              (!is_durable || fsync(fd) == 0) && rename(tmp, path) == 0;
    int err = ok ? 0 : diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));

    if (fd >= 0)
        close(fd);
    /* On a full disk half a file would keep the last room. */
    if (err)
        (void)unlink(tmp);
    free(tmp);
    return err;
}

int home_put(const char *path, mode_t mode, const void *data, size_t len,
             struct diag *why)
{
    return put(path, mode, data, len, true, why);
}

int home_lay(const char *path, mode_t mode, const void *data, size_t len,
             struct diag *why)
{
    return put(path, mode, data, len, false, why);
}

int home_write(const char *path, mode_t mode, const void *data, size_t len,
               struct diag *why)
{
    int err = home_put(path, mode, data, len, why);

    if (!err && !home_sync_dir_of(path))
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    return err;
}

int home_reserve(const char *path, mode_t mode, size_t len, struct diag *why)
{
    char *blanks = xmalloc(len + 1);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
    int err = 0;

    memset(blanks, ' ', len);
    if (fd < 0 || !home_write_all(fd, blanks, len) || !home_sync_dir_of(path))
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    free(blanks);
    return err;
}

bool home_fill(const char *path, const void *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool ok = fd >= 0 && home_write_all(fd, data, len) && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
}

/* False with errno. */
static bool read_all(int fd, size_t max_bytes, struct buf *out)
{
    ssize_t n;

    do {
        n = read(fd, buf_reserve(out, 65536), 65536);
        if (n > 0)
            out->len += (size_t)n;
    } while ((n > 0 && out->len <= max_bytes) || (n < 0 && errno == EINTR));
    /* Bytes are left of a file that is longer than it may be. */
    if (n > 0)
        errno = EFBIG;
    /* buf_reserve() has left room for the byte that ends the text. */
    if (n == 0 && out->data)
        out->data[out->len] = '\0';
    return n == 0;
}

bool home_read(const char *path, size_t max_bytes, struct buf *out)
{
    struct diag why;
    int fd = plain_open(path, O_RDONLY | O_NOFOLLOW, 0, &why), err;
    bool ok = fd >= 0 && read_all(fd, max_bytes, out);

    err = errno;
    if (fd >= 0)
        close(fd);
    errno = err;
    return ok;
}

int home_read_setting(const char *path, struct buf *out, struct stat *ret,
                      struct diag *why)
{
    int fd = plain_open(path, O_RDONLY, 0, why), err = 0;

    if (fd < 0)
        return PBSE_SYSTEM;
    if (fstat(fd, ret) < 0 || !read_all(fd, MAX_SETTING_BYTES, out))
        err = diag_set(why, PBSE_SYSTEM, "%.200s: %s", path, strerror(errno));
    close(fd);
    return err;
}

bool home_copy(const char *path, int fd)
{
    int from = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char part[65536];
    ssize_t n;
    int err;

    if (from < 0)
        return false;
    do {
        n = read(from, part, sizeof(part));
    } while ((n < 0 && errno == EINTR) ||
             (n > 0 && home_write_all(fd, part, (size_t)n)));
    err = errno;
    close(from);
    errno = err;
    return n == 0;
}

void home_remove_files(const char *home, const char *id, int run_version)
{
    static const enum home_file files[] = { HOME_SCRIPT,      HOME_OUT,
                                            HOME_ERR,         HOME_EARLIER_OUT,
                                            HOME_EARLIER_ERR, HOME_NODES };
    char path[PATH_MAX];

    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        (void)unlink(home_path(home, files[i], id, path));
    (void)unlink(home_exit_path(home, id, run_version, path));
}
