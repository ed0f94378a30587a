/* job_array.h - a job array and its subjobs (attributes.md 14.2,
 * doc/design/010-jobs.md).
 *
 * The parent is a job whose id has empty brackets. A subjob has one of three forms: it
 * is a place among those that wait; it is an object of its own, from its first start
 * until its end was taken over by the parent; it is over, and is a part of a range of
 * equal outcomes (array_ends.h). What the parent says of its subjobs is derived here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_JOB_ARRAY_H
#define SERVER_MODEL_JOB_ARRAY_H

#include "lib/attr/indices.h"
#include "server/model/array_ends.h"
#include "server/model/model.h"

struct job_array {
    /* Those that can be started: without an object, or queued again. */
    struct index_set waiting;
    struct array_ends ends; /* from hf_array_ends */
    struct job *first;      /* the objects, by array_prev, array_next */
    size_t n_subjobs;
    size_t n_running, n_exiting; /* of them */
    size_t n_again;              /* of them: queued, and in 'waiting' as well */
    size_t n_expired;            /* likewise; the parent has not taken them over yet */
};

/* A job array, or one that has been. */
static inline bool job_is_array(const struct job *job)
{
    return job->array != NULL;
}

/* An array of which not every subjob waits for its first start. */
bool array_has_begun(const struct job *job);

/* An array in state B, or with subjobs that are objects: it ends with the last of them.
 */
bool array_is_under_way(const struct job *job);

/* What an id with brackets names. Exactly one of the three forms of a subjob holds when
 * 'place' is not INDEX_NO_PLACE. */
struct subjob {
    const struct job
        *array;   /* NULL: the id is that of no array, or of none that is here */
    size_t place; /* INDEX_NO_PLACE: the array has no such index */
    const struct job *job;       /* its object, or NULL */
    const struct array_end *end; /* when it is over and has no object, else NULL */
};

/* The subjob at a place of the array. */
struct subjob subjob_at(const struct model *m, const struct job *array, size_t place,
                        struct arena *arena);
/* By the id "7[3].svr". */
struct subjob subjob_find(const struct model *m, const char *id, struct arena *arena);

/* The parent of the array that an id names by one or several indices, with the list of
 * them ("3", "1-5:2", "1,4-6"); NULL when it names no indices or there is no such
 * array. */
const struct job *array_of_indices(const struct model *m, const char *id,
                                   struct arena *arena, const char **ret_list);

/* The job of that id; else, when it has indices between its brackets, the array that
 * they are of: a subjob that waits is no object. NULL: there is no such job. */
const struct job *job_behind(const struct model *m, const char *id,
                             struct arena *arena);

/* Does a list of indices name any that the array has? False for a list that cannot be
 * read. Time: linear in what its ranges name. */
bool array_has_indices(const struct job *array, const char *list);

/* The places that a list of indices names: false, and *ret is not made, when it names
 * none that the array has, or cannot be read. The caller ends it with
 * index_set_fini(). */
bool array_places(const struct job *array, const char *list,
                  struct index_set *ret) MUST_CHECK;

int64_t subjob_index(const struct job *array, size_t place);
const char *subjob_id(const struct job *array, size_t place, struct arena *arena);

/* The subjob as a job: its object when it has one, else one that is made up of its
 * parent and lives as long as the arena. Such a one has all attributes and the links to
 * queue and reservation; it is no object of the model. */
const struct job *subjob_view(const struct subjob *s, struct arena *arena);

/* Texts that the parent shows. */
const char *array_state_count(const struct job *array, struct arena *arena);
const char *array_indices_remaining(const struct job_array *a, struct arena *arena);

/* For how many jobs it counts where limits are counted (attributes.md 5): an array for
 * its subjobs that wait and are no objects, a subjob that is over for none. */
size_t job_weight(const struct job *job);
/* The same of a new job with these array_indices_submitted; NULL: it is no array. */
size_t new_job_weight(const char *indices);

/* The links: for link_job.c alone. */
void link_array(struct model *m, struct job *j);
void unlink_array(struct model *m, struct job *j);
/* The parent is out of the tables and about to be freed. */
void array_free(struct job *j);
bool arrays_same(const struct job_array *a, const struct job_array *b);

#endif
