/* site_equiv.c - host equivalence: the files that lib/auth/equiv.h reads
 * (site_names.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/equiv.h"
#include "lib/base/buf.h"
#include "server/shell/site_names.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SITE_FILE      "/etc/hosts.equiv"
#define FILE_MAX_BYTES ((size_t)64 * 1024)

/* Append a file that 'uid' or root has made and nobody else can write to. Anything else
 * counts as no file: a link, a device, a file that is too large. */
static void read_file(const char *path, uid_t uid, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat st;
    ssize_t n = -1;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        (st.st_uid == 0 || st.st_uid == uid) && !(st.st_mode & (S_IWGRP | S_IWOTH)))
        do {
            n = read(fd, buf_reserve(out, 4096), 4096);
            if (n > 0)
                out->len += (size_t)n;
        } while (n > 0 && out->len <= FILE_MAX_BYTES);
    close(fd);
    /* A file that cannot be read whole might have a refusal in the rest. */
    if (n != 0)
        out->len = 0;
}

static enum equiv_word ask_file(const char *path, uid_t uid, bool of_site,
                                const struct equiv_asks *asks)
{
    struct buf text = { 0 };
    enum equiv_word word = EQUIV_SILENT;

    read_file(path, uid, &text);
    if (text.len > 0)
        word = equiv_read(text.data, text.len, of_site, asks);
    buf_fini(&text);
    return word;
}

void site_equivalent(const char *account, const char *user_at_host,
                     const char *own_host, struct arena *arena, struct finding *ret)
{
    size_t len = strcspn(user_at_host, "@");
    const struct equiv_asks asks = {
        .account = account,
        .user = arena_strndup(arena, user_at_host, len),
        .host = user_at_host[len] ? user_at_host + len + 1 : "",
        .own_host = own_host,
    };
    enum equiv_word word = EQUIV_SILENT;
    struct site_entry entry;

    if (!site_entry(account, &entry) || !entry.home[0])
        return;
    /* Root is not for the site's file to give away. */
    if (entry.uid != 0)
        word = ask_file(SITE_FILE, 0, true, &asks);
    if (word == EQUIV_SILENT)
        word = ask_file(arena_printf(arena, "%s/.rhosts", entry.home), entry.uid, false,
                        &asks);
    ret->found = word == EQUIV_YES;
}
