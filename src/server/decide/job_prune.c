/* job_prune.c - see job_prune.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_prune.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/select.h"
#include "server/decide/job_release.h"

#include <string.h>
#include <strings.h>

bool job_may_lose_hosts(const struct job *job)
{
    const char *word = obj_str(&job->obj, JOB_A_TOLERATE_NODE_FAILURES, "none");

    return strcasecmp(word, "none") != 0;
}

static bool same_chunk(const struct exec_chunk *a, const struct exec_chunk *b,
                       struct arena *arena)
{
    const struct exec_vnode x = { 1, (struct exec_chunk *)(uintptr_t)a };
    const struct exec_vnode y = { 1, (struct exec_chunk *)(uintptr_t)b };

    return strcmp(exec_vnode_print(&x, arena), exec_vnode_print(&y, arena)) == 0;
}

int job_prune_signs(const struct model *m, const struct job *job, const char *rest,
                    struct arena *arena, const char **ret_signs, struct diag *why)
{
    struct buf signs = { 0 };
    struct exec_vnode all, left;
    size_t k = 0;
    int err = exec_vnode_parse(obj_str(&job->obj, JOB_A_EXEC_VNODE, ""), m->defs, arena,
                               &all, why);

    if (!err)
        err = exec_vnode_parse(rest, m->defs, arena, &left, why);
    if (err)
        return err;
    for (size_t i = 0; i < all.n; i++) {
        bool stays = k < left.n && same_chunk(&all.chunks[i], &left.chunks[k], arena);

        k += stays;
        for (size_t n = 0; n < all.chunks[i].n; n++)
            buf_add_char(&signs, stays ? RELEASE_STAYS : RELEASE_GOES);
    }
    *ret_signs = arena_strdup(arena, signs.len ? signs.data : "");
    buf_fini(&signs);
    if (k < left.n || **ret_signs != RELEASE_STAYS)
        return diag_code(why, PBSE_BADSTATE);
    return 0;
}
