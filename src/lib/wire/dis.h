/* dis.h - DIS values: integers, strings and floats as counted ASCII (wire.md 2).
 *
 * Reading is a bounded cursor over bytes that are all present: a value that runs past
 * the end is DIS_EOD, never a wait. Writing appends to a buf and cannot fail but for
 * infinite floats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_DIS_H
#define LIB_WIRE_DIS_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

/* The numbers appear in log lines (wire.md 2.1). */
enum dis_error {
    DIS_OK = 0,
    DIS_OVERFLOW = 1,
    DIS_HUGE = 2,
    DIS_BAD_SIGN = 3,
    DIS_LEADING_ZERO = 4,
    DIS_NON_DIGIT = 5,
    DIS_NULL_STRING = 6,
    DIS_EOD = 7,
    DIS_NO_MEMORY = 8,
    DIS_PROTOCOL = 9,
    DIS_NO_COMMIT = 10,
    DIS_EOF = 11,
};

/* The client library's text for a code. */
const char *dis_error_text(enum dis_error e);

struct dis_in {
    const char *at;
    const char *end;
    struct arena *arena; /* where strings are copied to */
};

/* The next number. On any error *ret and the cursor are as they were; DIS_EOD: the
 * bytes end before the number does; DIS_OVERFLOW: it does not fit the type. */
enum dis_error dis_get_uint(struct dis_in *in, uint32_t *ret) MUST_CHECK;
enum dis_error dis_get_int(struct dis_in *in, int32_t *ret) MUST_CHECK;
enum dis_error dis_get_ulong(struct dis_in *in, uint64_t *ret) MUST_CHECK;
enum dis_error dis_get_long(struct dis_in *in, int64_t *ret) MUST_CHECK;
enum dis_error dis_get_double(struct dis_in *in, double *ret) MUST_CHECK;

/* A string without NUL bytes, at most 'max' characters (0: bounded by the message).
 * What is taken from the arena is its length and one; nothing for an empty one. */
enum dis_error dis_get_string(struct dis_in *in, size_t max,
                              const char **ret) MUST_CHECK;

/* The same judgement, and no copy. */
enum dis_error dis_skip_string(struct dis_in *in, size_t max,
                               size_t *ret_len) MUST_CHECK;

/* Counted bytes; *ret is NUL-terminated for convenience. */
enum dis_error dis_get_bytes(struct dis_in *in, size_t max, const char **ret,
                             size_t *ret_len) MUST_CHECK;

/* Append a value in its shortest form. */
void dis_put_uint(struct buf *out, uint64_t value);
void dis_put_int(struct buf *out, int64_t value);
void dis_put_string(struct buf *out, const char *s); /* NULL is sent as "" */
void dis_put_bytes(struct buf *out, const void *p, size_t len);
/* 'digits': 6 float, 15 double, 18 long double (wire.md 2.3). */
enum dis_error dis_put_double(struct buf *out, double value, int digits) MUST_CHECK;

#endif
