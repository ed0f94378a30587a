/* json_member.h - members of JSON objects whose names come from a server.
 *
 * A key of JSON is UTF-8, and jansson refuses any other. A name may hold any bytes:
 * then each of its bytes beyond ASCII becomes '?', so that the member is there all the
 * same. Two names that differ in such bytes only are one member.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_JSON_MEMBER_H
#define CMDS_COMMON_JSON_MEMBER_H

#include <jansson.h>
#include <stddef.h>

/* Digits of a number that is no whole one, for json_dumps(). Jansson's own 17 show 0.1
 * as 0.10000000000000001; with 15 each number of that many digits stays as it came. */
#define JSON_DIGITS JSON_REAL_PRECISION(15)

/* The text as a node, never NULL: a text that is no UTF-8 is changed as names are. The
 * caller owns the node. */
json_t *json_text(const char *text, size_t len);

/* The member of that name, NULL when there is none. The object keeps it. */
json_t *json_member(const json_t *object, const char *name);

/* Make 'node' the member of that name, in the place of an older one. The object owns
 * 'node' from now on, and has it in any case: a caller may go on filling it. */
void json_member_set(json_t *object, const char *name, json_t *node);

/* The member of that name as an object, made when there is none or it is something
 * else. The object keeps it. */
json_t *json_member_object(json_t *object, const char *name);

#endif
