/* paths.c - where a job's output goes, made complete before it travels (cli.md 2).
 *
 * "[host:]path" becomes "host:/path": the path from the directory that the caller is
 * in, the host by its full name, this one or the one of the settings when none is
 * given.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"
#include "lib/io/net.h"

#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOST_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"

/* How long the host at the front is; false: no value at all. *path is what follows. */
static bool split(const char *text, size_t *host_len, const char **path)
{
    size_t len = strspn(text, HOST_CHARS);

    /* A path may have a colon in it: what stands before the first '/' decides whether
     * that colon ends a host (cli.md 2). */
    *host_len = 0;
    *path = text;
    if (!strchr(text, ':') || text[len] == '/')
        return *text != '\0';
    if (text[len] != ':' || len > PBS_MAXHOSTNAME)
        return false;
    *host_len = len;
    *path = text + len + 1;
    return **path != '\0';
}

/* A host's own idea of its name needs no resolver. */
static bool is_this_host(const char *host)
{
    char own[PBS_MAXHOSTNAME + 1];

    return strcasecmp(host, "localhost") == 0 ||
           (gethostname(own, sizeof(own)) == 0 && strcasecmp(host, own) == 0);
}

static bool full_name(const char *host, char *name, size_t size)
{
    const struct addrinfo hints = { .ai_family = AF_INET, .ai_flags = AI_CANONNAME };
    struct addrinfo *found = NULL;

    if (is_this_host(host))
        return (size_t)snprintf(name, size, "%s", host) < size;
    if (getaddrinfo(host, NULL, &hints, &found))
        return false;
    snprintf(name, size, "%s", found->ai_canonname ? found->ai_canonname : host);
    freeaddrinfo(found);
    return true;
}

static bool host_of(const struct conf *conf, const char *text, size_t len, char *name,
                    size_t size)
{
    char host[PBS_MAXHOSTNAME + 1];

    if (len > 0) {
        memcpy(host, text, len);
        host[len] = '\0';
        return full_name(host, name, size);
    }
    /* Without readable settings the job can still be submitted, with this host's name.
     */
    if (conf && conf->output_host_name)
        return (size_t)snprintf(name, size, "%s", conf->output_host_name) < size;
    net_host_name(name, size);
    return true;
}

/* $PWD when it is where we are (it may hold symbolic links), else getcwd(). */
static const char *here(char *room, size_t size)
{
    const char *pwd = getenv("PWD");
    struct stat a, b;

    if (pwd && *pwd == '/' && stat(pwd, &a) == 0 && stat(".", &b) == 0 &&
        a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return pwd;
    return getcwd(room, size);
}

/* It is asked on this host, whatever host the path is of, as PBS's library does
 * (cli.md 2). */
static bool is_directory(const char *path)
{
    struct stat st;

    return path[strlen(path) - 1] != '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int ifl_path(const struct conf *conf, const char *text, char **ret)
{
    char name[NI_MAXHOST], cwd[PATH_MAX];
    const char *path, *dir = "", *base = "";
    size_t host_len, size;
    bool named;

    text += strspn(text, " \t");
    named = strchr(text, ':') != NULL;
    if (!split(text, &host_len, &path) ||
        !host_of(conf, text, host_len, name, sizeof(name)))
        return PBSE_BADATVAL;
    if (*path != '/' && host_len > 0) { /* of that host's, whatever it is there */
        *ret = strdup(text);
        return *ret ? 0 : PBSE_SYSTEM;
    }
    if (*path != '/' && !named) {
        base = here(cwd, sizeof(cwd));
        if (!base)
            return PBSE_BADATVAL;
        dir = "/";
    }
    size = strlen(name) + strlen(base) + strlen(dir) + strlen(path) + 3;
    *ret = malloc(size);
    if (!*ret)
        return PBSE_SYSTEM;
    size = (size_t)snprintf(*ret, size, "%s:%s%s%s", name, base, dir, path);
    if (is_directory(*ret + strlen(name) + 1))
        memcpy(*ret + size, "/", 2); /* there is room for it */
    return 0;
}

static bool is_path(const struct attropl *a)
{
    return a->name && a->value && *a->value &&
           (strcasecmp(a->name, ATTR_o) == 0 || strcasecmp(a->name, ATTR_e) == 0);
}

void ifl_paths_fini(struct ifl_paths *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->made[i])
            free(p->nodes[i].value);
    free(p->nodes);
    free(p->made);
}

/* The list again, in nodes of our own; texts are the caller's. */
static bool copy_list(const struct attropl *list, struct ifl_paths *p)
{
    size_t n = 0;

    for (const struct attropl *a = list; a; a = a->next)
        n++;
    p->nodes = calloc(n, sizeof(*p->nodes));
    p->made = calloc(n, sizeof(*p->made));
    if (!p->nodes || !p->made)
        return false;
    for (p->n = 0; list; list = list->next, p->n++) {
        p->nodes[p->n] = *list;
        p->nodes[p->n].next = list->next ? &p->nodes[p->n + 1] : NULL;
    }
    p->list = p->nodes;
    return true;
}

int ifl_paths(int c, const struct attropl *list, struct ifl_paths *ret)
{
    const struct attropl *a = list;
    int err = 0;

    /* Most lists have no path: those travel as they are, without a copy. So does every
     * list of a program that has switched verification off. */
    *ret = (struct ifl_paths){ .list = list };
    while (a && ifl_verifies() && !is_path(a))
        a = a->next;
    if (!a || !ifl_verifies())
        return 0;
    if (!copy_list(list, ret))
        err = PBSE_SYSTEM;
    for (size_t i = 0; i < ret->n && !err; i++) {
        char *made;

        if (!is_path(&ret->nodes[i]))
            continue;
        err = ifl_path(ifl_conf(), ret->nodes[i].value, &made);
        if (err == PBSE_BADATVAL)
            ifl_bad_attrs_add((const struct attrl *)(const void *)&ret->nodes[i], err,
                              pbse_text(err));
        if (!err) {
            ret->nodes[i].value = made;
            ret->made[i] = true;
        }
    }
    return err ? ifl_set_error(c, err, pbse_text(err)) : 0;
}
