/* Unit tests of lib/io/site_env.c: what a file of the site makes of an environment.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/site_env.h"

#include "lib/base/buf.h"

#include "../unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-site-env-XXXXXX";
static char path[64];

static char started_path[] = "PATH=/of/the/shell", started_lang[] = "LANG=xx",
            started_conf[] = "PBS_CONF_FILE=/c",
            started_hwloc[] = "HWLOC_SYNTHETIC=pu:2", started_secret[] = "TOKEN=t",
            started_home[] = "PBS_HOME=/h";
static char *const started[] = { started_path,  started_lang,   started_conf,
                                 started_hwloc, started_secret, started_home,
                                 NULL };

static void put(const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_EQUAL(write(fd, text, len), (ssize_t)len);
    close(fd);
}

/* The entries with a blank behind each. */
static const char *words_of(const struct site_env *e)
{
    static char text[4096];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < e->n && len < sizeof(text); i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s ", e->v[i]);
    return text;
}

static void test_lines(void)
{
    static const struct {
        const char *story, *text, *expect;
    } cases[] = {
        { "values as they are", "A=1\nB=x\\,\"y\" $A\nC==\n",
          "A=1 B=x\\,\"y\" $A C== " },
        { "the last line may lack its end", "A=1\nB=2", "A=1 B=2 " },
        { "a value may be empty", "A=\n", "A= " },
        { "comments, blanks and empty lines", "#A=1\n\n B=2\n\tC=3\nD=4\n", "D=4 " },
        { "a later line replaces", "A=1\nB=2\nA=3\n", "A=3 B=2 " },
        { "a name is not the beginning of another", "AB=1\nA=2\n", "AB=1 A=2 " },
        { "a name alone has the value of the start", "LANG\nPATH=/bin\n",
          "LANG=xx PATH=/bin " },
        { "nothing when there was none", "LAN\nLANGUAGE\nA=1\n", "A=1 " },
        { "an empty file", "", "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct site_env e;
        struct diag why;

        put(cases[i].text, strlen(cases[i].text));
        CU_ASSERT_EQUAL_FATAL(site_env_read(path, started, &e, &why), 0);
        if (strcmp(words_of(&e), cases[i].expect) != 0)
            printf("%s: %s\n", cases[i].story, words_of(&e));
        CU_ASSERT_STRING_EQUAL(words_of(&e), cases[i].expect);
        CU_ASSERT_TRUE(e.is_there);
        site_env_fini(&e);
    }
}

static void test_a_missing_file_says_nothing(void)
{
    struct site_env e;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(site_env_read("/nonexistent/x", started, &e, &why), 0);
    CU_ASSERT_EQUAL(e.n, 0);
    CU_ASSERT_FALSE(e.is_there);
    site_env_take(&e, started); /* nothing is replaced */
    CU_ASSERT_PTR_NOT_NULL(getenv("PATH"));
    site_env_fini(&e);
}

/* So many lines that count, with others between them, and one of that length. */
static int read_lines(size_t n, size_t longest, struct diag *why)
{
    struct buf text = { 0 };
    struct site_env e = { 0 };
    int err;

    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "# comment\n\nV%zu=x\n", i);
    if (longest) {
        buf_add_str(&text, "V0=");
        for (size_t i = 3; i < longest; i++)
            buf_add_char(&text, 'x');
        buf_add_char(&text, '\n');
    }
    put(text.data, text.len);
    err = site_env_read(path, started, &e, why);
    if (!err)
        CU_ASSERT_EQUAL(e.n, n);
    site_env_fini(&e);
    buf_fini(&text);
    return err;
}

static void test_limits(void)
{
    struct diag why;

    CU_ASSERT_EQUAL(read_lines(64, 0, &why), 0);
    CU_ASSERT_EQUAL(read_lines(65, 0, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, ": line 195 is one more than the 64 that"));
    CU_ASSERT_EQUAL(read_lines(3, 8191, &why), 0);
    CU_ASSERT_EQUAL(read_lines(3, 8192, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, ": line 10 has more than 8191 bytes"));
}

