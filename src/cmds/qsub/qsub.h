/* qsub.h - the parts of job submission (cli.md 3).
 *
 * options.c knows what each option means and which of command line, script and server
 * default wins; script.c reads the script and its directives; environment.c builds
 * Variable_List; qsub.c puts them together and talks to the server. Who waits for the
 * job listens (callback.c); an interactive one has its terminal here (interactive.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_QSUB_H
#define CMDS_QSUB_QSUB_H

#include "cmds/common/attr_list.h"
#include "lib/base/buf.h"

#include <stdio.h>

#define CMD "qsub"

/* Where a setting came from; a higher level wins. */
enum level {
    LEVEL_NONE,
    LEVEL_SERVER,
    LEVEL_DIRECTIVE,
    LEVEL_COMMAND
};

struct qsub {
    struct attropl *attrs;
    char *destination;      /* -q, "" when not given */
    char *prefix;           /* -C, NULL when not given; "" turns directives off */
    char *variables;        /* -v, NULL when not given */
    bool all_variables;     /* -V */
    bool silent;            /* -z */
    bool foreground;        /* -f */
    bool interactive;       /* -I */
    bool x11;               /* -X */
    bool block;             /* -W block */
    enum level level[128];  /* by option letter */
    struct attropl *levels; /* the same as a digit, by the name of the attribute */
    int argc;
    char **argv;
    char *const *typed; /* argv before parsing changed its order */
};

extern const char qsub_usage[];

/* A copy with everything that it owns; free it with qsub_fini(). The words of the
 * command line are not copied, they belong to the caller of both. */
struct qsub qsub_copy(const struct qsub *q);
void qsub_fini(struct qsub *q);

/* Take the options of one source. argv[0] is skipped. Returns 0, or the exit status
 * after the mistake was printed. *operand is set to the index of the first operand. */
int qsub_options(struct qsub *q, int argc, char **argv, enum level level, int *operand);

/* What options say together, once all of them are read: 0, or the exit status after the
 * mistake was printed. */
int qsub_options_agree(const struct qsub *q);

/* The defaults of options that never appeared, in the order of cli.md 3.1. */
void qsub_defaults(struct qsub *q);

/* Read a script from 'in': its directives are carried out, the text, as it will run,
 * goes to 'out'. 0, or the exit status after the mistake was printed; what the stream
 * 'out' could not write is left to the caller to tell (ferror()). */
int qsub_script(struct qsub *q, FILE *in, FILE *out);

/* Split a directive line into words; -1 for an open quote, -2 for too many words. The
 * words are written over 'line'. */
int qsub_split(char *line, char **words, int max_words);

/* Variable_List; 0, or the exit status after the mistake was printed. */
int qsub_environment(struct qsub *q);

#endif
