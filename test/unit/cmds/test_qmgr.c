/* Unit tests of src/cmds/qmgr: the language, its mistakes and their columns (cli.md
 * 8.2, 8.3), quoting, limits, completion.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/grammar.h"
#include "cmds/qmgr/qmgr.h"

#include "lib/base/buf.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

/* A command as "verb object name@server,name words name.resource op value;". */
static void flatten(const struct qmgr_command *c, struct buf *out)
{
    static const char *const ops[] = { [SET] = "=", [INCR] = "+=", [DECR] = "-=" };

    buf_clear(out);
    if (c->verb == VERB_NONE) {
        buf_add_str(out, "nothing");
        return;
    }
    buf_add_str(out, qmgr_verb_word(c->verb));
    if (c->topic) {
        buf_printf(out, " <%s>", c->topic);
        return;
    }
    if (c->verb == VERB_QUIT)
        return;
    buf_printf(out, " %s ", qmgr_object_word(c->object));
    for (const struct qmgr_name *n = c->names; n; n = n->next)
        buf_printf(out, "%s%s%s%s", n->name, n->server ? "@" : "",
                   n->server ? n->server : "", n->next ? "," : "");
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (c->words[i])
            buf_printf(out, " <%s>", c->words[i]);
    for (const struct attropl *a = c->attrs; a; a = a->next)
        buf_printf(out, " %s%s%s%s<%s>", a->name, a->resource ? "." : "",
                   a->resource ? a->resource : "", ops[a->op], a->value);
}

