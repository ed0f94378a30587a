/* command.c - building commands for MoMs and sending them (tpp.md 6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/job_script.h"
#include "server/model/job_hosts.h"
#include "server/moms/moms_priv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

#define SCRIPT_CHUNK_BYTES 65536

/* How long a command may stay unanswered. Copying files and waiting for sisters takes
 * its time; the rest is answered at once. */
static const int64_t limit_s[] = {
    [COMMAND_SEND] = 60,
    [COMMAND_SIGNAL] = 60,
    [COMMAND_COPY] = 900,
    [COMMAND_DELETE] = 300,
    [COMMAND_FORWARD] = 60,
    [COMMAND_STAGE_IN] = 900,
    [COMMAND_UNSTAGE] = 300,
    [COMMAND_RELEASE] = 60,
    [COMMAND_STOP] = 60,
    /* A script may write much, and a MoM that does not answer at all is noticed by what
     * else it is asked. */
    [COMMAND_IMAGE] = 86400,
};

void command_free(struct command *c)
{
    MUST(!c->forwarded); /* it was answered, or dropped */
    free(c->msgid);
    free(c->job_id);
    free(c);
}

void mom_send(struct moms_turn *t, const struct mom *mom, const struct is_message *msg)
{
    struct effect *e;

    /* The address of the MoM is known as long as it has a stream. */
    MUST(mom->stream != 0 && mom->peer_host);
    /* The effect carries the number of the last record, so the message does not leave
     * before that record is durable. */
    e = effect_add(t->effects, EFFECT_MOM_MESSAGE, t->m->seq);
    e->u.mom.stream = mom->stream;
    e->u.mom.host = arena_strdup(t->effects->arena, mom->peer_host);
    e->u.mom.port = mom->peer_port;
    e->u.mom.msg = *msg;
}

void mom_discard(struct moms_turn *t, const struct mom *mom, const char *job_id,
                 int64_t run_version)
{
    struct is_message msg = {
        .command = IS_DISCARD_JOB,
        .job_id = arena_strdup(t->effects->arena, job_id),
        .run_version = (int32_t)run_version,
    };

    mom_send(t, mom, &msg);
}

static struct command *command_add(struct moms *ms, struct moms_turn *t,
                                   struct mom *mom, enum command_kind kind,
                                   const char *job_id)
{
    struct command *c = xcalloc(1, sizeof(*c));

    MUST((size_t)kind < ARRAY_LEN(limit_s) && limit_s[kind] > 0);
    MUST(mom->stream != 0); /* commands are given up when the stream ends */
    *c = (struct command){
        .kind = kind,
        /* Time and counter together are unlike those of an earlier server process,
         * whose answers may still arrive. */
        .msgid = xasprintf("%" PRId64 ":%" PRIu64, t->now_at, ms->counter++),
        .job_id = xstrdup(job_id),
        .due_at = t->now_at + limit_s[kind],
    };
    DL_APPEND(mom->commands, c);
    moms_wake_at(ms, c->due_at);
    return c;
}

/* Begins a command about a job. Nothing else is asked about the job until the answer;
 * look_at_job() then decides by the job's state what is next. */
static struct command *job_command(struct moms *ms, struct moms_turn *t,
                                   struct mom_job *j, enum command_kind kind)
{
    struct command *c;

    MUST(!j->busy && j->mom); /* one command about a job at a time */
    c = command_add(ms, t, j->mom, kind, j->id);
    c->run_version = j->run_version;
    j->busy = true;
    return c;
}

static void send_request(struct moms_turn *t, const struct mom *mom,
                         const struct command *c, const struct wire_request *rq)
{
    struct is_message msg = {
        .command = IS_CMD,
        .msgid = arena_strdup(t->effects->arena, c->msgid),
        .request = *rq,
    };

    mom_send(t, mom, &msg);
}

static void send_body(struct moms_turn *t, const struct mom *mom,
                      const struct command *c, uint32_t number, const void *body)
{
    /* Commands of the server itself come from root, as PBS has them (tpp.md 6). */
    struct wire_request rq = { .number = number, .user = "root", .body = body };

    send_request(t, mom, c, &rq);
}

