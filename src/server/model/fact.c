/* fact.c - the facts and their reasons by name, and which facts make or end their
 * object.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/record.h"

#include "lib/base/diag.h"

#include <string.h>

enum fact_effect {
    FACT_CHANGES,
    FACT_CREATES,
    FACT_REMOVES,
    FACT_RETIRES
};

/* The names are those of the journal, which later versions must still read. */
static const struct {
    const char *name;
    enum fact_effect effect;
} fact_rows[FACT_COUNT] = {
    [FACT_LOADED] = { "loaded", FACT_CREATES },

    [FACT_CREATED] = { "created", FACT_CREATES },
    [FACT_SET] = { "set", FACT_CHANGES },
    [FACT_DELETED] = { "deleted", FACT_REMOVES },

    [FACT_RESV_SUBMITTED] = { "resv.submitted", FACT_CREATES },
    [FACT_RESV_CONFIRMED] = { "resv.confirmed", FACT_CHANGES },
    [FACT_RESV_RECONFIRMED] = { "resv.reconfirmed", FACT_CHANGES },
    [FACT_RESV_DENIED] = { "resv.denied", FACT_CHANGES },
    [FACT_RESV_STARTED] = { "resv.started", FACT_CHANGES },
    [FACT_RESV_DEGRADED] = { "resv.degraded", FACT_CHANGES },
    [FACT_RESV_CONFLICT] = { "resv.conflict", FACT_CHANGES },
    [FACT_RESV_HEALED] = { "resv.healed", FACT_CHANGES },
    [FACT_RESV_RETRY] = { "resv.retry", FACT_CHANGES },
    [FACT_RESV_ASKED] = { "resv.asked", FACT_CHANGES },
    [FACT_RESV_OVER] = { "resv.over", FACT_CHANGES },
    [FACT_RESV_TURN] = { "resv.turn", FACT_CHANGES },
    [FACT_RESV_ENDING] = { "resv.ending", FACT_CHANGES },
    [FACT_RESV_GONE] = { "resv.gone", FACT_REMOVES },
    [FACT_RESV_ALTER_ASKED] = { "resv.alter_asked", FACT_CHANGES },
    [FACT_RESV_ALTERED] = { "resv.altered", FACT_CHANGES },
    [FACT_RESV_ALTER_DENIED] = { "resv.alter_denied", FACT_CHANGES },

    [FACT_JOB_QUEUED] = { "job.queued", FACT_CREATES },
    [FACT_JOB_MODIFIED] = { "job.modified", FACT_CHANGES },
    [FACT_JOB_RUN] = { "job.run", FACT_CHANGES },
    [FACT_JOB_SENT] = { "job.sent", FACT_CHANGES },
    [FACT_JOB_STARTED] = { "job.started", FACT_CHANGES },
    [FACT_JOB_REJECTED] = { "job.rejected", FACT_CHANGES },
    [FACT_JOB_USAGE] = { "job.usage", FACT_CHANGES },
    [FACT_JOB_ACCRUES] = { "job.accrues", FACT_CHANGES },
    [FACT_JOB_MOVED] = { "job.moved", FACT_CHANGES },
    [FACT_JOB_RELEASED] = { "job.released", FACT_CHANGES },
    [FACT_JOB_SUSPENDED] = { "job.suspended", FACT_CHANGES },
    [FACT_JOB_RESUMING] = { "job.resuming", FACT_CHANGES },
    [FACT_JOB_RESUMED] = { "job.resumed", FACT_CHANGES },
    [FACT_JOB_STANDS] = { "job.stands", FACT_CHANGES },
    [FACT_JOB_STOOD] = { "job.stood", FACT_CHANGES },
    [FACT_JOB_LEAVES] = { "job.leaves", FACT_CHANGES },
    [FACT_JOB_STAYS] = { "job.stays", FACT_CHANGES },
    [FACT_JOB_WAVERS] = { "job.wavers", FACT_CHANGES },
    [FACT_JOB_LEFT] = { "job.left", FACT_REMOVES },
    [FACT_JOB_AWAY] = { "job.away", FACT_RETIRES },
    [FACT_JOB_KILLED] = { "job.killed", FACT_CHANGES },
    [FACT_JOB_OBIT] = { "job.obit", FACT_CHANGES },
    [FACT_JOB_REQUEUED] = { "job.requeued", FACT_CHANGES },
    [FACT_JOB_ENDED] = { "job.ended", FACT_REMOVES },
    [FACT_JOB_DELETED] = { "job.deleted", FACT_REMOVES },

    [FACT_JOB_FINISHED] = { "job.finished", FACT_RETIRES },
    [FACT_JOB_WITHDRAWN] = { "job.withdrawn", FACT_RETIRES },
    [FACT_JOB_FORGOTTEN] = { "job.forgotten", FACT_REMOVES },
    [FACT_ARRAY_BEGAN] = { "array.began", FACT_CHANGES },
    [FACT_ARRAY_CUT] = { "array.cut", FACT_CHANGES },
    [FACT_ARRAY_TOOK] = { "array.took", FACT_CHANGES },
    [FACT_SUBJOB_MADE] = { "subjob.made", FACT_CREATES },
    [FACT_SUBJOB_ENDED] = { "subjob.ended", FACT_CHANGES },
    [FACT_SUBJOB_DELETED] = { "subjob.deleted", FACT_CHANGES },
    [FACT_SUBJOB_TAKEN] = { "subjob.taken", FACT_REMOVES },

    [FACT_NODE_STATE] = { "node.state", FACT_CHANGES },
    [FACT_NODE_REPORTED] = { "node.reported", FACT_CHANGES },
};

