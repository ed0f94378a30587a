/* Unit tests of lib/auth: peers of local sockets, the cluster key and its hash.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/auth.h"
#include "lib/auth/clusterkey.h"
#include "lib/auth/resvport.h"

#include "../unit.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_CAPITALS                                                                   \
    "000102030405060708090A0B0C0D0E0F101112131415161718191a1b1c1d1e1f\n"
#define KEY_A "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"

#define EXPECT_MAC                                                                     \
    "\x93\xc4\x3e\x60\x7c\x24\x0e\x94\xdd\xbb\xd6\xec\x58\x2d\x53\x63"                 \
    "\xe6\xcd\x0b\x0e\x84\xd2\xd0\xb2\x20\xf5\x4c\x7b\x71\xaa\xe1\x52"

static char dir[] = "/tmp/hf-auth-XXXXXX";
static char path[64];

/* What is said of an account besides its name, as a name service may say it. */
#define LONG_UID   4242425
#define LONG_ENTRY 100000

/* Stands in for the C library's: one account more, whose entry is long. */
int getpwuid_r(uid_t uid, struct passwd *pw, char *room, size_t size,
               struct passwd **ret)
{
    struct passwd *known;

    *ret = NULL;
    if (uid == LONG_UID && size < LONG_ENTRY)
        return ERANGE;
    if (uid == LONG_UID)
        *pw = (struct passwd){ .pw_name = memcpy(room, "ann", sizeof("ann")),
                               .pw_uid = uid };
    else if ((known = getpwuid(uid)))
        *pw = *known;
    else
        return 0;
    *ret = pw;
    return 0;
}

static void file_put(const char *text, mode_t mode)
{
    FILE *f;

    unlink(path);
    f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
    CU_ASSERT_EQUAL(chmod(path, mode), 0);
}

static void test_local_peer_is_this_user(void)
{
    struct passwd *pw = getpwuid(geteuid());
    char name[AUTH_USER_MAX + 1];
    struct auth_peer peer;
    struct diag why;
    int sv[2];

    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sv), 0);
    CU_ASSERT_EQUAL(auth_peer(sv[0], &peer, &why), 0);
    CU_ASSERT_EQUAL(peer.uid, geteuid());
    CU_ASSERT_EQUAL(peer.pid, getpid());
    CU_ASSERT_PTR_NOT_NULL_FATAL(pw);
    CU_ASSERT_EQUAL(auth_user_name(peer.uid, name, sizeof(name), &why), 0);
    CU_ASSERT_STRING_EQUAL(name, pw->pw_name);
    close(sv[0]);
    close(sv[1]);
}

static void test_other_descriptors_have_no_peer(void)
{
    struct auth_peer peer = { .uid = 4711 };
    struct diag why;
    int tcp = socket(AF_INET, SOCK_STREAM, 0), null = open("/dev/null", O_RDONLY);

    CU_ASSERT_EQUAL(auth_peer(tcp, &peer, &why), PBSE_BADCRED);
    CU_ASSERT_EQUAL(auth_peer(null, &peer, &why), PBSE_BADCRED);
    CU_ASSERT_EQUAL(peer.uid, 4711);
    close(tcp);
    close(null);
}

static void test_unknown_uid_has_no_name(void)
{
    char name[AUTH_USER_MAX + 1] = "kept";
    struct diag why;

    CU_ASSERT_EQUAL(auth_user_name(4242424, name, sizeof(name), &why), PBSE_BADUSER);
    CU_ASSERT_STRING_EQUAL(name, "kept");
    CU_ASSERT_STRING_EQUAL(why.text, "uid 4242424 has no account");
    CU_ASSERT_EQUAL(auth_user_name(0, name, sizeof(name), &why), 0);
    CU_ASSERT_STRING_EQUAL(name, "root");
    CU_ASSERT_EQUAL(auth_user_name(0, name, 4, &why), PBSE_BADUSER);
}

static void test_entry_of_an_account_may_be_long(void)
{
    char name[AUTH_USER_MAX + 1];
    struct diag why;

    CU_ASSERT_EQUAL(auth_user_name(LONG_UID, name, sizeof(name), &why), 0);
    CU_ASSERT_STRING_EQUAL(name, "ann");
}

