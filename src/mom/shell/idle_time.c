/* idle_time.c - see idle_time.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/idle_time.h"

#include "lib/base/buf.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The controller of keyboards and mice that have no other bus. */
#define CONTROLLER      "i8042"
#define MOST_INTERRUPTS (1u << 20)

/* A program that watches a display writes or reads a file to show a touch. */
static int64_t time_of_touch(const struct stat *st)
{
    return MAX_OF(st->st_atime, st->st_mtime);
}

/* A terminal is read when somebody has typed. Written it is by programs, whether
 * anybody sits there or not: a daemon that cannot open its log says so on the console.
 */
static int64_t time_of_input(const struct stat *st)
{
    return st->st_atime;
}

static bool any_name(const char *name)
{
    return name[0] != '.';
}

/* Terminals of the host's own screen; those of logins from elsewhere are in pts/. */
static bool is_console(const char *name)
{
    return strcmp(name, "console") == 0 ||
           (strncmp(name, "tty", 3) == 0 && isdigit((unsigned char)name[3]));
}

static int64_t newest_of(const char *dir, bool (*takes)(const char *name),
                         int64_t (*time_of)(const struct stat *st))
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int64_t newest = 0;

    while (d && (e = readdir(d))) {
        struct stat st;

        if (takes(e->d_name) &&
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            newest = MAX_OF(newest, time_of(&st));
    }
    if (d)
        closedir(d);
    return newest;
}

/* "  1:  10  20  IO-APIC  1-edge  i8042": the sum of the columns of all processors. */
static uint64_t count_line(const char *line, size_t len)
{
    const char *at = memchr(line, ':', len), *end = line + len;
    uint64_t sum = 0;

    if (!at || !memmem(line, len, CONTROLLER, strlen(CONTROLLER)))
        return 0;
    for (at++; at < end;) {
        char *after;
        unsigned long long n = strtoull(at, &after, 10);

        if (after == at || after > end || !isspace((unsigned char)*after))
            break;
        sum += n;
        at = after;
    }
    return sum;
}

uint64_t idle_time_count(const char *text)
{
    uint64_t sum = 0;

    while (*text) {
        size_t len = strcspn(text, "\n");

        sum += count_line(text, len);
        text += len + (text[len] == '\n');
    }
    return sum;
}

static uint64_t count_interrupts(void)
{
    int fd = open("/proc/interrupts", O_RDONLY | O_CLOEXEC);
    struct buf text = { 0 };
    char part[4096];
    uint64_t sum;
    ssize_t n;

    while (fd >= 0 && text.len < MOST_INTERRUPTS &&
           (n = read(fd, part, sizeof(part))) > 0)
        buf_add(&text, part, (size_t)n);
    if (fd >= 0)
        close(fd);
    buf_add(&text, "", 1);
    sum = idle_time_count(text.data);
    buf_fini(&text);
    return sum;
}

int64_t idle_time_typed(const char *dev)
{
    return newest_of(dev, is_console, time_of_input);
}

int64_t idle_time_read(struct idle_time *was, const char *home, int64_t now_at)
{
    uint64_t n = count_interrupts();
    char dir[PATH_MAX];
    int64_t last_at;

    /* The first look has nothing to compare with. */
    if (was->n_interrupts && n != was->n_interrupts)
        was->touched_at = now_at;
    was->n_interrupts = n;
    snprintf(dir, sizeof(dir), "%s/spool/idledir", home);
    last_at = MAX_OF(was->touched_at, idle_time_typed("/dev"));
    last_at = MAX_OF(last_at, newest_of(dir, any_name, time_of_touch));
    if (last_at == 0)
        return IDLE_TIME_LONG_S;
    return MIN_OF(MAX_OF(now_at - last_at, 0), IDLE_TIME_LONG_S);
}
