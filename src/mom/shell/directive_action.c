/* directive_action.c - $action: the programs of the administrator
 * (execution.md 7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/directive_rows.h"

#include "lib/base/log.h"

#include <stdlib.h>
#include <string.h>

const char *const config_action_names[CONFIG_ACTION_COUNT] = {
    [CONFIG_ACTION_TERMINATE] = "terminate",
    [CONFIG_ACTION_CHECKPOINT] = "checkpoint",
    [CONFIG_ACTION_CHECKPOINT_ABORT] = "checkpoint_abort",
    [CONFIG_ACTION_RESTART] = "restart",
    [CONFIG_ACTION_MULTINODEBUSY] = "multinodebusy",
};

bool directive_action(struct reading *r, const struct directive *d, const char *arg)
{
    struct config_action *a;
    char *words = arena_strdup(r->c->arena, arg), *save = NULL, *event, *timeout, *word;
    char *end;
    size_t kind = 0;
    long limit_s;

    (void)d;
    event = strtok_r(words, " \t", &save);
    timeout = strtok_r(NULL, " \t", &save);
    word = strtok_r(NULL, " \t", &save);
    if (!event || !timeout || !word)
        return false;
    while (kind < CONFIG_ACTION_COUNT && strcmp(config_action_names[kind], event) != 0)
        kind++;
    limit_s = strtol(timeout, &end, 10);
    if (kind == CONFIG_ACTION_COUNT || *end || limit_s < 0 || limit_s > SECONDS_MAX)
        return false;
    a = &r->c->actions[kind];
    if (strcmp(word, "requeue") == 0) {
        *a = (struct config_action){ .requeues = true };
        return true;
    }
    if (word[0] != '!' || !word[1])
        return false;
    *a = (struct config_action){ .limit_s = limit_s };
    a->path = word[1] == '/'
                  ? arena_strdup(r->c->arena, word + 1)
                  : arena_printf(r->c->arena, "%s/%s", r->mom_priv, word + 1);
    while ((word = strtok_r(NULL, " \t", &save))) {
        if (a->n_args == CONFIG_ACTION_ARGS)
            return false;
        a->args[a->n_args++] = arena_strdup(r->c->arena, word);
    }
    reading_say(r, LOG_EV_SYSTEM, "action", "%s: %s", event, a->path);
    if (kind == CONFIG_ACTION_MULTINODEBUSY)
        reading_say(r, LOG_EV_SYSTEM, "action",
                    "%s: a script is known, and not served by this MoM", event);
    return true;
}
