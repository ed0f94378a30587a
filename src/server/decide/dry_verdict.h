/* dry_verdict.h - what a dry run tells: what would become of a request, worked out from
 * records that nobody takes up (doc/extensions.md, ResvAct).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DRY_VERDICT_H
#define SERVER_DECIDE_DRY_VERDICT_H

#include "server/decide/request.h"

enum dry_word {
    DRY_CONFIRM, /* it would be so, and no promise be broken */
    DRY_DENY,
    DRY_FORCE, /* it would be so only where promises are broken */
};

struct dry_verdict {
    enum dry_word word;
    const char *reason;   /* why it would be denied, or needs force; NULL: not known */
    int64_t earliest_at;  /* the first start that would fit; 0: none is known */
    const char *name;     /* of the object in the reply */
    const char *id;       /* of the reservation as the records name it */
    const struct resv *r; /* the one that is there, NULL: it is new */
    const struct occurrence *later; /* of it, that is meant; NULL: the current one, and
                                     * with a deletion all */
    /* What would be recorded, in order; of no meaning when it would be denied. */
    const struct records *lists[2];
    size_t n_lists;
};

/* The verdict becomes the reply, one object. Also a confirmation may name others who
 * were promised the same: maintenance and reservations of running jobs ask nobody. */
void dry_verdict_reply(const struct model *m, const struct request *rq,
                       const struct dry_verdict *v, struct decision *out);

#endif
