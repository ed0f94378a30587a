/* clusterkey.h - the secret that all daemons of a cluster share.
 *
 * The key is a file (mode 0600) in PBS_HOME, made at the first start and copied to
 * other hosts by the administrator. Who knows it answers a challenge with a keyed hash
 * (HMAC-SHA256) over the challenge, its role and the addresses it joins with; the
 * handshake itself is in lib/tpp.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_CLUSTERKEY_H
#define LIB_AUTH_CLUSTERKEY_H

#include "lib/base/diag.h"

#define CLUSTERKEY_METHOD "clusterkey" /* in PBS_AUTH_METHOD and AUTH_CTX */
#define CLUSTERKEY_BYTES  32           /* of a key, a hash and a nonce */

struct clusterkey {
    uint8_t key[CLUSTERKEY_BYTES];
};

/* Read the key file: 64 hexadecimal digits and a newline. When 'create' and there is
 * none, make one with a random key; of several daemons that start at the same time all
 * get the same one. PBSE_BADCRED with words for a file that must not be trusted: a
 * symbolic link, not a regular file, owned by neither this uid nor root, any right for
 * group or others, or other contents. PBSE_SYSTEM when it cannot be read or made. */
int clusterkey_load(const char *path, bool create, struct clusterkey *ret,
                    struct diag *why) MUST_CHECK;

/* Forget the key: its memory is overwritten. */
void clusterkey_clear(struct clusterkey *k);

/* HMAC-SHA256 over role, a NUL byte and data. */
void clusterkey_mac(const struct clusterkey *k, const char *role, const void *data,
                    size_t len, uint8_t ret[CLUSTERKEY_BYTES]);

/* Fresh random bytes from the system; stops the program when there are none. */
void auth_nonce(uint8_t ret[CLUSTERKEY_BYTES]);

#endif