static void test_what_is_no_such_file_is_refused(void)
{
    struct site_env e;
    struct diag why;

    put("A=1\n=2\n", 7);
    CU_ASSERT_EQUAL(site_env_read(path, started, &e, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "line 2 names no variable"));
    put("A=1\0B=2\n", 8);
    CU_ASSERT_EQUAL(site_env_read(path, started, &e, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "NUL"));
    CU_ASSERT_EQUAL(site_env_read(dir, started, &e, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "not a file"));
}

static void test_what_others_could_have_written_is_refused(void)
{
    static const struct {
        mode_t mode;
        uid_t uid; /* root only */
        int expect;
    } cases[] = {
        { 0644, 0, 0 },  { 0664, 0, PBSE_PERM },  { 0646, 0, PBSE_PERM },
        { 0644, 10, 0 }, { 0644, 11, PBSE_PERM },
    };

    put("A=1\n", 4);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct site_env e = { 0 };
        struct diag why;

        if (cases[i].uid && geteuid() != 0)
            continue;
        if (geteuid() == 0)
            CU_ASSERT_EQUAL(chown(path, cases[i].uid, 0), 0);
        CU_ASSERT_EQUAL(chmod(path, cases[i].mode), 0);
        CU_ASSERT_EQUAL(site_env_read(path, started, &e, &why), cases[i].expect);
        site_env_fini(&e);
    }
    unlink(path);
}

/* In a child: its environment is another one afterwards. 0, or where it is wrong. */
static int live_by_it(void)
{
    static const char text[] = "TZ=XYZ-3\nPBS_HOME=/g\nPATH=/bin\n";
    time_t at = 0;
    struct site_env e;
    struct diag why;
    struct tm tm;

    setenv("TZ", "UTC", 1);
    tzset();
    put(text, strlen(text));
    if (site_env_read(path, started, &e, &why) != 0)
        return 1;
    site_env_take(&e, started);
    site_env_fini(&e);
    for (int turn = 0; turn < 2; turn++) {
        if (strcmp(getenv("PATH"), "/bin") != 0 || getenv("LANG") || getenv("TOKEN"))
            return 2;
        /* Its own settings stay, but the file outweighs them. */
        if (!getenv("PBS_CONF_FILE") || !getenv("HWLOC_SYNTHETIC") ||
            strcmp(getenv("PBS_HOME"), "/g") != 0)
            return 3;
        if (!localtime_r(&at, &tm) || tm.tm_hour != 3)
            return 4;
        if (!getenv("TZ") || environ[5])
            return 5;
        /* The same again is no change. */
        if (site_env_read(path, started, &e, &why) != 0)
            return 6;
        site_env_take(&e, started);
        site_env_fini(&e);
    }
    put("TZ=ABC-5\n", 9);
    if (site_env_read(path, started, &e, &why) != 0)
        return 7;
    site_env_take(&e, started);
    site_env_fini(&e);
    if (!localtime_r(&at, &tm) || tm.tm_hour != 5 || getenv("PATH") ||
        strcmp(getenv("PBS_HOME"), "/h") != 0)
        return 8;
    return 0;
}

static void test_a_process_lives_by_it(void)
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        _exit(live_by_it());
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    CU_ASSERT(WIFEXITED(status));
    CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "lines", test_lines },
        { "a missing file says nothing", test_a_missing_file_says_nothing },
        { "there are at most 64 lines of 8191 bytes", test_limits },
        { "what is no such file is refused", test_what_is_no_such_file_is_refused },
        { "what others could have written is refused",
          test_what_others_could_have_written_is_refused },
        { "a process lives by it", test_a_process_lives_by_it },
    };
    int rc;

    umask(022);
    if (!mkdtemp(dir))
        return 2;
    snprintf(path, sizeof(path), "%s/environment", dir);
    rc = unit_main("the environment of a site", cases, ARRAY_LEN(cases));
    unlink(path);
    rmdir(dir);
    return rc;
}
