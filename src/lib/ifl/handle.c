/* handle.c - the table of connections, by descriptor.
 *
 * The table's lock is held only to look something up or to change it; a connection's
 * own lock for a whole conversation. A connection that one thread ends while others use
 * it is the caller's mistake, as documented.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ifl_handle **table;
static size_t table_len;
/* Set before anything else is called (wire.md 15.4), so it needs no lock of its own. */
static bool single_threaded;

void pbs_client_thread_set_single_threaded_mode(void)
{
    single_threaded = true;
}

static void lock(pthread_mutex_t *m)
{
    if (!single_threaded)
        pthread_mutex_lock(m);
}

static void unlock(pthread_mutex_t *m)
{
    if (!single_threaded)
        pthread_mutex_unlock(m);
}

static struct ifl_handle *handle_new(int fd, int timeout_s)
{
    struct ifl_handle *h = calloc(1, sizeof(*h));
    pthread_mutexattr_t how;

    if (!h)
        return NULL;
    h->fd = fd;
    h->timeout_s = timeout_s;
    pthread_mutexattr_init(&how);
    /* A submission holds the lock for several requests, each of which takes it again.
     */
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&h->lock, &how);
    pthread_mutexattr_destroy(&how);
    return h;
}

static void handle_free(struct ifl_handle *h)
{
    if (!h)
        return;
    pthread_mutex_destroy(&h->lock);
    auth_session_free(h->session);
    free(h);
}

/* Room for index 'fd' in the table. The table never shrinks: a program has as many
 * descriptors again as it once had. */
static bool table_grow(size_t fd)
{
    size_t len = table_len;
    struct ifl_handle **v;

    while (len <= fd)
        len = len ? len * 2 : 64;
    if (len == table_len)
        return true;
    v = realloc(table, len * sizeof(*v));
    if (!v)
        return false;
    for (size_t i = table_len; i < len; i++)
        v[i] = NULL;
    table = v;
    table_len = len;
    return true;
}

int ifl_handle_add(int fd, int timeout_s)
{
    struct ifl_handle *h = handle_new(fd, timeout_s), *stale = NULL;
    bool ok = h != NULL;

    lock(&table_lock);
    ok = ok && table_grow((size_t)fd);
    if (ok) { /* a descriptor that somebody closed behind our back leaves its entry */
        stale = table[fd];
        table[fd] = h;
    }
    unlock(&table_lock);
    handle_free(stale);
    if (ok)
        return 0;
    handle_free(h);
    close(fd);
    return ifl_set_error(-1, PBSE_SYSTEM, NULL);
}

struct ifl_handle *ifl_handle_lock(int c)
{
    struct ifl_handle *h = NULL;

    lock(&table_lock);
    if (c >= 0 && (size_t)c < table_len)
        h = table[c];
    unlock(&table_lock);
    /* errno says what a system call on such a number would say: commands print it. */
    if (!h) {
        errno = EBADF;
        ifl_set_error(-1, PBSE_SYSTEM, NULL);
        return NULL;
    }
    lock(&h->lock);
    return h;
}

void ifl_handle_unlock(struct ifl_handle *h)
{
    unlock(&h->lock);
}

void ifl_handle_close(struct ifl_handle *h)
{
    int fd = h->fd;

    /* The descriptor is closed last: as soon as it is, another thread may get its
     * number, and must find neither our entry in the table nor our text. */
    lock(&table_lock);
    table[fd] = NULL;
    unlock(&table_lock);
    unlock(&h->lock);
    handle_free(h);
    ifl_forget(fd);
    close(fd);
}
