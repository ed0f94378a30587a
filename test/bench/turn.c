/* turn.c - how long the turns of an event loop are, in processor time.
 *
 * A library for LD_PRELOAD. It counts what the main thread of a process uses between
 * two calls of epoll_wait, so that other work on the machine does not count. HF_TURNS
 * names a file of three numbers of 64 bits, in the processor's order: the longest turn,
 * the sum of all (both in nanoseconds) and their number. The file is mapped: who
 * watches reads it at any time, and writes zeros to begin anew.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define N_FIGURES 3

struct turns {
    volatile uint64_t longest_ns, all_ns, n;
};

typedef int wait_fn(int, struct epoll_event *, int, int, const sigset_t *);

static uint64_t used_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const char *path;

/* Before main(): a daemon takes another environment then. */
__attribute__((constructor)) static void read_path(void)
{
    const char *named = getenv("HF_TURNS");

    path = named ? strdup(named) : NULL;
}

static struct turns *open_turns(void)
{
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *at = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, N_FIGURES * sizeof(uint64_t)) == 0)
        at =
            mmap(NULL, sizeof(struct turns), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return at == MAP_FAILED ? NULL : at;
}

/* The end of a turn that began at *began_ns; 0 means that none has begun. */
static void note_turn(uint64_t began_ns)
{
    static struct turns *turns;
    uint64_t took_ns = used_ns() - began_ns;

    if (!turns)
        turns = open_turns();
    if (!turns || !began_ns)
        return;
    turns->all_ns += took_ns;
    turns->n++;
    if (took_ns > turns->longest_ns)
        turns->longest_ns = took_ns;
}

int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout_ms,
                const sigset_t *mask)
{
    static wait_fn *real;
    static uint64_t began_ns;
    int got;

    if (!real)
        real = (wait_fn *)dlsym(RTLD_NEXT, "epoll_pwait");
    if (syscall(SYS_gettid) != getpid())
        return real(fd, events, n, timeout_ms, mask);
    note_turn(began_ns);
    got = real(fd, events, n, timeout_ms, mask);
    began_ns = used_ns();
    return got;
}

int epoll_wait(int fd, struct epoll_event *events, int n, int timeout_ms)
{
    return epoll_pwait(fd, events, n, timeout_ms, NULL);
}
