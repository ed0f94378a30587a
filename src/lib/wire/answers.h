/* answers.h - the reply to AnswerResvs: which of the answers were refused.
 *
 * A status with one object for each answer that was refused, named as its reservation,
 * with the attributes
 *
 *     place   of the answer in the request, from 1
 *     code    a PBSE code
 *     text    its words
 *
 * An answer that is not named was taken. (doc/extensions.md)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_ANSWERS_H
#define LIB_WIRE_ANSWERS_H

#include "lib/wire/batch.h"

/* Append that the answer at 'index' (from 0) was refused; texts are copied into the
 * arena. */
void wire_answers_refuse(struct wire_objects *refused, struct arena *arena,
                         size_t index, const char *id, int code, const char *text);

/* What became of the answer at 'index': a reply without objects, with the code and the
 * words of its refusal, or 0. A refusal of the whole request is one of each answer, and
 * so is a code that is no number. Texts point into 'reply'. */
struct wire_reply wire_answers_reply(const struct wire_reply *reply, size_t index);

#endif
