/* host_book.c - see host_book.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/host_book.h"

#include "lib/base/instant.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* The workers that look names up are shared with requests, so only so many questions
 * are open at once. The times are seconds. */
#define ASKED_AT_ONCE_MAX 64
#define GIVE_UP_S         30
#define REFRESH_S         60

enum book_state {
    BOOK_RESTS, /* nothing is to be done */
    BOOK_TO_ASK,
    BOOK_UNDER_WAY,
};

struct book_host {
    char *name;
    size_t n_moms;
    bool answered; /* somebody has said something, be it that there is no such host */
    enum book_state state;
    int64_t until_at; /* under way: an answer is waited for */
    size_t n_addrs;
    uint32_t *addrs;
    struct book_host *prev, *next; /* of those to ask, or under way, oldest first */
    UT_hash_handle hh;
};

/* An address and how many hosts with MoMs have it. */
struct book_addr {
    uint32_t addr;
    size_t n;
    UT_hash_handle hh;
};

struct host_book {
    struct book_host *by_name, *own;
    struct book_host *to_ask, *under_way;
    struct book_addr *by_addr;
    size_t n_under_way, n_unanswered;
    uint64_t version;
    int64_t refreshed_at;
};

uint32_t addr_of_text(const char *text)
{
    uint32_t addr = 0;
    const char *p = text;

    for (int i = 0; i < 4; i++) {
        unsigned part = 0;
        const char *start = p;

        while (*p >= '0' && *p <= '9' && p - start < 3)
            part = part * 10 + (unsigned)(*p++ - '0');
        /* 0 is no address of a host, so it can stand for "no address". */
        if (p == start || part > 255 || *p != (i < 3 ? '.' : '\0'))
            return 0;
        addr = addr << 8 | part;
        p++;
    }
    return addr;
}

/* Several hosts may have one address, for example by two names of one machine. It
 * counts how many do. */
static void index_add(struct host_book *b, uint32_t addr)
{
    struct book_addr *a;

    HASH_FIND(hh, b->by_addr, &addr, sizeof(addr), a);
    if (!a) {
        a = xcalloc(1, sizeof(*a));
        a->addr = addr;
        HASH_ADD(hh, b->by_addr, addr, sizeof(a->addr), a);
    }
    a->n++;
}

static void index_remove(struct host_book *b, uint32_t addr)
{
    struct book_addr *a;

    HASH_FIND(hh, b->by_addr, &addr, sizeof(addr), a);
    MUST(a && a->n > 0);
    /* Another host still has the address. */
    if (--a->n > 0)
        return;
    HASH_DEL(b->by_addr, a);
    free(a);
}

/* Only what MoMs are on counts. */
static void index_host(struct host_book *b, const struct book_host *h,
                       void (*change)(struct host_book *b, uint32_t addr))
{
    for (size_t i = 0; h->n_moms > 0 && i < h->n_addrs; i++)
        change(b, h->addrs[i]);
}

bool host_book_has(const struct host_book *b, uint32_t addr)
{
    const struct book_addr *a;

    HASH_FIND(hh, b->by_addr, &addr, sizeof(addr), a);
    return a != NULL;
}

/* The only place where a host goes from one list to another, so that the lists and the
 * count of those under way always agree with the states. */
static void set_state(struct host_book *b, struct book_host *h, enum book_state state)
{
    if (h->state == BOOK_TO_ASK)
        DL_DELETE(b->to_ask, h);
    if (h->state == BOOK_UNDER_WAY) {
        DL_DELETE(b->under_way, h);
        b->n_under_way--;
    }
    h->state = state;
    if (h->state == BOOK_TO_ASK)
        DL_APPEND(b->to_ask, h);
    if (h->state == BOOK_UNDER_WAY) {
        DL_APPEND(b->under_way, h);
        b->n_under_way++;
    }
}

static void set_addrs(struct host_book *b, struct book_host *h, size_t n,
                      const uint32_t *addrs)
{
    /* An answer that says the same again does not count as news; the version moves only
     * when MoMs have to be told. */
    if (n == h->n_addrs && (n == 0 || memcmp(addrs, h->addrs, n * sizeof(*addrs)) == 0))
        return;
    /* The old addresses leave the index before they are freed, and the new ones enter
     * it afterwards. */
    index_host(b, h, index_remove);
    free(h->addrs);
    h->addrs = xcalloc(n + 1, sizeof(*h->addrs));
    if (n > 0)
        memcpy(h->addrs, addrs, n * sizeof(*addrs));
    h->n_addrs = n;
    index_host(b, h, index_add);
    b->version++;
}

static void is_answered(struct host_book *b, struct book_host *h)
{
    set_state(b, h, BOOK_RESTS);
    if (!h->answered)
        b->n_unanswered--;
    h->answered = true;
}

