/* json.h - the json and dsv forms that the status commands share (cli.md 4.10, 4.11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_JSON_H
#define CMDS_COMMON_JSON_H

#include "lib/base/base.h"

#include <time.h>

/* A document in the making: "timestamp", "pbs_version", "pbs_server", then one object
 * of objects per group. */
struct json;

/* A document without groups, made at 'now_at'; json_print_and_free() takes it. */
struct json *json_new(time_t now_at) MUST_CHECK;
/* What the server said of itself; the first call counts. */
void json_head(struct json *j, const char *version, const char *server);
/* Begin an object, "Jobs"/"1.svr"; later attributes belong to it. */
void json_object_begin(struct json *j, const char *group, const char *name);
/* Members of one attribute become a nested object. Values that are JSON by themselves
 * (numbers, true, ...) stay so; names of jobs, projects and accounts are always text.
 */
void json_attr(struct json *j, const char *name, const char *resource,
               const char *value);
/* The same for a limit that may have several entries. JOINED: one text with commas
 * between the entries. REPEATED: the name again for each of them, which JSON leaves to
 * its readers. */
enum json_entries {
    JSON_JOINED,
    JSON_REPEATED,
};
void json_limit(struct json *j, const char *name, const char *resource,
                const char *value, enum json_entries how);
/* A nested object that is there even when no member follows. */
void json_members_begin(struct json *j, const char *name);
/* A list of texts, empty at first. */
void json_array_begin(struct json *j, const char *name);
void json_array_add(struct json *j, const char *name, const char *text);
void json_print_and_free(struct json *j);

/* A dsv value: the delimiter and backslashes in it are escaped. */
void dsv_print_value(const char *text, const char *delimiter);

#endif
