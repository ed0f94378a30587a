/* words.c - verbs and objects, and how they may be shortened (cli.md 8.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/grammar.h"

#include <string.h>

static const char *const verbs[] = {
    [VERB_CREATE] = "create", [VERB_DELETE] = "delete",   [VERB_SET] = "set",
    [VERB_UNSET] = "unset",   [VERB_LIST] = "list",       [VERB_PRINT] = "print",
    [VERB_ACTIVE] = "active", [VERB_IMPORT] = "import",   [VERB_EXPORT] = "export",
    [VERB_HELP] = "help",     [VERB_QUESTION] = "?",      [VERB_QUIT] = "quit",
    [VERB_EXIT] = "exit",     [VERB_HISTORY] = "history",
};

/* In the order in which a prefix is matched. */
static const struct {
    const char *word;
    int object;
    const struct attr_table *table;
} objects[] = {
    { "server", MGR_OBJ_SERVER, &server_table },
    { "queue", MGR_OBJ_QUEUE, &queue_table },
    { "queues", MGR_OBJ_QUEUE, &queue_table },
    { "node", MGR_OBJ_NODE, &node_table },
    { "nodes", MGR_OBJ_NODE, &node_table },
    { "resource", MGR_OBJ_RSC, NULL },
    { "sched", MGR_OBJ_SCHED, &sched_table },
    { "hook", MGR_OBJ_SITE_HOOK, &hook_table },
    { "pbshook", MGR_OBJ_PBS_HOOK, &hook_table },
};

static bool is_prefix(const char *word, size_t len, const char *whole)
{
    return len > 0 && len <= strlen(whole) && strncmp(word, whole, len) == 0;
}

const char *qmgr_verb_word(size_t i)
{
    return i < ARRAY_LEN(verbs) ? verbs[i] : NULL;
}

const char *qmgr_object_word_at(size_t i)
{
    return i < ARRAY_LEN(objects) ? objects[i].word : NULL;
}

enum qmgr_verb qmgr_verb_find(const char *word, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
        if (!is_prefix(word, len, verbs[i]))
            continue;
        /* Other parts know one verb of each pair only. */
        if (i == VERB_QUESTION)
            return VERB_HELP;
        return i == VERB_EXIT ? VERB_QUIT : (enum qmgr_verb)i;
    }
    return VERB_NONE;
}

int qmgr_object_find(const char *word, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(objects); i++)
        if (is_prefix(word, len, objects[i].word))
            return objects[i].object;
    return -1;
}

const char *qmgr_object_word(int object)
{
    for (size_t i = 0; i < ARRAY_LEN(objects); i++)
        if (objects[i].object == object)
            return objects[i].word;
    return "?";
}

const struct attr_table *qmgr_table(int object)
{
    for (size_t i = 0; i < ARRAY_LEN(objects); i++)
        if (objects[i].object == object)
            return objects[i].table;
    return NULL;
}
