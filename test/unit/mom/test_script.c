/* Unit tests of the administrator's scripts: which are fit, what they end with, how
 * long they may take, and what a prologue's end means for its job (execution.md 16).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/script.h"

#include "../unit.h"
#include "mom/shell/prologue.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
    CU_ASSERT_EQUAL_FATAL(chmod(path, mode), 0);
}

static void make_dir(void)
{
    snprintf(dir, sizeof(dir), "/tmp/hf-script-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
}

static void remove_dir(void)
{
    char cmd[96];

    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    CU_ASSERT_EQUAL(system(cmd), 0);
}

/* Whoever may write the script would run it as root. */
static void test_only_what_nobody_else_may_change_is_fit(void)
{
    static const struct {
        mode_t mode;
        enum script_look look;
    } rows[] = {
        { 0500, SCRIPT_IS_FIT },   { 0700, SCRIPT_IS_FIT },   { 0755, SCRIPT_IS_FIT },
        { 0400, SCRIPT_IS_UNFIT }, { 0300, SCRIPT_IS_UNFIT }, { 0720, SCRIPT_IS_UNFIT },
        { 0702, SCRIPT_IS_UNFIT }, { 0777, SCRIPT_IS_UNFIT },
    };
    char path[96];

    make_dir();
    snprintf(path, sizeof(path), "%s/s", dir);
    CU_ASSERT_EQUAL(script_look(path), SCRIPT_IS_MISSING);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        write_file(path, "#!/bin/sh\n", 0700);
        CU_ASSERT_EQUAL(chmod(path, rows[i].mode), 0);
        CU_ASSERT_EQUAL(script_look(path), rows[i].look);
        CU_ASSERT_EQUAL(unlink(path), 0);
    }
    CU_ASSERT_EQUAL(script_look(dir), SCRIPT_IS_UNFIT);
    if (geteuid() == 0) {
        write_file(path, "#!/bin/sh\n", 0755);
        CU_ASSERT_EQUAL(chown(path, 4711, 0), 0);
        CU_ASSERT_EQUAL(script_look(path), SCRIPT_IS_UNFIT);
    }
    remove_dir();
}

static int run_text(const char *text, int64_t limit_s, int *ret_signal)
{
    char path[96];
    char *argv[] = { path, NULL }, *envp[] = { NULL };
    const struct script s = { .path = path,
                              .argv = argv,
                              .envp = envp,
                              .dir = dir,
                              .output = -1,
                              .error = -1,
                              .umask = 027,
                              .limit_s = limit_s,
                              .ret_signal = ret_signal };

    snprintf(path, sizeof(path), "%s/s", dir);
    write_file(path, text, 0700);
    return script_run(&s);
}

static void test_what_a_script_ends_with(void)
{
    static const struct {
        const char *story, *text;
        int64_t limit_s;
        int code, signo;
    } rows[] = {
        { "well", "#!/bin/sh\nexit 0\n", 60, 0, 0 },
        { "with a status", "#!/bin/sh\nexit 17\n", 60, 17, 0 },
        { "by a signal", "#!/bin/sh\nkill -9 $$\n", 60, SCRIPT_BROKEN, SIGKILL },
        { "by another one", "#!/bin/sh\nkill -USR1 $$\n", 60, SCRIPT_BROKEN, SIGUSR1 },
        { "cannot be run", "#!/no/such/shell\n", 60, 126, 0 },
        { "in its directory", "#!/bin/sh\ntest -x ./s || exit 5\n", 60, 0, 0 },
        { "with its umask", "#!/bin/sh\n[ $(umask) = 0027 ] || exit 5\n", 60, 0, 0 },
        { "in a session of its own",
          "#!/bin/sh\n[ $(ps -o sid= -p $$) = $$ ] || exit 5\n", 60, 0, 0 },
        { "without input", "#!/bin/sh\nread x && exit 5\nexit 0\n", 60, 0, 0 },
        { "late", "#!/bin/sh\nsleep 1000 & echo $! > child\nwait\n", 1, SCRIPT_LATE,
          SIGKILL },
    };
    char path[96];
    FILE *f;
    int pid = 0;

    make_dir();
    setenv("PATH", "/bin:/usr/bin", 1);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int signo = -1, code = run_text(rows[i].text, rows[i].limit_s, &signo);

        if (code != rows[i].code || signo != rows[i].signo)
            fprintf(stderr, "%s: %d %d\n", rows[i].story, code, signo);
        CU_ASSERT_EQUAL(code, rows[i].code);
        CU_ASSERT_EQUAL(signo, rows[i].signo);
    }
    /* What the late one had started was ended with it. */
    snprintf(path, sizeof(path), "%s/child", dir);
    f = fopen(path, "r");
    CU_ASSERT(f && fscanf(f, "%d", &pid) == 1 && pid > 1);
    if (f)
        fclose(f);
    for (int i = 0; i < 500 && kill(pid, 0) == 0; i++) {
        char state[64], line[256] = "";

        snprintf(state, sizeof(state), "/proc/%d/stat", pid);
        f = fopen(state, "r");
        if (f && fgets(line, sizeof(line), f) && strstr(line, ") Z "))
            i = 1000; /* dead, and not yet waited for by init */
        if (f)
            fclose(f);
        usleep(10000);
    }
    remove_dir();
}

