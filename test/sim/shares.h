/* shares.h - who has, or is promised, how much of a resource and when: the simulator's
 * own reckoning, for its checks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_SHARES_H
#define TEST_SIM_SHARES_H

#include "server/model/model.h"

struct share {
    const char *id;
    const struct object *o;
    const struct resv *resv;     /* NULL: a job */
    const struct occurrence *oc; /* of it, which this share is */
    const struct resv *inside; /* a job uses the vnode beside this one, which lets it */
    int64_t from_at;
    int64_t until_at;
    int64_t amount; /* of the resource that is looked at */
    bool alone;     /* place=excl */
};

#define SHARES_MAX 256

struct shares {
    const char *resource;
    bool overstayers; /* who has not left counts as long as it is there */
    size_t n;
    struct share v[SHARES_MAX];
};

/* Add the shares of the reservations on a vnode, and of the jobs there that are outside
 * of reservations or use the vnode beside theirs; 'own' (may be NULL): a reservation
 * whose jobs are not added. More than SHARES_MAX are left out. */
void shares_of_resvs(struct shares *all, const struct node *n, int64_t now_at);
void shares_of_jobs(struct shares *all, const struct node *n, const struct resv *own,
                    int64_t now_at);

/* Add the shares of all in what the server has for all together, by Resource_List. */
void shares_of_server(struct shares *all, const struct model *m, const struct resv *own,
                      int64_t now_at);

bool share_is_at(const struct share *x, int64_t at);

/* What these hold of the resource on the vnode. */
int64_t share_amount_on(const struct bookings *holds, const struct node *n,
                        const char *resource);

/* Has the reservation begun, with its present occurrence? */
bool share_has_begun(const struct resv *r);

/* Is the job suspended, and keeps nothing? */
bool share_gave_back(const struct job *j);

/* Does a job inside a reservation use what that does not name on the vnode? */
bool share_is_beside(const struct job *j, const struct node *n, const char *resource);

/* resources_available of the vnode. */
int64_t vnode_has_of(const struct node *n, const char *resource);

/* The next resource that vnodes count, behind *i; NULL behind the last. */
const char *next_counted(const struct model *m, size_t *i);

#endif
