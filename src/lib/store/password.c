/* password.c - the password of a store, in a file that only the server may read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/password.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSWORD_MAX 1024

/* Refuse a file that others may read or that somebody else has put there. The open
 * file is checked, not its name, so that nobody can exchange it in between. */
static int check_file(int fd, const char *path, struct diag *why)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return diag_set(why, PBSE_SYSTEM, "%s: a password file must be a plain file",
                        path);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return diag_set(why, PBSE_SYSTEM,
                        "%s: it must belong to the user that runs the server", path);
    if (st.st_mode & 077)
        return diag_set(why, PBSE_SYSTEM,
                        "%s: others may read the password (mode %04o); chmod 600 it",
                        path, (unsigned)(st.st_mode & 07777));
    return 0;
}

static int read_line(int fd, const char *path, char **ret, struct diag *why)
{
    char text[PASSWORD_MAX + 1];
    ssize_t n = read(fd, text, sizeof(text) - 1);

    if (n < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    text[n] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    /* A text that fills the buffer may have been cut. */
    if (text[0] == '\0' || strlen(text) == PASSWORD_MAX)
        return diag_set(why, PBSE_SYSTEM, "%s: the first line is no password", path);
    *ret = xstrdup(text);
    explicit_bzero(text, sizeof(text));
    return 0;
}

int store_password_read(const char *path, char **ret, struct diag *why)
{
    int err, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    err = check_file(fd, path, why);
    if (!err)
        err = read_line(fd, path, ret, why);
    close(fd);
    return err;
}
