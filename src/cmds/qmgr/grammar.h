/* grammar.h - the language of qmgr: lines, commands, names, attributes, values
 * (cli.md 8.1, 8.2). Nothing here reads, prints to the terminal or knows a server.
 *
 * A line holds commands separated by ';'. A value is quoted by ' or ", or written as
 * $'...' with backslash escapes, which is how qmgr prints what the old forms cannot
 * say: line ends, both kinds of quotes, an ampersand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QMGR_GRAMMAR_H
#define CMDS_QMGR_GRAMMAR_H

#include "include/pbs_ifl.h"
#include "lib/attr/row.h"

#include <stdio.h>

/* In the order in which a shortened word is matched. */
enum qmgr_verb {
    VERB_CREATE,
    VERB_DELETE,
    VERB_SET,
    VERB_UNSET,
    VERB_LIST,
    VERB_PRINT,
    VERB_ACTIVE,
    VERB_IMPORT,
    VERB_EXPORT,
    VERB_HELP,
    VERB_QUESTION, /* never in a command: it becomes VERB_HELP */
    VERB_QUIT,
    VERB_EXIT, /* becomes VERB_QUIT */
    VERB_HISTORY,
    VERB_NONE, /* an empty command */
};

/* Exit codes of a line that is no command. */
enum qmgr_syntax {
    SYNTAX_OK = 0,
    SYNTAX_VERB = 1,
    SYNTAX_OBJECT = 2,
    SYNTAX_NAME = 3,
    SYNTAX_ATTR = 4,
};

struct qmgr_name {
    char *name;   /* "" for all of a server */
    char *server; /* NULL: not given; "default", "active" keep their words */
    struct qmgr_name *next;
};

/* Words of import and export. */
enum qmgr_word {
    WORD_CONTENT_TYPE,
    WORD_ENCODING,
    WORD_FILE, /* NULL with export: standard output */
    WORD_COUNT
};

struct qmgr_command {
    enum qmgr_verb verb;
    int object; /* enum mgr_obj */
    struct qmgr_name *names;
    struct attropl *attrs; /* in the order written */
    char *words[WORD_COUNT];
    char *topic; /* what follows help and history */
};

/* What is wrong, and where: 'column' blanks stand before the caret (cli.md 8.3). */
struct qmgr_mistake {
    enum qmgr_syntax code;
    size_t column;
    size_t len;     /* of the wrong word, for verbs and objects */
    char hint[160]; /* what to do about it, "" when there is nothing to say */
};

/* Parse one command (no ';', no comment, no continuation left in it). Returns
 * SYNTAX_OK and a command, which is VERB_NONE for a blank text; the caller clears it.
 * Or returns why->code; *ret holds nothing then. Columns count from the first character
 * that is no blank. */
enum qmgr_syntax qmgr_parse(const char *text, struct qmgr_command *ret,
                            struct qmgr_mistake *why) MUST_CHECK;
void qmgr_command_clear(struct qmgr_command *c);

/* The lines for standard error; the hint, when wanted, is one more line. */
void qmgr_mistake_print(const char *text, const struct qmgr_mistake *why, bool hint,
                        FILE *out);

/* The first command of 'text' is its first bytes, as many as are returned. *next is
 * where the next command begins, NULL when there is none: what follows a comment sign
 * is no command. */
size_t qmgr_command_len(const char *text, const char **next);

/* True when the text ends within quotes: what follows belongs to the last value. */
bool qmgr_ends_in_quotes(const char *text);

/* Words, for messages and completion; NULL behind the last. A prefix may be given. */
const char *qmgr_verb_word(size_t i);
const char *qmgr_object_word_at(size_t i);
const char *qmgr_object_word(int object);
/* Object type of a word or prefix of one, -1 when there is none. */
int qmgr_object_find(const char *word, size_t len);
enum qmgr_verb qmgr_verb_find(const char *word, size_t len);
/* The attribute table of an object; NULL for resources. */
const struct attr_table *qmgr_table(int object);

/* Values (quote.c). */

/* Read a value at *at, up to a blank, a comma or the end, and append it without its
 * quotes to 'out'. Returns true with *at behind it; or false with *at where the mistake
 * is: the beginning for an empty or unterminated value, else the character. */
bool qmgr_value_read(const char **at, struct buf *out) MUST_CHECK;
/* The same for a word that may have commas in it: a file's name. */
bool qmgr_word_read(const char **at, struct buf *out) MUST_CHECK;

/* Append 'text' so that qmgr_value_read() gives it back, in the plainest way. */
void qmgr_value_quote(const char *text, size_t len, struct buf *out);

/* Limits (limits.c). */

/* True for the attributes whose values are limits per entity. */
bool qmgr_is_limit(const char *attr);

/* NULL when text[0..len) is "[kind:name=value],..."; else where it is not. */
const char *qmgr_limit_mistake(const char *text, size_t len);

/* Length of an unquoted limit at 'text': entries with blanks in them. 0 when it does
 * not begin like one. */
size_t qmgr_limit_len(const char *text);

#endif
