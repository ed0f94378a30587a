/* Unit tests of loading plug-ins and of their handshakes, with a method of our own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/auth.h"
#include "lib/auth/session.h"

#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-session-XXXXXX";
static const struct auth_plugin *toy;

static struct auth_plugin_site site(void)
{
    return (struct auth_plugin_site){
        .home = "/home", .exec = dir, .auth_method = "toy", .encrypt_method = ""
    };
}

static void lib_path(char path[256], const char *name)
{
    snprintf(path, 256, "%s/lib/libauth_%s.so", dir, name);
}

/* Found where libtool builds modules. */
static void install(const char *name, mode_t mode)
{
    char cmd[1024], path[256];
    const char *build = getenv("top_builddir");

    lib_path(path, name);
    snprintf(cmd, sizeof(cmd), "cp %s/.libs/libauth_%s.so %s && chmod %o %s",
             build ? build : ".", name, path, (unsigned)mode, path);
    CU_ASSERT_EQUAL_FATAL(system(cmd), 0);
}

static void test_names_lead_nowhere_else(void)
{
    static const char *const good[] = { "munge", "tls", "gss", "a", "my-own_2" };
    static const char *const bad[] = { "",     ".",    "..",    "../toy",
                                       "a/b",  "Toy",  "a.so",  "toy ",
                                       " toy", "a\nb", "t\xc3", "$(id)" };
    char longest[AUTH_METHOD_MAX + 2];

    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        CU_ASSERT(auth_method_is_name(good[i]));
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        CU_ASSERT_FALSE(auth_method_is_name(bad[i]));
    memset(longest, 'x', sizeof(longest));
    longest[AUTH_METHOD_MAX] = '\0';
    CU_ASSERT(auth_method_is_name(longest));
    longest[AUTH_METHOD_MAX] = 'x';
    longest[AUTH_METHOD_MAX + 1] = '\0';
    CU_ASSERT_FALSE(auth_method_is_name(longest));
}

static void test_what_cannot_be_loaded_says_why(void)
{
    static const struct {
        const char *name, *words;
    } cases[] = {
        { "missing", "/lib/libauth_missing.so" },
        { "../lib/libauth_toy", "bad name" },
        { "", "bad name" },
        { "half", "pbs_auth_create_ctx" },
        { "text", "libauth_text.so" }, /* dlopen's own words */
        { "open", "everybody may write it" },
    };
    const struct auth_plugin_site at = site();
    char path[256];
    FILE *f;

    install("half", 0755);
    lib_path(path, "text");
    f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs("no library\n", f);
    fclose(f);
    install("toy", 0755);
    lib_path(path, "open");
    f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fclose(f);
    CU_ASSERT_EQUAL(chmod(path, 0777), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct auth_plugin *p = NULL;
        struct diag why = { 0 };

        CU_ASSERT_EQUAL(auth_plugin_load(&at, cases[i].name, &p, &why), PBSE_SYSTEM);
        CU_ASSERT_PTR_NULL(p);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cases[i].words));
    }
}

static void test_a_method_is_loaded_once(void)
{
    const struct auth_plugin_site at = site();
    const struct auth_plugin *again = NULL;
    struct diag why;

    install("toy", 0755);
    CU_ASSERT_EQUAL_FATAL(auth_plugin_load(&at, "toy", &toy, &why), 0);
    CU_ASSERT_EQUAL(auth_plugin_load(&at, "TOY", &again, &why), 0);
    CU_ASSERT_PTR_EQUAL(toy, again);
    CU_ASSERT(auth_plugin_encrypts(toy));
}

struct pair {
    struct auth_session *client, *server;
    enum auth_state c, s;
    char seen[256]; /* types of packets: client's as digits, server's in brackets */
};

static struct auth_session *begin(enum pbs_auth_role role, const char *host,
                                  const struct auth_plugin *method,
                                  const struct auth_plugin *encrypt)
{
    const struct auth_session_config cfg = {
        .role = role, .host = host, .method = method, .encrypt = encrypt
    };
    struct auth_session *s = NULL;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(auth_session_new(&cfg, &s, &why), 0);
    return s;
}

