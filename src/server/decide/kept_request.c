/* kept_request.c - see kept_request.h.
 *
 * The request is kept as the bytes that came, which are texts without a NUL: their
 * decoder is the one that is used to bytes from strangers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/kept_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The letters are those of the tables of attributes (doc/reference). */
static const struct {
    char letter;
    uint32_t right;
} letters[] = {
    { 'u', WHO_USER },
    { 'o', WHO_OPERATOR },
    { 'm', WHO_MANAGER },
    { 's', WHO_DAEMON },
};

static const char *print_rights(uint32_t rights, struct arena *arena)
{
    char text[ARRAY_LEN(letters) + 1];
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(letters); i++)
        if (rights & letters[i].right)
            text[n++] = letters[i].letter;
    text[n] = '\0';
    return arena_strdup(arena, text);
}

/* 0: it has none, or a letter is unknown. */
static uint32_t parse_rights(const char *text)
{
    uint32_t rights = 0;

    for (; *text; text++) {
        size_t i = 0;

        while (i < ARRAY_LEN(letters) && letters[i].letter != *text)
            i++;
        if (i == ARRAY_LEN(letters))
            return 0;
        rights |= letters[i].right;
    }
    return rights;
}

static bool parse_place(const char *text, uint64_t *ret)
{
    char *end;
    unsigned long long n;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    n = strtoull(text, &end, 10);
    if (errno || *end)
        return false;
    *ret = n;
    return true;
}

static const char *bytes_of(const struct wire_request *wire, struct arena *arena)
{
    struct buf bytes = { 0 };
    const char *text;

    batch_encode_request(&bytes, wire);
    text = arena_strndup(arena, bytes.data, bytes.len);
    MUST(strlen(text) == bytes.len);
    buf_fini(&bytes);
    return text;
}

static struct record *begin(const struct model *m, const struct request *rq,
                            struct decision *out)
{
    struct record *rec;

    /* No record has that number yet, and no two requests decide at the same number. */
    rq->progress->kept = arena_printf(rq->progress->arena, "%" PRIu64, m->seq + 1);
    rec = decide(out, rq, FACT_CREATED, OBJ_REQUEST, rq->progress->kept);
    record_change(rec, out->arena, REQUEST_A_ASKED, NULL,
                  bytes_of(rq->wire, out->arena));
    record_change(rec, out->arena, REQUEST_A_ACTOR, NULL, rq->actor);
    record_change(rec, out->arena, REQUEST_A_RIGHTS, NULL,
                  print_rights(rq->who->rights, out->arena));
    return rec;
}

void kept_request_note(const struct model *m, const struct request *rq,
                       struct decision *out, uint64_t place)
{
    struct record *rec;

    MUST(rq->progress); /* one that takes a single turn is whole anyway */
    if (kept_request_find(m, rq->progress))
        rec = decide(out, rq, FACT_SET, OBJ_REQUEST, rq->progress->kept);
    else
        rec = begin(m, rq, out);
    record_change(rec, out->arena, REQUEST_A_PLACE, NULL,
                  arena_printf(out->arena, "%" PRIu64, place));
}

const struct object *kept_request_find(const struct model *m, const struct progress *p)
{
    return p && p->kept ? model_find(m, OBJ_REQUEST, p->kept) : NULL;
}

uint64_t kept_request_place(const struct object *o)
{
    uint64_t place = 0;
    bool good = parse_place(obj_str(o, REQUEST_A_PLACE, ""), &place);

    MUST(good);
    (void)good;
    return place;
}

uint32_t kept_request_rights(const struct object *o)
{
    return parse_rights(obj_str(o, REQUEST_A_RIGHTS, ""));
}

static bool bad(struct diag *why, const char *what)
{
    diag_set(why, PBSE_SYSTEM, "%s cannot be read", what);
    return false;
}

/* Nothing else is kept; a store that was edited could say anything. */
static bool is_about_many(const struct wire_request *wire)
{
    const struct body_manage *body = wire->body;

    return wire->number == BATCH_MANAGER &&
           (body->command == MANAGER_SET || body->command == MANAGER_UNSET ||
            body->command == MANAGER_DELETE) &&
           (body->object_type == OBJECT_NODE || body->object_type == OBJECT_HOST ||
            body->object_type == OBJECT_QUEUE);
}

static bool read_request(const struct object *o, struct arena *arena,
                         struct wire_request *ret, struct diag *why)
{
    const char *asked = obj_str(o, REQUEST_A_ASKED, "");
    bool known;

    if (batch_decode_request(asked, strlen(asked), arena, ret, &known) || !known ||
        !is_about_many(ret))
        return bad(why, "what was asked");
    return true;
}

bool kept_request_read(const struct object *o, struct arena *arena,
                       struct wire_request *ret_wire, struct requester *ret_who,
                       struct diag *why)
{
    const char *actor = obj_str(o, REQUEST_A_ACTOR, "");
    const char *host = strchr(actor, '@');
    uint64_t place;

    MUST(o->kind == OBJ_REQUEST);
    if (!read_request(o, arena, ret_wire, why))
        return false;
    if (!host || host == actor)
        return bad(why, "who has asked");
    if (!parse_place(obj_str(o, REQUEST_A_PLACE, ""), &place))
        return bad(why, "how far it has come");
    *ret_who = (struct requester){
        .user = arena_strndup(arena, actor, (size_t)(host - actor)),
        .host = arena_strdup(arena, host + 1),
        .rights = kept_request_rights(o),
    };
    return ret_who->rights || bad(why, "the rights of who has asked");
}
