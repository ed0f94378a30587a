/* test_know.c - requests that need to know something of the world outside: hosts,
 * files, Python's word. Whoever needs it waits, others are served, and whatever happens
 * meanwhile, nothing is half done.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/harness.h"

#include "../unit.h"

#include <string.h>

#define CONN 900 /* of the request that waits */

/* A server that knows nothing beforehand, with a hook. */
static struct rig *asking_rig(void)
{
    struct rig *r;

    rig_finds_out = true;
    r = rig_new();
    rig_finds_out = false;
    rig_manager(r, RIG_ROOT, CREATE, OBJECT_HOOK, "h1", "");
    return r;
}

static const struct wire_reply *ask(struct rig *r, uint64_t conn, uint32_t command,
                                    uint32_t type, const char *name, const char *attrs)
{
    const struct body_manage body = { .command = command,
                                      .object_type = type,
                                      .object_name = name,
                                      .attrs = rig_attrs(r, attrs) };

    return rig_ask_on(r, conn, RIG_ROOT, BATCH_MANAGER, &body, NULL);
}

static const struct need *asked(const struct rig *r, size_t n)
{
    const struct effect *e = rig_effect(r, EFFECT_FIND_OUT, n);

    return e ? &e->u.need : NULL;
}

static void learn(struct rig *r, const struct need *need, const struct finding *f)
{
    struct effects none = { .arena = r->arena };

    svr_learned(r->s, r->now_at, need, f, &none);
}

static const struct finding yes = { .found = true }, no = { .words = "it is wrong" },
                            silence = { .failed = true };

/* Each kind of need: what asks for it, and what becomes of the request by the answer.
 */
static const struct kind_case {
    const char *story;
    uint32_t command, type;
    const char *name, *attrs;
    enum need_kind kind;
    const char *asked;
    int if_no, if_silent;
} kinds[] = {
    { "the host of a vnode", CREATE, OBJECT_NODE, "n1", "", NEED_ADDRS, "n1",
      PBSE_UNKNODE, PBSE_UNKNODE },
    { "the host of a scheduler", CREATE, OBJECT_SCHED, "s1",
      "sched_host=far.example partition=p1", NEED_ADDRS, "far.example", PBSE_BADATVAL,
      PBSE_BADATVAL },
    { "the host of a manager", SET, OBJECT_SERVER, "", "managers=bob@far.example",
      NEED_FULL_NAME, "far.example", PBSE_BADHOST, PBSE_BADHOST },
    { "a file to be read", IMPORT, OBJECT_HOOK, "h1",
      "content-type=application/x-config content-encoding=default input-file=in",
      NEED_FILE, "in", PBSE_HOOKERROR, PBSE_HOOKERROR },
    { "a file to be written", EXPORT, OBJECT_HOOK, "h1",
      "content-type=application/x-config content-encoding=default output-file=out",
      NEED_WRITTEN, "out", PBSE_HOOKERROR, PBSE_HOOKERROR },
};

static const struct wire_reply *begin(struct rig *r, const struct kind_case *k,
                                      struct need *need)
{
    const struct wire_reply *reply =
        ask(r, CONN, k->command, k->type, k->name, k->attrs);

    CU_ASSERT_PTR_NOT_NULL_FATAL(asked(r, 0));
    *need = *asked(r, 0);
    return reply;
}

static void each_kind_waits_for_its_answer(void)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const struct kind_case *k = &kinds[i];
        const struct {
            const struct finding *f;
            int code;
        } answers[] = { { &yes, 0 }, { &no, k->if_no }, { &silence, k->if_silent } };

        for (size_t a = 0; a < ARRAY_LEN(answers); a++) {
            struct rig *r = asking_rig();
            uint64_t seq = svr_model(r->s)->seq;
            const struct wire_reply *reply;
            struct need need;

            CU_ASSERT_PTR_NULL(begin(r, k, &need));
            CU_ASSERT_EQUAL(need.kind, k->kind);
            CU_ASSERT_STRING_EQUAL(need.name, k->asked);
            CU_ASSERT_EQUAL(need.asker != 0, need_is_private(k->kind));
            CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq); /* nothing is decided yet */
            CU_ASSERT_FALSE(svr_has_work(r->s));
            CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
            learn(r, &need, answers[a].f);
            reply = rig_go_on(r, CONN);
            CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
            if (reply->code != answers[a].code)
                printf("%s, answer %zu: %d\n", k->story, a, reply->code);
            CU_ASSERT_EQUAL(reply->code, answers[a].code);
            rig_free(r);
        }
    }
}

