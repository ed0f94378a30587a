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
        { "X:00:12", true, 12 },
        { "X:0:12", false, 0 },
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

#define MIT "MIT\0" /* padded to four bytes */

static void test_only_clients_with_the_cookie_are_carried(void)
{
    static const struct {
        const char *story, *bytes;
        size_t n;
        enum relay_look look;
    } rows[] = {
        { "nothing yet", "", 0, RELAY_MORE },
        { "a request of PBS", "+2+1", 4, RELAY_UNFIT },
        { "a message of a router", "\0\0\0\x20", 4, RELAY_UNFIT },
        { "little end first", "l\0\x0b\0\0\0\3\0\2\0\0\0" MIT "\x01\xab\0\0", 20,
          RELAY_FITS },
        { "big end first", "B\0\0\x0b\0\0\0\3\0\2\0\0" MIT "\x01\xab\0\0", 20,
          RELAY_FITS },
        { "and what follows", "B\0\0\x0b\0\0\0\3\0\2\0\0" MIT "\x01\xab\0\0more", 24,
          RELAY_FITS },
        { "another version", "l\0\x0a\0\0\0\3\0\2\0\0\0" MIT "\x01\xab\0\0", 20,
          RELAY_UNFIT },
        { "another minor one", "l\0\x0b\0\1\0\3\0\2\0\0\0" MIT "\x01\xab\0\0", 20,
          RELAY_UNFIT },
        { "another protocol", "l\0\x0b\0\0\0\3\0\2\0\0\0MIX\0\x01\xab\0\0", 20,
          RELAY_UNFIT },
        { "another cookie", "l\0\x0b\0\0\0\3\0\2\0\0\0" MIT "\x01\xac\0\0", 20,
          RELAY_UNFIT },
        { "no cookie", "l\0\x0b\0\0\0\0\0\0\0\0\0", 12, RELAY_UNFIT },
        { "a longer cookie", "l\0\x0b\0\0\0\3\0\3\0\0\0" MIT "\x01\xab\0\0", 20,
          RELAY_UNFIT },
        { "lengths of the other end", "B\0\0\x0b\0\0\3\0\2\0\0\0" MIT "\x01\xab\0\0",
          20, RELAY_UNFIT },
    };
    struct job_x11 x = { 0 };

    CU_ASSERT_TRUE_FATAL(job_x11_cookie("MIT:01aB:0", &x));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum relay_look look = job_x11_look(&x, rows[i].bytes, rows[i].n);

        if (look != rows[i].look)
            printf("%s: %d\n", rows[i].story, (int)look);
        CU_ASSERT_EQUAL(look, rows[i].look);
        /* Each piece of what fits is waited on with. */
        for (size_t n = 0; rows[i].look == RELAY_FITS && n < 20; n++)
            CU_ASSERT_EQUAL(job_x11_look(&x, rows[i].bytes, n), RELAY_MORE);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "only clients with the job's cookie are carried",
          test_only_clients_with_the_cookie_are_carried },
        { "a cookie has nothing that could be a command", test_cookies },
    };

    return unit_main("mom/job_x11", cases, ARRAY_LEN(cases));
}
