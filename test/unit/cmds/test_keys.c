/* Unit tests of the keys of an interactive job (cli.md 3.8, step 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/keys.h"

#include "../unit.h"

#include <string.h>

#define KILL      "\x15"
#define INTERRUPT "\x03"
#define SUSPEND   "\x1a"

/* Type a text; what the job gets, with "!" for the end of the session and "^" for each
 * time that qsub is suspended. */
static const char *typed(const char *text, struct buf *out)
{
    struct keys k;

    buf_clear(out);
    buf_add_str(out, "");
    keys_init(&k, *KILL, *INTERRUPT, *SUSPEND);
    for (; *text; text++) {
        switch (keys_type(&k, (uint8_t)*text, out)) {
        case KEYS_GO_ON:
            break;
        case KEYS_SUSPEND:
            buf_add_char(out, '^');
            break;
        case KEYS_END:
            buf_add_char(out, '!');
            return out->data;
        }
    }
    return out->data ? out->data : "";
}

static void test_all(void)
{
    static const struct {
        const char *story, *keys, *expect;
    } cases[] = {
        { "plain text passes", "ls -l\r", "ls -l\r" },
        { "the session begins at the start of a line", "~.ls", "!" },
        { "the end behind a line", "ls\r~.more", "ls\r!" },
        { "a newline ends a line as well", "ls\n~.", "ls\n!" },
        { "an empty line is a line", "ls\r\r\r~.", "ls\r\r\r!" },
        { "a line that was thrown away", "abc" KILL "~.", "abc" KILL "!" },
        { "a line that was interrupted", "abc" INTERRUPT "~.", "abc" INTERRUPT "!" },
        { "not in the middle of a line", "a~.b\r", "a~.b\r" },
        { "a tilde waits for what follows", "~", "" },
        { "and goes with it", "~a", "~a" },
        { "two of them pass", "~~b", "~~b" },
        { "two of them are no start of a command", "~~.", "~~." },
        { "a lone one on its line", "~\r~.", "~\r!" },
        { "qsub is suspended", "~" SUSPEND "ls\r", "^ls\r" },
        { "and stands at the start of a line afterwards", "~" SUSPEND "~.", "^!" },
        { "the job is suspended", "a" SUSPEND, "a" SUSPEND },
        { "a suspension does not begin a line", "a" SUSPEND "~.", "a" SUSPEND "~." },
    };
    struct buf out = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        CU_ASSERT_STRING_EQUAL(typed(cases[i].keys, &out), cases[i].expect);
    buf_fini(&out);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "commands to qsub stand at the start of a line", test_all },
    };

    return unit_main("keys", cases, ARRAY_LEN(cases));
}