/* All packets of 'from' to the other end, and its answers in *back. */
static void carry(struct pair *p, struct auth_out *from, bool to_server,
                  struct auth_out *back)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct auth_packet *pkt = &from->v[i];
        enum auth_state *state = to_server ? &p->s : &p->c;

        sprintf(p->seen + strlen(p->seen), to_server ? "%u" : "[%u]", pkt->type);
        if (*state == AUTH_GOES_ON)
            *state = auth_session_packet(to_server ? p->server : p->client, pkt->type,
                                         pkt->data.data, pkt->data.len, back);
    }
    auth_out_fini(from);
}

static void shake(struct pair *p)
{
    struct auth_out a = { 0 }, b = { 0 };

    p->c = auth_session_start(p->client, &a);
    p->s = AUTH_GOES_ON;
    while (a.n > 0) {
        carry(p, &a, true, &b);
        carry(p, &b, false, &a);
    }
}

static void end(struct pair *p)
{
    auth_session_free(p->client);
    auth_session_free(p->server);
}

static void test_a_handshake_names_the_user(void)
{
    struct pair p = { begin(PBS_AUTH_ROLE_CLIENT, "ann", toy, NULL),
                      begin(PBS_AUTH_ROLE_SERVER, "far", toy, NULL), 0, 0, "" };
    struct auth_out more = { 0 };
    char user[8], small[3];

    CU_ASSERT_NOT_EQUAL(auth_session_user(p.server, user, sizeof(user)), 0);
    shake(&p);
    CU_ASSERT_EQUAL(p.c, AUTH_DONE);
    CU_ASSERT_EQUAL(p.s, AUTH_DONE);
    CU_ASSERT_STRING_EQUAL(p.seen, "1[1]1[3]");
    CU_ASSERT_EQUAL(auth_session_user(p.server, user, sizeof(user)), 0);
    CU_ASSERT_STRING_EQUAL(user, "ann");
    CU_ASSERT_NOT_EQUAL(auth_session_user(p.server, small, sizeof(small)), 0);
    CU_ASSERT_FALSE(auth_session_is_encrypted(p.client));
    CU_ASSERT_EQUAL(auth_session_packet(p.server, AUTH_TOKEN, "x", 1, &more),
                    AUTH_FAILED);
    CU_ASSERT_EQUAL(auth_session_packet(p.client, AUTH_OK, "", 1, &more), AUTH_FAILED);
    CU_ASSERT_EQUAL(more.n, 0); /* it is over: nothing more is taken or said */
    end(&p);
}

static void test_one_handshake_serves_both(void)
{
    struct pair p = { begin(PBS_AUTH_ROLE_CLIENT, "ann", toy, toy),
                      begin(PBS_AUTH_ROLE_SERVER, "far", toy, toy), 0, 0, "" };
    struct buf sealed = { 0 }, plain = { 0 };
    char user[8];

    shake(&p);
    CU_ASSERT_STRING_EQUAL(p.seen, "1[1]1[3]");
    CU_ASSERT_EQUAL(auth_session_user(p.server, user, sizeof(user)), 0);
    CU_ASSERT(auth_session_is_encrypted(p.client));
    CU_ASSERT(auth_session_seal(p.client, "hello", 5, &sealed));
    CU_ASSERT_NOT_EQUAL(memcmp(sealed.data, "hello", 5), 0);
    CU_ASSERT(auth_session_open(p.server, sealed.data, sealed.len, &plain));
    CU_ASSERT_STRING_EQUAL(plain.data, "hello");
    sealed.data[0] = '!';
    CU_ASSERT_FALSE(auth_session_open(p.server, sealed.data, sealed.len, &plain));
    CU_ASSERT_FALSE(auth_session_open(p.server, "#", 1, &plain)); /* nothing in it */
    buf_fini(&sealed);
    buf_fini(&plain);
    end(&p);
}

