/* session.h - the token handshakes of one connection, and its encryption
 * (wire.md 4.4; how the steps are carried is the owner's business).
 *
 * The encryption method's handshake comes first, then that of authentication; one
 * serves both when they are the same method. Once there is encryption every payload is
 * encrypted, tokens too. No function here blocks by itself, but a method may (munge
 * asks its daemon, names are looked up): a daemon calls auth_session_packet() in a
 * thread, where the contexts of its end are made as well.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_SESSION_H
#define LIB_AUTH_SESSION_H

#include "lib/auth/plugin.h"
#include "lib/base/buf.h"

#define AUTH_TOKEN_MAX_BYTES (64u << 10) /* of one token, either way */

/* Types of the packets of a handshake. */
enum auth_packet_type {
    AUTH_TOKEN = 1,
    AUTH_ERROR = 2, /* a text; the server closes */
    AUTH_OK = 3,    /* one NUL byte */
};

struct auth_packet {
    uint8_t type;
    struct buf data;
};

struct auth_out { /* what a step leads to, in order */
    size_t n;
    struct auth_packet v[4];
};
/* Free the data of all packets; a zeroed struct is fine. */
void auth_out_fini(struct auth_out *out);

enum auth_state {
    AUTH_GOES_ON,
    AUTH_DONE,
    AUTH_FAILED, /* after 'out' has been sent the connection ends */
};

struct auth_session;

struct auth_session_config {
    enum pbs_auth_role role;
    bool service;                      /* between daemons */
    const char *host;                  /* the other end */
    const struct auth_plugin *method;  /* NULL: nobody is authenticated here */
    const struct auth_plugin *encrypt; /* NULL: in the clear */
};

/* PBSE_SYSTEM when a method makes no context at the client's end. One of the two
 * methods is given. */
int auth_session_new(const struct auth_session_config *cfg, struct auth_session **ret,
                     struct diag *why) MUST_CHECK;
void auth_session_free(struct auth_session *s);

/* Client: the first step. */
enum auth_state auth_session_start(struct auth_session *s,
                                   struct auth_out *out) MUST_CHECK;
/* A packet of the other end's. */
enum auth_state auth_session_packet(struct auth_session *s, uint8_t type,
                                    const void *data, size_t len,
                                    struct auth_out *out) MUST_CHECK;

/* Why it failed; never NULL, one line. */
const char *auth_session_error(const struct auth_session *s);

/* Server, after AUTH_DONE with a method: whom it says the other end is. PBSE_BADCRED
 * when that is more than size - 1 characters. */
int auth_session_user(struct auth_session *s, char *user, size_t size) MUST_CHECK;

/* Payloads out and in, after the encryption handshake. False: the connection is of no
 * use any more. Appended to 'out'. */
bool auth_session_is_encrypted(const struct auth_session *s);
bool auth_session_seal(struct auth_session *s, const void *data, size_t len,
                       struct buf *out) MUST_CHECK;
bool auth_session_open(struct auth_session *s, const void *data, size_t len,
                       struct buf *out) MUST_CHECK;

#endif
