/* answers.c - see answers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/answers.h"

#include "lib/base/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLACE "place"
#define CODE  "code"
#define TEXT  "text"

static void say(struct wire_object *o, struct arena *arena, const char *name,
                const char *text)
{
    wire_attrs_add(&o->attrs, arena, name, NULL, text, WIRE_OP_SET);
}

void wire_answers_refuse(struct wire_objects *refused, struct arena *arena,
                         size_t index, const char *id, int code, const char *text)
{
    struct wire_object *o =
        wire_objects_add(refused, arena, OBJECT_RESV, arena_strdup(arena, id));

    MUST(code != 0); /* what was taken is not named */
    say(o, arena, PLACE, arena_printf(arena, "%zu", index + 1));
    say(o, arena, CODE, arena_printf(arena, "%d", code));
    say(o, arena, TEXT, arena_strdup(arena, text));
}

static bool is_of(const struct wire_object *o, size_t index)
{
    const char *place = wire_attrs_value(&o->attrs, PLACE, NULL);

    return place && strtoull(place, NULL, 10) == index + 1;
}

struct wire_reply wire_answers_reply(const struct wire_reply *reply, size_t index)
{
    struct wire_reply one = { .code = reply->code, .text = reply->text };

    for (size_t i = 0; one.code == 0 && i < reply->objects.n; i++) {
        const struct wire_object *o = &reply->objects.v[i];
        const char *code;

        if (!is_of(o, index))
            continue;
        code = wire_attrs_value(&o->attrs, CODE, NULL);
        one.code = code ? (int32_t)strtol(code, NULL, 10) : 0;
        /* Who names an answer has refused it, whatever the number is. */
        if (one.code == 0)
            one.code = PBSE_PROTOCOL;
        one.text = wire_attrs_value(&o->attrs, TEXT, NULL);
    }
    return one;
}
