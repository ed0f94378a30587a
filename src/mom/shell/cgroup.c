/* cgroup.c - see cgroup.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/cgroup.h"

#include "lib/base/base.h"
#include "mom/shell/cpu_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERIOD_US   100000 /* of cpu.max: the kernel's own default */
#define TEXT_BYTES  8192   /* a list of processors is the longest */
#define NAME_BYTES  (NAME_MAX + 1)
#define GROUP_BYTES (NAME_BYTES + 64) /* "group/file" */
#define KILL_ROUNDS 4                 /* over the processes of a frozen group */

struct cgroup_tree {
    int root_fd;
    char *root, *prefix;
    unsigned controllers; /* that limit its groups */
    unsigned enabled;     /* that its groups have, those of an earlier configuration
                             among them */
    const struct cgroup_kernel *kernel;
};

static int make_directory(int root_fd, const char *name)
{
    return mkdirat(root_fd, name, 0755);
}

static int remove_directory(int root_fd, const char *name)
{
    return unlinkat(root_fd, name, AT_REMOVEDIR);
}

static const struct cgroup_kernel this_kernel = { make_directory, remove_directory,
                                                  kill };

static const struct {
    unsigned bit;
    const char *name;
} controllers[] = { { CGROUP_MEMORY, "memory" },
                    { CGROUP_CPU, "cpu" },
                    { CGROUP_CPUSET, "cpuset" },
                    { CGROUP_PIDS, "pids" } };

const char *cgroup_controller_name(unsigned bit)
{
    for (size_t i = 0; i < ARRAY_LEN(controllers); i++)
        if (controllers[i].bit == bit)
            return controllers[i].name;
    return NULL;
}

/* The name of the group's directory. False: it would be too long for one, or lie
 * elsewhere. */
static bool directory_of(const struct cgroup_tree *t, const char *name,
                         char ret[NAME_BYTES])
{
    int n = snprintf(ret, NAME_BYTES, "%s%s", t->prefix, name);

    return n > 0 && n < NAME_BYTES && !strchr(ret, '/');
}

/* "group/file"; of the directory itself where 'group' is "". */
static const char *file_of(const char *group, const char *file, char ret[GROUP_BYTES])
{
    snprintf(ret, GROUP_BYTES, "%s%s%s", group, *group ? "/" : "", file);
    return ret;
}

/* A file of one write: the kernel takes each write for a whole value. */
static bool write_file(int root_fd, const char *group, const char *file,
                       const char *text)
{
    char path[GROUP_BYTES];
    int fd =
        openat(root_fd, file_of(group, file, path), O_WRONLY | O_TRUNC | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

static bool read_file(int root_fd, const char *group, const char *file,
                      char text[TEXT_BYTES])
{
    char path[GROUP_BYTES];
    int fd = openat(root_fd, file_of(group, file, path), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, TEXT_BYTES - 1) : -1;

    if (fd >= 0)
        close(fd);
    text[MAX_OF(n, 0)] = '\0';
    return n >= 0;
}

/* The number behind 'key' in a file of lines "key number", or in a file of one number
 * where 'key' is "". -1: it is not there, or is no number ("max"). */
static int64_t read_number(const struct cgroup_tree *t, const char *group,
                           const char *file, const char *key)
{
    char text[TEXT_BYTES], *line, *save = NULL, *end;
    size_t len = strlen(key);

    if (!read_file(t->root_fd, group, file, text))
        return -1;
    for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        long long n;

        if (strncmp(line, key, len) != 0 || (len && line[len] != ' '))
            continue;
        n = strtoll(line + len, &end, 10);
        return end == line + len || *end || n < 0 ? -1 : n;
    }
    return -1;
}

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        size_t n = strcspn(text, " \n");

        if (n == len && strncmp(text, word, len) == 0)
            return true;
        text += n;
    }
    return false;
}

/* Hand one controller on to the groups. */
static bool enable(struct cgroup_tree *t, const char *offered, const char *name,
                   struct diag *why)
{
    char text[64];

    if (!has_word(offered, name)) {
        diag_set(why, PBSE_SYSTEM, "cgroup.controllers does not have it");
        return false;
    }
    snprintf(text, sizeof(text), "+%s", name);
    if (write_file(t->root_fd, "", "cgroup.subtree_control", text))
        return true;
    /* A group hands controllers on only when there is no process in it itself. */
    diag_set(why, PBSE_SYSTEM, "cgroup.subtree_control: %s",
             errno == EBUSY ? "there are processes in the directory itself"
                            : strerror(errno));
    return false;
}

