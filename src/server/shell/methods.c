/* methods.c - see methods.h.
 *
 * Plug-ins log from threads of their own; their lines wait here for the loop.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/methods.h"

#include "lib/auth/clusterkey.h"
#include "lib/auth/resvport.h"
#include "lib/io/pool.h"
#include "server/shell/client.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_METHODS      16
#define MOST_LINES        64 /* that wait for the loop; more are dropped */
#define HANDSHAKE_THREADS 4
#define HANDSHAKES_MAX    1000 /* that wait for a thread */

struct methods {
    struct shell *sh;
    struct loop_notify *notify;
    size_t n;
    const struct auth_plugin *v[MOST_METHODS];
    const struct auth_plugin *encrypt;    /* NULL: connections are in the clear */
    struct pool *pools[MOST_METHODS + 1]; /* as in v; the last is that of 'encrypt' */
};

struct line {
    uint32_t event, log_class;
    char *object, *text;
};

static struct {
    pthread_mutex_t lock;
    struct loop_notify *notify; /* NULL: nobody writes them */
    size_t n;
    struct line v[MOST_LINES];
} lines = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void log_from_anywhere(int type, int objclass, int severity, const char *objname,
                              const char *text)
{
    (void)severity;
    pthread_mutex_lock(&lines.lock);
    /* Lines beyond the bound are dropped: a plug-in must not fill the memory. */
    if (lines.notify && lines.n < MOST_LINES) {
        lines.v[lines.n++] =
            (struct line){ (uint32_t)type, (uint32_t)objclass,
                           xstrdup(objname ? objname : ""), xstrdup(text ? text : "") };
        loop_notify_poke(lines.notify);
    }
    pthread_mutex_unlock(&lines.lock);
}

static void write_lines(void *arg)
{
    const struct methods *m = arg;

    pthread_mutex_lock(&lines.lock);
    MUST(lines.n <= MOST_LINES);
    for (size_t i = 0; i < lines.n; i++) {
        const struct line *l = &lines.v[i];

        /* At the end the lines are thrown away, since there is no log to write to. */
        if (m)
            logfile_write(m->sh->log, l->event, l->log_class, l->object, l->text);
        free(l->object);
        free(l->text);
    }
    lines.n = 0;
    pthread_mutex_unlock(&lines.lock);
}

static void set_notify(struct loop_notify *n)
{
    pthread_mutex_lock(&lines.lock);
    lines.notify = n;
    pthread_mutex_unlock(&lines.lock);
}

static struct auth_plugin_site site_of(const struct shell *sh)
{
    return (struct auth_plugin_site){ .home = sh->conf->home,
                                      .exec = sh->conf->exec,
                                      .auth_method = sh->conf->auth_method,
                                      .encrypt_method = sh->conf->encrypt_method,
                                      .logfunc = log_from_anywhere };
}

/* Those that need no plug-in. */
static bool is_built_in(const char *name)
{
    return strcmp(name, RESVPORT_METHOD) == 0 || strcmp(name, CLUSTERKEY_METHOD) == 0;
}

static void load_supported(struct methods *m)
{
    const struct auth_plugin_site site = site_of(m->sh);
    char *list = xstrdup(m->sh->conf->supported_auth_methods), *save = NULL;
    struct diag why;

    for (char *name = strtok_r(list, ", \t", &save); name && m->n < MOST_METHODS;
         name = strtok_r(NULL, ", \t", &save)) {
        if (is_built_in(name))
            continue;
        if (auth_plugin_load(&site, name, &m->v[m->n], &why) == 0)
            m->n++;
        /* A method that cannot be loaded is not offered; the server starts all the
         * same. */
        else
            shell_log(m->sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER,
                      "authentication method %s is not available: %s", name, why.text);
    }
    free(list);
}

static void make_pools(struct methods *m)
{
    for (size_t i = 0; i < m->n; i++)
        m->pools[i] = pool_new(m->sh->loop, HANDSHAKE_THREADS, HANDSHAKES_MAX);
    if (m->encrypt)
        m->pools[MOST_METHODS] =
            pool_new(m->sh->loop, HANDSHAKE_THREADS, HANDSHAKES_MAX);
}

static int load_encrypt(struct methods *m, struct diag *why)
{
    const struct auth_plugin_site site = site_of(m->sh);
    const char *name = m->sh->conf->encrypt_method;
    int err;

    if (!*name)
        return 0;
    err = auth_plugin_load(&site, name, &m->encrypt, why);
    /* An administrator who asks for encryption must not run without it. */
    if (!err && !auth_plugin_encrypts(m->encrypt))
        err = diag_set(why, PBSE_SYSTEM,
                       "The given PBS_ENCRYPT_METHOD = %s does not support "
                       "encrypt/decrypt of data",
                       name);
    return err;
}

int methods_new(struct shell *sh, struct methods **ret, struct diag *why)
{
    struct methods *m = xcalloc(1, sizeof(*m));
    int err;

    m->sh = sh;
    m->notify = loop_notify_new(sh->loop, write_lines, m);
    set_notify(m->notify);
    load_supported(m);
    err = load_encrypt(m, why);
    make_pools(m);
    if (err)
        methods_free(m);
    else
        *ret = m;
    return err;
}

void methods_free(struct methods *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < ARRAY_LEN(m->pools); i++)
        /* The threads end first: they may still log. */
        pool_free(m->pools[i]);
    set_notify(NULL);
    write_lines(NULL);
    loop_notify_free(m->notify);
    free(m);
}

const struct auth_plugin *methods_auth(const struct methods *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcasecmp(m->v[i]->name, name) == 0)
            return m->v[i];
    return NULL;
}

const struct auth_plugin *methods_encrypt(const struct methods *m, const char *name)
{
    return m->encrypt && strcasecmp(m->encrypt->name, name) == 0 ? m->encrypt : NULL;
}

struct pool *methods_pool(const struct methods *m, const struct auth_plugin *p)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->v[i] == p)
            return m->pools[i];
    MUST(p == m->encrypt);
    return m->pools[MOST_METHODS];
}
