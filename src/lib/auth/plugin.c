/* plugin.c - finding and loading methods.
 *
 * A method's name may come from the network, so it is checked before it becomes part of
 * a path, and a name that cannot be loaded leaves nothing behind. What was loaded
 * stays: libraries below it do not expect to be unloaded.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/plugin.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct auth_plugin *loaded;

static const struct {
    const char *name;
    size_t offset;
    bool required;
} symbols[] = {
    { "pbs_auth_set_config", offsetof(struct auth_plugin, set_config), true },
    { "pbs_auth_create_ctx", offsetof(struct auth_plugin, create_ctx), true },
    { "pbs_auth_destroy_ctx", offsetof(struct auth_plugin, destroy_ctx), true },
    { "pbs_auth_get_userinfo", offsetof(struct auth_plugin, get_userinfo), true },
    { "pbs_auth_process_handshake_data", offsetof(struct auth_plugin, process), true },
    { "pbs_auth_encrypt_data", offsetof(struct auth_plugin, encrypt), false },
    { "pbs_auth_decrypt_data", offsetof(struct auth_plugin, decrypt), false },
};

bool auth_method_is_name(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > AUTH_METHOD_MAX)
        return false;
    for (; *name; name++)
        /* No dot and no slash: the name becomes part of the path of a library that is
         * run. */
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", *name))
            return false;
    return true;
}

bool auth_plugin_encrypts(const struct auth_plugin *p)
{
    return p->encrypt && p->decrypt;
}

static void plugin_free(struct auth_plugin *p)
{
    if (!p)
        return;
    free(p->name);
    free(p->config.pbs_home_path);
    free(p->config.pbs_exec_path);
    free(p->config.auth_method);
    free(p->config.encrypt_method);
    free(p);
}

static struct auth_plugin *plugin_new(const struct auth_plugin_site *site,
                                      const char *name)
{
    struct auth_plugin *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->name = strdup(name);
    p->config.pbs_home_path = strdup(site->home);
    p->config.pbs_exec_path = strdup(site->exec);
    p->config.auth_method = strdup(site->auth_method);
    p->config.encrypt_method = strdup(site->encrypt_method);
    p->config.logfunc = site->logfunc;
    if (p->name && p->config.pbs_home_path && p->config.pbs_exec_path &&
        p->config.auth_method && p->config.encrypt_method)
        return p;
    plugin_free(p);
    return NULL;
}

/* Refuse a file that everybody may write to. Root also refuses what somebody else than
 * root may write to, since the code would run as root. */
static int check_file(const char *path, struct diag *why)
{
    struct stat st;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return diag_set(why, PBSE_SYSTEM, "Failed to load %s", path);
    if (st.st_mode & S_IWOTH)
        return diag_set(why, PBSE_SYSTEM, "Failed to load %s: everybody may write it",
                        path);
    if (geteuid() == 0 &&
        (st.st_uid != 0 || ((st.st_mode & S_IWGRP) && st.st_gid != 0)))
        return diag_set(why, PBSE_SYSTEM,
                        "Failed to load %s: others than root may write it", path);
    return 0;
}

/* Find the functions of the method by name; two are there only when it can encrypt. */
static int take_symbols(void *so, struct auth_plugin *p, struct diag *why)
{
    for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
        /* One of the two for encryption alone is as good as none: see
         * auth_plugin_encrypts(). */
        void *found = dlsym(so, symbols[i].name);

        if (!found && symbols[i].required)
            return diag_set(why, PBSE_SYSTEM, "%s", dlerror());
        memcpy((char *)p + symbols[i].offset, &found, sizeof(found));
    }
    return 0;
}

static int load(const struct auth_plugin_site *site, const char *name,
                struct auth_plugin **ret, struct diag *why)
{
    struct auth_plugin *p;
    char path[PATH_BYTES];
    void *so;
    int err;

    if (snprintf(path, sizeof(path), "%s/lib/libauth_%s.so", site->exec, name) >=
        (int)sizeof(path))
        return diag_set(why, PBSE_SYSTEM, "Failed to load libauth_%s.so", name);
    err = check_file(path, why);
    if (err)
        return err;
    /* All its symbols are bound now, so that a library that lacks one fails here and
     * not in the middle of a handshake. */
    so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!so)
        return diag_set(why, PBSE_SYSTEM, "%s", dlerror());
    p = plugin_new(site, name);
    err = p ? take_symbols(so, p, why) : diag_set(why, PBSE_SYSTEM, "no memory");
    if (err) {
        plugin_free(p);
        dlclose(so);
        return err;
    }
    MUST(p->create_ctx && p->process && p->get_userinfo);
    p->set_config(&p->config);
    *ret = p;
    return 0;
}

static struct auth_plugin *find(const char *name)
{
    struct auth_plugin *p = loaded;

    while (p && strcmp(p->name, name) != 0)
        p = p->next;
    return p;
}

int auth_plugin_load(const struct auth_plugin_site *site, const char *name,
                     const struct auth_plugin **ret, struct diag *why)
{
    char low[AUTH_METHOD_MAX + 1] = "";
    struct auth_plugin *p;
    int err = 0;

    for (size_t i = 0; name[i] && i < AUTH_METHOD_MAX; i++)
        low[i] = (char)tolower((unsigned char)name[i]);
    if (strlen(name) > AUTH_METHOD_MAX || !auth_method_is_name(low))
        return diag_set(why, PBSE_SYSTEM, "Failed to load a method: bad name");
    /* Two threads of a client may ask for the same method at once; it is loaded
     * once. */
    pthread_mutex_lock(&lock);
    p = find(low);
    if (!p) {
        err = load(site, low, &p, why);
        if (!err) {
            p->next = loaded;
            loaded = p;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!err)
        *ret = p;
    return err;
}
