/* keys.h - what the user types in an interactive job, and the two commands to qsub that
 * may stand at the start of a line (cli.md 3.8, step 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_KEYS_H
#define CMDS_QSUB_KEYS_H

#include "lib/base/buf.h"

struct keys {
    uint8_t kill, interrupt, suspend; /* control characters of the terminal */
    bool line_begins;                 /* the next character is the first of its line */
    bool has_tilde;                   /* the line has begun with '~', which waits */
};

enum keys_act {
    KEYS_GO_ON,
    KEYS_END,     /* "~.": the session is over */
    KEYS_SUSPEND, /* "~" and the suspend character: qsub itself stops for a while */
};

/* A session begins at the start of a line. */
void keys_init(struct keys *k, uint8_t kill, uint8_t interrupt, uint8_t suspend);

/* One character that was typed. What the job is to get of it is appended to 'out':
 * nothing while a '~' waits for what follows, and nothing of a command. */
enum keys_act keys_type(struct keys *k, uint8_t c, struct buf *out) MUST_CHECK;

#endif
