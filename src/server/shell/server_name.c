/* server_name.c - see server_name.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/server_name.h"

#include "lib/attr/ids.h"
#include "server/model/model.h"

#include <ctype.h>
#include <string.h>

int server_name_check(const char *name, struct diag *why)
{
    size_t len = strlen(name);
    /* The name becomes part of ids, file names and lines of logs. */
    bool good = len > 0 && len <= NAME_MAX_HOST && isalnum((unsigned char)*name);

    for (size_t i = 0; good && i < len; i++)
        good = isalnum((unsigned char)name[i]) || strchr("-_.:", name[i]);
    if (good)
        return 0;
    return diag_set(why, PBSE_SYSTEM,
                    "PBS_SERVER cannot be a server's name: letters, digits, '.', '-', "
                    "'_' and ':', at most %d characters; correct it in pbs.conf",
                    NAME_MAX_HOST);
}

struct finding {
    struct arena *arena;
    size_t n;
    struct store_record server;
    const char *second; /* of several servers */
};

static const char *server_kind(void)
{
    return kind_name(OBJ_SERVER);
}

static int find_server(void *arg, const struct store_record *row)
{
    struct finding *f = arg;
    struct store_change *v;

    /* A second server is looked for to refuse a damaged store with the names of
     * both. */
    if (f->n++ > 0) {
        f->second = arena_strdup(f->arena, row->id);
        return 0;
    }
    v = ARENA_ARRAY(f->arena, struct store_change, row->n + 1);
    for (size_t i = 0; i < row->n; i++)
        v[i] = (struct store_change){
            .attr = arena_strdup(f->arena, row->changes[i].attr),
            .resource = arena_strdup(f->arena, row->changes[i].resource),
            .after = arena_strdup(f->arena, row->changes[i].after),
        };
    f->server = (struct store_record){ .id = arena_strdup(f->arena, row->id),
                                       .n = row->n,
                                       .changes = v };
    return 0;
}

/* The object ends under its old name and begins under the new one, with all it has. */
static int rename_server(struct store *store, const struct store_record *server,
                         const struct store_record *common, const char *name,
                         struct diag *why)
{
    struct store_record v[2] = { *common, *common };
    const struct store_batch batch = { .n_records = 2, .records = v };

    v[0].seq = store_last_seq(store) + 1;
    v[0].fact = fact_name(FACT_DELETED);
    v[0].op = STORE_REMOVE;
    v[0].id = server->id;
    v[1].seq = v[0].seq + 1;
    v[1].fact = fact_name(FACT_CREATED);
    v[1].op = STORE_CREATE;
    v[1].id = name;
    v[1].n = server->n;
    v[1].changes = server->changes;
    return store_commit(store, &batch, why);
}

int server_name_claim(struct store *store, const char *name, const char *actor,
                      int64_t now_at, struct arena *arena, const char **old,
                      struct diag *why)
{
    struct finding f = { .arena = arena };
    struct store_record common = { .at = now_at,
                                   .actor = actor,
                                   .kind = server_kind(),
                                   .note = "renamed: PBS_SERVER has changed" };
    int err = store_load_kind(store, server_kind(), find_server, &f, why);

    *old = NULL;
    if (err)
        return err;
    if (f.second)
        return diag_set(why, PBSE_SYSTEM,
                        "the store has two servers, %s and %s: it is damaged, restore "
                        "a backup",
                        f.server.id, f.second);
    /* A new store has no server yet, and any other has mostly kept its name. */
    if (f.n == 0 || strcmp(f.server.id, name) == 0)
        return 0;
    MUST(f.n == 1);
    err = rename_server(store, &f.server, &common, name, why);
    if (!err)
        *old = f.server.id;
    return err;
}
