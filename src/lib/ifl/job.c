/* job.c - calls about one job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int ask_id(int c, uint32_t number, const char *id, const char *extend)
{
    const struct body_id body = { .id = id };

    return ifl_has_id(c, id) ? ifl_do(c, number, &body, extend) : pbs_errno;
}

static int ask_run(int c, uint32_t number, const char *id, const char *vnodes,
                   const char *extend)
{
    const struct body_run body = { .object_id = id, .vnodes = vnodes };

    if (!ifl_has_id(c, id))
        return pbs_errno;
    /* The server never answers this one; BATCH_ASYRUN_JOB_ACK is the same with an
     * answer. */
    if (number == BATCH_ASYRUN_JOB)
        return ifl_tell(c, number, &body, extend);
    return ifl_do(c, number, &body, extend);
}

int ifl_rerunjob(int c, const char *id, const char *extend)
{
    return ask_id(c, BATCH_RERUN, id, extend);
}

int ifl_runjob(int c, const char *id, const char *vnodes, const char *extend)
{
    return ask_run(c, BATCH_RUN_JOB, id, vnodes, extend);
}

int ifl_asyrunjob(int c, const char *id, const char *vnodes, const char *extend)
{
    return ask_run(c, BATCH_ASYRUN_JOB, id, vnodes, extend);
}

int ifl_asyrunjob_ack(int c, const char *id, const char *vnodes, const char *extend)
{
    return ask_run(c, BATCH_ASYRUN_JOB_ACK, id, vnodes, extend);
}

int ifl_stagein(int c, char *id, char *vnodes, char *extend)
{
    return ask_run(c, BATCH_STAGE_IN, id, vnodes, extend);
}

char *ifl_locjob(int c, const char *id, const char *extend)
{
    const struct body_id body = { .id = id };

    if (!ifl_has_id(c, id))
        return NULL;
    return ifl_ask_text(c, BATCH_LOCATE_JOB, &body, extend, REPLY_LOCATE);
}

static int ask_move(int c, uint32_t number, const char *id, const char *to,
                    const char *extend)
{
    const struct body_move body = { .job_id = id, .destination = to };

    return ifl_has_id(c, id) ? ifl_do(c, number, &body, extend) : pbs_errno;
}

int ifl_movejob(int c, const char *id, const char *destination, const char *extend)
{
    return ask_move(c, BATCH_MOVE_JOB, id, destination, extend);
}

int ifl_orderjob(int c, const char *id1, const char *id2, const char *extend)
{
    /* The request has the body of a move, with the second job as the destination;
     * ask_move() looks at the first one. */
    if (!ifl_has_id(c, id2))
        return pbs_errno;
    return ask_move(c, BATCH_ORDER_JOB, id1, id2, extend);
}

int ifl_msgjob(int c, const char *id, int file, const char *text, const char *extend)
{
    const struct body_message body = { .job_id = id,
                                       .file = (uint32_t)file,
                                       .text = text };

    /* A message without a text is refused as a job without an id is. */
    if (!ifl_has_id(c, id) || !ifl_has_id(c, text))
        return pbs_errno;
    return ifl_do(c, BATCH_MESSAGE_JOB, &body, extend);
}

int ifl_sigjob(int c, const char *id, const char *signal, const char *extend)
{
    const struct body_signal body = { .job_id = id, .signal = signal };

    if (!ifl_has_id(c, id))
        return pbs_errno;
    /* An empty signal is sent, and is the server's to refuse (wire.md 15.2). */
    if (!signal)
        return ifl_set_error(c, PBSE_IVALREQ, NULL);
    return ifl_do(c, BATCH_SIGNAL_JOB, &body, extend);
}

/* Hold, release, alter: attributes set on a job; an alteration without an answer too.
 */
