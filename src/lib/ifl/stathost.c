/* stathost.c - vnodes joined to hosts, here and not by the server.
 *
 * The host of a vnode is its resources_available.host. Values of a host with several
 * vnodes are merged: resources are summed, jobs strung together, and what else differs
 * is "<various>".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define VARIOUS "<various>"

static bool same_attr(const struct attrl *a, const struct attrl *b)
{
    return strcmp(a->name, b->name) == 0 && str_same(a->resource, b->resource);
}

static const char *host_of(const struct batch_status *vnode)
{
    for (const struct attrl *a = vnode->attribs; a; a = a->next)
        if (strcmp(a->name, ATTR_rescavail) == 0 && str_same(a->resource, "host"))
            return a->value;
    return vnode->name;
}

/* A size with its unit, in kb rounded up; -1: not a size. A bare number is no size. */
static long long size_kb(const char *s)
{
    static const char units[] = "kmgtp";
    char *end;
    long long n = strtoll(s, &end, 10), factor = 1;
    const char *unit;

    if (end == s || n < 0 || !*end)
        return -1;
    unit = strchr(units, tolower((unsigned char)*end));
    if (unit && *unit)
        end++;
    if (!*end || end[1] || !strchr("bBwW", *end))
        return -1;
    if (*end == 'w' || *end == 'W')
        factor = 8;
    for (int i = unit ? (int)(unit - units) : 0; i > 0; i--)
        factor *= 1024;
    if (__builtin_mul_overflow(n, factor, &n))
        return -1;
    return unit ? n : n / 1024 + (n % 1024 != 0);
}

static bool is_number(const char *s, double *ret)
{
    char *end;

    *ret = strtod(s, &end);
    return end != s && !*end;
}

/* The merged value, malloc'd; NULL: no memory. Types are not looked up, because a
 * site's own resources have none here: what looks like a size or a number on both sides
 * is one. Amounts that no sum can hold are told as different ones. */
static char *summed(const char *a, const char *b)
{
    long long kb_a = size_kb(a), kb_b = size_kb(b), kb;
    double n_a, n_b;
    char text[64];

    if (kb_a >= 0 && kb_b >= 0 && !__builtin_add_overflow(kb_a, kb_b, &kb))
        snprintf(text, sizeof(text), "%lldkb", kb);
    else if (is_number(a, &n_a) && is_number(b, &n_b))
        snprintf(text, sizeof(text), "%.15g", n_a + n_b);
    else
        return strdup(strcmp(a, b) == 0 ? a : VARIOUS);
    return strdup(text);
}

static char *strung(const char *a, const char *b)
{
    char *s = malloc(strlen(a) + strlen(b) + 3);

    if (s)
        sprintf(s, "%s%s%s", a, *a && *b ? ", " : "", b);
    return s;
}

/* Built-in resources that are names. A host may be called "10", and two of its vnodes
 * "1" and "2". */
static bool is_text(const char *resource)
{
    static const char *const names[] = { "arch", "host", "vnode" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(names[i], resource) == 0)
            return true;
    return false;
}

static char *merged(const struct attrl *into, const struct attrl *more)
{
    if (into->resource && !is_text(into->resource))
        return summed(into->value, more->value);
    if (strcmp(into->name, ATTR_NODE_jobs) == 0)
        return strung(into->value, more->value);
    return strdup(strcmp(into->value, more->value) == 0 ? into->value : VARIOUS);
}

/* Join 'vnode' into 'host'; entries that the host lacks move over. False: no memory. */
static bool join(struct batch_status *host, struct batch_status *vnode)
{
    while (vnode->attribs) {
        struct attrl *more = vnode->attribs, **at = &host->attribs;

        while (*at && !same_attr(*at, more))
            at = &(*at)->next;
        if (*at) {
            char *value = merged(*at, more);

            if (!value)
                return false;
            free((*at)->value);
            (*at)->value = value;
            free(more->value);
            free(more->name);
            free(more->resource);
        }
        vnode->attribs = more->next;
        if (*at) {
            free(more);
        } else {
            more->next = NULL;
            *at = more;
        }
    }
    return true;
}

static bool is_wanted(const struct attrl *wanted, const struct attrl *a)
{
    for (const struct attrl *w = wanted; w; w = w->next)
        if (w->name && strcasecmp(w->name, a->name) == 0)
            return true;
    return wanted == NULL;
}

static void free_attr(struct attrl *a)
{
    free(a->name);
    free(a->resource);
    free(a->value);
    free(a);
}

/* What was asked for only to find the host goes again. */
static void drop_unwanted(struct batch_status *list, const struct attrl *wanted)
{
    for (; list; list = list->next)
        for (struct attrl **at = &list->attribs; *at;) {
            struct attrl *a = *at;

            if (is_wanted(wanted, a)) {
                at = &a->next;
                continue;
            }
            *at = a->next;
            free_attr(a);
        }
}

static struct batch_status *find_host(struct batch_status *hosts, const char *name)
{
    while (hosts && strcasecmp(hosts->name, name) != 0)
        hosts = hosts->next;
    return hosts;
}

static bool rename_to(struct batch_status *st, const char *name)
{
    char *copy = strdup(name);

    if (copy) {
        free(st->name);
        st->name = copy;
    }
    return copy != NULL;
}

/* What a host shows as assigned: of the resources that vnodes count the built-in ones.
 */
static bool is_built_in(const char *resource)
{
    static const char *const names[] = { "accelerator_memory", "hbmem", "mem",
                                         "naccelerators",      "ncpus", "vmem" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(names[i], resource) == 0)
            return true;
    return false;
}

/* Of a vnode what its host shows is kept. */
static void drop_site_sums(struct batch_status *vnode)
{
    for (struct attrl **at = &vnode->attribs; *at;) {
        struct attrl *a = *at;

        if (strcmp(a->name, ATTR_rescassn) != 0 || !a->resource ||
            is_built_in(a->resource)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        free_attr(a);
    }
}

/* One record for each host, in the order of their first vnodes. Takes the list. */
static struct batch_status *by_host(int c, struct batch_status *vnodes, const char *id)
{
    struct batch_status *hosts = NULL, **end = &hosts;
    bool ok = true;

    while (vnodes) {
        struct batch_status *st = vnodes, *host = find_host(hosts, host_of(st));

        vnodes = st->next;
        st->next = NULL;
        drop_site_sums(st);
        if (ok && !host && (!id || strcasecmp(id, host_of(st)) == 0)) {
            ok = rename_to(st, host_of(st));
            *end = st;
            end = &st->next;
            continue;
        }
        if (ok && host)
            ok = join(host, st);
        ifl_statfree(st);
    }
    if (ok)
        return hosts;
    ifl_statfree(hosts);
    ifl_set_error(c, PBSE_SYSTEM, NULL);
    return NULL;
}

struct batch_status *ifl_stathost(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    char name[] = ATTR_rescavail, resource[] = "host", value[] = "";
    struct attrl host = { wanted, name, resource, value, SET };
    /* All vnodes are asked for even when one host is wanted: which of them are on it
     * only their own records say (wire.md 15.2). The host is asked for with the rest.
     */
    struct batch_status *list = ifl_statvnode(c, "", wanted ? &host : NULL, extend);
    bool all = !id || !*id;

    if (!list)
        return NULL;
    list = by_host(c, list, all ? NULL : id);
    if (!list && !all && pbs_errno == 0)
        ifl_set_error(c, PBSE_UNKNODE, pbse_text(PBSE_UNKNODE));
    drop_unwanted(list, wanted);
    return list;
}

struct batch_status *ifl_statnode(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    return ifl_stathost(c, id, wanted, extend);
}
