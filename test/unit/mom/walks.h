/* walks.h - counts walks over the processes of the host, in the place of the library's
 * opendir(). Of one file of a program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_MOM_WALKS_H
#define TEST_UNIT_MOM_WALKS_H

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

static size_t n_walks;

DIR *opendir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    n_walks += strcmp(path, "/proc") == 0;
    return fd < 0 ? NULL : fdopendir(fd);
}

/* How many there were since the last question. */
static inline size_t walks(void)
{
    size_t n = n_walks;

    n_walks = 0;
    return n;
}

#endif
