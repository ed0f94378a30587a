/* im_door.c - messages of other MoMs find the job that they are about, and the rule for
 * them (tpp.md 7.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

static bool is_answer(const struct im_message *msg)
{
    return msg->command == IM_ALL_OKAY || msg->command == IM_ERROR ||
           msg->command == IM_ERROR2;
}

/* Nobody waits for an answer to these. */
static bool is_mute(enum im_command command)
{
    return command == IM_ABORT_JOB || command == IM_DELETE_JOB ||
           command == IM_REQUEUE || command == IM_SEND_RESC ||
           command == IM_RECONNECT_TO_MS || command == IM_JOIN_RECOV_JOB;
}

static void refuse(uint64_t stream, const struct im_message *msg, int32_t code,
                   struct mom_out *out)
{
    const struct im_message no = { .job_id = arena_strdup(out->arena, msg->job_id),
                                   .cookie = arena_strdup(out->arena, msg->cookie),
                                   .command = IM_ERROR,
                                   .event = msg->event,
                                   .task = msg->task,
                                   .code = code };

    if (!is_answer(msg) && !is_mute(msg->command))
        out_send_im(out, stream, &no);
}

static bool is_of_task(enum im_command command)
{
    return command >= IM_SPAWN_TASK && command <= IM_GET_RESC && command != IM_POLL_JOB;
}

/* The mother superior herself. */
static void take_as_superior(struct mom *m, int64_t now_at, struct mom_job *j,
                             uint64_t stream, const struct im_message *msg,
                             struct mom_out *out)
{
    if (msg->command == IM_REQUEUE)
        superior_requeue(m, now_at, j, out);
    else if (msg->command == IM_RECONNECT_TO_MS)
        superior_rejoined(m, j, stream, out);
    else if (msg->command == IM_SEND_RESC)
        superior_take_resc(m, now_at, j, stream, msg, out);
    else
        out_joblog(out, LOG_EV_ERROR, j, "Mother Superior talking to herself");
}

/* A job that is here: the cookie says that the other one means this run of it. */
static void take(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                 const struct tpp_addr *from, const struct im_message *msg,
                 struct mom_out *out)
{
    const struct asker to = { .stream = stream,
                              .event = msg->event,
                              .task = msg->task };
    struct im_message answer = *msg;

    MUST(!j->is_dropped); /* of such a one nobody hears any more: mom_im() */
    if (is_answer(msg)) {
        superior_answer(m, now_at, j, stream, &answer, out);
    } else if (is_of_task(msg->command)) {
        spawned_take(m, j, msg, &to, out);
    } else if (!j->is_sister) {
        take_as_superior(m, now_at, j, stream, msg, out);
    } else if (msg->command != IM_RECONNECT_TO_MS) {
        /* Only the mother superior asks these: this is where she speaks now. */
        j->ms_stream = stream;
        j->ms_lost_at = 0;
        life_reckon(m, j);
        sister_take(m, now_at, j, stream, from, msg, out);
    }
}

void mom_im(struct mom *m, int64_t now_at, uint64_t stream, const struct tpp_addr *from,
            const struct im_message *msg, struct mom_out *out)
{
    struct mom_job *j = job_find(m, msg->job_id);
    const char *cookie = j ? wire_attrs_value(&j->attrs, "cookie", NULL) : NULL;
    char peer[TPP_ADDR_TEXT_BYTES];

    if (!link_is_cluster(m, tpp_addr_ip(from))) {
        out_log(out, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_SERVER, "im_request",
                "bad connect from %s", tpp_addr_text(from, peer));
        out_add(out, MOM_CLOSE)->stream = stream;
        /* It may be one that this MoM has opened, before its server named the host:
         * what was asked on it is asked again on another one. */
        mom_stream_closed(m, now_at, stream, out);
        return;
    }
    if (!j) { /* what rests has no part in anything but its own end */
        j = resting_find(m, msg->job_id);
        cookie = j ? wire_attrs_value(&j->attrs, "cookie", NULL) : NULL;
    }
    if (msg->command == IM_JOIN_JOB) {
        sister_join(m, stream, from, msg, out);
    } else if (joins_drop_run(m, msg)) {
        refuse(stream, msg, PBSE_JOBEXIST, out);
    } else if (j && j->phase == JOB_RESTING && j->is_sister && cookie &&
               strcmp(cookie, msg->cookie) == 0 && !is_answer(msg)) {
        sister_resting_take(m, j, stream, msg, out);
    } else if (!j || j->is_dropped || (j->phase < JOB_PRERUN && !j->is_sister)) {
        refuse(stream, msg, PBSE_JOBEXIST, out);
    } else if (!cookie || strcmp(cookie, msg->cookie) != 0) {
        refuse(stream, msg, PBSE_BADSTATE, out);
    } else {
        take(m, now_at, j, stream, from, msg, out);
    }
}
