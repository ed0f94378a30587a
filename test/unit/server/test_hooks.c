/* test_hooks.c - hooks as stored objects: attributes with their refusals, bodies in and
 * out, listing, and what a restart brings back (hooks.md 1 to 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/harness.h"
#include "test/unit/unit.h"

#include <string.h>

#define HOOK 8
#define PBS  9

#define EVENTS                                                                         \
    "queuejob,postqueuejob,modifyjob,modifyvnode,management,resvsub,modifyresv,"       \
    "movejob,jobobit,runjob,provision,periodic,resv_confirm,resv_begin,resv_end,"      \
    "execjob_begin,execjob_prologue,execjob_epilogue,execjob_preterm,execjob_end,"     \
    "exechost_periodic,execjob_launch,exechost_startup,execjob_attach,"                \
    "execjob_resize,execjob_abort,execjob_postsuspend,execjob_preresume"
#define EVENTS_LESS                                                                    \
    "queuejob,postqueuejob,modifyjob,modifyvnode,management,resvsub,modifyresv,"       \
    "movejob,runjob,periodic,provision,resv_confirm,resv_begin,resv_end,"              \
    "execjob_begin,execjob_prologue,execjob_epilogue,execjob_end,execjob_preterm,"     \
    "exechost_periodic,execjob_launch,exechost_startup,execjob_attach,"                \
    "execjob_resize,execjob_abort,execjob_postsuspend,execjob_preresume"
#define FAIL_ACTIONS                                                                   \
    "fail_action value of a hook must be \"none\" or one or more of "                  \
    "\"offline_vnodes\",\"clear_vnodes_upon_recovery\", \"scheduler_restart_cycle\""
#define TO_PYTHON "content-encoding=default content-type=application/x-python "
#define FROM_BASE "content-encoding=base64 content-type=application/x-python "
#define TO_CONFIG "content-encoding=default content-type=application/x-config "

struct hook_case {
    const char *story;
    uint32_t command, type;
    const char *name, *attrs;
    const char *refusal; /* NULL: taken */
};

static void run(struct rig *r, const struct hook_case *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct hook_case *c = &rows[i];
        uint64_t seq = svr_model(r->s)->seq;
        int code = rig_manager(r, RIG_ROOT, c->command, c->type, c->name, c->attrs);

        CU_ASSERT_EQUAL(code, c->refusal ? 15136 : 0);
        if (c->refusal) {
            CU_ASSERT_STRING_EQUAL(rig_text(r), c->refusal);
            CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
            CU_ASSERT(rig_logged(r, c->refusal));
        }
        if (code != (c->refusal ? 15136 : 0) ||
            (c->refusal && strcmp(rig_text(r), c->refusal) != 0))
            printf("%s: %d %s\n", c->story, code, rig_text(r));
    }
    CU_ASSERT(rig_is_same(r));
}

/* One line of "attribute=value" for each attribute shown of a hook; "" when refused. */
static const char *shown(struct rig *r, const char *name, const char *kind)
{
    struct body_status body = { .id = name };
    const struct wire_reply *reply =
        rig_ask(r, RIG_ROOT, BATCH_STATUS_HOOK, &body, kind);
    const char *text = "";

    if (!reply || reply->code || reply->objects.n != 1)
        return "";
    for (size_t i = 0; i < reply->objects.v[0].attrs.n; i++) {
        const struct wire_attr *a = &reply->objects.v[0].attrs.v[i];

        text = arena_printf(r->arena, "%s%s=%s ", text, a->name, a->value);
    }
    return text;
}

#define CHECK_SHOWN(r, name, text)                                                     \
    do {                                                                               \
        CU_ASSERT_STRING_EQUAL(shown(r, name, "hook"), text);                          \
        if (strcmp(shown(r, name, "hook"), text) != 0)                                 \
            printf("%s\n", shown(r, name, "hook"));                                    \
    } while (0)