struct heard {
    char text[1024];
};

static void hear(void *arg, int event, const char *text)
{
    struct heard *h = arg;
    size_t len = strlen(h->text);

    snprintf(h->text + len, sizeof(h->text) - len, "%d %s\n", event, text);
}

/* 1 means no start at all, anything else a later one. */
static void test_what_a_prologue_means(void)
{
    static const struct {
        const char *text;
        mode_t mode;
        int status;
        const char *words; /* among the lines of the log */
    } rows[] = {
        { NULL, 0, 0, "" },
        { "#!/bin/sh\nexit 0\n", 0700, 0, "128 running prologue\n" },
        { "#!/bin/sh\nexit 1\n", 0700, START_FAILED,
          "128 completed prologue, exit=1\n" },
        { "#!/bin/sh\nexit 2\n", 0700, START_RETRY,
          "/prologue, exit: 2, nonzero p/e exit status\n" },
        { "#!/bin/sh\nexec sleep 1000\n", 0700, START_RETRY,
          "/prologue, exit: -4, nonzero p/e exit status\n" },
        { "#!/bin/sh\nexit 0\n", 0722, START_RETRY,
          "/prologue, exit: -1, Permission Error\n" },
        { "#!/bin/sh\n[ \"$#:$1:$2:$3\" = 3:1.svr:joe:staff ] && [ $PBS_JOBDIR = "
          "/home/j ] "
          "&& [ $(basename $(pwd)) = mom_priv ] || exit 7\n",
          0700, 0, "128 running prologue\n" },
    };
    struct conf conf = { .environment = "/nonexistent" };
    struct config config = { .prolog_alarm_s = 1 };
    struct plan_host host = { .conf = &conf, .config = &config, .home = dir };
    const struct plan p = { .job_id = "1.svr",
                            .user = "joe",
                            .group = "staff",
                            .home = "/home/j",
                            .umask = 077 };
    char path[96];
    int err = dup(2), null = open("/dev/null", O_WRONLY);

    make_dir();
    snprintf(path, sizeof(path), "%s/mom_priv", dir);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/mom_priv/prologue", dir);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct heard h = { "" };
        int status;

        if (rows[i].text)
            write_file(path, rows[i].text, rows[i].mode);
        dup2(null, 2); /* the words for the job's user */
        status = prologue_run(&host, &p, hear, &h);
        dup2(err, 2);
        if (status != rows[i].status || !strstr(h.text, rows[i].words))
            fprintf(stderr, "%zu: %d %s\n", i, status, h.text);
        CU_ASSERT_EQUAL(status, rows[i].status);
        CU_ASSERT_PTR_NOT_NULL(strstr(h.text, rows[i].words));
    }
    close(err);
    close(null);
    remove_dir();
}

static const struct unit_case cases[] = {
    { "only a script that nobody else may change is fit",
      test_only_what_nobody_else_may_change_is_fit },
    { "a script ends with its status, or with a reason of the MoM's",
      test_what_a_script_ends_with },
    { "what a prologue ends with decides about its job", test_what_a_prologue_means },
};

int main(void)
{
    return unit_main("mom/script", cases, ARRAY_LEN(cases));
}
