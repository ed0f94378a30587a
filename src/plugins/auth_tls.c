/* auth_tls.c - the encryption method "tls": TLS 1.3 through memory BIOs, certificates
 * of the cluster's own authority (doc/authentication.md).
 *
 * Tokens of the handshake are TLS flights, afterwards one packet's payload is the TLS
 * records of one message. The client checks the certificate's chain and that it is for
 * the host it connected to; between daemons both ends show a certificate. Files are
 * read again when they have changed, so a renewed certificate needs no restart.
 *
 * There are no session tickets: nothing but tokens travels during the handshake, and
 * nothing but data after it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/pbs_auth.h"
#include "lib/base/base.h"
#include "lib/io/conf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES      256
/* Event bit of errors, object class of requests, severity: operations.md 13. */
#define LOG_ERROR_EVENT 1
#define LOG_REQUEST     4
#define LOG_SEVERITY    3

enum setup { /* what a context is set up for */
    AS_CLIENT,
    AS_SERVER,
    AS_DAEMON, /* either end, with a certificate of its own */
    N_SETUPS
};

struct files {
    struct stat ca, cert, key;
};

static struct {
    char *ca, *cert, *key;
    void (*logfunc)(int type, int objclass, int severity, const char *objname,
                    const char *text);
} site;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    SSL_CTX *ctx;
    struct files seen;
} setups[N_SETUPS];

struct tls_ctx { /* of one connection */
    SSL *ssl;
    BIO *in, *out;
    bool is_client;
    bool done;
    char error[TEXT_BYTES]; /* why there is no 'ssl' */
};

static void say(char text[TEXT_BYTES], const char *fmt, ...) PRINTF_LIKE(2, 3);

static void say(char text[TEXT_BYTES], const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    /* It goes to a log, where the beginning of a long path says enough. */
    vsnprintf(text, TEXT_BYTES, fmt, ap);
    va_end(ap);
}

static char *below_home(const char *given, const char *home, const char *name)
{
    char *path = NULL;

    if (given)
        return strdup(given);
    return asprintf(&path, "%s/tls/%s", home, name) < 0 ? NULL : path;
}

void pbs_auth_set_config(const struct pbs_auth_config *config)
{
    struct conf *conf;

    site.logfunc = config->logfunc;
    if (conf_load(&conf, NULL))
        return;
    site.ca = below_home(conf->tls_ca, conf->home, "ca.pem");
    site.cert = below_home(conf->tls_cert, conf->home, "cert.pem");
    site.key = below_home(conf->tls_key, conf->home, "key.pem");
    conf_free(conf);
}

static bool stat_file(const char *path, struct stat *st, char why[TEXT_BYTES])
{
    /* A pipe in the place of a file must not make a daemon wait. */
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    bool ok = fd >= 0 && fstat(fd, st) == 0;

    if (!ok)
        say(why, "TLS: cannot read %s: %s", path ? path : "pbs.conf", strerror(errno));
    else if (!S_ISREG(st->st_mode))
        say(why, "TLS: %s is not a file", path);
    ok = ok && S_ISREG(st->st_mode);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Refuse a key that others can read: everybody could have it. */
static bool check_key(const struct stat *st, char why[TEXT_BYTES])
{
    if (st->st_mode & 077)
        say(why, "TLS: %s: mode %04o lets others read or write the key", site.key,
            (unsigned)(st->st_mode & 07777));
    else if (st->st_uid != 0 && st->st_uid != geteuid())
        say(why, "TLS: %s: owned by uid %lu", site.key, (unsigned long)st->st_uid);
    else
        return true;
    return false;
}

static bool stat_files(enum setup as, struct files *ret, char why[TEXT_BYTES])
{
    memset(ret, 0, sizeof(*ret));
    if (as != AS_SERVER && !stat_file(site.ca, &ret->ca, why))
        return false;
    if (as == AS_CLIENT)
        return true;
    return stat_file(site.cert, &ret->cert, why) &&
           stat_file(site.key, &ret->key, why) && check_key(&ret->key, why);
}

/* A file that was replaced has another inode; one that was written over has another
 * time or size. */
static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool same_files(const struct files *a, const struct files *b)
{
    return same_file(&a->ca, &b->ca) && same_file(&a->cert, &b->cert) &&
           same_file(&a->key, &b->key);
}

static const char *ssl_reason(void)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());

    return reason ? reason : "not usable";
}