static void test_every_attribute_answers_with_its_own_words(void)
{
    static const struct hook_case rows[] = {
        { "made", CREATE, HOOK, "h1", "", NULL },
        { "twice", CREATE, HOOK, "h1", "",
          "hook name 'h1' already registered, try another name" },
        { "prefix", CREATE, HOOK, "PBSx", "",
          "hook_name 'PBSx', cannot use PBS as a prefix it is reserved for pbs hooks" },
        { "unknown", SET, HOOK, "nope", "enabled=t", "nope does not exist!" },
        { "unknown to delete", DELETE, HOOK, "nope", "", "nope does not exist!" },
        { "path in a name", CREATE, HOOK, "a/b", "",
          "hook_name must begin with a letter and have letters, digits, '_', '-' and "
          "'.' only" },
        { "event", SET, HOOK, "h1", "event=foo",
          "invalid argument (foo) to event. Should be one or more of: " EVENTS
          " or \"\" for no event" },
        { "event +=", SET, HOOK, "h1", "event+=queuejob,foo",
          "invalid argument (foo) to event. Should be one or more of: " EVENTS
          " or \"\" for no event" },
        { "event -=", SET, HOOK, "h1", "event-=foo",
          "invalid argument (foo) to event. Should be one or more of: " EVENTS_LESS
          " or \"\" for no event." },
        { "order", SET, HOOK, "h1", "order=0",
          "order given (0) is outside the acceptable range of [1, 1000] for type "
          "'site'." },
        { "order", SET, HOOK, "h1", "order=1001",
          "order given (1001) is outside the acceptable range of [1, 1000] for type "
          "'site'." },
        { "order as text", SET, HOOK, "h1", "order=abc",
          "order given (0) is outside the acceptable range of [1, 1000] for type "
          "'site'." },
        { "order", SET, HOOK, "h1", "order=1000", NULL },
        { "alarm", SET, HOOK, "h1", "alarm=0",
          "set_hook_alarm: alarm value '0' of a hook must be > 0" },
        { "alarm", SET, HOOK, "h1", "alarm=-5",
          "set_hook_alarm: alarm value '-5' of a hook must be > 0" },
        { "freq", SET, HOOK, "h1", "freq=0",
          "set_hook_freq: freq value '0' of a hook must be > 0" },
        { "freq without events", SET, HOOK, "h1", "freq=5",
          "set_hook_freq: Can't set hook freq value: hook event must contain at "
          "least'exechost_periodic' or 'periodic'" },
        { "switch", SET, HOOK, "h1", "enabled=maybe",
          "unexpected value 'maybe', must be (not case sensitive) "
          "true|t|y|1|false|f|n|0" },
        { "switch", SET, HOOK, "h1", "debug=yes",
          "unexpected value 'yes', must be (not case sensitive) "
          "true|t|y|1|false|f|n|0" },
        { "user", SET, HOOK, "h1", "user=bob",
          "user value of a hook must be pbsadmin,pbsuser" },
        { "user without events", SET, HOOK, "h1", "user=pbsuser",
          "Can't set hook user value to 'pbsuser': hook event must contain at least "
          "execjob_prologue,execjob_epilogue,execjob_preterm" },
        { "type", SET, HOOK, "h1", "type=pbs",
          "not allowed to set hook to 'pbs' type" },
        { "same type", SET, HOOK, "h1", "type=site", NULL },
        { "fail_action", SET, HOOK, "h1", "fail_action=foo", FAIL_ACTIONS },
        { "none and more", SET, HOOK, "h1", "fail_action=none,offline_vnodes",
          FAIL_ACTIONS },
        { "needs an event", SET, HOOK, "h1", "fail_action=offline_vnodes",
          "Can't set hook fail_action value to 'offline_vnodes': hook event must "
          "contain at least one of execjob_begin, exechost_startup, "
          "execjob_prologue" },
        { "needs an event", SET, HOOK, "h1", "fail_action=clear_vnodes_upon_recovery",
          "Can't set hook fail_action value to 'clear_vnodes_upon_recovery': hook "
          "event must contain at least an exechost_startup value" },
        { "needs an event", SET, HOOK, "h1", "fail_action=scheduler_restart_cycle",
          "Can't set hook fail_action value to 'scheduler_restart_cycle': hook event "
          "must contain at least one of execjob_begin, execjob_prologue" },
        { "unknown attribute", SET, HOOK, "h1", "foo=1", "Undefined attribute  - foo" },
        { "internal", SET, HOOK, "h1", "hf_script=x",
          "Undefined attribute  - hf_script" },
        { "name", SET, HOOK, "h1", "hook_name=x", "Undefined attribute  - hook_name" },
        { "unset unknown", UNSET, HOOK, "h1", "pending_delete",
          "Undefined attribute  - pending_delete" },
        { "all or nothing", SET, HOOK, "h1", "alarm=77 order=0",
          "order given (0) is outside the acceptable range of [1, 1000] for type "
          "'site'." },
        { "exclusive", SET, HOOK, "h1", "event=provision,queuejob",
          "Event provision is exclusive with other events, and only one provision hook "
          "allowed" },
        { "alone", CREATE, HOOK, "p1", "event=provision", NULL },
        { "only one", SET, HOOK, "h1", "event=provision",
          "Another hook 'p1' already has event 'provision', only one 'provision' hook "
          "allowed" },
        { "periodic", CREATE, HOOK, "t1", "freq=7 event=periodic", NULL },
        { "periodic's user", SET, HOOK, "t1", "user=pbsuser",
          "user value of a server periodic hook must be pbsadmin" },
        { "shipped", SET, HOOK, "PBS_power", "enabled=t",
          "PBS_power not of 'site' type" },
        { "not shipped", SET, PBS, "h1", "enabled=t", "h1 not of 'pbs' type" },
        { "shipped", SET, PBS, "PBS_power", "enabled=TRUE alarm=5", NULL },
        { "shipped event", SET, PBS, "PBS_power", "event=queuejob",
          "cannot set attributes of a 'pbs' hook" },
        { "shipped stays", DELETE, HOOK, "PBS_power", "",
          "PBS_power not of 'site' type" },
        { "deleted", DELETE, HOOK, "p1", "", NULL },
        { "gone", DELETE, HOOK, "p1", "", "p1 does not exist!" },
    };
    struct rig *r = rig_new();

    run(r, rows, ARRAY_LEN(rows));
    CHECK_SHOWN(r, "h1",
                "type=site enabled=true event=\"\" user=pbsadmin alarm=30 order=1000 "
                "debug=false fail_action=none ");
    CHECK_SHOWN(r, "t1",
                "type=site enabled=true event=periodic user=pbsadmin alarm=30 freq=7 "
                "order=1 debug=false fail_action=none ");
    rig_free(r);
}

