/* check_two.h - what must hold of two servers together: a job that is handed over is at
 * one of them, and runs to its end once; jobs that wait for jobs of the other server
 * wait as long as they have to, and no longer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_TWO_H
#define TEST_SIM_CHECK_TWO_H

#include "server/engine/svr.h"
#include "server/model/depend.h"

struct sim;
struct mom_host;
struct run;
struct two;

/* Of a pair of complexes. */
struct two *two_new(void);
void two_free(struct two *t); /* NULL is fine */

/* All of the following do nothing where there is one server only. */

/* The record is about to be applied to 'm', at the server of 's'. */
void check_two_record(struct sim *s, const struct model *m, const struct record *rec);
/* A turn with records is over. */
void check_two_settled(struct sim *s);
/* These facts have become durable. */
void check_two_commit(struct sim *s, size_t n, const struct effect *const *facts);
/* Processes of a run begin. */
void check_two_begins(const struct mom_host *h, const struct run *r);
/* May that job of 's' stop waiting, by what the other server has stored, or since
 * nobody here has asked for the entry and the other server knows nothing of it? */
bool check_two_may_go(const struct sim *s, const struct job *j,
                      const struct depend_entry *e, struct arena *arena);
/* Faults have stopped for a while: nothing is on its way, nobody waits for what is
 * over. */
void check_two_agree(struct sim *s);
/* All has ended: each job has ended once, at one of them. */
void check_two_end(struct sim *s);

#endif