static bool load_files(SSL_CTX *ctx, enum setup as, char why[TEXT_BYTES])
{
    const char *bad = NULL;

    if (as != AS_SERVER && !SSL_CTX_load_verify_file(ctx, site.ca))
        bad = site.ca;
    else if (as != AS_CLIENT && SSL_CTX_use_certificate_chain_file(ctx, site.cert) != 1)
        bad = site.cert;
    else if (as != AS_CLIENT &&
             SSL_CTX_use_PrivateKey_file(ctx, site.key, SSL_FILETYPE_PEM) != 1)
        bad = site.key;
    if (bad)
        say(why, "TLS: %s: %s", bad, ssl_reason());
    return !bad;
}

static SSL_CTX *setup_new(enum setup as, char why[TEXT_BYTES])
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());

    if (!ctx) {
        say(why, "TLS: %s", ssl_reason());
        return NULL;
    }
    SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
    SSL_CTX_set_num_tickets(ctx, 0);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(ctx,
                       as == AS_SERVER
                           ? SSL_VERIFY_NONE
                           : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                       NULL);
    if (!load_files(ctx, as, why)) {
        SSL_CTX_free(ctx);
        return NULL;
    }
    return ctx;
}

/* A connection of the current set-up; NULL with words. */
static SSL *ssl_of(enum setup as, char why[TEXT_BYTES])
{
    struct files now;
    SSL *ssl = NULL;

    if (!stat_files(as, &now, why))
        return NULL;
    pthread_mutex_lock(&lock);
    ERR_clear_error();
    if (!setups[as].ctx || !same_files(&setups[as].seen, &now)) {
        SSL_CTX_free(setups[as].ctx);
        /* The files were looked at before they are read. When they change in between,
         * the next connection sees that and reads them again. */
        setups[as].ctx = setup_new(as, why);
        setups[as].seen = now;
    }
    if (setups[as].ctx) {
        ssl = SSL_new(setups[as].ctx);
        if (!ssl)
            say(why, "TLS: %s", ssl_reason());
    }
    pthread_mutex_unlock(&lock);
    return ssl;
}

