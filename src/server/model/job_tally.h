/* job_tally.h - how many jobs, and how much of each resource, everybody, a user, a
 * group or a project has in a queue or in the complex: what limits of queued and of
 * running jobs are held against (attributes.md 5).
 *
 * A tally follows its jobs: it changes when one of them is linked or unlinked and is
 * never counted anew. History is not counted. Sums are of numbers that are not rounded
 * and cannot overflow, so that the order in which jobs came and went leaves no trace.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_TALLY_H
#define SERVER_MODEL_JOB_TALLY_H

#include "server/model/model.h"

/* Seconds, KiB, numbers; of floats the 2^20th part. */
__extension__ typedef __int128 tally_number;

/* Project of a job without one. */
#define TALLY_NO_PROJECT "_pbs_project_default"

/* All, user, group, project: in the order of checks. */
#define TALLY_KINDS      "ougp"

/* Of an entity's jobs: all, those in state Q, those in state R. */
enum tally_part {
    TALLY_ALL,
    TALLY_QUEUED,
    TALLY_RUNNING,
    TALLY_PARTS
};

/* Take a job into the tallies of a queue or of the complex, or out of them. Its
 * attributes are the same both times. */
void tallies_add(struct tallies *tallies, const struct job *j);
void tallies_remove(struct tallies *tallies, const struct job *j);
/* A job counts for so many as j->weight says (job_array.h); it is to count for 'weight'
 * from now on, which the caller writes there. */
void tallies_reweigh(struct tallies *tallies, const struct job *j, size_t weight);
/* The same of its bytes alone, around a change of those. */
void tallies_add_bytes(struct tallies *tallies, const struct job *j);
void tallies_remove_bytes(struct tallies *tallies, const struct job *j);
bool tallies_same(const struct tallies *a, const struct tallies *b);

/* Whom a job counts for: "PBS_ALL", its user, its group, its project. */
const char *tally_name_of(const struct job *j, char kind);

/* The sum of an entity's part; 0 of somebody without jobs. */
size_t tally_jobs(const struct tallies *tallies, char kind, const char *name,
                  enum tally_part part);
/* Memory of the attributes and scripts of all their jobs. */
size_t tally_bytes(const struct tallies *tallies, char kind, const char *name);
tally_number tally_amount(const struct tallies *tallies, char kind, const char *name,
                          const struct resource_def *def, enum tally_part part);

/* A value as it is added up; 0 for a resource that is no amount. Never below nothing: a
 * job would make room for others of its user. */
tally_number tally_number_of(const struct resource_def *def,
                             const struct attr_value *value);

#endif