bool fact_creates(enum fact f)
{
    return f < FACT_COUNT && fact_rows[f].effect == FACT_CREATES;
}

bool fact_removes(enum fact f)
{
    return f < FACT_COUNT && fact_rows[f].effect == FACT_REMOVES;
}

bool fact_retires(enum fact f)
{
    return f < FACT_COUNT && fact_rows[f].effect == FACT_RETIRES;
}

const char *fact_name(enum fact f)
{
    MUST(f < FACT_COUNT);
    return fact_rows[f].name;
}

enum fact fact_find(const char *name)
{
    for (size_t i = 0; i < FACT_COUNT; i++)
        if (strcmp(fact_rows[i].name, name) == 0)
            return (enum fact)i;
    return FACT_COUNT;
}

/* The texts go into records; logs and mails have words of their own (react/). */
static const struct {
    const char *text;
    int code;
    bool aborts;
} reason_rows[REASON_COUNT] = {
    [REASON_END_REACHED] = { "end reached", 0 },
    [REASON_IDLE] = { "idle", 0 },
    [REASON_EXPIRED] = { "wait period expired", 0 },
    [REASON_JOB_STAYS] = { "the job cannot be moved into it", 0 },
    [REASON_SERVER_BEGAN] = { "the server was started again", 0 },
    [REASON_CANCELLED] = { "the occurrence is deleted", 0 },
    [REASON_SKIPPED] = { "skipped", 0 },
    [REASON_PUSHED] = { "moved to make room", 0 },
    [REASON_LOCAL] = { "made without a scheduler", 0 },
    [REASON_RESV_KEEPS] = { "with its reservation", 0 },
    [REASON_RESV_CLOSES] = { "its reservation ends", 0 },
    [REASON_ALTERED] = { "altered", 0 },
    [REASON_RERUN] = { "Rerun", 0 },
    [REASON_OVER] = { "Deleting running job at end of reservation occurrence", 0,
                      .aborts = true },
    [REASON_RESV_REQUEUES] = { "Job is requeued at the end of its reservation", 0 },
    [REASON_DEPENDENCY] = { "Job deleted as result of dependency", 0, .aborts = true },
    [REASON_RELEASE] = { "vnodes are to be given back", 0 },
    [REASON_NOT_RELEASED] = { "the MoM keeps the vnodes", PBSE_BADSTATE },
    [REASON_PRUNED] = { "hosts have failed", 0 },
    [REASON_PRUNED_AT_START] = { "hosts have failed at its start", 0 },
    [REASON_SUSPEND] = { "it is to be suspended", 0 },
    [REASON_NOT_SUSPENDED] = { "15016 the MoM does not suspend it", 0 },
    [REASON_CHECKPOINT] = { "it is to be checkpointed", 0 },
    [REASON_NOT_CHECKPOINTED] = { "15029 the MoM does not checkpoint it", 0 },
    [REASON_RESUME] = { "it may be resumed", 0 },
    [REASON_NOT_RESUMED] = { "15016 the MoM does not resume it", 0 },
    [REASON_MOVED] = { "moved on request", 0 },
    [REASON_ROUTED] = { "routed", 0 },
    [REASON_ROUTE_REJECTED] = { "Job rejected by all possible destinations", 0,
                                .aborts = true },
    [REASON_ROUTE_EXPIRED] = { "Job was in its routing queue for too long", 0,
                               .aborts = true },
    [REASON_TRANSFER] = { "kept for the server that sent it", 0 },
    [REASON_SHUTDOWN] = { "Aborted by PBS Server  on Server shutdown", 0,
                          .aborts = true },
    [REASON_NO_LETTER] = { "without a letter", 0 },
    [REASON_NODE_LOST] = { "execution node down", 0 },
    [REASON_MOM_MISSING] = { "15070", PBSE_NORELYMOM },
    [REASON_MOM_REFUSED] = { "15041", PBSE_MOMREJECT },
    [REASON_STAGE_IN] = { "15043", PBSE_STAGEIN },
    [REASON_CYCLE] = { "cycle on command", 0 },
};

const char *reason_text(enum reason r)
{
    MUST(r < REASON_COUNT);
    return reason_rows[r].text;
}

int reason_code(enum reason r)
{
    MUST(r < REASON_COUNT);
    return reason_rows[r].code;
}

bool reason_aborts(enum reason r)
{
    MUST(r < REASON_COUNT);
    return reason_rows[r].aborts;
}

const char *record_words(const struct record *rec)
{
    /* Free words say more than the reason, where somebody has given any. */
    return rec->note ? rec->note : reason_text(rec->reason);
}
