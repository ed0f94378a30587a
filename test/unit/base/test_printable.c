/* Unit tests of lib/base/printable.c: how the bytes of a stranger's text are shown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/printable.h"

#include "../unit.h"

#include <string.h>

static const struct {
    const char *story;
    const char *text;
    const char *shown;
    const char *cell;
} rows[] = {
    { "nothing", "", "", "" },
    { "plain text stays", "a;b=\"c d\" ~", "a;b=\"c d\" ~", "a;b=\"c d\" ~" },
    { "a newline is a blank", "a\nb\n", "a b ", "a?b?" },
    { "a tab stays in a line", "a\tb", "a\tb", "a?b" },
    { "an escape sequence is seen", "\x1b[2J", "^[[2J", "?[2J" },
    { "others too", "\x01\r\x1f\x7f", "^A^M^_^?", "????" },
    { "letters of UTF-8 stay", "J\xc3\xbcrgen \xe2\x82\xac \xf0\x9f\x98\x80",
      "J\xc3\xbcrgen \xe2\x82\xac \xf0\x9f\x98\x80",
      "J\xc3\xbcrgen \xe2\x82\xac \xf0\x9f\x98\x80" },
    { "a control character of UTF-8",
      "a\xc2\x9b"
      "31m",
      "a?31m", "a??31m" },
    { "a lone one of eight bits",
      "a\x9b"
      "31m",
      "a?31m", "a?31m" },
    { "one in the middle of letters", "\xc5\x9b\x9b", "\xc5\x9b?", "\xc5\x9b?" },
    { "letters of an older encoding stay", "J\xfcrgen", "J\xfcrgen", "J\xfcrgen" },
    { "a character that is cut", "a\xe2\x82", "a\xe2?", "a\xe2?" },
    { "a longer form of a control character",
      "a\xe0\x82\x9b"
      "31m",
      "a\xe0??31m", "a\xe0??31m" },
    { "the longest form of one",
      "a\xf0\x80\x82\x9b"
      "31m",
      "a\xf0???31m", "a\xf0???31m" },
    { "half of a pair of UTF-16", "\xed\xa0\x80", "\xed\xa0?", "\xed\xa0?" },
    { "more than the last character", "\xf4\x90\x80\x80", "\xf4???", "\xf4???" },
    { "the first and last ones of each length",
      "\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
      "\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
      "\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
    { "its first byte alone", "a\xc2", "a\xc2", "a\xc2" },
};

static void test_texts_are_shown(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out = { 0 };
        char cell[64];

        buf_add_printable(&out, rows[i].text, strlen(rows[i].text));
        snprintf(cell, sizeof(cell), "%s", rows[i].text);
        printable_cell(cell);
        if (!str_same(out.len ? out.data : "", rows[i].shown) ||
            strcmp(cell, rows[i].cell) != 0)
            fprintf(stderr, "%s\n", rows[i].story);
        CU_ASSERT_STRING_EQUAL(out.len ? out.data : "", rows[i].shown);
        CU_ASSERT_STRING_EQUAL(cell, rows[i].cell);
        /* printable_text() leaves the bytes of ASCII alone, and no others. */
        snprintf(cell, sizeof(cell), "%s", rows[i].text);
        printable_text(cell);
        for (size_t k = 0; rows[i].text[k]; k++)
            CU_ASSERT_EQUAL(cell[k],
                            rows[i].text[k] & 0x80 ? rows[i].cell[k] : rows[i].text[k]);
        CU_ASSERT_EQUAL(has_control(rows[i].text),
                        strcmp(rows[i].text, rows[i].cell) != 0);
        buf_fini(&out);
    }
}

/* Whatever the bytes are, nothing is left that ends a line or speaks to a terminal. */
static void test_no_byte_gets_through(void)
{
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            const char text[2] = { (char)a, (char)b };
            struct buf out = { 0 };

            buf_add_printable(&out, text, 2);
            for (size_t i = 0; i < out.len; i++)
                CU_ASSERT_FALSE((unsigned char)out.data[i] < ' ' &&
                                out.data[i] != '\t');
            CU_ASSERT_PTR_NULL(memchr(out.data, 127, out.len));
            CU_ASSERT_PTR_NULL(out.len ? strstr(out.data, "\xc2\x9b") : NULL);
            buf_fini(&out);
        }
}

static const struct unit_case cases[] = {
    { "texts are shown", test_texts_are_shown },
    { "no byte gets through", test_no_byte_gets_through },
};

int main(void)
{
    return unit_main("base/printable", cases, ARRAY_LEN(cases));
}
