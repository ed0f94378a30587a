/* full.h - the "-f" forms of status commands: wrapped lines, dsv, json
 * (cli.md 4.9-4.11).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_FULL_H
#define CMDS_COMMON_FULL_H

#include "cmds/common/cmd.h"
#include "cmds/common/json.h"

enum full_form {
    FULL_LINES,
    FULL_DSV,
    FULL_JSON
};

struct full {
    enum full_form form;
    const char *delimiter; /* of dsv */
    bool unwrapped;        /* -w */
    struct json *json;     /* with FULL_JSON */
};

/* Print (or collect) one object. 'title' is "Job Id", "Queue" or "Server", 'group' the
 * name of the json object that holds all of them. */
void full_print(struct full *f, const char *title, const char *group,
                const struct batch_status *object);

/* The form of a -F word, without regard to case; false when there is none. */
bool full_form_find(const char *word, enum full_form *ret);

/* Value of an attribute of a status object, NULL when it is not there. */
const char *status_value(const struct batch_status *o, const char *name,
                         const char *resource);

#endif