/* Say which name or address the server's certificate must have. */
static bool expect_host(SSL *ssl, const char *host)
{
    struct in_addr addr;

    if (inet_pton(AF_INET, host, &addr) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1;
    /* A name like "n*.example.org" in a certificate would be good for many hosts. */
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

static void begin(struct tls_ctx *c, enum setup as, const char *host)
{
    c->ssl = ssl_of(as, c->error);
    if (!c->ssl)
        return;
    c->in = BIO_new(BIO_s_mem());
    c->out = BIO_new(BIO_s_mem());
    if (!c->in || !c->out || (c->is_client && !expect_host(c->ssl, host))) {
        say(c->error, "TLS: %s", ssl_reason());
        BIO_free(c->in);
        BIO_free(c->out);
        SSL_free(c->ssl);
        c->ssl = NULL;
        return;
    }
    BIO_set_mem_eof_return(c->in, -1); /* empty: more will come */
    SSL_set_bio(c->ssl, c->in, c->out);
    if (c->is_client)
        SSL_set_connect_state(c->ssl);
    else
        SSL_set_accept_state(c->ssl);
}

int pbs_auth_create_ctx(void **ret, int role, int conn_type, const char *hostname)
{
    struct tls_ctx *c = calloc(1, sizeof(*c));

    if (!c)
        return 1;
    c->is_client = role == PBS_AUTH_ROLE_CLIENT;
    /* A problem is told with the first token: only then there is somewhere to tell it.
     */
    begin(c,
          conn_type == PBS_AUTH_CONN_SERVICE ? AS_DAEMON
          : c->is_client                     ? AS_CLIENT
                                             : AS_SERVER,
          hostname);
    *ret = c;
    return 0;
}

void pbs_auth_destroy_ctx(void *ctx)
{
    struct tls_ctx *c = ctx;

    SSL_free(c->ssl); /* and its BIOs */
    free(c);
}

/* A certificate says which host, not which user. */
int pbs_auth_get_userinfo(void *ctx, char **user, char **host, char **realm)
{
    (void)ctx;
    *user = *host = *realm = NULL;
    return 1;
}

static int fail(void **out, size_t *outlen, const char *text)
{
    *out = strdup(text);
    *outlen = *out ? strlen(text) : 0;
    return 1;
}

static void log_line(const char *text)
{
    if (site.logfunc)
        site.logfunc(LOG_ERROR_EVENT, LOG_REQUEST, LOG_SEVERITY, "tls", text);
}

/* A server's own trouble is for its log; the client need not know its files. */
static int fail_setup(const struct tls_ctx *c, void **out, size_t *outlen)
{
    if (c->is_client)
        return fail(out, outlen, c->error);
    log_line(c->error);
    return fail(out, outlen, "TLS: this host has no usable certificate");
}

static int fail_handshake(const struct tls_ctx *c, void **out, size_t *outlen)
{
    long verdict = SSL_get_verify_result(c->ssl);
    char text[TEXT_BYTES];

    if (verdict != X509_V_OK)
        say(text, "TLS: the certificate of the other end is refused: %s",
            X509_verify_cert_error_string(verdict));
    else
        say(text, "TLS: handshake failed: %s", ssl_reason());
    return fail(out, outlen, text);
}

/* What OpenSSL has written, malloc'd. */
static int take(BIO *from, void **out, size_t *outlen)
{
    size_t len = BIO_ctrl_pending(from), got = 0;

    if (len == 0)
        return 0;
    *out = malloc(len);
    if (!*out || BIO_read_ex(from, *out, len, &got) != 1 || got != len) {
        free(*out);
        *out = NULL;
        return 1;
    }
    *outlen = len;
    return 0;
}

static bool put(BIO *to, const void *in, size_t len)
{
    size_t put_len = 0;

    return len == 0 || (BIO_write_ex(to, in, len, &put_len) == 1 && put_len == len);
}

int pbs_auth_process_handshake_data(void *ctx, void *in, size_t inlen, void **out,
                                    size_t *outlen, int *done)
{
    struct tls_ctx *c = ctx;
    int n;

    *out = NULL;
    *outlen = 0;
    *done = 0;
    if (!c->ssl)
        return fail_setup(c, out, outlen);
    ERR_clear_error();
    if (c->done || !put(c->in, in, inlen))
        return 1;
    n = SSL_do_handshake(c->ssl);
    if (n != 1 && SSL_get_error(c->ssl, n) != SSL_ERROR_WANT_READ)
        return fail_handshake(c, out, outlen);
    c->done = n == 1;
    *done = c->done;
    return take(c->out, out, outlen);
}

int pbs_auth_encrypt_data(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    struct tls_ctx *c = ctx;
    size_t written = 0;

    *out = NULL;
    *outlen = 0;
    if (!c->done || inlen == 0)
        return 1;
    ERR_clear_error();
    if (SSL_write_ex(c->ssl, in, inlen, &written) != 1 || written != inlen)
        return 1;
    return take(c->out, out, outlen) || *outlen == 0;
}

int pbs_auth_decrypt_data(void *ctx, void *in, size_t inlen, void **out, size_t *outlen)
{
    struct tls_ctx *c = ctx;
    char *plain = malloc(inlen ? inlen : 1); /* never longer than what it came in */
    size_t len = 0, got = 0;

    *out = NULL;
    *outlen = 0;
    ERR_clear_error();
    if (!c->done || !plain || !put(c->in, in, inlen)) {
        free(plain);
        return 1;
    }
    while (len < inlen && SSL_read_ex(c->ssl, plain + len, inlen - len, &got) == 1)
        len += got;
    /* Every record of the packet, and nothing left over of a torn one. */
    if (len == 0 || SSL_get_error(c->ssl, 0) != SSL_ERROR_WANT_READ ||
        BIO_ctrl_pending(c->in) > 0) {
        free(plain);
        return 1;
    }
    *out = plain;
    *outlen = len;
    return 0;
}
