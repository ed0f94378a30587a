/* test_hook_dir.c - the directory of hooks' bodies trusts no name and no file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/hook_dir.h"

#include "../unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char home[] = "/tmp/hf-hook-dir-XXXXXX";

static const char *path_of(struct arena *a, const char *name)
{
    return arena_printf(a, "%s/server_priv/hooks/tmp/%s", home, name);
}

static void put(struct arena *a, const char *name, const char *text)
{
    FILE *f = fopen(path_of(a, name), "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
}

static struct hook_dir *dir_new(void)
{
    struct hook_dir *d = NULL;
    struct diag why = { 0 };

    CU_ASSERT_EQUAL_FATAL(hook_dir_open(home, &d, &why), 0);
    return d;
}

static void test_names_and_files_that_are_not_plain_are_refused(void)
{
    static const struct {
        const char *story, *name, *words;
    } rows[] = {
        { "missing", "nosuch", "nosuch - No such file or directory" },
        { "empty name", "", " - Invalid file name" },
        { "parent", "..", ".. - Invalid file name" },
        { "itself", ".", ". - Invalid file name" },
        { "path upwards", "../f", "../f - Invalid file name" },
        { "absolute path", "/etc/passwd", "/etc/passwd - Invalid file name" },
        { "hidden", ".f", ".f - Invalid file name" },
        { "path below", "sub/f", "sub/f - Invalid file name" },
        { "symbolic link", "link", "link - Too many levels of symbolic links" },
        { "second link", "twice", "twice - Not a plain file of the server's own" },
        { "directory", "sub", "sub - Not a plain file of the server's own" },
        { "pipe", "pipe", "pipe - Not a plain file of the server's own" },
        { "too large", "large", "large - File too large" },
    };
    struct arena *a = arena_new();
    struct hook_dir *d = dir_new();
    const struct hook_files *files = hook_dir_files(d);

    put(a, "f", "body");
    put(a, "once", "body");
    put(a, "large", "");
    CU_ASSERT_EQUAL(truncate(path_of(a, "large"), HOOK_BODY_MAX_BYTES + 1), 0);
    CU_ASSERT_EQUAL(symlink("f", path_of(a, "link")), 0);
    CU_ASSERT_EQUAL(link(path_of(a, "once"), path_of(a, "twice")), 0);
    CU_ASSERT_EQUAL(mkdir(path_of(a, "sub"), 0700), 0);
    CU_ASSERT_EQUAL(mkfifo(path_of(a, "pipe"), 0600), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct diag why = { 0 };
        const char *data;
        size_t len;

        CU_ASSERT_EQUAL(files->read(files->arg, rows[i].name, a, &data, &len, &why),
                        15136);
        CU_ASSERT_STRING_EQUAL(why.text, rows[i].words);
        if (strcmp(why.text, rows[i].words) != 0)
            printf("%s: %s\n", rows[i].story, why.text);
    }
    rmdir(path_of(a, "sub"));
    hook_dir_close(d);
    arena_free(a);
}

static void test_writing_makes_or_replaces_and_follows_no_link(void)
{
    struct arena *a = arena_new();
    struct hook_dir *d = dir_new();
    const struct hook_files *files = hook_dir_files(d);
    struct diag why = { 0 };
    const char *data;
    size_t len;

    put(a, "out", "something longer than what comes");
    CU_ASSERT_EQUAL(files->write(files->arg, "out", "a\0b", 3, &why), 0);
    CU_ASSERT_EQUAL(files->write(files->arg, "new", "", 0, &why), 0);
    CU_ASSERT_EQUAL(files->read(files->arg, "out", a, &data, &len, &why), 0);
    CU_ASSERT_EQUAL(len, 3);
    CU_ASSERT_EQUAL(memcmp(data, "a\0b", 3), 0);
    CU_ASSERT_EQUAL(files->read(files->arg, "new", a, &data, &len, &why), 0);
    CU_ASSERT_EQUAL(len, 0);
    CU_ASSERT_EQUAL(symlink("/tmp/hf-nowhere", path_of(a, "link")), 0);
    CU_ASSERT_EQUAL(files->write(files->arg, "link", "x", 1, &why), 15136);
    CU_ASSERT_EQUAL(files->write(files->arg, "../x", "x", 1, &why), 15136);
    CU_ASSERT_NOT_EQUAL(access("/tmp/hf-nowhere", F_OK), 0);
    hook_dir_close(d);
    arena_free(a);
}

static void test_old_files_go_and_a_start_takes_them_all(void)
{
    struct arena *a = arena_new();
    struct hook_dir *d = dir_new();
    int64_t now_at = time(NULL);
    struct timespec old[2] = { { .tv_sec = now_at - 1300 },
                               { .tv_sec = now_at - 1300 } };

    put(a, "old", "x");
    put(a, "young", "x");
    CU_ASSERT_EQUAL(utimensat(AT_FDCWD, path_of(a, "old"), old, 0), 0);
    hook_dir_clean(d, now_at);
    CU_ASSERT_NOT_EQUAL(access(path_of(a, "old"), F_OK), 0);
    CU_ASSERT_EQUAL(access(path_of(a, "young"), F_OK), 0);
    hook_dir_close(d);
    d = dir_new();
    CU_ASSERT_NOT_EQUAL(access(path_of(a, "young"), F_OK), 0);
    hook_dir_close(d);
    arena_free(a);
}

static const struct unit_case cases[] = {
    { "names and files that are not plain are refused",
      test_names_and_files_that_are_not_plain_are_refused },
    { "writing makes or replaces and follows no link",
      test_writing_makes_or_replaces_and_follows_no_link },
    { "old files go and a start takes them all",
      test_old_files_go_and_a_start_takes_them_all },
};

int main(void)
{
    static const char *const ends[] = { "/server_priv/hooks/tmp", "/server_priv/hooks",
                                        "/server_priv", "" };
    struct hook_dir *d;
    int rc;

    if (!mkdtemp(home))
        return 2;
    rc = unit_main("hook directory", cases, ARRAY_LEN(cases));
    if (hook_dir_open(home, &d, NULL) == 0)
        hook_dir_close(d); /* empties it */
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        char *path = xasprintf("%s%s", home, ends[i]);

        rmdir(path);
        free(path);
    }
    return rc;
}
