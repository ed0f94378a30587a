/* field.h - a message body as a table of fields in wire order.
 *
 * One table encodes a struct, decodes it, prints it for people and makes random ones
 * for tests. The struct's members have the C type named at each kind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_FIELD_H
#define LIB_WIRE_FIELD_H

#include "lib/base/attrs.h"
#include "lib/wire/dis.h"

enum wire_kind {
    WIRE_END,
    WIRE_UINT,   /* uint32_t */
    WIRE_INT,    /* int32_t */
    WIRE_ULONG,  /* uint64_t */
    WIRE_LONG,   /* int64_t */
    WIRE_STRING, /* const char *, no NUL inside; 'max' characters, 0 no limit of its own
                  */
    WIRE_TEXT,   /* const char *, counted bytes that end at a first NUL */
    WIRE_OPT_STRING,     /* const char *, NULL when absent: int flag, then the string */
    WIRE_LEN_STRING,     /* const char *, not empty: int length, then the string */
    WIRE_OPT_LEN_STRING, /* const char *, "" travels as length 0 alone */
    WIRE_BYTES,          /* struct wire_bytes, at most 'max' */
    WIRE_SIZE,           /* uint32_t, the length of the wire_bytes at 'other' */
    WIRE_ATTRS,     /* struct wire_attrs, each entry's size is demanded to suffice */
    WIRE_ATTRS_LAX, /* struct wire_attrs, sizes are not looked at */
    WIRE_STRINGS,   /* struct wire_strings: count, then so many of at most 'max' */
    WIRE_STRINGS_TO_EMPTY, /* struct wire_strings: ended by an empty one */
    WIRE_STRINGS_TO_END,   /* struct wire_strings: ended by the message, or by an empty
                              one when it is read */
    WIRE_NUMBERS_TO_END,   /* struct wire_numbers: ended by the message */
    WIRE_NUMBERS_TO_ZERO,  /* struct wire_numbers, none 0: ended by a 0 */
    WIRE_ATTRS_OR_END,     /* struct wire_attrs: nothing at all when it is empty */
    WIRE_RECORDS, /* size_t here, pointer to records at 'other': count, then each */
};

struct wire_bytes {
    const char *data; /* may hold NUL bytes */
    size_t len;
};

struct wire_strings {
    size_t n;
    const char **v;
};

struct wire_numbers {
    size_t n;
    uint32_t *v;
};

struct wire_field {
    enum wire_kind kind;
    const char *name;
    size_t offset;
    size_t other;                    /* SIZE, RECORDS: offset of the companion */
    size_t max;                      /* limit as the kind says */
    const struct wire_field *fields; /* RECORDS: of each record */
    size_t record_bytes;             /* RECORDS: sizeof one */
};

#define WIRE_FIELD(kind_, type, member, max_)                                          \
    {                                                                                  \
        .kind = (kind_), .name = #member, .offset = offsetof(type, member),            \
        .max = (max_),                                                                 \
    }
#define WIRE_FIELD_SIZE(type, member, bytes_member)                                    \
    {                                                                                  \
        .kind = WIRE_SIZE, .name = #member, .offset = offsetof(type, member),          \
        .other = offsetof(type, bytes_member),                                         \
    }
#define WIRE_FIELD_RECORDS(type, n_member, v_member, fields_, record_type)             \
    {                                                                                  \
        .kind = WIRE_RECORDS, .name = #v_member, .offset = offsetof(type, n_member),   \
        .other = offsetof(type, v_member), .fields = (fields_),                        \
        .record_bytes = sizeof(record_type),                                           \
    }
#define WIRE_FIELDS_END                                                                \
    {                                                                                  \
        .kind = WIRE_END                                                               \
    }

/* Append the struct's fields. The struct must keep the table's limits. */
void wire_encode(struct buf *out, const struct wire_field *fields, const void *from);

/* Read the fields into the zeroed struct at 'to', all memory from in->arena. On an
 * error the struct is half filled: decode into one of your own and hand it over on
 * DIS_OK.
 *
 * What is allocated is bounded by the bytes present, whatever counts they hold. A text
 * takes less than its own bytes. An array is as long as its entries can be at most with
 * the bytes left, and an entry of it larger than its shortest form on the wire: 4 times
 * in a list of strings, 3.2 in a list of attributes, 6 2/3 in the worst of the records.
 * So one array is at most WIRE_MOST_TIMES the bytes present, and all that a message of
 * 'len' bytes takes at most WIRE_MOST_BYTES(len), of which the 256 are for its body's
 * struct and for alignment. The doors of whole messages (batch.h, is.h, tpp.h) give
 * back what a message took that they refuse. */
enum dis_error wire_decode(struct dis_in *in, const struct wire_field *fields,
                           void *to) MUST_CHECK;

/* All bytes that are left, of a body whose layout is not known yet; they are copied. */
void wire_take_rest(struct dis_in *in, struct wire_bytes *ret);

/* A body that was taken like that, when its layout is known: all of it, or DIS_PROTOCOL
 * when bytes are left. On failure nothing of it stays in the arena, while '*to' may be
 * half filled: it is a copy of the caller's. */
enum dis_error wire_decode_whole(const struct wire_bytes *rest,
                                 const struct wire_field *fields, struct arena *arena,
                                 void *to) MUST_CHECK;
#define WIRE_MOST_TIMES      7
#define WIRE_MOST_BYTES(len) (WIRE_MOST_TIMES * (len) + 256)

/* The fewest bytes that the fields take, every text and list empty where it may be. */
size_t wire_least_bytes(const struct wire_field *fields);

/* One line for people: name=value ..., bytes that do not print as \xNN. */
void wire_dump(struct buf *out, const struct wire_field *fields, const void *from);
void wire_dump_text(struct buf *out, const char *s, size_t len); /* quoted, escaped */

/* A random struct that keeps the table's limits, for tests: equal seeds, equal structs.
 */
void wire_random(uint64_t *seed, const struct wire_field *fields, void *to,
                 struct arena *arena);
uint32_t wire_random_below(uint64_t *seed, uint32_t limit); /* 0 .. limit-1 */

/* The attribute list by itself (wire.md 6). */
void wire_put_attrs(struct buf *out, const struct wire_attrs *list);
enum dis_error wire_get_attrs(struct dis_in *in, bool check_size,
                              struct wire_attrs *ret) MUST_CHECK;
void wire_dump_attrs(struct buf *out, const struct wire_attrs *list);

#endif
