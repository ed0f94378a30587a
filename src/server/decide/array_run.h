/* array_run.h - the lives of subjobs, as records: a subjob becomes an object when it is
 * given vnodes, it expires when its run is over, and its array takes it over
 * (doc/design/010-jobs.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_ARRAY_RUN_H
#define SERVER_DECIDE_ARRAY_RUN_H

#include "server/decide/config.h"
#include "server/decide/request.h"
#include "server/model/job_array.h"

/* May a subjob be started? Its array must be queued or begun, and not be on its way
 * out; the subjob must wait. */
bool subjob_may_start(const struct subjob *s);

/* Append the records that come before the first run of a subjob: the subjob becomes an
 * object, and its array begins, when it has not. Returns the subjob as it is then, to
 * be started with job_start(); nothing is appended for a subjob that is an object. */
const struct job *subjob_begin_records(const struct subjob *s,
                                       const struct svr_config *cfg, const char *actor,
                                       int64_t now_at, struct decision *out);

/* Append the record with which a subjob is over: FACT_SUBJOB_ENDED after a run
 * with that exit status, FACT_SUBJOB_DELETED without one (ARRAY_END_NO_STATUS). */
struct record *subjob_over_record(const struct job *job, enum fact fact,
                                  int64_t exit_status, const char *actor,
                                  int64_t now_at, struct decision *out);

/* How a subjob in state X ended. */
struct array_end subjob_outcome(const struct job *job);

/* Append the record that takes waiting subjobs without an object out of the array:
 * those of 'cut', which is not empty. */
void array_cut_record(const struct job *array, const struct index_set *cut,
                      const char *actor, int64_t now_at, struct decision *out);

/* Append the records that doom an array that is under way: what waits is cut, rules
 * kill what runs, and the array ends when nothing of it is left (rules/array_rules.c).
 * 'flags' is enum job_end_flag; one that is doomed already is not doomed again. */
void array_doom_records(const struct job *array, const char *actor, int64_t now_at,
                        uint32_t flags, struct decision *out);

/* The part of job_delete_records() for arrays that are under way: the array is doomed,
 * and by force its subjobs end. */
void array_delete_records(const struct model *m, const struct job *array,
                          const char *actor, int64_t now_at, uint32_t flags,
                          struct decision *out);

/* Change the array's record so that its ends are those. */
void array_ends_change(struct record *rec, const struct job *array,
                       const struct array_ends *ends, struct arena *arena);
/* A copy of the array's ends as they are after what was decided so far, to be added to;
 * ended with array_ends_fini(). */
struct array_ends array_ends_of(const struct job *array, const struct decision *out);

/* Does the decision say that already of the job of that id? One request may name a
 * subjob more than once. Time: linear in its records. */
bool array_was_decided(const struct decision *out, const char *id, enum fact fact);

#endif
