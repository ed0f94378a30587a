/* facts.h - what was found out about the world outside, by need (doc/design/032).
 *
 * The engine has one table of what is good for everybody: its answers expire, because
 * the world changes. A request that waits has one of its own: what it has learned stays
 * true for it until it is decided, however long the rest takes. So have the rules of an
 * object, which decide again and again: they forget an answer when they have used it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_FACTS_H
#define SERVER_DECIDE_FACTS_H

#include "server/decide/need.h"

struct facts;

/* 'most' answers: the oldest ones go when there are more. 0: no limit. */
struct facts *facts_new(size_t most);
void facts_free(struct facts *f); /* NULL is fine */

/* The answer that is still good at 'now_at', NULL when there is none. It lives until
 * the next change of the table. */
const struct finding *facts_find(const struct facts *f, const struct need *need,
                                 int64_t now_at);

/* Keep a copy of an answer, instead of an older one, until then. */
void facts_learn(struct facts *f, const struct need *need,
                 const struct finding *finding, int64_t until_at);

/* The same, for a decision that may be made because of it: see facts_forget_used(). */
const struct finding *facts_use(struct facts *f, const struct need *need,
                                int64_t now_at);

/* What follows is another decision, which has used nothing yet. Time: linear in what
 * the last one has used, as that of facts_forget_used(). */
void facts_begin_use(struct facts *f);
/* The decision is made: what was used for it is forgotten. It is not asked again for
 * the same reason, and a later question is another one. */
void facts_forget_used(struct facts *f);
/* Forget answers that are not good any more at 'now_at', the oldest ones first, up to
 * one that is still good. */
void facts_forget_old(struct facts *f, int64_t now_at);

/* How long an answer is good that came at 'now_at': an account or address that was
 * changed is known anew after a minute, a service that failed is asked again soon. */
int64_t facts_good_until(const struct finding *finding, int64_t now_at);

/* Bytes of memory of all answers. */
size_t facts_bytes(const struct facts *f);

#endif
