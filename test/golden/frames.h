/* frames.h - read the golden frames of test/golden/frames.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_GOLDEN_FRAMES_H
#define TEST_GOLDEN_FRAMES_H

#include "lib/base/arena.h"

struct frame {
    const char *kind; /* request, reply, command, bad, is, packet, tpp */
    const char *name;
    char direction; /* '>' client to server, '<' back */
    const char *data;
    size_t len;
};

struct frames {
    size_t n;
    struct frame *v;
};

/* All frames of "<top_srcdir>/test/golden/frames/<file>", in its order. Ends the
 * program with a message when the file cannot be read or a line is not understood. */
struct frames frames_load(struct arena *arena, const char *file);

/* The same for a corpus, "<top_srcdir>/test/fuzz/corpus/<file>": one input a line, with
 * \n, \\ and \xNN; a line that is empty or begins with '#' is none. */
struct frames inputs_load(struct arena *arena, const char *file);

#endif
