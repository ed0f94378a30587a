/* counts.h - how often something happened in the runs of one program, by words: which
 * lines stories have, which records their servers made, what became of requests and of
 * alterations. Who writes stories sees there what they leave out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_COUNTS_H
#define TEST_SIM_COUNTS_H

#include "server/engine/svr.h"

struct sim;
struct count;
struct wish;

struct counts {
    struct count *list;
};

void counts_fini(struct counts *c);
/* One more of these words, where somebody counts (s->counts). */
void counts_add(const struct sim *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A line for each, in order of the words. */
void counts_print(struct counts *c);

/* A record is about to be applied to 'm'. */
void count_record(const struct sim *s, const struct model *m, const struct record *rec);
/* A request was answered, also when it had to wait; 'reply' NULL: it waits. */
void count_request(const struct sim *s, uint32_t number,
                   const struct wire_reply *reply);
/* What became ("asked", "granted", "denied") of what the alteration wants of 'r'. */
void count_alteration(const struct sim *s, const struct resv *r, const struct wish *w,
                      const char *fate);

#endif
