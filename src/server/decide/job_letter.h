/* job_letter.h - letters about jobs (operations.md 18): who wants one, who gets it, and
 * how it begins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_JOB_LETTER_H
#define SERVER_DECIDE_JOB_LETTER_H

#include "server/decide/effect.h"

/* What a letter is about. */
enum letter_point {
    LETTER_ALWAYS = 0, /* it is sent whatever Mail_Points says */
    LETTER_BEGIN = 'b',
    LETTER_END = 'e',
    LETTER_ABORT = 'a', /* also where Mail_Points is unset */
};

/* Is a letter about that point of the job to be sent? One about a subjob is only where
 * the points have a "j", also when it is always sent. */
bool job_wants_letter(const struct object *job, enum letter_point point);

/* Append the letter, which may leave when record 'seq' is durable. 'text': its last
 * lines, each with its line end. */
void job_letter(struct effects *out, uint64_t seq, const struct object *job,
                const char *text);

#endif
