/* Unit tests of host equivalence: what lines of hosts.equiv and .rhosts say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/equiv.h"

#include "lib/base/base.h"

#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *story, *text, *account, *user, *host;
    enum equiv_word rhosts, site; /* by the account's file, and by that of the site */
} rows[] = {
    { "an empty file", "", "ann", "ann", "login.x.org", EQUIV_SILENT, EQUIV_SILENT },
    { "a host", "login.x.org", "ann", "ann", "login.x.org", EQUIV_YES, EQUIV_YES },
    { "in capitals", "LOGIN.x.org\n", "ann", "ann", "login.x.org", EQUIV_YES,
      EQUIV_YES },
    { "another host", "log.x.org\n", "ann", "ann", "login.x.org", EQUIV_SILENT,
      EQUIV_SILENT },
    { "a host is no other name", "login.x.org\n", "ann", "bob", "login.x.org",
      EQUIV_SILENT, EQUIV_SILENT },
    { "a short name is of this domain", "login\n", "ann", "ann", "login.x.org",
      EQUIV_YES, EQUIV_YES },
    { "and of no other", "login\n", "ann", "ann", "login.evil.org", EQUIV_SILENT,
      EQUIV_SILENT },
    { "a user", "login.x.org bob\n", "ann", "bob", "login.x.org", EQUIV_YES,
      EQUIV_SILENT },
    { "not the account itself then", "login.x.org bob\n", "ann", "ann", "login.x.org",
      EQUIV_SILENT, EQUIV_SILENT },
    { "names have capitals", "login.x.org Bob\n", "ann", "bob", "login.x.org",
      EQUIV_SILENT, EQUIV_SILENT },
    { "every user of a host", "login.x.org +\n", "ann", "bob", "login.x.org", EQUIV_YES,
      EQUIV_SILENT },
    { "every host", "+\n", "ann", "ann", "far.example", EQUIV_YES, EQUIV_YES },
    { "a refused host", "-login.x.org\n+\n", "ann", "ann", "login.x.org", EQUIV_NO,
      EQUIV_NO },
    { "a refused user", "+ -ann\n+\n", "ann", "ann", "login.x.org", EQUIV_NO,
      EQUIV_NO },
    { "another one is", "+ -eve\n+\n", "ann", "ann", "login.x.org", EQUIV_YES,
      EQUIV_YES },
    { "the first line counts", "login.x.org\n-login.x.org\n", "ann", "ann",
      "login.x.org", EQUIV_YES, EQUIV_YES },
    { "netgroups let nobody in", "+@all\n+ +@all\n", "ann", "ann", "login.x.org",
      EQUIV_SILENT, EQUIV_SILENT },
    { "and a refused one ends the file", "-@bad\n+\n", "ann", "ann", "login.x.org",
      EQUIV_NO, EQUIV_NO },
    { "so does one of users", "+ -@bad\n+\n", "ann", "ann", "login.x.org", EQUIV_NO,
      EQUIV_NO },
    { "a comment", "# login.x.org\nlogin.x.org # ann\n", "ann", "ann", "login.x.org",
      EQUIV_YES, EQUIV_YES },
    { "blanks", "\t login.x.org \t ann \r\n", "ann", "ann", "login.x.org", EQUIV_YES,
      EQUIV_YES },
    { "too many words", "login.x.org ann x\n", "ann", "ann", "login.x.org",
      EQUIV_SILENT, EQUIV_SILENT },
    { "signs alone", "-\n+ -\n- -\n", "ann", "ann", "login.x.org", EQUIV_SILENT,
      EQUIV_SILENT },
};

static void test_lines(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct equiv_asks asks = { rows[i].account, rows[i].user, rows[i].host,
                                         "svr.x.org" };
        size_t len = strlen(rows[i].text);

        if (equiv_read(rows[i].text, len, false, &asks) != rows[i].rhosts ||
            equiv_read(rows[i].text, len, true, &asks) != rows[i].site) {
            fprintf(stderr, "%s\n", rows[i].story);
            CU_FAIL("says something else");
        }
    }
}

/* Nothing behind the end is read, wherever that is. */
static void test_cut_anywhere(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (size_t len = 0; len <= strlen(rows[i].text); len++) {
            const struct equiv_asks asks = { rows[i].account, rows[i].user,
                                             rows[i].host, "svr.x.org" };
            char *part = malloc(len + 1);

            memcpy(part, rows[i].text, len);
            part = realloc(part, len ? len : 1);
            CU_ASSERT(equiv_read(part, len, false, &asks) <= EQUIV_NO);
            free(part);
        }
}

static void test_any_byte(void)
{
    const struct equiv_asks asks = { "ann", "ann", "login.x.org", "svr.x.org" };

    for (int byte = 0; byte < 256; byte++) {
        char line[] = "?login.x.org\n";
        bool blank = byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';

        *line = (char)byte;
        CU_ASSERT_EQUAL(equiv_read(line, sizeof(line) - 1, false, &asks),
                        blank         ? EQUIV_YES
                        : byte == '-' ? EQUIV_NO
                                      : EQUIV_SILENT);
    }
}

static const struct unit_case cases[] = {
    { "lines say who is whom", test_lines },
    { "a file may be cut anywhere", test_cut_anywhere },
    { "no other byte lets anybody in", test_any_byte },
};

int main(void)
{
    return unit_main("auth/equiv", cases, ARRAY_LEN(cases));
}
