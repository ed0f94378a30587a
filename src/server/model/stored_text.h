/* stored_text.h - texts that the server has written for itself and takes apart again.
 *
 * Whoever reads them relies on their form. It is looked at once, when they come out of
 * a store (load_check.c): one that was edited or is damaged is refused then, with words
 * about the row, and not found by an assertion in the middle of the night.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_STORED_TEXT_H
#define SERVER_MODEL_STORED_TEXT_H

#include "server/model/model.h"

/* Has the text of that attribute the form in which the server writes it? True for all
 * attributes whose texts nobody takes apart. */
bool stored_text_is_good(enum obj_kind kind, int attr, const char *text,
                         struct arena *arena) MUST_CHECK;

/* What goes by the state of a job: one that leaves for another server has a place to go
 * to, one that is suspended says how. */
bool stored_job_is_whole(const struct job *job) MUST_CHECK;

#endif
