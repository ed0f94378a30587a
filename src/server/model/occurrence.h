/* occurrence.h - one time of a reservation: its window, its vnodes, its state.
 *
 * A reservation is a rule and its occurrences; an advance reservation is a series of
 * exactly one. Claims, fit, oversubscription, links and sums speak of occurrences
 * (doc/design/040-occurrences.md). The current one, which clients see, has its values
 * in the attributes of the reservation. Those that come later are objects of their own,
 * "S5[3].svr", in the list resv->later.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_OCCURRENCE_H
#define SERVER_MODEL_OCCURRENCE_H

#include "server/model/resv_state.h"

/* Its window; a time that is not set counts as 0. */
struct window occurrence_window(const struct occurrence *oc);

/* Its start and its end; 'unset' when there is none. */
int64_t occurrence_start_at(const struct occurrence *oc, int64_t unset);
int64_t occurrence_end_at(const struct occurrence *oc, int64_t unset);

/* The phase that its state and substate stand for. */
enum resv_phase occurrence_phase(const struct occurrence *oc);

/* The resource list in force: its own or that of the series; never NULL. */
const struct resources *occurrence_resources(const struct occurrence *oc);

/* The one that clients see and that jobs are in, not one that comes later. */
bool occurrence_is_current(const struct occurrence *oc);

/* Its vnodes as they are stored, "" when it has none; its schedselect or that of the
 * series. */
const char *occurrence_vnodes(const struct occurrence *oc);
const char *occurrence_schedselect(const struct occurrence *oc);

/* The one of the model that a reservation is judged as: where a dry run looks at what
 * would become of a reservation, others have claims beside the one that is there. */
const struct occurrence *resv_current(const struct resv *r);

/* An occurrence that comes later lacks vnodes: it is degraded or in conflict. Linear in
 * their number. */
bool resv_later_is_degraded(const struct resv *r);

/* The changes that take one that comes later to a phase. */
void later_record_phase(struct record *rec, struct arena *arena, enum resv_phase to);

/* The changes that give one that comes later these resources and this schedselect: its
 * own where they differ from those of the series. */
void later_record_request(const struct occurrence *later, struct record *rec,
                          struct arena *arena, const struct attr_value *resources,
                          const struct attr_value *schedselect);

/* The order of occurrences: by creation of the reservation, then that of the series. */
bool occurrence_is_before(const struct occurrence *a, const struct occurrence *b);

/* 1 for the first of the series. */
int64_t occurrence_index(const struct occurrence *oc);

/* The one that "S5[3]" or "S5[3].svr" names, current or later; NULL when there is none.
 * The letter does not matter, nor what follows the dot. */
const struct occurrence *occurrence_find(const struct model *m, const char *id);

/* The occurrences from the current one on, each in its place: its index less that of
 * the current one. NULL stands in the places of those that somebody has deleted; the
 * count of the series ends the list. In the arena. */
const struct occurrence **occurrence_places(const struct resv *r, struct arena *arena,
                                            size_t *ret_n);

/* Its neighbours in the series: the occurrence before it, NULL when it is the current
 * one; the one behind it, NULL when it is the last. */
const struct occurrence *occurrence_before(const struct occurrence *oc);
const struct occurrence *occurrence_after(const struct occurrence *oc);

/* The reservation as it will be in the turn of that occurrence: a copy in the arena,
 * called as occurrence_name() says, whose attributes are those of the occurrence where
 * it has its own. It has no jobs, and no occurrence comes later. What it points to
 * stays the model's. */
struct resv *occurrence_as_resv(const struct occurrence *oc, struct arena *arena);

/* The occurrence that a copy of it was made of, which may be that of a reservation that
 * occurrence_as_resv() or a dry run has made. */
const struct occurrence *occurrence_itself(const struct occurrence *oc);

/* The occurrence of a standing reservation with that index, current or later; NULL when
 * there is none. */
const struct occurrence *occurrence_at(const struct model *m, const struct resv *r,
                                       int64_t index, struct arena *arena);

/* How a list names it: "R2.svr", or "S5[3].svr" where the series has several. The text
 * is the object's or in the arena. */
const char *occurrence_name(const struct occurrence *oc, struct arena *arena);

/* The first of its vnodes that is not usable, in order of its bookings; NULL when all
 * are. */
const struct node *occurrence_unusable(const struct occurrence *oc);

/* Append to a record of the reservation the changes that keep what the series has,
 * before the same record gives its current occurrence other resources or another
 * select. Nothing when that is kept already, or when no occurrence comes later. */
void occurrence_keep_series(const struct resv *r, struct arena *arena,
                            struct record *rec);

/* Append to a record of the reservation the changes that make a later occurrence the
 * current one; its phase is the caller's to say. What the later one does not set is
 * unset; its resources and schedselect, where it has none of its own, become those of
 * the series again. */
void occurrence_take_turn(const struct occurrence *later, struct arena *arena,
                          struct record *rec);

#endif
