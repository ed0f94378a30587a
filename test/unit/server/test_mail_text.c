/* Unit tests of server/shell/mail_text: to whom a letter goes, and how it is written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/mail_text.h"

#include "../unit.h"

#include <string.h>

static void names_become_addresses(void)
{
    static const struct {
        const char *story, *to;
        bool to_owner;
        const char *host, *expect; /* each with a blank behind it */
    } cases[] = {
        { "one", "joe@there", false, NULL, "joe@there " },
        { "a list", "a@b,c, d@e", false, NULL, "a@b c d@e " },
        { "a host for names without one", "a@b,c", false, "site.org",
          "a@b c@site.org " },
        { "an owner's host stays", "ann@sub3", true, NULL, "ann@sub3 " },
        { "or is replaced", "ann@sub3", true, "site.org", "ann@site.org " },
        { "no option", "-Cevil,joe,--", false, NULL, "joe " },
        { "no second line", "a@b\nBcc:x,joe", false, NULL, "joe " },
        { "a shell is not asked", "$(id);`id`|x", false, NULL, "$(id);`id`|x " },
        { "nobody", ",, ,", false, "site.org", "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena *arena = arena_new();
        const char **all =
            mail_recipients(cases[i].to, cases[i].to_owner, cases[i].host, arena);
        const char *got = "";

        for (size_t k = 0; all[k]; k++)
            got = arena_printf(arena, "%s%s ", got, all[k]);
        if (strcmp(got, cases[i].expect) != 0)
            printf("%s: '%s'\n", cases[i].story, got);
        CU_ASSERT_STRING_EQUAL(got, cases[i].expect);
        arena_free(arena);
    }
}

static void a_list_of_recipients_has_an_end(void)
{
    struct arena *arena = arena_new();
    char list[2 * (MAIL_RECIPIENTS_MAX + 10) + 1] = "";
    const char **all;
    size_t n = 0;

    for (size_t i = 0; i < MAIL_RECIPIENTS_MAX + 10; i++)
        memcpy(list + 2 * i, "x,", 3);
    all = mail_recipients(list, false, NULL, arena);
    while (all[n])
        n++;
    CU_ASSERT_EQUAL(n, MAIL_RECIPIENTS_MAX);
    arena_free(arena);
}

static void a_letter_has_headers_and_lines(void)
{
    static const char *const to[] = { "a@b", "c", NULL };
    const struct mail_head head = {
        .to = to,
        .subject = "PBS JOB 1.svr\nBcc: all",
        .from = "adm",
        .at = 1795249868, /* 2026-11-21 08:31:08 UTC */
    };
    struct buf out = { 0 };

    mail_write(&out, &head, "one\ntwo\033[2J\n");
    CU_ASSERT_STRING_EQUAL(out.data, "To: a@b,c\n"
                                     "Subject: PBS JOB 1.svr Bcc: all\n"
                                     "From: adm\n"
                                     "Date: Sat, 21 Nov 2026 08:31:08 +0000\n"
                                     "\n"
                                     "one\n"
                                     "two^[[2J\n");
    buf_fini(&out);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "names become addresses", names_become_addresses },
        { "a list of recipients has an end", a_list_of_recipients_has_an_end },
        { "a letter has headers and lines", a_letter_has_headers_and_lines },
    };

    return unit_main("mail text", cases, ARRAY_LEN(cases));
}
