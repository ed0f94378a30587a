/* said_id.c - see said_id.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/said_id.h"

#include "lib/attr/ids.h"
#include "server/decide/config.h"
#include "server/decide/job_transfer.h"

#include <string.h>

const char *said_job_id(const struct request *rq, const char *text)
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
    if (id.server && !names_this_server(rq->cfg, id.server))
        return plain;
    return arena_printf(rq->arena, "%.*s.%s", (int)strcspn(plain, "."), plain, own);
}