static void test_commands(void)
{
    static const struct {
        const char *text, *expect;
    } cases[] = {
        { "", "nothing" },
        { "   ", "nothing" },
        { "set server scheduling=true", "set server  scheduling=<true>" },
        { "  set server scheduling = true  ", "set server  scheduling=<true>" },
        { "\tset\tserver\tscheduling\t=\ttrue", "set server  scheduling=<true>" },
        { "s s scheduling=t", "set server  scheduling=<t>" },
        { "c q q1", "create queue q1" },
        { "d q q1,q2", "delete queue q1,q2" },
        { "u s comment", "unset server  comment=<>" },
        { "l n @default state", "list node @default state=<>" },
        { "l nodes n1 state", "list node n1 state=<>" },
        { "l queues workq started", "list queue workq started=<>" },
        { "p sc", "print sched " },
        { "l p PBS_power", "list pbshook PBS_power" },
        { "a q q1@s1,q2", "active queue q1@s1,q2" },
        { "a q", "active queue " },
        { "e h h1 t d", "export hook h1 <t> <d>" },
        { "ex h h1 t d f", "export hook h1 <t> <d> <f>" },
        { "exi", "quit" },
        { "q", "quit" },
        { "exit", "quit" },
        { "h", "help <>" },
        { "?", "help <>" },
        { "?  nosuch", "help <nosuch>" },
        { "help set server", "help <set server>" },
        { "history 5", "history <5>" },
        { "hi", "history <>" },
        { "list server a,b", "list server a,b" }, /* no attributes: names */
        { "list server scheduling,default_queue,resources_default.ncpus",
          "list server  scheduling=<> default_queue=<> resources_default.ncpus=<>" },
        { "s q q1,q2 enabled=t , started = 1",
          "set queue q1,q2 enabled=<t> started=<1>" },
        { "set queue q1 Priority += 5, enabled=t",
          "set queue q1 Priority+=<5> enabled=<t>" },
        { "set queue q resources_max.mem-=1gb",
          "set queue q resources_max.mem-=<1gb>" },
        { "set server managers+=ann@*", "set server  managers+=<ann@*>" },
        { "set queue enabled=true", "set queue  enabled=<true>" },
        { "set server pbs2 scheduling=true", "set server pbs2 scheduling=<true>" },
        { "set server @pbs2 scheduling=true", "set server @pbs2 scheduling=<true>" },
        { "create queue comment", "create queue comment" },
        { "create node state state=offline", "create node state state=<offline>" },
        { "create node state=offline", "create node  state=<offline>" },
        { "set node 1n-a.b_c state=free", "set node 1n-a.b_c state=<free>" },
        { "set node state-1 state=free", "set node state-1 state=<free>" },
        { "set node queue.site.org state=free",
          "set node queue.site.org state=<free>" },
        { "set node vn[0],vn[1] comment='a, b'",
          "set node vn[0],vn[1] comment=<a, b>" },
        { "create node n Port=15099,resources_available.ncpus=2,comment=\"x,y\"",
          "create node n Port=<15099> resources_available.ncpus=<2> comment=<x,y>" },
        { "delete queue enabled", "delete queue enabled" },
        { "unset hook h1 event", "unset hook h1 event=<>" },
        { "set hook event order=3", "set hook event order=<3>" },
        { "create hook h2 event=\"queuejob,modifyjob\",order=7",
          "create hook h2 event=<queuejob,modifyjob> order=<7>" },
        { "create resource r1 type=long,flag=nh",
          "create resource r1 type=<long> flag=<nh>" },
        { "set server comment=''", "set server  comment=<>" },
        { "set server comment = 'hello, it is \"me\"'",
          "set server  comment=<hello, it is \"me\">" },
        { "set server comment = \"it's\"", "set server  comment=<it's>" },
        { "set server comment = a'b c'd", "set server  comment=<ab cd>" },
        { "set server comment = 'say \"it'\"'\"'s\"'",
          "set server  comment=<say \"it's\">" },
        { "set server comment = 'a # b; c'", "set server  comment=<a # b; c>" },
        { "set server comment = a#b", "set server  comment=<a#b>" },
        { "set server comment = \"gr\xc3\xbc\xc3\x9f\"",
          "set server  comment=<gr\xc3\xbc\xc3\x9f>" },
        { "set server comment = a\\b\\", "set server  comment=<a\\b\\>" },
        { "set server comment = $'a\\nb\\t\\\\\\'\\\"\\x41'",
          "set server  comment=<a\nb\t\\'\"A>" },
        { "s s comment=\"line1\nline2\"", "set server  comment=<line1\nline2>" },
        { "s s comment='a\nb'\"\nc\"", "set server  comment=<a\nb\nc>" },
        { "set server comment = $'a & b'", "set server  comment=<a & b>" },
        { "set server comment = $x", "set server  comment=<$x>" },
        { "set server max_run = [u:ann=3]", "set server  max_run=<[u:ann=3]>" },
        { "set server max_run=[ u:ann = 3 ],scheduling=t",
          "set server  max_run=<[ u:ann = 3 ]> scheduling=<t>" },
        { "set server max_run += [u:a=1],[g:b=2], scheduling=t",
          "set server  max_run+=<[u:a=1],[g:b=2]> scheduling=<t>" },
        { "set server max_run = \"[u:a=1],[g:b=2]\"",
          "set server  max_run=<[u:a=1],[g:b=2]>" },
        { "set server max_run = [u:\"John Doe\"=1]",
          "set server  max_run=<[u:\"John Doe\"=1]>" },
        { "set server max_run = '[u:\"John Doe\"=1]'",
          "set server  max_run=<[u:\"John Doe\"=1]>" },
        { "set server max_run -= [u:ann]", "set server  max_run-=<[u:ann]>" },
        { "set server max_run = ''", "set server  max_run=<>" },
        { "set queue q max_run_res.ncpus = [o:PBS_ALL=7]",
          "set queue q max_run_res.ncpus=<[o:PBS_ALL=7]>" },
        { "import hook h1 application/x-python default /tmp/a,b.py",
          "import hook h1 <application/x-python> <default> </tmp/a,b.py>" },
        { "import hook h1 application/x-python default '/tmp/a b.py'",
          "import hook h1 <application/x-python> <default> </tmp/a b.py>" },
        { "import pbshook P application/x-config base64 -",
          "import pbshook P <application/x-config> <base64> <->" },
    };
    struct buf got = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct qmgr_command c;
        struct qmgr_mistake why;

        if (qmgr_parse(cases[i].text, &c, &why)) {
            fprintf(stderr, "%s:\n", cases[i].text);
            qmgr_mistake_print(cases[i].text, &why, true, stderr);
            CU_FAIL("refused");
            continue;
        }
        flatten(&c, &got);
        if (strcmp(got.data, cases[i].expect) != 0)
            fprintf(stderr, "%s\n got  %s\n want %s\n", cases[i].text, got.data,
                    cases[i].expect);
        CU_ASSERT_STRING_EQUAL(got.data, cases[i].expect);
        qmgr_command_clear(&c);
    }
    buf_fini(&got);
}

