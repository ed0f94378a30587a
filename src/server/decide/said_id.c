/* said_id.c - see said_id.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/said_id.h"

#include "lib/attr/ids.h"
#include "server/decide/config.h"
#include "server/decide/job_transfer.h"

#include <string.h>

/* A server that was given another name has jobs with its earlier one. */
static bool is_here(const struct model *m, const struct request *rq,
                    const struct job_id *id, const char *plain)
{
    if (!id->server)
        return false;
    return model_job(m, plain) ||
           (id->array &&
            model_job(m, array_id_make(id->number, id->server, rq->arena)));
}

const char *said_job_id(const struct model *m, const struct request *rq,
                        const char *text)
{
    const char *own = rq->cfg->server_name, *dot = strchr(text, '.');
    const char *plain;
    struct job_id id;

    /* Nearly all ids are whole, and a request may have very many. */
    if (dot && strcmp(dot + 1, own) == 0)
        return text;
    plain = arena_strndup(rq->arena, text, strcspn(text, "@"));
    if (!job_id_parse(plain, rq->arena, &id))
        return text;
    if (is_here(m, rq, &id, plain) ||
        (id.server && !names_this_server(rq->cfg, id.server)))
        return plain;
    return arena_printf(rq->arena, "%.*s.%s", (int)strcspn(plain, "."), plain, own);
}
