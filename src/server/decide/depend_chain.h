/* depend_chain.h - a search for what a job waits for in the end, through jobs of this
 * server and of others (doc/design/075-dependencies-between-servers.md, "Circles").
 *
 * Another server is asked for the "depend" of its job (StatusJob), as any client may.
 * One that does not say it, or is away, ends the chain there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DEPEND_CHAIN_H
#define SERVER_DECIDE_DEPEND_CHAIN_H

#include "server/decide/depend_search.h"
#include "server/decide/request.h"
#include "server/model/depend.h"

/* So many jobs of other servers are asked for in one search. */
#define DEPEND_FAR_MAX 64

struct depend_chain {
    const struct model *m;
    const struct request *rq;
    bool asks;   /* other servers are asked */
    int64_t at;  /* of the attempt: answers to another one do not count */
    bool is_cut; /* some answer is needed first (know.h); set by depend_chain_next() */
    struct depend_search jobs; /* of this server; with its arena */
    size_t n;
    struct depend_far {
        const char *job, *server;
        bool is_known;
    } far[DEPEND_FAR_MAX];
};

/* Zeroed, with its first four members; 'at' may be 0. */
struct depend_chain depend_chain(const struct model *m, const struct request *rq,
                                 bool asks, int64_t at);
void depend_chain_fini(struct depend_chain *c);

/* It begins with what that entry, or all entries of that text, wait for. */
void depend_chain_entry(struct depend_chain *c, const struct depend_entry *e);
void depend_chain_text(struct depend_chain *c, const char *depend);

/* The next job of this server that is waited for and not over; NULL: there is none
 * more, or c->is_cut. */
const struct job *depend_chain_next(struct depend_chain *c);

/* Has the search met a job of another server with that id? */
bool depend_chain_has(const struct depend_chain *c, const char *job);

#endif
