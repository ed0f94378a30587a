/* job_ended.c - see job_ended.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_ended.h"

#include "lib/wire/packet.h"

void job_ended_put(const struct job_ended *e, struct buf *out)
{
    struct buf body = { 0 };

    dis_put_int(&body, JOB_ENDED_VERSION);
    dis_put_string(&body, e->job_id);
    dis_put_string(&body, e->message);
    dis_put_int(&body, e->exit_value);
    MUST(body.len <= JOB_ENDED_MAX_BYTES); /* the caller bounds its texts */
    packet_put(out, PACKET_DATA, body.data, body.len);
    buf_fini(&body);
}

enum job_ended_part job_ended_get(const void *data, size_t len, struct arena *arena,
                                  struct job_ended *ret, int32_t *ret_version)
{
    struct dis_in in = { .at = data, .end = (const char *)data + len, .arena = arena };
    int32_t version = -1;

    *ret = (struct job_ended){ .job_id = "", .message = "" };
    if (dis_get_int(&in, &version) != DIS_OK)
        version = -1;
    *ret_version = version;
    if (version != JOB_ENDED_VERSION)
        return JOB_ENDED_NO_VERSION;
    if (dis_get_string(&in, 0, &ret->job_id) != DIS_OK)
        return JOB_ENDED_NO_ID;
    if (dis_get_string(&in, 0, &ret->message) != DIS_OK)
        return JOB_ENDED_NO_MESSAGE;
    if (dis_get_int(&in, &ret->exit_value) != DIS_OK)
        return JOB_ENDED_NO_VALUE;
    return JOB_ENDED_WHOLE;
}
