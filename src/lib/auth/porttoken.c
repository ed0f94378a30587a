/* porttoken.c - see porttoken.h: "<salt>;<cipher>" and a NUL, and within the cipher
 * "<salt>;<seconds>;<port>" and a NUL, AES-256-CBC with a key and a start of zeros.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/porttoken.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SALT_BYTES  15
#define BLOCK_BYTES 16

/* The salt is 15 bytes without NUL or semicolon, and a semicolon ends it. */
static bool is_salt(const char *data)
{
    for (size_t i = 0; i < SALT_BYTES; i++)
        if (data[i] == '\0' || data[i] == ';')
            return false;
    return data[SALT_BYTES] == ';';
}

/* Decrypt to a text with its NUL. False when the bytes are no such cipher, or when the
 * text ends before they do. */
static bool decrypt(const char *cipher, size_t len, char text[PORT_TOKEN_MAX_BYTES])
{
    static const uint8_t zeros[32];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t plain[PORT_TOKEN_MAX_BYTES + BLOCK_BYTES];
    int n = 0, last = 0;
    bool ok;

    MUST(len <= PORT_TOKEN_MAX_BYTES); /* 'plain' takes it with a block to spare */
    ok = ctx && EVP_DecryptInit_ex2(ctx, EVP_aes_256_cbc(), zeros, zeros, NULL) == 1 &&
         EVP_DecryptUpdate(ctx, plain, &n, (const uint8_t *)cipher, (int)len) == 1 &&
         EVP_DecryptFinal_ex(ctx, plain + n, &last) == 1;
    EVP_CIPHER_CTX_free(ctx);
    if (!ok || n + last <= 0 || n + last > PORT_TOKEN_MAX_BYTES ||
        memchr(plain, '\0', (size_t)(n + last)) != plain + n + last - 1)
        return false;
    memcpy(text, plain, (size_t)(n + last));
    return true;
}

/* True when the text names the salt that was sent in the clear, this port, and a
 * time that is not too far from now. */
static bool says(const char *text, const char *salt, unsigned port, int64_t now_at)
{
    char want[16];
    long long at;
    char *end;

    if (strlen(text) < SALT_BYTES + 1 || memcmp(text, salt, SALT_BYTES + 1) != 0)
        return false;
    text += SALT_BYTES + 1;
    if (*text < '0' || *text > '9')
        return false;
    at = strtoll(text, &end, 10);
    snprintf(want, sizeof(want), ";%u", port);
    return at >= now_at - PORT_TOKEN_AGE_S && at <= now_at + PORT_TOKEN_AGE_S &&
           strcmp(end, want) == 0;
}

int port_token_check(const char *data, size_t len, unsigned port, int64_t now_at,
                     struct diag *why)
{
    const size_t head = SALT_BYTES + 1;
    char text[PORT_TOKEN_MAX_BYTES];

    if (len < head + BLOCK_BYTES + 1 || len > PORT_TOKEN_MAX_BYTES || !is_salt(data) ||
        data[len - 1] != '\0')
        return diag_set(why, PBSE_BADCRED, "failed to receive auth token");
    if ((len - head - 1) % BLOCK_BYTES != 0 ||
        !decrypt(data + head, len - head - 1, text))
        return diag_set(why, PBSE_BADCRED, "Failed to decrypt auth data");
    if (!says(text, data, port, now_at))
        return diag_set(why, PBSE_BADCRED, "received incorrect auth token");
    return 0;
}
