/* Unit tests of lib/io/startup.c and daemon.c: what every daemon does before its work.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/startup.h"

#include "lib/base/base.h"
#include "lib/io/daemon.h"

#include "../unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-startup-XXXXXX";

static void path_in(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", dir, name);
}

/* The whole file; "" when there is none. */
static const char *content(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

    text[n] = '\0';
    if (f)
        fclose(f);
    return text;
}

/* The exit status of fn() in a child that leaves by _exit(). */
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

static volatile sig_atomic_t heard;

static void on_heard(int signo)
{
    heard |= signo == SIGHUP;
}

/* 0: the signals of before daemon_hears() come then, and not earlier. */
static int hears_late(void)
{
    daemon_tidy();
    raise(SIGHUP);
    raise(SIGUSR1);
    raise(SIGUSR2);
    signal(SIGHUP, on_heard);
    signal(SIGUSR1, on_heard);
    signal(SIGUSR2, on_heard);
    if (heard)
        return 1;
    daemon_hears();
    return heard ? 0 : 2;
}

static void test_early_signals_wait(void)
{
    CU_ASSERT_EQUAL(in_child(hears_late), 0);
}

/* PBS_CORE_LIMIT. */

/* The soft limit of core files after a start with this setting; 'says': does the log
 * complain? */
static rlim_t core_limit(const char *text, bool *says)
{
    const struct conf conf = { .core_limit = text };
    char path[64];
    struct logfile_config cfg = {
        .file = path, .daemon = "pbs_mom", .mask = LOG_MASK_DEFAULT, .conf = &conf
    };
    struct logfile *lf;
    struct rlimit lim;
    struct diag why;

    path_in(path, sizeof(path), "log");
    CU_ASSERT_EQUAL_FATAL(startup_log(&cfg, &lf, &why), 0);
    logfile_close(lf);
    *says = strstr(content(path), ";0001;pbs_mom;Svr;pbs_mom;invalid value for "
                                  "PBS_CORE_LIMIT in pbs.conf, continuing") != NULL;
    unlink(path);
    CU_ASSERT_EQUAL(getrlimit(RLIMIT_CORE, &lim), 0);
    return lim.rlim_cur;
}

static void test_core_limit(void)
{
    const struct {
        const char *story, *text;
        rlim_t expect; /* RLIM_INFINITY: as much as there may be */
        bool says;
    } cases[] = {
        { "a number of bytes", "4096", 4096, false },
        { "not set: as it was", NULL, 4096, false },
        { "no limit", "unlimited", RLIM_INFINITY, false },
        { "none at all", "0", 0, false },
        { "a number with a unit", "1mb", RLIM_INFINITY, true },
        { "an empty text", "", RLIM_INFINITY, true },
    };
    struct rlimit lim;

    CU_ASSERT_EQUAL(getrlimit(RLIMIT_CORE, &lim), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool says;
        rlim_t expect = cases[i].expect < lim.rlim_max ? cases[i].expect : lim.rlim_max;
        rlim_t got = core_limit(cases[i].text, &says);

        if (got != expect || says != cases[i].says)
            fprintf(stderr, "%s: got %llu\n", cases[i].story, (unsigned long long)got);
        CU_ASSERT_EQUAL(got, expect);
        CU_ASSERT_EQUAL(says, cases[i].says);
    }
    setrlimit(RLIMIT_CORE, &lim);
}

/* Pbs.conf. */

static const char *conf_file;

static int start_with_conf(void)
{
    struct conf *conf;

    setenv("PBS_CONF_FILE", conf_file, 1);
    if (!freopen("/dev/null", "w", stderr))
        return 9;
    conf = startup_conf();
    conf_free(conf);
    return conf ? 0 : 1;
}

/* It says what a daemon runs and whom it believes. */
static void test_nobody_else_writes_pbs_conf(void)
{
    static const struct {
        const char *story;
        uid_t uid; /* root only: others cannot give files away */
        gid_t gid;
        mode_t mode;
        int status;
    } cases[] = {
        { "its owner's", 0, 0, 0644, 0 },
        { "its own group's", 0, 0, 0664, 0 },
        { "everybody's", 0, 0, 0646, 1 },
        { "an account's of the system", 2, 0, 0644, 0 },
        { "a user's", 4711, 0, 0644, 1 },
        { "a group's of users", 0, 4711, 0664, 1 },
        { "a group's that reads", 0, 4711, 0644, 0 },
    };
    char path[64];
    FILE *f;

    path_in(path, sizeof(path), "pbs.conf");
    conf_file = path;
    f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs("PBS_HOME=/h\nPBS_EXEC=/e\nPBS_SERVER=s\n", f);
    fclose(f);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int status;

        if (geteuid() != 0 && (cases[i].uid || cases[i].gid))
            continue;
        if (geteuid() == 0) {
            CU_ASSERT_EQUAL_FATAL(chown(path, cases[i].uid, cases[i].gid), 0);
        }
        CU_ASSERT_EQUAL_FATAL(chmod(path, cases[i].mode), 0);
        status = in_child(start_with_conf);
        if (status != cases[i].status)
            fprintf(stderr, "%s: %d\n", cases[i].story, status);
        CU_ASSERT_EQUAL(status, cases[i].status);
    }
    unlink(path);
}

