/* waiting.h - what is kept of the jobs that wait, from one look to the next
 * (doc/design/088-remembered-looks.md).
 *
 * Three things are kept beside a snapshot that is kept: the jobs in the order in which
 * they are tried; of each the crowd that it belongs to, whose jobs differ in nothing
 * that decides whether they run; and what each was told last. A look asks once for each
 * crowd, and again when the look has changed something. A job that would be told what
 * it was told before costs a comparison.
 *
 * Nothing of what is free is kept here: each look judges anew, once for each crowd.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_WAITING_H
#define SCHEDULER_PLAN_WAITING_H

#include "scheduler/plan/jobs.h"

struct waiting;

/* A job that waits. */
struct waiter;

/* Nothing is known at first. */
struct waiting *waiting_new(void);
void waiting_free(struct waiting *k); /* NULL is fine */

/* The plan is about to take up the news of its snapshot. Called once for each plan,
 * when links are known and before holders_book(). */
void waiting_note_news(struct planner *pl);

/* Does what is kept serve this plan? Not where a job that waits has to do with what
 * others are and do: strict ordering, levels of preemption that differ, a threshold of
 * the formula; and not where nothing is kept. */
bool waiting_serves(struct planner *pl);

/* This plan tells the jobs what it finds without what is kept. */
void waiting_forget(struct planner *pl);

/* Bring the order up to date, and begin a look. Returns how many jobs wait. Time: what
 * has changed, and the logarithm of how many wait for each; linear in these when the
 * jobs of the snapshot have moved, or when a formula or a key orders them. */
size_t waiting_begin(struct planner *pl);

/* Those that no rule refuses in order, and their places in what is kept; both have room
 * for all that wait. Returns how many these are. */
size_t waiting_list(struct planner *pl, const struct snap_job **jobs,
                    struct waiter **waiters);

/* What is kept of the job of that place of the snapshot, which waits; and the rule that
 * refuses it, FAIL_NONE: none does. */
struct waiter *waiting_at(const struct planner *pl, size_t job);
enum plan_failure waiting_refused(struct planner *pl, const struct waiter *w);

/* Why jobs as this one wait as things are now in this look; NULL: nobody has asked. */
const struct failure *waiting_why(const struct planner *pl, const struct waiter *w);

/* ... and that is what it was told, and the server shows it so. */
bool waiting_is_told(const struct planner *pl, const struct waiter *w);

/* The look has started a job, or has promised something to it: what was found of the
 * others does not hold any more. */
void waiting_changed(struct planner *pl);

/* This step tells the job why it waits, and that its time is of that accrue_type (0:
 * nobody counts). True when that is what it was told before, and
 * nothing is to be sent. */
bool waiting_said(struct planner *pl, struct waiter *w, const struct failure *fail,
                  const struct failure_words *words, int64_t accrues,
                  const struct plan_step *step);

/* What jobs as this one were told last. */
struct failure_words waiting_words(const struct waiter *w);

#endif