static void test_encryption_comes_first_and_hides_the_rest(void)
{
    struct auth_plugin other = *toy; /* another method, as far as a session sees */
    struct pair p = { begin(PBS_AUTH_ROLE_CLIENT, "ann", &other, toy),
                      begin(PBS_AUTH_ROLE_SERVER, "far", &other, toy), 0, 0, "" };
    struct auth_out out = { 0 };
    char user[8];

    shake(&p);
    CU_ASSERT_STRING_EQUAL(p.seen, "1[1]1[3]1[1]1[3]");
    CU_ASSERT_EQUAL(p.c, AUTH_DONE);
    CU_ASSERT_EQUAL(p.s, AUTH_DONE);
    CU_ASSERT_EQUAL(auth_session_user(p.server, user, sizeof(user)), 0);
    end(&p);

    /* the second token in the clear is not taken */
    p.server = begin(PBS_AUTH_ROLE_SERVER, "far", &other, toy);
    p.client = NULL;
    CU_ASSERT_EQUAL(auth_session_packet(p.server, AUTH_TOKEN, "x", 1, &out),
                    AUTH_GOES_ON);
    CU_ASSERT_EQUAL(auth_session_packet(p.server, AUTH_TOKEN, "because", 7, &out),
                    AUTH_GOES_ON);
    CU_ASSERT_EQUAL(auth_session_packet(p.server, AUTH_TOKEN, "ann", 3, &out),
                    AUTH_FAILED);
    auth_out_fini(&out);
    end(&p);
}

static void test_a_refusal_travels_with_its_words(void)
{
    static const struct {
        const char *client, *words;
    } cases[] = { { "liar", "you?lie" },
                  { "mute", "Unknown auth error" },
                  { "idle", "the method has nothing to say" },
                  { "windbag", "the method gave a token that is too long" } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct pair p = { begin(PBS_AUTH_ROLE_CLIENT, cases[i].client, toy, NULL),
                          begin(PBS_AUTH_ROLE_SERVER, "far", toy, NULL), 0, 0, "" };
        char user[8];

        shake(&p);
        CU_ASSERT_EQUAL(p.c, AUTH_FAILED);
        CU_ASSERT_EQUAL(p.s, AUTH_FAILED);
        CU_ASSERT_STRING_EQUAL(p.seen, "1[2]");
        CU_ASSERT_STRING_EQUAL(auth_session_error(p.client), cases[i].words);
        CU_ASSERT_STRING_EQUAL(auth_session_error(p.server), cases[i].words);
        CU_ASSERT_NOT_EQUAL(auth_session_user(p.server, user, sizeof(user)), 0);
        end(&p);
    }
}

