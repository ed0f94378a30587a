/* crowd.c - see crowd.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/crowd.h"

struct shares *crowd_shares(struct crowd *w, enum crowd_rank rank)
{
    switch (rank) {
    case CROWD_STRANGER:
        return &w->strangers;
    case CROWD_USER:
        return &w->users;
    case CROWD_TURNED_AWAY:
        return &w->turned_away;
    default:
        return &w->staff;
    }
}

void crowd_init(struct crowd *w, size_t max)
{
    w->max = max;
    /* The parts are kept in proportion to what the system allows, so that a small limit
     * leaves room for everybody. */
    w->max_strangers = MIN_OF(w->max_strangers, MAX_OF(max / 4, 1u));
    w->for_staff = MIN_OF(w->for_staff, max / 8);
    w->max_user = MIN_OF(w->max_user, MAX_OF(crowd_room_for_users(w) / 2, 1u));
    for (size_t i = 0; i < CROWD_RANKS; i++) {
        /* What a party holds counts for its kind and for all together. */
        crowd_shares(w, i)->memory.part_of = &w->memory;
        crowd_shares(w, i)->unsaved.part_of = &w->unsaved;
    }
}

size_t crowd_size(const struct crowd *w)
{
    return w->n[CROWD_STRANGER] + w->n[CROWD_USER] + w->n[CROWD_STAFF] +
           w->n[CROWD_ROOT];
}

size_t crowd_room_for_users(const struct crowd *w)
{
    size_t kept = w->for_root + w->for_staff + w->max_strangers;

    return w->max > kept ? w->max - kept : 0;
}

/* When the whole table is full a stranger goes for whoever is somebody. */
static enum crowd_verdict for_stranger(const struct crowd *w,
                                       const struct share **whose)
{
    *whose = shares_with_most(&w->strangers);
    return *whose ? CROWD_FOR_STRANGER : CROWD_FULL;
}

static enum crowd_verdict stranger_asks(const struct crowd *w, const char *key,
                                        const struct share **whose)
{
    const struct share *same = share_find(&w->strangers, key);

    /* A host with too many strangers loses its own, and nobody else's. */
    if (same && same->n >= w->max_host_strangers) {
        *whose = same;
        return CROWD_FOR_STRANGER;
    }
    if (w->n[CROWD_STRANGER] >= w->max_strangers ||
        crowd_size(w) + w->for_root >= w->max)
        return for_stranger(w, whose);
    return CROWD_COME_IN;
}

/* All the room of users is taken: whoever has more of it than the newcomer would have
 * gives way. */
static enum crowd_verdict user_asks(const struct crowd *w, const char *key,
                                    const struct share **whose)
{
    const struct share *same = share_find(&w->users, key);
    const struct share *most = shares_with_most(&w->users);
    size_t n = same ? same->n : 0;

    /* A user's own limit comes first, even when there is room. */
    if (n >= w->max_user)
        return CROWD_USER_FULL;
    if (w->n[CROWD_USER] < crowd_room_for_users(w))
        return CROWD_COME_IN;
    /* A user who has as few as the newcomer keeps what it has. */
    if (!most || most->n <= n + 1)
        return CROWD_FULL;
    *whose = most;
    return CROWD_FOR_IDLE;
}

enum crowd_verdict crowd_asks(const struct crowd *w, enum crowd_rank rank,
                              const char *key, const struct share **whose)
{
    size_t kept = rank == CROWD_ROOT ? 0 : w->for_root;

    MUST(rank < CROWD_RANKS && rank != CROWD_TURNED_AWAY);
    if (rank == CROWD_STRANGER)
        return stranger_asks(w, key, whose);
    if (rank == CROWD_USER)
        return user_asks(w, key, whose);
    /* Root may use the places that are kept for root. */
    return crowd_size(w) + kept < w->max ? CROWD_COME_IN : for_stranger(w, whose);
}

struct share *crowd_enter(struct crowd *w, enum crowd_rank rank, const char *key)
{
    MUST(rank < CROWD_RANKS);
    w->n[rank]++;
    return share_hold(crowd_shares(w, rank), key);
}

void crowd_leave(struct crowd *w, enum crowd_rank rank, struct share *s)
{
    MUST(w->n[rank] > 0);
    w->n[rank]--;
    share_drop(crowd_shares(w, rank), s);
}
