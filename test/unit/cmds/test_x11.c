/* Unit tests of the words of X: displays, and cookies as qsub sends and a MoM takes
 * them. A user writes both.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/x11.h"

#include "../unit.h"

#include <string.h>

static void test_displays(void)
{
    static const struct {
        const char *text;
        bool taken;
        const char *host;
        unsigned number, screen;
    } rows[] = {
        { ":0", true, "", 0, 0 },
        { ":12.3", true, "", 12, 3 },
        { "unix:1", true, "", 1, 0 },
        { "localhost:10.0", true, "localhost", 10, 0 },
        { "a.b:59535.65535", true, "a.b", 59535, 65535 },
        { "", false, "", 0, 0 },
        { "host", false, "", 0, 0 },
        { "host:", false, "", 0, 0 },
        { "host:x", false, "", 0, 0 },
        { "host:-1", false, "", 0, 0 },
        { "host:1.", false, "", 0, 0 },
        { "host:1.2.3", false, "", 0, 0 },
        { "host:1x", false, "", 0, 0 },
        { "host:59536", false, "", 0, 0 }, /* port 65536 */
        { "host:1.65536", false, "", 0, 0 },
        { "host:99999999999999999999", false, "", 0, 0 },
    };
    char longest[300];
    struct x11_display d;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_EQUAL(x11_display_parse(rows[i].text, &d), rows[i].taken);
        if (!rows[i].taken)
            continue;
        CU_ASSERT_STRING_EQUAL(d.host, rows[i].host);
        CU_ASSERT(d.number == rows[i].number && d.screen == rows[i].screen);
    }
    memset(longest, 'h', sizeof(longest));
    strcpy(longest + 255, ":1");
    CU_ASSERT_TRUE(x11_display_parse(longest, &d));
    strcpy(longest + 256, ":1");
    longest[255] = 'h';
    CU_ASSERT_FALSE(x11_display_parse(longest, &d));
}

static void test_cookies(void)
{
    static const struct {
        const char *line, *cookie; /* NULL: refused */
    } rows[] = {
        { "h/unix:10  MIT-MAGIC-COOKIE-1  01ab\n", "MIT-MAGIC-COOKIE-1:01ab:2" },
        { "h:1 X 0\n", "X:0:2" },
        { "", NULL },
        { "h/unix:10  MIT-MAGIC-COOKIE-1\n", NULL },
        { "h/unix:10  MIT-MAGIC-COOKIE-1  xyz\n", NULL },
        { "h/unix:10  :  01ab\n", NULL },
    };
    char made[64], small[8];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_EQUAL(x11_cookie(rows[i].line, 2, made, sizeof(made)),
                        rows[i].cookie != NULL);
        if (rows[i].cookie)
            CU_ASSERT_STRING_EQUAL(made, rows[i].cookie);
    }
    CU_ASSERT_FALSE(x11_cookie(rows[0].line, 2, small, sizeof(small)));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "displays are what DISPLAY may be", test_displays },
        { "a line of xauth becomes a cookie, or is refused", test_cookies },
    };

    return unit_main("cmds/x11", cases, ARRAY_LEN(cases));
}
