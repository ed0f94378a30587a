/* check_dry.h - who tries a request before he makes it gets what he was told
 * (doc/design/046-dry-run.md).
 *
 * In a run the world changes in between, and then anything may become of the request.
 * So only where no record about anything else came between the question and the
 * decision, and no more than some seconds have passed, the two are compared.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_DRY_H
#define TEST_SIM_CHECK_DRY_H

#include "server/engine/svr.h"

struct sim;

/* A request that was tried first. */
struct dry {
    uint64_t conn; /* of its client */
    char *label;
    char *id;      /* NULL: of one that is not made yet */
    uint32_t what; /* enum resv_act */
    bool forced;
    bool told, spoilt;
    int code; /* it was refused */
    int64_t asked_at;
    char *verdict, *nodes; /* NULL: not said */
    char *moved;           /* "R8.svr 1790000000 (vn[1]:ncpus=2);...": whom, to when */
    size_t n_moved;        /* in that list, and have not been moved yet */
    struct dry *prev, *next;
};

struct dries {
    struct dry *list;
    size_t n_compared;
};

void dries_fini(struct dries *d);
/* The server forgets them. */
void dries_forget(struct dries *d);

/* A client asks for that. */
void dry_asked(struct sim *s, uint64_t conn, const char *label,
               const struct body_resv_act *act);
/* It has its answer, and makes the request itself; the verdict's word, "error N" when
 * it was refused. */
const char *dry_told(struct sim *s, uint64_t conn, const struct wire_reply *reply,
                     struct arena *arena);
/* The request itself is answered. */
void dry_made(struct sim *s, uint64_t conn, const struct wire_reply *reply);

/* A record is about to be applied to 'm'. */
void check_dry_record(struct sim *s, const struct model *m, const struct record *rec);

#endif
