/* job_transfer.c - see job_transfer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_transfer.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/job_script.h"
#include "server/decide/config.h"
#include "server/decide/job_over.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "server/model/waiters.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SCRIPT_PART_BYTES 65536

struct transfer_to transfer_to_parse(const char *destination, struct arena *arena)
{
    size_t len = strcspn(destination, "@");

    return (struct transfer_to){
        .queue = arena_strndup(arena, destination, len),
        .server = arena_strdup(arena, destination[len] ? destination + len + 1 : ""),
    };
}

bool names_this_server(const struct svr_config *cfg, const char *name)
{
    const char *host = cfg->server_host;
    size_t len = strcspn(name, ":");

    /* At another port of this host another server listens. */
    if (name[len] && strtoul(name + len + 1, NULL, 10) != cfg->server_port)
        return false;
    return (strlen(cfg->server_name) == len &&
            strncasecmp(cfg->server_name, name, len) == 0) ||
           (strlen(host) == len && strncasecmp(host, name, len) == 0) ||
           (strcspn(host, ".") == len && strncasecmp(host, name, len) == 0);
}

bool transfer_is_needed(const struct svr_config *cfg, const char *destination)
{
    const char *at = strchr(destination, '@');

    return at && !names_this_server(cfg, at + 1);
}

bool transfer_has(const struct attr_row *row)
{
    if (row->flags & (ATTR_INTERNAL | ATTR_NOT_SAVED))
        return false;
    return (row->flags & (ATTR_TO_PEER | ATTR_CREATE_ONLY)) || (row->write & WHO_USER);
}

int transfer_check(const struct job *job, struct diag *why)
{
    if (obj_is_set(&job->obj, JOB_A_DEPEND) || job_is_awaited(job))
        return diag_code(why, PBSE_NOSUP);
    if (job->array && array_has_begun(job))
        return diag_code(why, PBSE_BADSTATE);
    if (obj_num(&job->obj, JOB_A_HOP_COUNT, 1) >= JOB_HOPS_MAX)
        return diag_code(why, PBSE_HOPCOUNT);
    return 0;
}

struct record *transfer_leaves_record(const struct job *job, const char *actor,
                                      const char *destination, int64_t now_at,
                                      struct decision *out)
{
    struct record *rec =
        record_add(&out->records, out->arena, FACT_JOB_LEAVES, OBJ_JOB,
                   arena_strdup(out->arena, job->obj.id), actor, now_at);

    MUST(!job_is_at_mom(job) && !job_is_leaving(job));
    rec->note = arena_strdup(out->arena, destination);
    record_job_event(rec, out->arena, job, JOB_EV_LEAVE, now_at);
    record_change(rec, out->arena, JOB_A_HF_MOVE_TO, NULL, rec->note);
    record_change_num(rec, out->arena, JOB_A_HF_MOVE_UNTIL, now_at + TRANSFER_ASKS_S);
    /* A hot start does not run it again here. */
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
    return rec;
}

static bool is_among(const char *names, const char *name)
{
    size_t len = strlen(name);

    for (; *names; names += strcspn(names, ","), names += *names == ',')
        if (strcspn(names, ",") == len && strncmp(names, name, len) == 0)
            return true;
    return false;
}

/* Members that came from defaults are made anew by the other server. */
static void add_attr(const struct object *o, int attr, struct wire_attrs *to,
                     struct arena *arena)
{
    const struct attr_row *row = &job_rows[attr];
    const char *defaults = obj_str(o, JOB_A_HF_DEFAULTS, "");
    struct wire_attrs all = { 0 };

    attr_value_encode(row->type, obj_attr(o, attr), row->name, &all, arena);
    for (size_t i = 0; i < all.n; i++) {
        const struct wire_attr *a = &all.v[i];

        if (attr != JOB_A_RESOURCE_LIST || !is_among(defaults, a->resource))
            wire_attrs_add(to, arena, a->name, a->resource, a->value, WIRE_OP_SET);
    }
}

static struct wire_attrs attrs_of(const struct job *job, struct arena *arena)
{
    struct wire_attrs all = { 0 };

