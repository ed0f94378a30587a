/* ralter.h - what the options of pbs_ralter ask for, and what is said about an answer
 * (cli.md 10.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_PBS_RALTER_RALTER_H
#define CMDS_PBS_RALTER_RALTER_H

#include "cmds/common/cmd.h"
#include "cmds/common/dry_run.h"

#define CMD "pbs_ralter"

extern const char ralter_usage[];

struct ralter {
    struct attropl *attrs;
    const char *server; /* of -q; NULL: the one that the id names */
    bool force, timed, waits;
    unsigned terms; /* enum holdfast_flag bits: what only our own server understands */
    struct dry_run dry;
};

/* options.c */

/* Read the options; operands are argv[optind] and what follows. 0, or the exit code
 * when something is wrong, which has been said. *r is zeroed but for dry.cmd; its
 * attributes are the caller's to free in both cases. */
int ralter_parse(struct ralter *r, int argc, char **argv);

/* say.c. 'index' is that of operand_occurrence(). */

/* The options by the attributes that they send, for errors that name an attribute.
 * Resource_List is not among them: its errors are told with the library's text. */
extern const struct cmd_option ralter_letters[];
extern const size_t ralter_n_letters;

/* What lies behind the answer: why not, or who else was promised the vnodes. */
void ralter_say_more(const struct ralter *r, int conn, const char *id, int index,
                     const char *answer);

/* The server names a bad attribute in the last word of its text: say which option that
 * was. False: it names none. */
bool ralter_say_bad_value(int conn, const struct attropl *sent);

/* Its owner may alter it, so who is refused wonders what is different this time. */
void ralter_explain_rights(const struct ralter *r);

/* The second line behind a refusal with 'error' and 'text': what is wrong with the
 * times, or with the chunks, compared with what the reservation has. */
void ralter_explain(const struct ralter *r, int conn, const char *id, int index,
                    int error, const char *text);

#endif
