/* test_hook_dir.c - the directory of hooks' bodies trusts no name and no file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/hook_compile.h"
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

    CU_ASSERT_EQUAL_FATAL(hook_dir_open(home, "/nosuch", &d, &why), 0);
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

        CU_ASSERT_EQUAL(hook_dir_read(d, rows[i].name, a, &data, &len, &why), 15136);
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
    struct diag why = { 0 };
    const char *data;
    size_t len;

    put(a, "out", "something longer than what comes");
    CU_ASSERT_EQUAL(hook_dir_write(d, "out", "a\0b", 3, &why), 0);
    CU_ASSERT_EQUAL(hook_dir_write(d, "new", "", 0, &why), 0);
    CU_ASSERT_EQUAL(hook_dir_read(d, "out", a, &data, &len, &why), 0);
    CU_ASSERT_EQUAL(len, 3);
    CU_ASSERT_EQUAL(memcmp(data, "a\0b", 3), 0);
    CU_ASSERT_EQUAL(hook_dir_read(d, "new", a, &data, &len, &why), 0);
    CU_ASSERT_EQUAL(len, 0);
    CU_ASSERT_EQUAL(symlink("/tmp/hf-nowhere", path_of(a, "link")), 0);
    CU_ASSERT_EQUAL(hook_dir_write(d, "link", "x", 1, &why), 15136);
    CU_ASSERT_EQUAL(hook_dir_write(d, "../x", "x", 1, &why), 15136);
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

/* An installation whose Python is that shell script. */
static const char *exec_with(struct arena *a, const char *script)
{
    static const char *const parts[] = { "", "/python", "/python/bin" };
    const char *exec = arena_printf(a, "%s/exec", home);
    const char *python = arena_printf(a, "%s/python/bin/python", exec);
    FILE *f;

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        mkdir(arena_printf(a, "%s%s", exec, parts[i]), 0755);
    f = fopen(python, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    fclose(f);
    chmod(python, 0755);
    return exec;
}

/* Python, or what stands in for it, has the last word; silence of either is no verdict.
 */
static void test_scripts_are_compiled_and_not_run(void)
{
    static const struct {
        const char *story, *python, *script;
        enum hook_verdict verdict;
        const char *words, *kind;
    } rows[] = {
        { "json", NULL, "{ \"a\": [1, 2] }", HOOK_IS_SOUND, "", "json" },
        { "no json", NULL, "{ 'a': 1 }", HOOK_IS_WRONG, "JSONDecodeError: ", "json" },
        { "ini", NULL, "[part]\na = 100%\nb\n", HOOK_IS_SOUND, "", "ini" },
        { "no ini", NULL, "a = 1\n", HOOK_IS_WRONG, "MissingSectionHeaderError",
          "ini" },
        { "xml", NULL, "<a><b/></a>", HOOK_IS_SOUND, "", "xml" },
        { "no xml", NULL, "<a><b></a>", HOOK_IS_WRONG, "ParseError: ", "xml" },
        { "sound", NULL, "import pbs\n\npbs.event().accept()\n", HOOK_IS_SOUND, "" },
        { "empty", NULL, "", HOOK_IS_SOUND, "" },
        { "not run", NULL, "raise SystemExit(3)\n", HOOK_IS_SOUND, "" },
        { "wrong", NULL, "x = 1\nif x\n", HOOK_IS_WRONG, "line 2: " },
        { "nested too deep", NULL, NULL, HOOK_IS_WRONG, "" },
        { "the installation's own", "echo no more; exit 3", "", HOOK_IS_WRONG,
          "no more" },
        { "one that cannot start", "echo broken >&2; exit 1", "", HOOK_IS_UNKNOWN,
          "broken" },
        { "one that is killed", "kill -9 $$", "", HOOK_IS_WRONG, "Python did not" },
    };
    struct arena *a = arena_new();
    char *deep = arena_alloc(a, 200001);

    memset(deep, '(', 200000);
    deep[200000] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *script = rows[i].script ? rows[i].script : deep;
        const char *exec = rows[i].python ? exec_with(a, rows[i].python) : "/nosuch";
        const char *kind = rows[i].kind ? rows[i].kind : "py";
        struct diag why = { 0 };
        enum hook_verdict got =
            hook_compile(exec, kind, "h1", script, strlen(script), &why);

        if (got != rows[i].verdict ||
            strncmp(why.text, rows[i].words, strlen(rows[i].words)))
            printf("%s: %d %s\n", rows[i].story, (int)got, why.text);
        CU_ASSERT_EQUAL(got, rows[i].verdict);
        CU_ASSERT_EQUAL(strncmp(why.text, rows[i].words, strlen(rows[i].words)), 0);
    }
    arena_free(a);
}

static const struct unit_case cases[] = {
    { "names and files that are not plain are refused",
      test_names_and_files_that_are_not_plain_are_refused },
    { "writing makes or replaces and follows no link",
      test_writing_makes_or_replaces_and_follows_no_link },
    { "old files go and a start takes them all",
      test_old_files_go_and_a_start_takes_them_all },
    { "scripts are compiled and not run", test_scripts_are_compiled_and_not_run },
};

int main(void)
{
    static const char *const ends[] = {
        "/exec/python/bin/python", "/exec/python/bin",   "/exec/python", "/exec",
        "/server_priv/hooks/tmp",  "/server_priv/hooks", "/server_priv", ""
    };
    struct hook_dir *d;
    int rc;

    if (!mkdtemp(home))
        return 2;
    rc = unit_main("hook directory", cases, ARRAY_LEN(cases));
    if (hook_dir_open(home, "/nosuch", &d, NULL) == 0)
        hook_dir_close(d); /* empties it */
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        char *path = xasprintf("%s%s", home, ends[i]);

        remove(path);
        free(path);
    }
    return rc;
}