    for (int i = 0; i < JOB_A_COUNT; i++)
        if (transfer_has(&job_rows[i]) && obj_is_set(&job->obj, i))
            add_attr(&job->obj, i, &all, arena);
    return all;
}

static void put(struct buf *out, uint32_t number, const char *user, const void *body,
                const char *extend)
{
    const struct wire_request rq = {
        .number = number, .user = user, .body = body, .extend = extend
    };

    batch_encode_request(out, &rq);
}

static void put_script(struct buf *out, const struct job *job, const char *user,
                       struct arena *arena)
{
    const char *text = obj_str(&job->obj, JOB_A_HF_SCRIPT, NULL);
    struct body_script body = { .job_id = job->obj.id };
    size_t len = 0;
    const char *data = text ? script_from_text(text, arena, &len) : NULL;

    for (size_t at = 0; at < len; at += SCRIPT_PART_BYTES) {
        body.data.data = data + at;
        body.data.len = MIN_OF(len - at, (size_t)SCRIPT_PART_BYTES);
        body.size_bytes = (uint32_t)body.data.len;
        put(out, BATCH_JOB_SCRIPT, user, &body, NULL);
        body.sequence++;
    }
}

const char *transfer_requests(const struct job *job, const char *user,
                              struct arena *arena, size_t *ret_len)
{
    const struct transfer_to to =
        transfer_to_parse(obj_str(&job->obj, JOB_A_HF_MOVE_TO, ""), arena);
    const struct body_queue queue = { .id = job->obj.id,
                                      .destination = to.queue,
                                      .attrs = attrs_of(job, arena) };
    const struct body_id commit = { .id = job->obj.id };
    struct buf all = { 0 };
    const char *copy;

    put(&all, BATCH_QUEUE_JOB, user, &queue, NULL);
    put_script(&all, job, user, arena);
    put(&all, BATCH_COMMIT, user, &commit, NULL);
    copy = arena_copy(arena, all.data, all.len);
    *ret_len = all.len;
    buf_fini(&all);
    return copy;
}

const char *server_request(uint32_t number, const char *user, const void *body,
                           const char *extend, struct arena *arena, size_t *ret_len)
{
    struct buf all = { 0 };
    const char *copy;

    put(&all, number, user, body, extend);
    copy = arena_copy(arena, all.data, all.len);
    *ret_len = all.len;
    buf_fini(&all);
    return copy;
}

bool code_says_nothing(int code)
{
    static const int codes[] = {
        PBSE_SVRDOWN,  PBSE_BADCRED, PBSE_PERM,   PBSE_BADHOST, PBSE_DISPROTO,
        PBSE_SAVE_ERR, PBSE_SYSTEM,  PBSE_UNKREQ, PBSE_IVALREQ, PBSE_NOSUP,
    };

    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* Whether an earlier attempt has succeeded. */
static bool leaves_open(const struct finding *answer)
{
    return answer->failed || answer->code == PBSE_UNKJOBID ||
           code_says_nothing(answer->code);
}

enum transfer_end transfer_end(const struct job *job, const struct finding *answer)
{
    bool asked_before = obj_num(&job->obj, JOB_A_HF_MOVE_DOUBT, 0) != 0;
    bool doubt = answer->doubt || asked_before;

    MUST(job_is_leaving(job));
    /* It is there because an earlier attempt has succeeded. Where none was made it is
     * another job, of a server with the same name. */
    if (answer->found || (asked_before && answer->code == PBSE_JOBEXIST))
        return TRANSFER_TAKEN;
    /* Without doubt the other server was never asked to keep the job. */
    return doubt && leaves_open(answer) ? TRANSFER_OPEN : TRANSFER_REFUSED;
}

struct record *transfer_left_record(const struct model *m, const struct job *job,
                                    const char *actor, int64_t now_at,
                                    struct decision *out)
{
    const char *to = obj_str(&job->obj, JOB_A_HF_MOVE_TO, "");
    struct record *rec = job_away_record(
        m, job, actor, now_at,
        arena_printf(out->arena, "Job has been moved to \"%s\"", to), out);

    rec->note = arena_strdup(out->arena, to);
    return rec;
}
