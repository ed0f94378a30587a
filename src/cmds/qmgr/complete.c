/* complete.c - what the last word of a line can become: a verb, an object, a topic of
 * help, an attribute.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include <string.h>
#include <strings.h>

struct offer {
    const char *word; /* what is there of the word */
    size_t len;
    void (*found)(const char *word, void *arg);
    void *arg;
};

/* A word of the language: those are known in lower case only (cli.md 8.2), and "SE"
 * must not be finished to something that is refused. */
static void offer(const struct offer *o, const char *whole)
{
    if (strncmp(o->word, whole, o->len) == 0)
        o->found(whole, o->arg);
}

/* The name of an attribute, which the server finds in any case. */
static void offer_attr(const struct offer *o, const char *whole)
{
    if (strncasecmp(o->word, whole, o->len) == 0)
        o->found(whole, o->arg);
}

/* The last command of the line. */
static const char *last_command(const char *line)
{
    const char *next;

    for (;;) {
        qmgr_command_len(line, &next);
        if (!next)
            return line + strspn(line, " \t");
        line = next;
    }
}

static void offer_verbs(const struct offer *o)
{
    for (size_t i = 0; qmgr_verb_word(i); i++)
        if (i != VERB_QUESTION)
            offer(o, qmgr_verb_word(i));
}

static void offer_objects(const struct offer *o)
{
    int before = -1;

    for (size_t i = 0; qmgr_object_word_at(i); i++) {
        int object =
            qmgr_object_find(qmgr_object_word_at(i), strlen(qmgr_object_word_at(i)));

        if (object != before) /* "queues" is no other object than "queue" */
            offer(o, qmgr_object_word_at(i));
        before = object;
    }
}

static void offer_topics(const struct offer *o)
{
    for (size_t i = 0; qmgr_help_topic(i); i++)
        offer(o, qmgr_help_topic(i));
}

/* Offer the attributes that can be changed; for list and print, those that can be
 * seen. */
static void offer_attrs(const struct offer *o, int object, enum qmgr_verb verb)
{
    static const char *const of_resources[] = { ATTR_RESC_TYPE, ATTR_RESC_FLAG };
    const struct attr_table *table = qmgr_table(object);
    bool changes = verb == VERB_SET || verb == VERB_UNSET || verb == VERB_CREATE;

    for (size_t i = 0; object == MGR_OBJ_RSC && i < ARRAY_LEN(of_resources); i++)
        offer_attr(o, of_resources[i]);
    for (size_t i = 0; table && i < table->n; i++) {
        const struct attr_row *row = &table->rows[i];
        uint16_t who = changes ? row->write : row->read;

        if (!(row->flags & ATTR_INTERNAL) && (who & (WHO_OPERATOR | WHO_MANAGER)))
            offer_attr(o, row->name);
    }
}

size_t qmgr_complete(const char *line, void (*found)(const char *word, void *arg),
                     void *arg)
{
    const char *verb = last_command(line);
    /* What is typed may be no command yet, so the parser cannot be asked: words are
     * counted instead, and names of objects are not completed, since that would need a
     * request for each Tab. */
    size_t verb_len = strcspn(verb, " \t");
    const char *object = verb + verb_len + strspn(verb + verb_len, " \t");
    size_t object_len = strcspn(object, " \t");
    enum qmgr_verb v = qmgr_verb_find(verb, verb_len);
    const char *end = line + strlen(line), *word = end;

    while (word > line && !strchr(" \t,;", word[-1]))
        word--;
    struct offer o = { word, (size_t)(end - word), found, arg };
    /* Places are compared and not words: the word may be empty, at the end of the line.
     */
    if (word == verb)
        offer_verbs(&o);
    else if (word == object && v == VERB_HELP)
        offer_topics(&o);
    else if (word == object)
        offer_objects(&o);
    else if (v < VERB_ACTIVE && v != VERB_DELETE)
        offer_attrs(&o, qmgr_object_find(object, object_len), v);
    return o.len;
}
