/* Unit tests of the token that a server shows on a MoM's service port.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/porttoken.h"

#include "../unit.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#define SALT   "abcdefghijklmno"
#define NOW_AT 1795247445

/* 'inner' with its NUL, encrypted as servers do it, behind 'salt'. */
static size_t make(const char *salt, const char *inner, char out[PORT_TOKEN_MAX_BYTES])
{
    static const uint8_t zeros[32];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    size_t head = strlen(salt) + 1;
    int n = 0, last = 0;

    memcpy(out, salt, head - 1);
    out[head - 1] = ';';
    CU_ASSERT_EQUAL_FATAL(
        EVP_EncryptInit_ex2(ctx, EVP_aes_256_cbc(), zeros, zeros, NULL), 1);
    EVP_EncryptUpdate(ctx, (uint8_t *)out + head, &n, (const uint8_t *)inner,
                      (int)strlen(inner) + 1);
    EVP_EncryptFinal_ex(ctx, (uint8_t *)out + head + n, &last);
    EVP_CIPHER_CTX_free(ctx);
    out[head + (size_t)(n + last)] = '\0';
    return head + (size_t)(n + last) + 1;
}

static const struct {
    const char *story, *salt, *inner, *words; /* words NULL: fine */
} rows[] = {
    { "as it should be", SALT, SALT ";1795247445;1021", NULL },
    { "at the limit of its age", SALT, SALT ";1795247145;1021", NULL },
    { "too old", SALT, SALT ";1795247144;1021", "received incorrect auth token" },
    { "from a clock that is ahead", SALT, SALT ";1795247745;1021", NULL },
    { "too far ahead", SALT, SALT ";1795247746;1021", "received incorrect auth token" },
    { "of another port", SALT, SALT ";1795247445;1022",
      "received incorrect auth token" },
    { "port with more", SALT, SALT ";1795247445;10210",
      "received incorrect auth token" },
    { "no time", SALT, SALT ";;1021", "received incorrect auth token" },
    { "a negative time", SALT, SALT ";-1;1021", "received incorrect auth token" },
    { "a time beyond numbers", SALT, SALT ";99999999999999999999;1021",
      "received incorrect auth token" },
    { "another salt within", SALT, "bbcdefghijklmno;1795247445;1021",
      "received incorrect auth token" },
    { "nothing within", SALT, "", "received incorrect auth token" },
    { "a short salt", "abc", "abc;1795247445;1021", "failed to receive auth token" },
    { "a separator in the salt", "abcdefg;ijklmno", "abcdefg;ijklmno;1795247445;1021",
      "failed to receive auth token" },
};

static void test_tokens_are_judged(void)
{
    char token[PORT_TOKEN_MAX_BYTES];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t len = make(rows[i].salt, rows[i].inner, token);
        struct diag why = { 0 };
        int err = port_token_check(token, len, 1021, NOW_AT, &why);

        CU_ASSERT_EQUAL(err, rows[i].words ? PBSE_BADCRED : 0);
        CU_ASSERT_STRING_EQUAL(why.text, rows[i].words ? rows[i].words : "");
    }
}

/* Cut anywhere, or with any byte of it changed, it is refused. */
static void test_damaged_tokens_are_refused(void)
{
    char token[PORT_TOKEN_MAX_BYTES];
    size_t len = make(SALT, SALT ";1795247445;1021", token);
    struct diag why;

    for (size_t cut = 0; cut < len; cut++)
        CU_ASSERT_EQUAL(port_token_check(token, cut, 1021, NOW_AT, &why), PBSE_BADCRED);
    for (size_t i = 0; i < len; i++) {
        token[i] ^= 0x55;
        CU_ASSERT_EQUAL(port_token_check(token, len, 1021, NOW_AT, &why), PBSE_BADCRED);
        token[i] ^= 0x55;
    }
    CU_ASSERT_EQUAL(port_token_check(token, len, 1021, NOW_AT, &why), 0);
}

static const struct unit_case cases[] = {
    { "tokens are judged", test_tokens_are_judged },
    { "damaged tokens are refused", test_damaged_tokens_are_refused },
};

int main(void)
{
    return unit_main("auth/porttoken", cases, ARRAY_LEN(cases));
}