static void test_packets_out_of_turn_end_it(void)
{
    static char large[AUTH_TOKEN_MAX_BYTES + 1];
    static const struct {
        enum pbs_auth_role role;
        uint8_t type;
        size_t len;
    } cases[] = {
        { PBS_AUTH_ROLE_SERVER, AUTH_OK, 1 },
        { PBS_AUTH_ROLE_SERVER, AUTH_ERROR, 1 },
        { PBS_AUTH_ROLE_SERVER, 0, 1 },
        { PBS_AUTH_ROLE_SERVER, 7, 1 },
        { PBS_AUTH_ROLE_SERVER, AUTH_TOKEN, sizeof(large) },
        { PBS_AUTH_ROLE_CLIENT, AUTH_OK, 1 }, /* too early */
        { PBS_AUTH_ROLE_CLIENT, 0, 1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct auth_session *s = begin(cases[i].role, "ann", toy, NULL);
        struct auth_out out = { 0 };

        if (cases[i].role == PBS_AUTH_ROLE_CLIENT)
            CU_ASSERT_EQUAL(auth_session_start(s, &out), AUTH_GOES_ON);
        auth_out_fini(&out);
        CU_ASSERT_EQUAL(
            auth_session_packet(s, cases[i].type, large, cases[i].len, &out),
            AUTH_FAILED);
        CU_ASSERT_EQUAL(out.n, 0); /* nothing is said to who is out of turn */
        auth_out_fini(&out);
        auth_session_free(s);
    }
}

/* A client says so before it says anything; a server finds out in its thread. */
static void test_a_method_may_have_no_context(void)
{
    struct auth_session_config cfg = { .role = PBS_AUTH_ROLE_CLIENT,
                                       .host = "no.context",
                                       .method = toy };
    struct auth_session *s = NULL;
    struct auth_out out = { 0 };
    struct diag why;

    CU_ASSERT_EQUAL(auth_session_new(&cfg, &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NULL(s);
    cfg.role = PBS_AUTH_ROLE_SERVER;
    CU_ASSERT_EQUAL_FATAL(auth_session_new(&cfg, &s, &why), 0);
    CU_ASSERT_EQUAL(auth_session_packet(s, AUTH_TOKEN, "ann", 3, &out), AUTH_FAILED);
    CU_ASSERT_STRING_EQUAL(auth_session_error(s), "the method gave no context");
    CU_ASSERT_EQUAL_FATAL(out.n, 1);
    CU_ASSERT_EQUAL(out.v[0].type, AUTH_ERROR);
    auth_out_fini(&out);
    auth_session_free(s);
}

static void test_a_client_always_says_something(void)
{
    struct auth_session *s = begin(PBS_AUTH_ROLE_CLIENT, "speechless", toy, NULL);
    struct auth_out out = { 0 };

    CU_ASSERT_EQUAL(auth_session_start(s, &out), AUTH_FAILED);
    CU_ASSERT_STRING_EQUAL(auth_session_error(s), "the method has nothing to say");
    CU_ASSERT_EQUAL(out.n, 0);
    auth_session_free(s);

    /* later it need not, when it is through with the other end */
    s = begin(PBS_AUTH_ROLE_CLIENT, "sulky", toy, NULL);
    CU_ASSERT_EQUAL(auth_session_start(s, &out), AUTH_GOES_ON);
    auth_out_fini(&out);
    CU_ASSERT_EQUAL(auth_session_packet(s, AUTH_TOKEN, "why", 3, &out), AUTH_GOES_ON);
    CU_ASSERT_EQUAL(out.n, 0);
    CU_ASSERT_EQUAL(auth_session_packet(s, AUTH_OK, "", 1, &out), AUTH_DONE);
    auth_session_free(s);
}

/* Whatever a method says: it goes into lists and log lines. */
static void test_a_name_is_one(void)
{
    static const char *const none[] = { " ",   "a b",  "a\n",   "a@b", "a,b",
                                        "a:b", "../a", "a\x7f", "\001" };
    char longest[AUTH_USER_MAX + 2];

    for (size_t i = 0; i < ARRAY_LEN(none); i++) {
        struct pair p = { begin(PBS_AUTH_ROLE_CLIENT, none[i], toy, NULL),
                          begin(PBS_AUTH_ROLE_SERVER, "far", toy, NULL), 0, 0, "" };
        char user[8];

        shake(&p);
        CU_ASSERT_EQUAL(p.s, AUTH_FAILED);
        CU_ASSERT_EQUAL(p.c, AUTH_FAILED);
        CU_ASSERT_STRING_EQUAL(p.seen, "1[1]1[2]"); /* it is not told OK before */
        CU_ASSERT_EQUAL(auth_session_user(p.server, user, sizeof(user)), PBSE_BADCRED);
        CU_ASSERT_STRING_EQUAL(auth_session_error(p.client),
                               "the method names no user");
        CU_ASSERT_FALSE(auth_user_is_name(none[i]));
        end(&p);
    }
    CU_ASSERT_FALSE(auth_user_is_name(""));
    CU_ASSERT_TRUE(auth_user_is_name("j.d-oe_9$"));
    CU_ASSERT_TRUE(auth_user_is_name("j\xc3\xb6rg"));
    memset(longest, 'x', sizeof(longest));
    longest[AUTH_USER_MAX + 1] = '\0';
    CU_ASSERT_FALSE(auth_user_is_name(longest));
    CU_ASSERT_TRUE(auth_user_is_name(longest + 1));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "names lead nowhere else", test_names_lead_nowhere_else },
        { "what cannot be loaded says why", test_what_cannot_be_loaded_says_why },
        { "a method is loaded once", test_a_method_is_loaded_once },
        { "a handshake names the user", test_a_handshake_names_the_user },
        { "one handshake serves both", test_one_handshake_serves_both },
        { "encryption comes first and hides the rest",
          test_encryption_comes_first_and_hides_the_rest },
        { "a refusal travels with its words", test_a_refusal_travels_with_its_words },
        { "packets out of turn end it", test_packets_out_of_turn_end_it },
        { "a method may have no context", test_a_method_may_have_no_context },
        { "a client always says something", test_a_client_always_says_something },
        { "a name is one", test_a_name_is_one },
    };
    char cmd[256];
    int rc;

    if (!mkdtemp(dir))
        return 2;
    snprintf(cmd, sizeof(cmd), "%s/lib", dir);
    if (mkdir(cmd, 0755))
        return 2;
    rc = unit_main("session", cases, ARRAY_LEN(cases));
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    return system(cmd) ? 2 : rc;
}
