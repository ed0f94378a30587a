/* manager.h - what the Manager requests of the object kinds share.
 *
 * Each kind has one function per command. A change is put together in an edit; the
 * kind's own effects and checks run on it; then it becomes one record.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_MANAGER_H
#define SERVER_REQUESTS_MANAGER_H

#include "lib/attr/ids.h"
#include "lib/base/log.h"
#include "server/decide/edit.h"
#include "server/decide/request.h"

struct manager {
    const struct model *m;
    const struct request *rq;
    const struct body_manage *body;
    enum manager_command command; /* SET or UNSET where both are served */
    const char *name;             /* of the object */
    struct wire_attrs attrs;      /* of an unset: the same names with empty values */
    struct decision *out;
};

typedef int (*manager_fn)(struct manager *g);

/* What each command does to each kind of object, set and unset alike: 0, and the record
 * is in g->out; or a PBSE code with g->out->why, and nothing changes. */
int manager_server_set(struct manager *g);

int manager_queue_create(struct manager *g);
int manager_queue_delete(struct manager *g);
int manager_queue_set(struct manager *g);

int manager_node_create(struct manager *g);
int manager_node_delete(struct manager *g);
int manager_node_set(struct manager *g);
int manager_host_set(struct manager *g);

int manager_resource_create(struct manager *g);
int manager_resource_delete(struct manager *g);
int manager_resource_set(struct manager *g);

/* Hooks of the site and shipped ones: the whole of their commands. */
int manager_hook(struct manager *g);

int manager_sched_create(struct manager *g);
int manager_sched_delete(struct manager *g);
int manager_sched_set(struct manager *g);

/* A refusal in the request's decision. */
#define REFUSE(g, code) diag_code(&(g)->out->why, (code))

/* True when the request sets (not unsets) that attribute, whatever the order. */
bool manager_sets(const struct manager *g, const char *attr);

/* The edit as a record, with its log lines. 'fact' is FACT_CREATED or FACT_SET; an edit
 * that changes nothing makes no record unless it creates. Returns the record or NULL.
 */
struct record *manager_commit(struct manager *g, const struct edit *e, enum fact fact,
                              enum obj_kind kind, const char *id);

/* "created at request of", "deleted at request of". */
void manager_log(struct manager *g, enum obj_kind kind, const char *id,
                 const char *what);

/* Checks that several kinds share; each looks at what the edit touched. */
int check_default_chunk(const struct edit *e, int attr, struct diag *why);
int check_limits_of_jobs(const struct edit *e, int attr, struct diag *why);
int check_group_key(const struct edit *e, int attr, bool strings_only,
                    struct diag *why);
/* manager_limits.c: 15141 */
int check_limit_styles(const struct manager *g, const struct edit *e,
                       enum obj_kind kind);

/* True when the request is about all objects of its kind: "" or "@server". */
bool manager_means_all(const struct manager *g);

#endif
