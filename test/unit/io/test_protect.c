/* Unit tests of lib/io/protect.c: a daemon that is not to be ended for want of memory,
 * and what it starts. The files are those of a directory that is no kernel's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/protect.h"

#include "lib/base/base.h"

#include "../unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-protect-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static void put(const char *name)
{
    FILE *f = fopen(path_of(name), "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs("300\n", f);
    CU_ASSERT_EQUAL(fclose(f), 0);
}

static long value(const char *name)
{
    FILE *f = fopen(path_of(name), "r");
    char text[32] = "";

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_PTR_NOT_NULL(fgets(text, sizeof(text), f));
    CU_ASSERT_EQUAL(fclose(f), 0);
    return strtol(text, NULL, 10);
}

/* A child of fork() that does nothing at all. */
static void fork_one(void)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
}

/* Each case in a process of its own: protection has no end. */
static int in_child(int (*fn)(void))
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        _exit(fn());
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int protects_with_children(void)
{
    if (protect_file()[0])
        return 1;
    put("oom_score_adj");
    put("oom_adj");
    if (protect_daemon(dir) || value("oom_score_adj") != -1000)
        return 2;
    if (value("oom_adj") != 300) /* it is for older kernels */
        return 3;
    fork_one();
    if (value("oom_score_adj") != 0)
        return 4;
    return strcmp(protect_file(), path_of("oom_score_adj")) == 0 ? 0 : 5;
}

static int protects_on_an_old_kernel(void)
{
    put("oom_adj");
    if (protect_daemon(dir) || value("oom_adj") != -17)
        return 1;
    fork_one();
    return value("oom_adj") == 0 ? 0 : 2;
}

static int refused(void)
{
    /* Root may write whatever the mode is: a directory is nobody's to write. */
    if (mkdir(path_of("oom_score_adj"), 0755) < 0)
        return 3;
    put("oom_adj");
    if (protect_daemon(dir) != EISDIR || protect_file()[0])
        return 1;
    fork_one();
    /* Only a file that is missing leads to the older one. */
    return value("oom_adj") == 300 ? 0 : 2;
}

static int without_any_file(void)
{
    return protect_daemon(dir) == ENOENT ? 0 : 1;
}

static void clear(void)
{
    (void)rmdir(path_of("oom_score_adj"));
    (void)unlink(path_of("oom_score_adj"));
    (void)unlink(path_of("oom_adj"));
}

static void a_daemon_is_protected_and_its_children_are_not(void)
{
    CU_ASSERT_EQUAL(in_child(protects_with_children), 0);
    clear();
    CU_ASSERT_EQUAL(in_child(protects_on_an_old_kernel), 0);
    clear();
}

static void who_may_not_be_protected_changes_nothing(void)
{
    CU_ASSERT_EQUAL(in_child(refused), 0);
    clear();
    CU_ASSERT_EQUAL(in_child(without_any_file), 0);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a daemon is protected and its children are not",
          a_daemon_is_protected_and_its_children_are_not },
        { "who may not be protected changes nothing",
          who_may_not_be_protected_changes_nothing },
    };
    int rc;

    if (!mkdtemp(dir))
        return 2;
    rc = unit_main("protect", cases, ARRAY_LEN(cases));
    rmdir(dir);
    return rc;
}
