/* test_secure.c - the server trusts no directory that others can write.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/secure.h"

#include "../unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[] = "/tmp/hf-secure-XXXXXX";
static char *home;
static char *environment; /* pbs_environment, which may lie elsewhere */

static char *in_home(const char *name)
{
    return xasprintf("%s/%s", home, name);
}

static void test_missing_directories_are_made_with_their_modes(void)
{
    static const struct {
        const char *name;
        mode_t mode;
    } rows[] = {
        { "server_priv", 0750 },
        { "server_priv/jobs", 0750 },
        { "server_priv/users", 0750 },
        { "server_priv/hooks/tmp", 0750 },
        { "server_priv/accounting", 0755 },
        { "server_logs", 0755 },
    };
    struct diag why = { 0 };

    CU_ASSERT_EQUAL_FATAL(secure_make_dirs(home, &why), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *path = in_home(rows[i].name);
        struct stat st;

        CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
        CU_ASSERT_EQUAL(st.st_mode & 07777, rows[i].mode);
        free(path);
    }
    CU_ASSERT_EQUAL(secure_check(home, environment, NULL, &why), 0);
}

static void test_what_others_can_write_is_told_with_what_to_do(void)
{
    static const struct {
        const char *story, *name;
        mode_t mode, back;
        int issues;
        const char *words;
    } rows[] = {
        { "others", "server_priv/jobs", 0757, 0750, 1, "writable by others" },
        { "the group", "server_priv/users", 0770, 0750, 1, "writable by its group" },
        { "sticky is no excuse", "server_priv/hooks", 01777, 0750, 1,
          "writable by its group" },
        { "but here it is", "server_logs", 01777, 0755, 0, "" },
        { "without it it is none", "server_logs", 0777, 0755, 1, "writable by" },
        { "above both jobs and users, and itself", "server_priv", 0752, 0750, 3,
          "writable by others" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *path = in_home(rows[i].name);
        struct diag why = { 0 };
        int n;

        CU_ASSERT_EQUAL(chmod(path, rows[i].mode), 0);
        n = secure_check(home, environment, NULL, &why);
        CU_ASSERT_EQUAL(n, rows[i].issues);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, rows[i].words));
        if (n != rows[i].issues || !strstr(why.text, rows[i].words))
            printf("%s: %d %s\n", rows[i].story, n, why.text);
        if (n)
            CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "chmod go-w"));
        CU_ASSERT_EQUAL(chmod(path, rows[i].back), 0);
        free(path);
    }
}

/* Only root can give files away; as somebody else there is nothing to look at. */
static void test_what_belongs_to_somebody_else_is_told(void)
{
    char *path = in_home("server_priv/jobs");
    struct diag why = { 0 };

    if (geteuid() == 0) {
        CU_ASSERT_EQUAL(chown(path, 12345, 12345), 0);
        CU_ASSERT_EQUAL(secure_check(home, environment, NULL, &why), 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "owned by an unprivileged user"));
        CU_ASSERT_EQUAL(chown(path, 0, 0), 0);
    }
    CU_ASSERT_EQUAL(secure_check(home, environment, NULL, &why), 0);
    free(path);
}

/* Where pbs.conf says that it lies, and not where it would lie otherwise. */
static void test_the_environment_is_looked_at_where_it_is(void)
{
    static const struct {
        const char *story;
        mode_t mode, above;
        int issues;
    } rows[] = {
        { "only its owner writes it", 0644, 0755, 0 },
        { "its group writes it", 0664, 0755, 1 },
        { "others write it", 0646, 0755, 1 },
        { "others could replace it", 0644, 0757, 1 },
    };
    char *dir = xasprintf("%s/elsewhere", top), *unused = in_home("pbs_environment");
    struct diag why = { 0 };

    CU_ASSERT_EQUAL(mkdir(dir, 0755), 0);
    CU_ASSERT_EQUAL(close(open(environment, O_WRONLY | O_CREAT, 0644)), 0);
    CU_ASSERT_EQUAL(close(open(unused, O_WRONLY | O_CREAT, 0644)), 0);
    CU_ASSERT_EQUAL(chmod(unused, 0666), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int n;

        CU_ASSERT_EQUAL(chmod(environment, rows[i].mode), 0);
        CU_ASSERT_EQUAL(chmod(dir, rows[i].above), 0);
        n = secure_check(home, environment, NULL, &why);
        if (n != rows[i].issues)
            printf("%s: %d %s\n", rows[i].story, n, why.text);
        CU_ASSERT_EQUAL(n, rows[i].issues);
    }
    unlink(unused);
    unlink(environment);
    rmdir(dir);
    free(unused);
    free(dir);
}

static const struct unit_case cases[] = {
    { "missing directories are made with their modes",
      test_missing_directories_are_made_with_their_modes },
    { "what others can write is told, with what to do",
      test_what_others_can_write_is_told_with_what_to_do },
    { "what belongs to somebody else is told",
      test_what_belongs_to_somebody_else_is_told },
    { "the environment is looked at where it is",
      test_the_environment_is_looked_at_where_it_is },
};

int main(void)
{
    static const char *const made[] = {
        "server_priv/hooks/tmp",
        "server_priv/hooks",
        "server_priv/jobs",
        "server_priv/users",
        "server_priv/accounting",
        "server_priv",
        "server_logs",
        "",
    };
    int rc;

    umask(022);
    if (!mkdtemp(top))
        return 2;
    home = xasprintf("%s/home", top);
    environment = xasprintf("%s/elsewhere/environment", top);
    mkdir(home, 0755);
    rc = unit_main("security checks", cases, ARRAY_LEN(cases));
    for (size_t i = 0; i < ARRAY_LEN(made); i++) {
        char *path = in_home(made[i]);

        rmdir(path);
        free(path);
    }
    free(environment);
    free(home);
    rmdir(top);
    return rc;
}
