/* show.h - what a status reply shows of an object (wire.md 7.2 K, 8.2).
 *
 * The generic encoder goes through the rows of the kind's table in order, filters by
 * the requester's read bits and the wanted list, and encodes the stored value, unless
 * the kind's show function says something else about that attribute: computed ones
 * (state, jobs, state_count) and overlays (an open alteration) live there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_SHOW_H
#define SERVER_REQUESTS_SHOW_H

#include "server/requests/request.h"

/* True when it has dealt with the attribute: it appended entries, or shows none. False:
 * the stored value is shown. */
typedef bool (*show_fn)(const struct model *m, const struct request *rq,
                        const struct object *o, int attr, struct wire_attrs *out);

/* Append entries for use in a show function. */
void show_text(const struct request *rq, const struct object *o, int attr,
               const char *text, struct wire_attrs *out);
void show_num(const struct request *rq, const struct object *o, int attr, int64_t num,
              struct wire_attrs *out);
void show_resources(const struct request *rq, const struct object *o, int attr,
                    const struct resources *res, struct wire_attrs *out);

bool show_server(const struct model *m, const struct request *rq,
                 const struct object *o, int attr, struct wire_attrs *out);
bool show_queue(const struct model *m, const struct request *rq, const struct object *o,
                int attr, struct wire_attrs *out);
bool show_node(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out);
bool show_sched(const struct model *m, const struct request *rq, const struct object *o,
                int attr, struct wire_attrs *out);
bool show_hook(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out);
bool show_resv(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out);
bool show_job(const struct model *m, const struct request *rq, const struct object *o,
              int attr, struct wire_attrs *out);

/* The wanted attributes of a request, looked up once: bit per row. */
struct wanted {
    bool all;
    bool *rows;
};

/* 15002 "Undefined attribute  <name>" for an unknown name. */
int wanted_parse(const struct wire_attrs *list, enum obj_kind kind, struct arena *arena,
                 struct wanted *ret, struct diag *why) MUST_CHECK;

/* Append one object, encoded, to a status reply. 'type' is an enum wire_object_type. */
void show_object(const struct model *m, const struct request *rq,
                 const struct object *o, uint32_t type, const struct wanted *wanted,
                 struct decision *out);

#endif
