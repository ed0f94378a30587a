/* effect.c - building effects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/effect.h"

#include <stdarg.h>
#include <string.h>

struct effect *effect_add(struct effects *out, enum effect_kind kind, uint64_t seq)
{
    ARENA_ROOM(out->arena, out, v, 16);
    out->v[out->n] = (struct effect){ .kind = kind, .seq = seq };
    return &out->v[out->n++];
}

void effect_log(struct effects *out, uint64_t seq, uint32_t event, uint32_t obj_class,
                const char *object, const char *fmt, ...)
{
    struct effect *e = effect_add(out, EFFECT_LOG, seq);
    va_list ap;

    va_start(ap, fmt);
    e->u.log = (struct log_line){
        .event = event,
        .obj_class = obj_class,
        /* The caller's texts may end before the effect leaves. */
        .object = arena_strdup(out->arena, object),
        .text = arena_vprintf(out->arena, fmt, ap),
    };
    va_end(ap);
}

void effect_account(struct effects *out, uint64_t seq, int64_t at, char type,
                    const char *id, const char *fmt, ...)
{
    struct effect *e = effect_add(out, EFFECT_ACCOUNT, seq);
    va_list ap;

    va_start(ap, fmt);
    e->u.account.at = at;
    e->u.account.type = type;
    e->u.account.id = arena_strdup(out->arena, id);
    e->u.account.text = arena_vprintf(out->arena, fmt, ap);
    va_end(ap);
}
