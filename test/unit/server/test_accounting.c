/* Unit tests of src/server/shell/accounting.c: lines whose place in the file is part of
 * the commit, whatever happens to the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/accounting.h"
#include "server/shell/committer.h"

#include "../unit.h"
#include "file_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-accounting-XXXXXX";

static void file_put(const char *path, const char *text, size_t len)
{
    FILE *f = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL(fwrite(text, 1, len, f), len);
    fclose(f);
}

/* Whatever a crash left of the lines, a restart makes them whole. */
static void test_accounting_is_repaired(void)
{
    static const char lines[] = "11/21/2026 08:02:34;Q;1.svr;one \n"
                                "11/21/2026 08:02:35;E;1.svr;two\n";
    static const char before[] = "11/20/2026 00:00:00;L;license;x\n";
    char path[64], *note, *whole = xasprintf("%s%s", before, lines);
    struct accounting *a;
    struct diag why;

    snprintf(path, sizeof(path), "%s/acct", dir);
    note = xasprintf("%s %zu %zu\n%s", path, strlen(before), strlen(lines), lines);
    for (size_t cut = strlen(before); cut <= strlen(whole); cut++) {
        char *got;

        file_put(path, whole, cut);
        a = accounting_new(dir, path, NULL);
        CU_ASSERT_EQUAL(accounting_repair(a, note, &why), 0);
        accounting_free(a);
        got = file_content(path);
        CU_ASSERT_STRING_EQUAL(got, whole);
        free(got);
    }
    file_put(path, whole, strlen(before) + 5);
    CU_ASSERT_EQUAL(truncate(path, (off_t)strlen(whole) - 3), 0);
    a = accounting_new(dir, path, NULL);
    CU_ASSERT_EQUAL(accounting_repair(a, note, &why), 0); /* zeros after power loss */
    CU_ASSERT_EQUAL(accounting_repair(a, NULL, &why), 0);
    CU_ASSERT_EQUAL(accounting_repair(a, "", &why), 0);
    CU_ASSERT_EQUAL(accounting_repair(a, "nonsense", &why), PBSE_SYSTEM);
    accounting_free(a);
    char *got = file_content(path);
    CU_ASSERT_STRING_EQUAL(got, whole);
    free(got);
    unlink(path);
    free(note);
    free(whole);
}

static void test_accounting_follows_the_day(void)
{
    /* A day long past: today's file has the lines of other tests. */
    static const int64_t day_s = 86400, noon_at = 983707200; /* 2001-03-04 12:00 */
    char first[64], second[64], *text;
    struct accounting *a = accounting_new(dir, NULL, NULL);
    struct commit *c = commit_new();

    accounting_plan(a, noon_at, 'Q', "1.svr", "a\nb ");
    accounting_plan(a, noon_at + day_s, 'E', "1.svr", "c");
    accounting_note(a, c);
    CU_ASSERT_FALSE(commit_is_empty(c));
    commit_free(c);
    accounting_write(a);
    accounting_write(a);
    accounting_free(a);
    snprintf(first, sizeof(first), "%s/20010304", dir);
    snprintf(second, sizeof(second), "%s/20010305", dir);
    text = file_content(second);
    CU_ASSERT_STRING_EQUAL(text, "03/05/2001 12:00:00;E;1.svr;c\n");
    free(text);
    text = file_content(first);
    CU_ASSERT_STRING_EQUAL(text, "03/04/2001 12:00:00;Q;1.svr;a b \n");
    free(text);
    unlink(first);
    unlink(second);
}

/* The disk, as the server's files see it: a sync that fails has thrown away what was
 * not synced, and the next one knows nothing of it. */
static struct {
    bool broken;
    int64_t lost_from; /* bytes of the file from here on are lost, as zeros */
    unsigned n_syncs;
} disk;

int fdatasync(int fd)
{
    struct stat st;

    disk.n_syncs++;
    if (!disk.broken)
        return 0;
    CU_ASSERT_EQUAL(fstat(fd, &st), 0);
    CU_ASSERT_EQUAL(ftruncate(fd, disk.lost_from), 0);
    CU_ASSERT_EQUAL(ftruncate(fd, st.st_size), 0);
    errno = EIO;
    return -1;
}

/* What a commit's note would be, stored and read back. */
static char *note_of(struct accounting *a)
{
    struct commit *c = commit_new();
    char *note;

    accounting_note(a, c);
    CU_ASSERT_FALSE(commit_is_empty(c));
    accounting_synced(a, commit_sync_files(c));
    CU_ASSERT_EQUAL(commit_sync_files(c), disk.broken ? EIO : 0); /* asked once */
    note = xstrdup(commit_note_value(c));
    commit_free(c);
    return note;
}

