/* Unit tests of lib/io/zonefile.c: a zone's file is found by its name, and no other
 * file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/zonefile.h"

#include "../unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-zones-XXXXXX";

static void put(const char *name, size_t n_bytes)
{
    char path[200];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while (n_bytes-- > 0)
        putc('z', f);
    fclose(f);
}

static void make_folder(const char *name)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
}

static void test_found(void)
{
    static const char *const names[] = { "UTC", "America/New_York", "Etc/GMT+5" };

    put("UTC", 3);
    make_folder("America");
    put("America/New_York", 5000);
    make_folder("Etc");
    put("Etc/GMT+5", 65536);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct buf b = { 0 };

        buf_add_str(&b, "before ");
        CU_ASSERT_EQUAL(zonefile_read(dir, names[i], &b, NULL), 0);
        CU_ASSERT_STRING_EQUAL(b.data + 7 + strspn(b.data + 7, "z"), "");
        CU_ASSERT_EQUAL(strncmp(b.data, "before z", 8), 0);
        buf_fini(&b);
    }
}

static void test_not_found(void)
{
    static const char *const names[] = {
        "",
        "Mars",
        "America",
        "America/",
        "/UTC",
        "../UTC",
        "Etc/../UTC",
        "./UTC",
        "Etc//GMT+5",
        "UTC ",
        "U\nC",
        "Huge",
        "Empty",
        "Fifo",
        "+1",
        "Etc/.GMT",
        "UTC/x",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        "AA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    };
    char path[200];

    put("Huge", 80000);
    put("Empty", 0);
    snprintf(path, sizeof(path), "%s/Fifo", dir);
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct buf b = { 0 };
        struct diag why = { 0 };

        CU_ASSERT_EQUAL(zonefile_read(dir, names[i], &b, &why), PBSE_BAD_ICAL_TZ);
        CU_ASSERT_STRING_EQUAL(why.text, "Unrecognized PBS_TZID environment variable");
        CU_ASSERT_EQUAL(b.len, 0);
        buf_fini(&b);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a zone is found by its name", test_found },
        { "nothing else is", test_not_found },
    };
    char command[100];
    int status;

    if (!mkdtemp(dir))
        return 2;
    status = unit_main("io/zonefile", cases, ARRAY_LEN(cases));
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command) == 0 ? status : 2;
}
