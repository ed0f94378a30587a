/* kind.c - the kinds of objects: names and attribute tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/model.h"

#include <string.h>

/* A resource of the site: what resource_define() takes. Never shown through this table
 * (StatusRsc shows the definitions), so clients look nothing up in it. */
static const struct attr_row resource_rows[RESOURCE_A_COUNT] = {
    [RESOURCE_A_TYPE] = { .name = "type",
                          .type = &attr_string,
                          .flags = ATTR_INTERNAL,
                          .doc = "Name of the type." },
    [RESOURCE_A_FLAG] = { .name = "flag",
                          .type = &attr_string,
                          .flags = ATTR_INTERNAL,
                          .doc = "Letters of the flags." },
};

static const struct attr_table resource_table = {
    .kind = "resource",
    .macro_prefix = "RESOURCE",
    .rows = resource_rows,
    .n = RESOURCE_A_COUNT,
};

/* Read by the server alone, when it starts. All of them are plain texts, so that one
 * that makes no sense is found there, and does not keep the store from being loaded. */
static const struct attr_row request_rows[REQUEST_A_COUNT] = {
    [REQUEST_A_ASKED] = { .name = "hf_asked",
                          .type = &attr_string,
                          .flags = ATTR_INTERNAL,
                          .doc = "The request as it came from the client." },
    [REQUEST_A_ACTOR] = { .name = "hf_actor",
                          .type = &attr_string,
                          .flags = ATTR_INTERNAL,
                          .doc = "Who has asked: user@host." },
    [REQUEST_A_RIGHTS] = { .name = "hf_rights",
                           .type = &attr_string,
                           .flags = ATTR_INTERNAL,
                           .doc =
                               "What that user was when the first object was changed: "
                               "letters of u, o, m and s." },
    [REQUEST_A_PLACE] = { .name = "hf_place",
                          .type = &attr_string,
                          .flags = ATTR_INTERNAL,
                          .doc = "The number of the record that made the last object "
                                 "that had its turn." },
};

static const struct attr_table request_table = {
    .kind = "request",
    .macro_prefix = "REQUEST",
    .rows = request_rows,
    .n = REQUEST_A_COUNT,
};

static const struct {
    const char *name;
    const struct attr_table *table;
} kind_rows[OBJ_KIND_COUNT] = {
    [OBJ_SERVER] = { "server", &server_table },
    [OBJ_SCHED] = { "sched", &sched_table },
    [OBJ_RESOURCE] = { "resource", &resource_table },
    [OBJ_QUEUE] = { "queue", &queue_table },
    [OBJ_NODE] = { "node", &node_table },
    [OBJ_HOOK] = { "hook", &hook_table },
    [OBJ_RESV] = { "resv", &resv_table },
    [OBJ_OCCURRENCE] = { "occurrence", &occurrence_table },
    [OBJ_JOB] = { "job", &job_table },
    [OBJ_REQUEST] = { "request", &request_table },
};

const struct attr_table *kind_table(enum obj_kind kind)
{
    MUST(kind < OBJ_KIND_COUNT);
    return kind_rows[kind].table;
}

const char *kind_name(enum obj_kind kind)
{
    MUST(kind < OBJ_KIND_COUNT);
    return kind_rows[kind].name;
}

enum obj_kind kind_find(const char *name)
{
    for (size_t i = 0; i < OBJ_KIND_COUNT; i++)
        if (strcmp(kind_rows[i].name, name) == 0)
            return (enum obj_kind)i;
    /* A store of a later version may have kinds that this one does not know. */
    return OBJ_KIND_COUNT;
}