/* Adds the resources of a job's attribute that a MoM may see (flag RESOURCE_MOM). */
static void add_resources(const struct attr_value *v, const char *name,
                          struct wire_attrs *out, struct arena *arena)
{
    struct wire_attrs all = { 0 };

    /* The value is written out once as name and text pairs, and each pair is then
     * judged by the flags of its resource. */
    attr_value_encode(&attr_resources, v, name, &all, arena);
    for (size_t i = 0; i < all.n; i++) {
        const struct resource_value *r = resources_find(&v->u.res, all.v[i].resource);

        if (r && (r->def->flags & RESOURCE_MOM))
            wire_attrs_add(out, arena, all.v[i].name, all.v[i].resource, all.v[i].value,
                           WIRE_OP_SET);
    }
}

static struct wire_attrs attrs_for_mom(const struct job *job, struct arena *arena)
{
    struct wire_attrs out = { 0 };

    for (size_t i = 0; i < JOB_A_COUNT; i++) {
        const struct attr_row *row = &job_rows[i];
        const struct attr_value *v = obj_attr(&job->obj, (int)i);

        /* Internal attributes are names of ours, which a MoM of another make would
         * refuse. */
        if (!v->set || !(row->flags & ATTR_TO_MOM) || (row->flags & ATTR_INTERNAL))
            continue;
        if (row->type == &attr_resources)
            add_resources(v, row->name, &out, arena);
        else
            attr_value_encode(row->type, v, row->name, &out, arena);
    }
    return out;
}

static void send_script(struct moms_turn *t, const struct mom *mom,
                        const struct command *c, const char *text)
{
    struct arena *arena = t->effects->arena;
    size_t len;
    const char *data = script_from_text(text, arena, &len);
    /* The parts are numbered, so that the MoM notices one that is missing. */
    uint32_t seq = 0;

    for (size_t at = 0; at < len; at += SCRIPT_CHUNK_BYTES) {
        struct body_script *body = ARENA_NEW(arena, struct body_script);
        size_t n = MIN_OF(len - at, (size_t)SCRIPT_CHUNK_BYTES);

        *body = (struct body_script){
            .sequence = seq++,
            .size_bytes = (uint32_t)n,
            /* The message id of the command tells which job this is about. */
            .job_id = "",
            .data = { data + at, n },
        };
        send_body(t, mom, c, BATCH_JOB_SCRIPT, body);
    }
}

/* All subjobs of an array have one script, which is its. */
static const struct job *script_of(const struct job *job)
{
    return job->parent ? job->parent : job;
}

void send_job(struct moms *ms, struct moms_turn *t, struct mom_job *j,
              const struct job *job)
{
    struct arena *arena = t->effects->arena;
    const struct command *c = job_command(ms, t, j, COMMAND_SEND);
    struct body_queue *queue = ARENA_NEW(arena, struct body_queue);
    struct body_id *commit = ARENA_NEW(arena, struct body_id);
    const struct node *first = job_first_node(job);

    /* Three requests share one message id, and the MoM answers once, to the last of
     * them. */
    *queue = (struct body_queue){
        .id = arena_strdup(arena, job->obj.id),
        /* The destination is the vnode whose MoM is to run the job. */
        .destination = arena_strdup(arena, first ? first->obj.id : ""),
        .attrs = attrs_for_mom(job, arena),
    };
    commit->id = queue->id;
    send_body(t, j->mom, c, BATCH_QUEUE_JOB, queue);
    if (obj_is_set(&script_of(job)->obj, JOB_A_HF_SCRIPT))
        send_script(t, j->mom, c, obj_str(&script_of(job)->obj, JOB_A_HF_SCRIPT, ""));
    send_body(t, j->mom, c, BATCH_COMMIT, commit);
    /* From here on the MoM may know of the job, whether or not its answer arrives. */
    j->known = true;
}

