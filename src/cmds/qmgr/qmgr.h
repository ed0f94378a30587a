/* qmgr.h - the parts of the administrator's command (cli.md 8).
 *
 * grammar.h is the language. Here: servers.c knows connections, run.c carries commands
 * out, show.c and list_json.c print objects, hooks.c moves the files of hooks, help.c
 * explains, input.c reads lines, complete.c finishes words at a terminal, qmgr.c has
 * the options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QMGR_QMGR_H
#define CMDS_QMGR_QMGR_H

#include "cmds/common/cmd.h"
#include "cmds/qmgr/grammar.h"

#include <time.h>

#define QMGR_SERVERS_MAX 64 /* more than the library has connections */
#define QMGR_OBJECTS_MAX 12

enum qmgr_exit {
    EXIT_LOCAL = 1, /* a file, or a lost server */
    EXIT_NO_SERVER = 3,
    EXIT_NOTHING = 255, /* help, or a line without a command */
};

struct qmgr_server {
    char *name; /* as it was given; "" is the default one */
    int conn;   /* -1: not open */
    bool active;
    time_t used_at;
};

struct qmgr_input;

struct qmgr {
    bool quiet;  /* -z */
    bool json;   /* -F json */
    bool hints;  /* standard error is a terminal: say what to do */
    bool replay; /* commands come from a file or a pipe */
    bool lost;   /* a server went away: nothing more can be done */
    struct qmgr_server servers[QMGR_SERVERS_MAX];
    size_t n_servers;
    struct qmgr_name *active[QMGR_OBJECTS_MAX]; /* by object type */
    struct qmgr_input *input;                   /* NULL with -c */
};

/* servers.c. */

/* One server that a command goes to, and its name for messages. */
struct qmgr_target {
    struct qmgr_server *server;
    const char *shown;
};

struct qmgr_targets {
    size_t n;
    struct qmgr_target v[QMGR_SERVERS_MAX];
};

/* Connect to 'name' ("" or "default": the default server), or find it connected.
 * NULL after a failure, which has been told. */
struct qmgr_server *qmgr_server_open(struct qmgr *q, const char *name);

/* The servers that a word after '@' means: NULL and "active" are all active ones.
 * 0, or the code of the failure, which has been told. */
int qmgr_targets(struct qmgr *q, const char *word, struct qmgr_targets *ret);

/* These, and no others, are active from now on. */
void qmgr_servers_activate(struct qmgr *q, const char *name, bool first);
void qmgr_servers_close(struct qmgr *q);

/* Tell what the last call on the target's connection was refused with; the code for the
 * shell. 'object' as in "obj=". When the connection is gone q->lost is set. */
int qmgr_refused(struct qmgr *q, const struct qmgr_target *t, const char *object);

/* run.c. */

/* Carry out a parsed command; 0 or the code that the shell sees. */
int qmgr_run(struct qmgr *q, const struct qmgr_command *c);

/* The objects of a kind, NULL with pbs_errno 0 when there are none. */
struct batch_status *qmgr_status(const struct qmgr_target *t, int object,
                                 const char *name, const struct attropl *wanted);

/* types.c. */

/* Types of resources: the built-in ones, and those of the site when one is asked for.
 */
struct qmgr_types {
    const struct qmgr_target *target;
    struct resource_defs *defs; /* NULL until needed */
    bool asked;
};

/* NULL for an unknown resource. */
const struct attr_type *qmgr_resource_type(struct qmgr_types *types, const char *name);
void qmgr_types_fini(struct qmgr_types *types);

/* True for types whose values are lists with commas: strings and access lists. */
bool qmgr_is_list_type(const struct attr_type *type);
/* True when the value of an attribute is to be taken apart at its commas. */
bool qmgr_is_list(struct qmgr_types *types, int object, const struct attrl *a);
/* Length of the member at 'text': a backslash protects a comma. */
size_t qmgr_member_len(const char *text);

/* show.c. */

/* "list" and "print" of one name ("" for all) on one server. */
int qmgr_show(struct qmgr *q, const struct qmgr_command *c, const char *name,
              const struct qmgr_target *t);

/* Resources without those that every server has; the others are freed. */
struct batch_status *qmgr_custom_only(struct batch_status *list);

/* The columns of "list": one attribute, its line end included. */
void qmgr_list_attr(const struct attrl *a, struct buf *out);

/* list_json.c. */

/* "list" with -F json: one document for the objects. */
void qmgr_list_json(int object, const char *title, const struct batch_status *objects,
                    struct qmgr_types *types);

/* hooks.c. */

/* "import" and "export" of one hook of one server, with the file that the command
 * names ("-": standard input, standard output). 0, or the exit status of qmgr when it
 * failed, which is told on stderr. */
int qmgr_import(struct qmgr *q, const struct qmgr_command *c, const char *name,
                const struct qmgr_target *t);
int qmgr_export(struct qmgr *q, const struct qmgr_command *c, const char *name,
                const struct qmgr_target *t);
/* What print adds to a hook: commands with its contents. */
int qmgr_print_contents(struct qmgr *q, const struct qmgr_target *t, int object,
                        const char *name);

/* help.c. */

/* Print the page of a topic on stdout, the overview for "". */
void qmgr_help(const char *topic);
/* The i-th topic, NULL behind the last. */
const char *qmgr_help_topic(size_t i);

/* input.c. */

/* Lines from standard input, with editing and history at a terminal. */
struct qmgr_input *qmgr_input_open(void);
void qmgr_input_close(struct qmgr_input *in);

enum qmgr_line {
    LINE_COMMANDS,
    LINE_BAD, /* nothing of it can be carried out */
    LINE_END
};

/* The next line with its continuations, blank lines and comments left out; of a bad one
 * what is wrong with it, "line 7 contains a NUL byte". The caller frees *ret. */
enum qmgr_line qmgr_input_line(struct qmgr_input *in, char **ret);
/* A line as it stands, without its line end; NULL at the end. For import from "-".
 * *wrong is NULL, or says why the line is not as it came: "is longer than a megabyte".
 */
char *qmgr_input_raw(struct qmgr_input *in, const char **wrong);
bool qmgr_input_is_terminal(const struct qmgr_input *in);
unsigned long qmgr_input_line_number(const struct qmgr_input *in);
/* "history [n]". */
int qmgr_input_history(struct qmgr_input *in, const char *count);

/* complete.c. */

/* What can stand where the last word of 'line' begins, as far as it begins with that
 * word: calls 'found' for each. Returns the length of the word. */
size_t qmgr_complete(const char *line, void (*found)(const char *word, void *arg),
                     void *arg);

#endif