static void test_key_is_made_once_and_private(void)
{
    struct clusterkey first, second;
    struct stat st;
    struct diag why;

    unlink(path);
    CU_ASSERT_EQUAL(clusterkey_load(path, false, &first, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(clusterkey_load(path, true, &first, &why), 0);
    CU_ASSERT_EQUAL(stat(path, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
    CU_ASSERT_EQUAL(st.st_nlink, 1);
    CU_ASSERT_EQUAL(clusterkey_load(path, true, &second, &why), 0);
    CU_ASSERT_EQUAL(memcmp(&first, &second, sizeof(first)), 0);
    unlink(path);
    CU_ASSERT_EQUAL(clusterkey_load(path, true, &second, &why), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(&first, &second, sizeof(first)), 0);
}

static void test_key_file_that_others_touch_is_refused(void)
{
    static const struct {
        const char *story, *text;
        mode_t mode;
        int expect;
    } cases[] = {
        { "as it should be", KEY_A, 0600, 0 },
        { "read-only for its owner", KEY_A, 0400, 0 },
        { "readable for the group", KEY_A, 0640, PBSE_BADCRED },
        { "writable for others", KEY_A, 0602, PBSE_BADCRED },
        { "empty", "", 0600, PBSE_BADCRED },
        { "one digit short", &KEY_A[1], 0600, PBSE_BADCRED },
        { "more behind it", KEY_A "x", 0600, PBSE_BADCRED },
        { "capitals", KEY_CAPITALS, 0600, PBSE_BADCRED },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct clusterkey key = { { 99 } };
        struct diag why;
        int err;

        file_put(cases[i].text, cases[i].mode);
        err = clusterkey_load(path, true, &key, &why);
        if (err != cases[i].expect)
            fprintf(stderr, "%s: got %d\n", cases[i].story, err);
        CU_ASSERT_EQUAL(err, cases[i].expect);
        CU_ASSERT_EQUAL(key.key[0], err ? 99 : 0);
    }
}

static void test_key_is_no_link_and_ours(void)
{
    char target[80];
    struct clusterkey key;
    struct diag why;

    file_put(KEY_A, 0600);
    snprintf(target, sizeof(target), "%s/real", dir);
    CU_ASSERT_EQUAL(rename(path, target), 0);
    CU_ASSERT_EQUAL(symlink(target, path), 0);
    CU_ASSERT_EQUAL(clusterkey_load(path, true, &key, &why), PBSE_BADCRED);
    unlink(path);
    CU_ASSERT_EQUAL(clusterkey_load(dir, true, &key, &why), PBSE_BADCRED);
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL(chown(target, 65534, 65534), 0);
        CU_ASSERT_EQUAL(clusterkey_load(target, true, &key, &why), PBSE_BADCRED);
    }
    unlink(target);
}

/* HMAC-SHA256 of "mom\0" "what do ya want for nothing?" with key 00 01 .. 1f. */
static void test_hash_depends_on_all_it_covers(void)
{
    static const char data[] = "what do ya want for nothing?";
    struct clusterkey key, other;
    uint8_t mac[CLUSTERKEY_BYTES], again[CLUSTERKEY_BYTES];

    for (uint8_t i = 0; i < CLUSTERKEY_BYTES; i++)
        key.key[i] = i;
    clusterkey_mac(&key, "mom", data, strlen(data), mac);
    clusterkey_mac(&key, "mom", data, strlen(data), again);
    CU_ASSERT_EQUAL(memcmp(mac, again, CLUSTERKEY_BYTES), 0);
    CU_ASSERT_EQUAL(memcmp(mac, EXPECT_MAC, CLUSTERKEY_BYTES), 0);
    clusterkey_mac(&key, "comm", data, strlen(data), again);
    CU_ASSERT_NOT_EQUAL(memcmp(mac, again, CLUSTERKEY_BYTES), 0);
    clusterkey_mac(&key, "mom", data, strlen(data) - 1, again);
    CU_ASSERT_NOT_EQUAL(memcmp(mac, again, CLUSTERKEY_BYTES), 0);
    other = key;
    other.key[31] ^= 0x80;
    clusterkey_mac(&other, "mom", data, strlen(data), again);
    CU_ASSERT_NOT_EQUAL(memcmp(mac, again, CLUSTERKEY_BYTES), 0);
    clusterkey_clear(&key);
    CU_ASSERT_EQUAL(key.key[31], 0);
}

static void test_nonces_differ(void)
{
    uint8_t a[CLUSTERKEY_BYTES], b[CLUSTERKEY_BYTES];

    auth_nonce(a);
    auth_nonce(b);
    CU_ASSERT_NOT_EQUAL(memcmp(a, b, sizeof(a)), 0);
}

static void test_who_may_vouch_for_whom(void)
{
    static char longest[AUTH_USER_MAX + 1], too_long[AUTH_USER_MAX + 2];
    static const struct {
        struct resvport_vouch v;
        int code;
        const char *why;
    } cases[] = {
        { { true, "resvport", false, 1023, true, "ann", "" }, 0, "" },
        { { true, "ResvPort", false, 1, true, "ann", "" }, 0, "" },
        { { true, "resvport", false, 700, true, "ann", "ann" }, 0, "" },
        { { true, "resvport", false, 700, true, longest, "" }, 0, "" },
        { { false, "resvport", false, 700, true, "ann", "" }, PBSE_NOSUP, "resvport" },
        { { true, "munge", false, 700, true, "ann", "" }, PBSE_NOSUP, "munge" },
        { { true, "", false, 700, true, "ann", "" }, PBSE_NOSUP, "method" },
        { { true, "resvport", true, 700, true, "ann", "" }, 0, "" },
        { { true, "resvport", true, 700, true, "ann", "ann" }, PBSE_BADCRED, "in use" },
        { { true, "resvport", false, 1024, true, "ann", "" }, PBSE_BADCRED, "port" },
        { { true, "resvport", false, 0, true, "ann", "" }, PBSE_BADCRED, "port" },
        { { true, "resvport", false, 700, false, "ann", "" }, PBSE_BADCRED, "TRUSTED" },
        { { true, "resvport", false, 700, true, "", "" }, PBSE_BADCRED, "name" },
        { { true, "resvport", false, 700, true, too_long, "" }, PBSE_BADCRED, "name" },
        { { true, "resvport", false, 700, true, "ann", NULL },
          PBSE_BADCRED,
          "no such" },
        { { true, "resvport", false, 700, true, "ann", "", "another" },
          PBSE_BADCRED,
          "another" },
        /* it is not said whose a socket is to who may not vouch at all */
        { { true, "resvport", false, 700, false, "ann", "", "another" },
          PBSE_BADCRED,
          "TRUSTED" },
        { { true, "resvport", false, 700, true, "ann", "bob" }, PBSE_BADCRED, "bob" },
        { { true, "resvport", false, 700, true, "ann", "Ann" }, PBSE_BADCRED, "Ann" },
        /* the method is looked at first */
        { { false, "resvport", false, 1024, false, "", NULL }, PBSE_NOSUP, "method" },
    };

    memset(longest, 'x', sizeof(longest) - 1);
    memset(too_long, 'x', sizeof(too_long) - 1);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct diag why = { 0 };

        CU_ASSERT_EQUAL(resvport_check(&cases[i].v, &why), cases[i].code);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cases[i].why));
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a local peer is this user", test_local_peer_is_this_user },
        { "other descriptors have no peer", test_other_descriptors_have_no_peer },
        { "an unknown uid has no name", test_unknown_uid_has_no_name },
        { "the entry of an account may be long", test_entry_of_an_account_may_be_long },
        { "a key is made once and private", test_key_is_made_once_and_private },
        { "a key file that others touch is refused",
          test_key_file_that_others_touch_is_refused },
        { "a key is no link and ours", test_key_is_no_link_and_ours },
        { "the hash depends on all it covers", test_hash_depends_on_all_it_covers },
        { "nonces differ", test_nonces_differ },
        { "who may vouch for whom", test_who_may_vouch_for_whom },
    };
    int rc;

    if (!mkdtemp(dir))
        return 2;
    snprintf(path, sizeof(path), "%s/cluster.key", dir);
    rc = unit_main("auth", cases, sizeof(cases) / sizeof(cases[0]));
    unlink(path);
    rmdir(dir);
    return rc;
}
