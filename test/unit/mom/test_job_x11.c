/* Unit test of the cookie of a job's display: its words become a command of xauth, and
 * a user writes them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/job_x11.h"

#include "../unit.h"

#include <stdio.h>
#include <string.h>

static void test_cookies(void)
{
    static const struct {
        const char *text;
        bool taken;
        unsigned screen;
    } rows[] = {
        { "MIT-MAGIC-COOKIE-1:01ab:0", true, 0 },
        { "X:0:12", true, 12 },
        { "", false, 0 },
        { "X:01ab", false, 0 },
        { "X:01ab:", false, 0 },
        { ":01ab:0", false, 0 },
        { "X::0", false, 0 },
        { "X:01ab:0:0", false, 0 },
        { "X:01ab:0 ", false, 0 },
        { "X Y:01ab:0", false, 0 },
        { "X:01ab remove:0", false, 0 },
        { "X:01ab\nremove:0", false, 0 },
        { "X:01ab:-", false, 0 },
        { "X:01ab:123456", false, 0 },
    };
    char longest[700];
    struct job_x11 x;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        x = (struct job_x11){ 0 };
        CU_ASSERT_EQUAL(job_x11_cookie(rows[i].text, &x), rows[i].taken);
        CU_ASSERT_EQUAL(x.is_wanted, rows[i].taken);
        CU_ASSERT_EQUAL(x.screen, rows[i].screen);
    }
    for (int over = 0; over < 2; over++) {
        snprintf(longest, sizeof(longest), "X:%0*d:0", 512 + over, 0);
        CU_ASSERT_EQUAL(job_x11_cookie(longest, &x), !over);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a cookie has nothing that could be a command", test_cookies },
    };

    return unit_main("mom/job_x11", cases, ARRAY_LEN(cases));
}
