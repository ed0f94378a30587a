/* table.c - which rules there are, in the order in which they are asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/rules/rules.h"

const struct rule_row rule_rows[] = {
    /* reservations */

    /* jobs */

    /* vnodes */
    { OBJ_KIND_COUNT, "", NULL, NULL }, /* an array is never empty */
};
const size_t n_rule_rows = ARRAY_LEN(rule_rows);

struct record *rule_decide(const struct rule_context *c, const struct object *o,
                           enum fact fact, struct decision *out)
{
    return record_add(&out->records, out->arena, fact, o->kind,
                      arena_strdup(out->arena, o->id), c->server_actor, c->now_at);
}
