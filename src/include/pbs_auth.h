/* pbs_auth.h - what a plug-in for authentication or encryption has to provide.
 *
 * A method NAME is a shared object PBS_EXEC/lib/libauth_NAME.so with the functions
 * below. The client library loads it when PBS_AUTH_METHOD or PBS_ENCRYPT_METHOD names
 * it, a daemon when its settings allow it; nothing else is ever loaded.
 *
 * Contexts are one connection's. Functions are called by several threads, but never by
 * two at a time with the same context. Only pbs_auth_create_ctx(), _get_userinfo() and
 * _process_handshake_data() may take time (a daemon gives a handshake 30 seconds and a
 * method four at once); the others must not wait for anything. Memory that goes out
 * through a 'void **' or 'char **' is malloc'd and freed by the caller. 0 means
 * success.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PBS_AUTH_H
#define PBS_AUTH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whose end of the connection a context is for. */
enum pbs_auth_role {
    PBS_AUTH_ROLE_UNKNOWN = 0,
    PBS_AUTH_ROLE_CLIENT = 1, /* begins the handshake */
    PBS_AUTH_ROLE_SERVER = 2,
    PBS_AUTH_ROLE_INTERACTIVE = 3, /* the server's part on a socket of qsub -I */
};

enum pbs_auth_connection {
    PBS_AUTH_CONN_USER = 0,
    PBS_AUTH_CONN_SERVICE = 1, /* between daemons: the peer must be one */
};

/* Lives as long as the process. logfunc may be NULL; its numbers are the event bits,
 * the object class and the syslog severity of a log line. */
struct pbs_auth_config {
    char *pbs_home_path;
    char *pbs_exec_path;
    char *auth_method;
    char *encrypt_method;
    void (*logfunc)(int type, int objclass, int severity, const char *objname,
                    const char *text);
};

/* Required. Called once, before all others. 'config' stays as it is for as long as the
 * process lives; what is in it may be kept and not changed. */
void pbs_auth_set_config(const struct pbs_auth_config *config);

/* Required. A context for a connection whose other end is at 'hostname': 'role' is of
 * enum pbs_auth_role, 'conn_type' of enum pbs_auth_connection. On failure *ctx is not
 * looked at. */
int pbs_auth_create_ctx(void **ctx, int role, int conn_type, const char *hostname);
/* Required. The connection has ended; 'ctx' is one that was made, and is not used any
 * more. */
void pbs_auth_destroy_ctx(void *ctx);

/* Required. After the handshake: who is at the other end. 'user' is an account's name:
 * no blanks, no control characters, none of "@,:/". 'realm' is not looked at. */
int pbs_auth_get_userinfo(void *ctx, char **user, char **host, char **realm);

/* Required. Takes the other end's token (NULL and 0 at the start, client only), gives
 * the next one to be sent, and sets *done when this end needs nothing more. No token is
 * to be given only by an end that is done, and a client always gives the first. A token
 * has at most 64 KiB. On failure *out may be a text for people, which the other end is
 * shown too. */
int pbs_auth_process_handshake_data(void *ctx, void *in, size_t inlen, void **out,
                                    size_t *outlen, int *done);

/* Both or neither: a method with them can be named as PBS_ENCRYPT_METHOD. One call is
 * one packet of 'inlen' bytes; what one end encrypts the other gets whole and in order.
 * A failure ends the connection. */
int pbs_auth_encrypt_data(void *ctx, void *in, size_t inlen, void **out,
                          size_t *outlen);
int pbs_auth_decrypt_data(void *ctx, void *in, size_t inlen, void **out,
                          size_t *outlen);

#ifdef __cplusplus
}
#endif
#endif