/* An address that stands there as text need not be asked for. */
static struct book_host *make(struct host_book *b, const char *name)
{
    struct book_host *h = xcalloc(1, sizeof(*h));
    uint32_t addr = addr_of_text(name);

    h->name = xstrdup(name);
    /* Nobody has said anything about the host yet. */
    b->n_unanswered++;
    HASH_ADD_KEYPTR(hh, b->by_name, h->name, strlen(h->name), h);
    if (addr) {
        set_addrs(b, h, 1, &addr);
        is_answered(b, h);
    } else {
        set_state(b, h, BOOK_TO_ASK);
    }
    return h;
}

static void drop(struct host_book *b, struct book_host *h)
{
    index_host(b, h, index_remove);
    /* A host that goes is not waited for any more. */
    is_answered(b, h);
    HASH_DEL(b->by_name, h);
    free(h->addrs);
    free(h->name);
    free(h);
}

struct host_book *host_book_new(const char *own_host)
{
    struct host_book *b = xcalloc(1, sizeof(*b));

    b->own = make(b, own_host);
    b->refreshed_at = INT64_MIN;
    return b;
}

void host_book_free(struct host_book *b)
{
    struct book_host *h, *next;

    if (!b)
        return;
    HASH_ITER (hh, b->by_name, h, next) {
        drop(b, h);
    }
    MUST(!b->by_addr && b->n_under_way == 0 && b->n_unanswered == 0);
    free(b);
}

static struct book_host *find(const struct host_book *b, const char *name)
{
    struct book_host *h;

    HASH_FIND_STR(b->by_name, name, h);
    return h;
}

const struct book_host *host_book_add(struct host_book *b, const char *host)
{
    struct book_host *h = find(b, host);

    if (!h)
        h = make(b, host);
    /* The addresses of a host count from its first MoM on. */
    if (h->n_moms++ == 0)
        index_host(b, h, index_add);
    return h;
}

void host_book_remove(struct host_book *b, const struct book_host *host)
{
    struct book_host *h = find(b, host->name);

    MUST(h == host && h->n_moms > 0);
    /* The index counts hosts with MoMs, so the addresses leave it while the host still
     * counts as one. */
    if (h->n_moms == 1)
        index_host(b, h, index_remove);
    /* The server's own host stays without MoMs, too. */
    if (--h->n_moms == 0 && h != b->own)
        drop(b, h);
}

const struct book_host *host_book_own(const struct host_book *b)
{
    return b->own;
}

const uint32_t *book_host_addrs(const struct book_host *h, size_t *n)
{
    *n = h->n_addrs;
    return h->addrs;
}

bool book_host_has(const struct book_host *h, uint32_t addr)
{
    for (size_t i = 0; i < h->n_addrs; i++)
        if (h->addrs[i] == addr)
            return true;
    return false;
}

bool host_book_is_open(const struct host_book *b)
{
    return b->n_unanswered > 0;
}

uint64_t host_book_version(const struct host_book *b)
{
    return b->version;
}

const char *host_book_ask(struct host_book *b, int64_t now_at)
{
    struct book_host *h = b->to_ask;

    if (!h || b->n_under_way >= ASKED_AT_ONCE_MAX)
        return NULL;
    set_state(b, h, BOOK_UNDER_WAY);
    /* An answer that never comes is given up then, so nothing waits for ever. */
    h->until_at = instant_after(now_at, GIVE_UP_S);
    return h->name;
}

bool host_book_learn(struct host_book *b, const char *host, const struct finding *f)
{
    struct book_host *h = find(b, host);

    /* The host may have been deleted while it was asked about. */
    if (!h)
        return false;
    /* A failure says nothing about the host. What was known of it stays. */
    if (!f->failed)
        set_addrs(b, h, f->n_addrs, f->addrs);
    is_answered(b, h);
    return true;
}

bool host_book_give_up(struct host_book *b, int64_t now_at)
{
    bool any = false;

    /* The list is in the order of asking, and all wait equally long, so the first one
     * is due first. */
    while (b->under_way && b->under_way->until_at <= now_at) {
        is_answered(b, b->under_way);
        any = true;
    }
    return any;
}

int64_t host_book_deadline(const struct host_book *b)
{
    return b->under_way ? b->under_way->until_at : INT64_MAX;
}

void host_book_refresh(struct host_book *b, int64_t now_at)
{
    struct book_host *h, *next;

    /* At most once in a while: each hello of a stranger comes here. */
    if (b->refreshed_at != INT64_MIN &&
        now_at < instant_after(b->refreshed_at, REFRESH_S))
        return;
    b->refreshed_at = now_at;
    HASH_ITER (hh, b->by_name, h, next) {
        if (h->state == BOOK_RESTS && !addr_of_text(h->name))
            set_state(b, h, BOOK_TO_ASK);
    }
}
