/* suite.h - the cases that every store must pass, and words to write more with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_STORE_SUITE_H
#define TEST_UNIT_STORE_SUITE_H

#include "lib/store/store.h"

#include "lib/base/buf.h"

struct backend {
    const char *name;
    struct store *(*open_new)(void); /* an empty one */
    struct store *(*reopen)(struct store *s);
};

/* Returns what main() returns. */
int suite_run(const struct backend *b);

/* Everything the store holds, and what happened in it, as one text to be freed. */
char *suite_objects(struct store *s);
char *suite_journal(struct store *s, uint64_t since);
const char *suite_note(struct store *s, const char *key, struct arena *arena);

int suite_commit(struct store *s, const struct store_record *r, size_t n);

/* Two records to begin with, and what suite_objects() says of them. */
extern const struct store_record suite_first[2];
#define FIRST                                                                          \
    "+server/svr@1 comment=it's \"me\"; x; "                                           \
    "+queue/workq@2 enabled=True max_run.a=1 max_run.b=2; "

#define ASSERT_TEXT(made, expected)                                                    \
    do {                                                                               \
        char *made_ = (made);                                                          \
        if (strcmp(made_, expected) != 0)                                              \
            fprintf(stderr, "got:  %s\nnot:  %s\n", made_, expected);                  \
        CU_ASSERT_STRING_EQUAL(made_, expected);                                       \
        free(made_);                                                                   \
    } while (0)

#define RECORD(seq_, op_, kind_, id_, ...)                                             \
    {                                                                                  \
        .seq = seq_, .at = 1000 + seq_, .actor = "me@h", .fact = "f", .op = op_,       \
        .kind = kind_, .id = id_,                                                      \
        .n = sizeof((const struct store_change[]){ __VA_ARGS__ }) /                    \
             sizeof(struct store_change),                                              \
        .changes = (const struct store_change[])                                       \
        {                                                                              \
            __VA_ARGS__                                                                \
        }                                                                              \
    }

#endif
