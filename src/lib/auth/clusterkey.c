/* clusterkey.c - reading and making the key file, and the keyed hash.
 *
 * The file is made under a temporary name and linked into place: link() refuses to
 * replace an existing file, so daemons that start together agree on one key, and a
 * reader never sees half of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/clusterkey.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEX_BYTES (2 * CLUSTERKEY_BYTES)

/* Random bytes never run out on Linux once the system is up; a daemon without them
 * stops. */
void auth_nonce(uint8_t ret[CLUSTERKEY_BYTES])
{
    ssize_t got;

    do {
        got = getrandom(ret, CLUSTERKEY_BYTES, 0);
    } while (got < 0 && errno == EINTR);
    if (got != CLUSTERKEY_BYTES)
        abort();
}

void clusterkey_clear(struct clusterkey *k)
{
    OPENSSL_cleanse(k, sizeof(*k));
}

void clusterkey_mac(const struct clusterkey *k, const char *role, const void *data,
                    size_t len, uint8_t ret[CLUSTERKEY_BYTES])
{
    char sha256[] = "SHA256";
    OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", sha256, 0),
                            OSSL_PARAM_construct_end() };
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
    size_t made = 0;

    MUST(role && *role && (data || len == 0));
    /* None of this depends on outside input: a failure is a broken OpenSSL or no
     * memory, and a hash that was not made must never be used. */
    if (!ctx || !EVP_MAC_init(ctx, k->key, sizeof(k->key), params) ||
        !EVP_MAC_update(ctx, (const unsigned char *)role, strlen(role) + 1) ||
        !EVP_MAC_update(ctx, data, len) ||
        !EVP_MAC_final(ctx, ret, &made, CLUSTERKEY_BYTES) || made != CLUSTERKEY_BYTES)
        abort();
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* The file is exactly the key in hexadecimal digits and an end of line. */
static bool key_parse(const char *text, size_t len, struct clusterkey *ret)
{
    if (len != HEX_BYTES + 1 || text[HEX_BYTES] != '\n')
        return false;
    for (size_t i = 0; i < CLUSTERKEY_BYTES; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        ret->key[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Refuse a key that somebody else could have written or can read. */
static int key_check_file(int fd, const char *path, struct diag *why)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return diag_set(why, PBSE_BADCRED, "%s: not a regular file", path);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return diag_set(why, PBSE_BADCRED, "%s: owned by uid %lu", path,
                        (unsigned long)st.st_uid);
    if (st.st_mode & 077)
        return diag_set(why, PBSE_BADCRED,
                        "%s: mode %04o lets others read or write the key", path,
                        (unsigned)(st.st_mode & 07777));
    return 0;
}

static int key_read(int fd, const char *path, struct clusterkey *ret, struct diag *why)
{
    char text[HEX_BYTES + 2];
    ssize_t len;
    int err = key_check_file(fd, path, why);

    if (err)
        return err;
    len = read(fd, text, sizeof(text));
    if (len < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    if (!key_parse(text, (size_t)len, ret))
        err = diag_set(why, PBSE_BADCRED, "%s: not a cluster key", path);
    OPENSSL_cleanse(text, sizeof(text));
    return err;
}

/* Write a random key to 'fd', whole and on disk before it gets its name. */
static bool key_write(int fd)
{
    char text[HEX_BYTES + 2];
    uint8_t key[CLUSTERKEY_BYTES];
    bool ok;

    auth_nonce(key);
    for (size_t i = 0; i < CLUSTERKEY_BYTES; i++)
        snprintf(text + 2 * i, 4, "%02x\n", key[i]);
    ok = write(fd, text, HEX_BYTES + 1) == HEX_BYTES + 1 && fsync(fd) == 0;
    OPENSSL_cleanse(text, sizeof(text));
    OPENSSL_cleanse(key, sizeof(key));
    return ok;
}

/* Make the key file. Another daemon may be faster; its key counts then. */
static int key_make(const char *path, struct diag *why)
{
    char temp[4096];
    int fd, err = 0;

    if (snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= (int)sizeof(temp))
        return diag_set(why, PBSE_SYSTEM, "%.100s...: name too long", path);
    fd = mkostemp(temp, O_CLOEXEC); /* mode 0600 */
    if (fd < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", temp, strerror(errno));
    if (!key_write(fd) || (link(temp, path) < 0 && errno != EEXIST))
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    close(fd);
    unlink(temp);
    return err;
}

int clusterkey_load(const char *path, bool create, struct clusterkey *ret,
                    struct diag *why)
{
    struct clusterkey key;
    int err, fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT && create) {
        err = key_make(path, why);
        if (err)
            return err;
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    }
    if (fd < 0 && errno == ELOOP)
        return diag_set(why, PBSE_BADCRED, "%s: a symbolic link", path);
    if (fd < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    err = key_read(fd, path, &key, why);
    close(fd);
    if (!err)
        *ret = key;
    clusterkey_clear(&key);
    return err;
}