void cgroup_use_controllers(struct cgroup_tree *t, unsigned wanted,
                            unsigned *ret_missing, struct diag *why)
{
    char offered[TEXT_BYTES];

    *ret_missing = 0;
    t->controllers = 0;
    (void)read_file(t->root_fd, "", "cgroup.controllers", offered);
    for (size_t i = 0; i < ARRAY_LEN(controllers); i++) {
        unsigned bit = controllers[i].bit;

        if (!(wanted & bit))
            continue;
        if ((t->enabled & bit) || enable(t, offered, controllers[i].name, why))
            t->controllers |= bit;
        else
            *ret_missing |= bit;
    }
    t->enabled |= t->controllers;
}

int cgroup_open(const struct cgroup_config *cfg, struct cgroup_tree **ret,
                unsigned *ret_missing, struct diag *why)
{
    struct cgroup_tree t = { .kernel = cfg->kernel ? cfg->kernel : &this_kernel };
    char offered[TEXT_BYTES];

    t.root_fd = open(cfg->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t.root_fd < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", cfg->root, strerror(errno));
    if (!read_file(t.root_fd, "", "cgroup.controllers", offered)) {
        close(t.root_fd);
        return diag_set(why, PBSE_SYSTEM, "%s is no directory of cgroup v2", cfg->root);
    }
    if (faccessat(t.root_fd, ".", W_OK, AT_EACCESS) < 0) {
        close(t.root_fd);
        return diag_set(why, PBSE_SYSTEM, "%s was not given to this user", cfg->root);
    }
    cgroup_use_controllers(&t, cfg->controllers, ret_missing, why);
    t.root = xstrdup(cfg->root);
    t.prefix = xstrdup(cfg->prefix);
    *ret = xcalloc(1, sizeof(t));
    **ret = t;
    return 0;
}

void cgroup_close(struct cgroup_tree *t)
{
    if (!t)
        return;
    close(t->root_fd);
    free(t->root);
    free(t->prefix);
    free(t);
}

const char *cgroup_root(const struct cgroup_tree *t)
{
    return t->root;
}

/* The names of all groups, also of those that are another's. */
static void each_directory(const struct cgroup_tree *t,
                           void (*fn)(void *arg, const char *directory), void *arg)
{
    int fd = openat(t->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.' && e->d_type == DT_DIR)
            fn(arg, e->d_name);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

struct choosing {
    const struct cgroup_tree *t;
    const char *own; /* the group that chooses */
    struct cpu_list *left;
};

static void take_away(void *arg, const char *directory)
{
    const struct choosing *c = arg;
    char text[TEXT_BYTES];
    struct cpu_list theirs;

    if (strcmp(directory, c->own) != 0 &&
        read_file(c->t->root_fd, directory, "cpuset.cpus", text) &&
        cpu_list_parse(text, &theirs))
        cpu_list_subtract(c->left, &theirs);
}

/* What the group has already, as far as nobody else has it; nothing while it may use
 * all. */
static void read_own(const struct cgroup_tree *t, const char *directory,
                     const struct cpu_list *left, struct cpu_list *ret)
{
    char text[TEXT_BYTES];
    struct cpu_list others = { 0 };

    if (!read_file(t->root_fd, directory, "cpuset.cpus", text) ||
        !cpu_list_parse(text, ret))
        *ret = (struct cpu_list){ 0 };
    cpu_list_add(&others, ret);
    cpu_list_subtract(&others, left);
    cpu_list_subtract(ret, &others);
}

/* The lowest 'n' that are left, what the group has before all others. */
static bool take_cpus(struct cpu_list *left, struct cpu_list *own, int64_t n)
{
    int64_t has = cpu_list_count(own);

    if (has >= n) {
        *left = *own;
        return cpu_list_first(left, n);
    }
    cpu_list_subtract(left, own);
    if (!cpu_list_first(left, n - has))
        return false;
    cpu_list_add(left, own);
    return true;
}

/* The processors for a group of 'n', as the kernel writes them: the tree itself says
 * what is taken, so nothing is forgotten when the MoM is restarted. False: there are
 * not so many left. */
static bool choose_cpus(const struct cgroup_tree *t, const char *directory, int64_t n,
                        bool keeps, char text[TEXT_BYTES])
{
    struct cpu_list left, own = { 0 };
    const struct choosing c = { .t = t, .own = directory, .left = &left };

    if (!read_file(t->root_fd, "", "cpuset.cpus.effective", text) ||
        !cpu_list_parse(text, &left))
        return false;
    each_directory(t, take_away, (void *)&c);
    if (keeps)
        read_own(t, directory, &left, &own);
    return take_cpus(&left, &own, n) && cpu_list_print(&left, text, TEXT_BYTES);
}

/* Set one limit. One that was not asked for is the kernel's "max", so that a group of
 * an earlier run has none of its limits left. */
static bool set_limit(const struct cgroup_tree *t, const char *directory,
                      const char *file, int64_t value, int64_t scale)
{
    char text[48];

    if (value == CGROUP_NO_LIMIT || value > INT64_MAX / scale)
        snprintf(text, sizeof(text), "max");
    else
        snprintf(text, sizeof(text), "%" PRId64, value * scale);
    return write_file(t->root_fd, directory, file, text);
}

static bool set_cpu(const struct cgroup_tree *t, const char *directory, int64_t ncpus)
{
    char text[64];

    if (ncpus == CGROUP_NO_LIMIT || ncpus < 1 || ncpus > INT32_MAX)
        snprintf(text, sizeof(text), "max %d", PERIOD_US);
    else
        snprintf(text, sizeof(text), "%" PRId64 " %d", ncpus * PERIOD_US, PERIOD_US);
    return write_file(t->root_fd, directory, "cpu.max", text);
}

/* A host without swap has no file for it. */
static bool set_memory(const struct cgroup_tree *t, const char *directory,
                       const struct cgroup_limits *l)
{
    return set_limit(t, directory, "memory.max", l->mem_kb, 1024) &&
           /* A job of which one process is gone is seldom of use: all of it goes. */
           write_file(t->root_fd, directory, "memory.oom.group", "1") &&
           (set_limit(t, directory, "memory.swap.max", l->swap_kb, 1024) ||
            errno == ENOENT);
}

/* An empty list is that of the directory above: all of them. */
static bool free_cpuset(const struct cgroup_tree *t, const char *directory)
{
    char text[TEXT_BYTES];

    return !read_file(t->root_fd, directory, "cpuset.cpus", text) ||
           !text[strspn(text, " \n")] ||
           write_file(t->root_fd, directory, "cpuset.cpus", "\n");
}

static bool set_cpuset(const struct cgroup_tree *t, const char *directory,
                       int64_t ncpus, bool keeps, bool *ret_shares)
{
    char text[TEXT_BYTES];

    if (ncpus == CGROUP_NO_LIMIT || ncpus < 1)
        return free_cpuset(t, directory);
    *ret_shares = !choose_cpus(t, directory, ncpus, keeps, text);
    return write_file(t->root_fd, directory, "cpuset.cpus", *ret_shares ? "\n" : text);
}

/* A controller that was there and is not wanted any more is told of no limit. */
static int64_t wanted(const struct cgroup_tree *t, unsigned bit, int64_t value)
{
    return t->controllers & bit ? value : CGROUP_NO_LIMIT;
}

static bool set_limits(const struct cgroup_tree *t, const char *directory,
                       const struct cgroup_limits *l, bool keeps, bool *ret_shares)
{
    const struct cgroup_limits memory = {
        .mem_kb = wanted(t, CGROUP_MEMORY, l->mem_kb),
        .swap_kb = wanted(t, CGROUP_MEMORY, l->swap_kb),
    };

    *ret_shares = false;
    return (!(t->enabled & CGROUP_MEMORY) || set_memory(t, directory, &memory)) &&
           (!(t->enabled & CGROUP_CPU) ||
            set_cpu(t, directory, wanted(t, CGROUP_CPU, l->ncpus))) &&
           (!(t->enabled & CGROUP_CPUSET) ||
            set_cpuset(t, directory, wanted(t, CGROUP_CPUSET, l->ncpus), keeps,
                       ret_shares)) &&
           (!(t->enabled & CGROUP_PIDS) ||
            set_limit(t, directory, "pids.max", wanted(t, CGROUP_PIDS, l->pids), 1));
}

static int cannot_limit(const char *directory, struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM, "cannot set a limit of the group %s: %s",
                    directory, strerror(errno));
}

int cgroup_limit(struct cgroup_tree *t, const char *name, const struct cgroup_limits *l,
                 bool *ret_shares, struct diag *why)
{
    char directory[NAME_BYTES];

    MUST(l->mem_kb >= 0 && l->swap_kb >= 0 && l->pids > 0);
    if (!directory_of(t, name, directory))
        return diag_set(why, PBSE_SYSTEM, "no name of a group: %s", name);
    return set_limits(t, directory, l, true, ret_shares) ? 0
                                                         : cannot_limit(directory, why);
}

int cgroup_make(struct cgroup_tree *t, const char *name, const struct cgroup_limits *l,
                bool *ret_shares, struct diag *why)
{
    char directory[NAME_BYTES];
    bool is_new;

    MUST(l->mem_kb >= 0 && l->swap_kb >= 0 && l->pids > 0);
    if (!directory_of(t, name, directory))
        return diag_set(why, PBSE_SYSTEM, "no name of a group: %s", name);
    is_new = t->kernel->make(t->root_fd, directory) == 0;
    if (!is_new && errno != EEXIST)
        return diag_set(why, PBSE_SYSTEM, "cannot make the group %s: %s", directory,
                        strerror(errno));
    if (set_limits(t, directory, l, false, ret_shares))
        return 0;
    (void)cannot_limit(directory, why);
    if (is_new)
        (void)t->kernel->remove(t->root_fd, directory);
    return why->code;
}

bool cgroup_exists(const struct cgroup_tree *t, const char *name)
{
    char directory[NAME_BYTES];

    return directory_of(t, name, directory) &&
           faccessat(t->root_fd, directory, F_OK, 0) == 0;
}

int cgroup_door(const struct cgroup_tree *t, const char *name)
{
    char directory[NAME_BYTES], path[GROUP_BYTES];

    if (!directory_of(t, name, directory)) {
        errno = EINVAL;
        return -1;
    }
    return openat(t->root_fd, file_of(directory, "cgroup.procs", path),
                  O_WRONLY | O_CLOEXEC);
}

bool cgroup_take(const struct cgroup_tree *t, const char *name, int32_t pid)
{
    char directory[NAME_BYTES], text[16];

    snprintf(text, sizeof(text), "%" PRId32, pid);
    return directory_of(t, name, directory) &&
           write_file(t->root_fd, directory, "cgroup.procs", text);
}

bool cgroup_read(const struct cgroup_tree *t, const char *name, struct cgroup_use *ret)
{
    char directory[NAME_BYTES];
    int64_t used_us, bytes;

    if (!directory_of(t, name, directory))
        return false;
    used_us = read_number(t, directory, "cpu.stat", "usage_usec");
    if (used_us < 0)
        return false;
    bytes = read_number(t, directory, "memory.peak", "");
    if (bytes < 0) /* older than 5.19: what there is now */
        bytes = read_number(t, directory, "memory.current", "");
    *ret = (struct cgroup_use){
        .cput_s = used_us / 1000000,
        .mem_kb = bytes < 0 ? -1 : bytes / 1024,
        .oom_kills =
            MAX_OF(read_number(t, directory, "memory.events", "oom_kill"), (int64_t)0),
    };
    return true;
}

/* SIGKILL to each process that the group has now. Their number; -1: it cannot be read.
 * The kernel shows 0 for a process that this one cannot name: kill() would take that
 * for the MoM's own group. */
static int64_t kill_each(const struct cgroup_tree *t, const char *directory)
{
    char path[GROUP_BYTES];
    int fd = openat(t->root_fd, file_of(directory, "cgroup.procs", path),
                    O_RDONLY | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    int64_t n = 0;
    long pid;

    if (!f) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    while (fscanf(f, "%ld", &pid) == 1) {
        if (pid <= 1 || pid > INT32_MAX)
            continue;
        (void)t->kernel->signal((pid_t)pid, SIGKILL);
        n++;
    }
    fclose(f);
    return n;
}

/* A frozen process makes no others and ends by SIGKILL all the same. One that was
 * making another when it was frozen has that in the group a moment later. */
static bool freeze_and_kill(const struct cgroup_tree *t, const char *directory)
{
    bool frozen = write_file(t->root_fd, directory, "cgroup.freeze", "1");
    int64_t n = 1;

    for (int i = 0; i < KILL_ROUNDS && n > 0; i++)
        n = kill_each(t, directory);
    /* Whatever is left goes on, so that it can be asked for again. */
    if (frozen)
        (void)write_file(t->root_fd, directory, "cgroup.freeze", "0");
    return n >= 0;
}

bool cgroup_kill(const struct cgroup_tree *t, const char *name)
{
    char directory[NAME_BYTES];

    if (!directory_of(t, name, directory))
        return false;
    return write_file(t->root_fd, directory, "cgroup.kill", "1") ||
           (errno == ENOENT && freeze_and_kill(t, directory));
}

int cgroup_remove(struct cgroup_tree *t, const char *name)
{
    char directory[NAME_BYTES];

    if (!directory_of(t, name, directory) ||
        t->kernel->remove(t->root_fd, directory) == 0 || errno == ENOENT)
        return 0;
    return errno;
}

struct showing {
    const struct cgroup_tree *t;
    void (*fn)(void *arg, const char *name);
    void *arg;
};

static void show(void *arg, const char *directory)
{
    const struct showing *s = arg;
    size_t len = strlen(s->t->prefix);

    if (strncmp(directory, s->t->prefix, len) == 0 && directory[len])
        s->fn(s->arg, directory + len);
}

void cgroup_each(struct cgroup_tree *t, void (*fn)(void *arg, const char *name),
                 void *arg)
{
    struct showing s = { .t = t, .fn = fn, .arg = arg };

    each_directory(t, show, &s);
}
