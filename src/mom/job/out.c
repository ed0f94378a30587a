/* out.c - effects: everything they point to is copied into their arena, for jobs come
 * and go while effects wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#include <stdarg.h>
#include <stdio.h>

struct mom_effect *out_add(struct mom_out *out, enum mom_effect_kind kind)
{
    ARENA_ROOM(out->arena, out, v, 16);
    out->v[out->n] = (struct mom_effect){ .kind = kind };
    return &out->v[out->n++];
}

void out_job(struct mom_out *out, enum mom_effect_kind kind, const struct mom_job *j)
{
    out_add(out, kind)->job_id = arena_strdup(out->arena, j->id);
}

void out_kill(struct mom_out *out, const struct mom_job *j, int signo)
{
    struct mom_effect *e = out_add(out, MOM_KILL);

    MUST(signo >= 0); /* 0 asks whether processes are there */
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.signo = signo;
}

void out_kill_task(struct mom_out *out, const struct mom_job *j, uint32_t task,
                   int signo)
{
    struct mom_effect *e = out_add(out, MOM_KILL);

    MUST(signo >= 0 && task > 0);
    e->job_id = arena_strdup(out->arena, j->id);
    e->task = task;
    e->u.signo = signo;
}

void out_send(struct mom_out *out, uint64_t stream, const struct is_message *msg)
{
    struct mom_effect *e = out_add(out, MOM_SEND);

    MUST(stream != 0); /* who has no stream hears nothing */
    e->stream = stream;
    e->u.msg = *msg;
}

void out_send_im(struct mom_out *out, uint64_t stream, const struct im_message *msg)
{
    struct mom_effect *e = out_add(out, MOM_SEND_IM);

    MUST(stream != 0);
    e->stream = stream;
    e->u.im = *msg;
}

static void add_log(struct mom_out *out, int event, int log_class, const char *object,
                    const char *fmt, va_list ap)
{
    char text[1024];
    struct mom_effect *e = out_add(out, MOM_LOG);

    /* Names in a line may come from outside: a line that is too long is cut. */
    vsnprintf(text, sizeof(text), fmt, ap);
    e->u.log.event = event;
    e->u.log.log_class = log_class;
    e->u.log.object = arena_strdup(out->arena, object);
    e->u.log.text = arena_strdup(out->arena, text);
}

void out_log(struct mom_out *out, int event, int log_class, const char *object,
             const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_log(out, event, log_class, object, fmt, ap);
    va_end(ap);
}

void out_joblog(struct mom_out *out, int event, const struct mom_job *j,
                const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_log(out, event, LOG_IN_JOB, j->id, fmt, ap);
    va_end(ap);
}

static void send_reply(struct mom_out *out, uint64_t stream, const char *msgid,
                       const struct wire_reply *reply)
{
    const struct is_message msg = { .command = IS_CMD_REPLY,
                                    .msgid = arena_strdup(out->arena, msgid),
                                    .reply = *reply };

    out_send(out, stream, &msg);
}

void out_reply(struct mom_out *out, uint64_t stream, const char *msgid, int32_t code)
{
    const struct wire_reply reply = { .code = code, .choice = REPLY_NULL };

    send_reply(out, stream, msgid, &reply);
}

void out_reply_aux(struct mom_out *out, uint64_t stream, const char *msgid, int32_t aux)
{
    const struct wire_reply reply = { .choice = REPLY_NULL, .aux = aux };

    send_reply(out, stream, msgid, &reply);
}

void out_reply_commit(struct mom_out *out, uint64_t stream, const char *msgid,
                      const char *job_id)
{
    const struct wire_reply reply = { .choice = REPLY_COMMIT,
                                      .text = arena_strdup(out->arena, job_id) };

    send_reply(out, stream, msgid, &reply);
}

void out_reply_step(struct mom_out *out, uint64_t stream, const char *msgid,
                    enum reply_choice choice, const char *job_id)
{
    const struct wire_reply reply = { .choice = choice,
                                      .text = arena_strdup(out->arena, job_id) };

    /* Over the router network the first answer ends the whole group of requests at the
     * server (tpp.md 6.3). */
    if (stream & MOM_CONNECTION)
        send_reply(out, stream, msgid, &reply);
}

void out_reply_text(struct mom_out *out, uint64_t stream, const char *msgid,
                    int32_t code, const char *text)
{
    const struct wire_reply reply = { .code = code,
                                      .choice = text[0] ? REPLY_TEXT : REPLY_NULL,
                                      .text = arena_strdup(out->arena, text) };

    send_reply(out, stream, msgid, &reply);
}

void out_reply_error(struct mom_out *out, uint64_t stream, const char *msgid,
                     const struct diag *why)
{
    out_reply_text(out, stream, msgid, why->code, why->text);
}
