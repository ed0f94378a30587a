/* show.h - what a status reply shows of an object (wire.md 7.2 K, 8.2).
 *
 * The generic encoder goes through the rows of the kind's table in order, filters by
 * the requester's read bits and what was asked for, and encodes the stored value,
 * unless the kind's show function says something else about that attribute: computed
 * ones (state, jobs, state_count) and overlays (an open alteration) live there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_SHOW_H
#define SERVER_REQUESTS_SHOW_H

#include "server/decide/request.h"
#include "server/model/resv_oversub.h"

/* True when it has dealt with the attribute: it appended entries, or shows none. False:
 * the stored value is shown.
 *
 * What it says of queues, vnodes, reservations and jobs is kept (shown.h): it may look
 * only at the object and at what is derived for it, whose every change sets the
 * object's shown_seq; the row of the edge along which it sees more says so
 * (model/edges.h: enum lasts). */
typedef bool (*show_fn)(const struct model *m, const struct request *rq,
                        const struct object *o, int attr, struct wire_attrs *out);

/* Append entries for use in a show function. */
void show_text(const struct request *rq, const struct object *o, int attr,
               const char *text, struct wire_attrs *out);
void show_num(const struct request *rq, const struct object *o, int attr, int64_t num,
              struct wire_attrs *out);
void show_resources(const struct request *rq, const struct object *o, int attr,
                    const struct resources *res, struct wire_attrs *out);

/* The show function of each kind. */
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

/* What is worked out once for all attributes of one object; its texts are in the arena
 * of the request, which must not be cleared before the look ends. */
struct look {
    const struct object *of; /* NULL: nothing is known yet */
    struct oversub oversub;  /* of a reservation */
    size_t n_looked_at;      /* what that has cost (model/resv_oversub.h) */
};

/* The attributes that a request asks for, looked up once: each once, in the order of
 * the request, which is the order of the reply. */
struct asked {
    bool all; /* in the order of the table */
    size_t n;
    int *rows;
};

/* 15002 "Undefined attribute  <name>" for an unknown name, 15004 for more names than a
 * request may have entries (lib/attr/bounds.h). */
int asked_parse(const struct wire_attrs *list, enum obj_kind kind, struct arena *arena,
                struct asked *ret, struct diag *why) MUST_CHECK;

/* Append one object to a status reply; 'type' is an enum wire_object_type. */
void show_object(const struct model *m, const struct request *rq,
                 const struct object *o, uint32_t type, const struct asked *asked,
                 struct decision *out);

/* Its attributes alone. A request without a look of its own has one for this. */
void show_put(const struct model *m, const struct request *rq, const struct object *o,
              const struct asked *asked, struct wire_attrs *out);

/* The same as bytes, appended to 'out'; rq->arena is where texts are made. */
void show_encode(const struct model *m, const struct request *rq,
                 const struct object *o, const struct asked *asked, struct buf *out);

/* The enum wire_object_type of a kind. */
uint32_t show_object_type(enum obj_kind kind);

/* True when the shown form of the object is the same for everybody with the same rights
 * until its shown_seq changes. */
bool show_is_lasting(const struct model *m, const struct request *rq,
                     const struct object *o);
bool resv_show_is_lasting(const struct model *m, const struct request *rq,
                          const struct object *o);

/* Whether rights let a requester read an attribute, and resources with flag i. The
 * shown form of an object depends on nothing else besides the object itself. */
bool show_may_read(const struct model *m, const struct attr_row *row, uint32_t rights);
bool show_sees_invisible(uint32_t rights);

#endif