static int set_attrs(int c, uint32_t number, const char *id, const struct attropl *list,
                     const char *extend)
{
    struct body_manage body = { .command = MGR_CMD_SET,
                                .object_type = OBJECT_JOB,
                                .object_name = id };
    /* A job has no "+=": whatever operators the caller's entries have, SET travels. */
    int err = ifl_attrs(c, list, true, &body.attrs);

    if (err)
        return err;
    err = number == BATCH_MODIFY_JOB_ASYNC ? ifl_tell(c, number, &body, extend)
                                           : ifl_do(c, number, &body, extend);
    free(body.attrs.v);
    return err;
}

static int set_holds(int c, uint32_t number, const char *id, const char *holds,
                     const char *extend)
{
    char name[] = ATTR_h, dflt[] = USER_HOLD;
    struct attropl hold = { .name = name, .value = dflt, .op = SET };

    if (!ifl_has_id(c, id))
        return pbs_errno;
    /* The list is only read; its members are not const because those of the public
     * header are not. */
    if (holds && *holds)
        hold.value = (char *)(uintptr_t)holds;
    if (ifl_verify(c, number, MGR_OBJ_JOB, (const struct attrl *)(const void *)&hold))
        return pbs_errno;
    return set_attrs(c, number, id, &hold, extend);
}

int ifl_holdjob(int c, const char *id, const char *holds, const char *extend)
{
    return set_holds(c, BATCH_HOLD_JOB, id, holds, extend);
}

int ifl_rlsjob(int c, const char *id, const char *holds, const char *extend)
{
    return set_holds(c, BATCH_RELEASE_JOB, id, holds, extend);
}

int ifl_alterjob(int c, const char *id, struct attrl *attribs, const char *extend)
{
    struct ifl_paths paths;
    int err;

    if (!ifl_has_id(c, id) || ifl_verify(c, BATCH_MODIFY_JOB, MGR_OBJ_JOB, attribs))
        return pbs_errno;
    err = ifl_paths(c, (const void *)attribs, &paths);
    if (!err)
        err = set_attrs(c, BATCH_MODIFY_JOB, id, paths.list, extend);
    ifl_paths_fini(&paths);
    return err;
}

/* Schedulers alter many jobs in a cycle with this one: nothing is verified, nothing is
 * completed and no answer is waited for (wire.md 15.2). */
int ifl_asyalterjob(int c, const char *id, struct attrl *attribs, const char *extend)
{
    if (!ifl_has_id(c, id))
        return pbs_errno;
    return set_attrs(c, BATCH_MODIFY_JOB_ASYNC, id, (const void *)attribs, extend);
}

/* -k: a number of hosts, or select=...; *ret is malloc'd. */
static int keep_option(int c, const char *extend, char **ret)
{
    size_t len = strlen(extend);

    /* A sign is read with the number, so that "-1" is refused as a bad number of hosts
     * and not as a text that is no "select=" (wire.md 15.2). */
    if (isdigit((unsigned char)*extend) || *extend == '-' || *extend == '+') {
        char *end;
        long n = strtol(extend, &end, 10);

        if (*end || n <= 0)
            return ifl_set_error(c, PBSE_INVALSELECTRESC, "illegal -k value");
        *ret = malloc(len + sizeof("select="));
        if (*ret) {
            strcpy(*ret, "select=");
            strcat(*ret, extend);
        }
    } else if (strncmp(extend, "select=", 7) == 0) {
        *ret = strdup(extend);
    } else {
        return ifl_set_error(c, PBSE_IVALREQ,
                             "only a \"select=\" string is valid in -k option");
    }
    return *ret ? 0 : ifl_set_error(c, PBSE_SYSTEM, NULL);
}

int ifl_relnodesjob(int c, const char *id, const char *vnodes, const char *extend)
{
    const struct body_release_nodes body = { .job_id = id, .vnodes = vnodes };
    char *keep = NULL;
    int err = 0;

    if (!ifl_has_id(c, id))
        return pbs_errno;
    if (extend && *extend)
        err = keep_option(c, extend, &keep);
    if (!err)
        err = ifl_do(c, BATCH_RELEASE_NODES, &body, keep);
    free(keep);
    return err;
}
