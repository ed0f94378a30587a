/* disk.c - see disk.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

struct file *disk_find(const struct disk *d, const char *name)
{
    struct file *f;

    HASH_FIND_STR(d->files, name, f);
    return f;
}

static void file_free(struct disk *d, struct file *f)
{
    HASH_DEL(d->files, f);
    buf_fini(&f->data);
    free(f->name);
    free(f);
}

void disk_fini(struct disk *d)
{
    while (d->files)
        file_free(d, d->files);
}

bool disk_write(struct disk *d, const char *name, const void *data, size_t len)
{
    struct file *f = disk_find(d, name);

    if (d->is_full)
        return false;
    if (!f) {
        f = xcalloc(1, sizeof(*f));
        f->name = xstrdup(name);
        HASH_ADD_KEYPTR(hh, d->files, f->name, strlen(f->name), f);
    }
    buf_clear(&f->data);
    buf_add(&f->data, data, len);
    return true;
}

bool disk_write_at(struct disk *d, struct file *f, size_t offset, const void *data,
                   size_t len)
{
    if (d->is_full)
        return false;
    MUST(offset + len <= f->data.len);
    memcpy(f->data.data + offset, data, len);
    return true;
}

bool disk_reserve(struct disk *d, const char *name)
{
    return disk_write(d, name, "", 0);
}

bool disk_fill(struct disk *d, const char *name, const void *data, size_t len)
{
    struct file *f = disk_find(d, name);

    if (!f)
        return false;
    buf_clear(&f->data);
    buf_add(&f->data, data, len);
    return true;
}

const struct buf *disk_read(const struct disk *d, const char *name)
{
    const struct file *f = disk_find(d, name);

    return f ? &f->data : NULL;
}

void disk_remove(struct disk *d, const char *name)
{
    struct file *f = disk_find(d, name);

    if (f)
        file_free(d, f);
}