static void each_kind_is_given_up_in_time(void)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        struct rig *r = asking_rig();
        struct need need;

        CU_ASSERT_PTR_NULL(begin(r, &kinds[i], &need));
        CU_ASSERT_EQUAL(svr_next_deadline(r->s), r->now_at + 30);
        rig_advance(r, r->now_at + 30);
        CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
        CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, kinds[i].if_silent);
        learn(r, &need, &yes); /* late: nobody minds */
        CU_ASSERT_FALSE(svr_has_work(r->s));
        rig_free(r);
    }
}

static void each_kind_may_lose_its_client_or_the_server(void)
{
    for (size_t i = 0; i < 2 * ARRAY_LEN(kinds); i++) {
        const struct kind_case *k = &kinds[i / 2];
        struct rig *r = asking_rig();
        struct effects none = { .arena = r->arena };
        uint64_t seq;
        struct need need;

        CU_ASSERT_PTR_NULL(begin(r, k, &need));
        seq = svr_model(r->s)->seq;
        if (i % 2) {
            rig_restart(r);
            seq = svr_model(r->s)->seq;
        } else {
            svr_client_gone(r->s, r->now_at, CONN, &none);
        }
        learn(r, &need, &yes);
        CU_ASSERT_FALSE(svr_has_work(r->s));
        CU_ASSERT_EQUAL(svr_model(r->s)->seq, seq);
        CU_ASSERT_EQUAL(svr_kept_bytes(r->s, CONN), 0);
        CU_ASSERT_TRUE(rig_is_same(r));
        rig_free(r);
    }
}

/* The file first, then Python's word on what is in it. */
static void a_script_is_read_and_then_compiled(void)
{
    struct rig *r = asking_rig();
    const struct finding text = { .found = true, .data = "x = 1\n", .len = 6 };
    struct need need;

    CU_ASSERT_PTR_NULL(ask(r, CONN, IMPORT, OBJECT_HOOK, "h1",
                           "content-type=application/x-python "
                           "content-encoding=default input-file=in"));
    need = *asked(r, 0);
    learn(r, &need, &text);
    CU_ASSERT(svr_kept_bytes(r->s, CONN) > text.len); /* its client's memory */
    CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
    CU_ASSERT_PTR_NOT_NULL_FATAL(asked(r, 0));
    need = *asked(r, 0);
    CU_ASSERT_EQUAL(need.kind, NEED_COMPILED);
    CU_ASSERT_STRING_EQUAL(need.detail, "py");
    CU_ASSERT_EQUAL(need.len, 6);
    CU_ASSERT_EQUAL(memcmp(need.data, "x = 1\n", 6), 0);
    r->now_at += 1000; /* the file is not read again, however long that took */
    learn(r, &need, &no);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_STRING_EQUAL(
        rig_text(r), "Failed to compile script, hook 'h1' contents not overwritten");
    CU_ASSERT_TRUE(rig_logged(r, "it is wrong"));
    rig_free(r);
}

static void a_hook_that_was_deleted_meanwhile_gets_no_script(void)
{
    struct rig *r = asking_rig();
    struct need need;

    CU_ASSERT_PTR_NULL(begin(r, &kinds[3], &need));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_HOOK, "h1", ""), 0);
    learn(r, &need, &yes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_STRING_EQUAL(rig_reply(r, CONN)->text, "h1 does not exist!");
    rig_free(r);
}

