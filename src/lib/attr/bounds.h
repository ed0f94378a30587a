/* bounds.h - how much may be in one list, and in one request about an object.
 *
 * These are limits for what comes from clients, checked before a text is decoded; what
 * is in the store already is read without them. They keep the time that one request
 * takes in bounds (doc/security.md). A refusal is PBSE_BADATVAL with the attribute's
 * name, or PBSE_IVALREQ when the request as a whole is too much.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_BOUNDS_H
#define LIB_ATTR_BOUNDS_H

#include "lib/attr/value.h"

/* Members of a list of texts (Variable_List, User_List, ...) and entries of a limit per
 * entity (max_run). */
#define LIST_MAX_MEMBERS           65536
/* Bytes of a text that is kept in order: each member is compared with many others. */
#define ORDERED_MAX_BYTES          (1u << 20)
/* Chunks of a select, parts of a nodes specification, and their resources together. */
#define SELECT_MAX_CHUNKS          10000
#define SELECT_MAX_PAIRS           40000
/* Entries of one attribute list of a request. */
#define REQUEST_MAX_ENTRIES        10000
/* Ids in one request: jobs to be deleted, jobs whose status is asked for. */
#define REQUEST_MAX_IDS            200000
/* Bytes of values that the += and -= of one request may walk over together, where each
 * of them walks over the whole value. */
#define REQUEST_MAX_COMBINED_BYTES (8u << 20)

/* What is too much in a text of that type, in words for its sender; NULL when nothing
 * is. Time: one walk over the text. */
const char *attr_text_excess(const struct attr_type *type, const char *text);

/* The same for a value that was put together of several texts. Constant time. */
const char *attr_value_excess(const struct attr_type *type, const struct attr_value *v);

/* Bytes of memory that a value holds beside itself: its texts and its lists. */
size_t attr_value_bytes(const struct attr_type *type, const struct attr_value *v);

/* About how many bytes an operation on the value walks over. */
size_t attr_value_weight(const struct attr_type *type, const struct attr_value *v);

#endif
