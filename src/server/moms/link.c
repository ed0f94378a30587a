/* link.c - a stream to a MoM ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/moms/tidings.h"

#include <stdlib.h>
#include <utlist.h>

void mom_close(struct moms_turn *t, uint64_t stream)
{
    effect_add(t->effects, EFFECT_MOM_CLOSE, t->m->seq)->u.mom.stream = stream;
}

void mom_stream_over(struct moms *ms, struct moms_turn *t, struct mom *mom)
{
    struct command *c, *next;

    MUST(mom->stream != 0);
    mom_unbind(ms, mom);
    mom->registered = false;
    mom->compared = false;
    /* As if it had been lost on its way. */
    tidings_forget_said(ms, mom);
    mom->greet = false;
    free(mom->peer_host);
    mom->peer_host = NULL;
    /* What is unanswered will never be answered. Clients are told now, and jobs are
     * asked about again when the MoM is back. */
    DL_FOREACH_SAFE (mom->commands, c, next) {
        DL_DELETE(mom->commands, c);
        command_failed(ms, t, c);
        command_free(c);
    }
}