static void test_events_are_a_set_and_what_does_not_fit_them_falls_back(void)
{
    static const struct hook_case rows[] = {
        { "made", CREATE, HOOK, "h",
          "fail_action=offline_vnodes user=pbsuser event=execjob_prologue,queuejob",
          NULL },
        { "more", SET, HOOK, "h", "event+=exechost_startup,queuejob", NULL },
        { "more", SET, HOOK, "h", "fail_action+=clear_vnodes_upon_recovery", NULL },
    };
    static const struct hook_case less[] = {
        { "less", SET, HOOK, "h", "fail_action-=offline_vnodes", NULL },
        { "less", SET, HOOK, "h", "event-=execjob_prologue,runjob", NULL },
    };
    struct rig *r = rig_new();

    run(r, rows, ARRAY_LEN(rows));
    CHECK_SHOWN(r, "h",
                "type=site enabled=true event=queuejob,execjob_prologue,"
                "exechost_startup user=pbsuser alarm=30 order=1 debug=false "
                "fail_action=offline_vnodes,clear_vnodes_upon_recovery ");
    run(r, less, ARRAY_LEN(less));
    CHECK_SHOWN(r, "h",
                "type=site enabled=true event=queuejob,exechost_startup user=pbsadmin "
                "alarm=30 order=1 debug=false "
                "fail_action=clear_vnodes_upon_recovery ");
    rig_manager(r, RIG_ROOT, UNSET, HOOK, "h", "event");
    CHECK_SHOWN(r, "h",
                "type=site enabled=true event=\"\" user=pbsadmin alarm=30 order=1 "
                "debug=false fail_action=none ");
    rig_manager(r, RIG_ROOT, SET, HOOK, "h", "event=periodic order=5");
    rig_manager(r, RIG_ROOT, SET, HOOK, "h", "event=\"\" alarm=9 enabled=F");
    CHECK_SHOWN(r, "h",
                "type=site enabled=false event=\"\" user=pbsadmin alarm=9 order=1 "
                "debug=false fail_action=none ");
    rig_free(r);
}

static void put_file(const char *name, const char *data, size_t len)
{
    rig_file.name = name;
    memcpy(rig_file.data, data, len);
    rig_file.len = len;
}

