/* object_size.c - see object_size.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/object_size.h"

#include "lib/attr/bounds.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/model/job_tally.h"

/* A script has a limit of its own, jobscript_max_size. */
static int row_of_script(const struct edit *e)
{
    return e->table == &job_table ? JOB_A_HF_SCRIPT : -1;
}

static size_t bytes_now(const struct edit *e)
{
    const int script = row_of_script(e);

    if (!e->o)
        return 0;
    return obj_bytes(e->o) - (script < 0 ? 0
                                         : attr_value_bytes(e->table->rows[script].type,
                                                            obj_attr(e->o, script)));
}

int object_keeps_size(const struct request *rq, const struct edit *e, struct diag *why)
{
    const size_t most = rq->cfg->max_object_bytes;
    size_t bytes = edit_bytes(e, row_of_script(e));

    /* An object that is too large already may shrink, and a scheduler is not limited in
     * what it notes. */
    if (most == 0 || rq->who->scheduler || bytes <= most || bytes <= bytes_now(e))
        return 0;
    return diag_set(why, PBSE_IVALREQ, "%s: the attributes have %zu KiB, of %zu KiB",
                    pbse_text(PBSE_IVALREQ), (bytes + 1023) >> 10, most >> 10);
}

int user_jobs_keep_size(const struct model *m, const struct request *rq,
                        const char *user, size_t more_bytes, struct diag *why)
{
    const size_t most = rq->cfg->max_user_jobs_bytes;
    size_t bytes = tally_bytes(&m->tallies, 'u', user);

    /* The comparison is written so that the sum cannot overflow. */
    if (most == 0 || more_bytes == 0 || (bytes <= most && more_bytes <= most - bytes))
        return 0;
    return diag_set(
        why, PBSE_EXCQRESC,
        "%s: the jobs of %s would take more than %zu MiB with their scripts",
        pbse_text(PBSE_EXCQRESC), user, most >> 20);
}
