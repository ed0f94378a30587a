/* cgroup.h - groups of cgroup v2 in a directory that is the MoM's own: one per job,
 * with the limits of the job, and what the kernel counts for it.
 *
 * All is files below one directory. The kernel fills a directory with files when it is
 * made, and takes one away with its files: tests of a tree that is no kernel's do that
 * themselves (struct cgroup_kernel).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_CGROUP_H
#define MOM_SHELL_CGROUP_H

#include "lib/base/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cgroup_tree;

enum cgroup_controller { /* bits of a set */
    CGROUP_MEMORY = 1,
    CGROUP_CPU = 2,
    CGROUP_CPUSET = 4,
    CGROUP_PIDS = 8,
    CGROUP_ALL = 15,
};
/* Its name in the kernel's files; NULL for none of the bits above. */
const char *cgroup_controller_name(unsigned bit);

struct cgroup_kernel {
    int (*make)(int root_fd, const char *name);   /* as mkdirat() */
    int (*remove)(int root_fd, const char *name); /* as rmdir() of it */
    int (*signal)(pid_t pid, int signo);          /* as kill() */
};

struct cgroup_config {
    const char *root;
    const char *prefix; /* of the names of groups; names without it are another's */
    unsigned controllers;
    const struct cgroup_kernel *kernel; /* NULL: the one of this host */
};

/* Take the directory, and hand on to its groups the controllers that there are; those
 * that are wanted and missing are *ret_missing, with the reason in 'why'. PBSE_SYSTEM
 * with words when it is no directory of cgroup v2, or none that may be written. */
int cgroup_open(const struct cgroup_config *cfg, struct cgroup_tree **ret,
                unsigned *ret_missing, struct diag *why) MUST_CHECK;
void cgroup_close(struct cgroup_tree *t);
/* The directory, as cgroup_open() had it. */
const char *cgroup_root(const struct cgroup_tree *t);
/* Other controllers from now on, as far as there are: groups follow with
 * cgroup_limit(), and one that is not wanted any more limits nothing then. */
void cgroup_use_controllers(struct cgroup_tree *t, unsigned controllers,
                            unsigned *ret_missing, struct diag *why);

#define CGROUP_NO_LIMIT INT64_MAX
struct cgroup_limits {
    int64_t mem_kb, swap_kb, ncpus, pids;
};

/* Make the group 'name', or take the one that is there, and set its limits as far as
 * there are controllers. With cpuset it gets 'ncpus' processors that no other group of
 * the directory has, lowest numbers first; when there are not so many, it may use all,
 * and *ret_shares says so. PBSE_SYSTEM with words: a limit could not be set; a group
 * that was made is gone again. */
int cgroup_make(struct cgroup_tree *t, const char *name, const struct cgroup_limits *l,
                bool *ret_shares, struct diag *why) MUST_CHECK;
/* Set the limits of a group that is there anew. Processors that it has are its own as
 * far as it may have so many, so that nothing moves without need. PBSE_SYSTEM with
 * words: one could not be set, and those behind it are as they were. */
int cgroup_limit(struct cgroup_tree *t, const char *name, const struct cgroup_limits *l,
                 bool *ret_shares, struct diag *why) MUST_CHECK;
bool cgroup_exists(const struct cgroup_tree *t, const char *name);

/* A process that writes "0" there is in the group; so is what it starts. -1 with errno.
 */
int cgroup_door(const struct cgroup_tree *t, const char *name) MUST_CHECK;
/* Take a process in. False with errno: it has ended, or may not be moved. */
bool cgroup_take(const struct cgroup_tree *t, const char *name, int32_t pid) MUST_CHECK;

struct cgroup_use {
    int64_t cput_s;
    int64_t mem_kb;    /* the most there ever was; -1: nobody counts */
    int64_t oom_kills; /* processes that the kernel has ended for want of memory */
};
/* False: there is no such group. */
bool cgroup_read(const struct cgroup_tree *t, const char *name,
                 struct cgroup_use *ret) MUST_CHECK;

/* SIGKILL to all that is in the group, at once and whatever it starts meanwhile. A
 * kernel older than 5.14 cannot do that by itself: the group is frozen then, each
 * process gets the signal, and a process that it was just making may be left for the
 * next call. False: there is no such group, or it could not be read. */
bool cgroup_kill(const struct cgroup_tree *t, const char *name);
/* 0, also when there is none; EBUSY while something in it lives. */
int cgroup_remove(struct cgroup_tree *t, const char *name);

/* Each group with the prefix, by 'name' as above. It may be removed meanwhile. */
void cgroup_each(struct cgroup_tree *t, void (*fn)(void *arg, const char *name),
                 void *arg);

#endif
