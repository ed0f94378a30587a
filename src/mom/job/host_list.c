/* host_list.c - the hosts of a job, and how IM and TM number its vnodes and tasks
 * (tpp.md 7.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <strings.h>

#define HIGHEST_PORT 65534 /* the one of the router network is the next */

struct piece { /* "host:port/index*ncpus" of exec_host2 */
    const char *host;
    size_t host_len;
    uint32_t port;
};

/* 0: nobody has that one. */
static uint32_t read_port(const char *text)
{
    unsigned long n = strtoul(text, NULL, 10);

    return n <= HIGHEST_PORT ? (uint32_t)n : 0;
}

/* The piece at *at, which moves behind it; false at the end of the text. */
static bool next_piece(const char **at, struct piece *ret)
{
    const char *text = *at, *plus = strchr(text, '+'), *colon;
    size_t len = plus ? (size_t)(plus - text) : strlen(text);

    if (len == 0)
        return false;
    *at = text + len + (plus ? 1 : 0);
    colon = memchr(text, ':', len);
    ret->host = text;
    ret->host_len = colon ? (size_t)(colon - text) : MIN_OF(len, strcspn(text, "/+"));
    ret->port = colon ? read_port(colon + 1) : 0;
    return true;
}

/* Two MoMs of one machine have the same name and differ in their ports. */
static bool is_host(const struct job_host *h, const struct piece *p)
{
    return h->port == p->port && strlen(h->name) == p->host_len &&
           strncasecmp(h->name, p->host, p->host_len) == 0;
}

static size_t find_piece(const struct host_list *list, const struct piece *p)
{
    size_t i = 0;

    while (i < list->n && !is_host(&list->v[i], p))
        i++;
    return i;
}

static size_t count_pieces(const char *text)
{
    size_t n = 1;

    for (; *text; text++)
        n += *text == '+';
    return n;
}

/* A host that was there before keeps what is known of it: that it has joined, is lost,
 * has used so much. */
static void add_host(struct mom_job *j, const struct host_list *was,
                     struct host_list *list, const struct piece *p)
{
    size_t old = find_piece(was, p);

    if (old < was->n)
        list->v[list->n++] = was->v[old];
    else
        list->v[list->n++] =
            (struct job_host){ .name = arena_strndup(j->arena, p->host, p->host_len),
                               .port = p->port };
}

void host_list_note_width(struct mom *m, struct mom_job *j)
{
    /* A sister has a superior, also one that the list of hosts leaves out. */
    bool is_wide = j->hosts.n > 1 || j->releasing || j->is_sister;

    if (is_wide && !j->is_wide)
        DL_APPEND2(m->wide, j, wide_prev, wide_next);
    else if (!is_wide && j->is_wide)
        DL_DELETE2(m->wide, j, wide_prev, wide_next);
    j->is_wide = is_wide;
}

void host_list_read(struct mom *m, struct mom_job *j)
{
    const char *text = wire_attrs_value(&j->attrs, "exec_host2", NULL);
    const struct host_list was = j->hosts;
    struct host_list list = { 0 };
    size_t most = count_pieces(text ? text : "");
    struct piece p;

    list.v = ARENA_ARRAY(j->arena, struct job_host, most);
    list.host_of = ARENA_ARRAY(j->arena, uint32_t, most);
    for (const char *at = text ? text : ""; next_piece(&at, &p);) {
        size_t host = find_piece(&list, &p);

        if (host == list.n)
            add_host(j, &was, &list, &p);
        MUST(list.n_vnodes < most);
        list.host_of[list.n_vnodes++] = (uint32_t)host;
    }
    if (list.n == 0) { /* a server that does not say means this host */
        list.v[list.n++] =
            (struct job_host){ .name = m->cfg.host, .port = m->cfg.port };
        list.host_of[list.n_vnodes++] = 0;
    }
    MUST(list.n_vnodes >= list.n); /* each host has a vnode, and some have several */
    list.own = MIN_OF(was.own, list.n - 1);
    j->hosts = list;
    host_list_note_width(m, j);
}

bool host_list_has_more(const struct mom_job *j, const char *exec_host2)
{
    struct piece p;

    /* A job whose server has never said where it lies has this host, by a name that the
     * server need not use. */
    if (!wire_attrs_value(&j->attrs, "exec_host2", NULL))
        return false;
    while (exec_host2 && next_piece(&exec_host2, &p))
        if (find_piece(&j->hosts, &p) == j->hosts.n)
            return true;
    return false;
}

bool host_list_is_single(const struct mom_job *j)
{
    return j->hosts.n == 1;
}

size_t host_list_find(const struct mom_job *j, const char *name, uint32_t port)
{
    const struct piece p = { name, strlen(name), port };

    return find_piece(&j->hosts, &p);
}

/* The first label says enough when one of the two is not qualified. */
static bool is_same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, ".");

    if (strcasecmp(a, b) == 0)
        return true;
    return (!a[n] || !strchr(b, '.')) && n == strcspn(b, ".") &&
           strncasecmp(a, b, n) == 0;
}

static bool find_name(const struct mom *m, const struct mom_job *j, const char *name,
                      size_t *ret)
{
    for (size_t i = 0; i < j->hosts.n; i++)
        if (j->hosts.v[i].port == m->cfg.port &&
            is_same_name(j->hosts.v[i].name, name)) {
            *ret = i;
            return true;
        }
    return false;
}

/* The server names a host as its node was named, which need not be as it calls
 * itself. */
bool host_list_find_own(const struct mom *m, const struct mom_job *j, size_t *ret)
{
    return find_name(m, j, m->cfg.node_name, ret) || find_name(m, j, m->cfg.host, ret);
}

bool host_list_has_sister(const struct mom *m, const char *exec_host2,
                          struct arena *arena)
{
    bool is_first = true;
    struct piece p;

    for (; next_piece(&exec_host2, &p); is_first = false) {
        const char *name = arena_strndup(arena, p.host, p.host_len);

        if (p.port == m->cfg.port &&
            (is_same_name(name, m->cfg.node_name) || is_same_name(name, m->cfg.host)))
            return !is_first;
    }
    return false;
}

int32_t host_list_vnode_of(const struct mom_job *j, size_t host)
{
    for (size_t i = 0; i < j->hosts.n_vnodes; i++)
        if (j->hosts.host_of[i] == host)
            return (int32_t)i;
    return 0;
}

size_t host_list_host_of(const struct mom_job *j, int64_t vnode)
{
    if (vnode < 0 || (uint64_t)vnode >= j->hosts.n_vnodes)
        return j->hosts.n;
    return j->hosts.host_of[vnode];
}

uint32_t host_list_task(const struct mom_job *j, uint32_t n)
{
    unsigned bits = 0;

    /* The mother superior's are small numbers, whatever the job's width. */
    if (j->hosts.own == 0)
        return n;
    while (bits < 31 && j->hosts.n_vnodes >> bits)
        bits++;
    return (uint32_t)j->hosts.own << (32 - bits) | n;
}
