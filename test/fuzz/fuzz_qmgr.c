/* Fuzz target: a line of qmgr: its commands, their mistakes, and values printed and
 * read again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/grammar.h"
#include "cmds/qmgr/qmgr.h"

#include "lib/base/buf.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static void check_value(const char *value)
{
    struct buf quoted = { 0 }, back = { 0 };
    const char *at;

    qmgr_value_quote(value, strlen(value), &quoted);
    at = quoted.data;
    FUZZ_CHECK(qmgr_value_read(&at, &back));
    FUZZ_CHECK(*at == '\0');
    FUZZ_CHECK(strcmp(back.data ? back.data : "", value) == 0);
    /* As part of a line it neither ends the command nor begins a comment. */
    buf_clear(&back);
    buf_printf(&back, "x = %s", quoted.data);
    FUZZ_CHECK(qmgr_command_len(back.data, &at) == back.len && !at);
    buf_fini(&quoted);
    buf_fini(&back);
}

static void check_listed(const struct attropl *a)
{
    struct attrl one = { NULL, a->name, a->resource, a->value, SET };
    struct buf out = { 0 };

    qmgr_list_attr(&one, &out);
    FUZZ_CHECK(out.len > 0 && out.data[out.len - 1] == '\n');
    buf_fini(&out);
}

static void check_command(const char *text)
{
    struct qmgr_command c;
    struct qmgr_mistake why;

    if (qmgr_parse(text, &c, &why)) {
        FUZZ_CHECK(why.code != SYNTAX_OK && !c.names && !c.attrs);
        FUZZ_CHECK(why.column <= strlen(text) + 1);
        return;
    }
    FUZZ_CHECK(why.code == SYNTAX_OK);
    for (const struct qmgr_name *n = c.names; n; n = n->next)
        FUZZ_CHECK(*n->name || *n->server);
    for (const struct attropl *a = c.attrs; a; a = a->next) {
        FUZZ_CHECK(*a->name);
        check_value(a->value);
        check_listed(a);
    }
    qmgr_command_clear(&c);
}

static void ignore(const char *word, void *arg)
{
    (void)word;
    (void)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len);
    const char *next = text;

    check_value(text);
    FUZZ_CHECK(qmgr_complete(text, ignore, NULL) <= strlen(text));
    while (next) {
        const char *from = next;
        size_t n = qmgr_command_len(from, &next);
        char *one = strndup(from, n);

        if (!one)
            abort();
        check_command(one);
        free(one);
    }
    free(text);
    return 0;
}