/* A file is for who asked for it: another request reads it anew. */
static void files_are_not_shared(void)
{
    struct rig *r = asking_rig();
    struct need first, second;

    CU_ASSERT_PTR_NULL(begin(r, &kinds[3], &first));
    CU_ASSERT_PTR_NULL(ask(r, CONN + 1, IMPORT, OBJECT_HOOK, "h1", kinds[3].attrs));
    CU_ASSERT_PTR_NOT_NULL_FATAL(asked(r, 0));
    second = *asked(r, 0);
    CU_ASSERT_NOT_EQUAL(first.asker, second.asker);
    learn(r, &second, &no);
    CU_ASSERT_PTR_NOT_NULL(rig_go_on(r, CONN + 1));
    CU_ASSERT_FALSE(svr_has_work(r->s));
    rig_free(r);
}

/* Several are found out at the same time, and answers that came first wait for the
 * last one. */
static void what_is_known_to_be_needed_is_asked_at_once(void)
{
    struct rig *r = asking_rig();
    struct need a, b;

    CU_ASSERT_PTR_NULL(ask(r, CONN, SET, OBJECT_SERVER, "",
                           "managers=bob@a.example,bob@b.example,ann@a.example"));
    CU_ASSERT_EQUAL_FATAL(rig_count(r, EFFECT_FIND_OUT), 2);
    a = *asked(r, 0);
    b = *asked(r, 1);
    learn(r, &b, &yes);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    r->now_at += 3600; /* and are good for this request, however old */
    learn(r, &a, &yes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, 0);
    rig_free(r);
}

/* Many more hosts than are found out at a time. */
static void a_long_list_comes_to_its_end(void)
{
    struct rig *r = asking_rig();
    struct buf list = { 0 };
    const struct wire_reply *reply = NULL;
    size_t n_asked = 0;

    buf_add_str(&list, "managers=");
    for (int i = 0; i < 500; i++)
        buf_printf(&list, "%su@h%d.example", i ? "," : "", i);
    CU_ASSERT_PTR_NULL(ask(r, CONN, SET, OBJECT_SERVER, "", list.data));
    while (!reply && n_asked <= 500) {
        struct effects out = r->out;

        for (size_t i = 0; i < out.n; i++)
            if (out.v[i].kind == EFFECT_FIND_OUT) {
                n_asked++;
                learn(r, &out.v[i].u.need, &yes);
            }
        CU_ASSERT_TRUE_FATAL(svr_has_work(r->s));
        reply = rig_go_on(r, CONN);
    }
    CU_ASSERT_EQUAL(n_asked, 500);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    buf_fini(&list);
    rig_free(r);
}

/* Who asks and goes, again and again, asks once. */
static void coming_and_going_asks_nothing_anew(void)
{
    struct rig *r = asking_rig();
    struct effects none = { .arena = r->arena };
    struct need need;

    CU_ASSERT_PTR_NULL(begin(r, &kinds[0], &need));
    for (uint64_t i = 1; i < 200; i++) {
        svr_client_gone(r->s, r->now_at, CONN + i - 1, &none);
        CU_ASSERT_PTR_NULL(ask(r, CONN + i, CREATE, OBJECT_NODE, "n1", ""));
        CU_ASSERT_PTR_NULL(asked(r, 0));
    }
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "each kind waits for its answer", each_kind_waits_for_its_answer },
    { "each kind is given up in time", each_kind_is_given_up_in_time },
    { "each kind may lose its client or the server",
      each_kind_may_lose_its_client_or_the_server },
    { "a script is read and then compiled", a_script_is_read_and_then_compiled },
    { "a hook that was deleted meanwhile gets no script",
      a_hook_that_was_deleted_meanwhile_gets_no_script },
    { "files are not shared", files_are_not_shared },
    { "what is known to be needed is asked at once",
      what_is_known_to_be_needed_is_asked_at_once },
    { "a long list comes to its end", a_long_list_comes_to_its_end },
    { "coming and going asks nothing anew", coming_and_going_asks_nothing_anew },
};

int main(void)
{
    return unit_main("the world outside", cases, ARRAY_LEN(cases));
}
