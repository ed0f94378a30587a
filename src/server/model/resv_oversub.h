/* resv_oversub.h - who else was promised what an occurrence of a reservation holds.
 *
 * Derived from the model whenever somebody asks, so it is right at once when another
 * one moves, ends or is given other vnodes. A reservation that every scheduler agreed
 * to is in nobody's way; one that was forced may be.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RESV_OVERSUB_H
#define SERVER_MODEL_RESV_OVERSUB_H

#include "server/model/occurrence.h"

/* One of them: on which vnodes it meets the occurrence, in which amounts that the
 * server has for all together, and when. */
struct oversub_met {
    const char *name; /* a job's id or the name of an occurrence */
    int64_t start_at;
    int64_t end_at;
    size_t n_nodes;            /* how many there are */
    const struct node **nodes; /* the first of them, OVERSUB_VNODES_MAX at most */
    size_t n_of_server;
    const char **of_server; /* names of resources, OVERSUB_VNODES_MAX at most */
};

#define OVERSUB_VNODES_MAX 50
#define OVERSUB_MET_MAX    100

struct oversub {
    size_t n_met;
    struct oversub_met *met; /* all of them, in order of creation */
    size_t n_jobs;
    const char **jobs; /* ids, in order of creation */
    size_t n_resvs;
    const char **resvs; /* names of occurrences, likewise */
    size_t n_looked_at; /* vnodes and claims: what it has cost to find them */
};

/* Jobs outside and other occurrences that meet it on a vnode which is then promised
 * beyond what it has, or which one of them is to have alone; and those that have some
 * of a resource that is then promised beyond what the server has of it for all together
 * (resources_available of the server). Texts are the objects'. */
struct oversub resv_oversub(const struct model *m, const struct occurrence *oc,
                            int64_t now_at, struct arena *arena);

/* What somebody would have. */
struct held {
    const struct occurrence *own; /* whose claims are not in the way; NULL: nobody's */
    const struct bookings *bookings;
    struct window window;
    const struct resources *list; /* Resource_List, for place */
};

/* The same if an occurrence had that. */
struct oversub resv_oversub_if(const struct model *m, const struct held *held,
                               int64_t now_at, struct arena *arena);

/* "R2.svr on vn[0]+vn[1] and server resource lic from @1795247571 to @1795248171", one
 * of them; 'date'
 * says how a time is written; NULL: as a number. What is beyond OVERSUB_VNODES_MAX is
 * only counted. */
typedef const char *oversub_date_fn(const void *arg, int64_t at, struct arena *arena);
const char *oversub_met_text(const struct oversub_met *met, oversub_date_fn *date,
                             const void *arg, struct arena *arena);

/* All of them with commas and blanks between, with times as numbers; beyond
 * OVERSUB_MET_MAX they are only counted. NULL when there is none. */
const char *oversub_met_list(const struct oversub *found, struct arena *arena);

/* One list as a text, "R2.svr,R3.svr"; NULL when it is empty. */
const char *oversub_text(const char *const *ids, size_t n, struct arena *arena);

#endif