/* In quiet times the note is emptied, so that a file that is moved away stays away. */
static void test_accounting_settles(void)
{
    static const int64_t noon_at = 983707200;
    struct accounting *a = accounting_new(dir, NULL, NULL);
    char path[64], *note;
    struct diag why;

    snprintf(path, sizeof(path), "%s/20010304", dir);
    CU_ASSERT_FALSE(accounting_settle(a, INT64_MAX));
    accounting_plan(a, noon_at, 'Q', "1.svr", "a");
    note = note_of(a);
    CU_ASSERT_PTR_NOT_NULL(strstr(note, ";Q;1.svr;a\n"));
    free(note);
    CU_ASSERT_FALSE(accounting_settle(a, INT64_MAX)); /* not written yet */
    accounting_write(a);
    CU_ASSERT_FALSE(accounting_settle(a, noon_at + 9));
    CU_ASSERT_TRUE(accounting_settle(a, noon_at + 10));
    note = note_of(a);
    CU_ASSERT_PTR_NULL(strstr(note, "1.svr"));
    CU_ASSERT_FALSE(accounting_settle(a, INT64_MAX)); /* done */
    accounting_free(a);
    CU_ASSERT_EQUAL(unlink(path), 0);
    a = accounting_new(dir, NULL, NULL);
    CU_ASSERT_EQUAL(accounting_repair(a, note, &why), 0);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    accounting_free(a);
    free(note);
}

static void plan_and_write(struct accounting *a, const char *id)
{
    static const int64_t noon_at = 983707200;

    accounting_plan(a, noon_at, 'Q', id, "a");
    free(note_of(a));
    accounting_write(a);
}

/* The lines that a failed sync has lost are written again, and until they are surely on
 * disk the store has them. */
static void test_accounting_survives_a_failed_sync(void)
{
    struct accounting *a = accounting_new(dir, NULL, NULL);
    char path[64], *note, *text;
    struct diag why;

    disk.broken = false;
    snprintf(path, sizeof(path), "%s/20010304", dir);
    plan_and_write(a, "1.svr");
    CU_ASSERT_TRUE(accounting_settle(a, INT64_MAX));
    free(note_of(a)); /* synced */
    plan_and_write(a, "2.svr");
    CU_ASSERT_TRUE(accounting_settle(a, INT64_MAX));
    disk.broken = true;
    disk.lost_from = (int64_t)strlen("03/04/2001 12:00:00;Q;1.svr;a\n");
    note = note_of(a);
    CU_ASSERT_PTR_NULL(strstr(note, "1.svr"));
    CU_ASSERT_PTR_NOT_NULL(strstr(note, ";Q;2.svr;a\n"));
    disk.broken = false;
    plan_and_write(a, "3.svr"); /* the file is left alone for a while */
    text = file_content(path);
    CU_ASSERT_PTR_NULL(strstr(text, "3.svr"));
    free(text);
    accounting_free(a);

    a = accounting_new(dir, NULL, NULL); /* killed now, or later: the same */
    CU_ASSERT_EQUAL(accounting_repair(a, note, &why), 0);
    text = file_content(path);
    CU_ASSERT_STRING_EQUAL(text, "03/04/2001 12:00:00;Q;1.svr;a\n"
                                 "03/04/2001 12:00:00;Q;2.svr;a\n");
    plan_and_write(a, "3.svr");
    free(text);
    free(note);
    CU_ASSERT_TRUE(accounting_settle(a, INT64_MAX));
    disk.broken = true; /* the very lines again: in the live server this time */
    free(note_of(a));
    disk.broken = false;
    accounting_reopen(a); /* an administrator need not wait */
    text = file_content(path);
    CU_ASSERT_STRING_EQUAL(text, "03/04/2001 12:00:00;Q;1.svr;a\n"
                                 "03/04/2001 12:00:00;Q;2.svr;a\n"
                                 "03/04/2001 12:00:00;Q;3.svr;a\n");
    free(text);
    CU_ASSERT_TRUE(accounting_settle(a, INT64_MAX)); /* they are not on disk yet */
    note = note_of(a);
    CU_ASSERT_PTR_NULL(strstr(note, ".svr"));
    free(note);
    accounting_free(a);
    unlink(path);
}

