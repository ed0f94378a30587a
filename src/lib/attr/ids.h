/* ids.h - identifiers of jobs and reservations, names and their limits
 * (attributes.md 10, reservations.md 1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_IDS_H
#define LIB_ATTR_IDS_H

#include "lib/base/arena.h"

#define ID_MAX_JOB     275
#define ID_MAX_RESV    276
#define NAME_MAX_QUEUE 15
#define NAME_MAX_HOST  255
#define NAME_MAX_JOB   230

/* "12.svr", "12[].svr", "12[3].svr", "12[1-5].svr"; the server part may be missing. */
struct job_id {
    uint64_t number;
    bool array;         /* brackets present */
    const char *index;  /* text between the brackets, "" for "[]" */
    const char *server; /* NULL when missing */
};
bool job_id_parse(const char *text, struct arena *arena, struct job_id *ret) MUST_CHECK;

/* Full ids, in the arena. 'letter' is R, S or M. */
const char *job_id_make(uint64_t number, const char *server, struct arena *arena);
const char *array_id_make(uint64_t number, const char *server, struct arena *arena);
const char *resv_id_make(char letter, uint64_t number, const char *server,
                         struct arena *arena);

/* The id of a subjob: "7[3].svr" of "7[].svr" and 3. */
const char *subjob_id_make(const char *array_id, int64_t index, struct arena *arena);

/* The text by which a reservation is found: between the first character and the first
 * dot ("R4.other" -> "4"). False when there is none. */
bool resv_id_key(const char *text, struct arena *arena, const char **ret) MUST_CHECK;

/* What jobs and queues may be called: letters, digits and a few marks, within their
 * limits of length. A queue's name begins with a letter or a digit. */
bool job_name_is_valid(const char *name);
bool queue_name_is_valid(const char *name);
/* Its length is limited by NAME_MAX_HOST, which has an error of its own. */
bool node_name_is_valid(const char *name);
/* What resources_available.host may be: letters, digits, '-', '_' and '.'
 * (resource-definitions.tsv); also the empty text. */
bool host_name_is_valid(const char *name);

#endif