static void signal_by(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                      enum command_kind kind, const char *name)
{
    const struct command *c = job_command(ms, t, j, kind);
    struct body_signal *body = ARENA_NEW(t->effects->arena, struct body_signal);

    body->job_id = arena_strdup(t->effects->arena, j->id);
    body->signal = name;
    send_body(t, j->mom, c, BATCH_SIGNAL_JOB, body);
}

void send_word(struct moms *ms, struct moms_turn *t, struct mom_job *j,
               const char *name)
{
    signal_by(ms, t, j, COMMAND_STOP, name);
}

void send_signal(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                 const char *name)
{
    signal_by(ms, t, j, COMMAND_SIGNAL, name);
    /* The line speaks of a deletion, and "Rerun" is sent to a job that goes back to its
     * queue. */
    if (strcmp(name, "Rerun") != 0)
        effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, j->id,
                   "Job sent signal %s on delete", name);
}

void send_image(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                const struct job *job)
{
    struct arena *arena = t->effects->arena;
    struct command *c = command_add(ms, t, j->mom, COMMAND_IMAGE, j->id);
    struct body_manage *body = ARENA_NEW(arena, struct body_manage);

    c->run_version = j->run_version;
    j->image_told = true;
    *body = (struct body_manage){
        .command = 2, /* as clients hold jobs (wire.md 4) */
        .object_type = OBJECT_JOB,
        .object_name = arena_strdup(arena, j->id),
    };
    attr_value_encode(job_rows[JOB_A_HOLD_TYPES].type,
                      obj_attr(&job->obj, JOB_A_HOLD_TYPES),
                      job_rows[JOB_A_HOLD_TYPES].name, &body->attrs, arena);
    send_body(t, j->mom, c, BATCH_HOLD_JOB, body);
}

static void add_pair(struct body_files *body, uint32_t flag, const char *local,
                     const char *remote, struct arena *arena)
{
    /* The list has a handful of entries, so it is copied for each new one; the arena
     * frees the old ones. */
    struct wire_file_pair *more =
        ARENA_ARRAY(arena, struct wire_file_pair, body->n_pairs + 1);

    if (body->n_pairs)
        memcpy(more, body->pairs, body->n_pairs * sizeof(*more));
    more[body->n_pairs++] = (struct wire_file_pair){ flag, local, remote };
    body->pairs = more;
}

/* The standard file that a job has of its own at the MoM and that is to be delivered.
 */
static void add_std_file(const struct job *job, char letter, int path_attr,
                         const char *suffix, struct body_files *body,
                         struct arena *arena)
{
    const char *join = obj_str(&job->obj, JOB_A_JOIN_PATH, "n");
    const char *keep = obj_str(&job->obj, JOB_A_KEEP_FILES, "n");
    const char *unwanted = obj_str(&job->obj, JOB_A_REMOVE_FILES, "");
    const char *path = obj_str(&job->obj, path_attr, NULL);

    /* A file that Keep_Files names stays on the execution host; one that Remove_Files
     * names goes with the job when that has ended well. */
    if (!path || strchr(keep, letter) ||
        (strchr(unwanted, letter) && obj_num(&job->obj, JOB_A_EXIT_STATUS, 0) == 0))
        return;
    /* With Join_Path this stream went into the file of the other one, so there is
     * nothing to deliver. */
    if (strcmp(join, letter == 'o' ? "eo" : "oe") == 0)
        return;
    /* Flag 1 is a standard file (tpp.md 6.2), which the MoM keeps under the job's
     * id. */
    add_pair(body, 1, arena_printf(arena, "%s.%s", job->obj.id, suffix),
             arena_strdup(arena, path), arena);
}

/* Files that the user asked to be staged: "LOCAL@HOST:REMOTE". */
static void add_staged(const struct job *job, int list, struct body_files *body,
                       struct arena *arena)
{
    const struct attr_value *v = obj_attr(&job->obj, list);

