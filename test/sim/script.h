/* script.h - scenarios as text: what happens when, and what is expected then
 * (scenarios/README).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_SCRIPT_H
#define TEST_SIM_SCRIPT_H

#include "lib/base/base.h"

struct sim;
struct script;
struct counts;
struct sweep;

/* A text of lines; NULL when one of them makes no sense, with words on stderr. */
struct script *script_parse(const char *name, const char *text);
void script_free(struct script *sc);

/* Run it in a new complex; true when no checker found anything. What happens is counted
 * in *counts, NULL: not at all. */
bool script_run(const struct script *sc, uint64_t seed, bool trace,
                struct counts *counts);
/* The same with one kill, or none; what it counts is in *sweep afterwards. */
bool script_sweep(const struct script *sc, bool trace, struct sweep *sweep);

/* For script.c, action.c and expect.c. */

#define WORDS_MAX 40

struct words {
    size_t n;
    const char *v[WORDS_MAX];
};

/* The word behind 'word', NULL when it is not there. */
const char *words_after(const struct words *w, const char *word);
/* The value of "name=value", NULL. */
const char *words_value(const struct words *w, const char *name);
/* Do the words from the i-th on begin with this blank-separated text? "*" is any. */
bool words_are(const struct words *w, size_t i, const char *text);

/* A line by the words that it begins with; fn: false when the others make no sense. */
struct action {
    const char *pattern;
    bool (*fn)(struct sim *s, const struct words *w);
};
/* NULL: the line is none of these. */
const struct action *action_find(const struct action *table, size_t n,
                                 const struct words *w);
/* action_daemons.c */
const struct action *action_of_daemons(const struct words *w);

/* Carry out a line; false: it makes no sense. */
bool action_do(struct sim *s, const struct words *w);
bool expect_do(struct sim *s, const struct words *w);

/* The id of what bears that label, NULL: it is not there. */
const char *label_id(const struct sim *s, const char *label);
/* A vnode by name, or by what "call" named. */
const char *vnode_named(const struct sim *s, const char *word);

#endif
