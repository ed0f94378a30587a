/* auth.h - who is at the other end: Unix-socket peers and the cluster key.
 *
 * The cluster key is a file (mode 0600) that every daemon of a cluster can read. Who
 * knows it makes a token: a keyed hash over a fresh nonce, the time, the role it wants
 * and the two ends of the connection. One token, one connection: the acceptor accepts
 * each only once and only for a short time. The token has the shape of the token
 * handshake of wire.md 4.4 and of AUTH_CTX in tpp.md 2.3: one text, one round.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_AUTH_H
#define LIB_AUTH_AUTH_H

#include "lib/base/buf.h"
#include "lib/base/diag.h"

#include <netinet/in.h>
#include <sys/types.h>

#define AUTH_CLUSTERKEY "clusterkey" /* method name, in PBS_AUTH_METHOD and AUTH_CTX   \
                                      */

/* Peer of a Unix socket, as the kernel knows it. PBSE_BADCRED when it cannot be told
 * or the uid has no account. */
struct auth_peer {
    uid_t uid;
    pid_t pid;
    char user[257];
};
int auth_peer(int fd, struct auth_peer *ret, struct diag *why) MUST_CHECK;

/* Account name of a uid; PBSE_BADUSER when there is none. */
int auth_user_name(uid_t uid, char *name, size_t size, struct diag *why) MUST_CHECK;

#define AUTH_KEY_BYTES 32

struct auth_key {
    unsigned char bytes[AUTH_KEY_BYTES];
};

/* Read the key file; when 'create' and it is missing, make one with a random key.
 * Refused (PBSE_BADCRED, with words): not a regular file, a symbolic link, owner
 * neither this uid nor root, any right for group or others, wrong size or text. */
int auth_key_load(const char *path, bool create, struct auth_key *ret,
                  struct diag *why) MUST_CHECK;
void auth_key_clear(struct auth_key *key);

/* What a token claims; both ends fill it in alike. */
struct auth_claim {
    const char *role;        /* "server", "mom", "sched", "comm": letters only */
    struct sockaddr_in from; /* the initiator's end of the connection */
    struct sockaddr_in to;   /* the acceptor's */
};

#define AUTH_TOKEN_MAX_BYTES 256
#define AUTH_TOKEN_AGE_S     60

/* Fill both addresses from a connected TCP socket; 'initiator': this end connected. */
int auth_claim_addresses(int fd, bool initiator, struct auth_claim *ret,
                         struct diag *why) MUST_CHECK;

/* Write a token (NUL-terminated text, without ending NUL in *ret_len) for the claim. */
int auth_token_make(const struct auth_key *key, const struct auth_claim *claim,
                    int64_t now_at, char ret[AUTH_TOKEN_MAX_BYTES], size_t *ret_len,
                    struct diag *why) MUST_CHECK;

/* Tokens seen within AUTH_TOKEN_AGE_S. */
struct auth_seen;
struct auth_seen *auth_seen_new(void);
void auth_seen_free(struct auth_seen *seen);

/* 0 when the token is fresh, was never seen and was made with the same key for the
 * addresses of 'claim'; its role goes to 'role'. claim->role NULL: any role. An ending
 * NUL byte is accepted. PBSE_BADCRED with words for the log otherwise (the peer is told
 * no reason). Comparison takes the same time for every wrong token. */
int auth_token_check(const struct auth_key *key, struct auth_seen *seen,
                     const struct auth_claim *claim, int64_t now_at, const char *token,
                     size_t len, char role[16], struct diag *why) MUST_CHECK;

#endif
