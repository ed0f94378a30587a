/* disk.h - the files of a host: a MoM's death leaves them as they are, and so does the
 * host's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_DISK_H
#define TEST_SIM_DISK_H

#include "lib/base/buf.h"

#include <uthash.h>

struct file {
    char *name;
    struct buf data;
    uint64_t life, base; /* of a record: whose, and with what (host_records.c) */
    UT_hash_handle hh;
};

struct disk {
    struct file *files; /* in the order in which they were made */
    bool is_full;       /* nothing can be written */
};

void disk_fini(struct disk *d);

/* All of it and durable, or not at all; false: the disk is full. */
bool disk_write(struct disk *d, const char *name, const void *data,
                size_t len) MUST_CHECK;
/* NULL: there is none. Live until it is removed. */
struct file *disk_find(const struct disk *d, const char *name);
/* Over bytes that are there; false: the disk is full, as one that writes elsewhere. */
bool disk_write_at(struct disk *d, struct file *f, size_t offset, const void *data,
                   size_t len) MUST_CHECK;
/* Make an empty file that has its place on the disk, and fill one of these: that goes
 * on a full disk too. False: the disk is full; there is no such file. */
bool disk_reserve(struct disk *d, const char *name) MUST_CHECK;
bool disk_fill(struct disk *d, const char *name, const void *data,
               size_t len) MUST_CHECK;
/* NULL: there is none. Live until it is written or removed. */
const struct buf *disk_read(const struct disk *d, const char *name);
void disk_remove(struct disk *d, const char *name);

#endif
