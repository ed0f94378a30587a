/* directive_rows.h - how each kind of directive is read; private to the table of them
 * (directives.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_DIRECTIVE_ROWS_H
#define MOM_SHELL_DIRECTIVE_ROWS_H

#include "mom/shell/directives.h"

#define SECONDS_MAX                                                                    \
    INT32_MAX /* as milliseconds, and beside a time, it stays a number */

struct directive;
/* Take what stands behind the name into r->c, and say it in the log. False: it is
 * wrong; what is wrong may have been said. */
typedef bool (*directive_fn)(struct reading *r, const struct directive *d,
                             const char *arg);
struct directive {
    const char *name;
    directive_fn take;
    size_t offset;    /* in struct config, for the simple ones; 0: it has no member */
    bool is_unserved; /* checked, and said in the log */
};

/* One value (directive_values.c), for the member that the row names if it names one. */
bool directive_seconds(struct reading *r, const struct directive *d, const char *arg);
bool directive_prolog_alarm(struct reading *r, const struct directive *d,
                            const char *arg);
bool directive_factor(struct reading *r, const struct directive *d, const char *arg);
bool directive_mask(struct reading *r, const struct directive *d, const char *arg);
bool directive_text(struct reading *r, const struct directive *d, const char *arg);
bool directive_vnode_name(struct reading *r, const struct directive *d,
                          const char *arg);
bool directive_port(struct reading *r, const struct directive *d, const char *arg);
bool directive_bool(struct reading *r, const struct directive *d, const char *arg);
bool directive_version(struct reading *r, const struct directive *d, const char *arg);

/* A directory (directive_paths.c). */
bool directive_tmpdir(struct reading *r, const struct directive *d, const char *arg);
bool directive_checkpoint_path(struct reading *r, const struct directive *d,
                               const char *arg);
bool directive_jobdir_root(struct reading *r, const struct directive *d,
                           const char *arg);

/* One more of a list, or a list (directive_lists.c). */
bool directive_client(struct reading *r, const struct directive *d, const char *arg);
bool directive_restricted(struct reading *r, const struct directive *d,
                          const char *arg);
bool directive_usecp(struct reading *r, const struct directive *d, const char *arg);
bool directive_exceptions(struct reading *r, const struct directive *d,
                          const char *arg);

/* Several words (directive_words.c). */
bool directive_cgroups(struct reading *r, const struct directive *d, const char *arg);
bool directive_enforce(struct reading *r, const struct directive *d, const char *arg);
bool directive_load(struct reading *r, const struct directive *d, const char *arg);
bool directive_suspendsig(struct reading *r, const struct directive *d,
                          const char *arg);
bool directive_kbd_idle(struct reading *r, const struct directive *d, const char *arg);

/* A program of the administrator (directive_action.c). */
bool directive_action(struct reading *r, const struct directive *d, const char *arg);

#endif
