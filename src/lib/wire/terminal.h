/* terminal.h - what qsub -I and the MoM of its job say to each other before the
 * session begins (cli.md 3.8, steps 5 and 6).
 *
 * The MoM connects and sends the id of the job in a field of fixed length; qsub answers
 * with its terminal: the type, the control characters and the size of its window. What
 * follows are the bytes of the session. There are no packets and no lengths: each field
 * is a text up to its NUL, and what stands behind that means nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_TERMINAL_H
#define LIB_WIRE_TERMINAL_H

#include "lib/base/base.h"

#define TERMINAL_ID_BYTES    276 /* the id of the job, with its NUL */
#define TERMINAL_FIELD_BYTES 80  /* the type, and the window, each with its NUL */
#define TERMINAL_N_CONTROL   6
#define TERMINAL_BYTES       (2 * TERMINAL_FIELD_BYTES + TERMINAL_N_CONTROL)

struct terminal {
    char type[TERMINAL_FIELD_BYTES]; /* the value of TERM; never empty */
    /* VINTR, VQUIT, VERASE, VKILL, VEOF, VSUSP, in this order. */
    uint8_t control[TERMINAL_N_CONTROL];
    unsigned short rows, cols, x_pixels, y_pixels;
};

/* The id as the MoM sends it, filled up with NUL bytes. False, and nothing written,
 * when it is empty or has no room for its NUL. */
bool terminal_put_id(const char *job_id, uint8_t bytes[TERMINAL_ID_BYTES]) MUST_CHECK;

/* The terminal as qsub sends it. A type that is too long for its field, or has
 * characters that no terminal's name has, is "unknown": half of a name would be that of
 * another terminal. */
void terminal_put(const struct terminal *t, uint8_t bytes[TERMINAL_BYTES]);

/* Read what qsub has sent. False, and nothing written, when a text has no NUL, does not
 * begin with its word, or the window is no four numbers of 16 bits; when the type has
 * characters that are not those of a terminal's name. */
bool terminal_get(const uint8_t bytes[TERMINAL_BYTES], struct terminal *ret) MUST_CHECK;

#endif