/* The lock. */

static int take_place(void)
{
    char path[64];

    path_in(path, sizeof(path), "lock");
    return startup_take_place(true, path, 0600, NULL) == PBSE_OBJBUSY ? 7 : 0;
}

static void test_a_place_is_taken_once(void)
{
    char path[64], pid[32];
    struct diag why;

    path_in(path, sizeof(path), "lock");
    CU_ASSERT_EQUAL_FATAL(startup_take_place(true, path, 0600, &why), 0);
    snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
    CU_ASSERT_STRING_EQUAL(content(path), pid);
    CU_ASSERT_EQUAL(in_child(take_place), 7);
    CU_ASSERT_STRING_EQUAL(content(path), pid); /* the second one wrote nothing */
    unlink(path);
    CU_ASSERT_EQUAL(startup_take_place(true, "/nonexistent/lock", 0600, &why),
                    PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(why.text, "/nonexistent/lock: No such file or directory");
}

/* Into the background. */

/* What the terminal sees of a daemon that starts, and of one that fails with 3. */
static int start_well(void)
{
    if (daemon_fork() != 0)
        return 99;
    daemon_ready();
    return 5; /* too late to be seen */
}

static int start_badly(void)
{
    return daemon_fork() != 0 ? 99 : 3;
}

static void test_the_terminal_gets_the_status_of_the_start(void)
{
    CU_ASSERT_EQUAL(in_child(start_well), 0);
    CU_ASSERT_EQUAL(in_child(start_badly), 3);
}

/* The rest. */

static void test_version_is_an_only_argument(void)
{
    char name[] = "pbs_x", version[] = "--version", loud[] = "--VERSION", flag[] = "-N";
    char *only[] = { name, version, NULL };
    char *also[] = { name, loud, NULL }; /* in any letters (cli.md 1.1) */
    char *more[] = { name, version, flag, NULL };
    char *other[] = { name, flag, NULL };

    CU_ASSERT_TRUE(startup_tells_version(2, only));
    CU_ASSERT_TRUE(startup_tells_version(2, also));
    CU_ASSERT_FALSE(startup_tells_version(3, more));
    CU_ASSERT_FALSE(startup_tells_version(2, other));
    CU_ASSERT_FALSE(startup_tells_version(1, only));
}

static void test_directories_are_made_with_their_parents(void)
{
    static const char *const made[] = { "a/b/c", "a/b", "a" };
    char path[64], sub[80];
    struct diag why;
    struct stat st;

    path_in(path, sizeof(path), "a/b/c");
    CU_ASSERT_EQUAL(daemon_mkdir(path, 0750, &why), 0);
    CU_ASSERT_EQUAL(daemon_mkdir(path, 0700, &why), 0); /* is there: stays as it is */
    CU_ASSERT_EQUAL(stat(path, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 0777, 0750);
    snprintf(sub, sizeof(sub), "%s/file", path);
    CU_ASSERT_EQUAL(close(open(sub, O_CREAT | O_WRONLY, 0600)), 0);
    CU_ASSERT_EQUAL(daemon_mkdir(sub, 0750, &why), PBSE_SYSTEM);
    unlink(sub);
    for (size_t i = 0; i < ARRAY_LEN(made); i++) {
        path_in(path, sizeof(path), made[i]);
        CU_ASSERT_EQUAL(rmdir(path), 0);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "nobody else writes pbs.conf", test_nobody_else_writes_pbs_conf },
        { "core files have the limit of pbs.conf, and a wrong one is told",
          test_core_limit },
        { "signals wait until the daemon hears them", test_early_signals_wait },
        { "a place is taken once", test_a_place_is_taken_once },
        { "the terminal gets the status of the start",
          test_the_terminal_gets_the_status_of_the_start },
        { "--version is an only argument", test_version_is_an_only_argument },
        { "directories are made with their parents",
          test_directories_are_made_with_their_parents },
    };
    int rc;

    umask(022);
    if (!mkdtemp(dir))
        return 2;
    rc = unit_main("startup", cases, ARRAY_LEN(cases));
    rmdir(dir);
    return rc;
}
