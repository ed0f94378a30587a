/* next_number.c - see next_number.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/next_number.h"

#include "lib/attr/ids.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t last_number(const struct model *m)
{
    return (uint64_t)obj_num(m->server, SERVER_A_MAX_JOB_SEQUENCE_ID, 9999999);
}

uint64_t number_window_end(const struct model *m)
{
    return (uint64_t)obj_num(m->server, SERVER_A_HF_NEXT_NUMBER, 0);
}

static bool is_job_of(const struct model *m, uint64_t number, const char *server)
{
    char id[ID_MAX_JOB + 1];

    snprintf(id, sizeof(id), "%" PRIu64 ".%s", number, server);
    if (model_job(m, id))
        return true;
    snprintf(id, sizeof(id), "%" PRIu64 "[].%s", number, server);
    return model_job(m, id) != NULL;
}

/* A number is a job's or a reservation's whatever the server was named then: files on
 * other hosts, reservations and their queues go by the number. */
static bool is_taken(const struct model *m, uint64_t number)
{
    char id[ID_MAX_RESV + 1];

    snprintf(id, sizeof(id), "R%" PRIu64, number);
    /* One sequence numbers jobs and reservations, so both are asked. */
    if (model_resv(m, id) || is_job_of(m, number, m->server->id))
        return true;
    for (size_t i = 0; i < m->n_other_names; i++)
        if (is_job_of(m, number, m->other_names[i].name))
            return true;
    return false;
}

uint64_t number_free(const struct model *m, uint64_t from)
{
    uint64_t last = last_number(m);

    /* The limit may have been lowered since the last number was given. */
    if (from > last)
        from = 0;
    /* Numbers come round; there are fewer objects than numbers. */
    while (is_taken(m, from))
        from = from < last ? from + 1 : 0;
    return from;
}

uint64_t number_next(const struct model *m, const struct request *rq)
{
    return number_free(m, rq->view->next_number);
}

/* Behind the last number the window of 0 begins, and until its record is applied the
 * next number is above its end. */
static bool is_in_window(const struct model *m, uint64_t number, uint64_t next)
{
    uint64_t end = number_window_end(m);

    return number < end && (number >= next || next > end);
}

void number_take(const struct model *m, const struct request *rq, uint64_t number,
                 struct decision *out)
{
    uint64_t next = rq->view->next_number;
    uint64_t end = number + MAX_OF(rq->cfg->number_window, 1u);
    struct record *rec;

    MUST(next <= number_window_end(m)); /* what may have been told is stored before */
    if (is_in_window(m, number, next))
        return;
    rec = decide(out, rq, FACT_SET, OBJ_SERVER, m->server->id);
    record_change_num(rec, out->arena, SERVER_A_HF_NEXT_NUMBER,
                      (int64_t)MIN_OF(end, last_number(m) + 1));
}

void number_given(const struct model *m, enum obj_kind kind, const char *id,
                  uint64_t *next)
{
    const char *server = strchr(id, '.');
    uint64_t number = strtoull(kind == OBJ_RESV ? id + 1 : id, NULL, 10);

    MUST(kind == OBJ_JOB || kind == OBJ_RESV);
    /* Jobs of other servers keep the numbers that they have. */
    if (server && strcmp(server + 1, m->server->id) == 0 &&
        is_in_window(m, number, *next))
        *next = number + 1;
}
