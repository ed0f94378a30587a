/* host_book.h - the addresses of the hosts that MoMs are on, and of the server's own
 * (doc/design/032).
 *
 * They are asked for ahead, when a host is first named and not when a MoM or a client
 * comes, and kept: whoever has to know whether an address is a MoM's looks it up. What
 * was found out once is good until the answer changes; all of it is asked for again
 * when somebody was refused by it, at most once a minute.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_HOST_BOOK_H
#define SERVER_DECIDE_HOST_BOOK_H

#include "server/decide/need.h"

struct host_book;

/* One host; its name is compared as it is, host names are folded by nobody here. */
struct book_host;

/* A book with one host in it, that of the server, whose name is 'own_host'. */
struct host_book *host_book_new(const char *own_host);
void host_book_free(struct host_book *b); /* NULL is fine */

/* Another MoM is on that host; returns its entry, good until as many
 * host_book_remove() calls. */
const struct book_host *host_book_add(struct host_book *b, const char *host);
void host_book_remove(struct host_book *b, const struct book_host *h);

/* The server's own host. */
const struct book_host *host_book_own(const struct host_book *b);

/* What is known of a host: '*n' addresses in host byte order, good for this turn. */
const uint32_t *book_host_addrs(const struct book_host *h, size_t *n);
bool book_host_has(const struct book_host *h, uint32_t addr);

/* Is it the address of a host that a MoM is on? */
bool host_book_has(const struct host_book *b, uint32_t addr);

/* Is there a host that nobody has said anything about yet? */
bool host_book_is_open(const struct host_book *b);
/* Counts changes of what is known. */
uint64_t host_book_version(const struct host_book *b);

/* The next host that is to be asked for; NULL: none now. It is under way from then on,
 * until there is an answer or host_book_give_up() takes it for a silent one. */
const char *host_book_ask(struct host_book *b, int64_t now_at);

/* An answer; false: nobody here asked for that host. What nobody could say leaves what
 * was known. */
bool host_book_learn(struct host_book *b, const char *host, const struct finding *f);

/* True when an answer was given up at 'now_at'. Nothing is given up before the
 * deadline; INT64_MAX: nothing is under way. */
bool host_book_give_up(struct host_book *b, int64_t now_at);
int64_t host_book_deadline(const struct host_book *b);

/* All are to be asked for again; nothing when that was less than a minute ago. */
void host_book_refresh(struct host_book *b, int64_t now_at);

/* "10.1.2.3" in host byte order; 0: no address. */
uint32_t addr_of_text(const char *text);

#endif