    for (size_t i = 0; v->set && i < v->u.list.n; i++) {
        const char *entry = v->u.list.v[i];
        const char *at = strchr(entry, '@');

        /* An entry without a host does not say where to, so it is passed over. */
        if (at)
            /* Flag 3 is such a file (tpp.md 6.2). */
            add_pair(body, 3, arena_strndup(arena, entry, (size_t)(at - entry)),
                     arena_strdup(arena, at + 1), arena);
    }
}

/* Whose files they are, and where they lie; 'direction' is 0 in and 1 out. */
static struct body_files *files_of(const struct job *job, uint32_t direction,
                                   struct arena *arena)
{
    struct body_files *body = ARENA_NEW(arena, struct body_files);
    const char *owner = obj_str(&job->obj, JOB_A_JOB_OWNER, "");
    const char *sandbox = obj_str(&job->obj, JOB_A_SANDBOX, "");

    *body = (struct body_files){
        .job_id = arena_strdup(arena, job->obj.id),
        /* The MoM wants the user alone, while Job_Owner is "user@host". */
        .owner = arena_strndup(arena, owner, strcspn(owner, "@")),
        .user = arena_strdup(arena, obj_str(&job->obj, JOB_A_EUSER, "")),
        .group = "",
        /* Bit 1 says that the files lie in a directory of the job's own. */
        .direction = direction | (strcasecmp(sandbox, "PRIVATE") == 0 ? 2 : 0),
    };
    return body;
}

void send_copy(struct moms *ms, struct moms_turn *t, struct mom_job *j,
               const struct job *job)
{
    struct arena *arena = t->effects->arena;
    const struct command *c = job_command(ms, t, j, COMMAND_COPY);
    struct body_files *body = files_of(job, 1, arena);

    /* What an interactive job has to be staged out comes without them. */
    if (!obj_attr(&job->obj, JOB_A_INTERACTIVE)->set) {
        add_std_file(job, 'o', JOB_A_OUTPUT_PATH, "OU", body, arena);
        add_std_file(job, 'e', JOB_A_ERROR_PATH, "ER", body, arena);
    }
    add_staged(job, JOB_A_STAGEOUT, body, arena);
    send_body(t, j->mom, c, BATCH_COPY_FILES, body);
}

void send_stage_in(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                   const struct job *job)
{
    const struct command *c = job_command(ms, t, j, COMMAND_STAGE_IN);
    struct body_files *body = files_of(job, 0, t->effects->arena);

    add_staged(job, JOB_A_STAGEIN, body, t->effects->arena);
    send_body(t, j->mom, c, BATCH_COPY_FILES, body);
}

void send_unstage(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                  const struct job *job, bool wait)
{
    /* Nobody waits for the answer about a job that leaves the MoM without having been
     * there. */
    const struct command *c = wait ? job_command(ms, t, j, COMMAND_UNSTAGE)
                                   : command_add(ms, t, j->mom, COMMAND_FORWARD, j->id);
    struct body_files *body = files_of(job, 0, t->effects->arena);

    add_staged(job, JOB_A_STAGEIN, body, t->effects->arena);
    send_body(t, j->mom, c, BATCH_DEL_FILES, body);
}

void send_delete(struct moms *ms, struct moms_turn *t, struct mom_job *j)
{
    const struct command *c = job_command(ms, t, j, COMMAND_DELETE);
    struct body_manage *body = ARENA_NEW(t->effects->arena, struct body_manage);

    *body = (struct body_manage){
        /* The body is that of a manager request, with its numbers: 1 deletes (tpp.md
         * 6.2). */
        .command = 1,
        .object_type = OBJECT_JOB,
        .object_name = arena_strdup(t->effects->arena, j->id),
    };
    send_body(t, j->mom, c, BATCH_DELETE_JOB, body);
}

void send_modify(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                 const struct body_manage *body)
{
    send_body(t, j->mom, job_command(ms, t, j, COMMAND_RELEASE), BATCH_MODIFY_JOB,
              body);
}

void send_forwarded(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                    struct forwarded *f, const struct wire_request *rq)
{
    struct command *c = command_add(ms, t, j->mom, COMMAND_FORWARD, j->id);

    c->forwarded = f;
    send_request(t, j->mom, c, rq);
}
