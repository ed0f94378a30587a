/* settings.c - pbs.conf as the library sees it.
 *
 * Settings that were replaced by a reload are kept: another thread may be reading them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loaded {
    struct loaded *older;
    struct conf *conf;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded *newest;

static bool load(void)
{
    struct loaded *fresh = calloc(1, sizeof(*fresh));
    struct diag why = { 0 };

    if (!fresh)
        return false;
    /* The calls have only numbers to return, so the words are printed here: without
     * them nobody would find the line of the file. */
    if (conf_load(&fresh->conf, &why)) {
        fprintf(stderr, "%s\n", why.text);
        free(fresh);
        return false;
    }
    fresh->older = newest;
    newest = fresh;
    return true;
}

const struct conf *ifl_conf(void)
{
    const struct conf *c;

    pthread_mutex_lock(&lock);
    c = newest || load() ? newest->conf : NULL;
    pthread_mutex_unlock(&lock);
    return c;
}

int ifl_loadconf(int reload)
{
    bool ok;

    pthread_mutex_lock(&lock);
    ok = (newest && !reload) || load();
    pthread_mutex_unlock(&lock);
    return ok ? 1 : 0;
}

/* The name is copied: the caller gets a char * that it may write to, and must not reach
 * the settings with it. */
char *ifl_default(void)
{
    const struct conf *c = ifl_conf();
    const char *host = c ? conf_server_host(c) : NULL;

    if (!host || strlen(host) > PBS_MAXHOSTNAME) {
        ifl_set_error(-1, PBSE_NOSERVER, NULL);
        return NULL;
    }
    return strcpy(ifl_default_name(), host);
}
