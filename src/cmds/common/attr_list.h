/* attr_list.h - the attribute list of a request, in the order of the command line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_ATTR_LIST_H
#define CMDS_COMMON_ATTR_LIST_H

#include "cmds/common/cmd.h"
#include "lib/base/buf.h"

/* Append an entry, or put the value in the place of one with the same name and
 * resource. Texts are copied; attrs_free() ends the list. */
void attrs_set(struct attropl **list, const char *name, const char *resource,
               const char *value);
void attrs_free(struct attropl *list);

/* A copy of the whole list; free it with attrs_free(). */
struct attropl *attrs_copy(const struct attropl *list);

/* The value of an entry, NULL when it is not there. */
const char *attrs_get(const struct attropl *list, const char *name,
                      const char *resource);

/* The text of "-l name[=value],..." into entries of Resource_List (cli.md 1.10). On a
 * mistake prints "<cmd>: illegal -l value" and, for quoting, where; returns false. */
bool attrs_add_resources(struct attropl **list, const char *cmd, const char *text);

/* Append "name=value" to a Variable_List, behind a comma where it is not the first.
 * Each of the characters 'special' gets a backslash before it: variables are one list
 * with commas, so a comma has to be protected, and of the user's own variables also
 * what -v gives a meaning to (cli.md 3.6). */
void variable_add(struct buf *out, const char *name, const char *value,
                  const char *special);

/* One setting of "-W name=value,..." (cli.md 1.11). *text moves to the next one.
 * Returns 1 with *name and *value set (the caller frees both), 0 at the end, -1 for a
 * mistake. */
int attrs_next_w(const char **text, char **name, char **value);

#endif
