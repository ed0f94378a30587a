/* shell_parts.h - what the files of shell.h know of each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_SHELL_PARTS_H
#define TEST_SIM_SHELL_PARTS_H

#include "sim.h"

#define SERVER_LEAF 0
#define SERVER_ADDR 0x0a000001

/* The effects of the turn under way; shell_end_turn() ends it. */
static inline struct effects *begin_turn(struct sim *s)
{
    return turns_effects(s->shell.turns);
}

/* The server is up, and what is due has been carried out: so what an input does is told
 * from what the time does. */
bool shell_is_ready(struct sim *s);

/* The next slice of the listing of 'conn', when others have had their turn. */
void shell_list_later(struct sim *s, uint64_t conn);

/* shell_errands.c: up to 'max' addresses of 'host' into 'ret'. Returns how many; 0: no
 * host has that name. */
size_t shell_host_addrs(const struct sim *s, const char *host, uint32_t *ret,
                        size_t max);
/* 'need' is found out, which takes its time; shell_learned() tells it. */
void shell_find_out(struct sim *s, const struct need *need);

/* shell_leave.c: what may leave does. */
void shell_release(struct sim *s);

/* shell_commit.c: what waits for the store becomes a commit, unless one is under way.
 */
void shell_submit(struct sim *s);

#endif
