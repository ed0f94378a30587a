/* Fuzz target: values of every type. The first byte chooses the type; each further line
 * is "=text", "+text", "-text" or "!" (unset), for types with members "=resource text".
 *
 * A refused text changes nothing, and what is printed is read to the same again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"
#include "lib/base/arena.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static struct resource_defs *defs;

/* All that can be seen of a value. */
static const char *seen(const struct attr_type *type, const struct attr_value *v,
                        struct arena *arena)
{
    struct wire_attrs list = { 0 };
    struct buf b = { 0 };
    const char *text;

    attr_value_encode(type, v, "a", &list, arena);
    for (size_t i = 0; i < list.n; i++)
        buf_printf(&b, "%s=%s;", list.v[i].resource ? list.v[i].resource : "",
                   list.v[i].value);
    text = arena_strdup(arena, b.data ? b.data : "");
    buf_fini(&b);
    return text;
}

static void check_again(const struct attr_type *type, const struct attr_value *v,
                        struct arena *arena)
{
    struct attr_value again = { 0 }, copy = { 0 };
    struct attr_members members;

    if (!v->set)
        return;
    if (attr_type_has_members(type)) {
        members = attr_value_members(type, v, arena);
        for (size_t i = 0; i < members.n; i++) {
            const char *name = members.v[i].name, *text = members.v[i].text;

            FUZZ_CHECK(str_same(text, attr_value_member(type, v, name, arena)));
            FUZZ_CHECK(attr_value_set(type, &again, defs, name, text, WIRE_OP_SET) ==
                       0);
        }
    } else {
        FUZZ_CHECK(attr_value_set(type, &again, defs, NULL,
                                  attr_value_text(type, v, arena), WIRE_OP_SET) == 0);
    }
    FUZZ_CHECK(strcmp(seen(type, v, arena), seen(type, &again, arena)) == 0);
    type->copy(&copy, v);
    FUZZ_CHECK(strcmp(seen(type, v, arena), seen(type, &copy, arena)) == 0);
    type->clear(&again);
    type->clear(&copy);
}

static void step(const struct attr_type *type, struct attr_value *v, char *line,
                 struct arena *arena)
{
    const char *before = seen(type, v, arena);
    char *text = line + 1;
    const char *resource = attr_type_has_members(type) ? strsep(&text, " ") : NULL;

    if (*line == '!')
        attr_value_unset(type, v, resource && *resource ? resource : NULL);
    else if (text && attr_value_set(type, v, defs, resource, text,
                                    *line == '+'   ? WIRE_OP_INCR
                                    : *line == '-' ? WIRE_OP_DECR
                                                   : WIRE_OP_SET) != 0)
        FUZZ_CHECK(strcmp(seen(type, v, arena), before) == 0);
    check_again(type, v, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena;
    struct attr_value v = { 0 };
    const struct attr_type *type;
    char *text, *at, *line;

    if (len < 2)
        return 0;
    if (!defs)
        defs = resource_defs_new();
    arena = arena_new();
    type = attr_types[(uint8_t)(data[0] - 'A') % attr_n_types];
    at = text = fuzz_text(data + 1, len - 1);
    while ((line = strsep(&at, "\n")))
        if (*line)
            step(type, &v, line, arena);
    type->clear(&v);
    free(text);
    arena_free(arena);
    return 0;
}
