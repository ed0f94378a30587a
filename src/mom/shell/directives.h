/* directives.h - the lines of mom_priv/config that begin with a dollar sign; private to
 * the reading of the configuration (config.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_DIRECTIVES_H
#define MOM_SHELL_DIRECTIVES_H

#include "mom/shell/config.h"

struct reading { /* of the files */
    struct config *c;
    const struct config_log *log;
    const char *mom_priv;
    const char *file;
    bool ok; /* no line was wrong so far */
};

/* A line of the log about the files: 'event' as in lib/base/log.h. Longer ones are cut.
 */
void reading_say(const struct reading *r, int event, const char *object,
                 const char *fmt, ...) PRINTF_LIKE(4, 5);

/* What is wrong, as PBS logs errors: "ROUTINE, words", and before that the words and
 * the number of 'error' if there is one (execution.md 5). 'event': 0, or bits beside
 * that of errors. */
void reading_fail(const struct reading *r, int event, int error, const char *routine,
                  const char *fmt, ...) PRINTF_LIKE(5, 6);

/* What holds without a line that says otherwise. */
void directives_defaults(struct config *c);
void directives_default_polls(struct config *c);

/* Take "$name value", the n-th line of the file. What is wrong with it is said, and the
 * reading is not ok any more. */
void directive_take(struct reading *r, int n, const char *line);

/* A resource of the host: a line without a dollar sign, or what a directive publishes
 * (execution.md 8). Copied. */
void directive_add_resource(struct reading *r, const char *name, size_t name_len,
                            const char *value);

/* For tests: the names of all directives, NULL behind the last; whether that one is
 * served, or only known and said in the log. */
const char *directive_name(size_t i, bool *ret_is_served);

#endif