/* An accounting file that cannot be written holds up nobody. */
static void test_accounting_waits_for_its_folder(void)
{
    char path[80], *note, *text;
    struct accounting *a;
    struct diag why;

    disk.broken = false;
    snprintf(path, sizeof(path), "%s/later", dir);
    a = accounting_new(path, NULL, NULL); /* it is not there yet */
    plan_and_write(a, "1.svr");
    plan_and_write(a, "2.svr");
    CU_ASSERT_FALSE(accounting_settle(a, INT64_MAX));
    accounting_plan(a, 983707200, 'Q', "3.svr", "a");
    note = note_of(a);
    accounting_free(a);
    a = accounting_new(path, NULL, NULL);
    CU_ASSERT_EQUAL(accounting_repair(a, note, &why), 0); /* not at the start either */
    plan_and_write(a, "4.svr");
    CU_ASSERT_EQUAL(mkdir(path, 0755), 0);
    accounting_retry(a);
    snprintf(path, sizeof(path), "%s/later/20010304", dir);
    text = file_content(path);
    CU_ASSERT_STRING_EQUAL(text, "03/04/2001 12:00:00;Q;1.svr;a\n"
                                 "03/04/2001 12:00:00;Q;2.svr;a\n"
                                 "03/04/2001 12:00:00;Q;3.svr;a\n"
                                 "03/04/2001 12:00:00;Q;4.svr;a\n");
    accounting_free(a);
    free(text);
    free(note);
    unlink(path);
    snprintf(path, sizeof(path), "%s/later", dir);
    rmdir(path);
}

/* SIGHUP: lines go on where the file is, or in a new one when it was moved away. */
static void test_accounting_is_reopened(void)
{
    struct accounting *a = accounting_new(dir, NULL, NULL);
    char path[64], moved[80], *text;

    disk.broken = false;
    snprintf(path, sizeof(path), "%s/20010304", dir);
    snprintf(moved, sizeof(moved), "%s.old", path);
    plan_and_write(a, "1.svr");
    accounting_reopen(a);
    plan_and_write(a, "2.svr");
    CU_ASSERT_EQUAL(rename(path, moved), 0);
    accounting_reopen(a);
    plan_and_write(a, "3.svr");
    accounting_free(a);
    text = file_content(moved);
    CU_ASSERT_STRING_EQUAL(text, "03/04/2001 12:00:00;Q;1.svr;a\n"
                                 "03/04/2001 12:00:00;Q;2.svr;a\n");
    free(text);
    text = file_content(path);
    CU_ASSERT_STRING_EQUAL(text, "03/04/2001 12:00:00;Q;3.svr;a\n");
    free(text);
    unlink(path);
    unlink(moved);
}

/* The clock goes back over midnight before anything is written: a restart that finds
 * the note and no line writes each line once. */
static void test_accounting_survives_a_clock_that_goes_back(void)
{
    static const int64_t day_s = 86400, noon_at = 983707200;
    struct accounting *a = accounting_new(dir, NULL, NULL);
    char path[64], *note, *text;
    struct diag why;

    accounting_plan(a, noon_at, 'Q', "1.svr", "a");
    accounting_plan(a, noon_at + day_s, 'Q', "2.svr", "b");
    accounting_plan(a, noon_at, 'Q', "3.svr", "c");
    note = note_of(a);
    accounting_free(a);
    a = accounting_new(dir, NULL, NULL);
    CU_ASSERT_EQUAL(accounting_repair(a, note, &why), 0);
    accounting_free(a);
    snprintf(path, sizeof(path), "%s/20010305", dir);
    unlink(path);
    snprintf(path, sizeof(path), "%s/20010304", dir);
    text = file_content(path);
    CU_ASSERT_STRING_EQUAL(text, "03/04/2001 12:00:00;Q;1.svr;a\n"
                                 "03/04/2001 12:00:00;Q;3.svr;c\n");
    unlink(path);
    free(text);
    free(note);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "accounting is repaired", test_accounting_is_repaired },
        { "accounting follows the day", test_accounting_follows_the_day },
        { "accounting settles", test_accounting_settles },
        { "accounting survives a failed sync", test_accounting_survives_a_failed_sync },
        { "accounting waits for its folder", test_accounting_waits_for_its_folder },
        { "accounting is reopened", test_accounting_is_reopened },
        { "accounting survives a clock that goes back",
          test_accounting_survives_a_clock_that_goes_back },
    };
    int rc;

    setenv("TZ", "UTC", 1);
    if (!mkdtemp(dir))
        return 2;
    rc = unit_main("server accounting", cases, ARRAY_LEN(cases));
    rmdir(dir);
    return rc;
}
