/* stop.h - the end of the server: it may wait for jobs, and so may those who asked for
 * it (operations.md 12). Nothing of it outlives the process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_STOP_H
#define SERVER_ENGINE_STOP_H

#include "server/decide/request.h"
#include "server/model/model.h"

struct turn;

/* Who asked for the end and has not been answered. */
struct stop {
    size_t n;
    uint64_t *conns;
    bool quit_moms;
};

/* The request on 'conn' (0: nobody) wants the end of that kind. It is answered when
 * stop_if_done() finds no job to wait for. */
void stop_begin(struct turn *t, uint64_t conn, enum server_stop how, bool quit_moms);

/* The server ends in order: the next start goes on with the next number
 * (next_number.h). */
void stop_keeps_number(struct turn *t);

/* Every turn ends with it: answer and leave when nothing is waited for any more. */
void stop_if_done(struct turn *t);

/* Free the list of those who wait; nobody is answered. */
void stop_fini(struct stop *s);

#endif