static void test_mistakes(void)
{
    static const struct {
        const char *text;
        enum qmgr_syntax code;
        size_t column;
    } cases[] = {
        { "frobnicate server x=1", SYNTAX_VERB, 0 },
        { "LIST server scheduling", SYNTAX_VERB, 0 },
        { "sett server", SYNTAX_VERB, 0 },
        { "set", SYNTAX_OBJECT, 3 },
        { "set widget x=1", SYNTAX_OBJECT, 4 },
        { "set Server x=1", SYNTAX_OBJECT, 4 },
        { "import queue q a b c", SYNTAX_OBJECT, 7 },
        { "set server", SYNTAX_ATTR, 10 },
        { "  set server", SYNTAX_ATTR, 10 },
        { "set server scheduling", SYNTAX_ATTR, 21 },
        { "set server scheduling = a b", SYNTAX_ATTR, 26 },
        { "set server scheduling = \"unterminated", SYNTAX_ATTR, 24 },
        { "set server scheduling = 'x\"", SYNTAX_ATTR, 24 },
        { "set server scheduling = $'x", SYNTAX_ATTR, 24 },
        { "set server nosuchattr=1", SYNTAX_ATTR, 22 },
        { "unset server scheduling=True", SYNTAX_ATTR, 24 },
        { "list server scheduling=True", SYNTAX_ATTR, 23 },
        { "unset server scheduling += True", SYNTAX_ATTR, 26 },
        { "set server acl_roots=a,", SYNTAX_ATTR, 23 },
        { "set server scheduling*True", SYNTAX_ATTR, 26 },
        { "set server scheduling=", SYNTAX_ATTR, 22 },
        { "set server scheduling = ,", SYNTAX_ATTR, 24 },
        { "set server scheduling=a&b", SYNTAX_ATTR, 23 },
        { "set server comment=\"a&b\"", SYNTAX_ATTR, 21 },
        { "set server comment=\"a\x01"
          "b\"",
          SYNTAX_ATTR, 21 },
        { "s s comment=abc\ns s default_queue=workq", SYNTAX_ATTR, 15 },
        { "set server comment=\"a\rb\"", SYNTAX_ATTR, 21 },
        { "set server comment=$'a\\qb'", SYNTAX_ATTR, 22 },
        { "set server comment=$'a\\x00b'", SYNTAX_ATTR, 22 },
        { "set server comment=$'a\\x4'", SYNTAX_ATTR, 22 },
        { "set server comment='\xc3\xbc' x", SYNTAX_ATTR, 23 },
        { "set server resources_max.=1", SYNTAX_ATTR, 25 },
        { "set server scheduling=t,=3", SYNTAX_ATTR, 24 },
        { "set queue 1abc enabled=true", SYNTAX_NAME, 10 },
        { "set queue a,1b enabled=true", SYNTAX_NAME, 12 },
        { "set queue a,b@ enabled=true", SYNTAX_NAME, 13 },
        { "set queue a, enabled=true", SYNTAX_NAME, 12 },
        { "set queue a,", SYNTAX_NAME, 12 },
        { "set queue @", SYNTAX_NAME, 10 },
        { "set queue a@b@c enabled=t", SYNTAX_NAME, 13 },
        { "list node -x", SYNTAX_NAME, 10 },
        { "create resource 9x", SYNTAX_NAME, 16 },
        { "create queue @default", SYNTAX_NAME, 13 },
        { "create queue q1,@default enabled=t", SYNTAX_NAME, 16 },
        { "import hook @default a b c", SYNTAX_NAME, 12 },
        { "import hook", SYNTAX_ATTR, 12 },
        { "delete queue a b", SYNTAX_ATTR, 15 },
        { "active queue a b", SYNTAX_ATTR, 15 },
        { "set server max_run=5", SYNTAX_ATTR, 19 },
        { "set server max_run = [x:PBS_ALL=7]", SYNTAX_ATTR, 22 },
        { "set server max_run = [o:bob=7]", SYNTAX_ATTR, 26 },
        { "set server max_run = o:PBS_ALL=7", SYNTAX_ATTR, 21 },
        { "set server max_run = [o:PBS_ALL=7", SYNTAX_ATTR, 33 },
        { "set server max_run = [u:PBS_ALL=7]", SYNTAX_ATTR, 30 },
        { "set server max_run = '[u:a=1],x'", SYNTAX_ATTR, 30 },
        { "set server max_run = [u:a=-1]", SYNTAX_ATTR, 26 },
        { "set server max_run = [u:a=]", SYNTAX_ATTR, 26 },
        { "set server max_run = [u:=1]", SYNTAX_ATTR, 24 },
        { "set server max_run = [u:a/b=1]", SYNTAX_ATTR, 25 },
        { "set server max_run = [u:a=1] x", SYNTAX_ATTR, 29 },
        { "import hook h1", SYNTAX_ATTR, 15 },
        { "import hook h1 application/x-python", SYNTAX_ATTR, 35 },
        { "import hook h1 application/x-python default", SYNTAX_ATTR, 43 },
        { "import hook h1 a b c d", SYNTAX_ATTR, 21 },
        { "export hook h1 a", SYNTAX_ATTR, 16 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct qmgr_command c;
        struct qmgr_mistake why;
        enum qmgr_syntax got = qmgr_parse(cases[i].text, &c, &why);

        if (got != cases[i].code || why.column != cases[i].column) {
            fprintf(stderr, "want %d at %zu:\n", (int)cases[i].code, cases[i].column);
            qmgr_mistake_print(cases[i].text, &why, true, stderr);
        }
        CU_ASSERT_EQUAL(got, cases[i].code);
        CU_ASSERT_EQUAL(why.code, cases[i].code);
        CU_ASSERT_EQUAL(why.column, cases[i].column);
        if (!got)
            qmgr_command_clear(&c);
    }
}

static void test_mistake_lines(void)
{
    static const struct {
        const char *text, *lines;
    } cases[] = {
        { "frobnicate server", "qmgr: Illegal operation: frobnicate\n"
                               "Try 'help' if you are having trouble.\n" },
        { "set", "qmgr: No object type given\n" },
        { "  set widget x=1", "qmgr: Illegal object type: widget.\n" },
        { "  set server ", "qmgr: Syntax error\nset server \n          ^\n" },
        { "import hook h1", "qmgr: Syntax error\nimport hook h1\n               ^\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct qmgr_command c;
        struct qmgr_mistake why;
        char *lines = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&lines, &len);

        CU_ASSERT_NOT_EQUAL(qmgr_parse(cases[i].text, &c, &why), SYNTAX_OK);
        qmgr_mistake_print(cases[i].text, &why, false, f);
        fclose(f);
        CU_ASSERT_STRING_EQUAL(lines, cases[i].lines);
        free(lines);
    }
}

static void test_lines(void)
{
    static const struct {
        const char *line, *commands; /* in angle brackets */
    } cases[] = {
        { "list server", "<list server>" },
        { "a; b ;c", "<a>< b ><c>" },
        { "a;", "<a><>" },
        { "a 'x;y' \"z;\"; b", "<a 'x;y' \"z;\">< b>" },
        { "p q workq Priority # tail; no", "<p q workq Priority >" },
        { "a#b", "<a#b>" },
        { "# all", "<>" },
        { "a '#' # b", "<a '#' >" },
        { "a ' #b'; c", "<a ' #b'>< c>" },
        { "a;# b", "<a><>" },
        { "a $'x\\';y'; b", "<a $'x\\';y'>< b>" },
        { "a 'x\\'; b", "<a 'x\\'>< b>" },
        { "a 'open; b", "<a 'open; b>" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf got = { 0 };

        for (const char *next = cases[i].line; next;) {
            const char *text = next;
            size_t len = qmgr_command_len(text, &next);

            buf_printf(&got, "<%.*s>", (int)len, text);
        }
        CU_ASSERT_STRING_EQUAL(got.data, cases[i].commands);
        buf_fini(&got);
    }
}

static void test_quoting(void)
{
    static const struct {
        const char *value, *quoted;
    } cases[] = {
        { "plain", "plain" },
        { "16gb", "16gb" },
        { "root@*", "root@*" },
        { "[u:bob=3]", "[u:bob=3]" },
        { "", "\"\"" },
        { "x y", "\"x y\"" },
        { "a,b", "\"a,b\"" },
        { "\"\"", "'\"\"'" },
        { "it's", "\"it's\"" },
        { "hello, it is \"me\"", "'hello, it is \"me\"'" },
        { "#x", "\"#x\"" },
        { "x#y", "x#y" },
        { "a;b", "\"a;b\"" },
        { "back\\", "\"back\\\"" },
        { "a\\b", "a\\b" },
        { "it's \"me\"", "$'it\\'s \"me\"'" },
        { "two\nlines", "$'two\\nlines'" },
        { "a&b\\", "$'a&b\\\\'" },
        { "\x01\t\r\x7f", "$'\\x01\\t\\r\\x7f'" },
        { "\xc2\x9b"
          "1m\xc3\x9b",
          "$'\\xc2\\x9b1m\xc3\x9b'" },
        { "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
        { "$'x'", "\"$'x'\"" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf quoted = { 0 }, back = { 0 };
        const char *at;

        qmgr_value_quote(cases[i].value, strlen(cases[i].value), &quoted);
        CU_ASSERT_STRING_EQUAL(quoted.data, cases[i].quoted);
        at = quoted.data;
        CU_ASSERT_TRUE(qmgr_value_read(&at, &back));
        CU_ASSERT_EQUAL(*at, '\0');
        CU_ASSERT_STRING_EQUAL(back.data ? back.data : "", cases[i].value);
        buf_fini(&quoted);
        buf_fini(&back);
    }
}

static void test_list_columns(void)
{
    static const struct {
        const char *name, *resource, *value, *lines;
    } cases[] = {
        { "event", NULL,
          "execjob_begin,execjob_epilogue,execjob_end,execjob_launch,execjob_attach,"
          "execjob_resize",
          "    event = execjob_begin,execjob_epilogue,execjob_end,execjob_launch,\n"
          "\texecjob_attach,\n\texecjob_resize\n" },
        { "resources_max", "mem", "2gb", "    resources_max.mem = 2gb\n" },
        { "comment", NULL, "", "    comment = \n" },
        { "comment", NULL,
          "\x1b[1m, \xc2\x9b"
          "31m",
          "    comment = ^[[1m, ??31m\n" },
        { "jobs", NULL,
          "a234567890123456789012345678901234567890, "
          "b2345678901234567890123456789012345678, c",
          "    jobs = a234567890123456789012345678901234567890,\n"
          "\tb2345678901234567890123456789012345678,\n\tc\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attrl a = { NULL, (char *)cases[i].name, (char *)cases[i].resource,
                           (char *)cases[i].value, SET };
        struct buf got = { 0 };

        qmgr_list_attr(&a, &got);
        CU_ASSERT_STRING_EQUAL(got.data, cases[i].lines);
        buf_fini(&got);
    }
}

static void collect(const char *word, void *arg)
{
    buf_printf(arg, "%s ", word);
}

static void test_completion(void)
{
    static const struct {
        const char *line, *words;
        size_t len;
    } cases[] = {
        { "s", "set ", 1 },
        { "un", "unset ", 2 },
        { "set ", "server queue node resource sched hook pbshook ", 0 },
        { "set se", "server ", 2 },
        { "set server default_n", "default_node ", 9 },
        { "set server scheduling=t,node_f", "node_fail_requeue ", 6 },
        { "list server x; unset queue workq enab", "enabled ", 4 },
        { "create resource r ty", "type ", 2 },
        { "help qu", "quit queuepublic queueexec queueroute queuero ", 2 },
        { "set server total", "", 5 },
        { "list server total", "total_jobs ", 5 },
        { "delete queue w", "", 1 },
        { "frobnicate x y", "", 1 },
        { "SE", "",
          2 }, /* verbs and objects are lower case, so it becomes none of them */
        { "set SE", "", 2 },
        { "help QU", "", 2 },
        { "set queue q1 prio", "Priority ", 4 }, /* an attribute is found in any case */
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf got = { 0 };
        size_t len = qmgr_complete(cases[i].line, collect, &got);
        const char *text = got.data ? got.data : "";

        if (strcmp(text, cases[i].words) != 0)
            fprintf(stderr, "%s: %s\n", cases[i].line, text);
        CU_ASSERT_STRING_EQUAL(text, cases[i].words);
        CU_ASSERT_EQUAL(len, cases[i].len);
        buf_fini(&got);
    }
}

static void test_help(void)
{
    static const struct {
        const char *topic, *begins;
    } cases[] = {
        { "", "VERB OBJECT " },
        { "op", "=   sets the value\n" },
        { "operator", "=   sets the value\n" },
        { "operatorz", "=   sets the value\n" },
        { "operators", "operators of a server " },
        { "max_run", "max_run of a server " },
        { "name", "NAME[@SERVER]" },
        { "nosuch", "No help available on: nosuch\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        FILE *before = stdout;
        char *text = NULL;
        size_t len;

        stdout = open_memstream(&text, &len);
        qmgr_help(cases[i].topic);
        fclose(stdout);
        stdout = before;
        if (strncmp(text, cases[i].begins, strlen(cases[i].begins)) != 0)
            fprintf(stderr, "%s: %s\n", cases[i].topic, text);
        CU_ASSERT_NSTRING_EQUAL(text, cases[i].begins, strlen(cases[i].begins));
        free(text);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "commands are read in full and shortened", test_commands },
        { "every mistake has its code and its column", test_mistakes },
        { "mistakes are told with a caret below them", test_mistake_lines },
        { "a line holds commands and a comment", test_lines },
        { "what is quoted is read again", test_quoting },
        { "long lists go on in lines of their own", test_list_columns },
        { "words are completed", test_completion },
        { "help knows topics and attributes", test_help },
    };

    return unit_main("qmgr", cases, ARRAY_LEN(cases));
}
