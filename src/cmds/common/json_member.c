/* json_member.c - see json_member.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/json_member.h"

#include "lib/base/base.h"

#include <stdlib.h>
#include <string.h>

/* The caller frees the result. */
static char *plain_copy(const char *text, size_t len)
{
    char *copy = xstrndup(text, len);

    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    return copy;
}

json_t *json_text(const char *text, size_t len)
{
    json_t *node = json_stringn(text, len);
    char *plain;

    if (node)
        return node;
    plain = plain_copy(text, len);
    node = json_string(plain);
    free(plain);
    MUST(node);
    return node;
}

json_t *json_member(const json_t *object, const char *name)
{
    json_t *found = json_object_get(object, name);
    char *plain;

    /* Nearly all names are UTF-8, so the copy is made only when that failed. */
    if (found)
        return found;
    plain = plain_copy(name, strlen(name));
    if (strcmp(plain, name) != 0)
        found = json_object_get(object, plain);
    free(plain);
    return found;
}

void json_member_set(json_t *object, const char *name, json_t *node)
{
    MUST(json_is_object(object) && node && node != object);
    /* json_object_set_new() would free the node together with the refusal of its name,
     * while callers still hold it. This one takes a reference of its own. */
    if (json_object_set(object, name, node) != 0) {
        char *plain = plain_copy(name, strlen(name));
        int failed = json_object_set(object, plain, node);

        free(plain);
        MUST(!failed);
    }
    json_decref(node);
}

json_t *json_member_object(json_t *object, const char *name)
{
    json_t *node = json_member(object, name);

    if (!json_is_object(node)) {
        node = json_object();
        json_member_set(object, name, node);
    }
    return node;
}