static void test_bodies_are_kept_and_come_out_again(void)
{
    static const char script[] = "import pbs\nprint('\\0 \\\\ \xff')\n";
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, CREATE, HOOK, "h1", "event=queuejob");
    put_file("f", script, strlen(script));
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, IMPORT, HOOK, "h1", TO_PYTHON "input-file=f"), 0);
    CU_ASSERT_EQUAL(rig_reply(r, r->conn)->choice, REPLY_NULL);
    put_file("f", "{\"a\": 1}\0", 9);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, IMPORT, HOOK, "h1", TO_CONFIG "input-file=f"), 0);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, IMPORT, HOOK, "h1", TO_CONFIG "input-file=f"), 0);
    CU_ASSERT_STRING_EQUAL(rig_text(r), "hook 'h1' contents overwritten");
    CU_ASSERT(rig_logged(r, "mgr_hook_import at request of root@svr.example"));
    CU_ASSERT_EQUAL(rig_reply(r, r->conn)->choice, REPLY_TEXT);
    rig_restart(r);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, EXPORT, HOOK, "h1", TO_PYTHON "output-file=o"), 0);
    CU_ASSERT_EQUAL(rig_reply(r, r->conn)->choice, REPLY_NULL);
    CU_ASSERT_STRING_EQUAL(rig_file.name, "written");
    CU_ASSERT_STRING_EQUAL(rig_file.data, script);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, EXPORT, HOOK, "h1", TO_CONFIG "output-file=o"), 0);
    CU_ASSERT_EQUAL(rig_file.len, 9);
    CU_ASSERT_EQUAL(memcmp(rig_file.data, "{\"a\": 1}\0", 9), 0);
    rig_manager(r, RIG_ROOT, CREATE, HOOK, "h2", "");
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, EXPORT, HOOK, "h2", FROM_BASE "output-file=o"), 0);
    CU_ASSERT_EQUAL(rig_file.len, 0);
    rig_free(r);
}

/* What export prints is what import reads, line by line, each with its own padding. */
static void test_base64_is_by_lines_of_512_bytes(void)
{
    char body[1030], line[8192];
    struct rig *r = rig_new();

    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = (char)('a' + i % 26);
    rig_manager(r, RIG_ROOT, CREATE, HOOK, "h1", "");
    put_file("f", body, sizeof(body));
    rig_manager(r, RIG_ROOT, IMPORT, HOOK, "h1", TO_PYTHON "input-file=f");
    rig_manager(r, RIG_ROOT, EXPORT, HOOK, "h1", FROM_BASE "output-file=o");
    strcpy(line, rig_file.data);
    CU_ASSERT_EQUAL(strcspn(line, "\n"), 684);
    CU_ASSERT_EQUAL(line[683], '=');
    CU_ASSERT_EQUAL(strlen(line), 685 + 685 + 9);
    rig_manager(r, RIG_ROOT, CREATE, HOOK, "h2", "");
    put_file("g", line, strlen(line));
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, IMPORT, HOOK, "h2", FROM_BASE "input-file=g"), 0);
    rig_manager(r, RIG_ROOT, EXPORT, HOOK, "h2", TO_PYTHON "output-file=o");
    CU_ASSERT_EQUAL(rig_file.len, sizeof(body));
    CU_ASSERT_EQUAL(memcmp(rig_file.data, body, sizeof(body)), 0);
    rig_free(r);
}

static void test_what_is_wrong_with_a_body_keeps_the_old_one(void)
{
    static const struct hook_case rows[] = {
        { "content type", IMPORT, HOOK, "h1",
          "input-file=f content-encoding=default content-type=text/plain",
          "<content-type> must be application/x-python or application/x-config" },
        { "encoding", IMPORT, HOOK, "h1",
          "input-file=f content-encoding=gzip content-type=application/x-python",
          "<content-encoding> must be 'default' or 'base64'" },
        { "no file", IMPORT, HOOK, "h1", TO_PYTHON,
          "<content-type>, <content-encoding> and <input-file> needed" },
        { "wrong direction", EXPORT, HOOK, "h1", TO_PYTHON "input-file=f",
          "<content-type>, <content-encoding> and <output-file> needed" },
        { "missing file", IMPORT, HOOK, "h1", TO_PYTHON "input-file=nosuch",
          "nosuch - No such file or directory" },
        { "not base64", IMPORT, HOOK, "h1", FROM_BASE "input-file=f",
          "f is not base64" },
        { "NUL in a script", IMPORT, HOOK, "h1", TO_PYTHON "input-file=f",
          "Failed to compile script, hook 'h1' contents not overwritten" },
        { "no such hook", IMPORT, HOOK, "h9", TO_PYTHON "input-file=f",
          "h9 does not exist!" },
        { "other kind", EXPORT, PBS, "h1", TO_PYTHON "output-file=f",
          "h1 not of 'pbs' type" },
        { "shipped script", IMPORT, PBS, "PBS_power", TO_PYTHON "input-file=f",
          "cannot replace the script of a 'pbs' hook" },
    };
    struct rig *r = rig_new();

    rig_manager(r, RIG_ROOT, CREATE, HOOK, "h1", "");
    put_file("f", "old", 3);
    rig_manager(r, RIG_ROOT, IMPORT, HOOK, "h1", TO_PYTHON "input-file=f");
    put_file("f", "new\0=", 5);
    run(r, rows, ARRAY_LEN(rows));
    rig_manager(r, RIG_ROOT, EXPORT, HOOK, "h1", TO_PYTHON "output-file=o");
    CU_ASSERT_STRING_EQUAL(rig_file.data, "old");
    rig_free(r);
}

