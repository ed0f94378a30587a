/* array_submit.c - see array_submit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/array_submit.h"

#include "lib/attr/indices.h"
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/server_attrs.h"

#include <string.h>

#define INDEX_WORD             "^array_index^"
#define ARRAY_SIZE_MAX_DEFAULT 10000

static int refuse(struct diag *why, int code)
{
    return diag_about(why, code, job_rows[JOB_A_ARRAY_INDICES_SUBMITTED].name);
}

/* "%N" at the end says how many may run at once; 'ret' is the text before it. */
static int take_limit(struct edit *job, const char *indices, const char **ret,
                      struct arena *arena, struct diag *why)
{
    const char *mark = strchr(indices, '%');

    *ret = mark ? arena_strndup(arena, indices, (size_t)(mark - indices)) : indices;
    if (!mark)
        return 0;
    if (!mark[1] || strspn(mark + 1, "0123456789") != strlen(mark + 1))
        return refuse(why, PBSE_BADATVAL);
    return edit_set(job, JOB_A_MAX_RUN_SUBJOBS, NULL, mark + 1, WIRE_OP_SET, why);
}

/* The queue's own limit is a matter of its door (queue_door.h). */
static int check_size(const struct model *m, const struct index_range *range,
                      struct diag *why)
{
    int64_t most = obj_num(m->server, SERVER_A_MAX_ARRAY_SIZE, ARRAY_SIZE_MAX_DEFAULT);
    uint64_t n = index_range_count(range);

    /* A range with a step may reach far and have few indices; the places are what takes
     * memory. */
    if (n > INDEX_MAX_PLACES || (int64_t)n > most)
        return diag_code(why, PBSE_MaxArraySize);
    return 0;
}

static bool asks_for(const struct edit *job, const char *resource)
{
    const struct attr_value *list = edit_value(job, JOB_A_RESOURCE_LIST);

    return list->set && resources_find(&list->u.res, resource);
}

int array_submit(const struct model *m, const char *indices, struct edit *job,
                 struct arena *arena, struct diag *why)
{
    struct index_range range;
    const char *text;
    int err = take_limit(job, indices, &text, arena, why);
    int bad;

    if (err)
        return err;
    bad = index_range_parse(text, &range);
    if (bad)
        return refuse(why, bad);
    err = check_size(m, &range, why);
    if (err)
        return err;
    if (edit_value(job, JOB_A_INTERACTIVE)->set)
        return diag_code(why, PBSE_NOSUP);
    if (asks_for(job, "min_walltime") || asks_for(job, "max_walltime"))
        return diag_code(why, PBSE_NOSTF_JOBARRAY);
    edit_set_str(job, JOB_A_ARRAY_INDICES_SUBMITTED, text);
    edit_set_num(job, JOB_A_ARRAY, 1);
    return 0;
}

/* With or without a host in front. */
static bool is_nowhere(const char *path)
{
    const char *colon = strchr(path, ':');

    return strcmp(colon ? colon + 1 : path, "/dev/null") == 0;
}

const char *array_file_name(const char *path, struct arena *arena)
{
    size_t len = strlen(path);

    if (len == 0 || path[len - 1] == '/' || strstr(path, INDEX_WORD) ||
        is_nowhere(path))
        return NULL;
    return arena_printf(arena, "%s." INDEX_WORD, path);
}

void array_name_files(struct edit *job, struct arena *arena)
{
    static const int files[] = { JOB_A_OUTPUT_PATH, JOB_A_ERROR_PATH };

    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        const char *name = array_file_name(edit_str(job, files[i], ""), arena);

        if (name)
            edit_set_str(job, files[i], name);
    }
}
