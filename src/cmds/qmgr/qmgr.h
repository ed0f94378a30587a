/* qmgr.h - the parts of the administrator's command (cli.md 8).
 *
 * parse.c turns a line into a struct qmgr_command, run.c carries it out, show.c prints
 * objects, qmgr.c reads lines and options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QMGR_QMGR_H
#define CMDS_QMGR_QMGR_H

#include "cmds/common/cmd.h"
#include "lib/attr/row.h"

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
    VERB_QUIT,
    VERB_NONE, /* an empty line */
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

struct qmgr_command {
    enum qmgr_verb verb;
    int object; /* enum mgr_obj */
    struct qmgr_name *names;
    struct attropl *attrs; /* in the order written */
    char *topic;           /* help */
};

/* Parse one command (no ';', no continuation left in it). On a mistake prints it with a
 * caret unless 'quiet', and returns the code. The caller clears the command. */
enum qmgr_syntax qmgr_parse(const char *line, bool quiet, struct qmgr_command *ret);
void qmgr_command_clear(struct qmgr_command *c);

/* Word of a verb or object for messages: "queue". */
const char *qmgr_object_word(int object);
/* The attribute table of an object, NULL for resources. */
const struct attr_table *qmgr_table(int object);

struct qmgr {
    bool quiet; /* -z */
    const char **servers;
    int *conns;
    size_t n_servers;
    /* active queues and nodes, by object type */
    struct qmgr_name *active[12];
};

/* Carry out a parsed command; 0 or the code that the shell sees. */
int qmgr_run(struct qmgr *q, const struct qmgr_command *c);

/* Print objects as "list" shows them, or as commands that rebuild them. */
void qmgr_list(int object, const struct batch_status *objects);
void qmgr_print_objects(int object, const struct batch_status *objects,
                        bool with_create);
void qmgr_help(const char *topic);

#endif