static void test_hooks_are_roots_and_of_two_kinds(void)
{
    static const char not_yours[] =
        "ann@svr.example is unauthorized to access hooks data from server svr";
    struct body_status all = { .id = "" }, one = { .id = "PBS_power" };
    struct rig *r = rig_new();
    const struct wire_reply *reply;

    rig_manager(r, RIG_ROOT, SET, 0, "", "managers=ann@*");
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, PBS, "mine", ""), 15004);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, PBS, "PBS_power", ""), 15004);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_USER, CREATE, HOOK, "h", ""), 15136);
    CU_ASSERT_STRING_EQUAL(rig_text(r), not_yours);
    reply = rig_ask(r, RIG_USER, BATCH_STATUS_HOOK, &all, "hook");
    CU_ASSERT_EQUAL(reply->code, 15136);
    CU_ASSERT_STRING_EQUAL(reply->text, not_yours);
    reply = rig_ask(r, RIG_ROOT, BATCH_STATUS_HOOK, &all, NULL);
    CU_ASSERT_EQUAL_FATAL(reply->objects.n, 1);
    CU_ASSERT_STRING_EQUAL(reply->objects.v[0].name, "pbs_cgroups");
    CU_ASSERT_EQUAL(reply->objects.v[0].type, 8);
    CU_ASSERT_STRING_EQUAL(
        wire_attrs_value(&reply->objects.v[0].attrs, "enabled", NULL), "false");
    reply = rig_ask(r, RIG_ROOT, BATCH_STATUS_HOOK, &all, "pbshook");
    CU_ASSERT_EQUAL_FATAL(reply->objects.n, 3);
    CU_ASSERT_EQUAL(reply->objects.v[0].type, 9);
    reply = rig_ask(r, RIG_ROOT, BATCH_STATUS_HOOK, &one, "hook");
    CU_ASSERT_EQUAL(reply->code, 15136);
    CU_ASSERT_STRING_EQUAL(reply->text, "PBS_power not of 'site' type");
    rig_free(r);
}

/* A site may delete the hook that is shipped as its own; a restart leaves it at that.
 */
static void test_a_restart_keeps_hooks_as_they_are(void)
{
    struct rig *r = rig_new();

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, HOOK, "pbs_cgroups", ""), 0);
    rig_manager(r, RIG_ROOT, CREATE, HOOK, "h1", "event=runjob order=3");
    rig_manager(r, RIG_ROOT, SET, PBS, "PBS_cray_atom", "order=-1000");
    rig_restart(r);
    CU_ASSERT(rig_logged(r, "Found hook h1 type=site"));
    CU_ASSERT_STRING_EQUAL(shown(r, "pbs_cgroups", "hook"), "");
    CU_ASSERT_PTR_NOT_NULL(strstr(shown(r, "h1", "hook"), "event=runjob"));
    CU_ASSERT_PTR_NOT_NULL(strstr(shown(r, "PBS_cray_atom", "pbshook"), "order=-1000"));
    CU_ASSERT(rig_is_same(r));
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "every attribute answers with its own words",
      test_every_attribute_answers_with_its_own_words },
    { "events are a set and what does not fit them falls back",
      test_events_are_a_set_and_what_does_not_fit_them_falls_back },
    { "bodies are kept and come out again", test_bodies_are_kept_and_come_out_again },
    { "base64 is by lines of 512 bytes", test_base64_is_by_lines_of_512_bytes },
    { "what is wrong with a body keeps the old one",
      test_what_is_wrong_with_a_body_keeps_the_old_one },
    { "hooks are roots and of two kinds", test_hooks_are_roots_and_of_two_kinds },
    { "a restart keeps hooks as they are", test_a_restart_keeps_hooks_as_they_are },
};

int main(void)
{
    return unit_main("hooks", cases, ARRAY_LEN(cases));
}
