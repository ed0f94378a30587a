/* Unit tests of what qsub -I and the MoM say before a session (cli.md 3.8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/terminal.h"

#include "../unit.h"

#include <stdio.h>
#include <string.h>

static void test_id(void)
{
    uint8_t bytes[TERMINAL_ID_BYTES];
    char longest[TERMINAL_ID_BYTES + 1];

    CU_ASSERT_TRUE(terminal_put_id("12.svr", bytes));
    CU_ASSERT_EQUAL(memcmp(bytes, "12.svr\0\0", 8), 0);
    CU_ASSERT_EQUAL(bytes[TERMINAL_ID_BYTES - 1], 0);
    CU_ASSERT_FALSE(terminal_put_id("", bytes));
    memset(longest, 'x', sizeof(longest));
    longest[TERMINAL_ID_BYTES] = '\0';
    CU_ASSERT_FALSE(terminal_put_id(longest, bytes));
    CU_ASSERT_EQUAL(memcmp(bytes, "12.svr\0\0", 8), 0);
    longest[TERMINAL_ID_BYTES - 1] = '\0';
    CU_ASSERT_TRUE(terminal_put_id(longest, bytes));
}

/* The bytes of cli.md 3.8, step 6. */
static void test_bytes(void)
{
    const struct terminal t = { .type = "xterm",
                                .control = { 3, 28, 127, 21, 4, 26 },
                                .rows = 24,
                                .cols = 80,
                                .x_pixels = 640,
                                .y_pixels = 480 };
    uint8_t bytes[TERMINAL_BYTES];
    struct terminal got;

    terminal_put(&t, bytes);
    CU_ASSERT_STRING_EQUAL((char *)bytes, "TERM=xterm");
    CU_ASSERT_EQUAL(memcmp(bytes + 80, t.control, 6), 0);
    CU_ASSERT_STRING_EQUAL((char *)bytes + 86, "WINSIZE 24,80,640,480");
    CU_ASSERT_TRUE_FATAL(terminal_get(bytes, &got));
    CU_ASSERT_STRING_EQUAL(got.type, "xterm");
    CU_ASSERT_EQUAL(memcmp(got.control, t.control, 6), 0);
    CU_ASSERT_EQUAL(got.rows, 24);
    CU_ASSERT_EQUAL(got.cols, 80);
    CU_ASSERT_EQUAL(got.x_pixels, 640);
    CU_ASSERT_EQUAL(got.y_pixels, 480);
}

static void test_types(void)
{
    static const struct {
        const char *type, *sent, *read;
    } cases[] = {
        { "vt100", "TERM=vt100", "vt100" },
        { "a,b", "TERM=a\\,b", "a,b" },
        { "", "TERM=unknown", "unknown" },
        { "rxvt-unicode-256color", "TERM=rxvt-unicode-256color",
          "rxvt-unicode-256color" },
        /* 75 characters do not go into a field with the word and the NUL. */
        { "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
          "TERM=unknown", "unknown" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct terminal t = { 0 }, got;
        uint8_t bytes[TERMINAL_BYTES];

        snprintf(t.type, sizeof(t.type), "%s", cases[i].type);
        terminal_put(&t, bytes);
        CU_ASSERT_STRING_EQUAL((char *)bytes, cases[i].sent);
        CU_ASSERT_TRUE_FATAL(terminal_get(bytes, &got));
        CU_ASSERT_STRING_EQUAL(got.type, cases[i].read);
    }
}

/* What stands behind the NUL means nothing: old clients send what their memory held. */
static void test_filler(void)
{
    uint8_t bytes[TERMINAL_BYTES];
    struct terminal got;

    memset(bytes, 0xa5, sizeof(bytes));
    memcpy(bytes, "TERM=vt220", 11);
    memcpy(bytes + 86, "WINSIZE 0,65535,1,2", 20);
    CU_ASSERT_TRUE_FATAL(terminal_get(bytes, &got));
    CU_ASSERT_STRING_EQUAL(got.type, "vt220");
    CU_ASSERT_EQUAL(got.cols, 65535);
}

static void test_refused(void)
{
    static const struct {
        const char *type, *window;
    } cases[] = {
        { "TERM=", "WINSIZE 1,2,3,4" },
        { "TREM=vt100", "WINSIZE 1,2,3,4" },
        { "TERM=../../etc/passwd", "WINSIZE 1,2,3,4" },
        { "TERM=a\nb", "WINSIZE 1,2,3,4" },
        { "TERM=a=b", "WINSIZE 1,2,3,4" },
        { "TERM=vt100", "WINSIZE1,2,3,4" },
        { "TERM=vt100", "WINSIZE 1,2,3" },
        { "TERM=vt100", "WINSIZE 1,2,3,4,5" },
        { "TERM=vt100", "WINSIZE 1,2,3,65536" },
        { "TERM=vt100", "WINSIZE 1,2,3,99999999999999999999999" },
        { "TERM=vt100", "WINSIZE 1,2,3,-1" },
        { "TERM=vt100", "WINSIZE ,2,3,4" },
        { "TERM=vt100", "WINSIZE  1,2,3,4" },
    };
    struct terminal got = { .type = "kept" };
    uint8_t bytes[TERMINAL_BYTES];

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        memset(bytes, 0, sizeof(bytes));
        memcpy(bytes, cases[i].type, strlen(cases[i].type));
        memcpy(bytes + 86, cases[i].window, strlen(cases[i].window));
        CU_ASSERT_FALSE(terminal_get(bytes, &got));
        CU_ASSERT_STRING_EQUAL(got.type, "kept");
    }
    /* A text that does not end. */
    memset(bytes, 'x', sizeof(bytes));
    memcpy(bytes, "TERM=", 5);
    memcpy(bytes + 86, "WINSIZE 1,2,3,4", 16);
    CU_ASSERT_FALSE(terminal_get(bytes, &got));
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, "TERM=vt100", 10);
    memset(bytes + 86, '1', 80);
    memcpy(bytes + 86, "WINSIZE ", 8);
    CU_ASSERT_FALSE(terminal_get(bytes, &got));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "an id fills its field", test_id },
        { "a terminal has the bytes that old partners send", test_bytes },
        { "types keep their commas and their bound", test_types },
        { "what stands behind a text means nothing", test_filler },
        { "what is no terminal is refused", test_refused },
    };

    return unit_main("terminal", cases, ARRAY_LEN(cases));
}
