/* node_file.c - see node_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/node_file.h"

#include "mom/shell/home.h"
#include "mom/shell/plan.h"

#include <stdlib.h>
#include <string.h>

/* Lines of a node file: a user asks for them with a word, mpiprocs, and the MoM holds
 * them in memory. */
#define NODEFILE_LINES_MAX 1000000

int job_chunks_read(const struct wire_attrs *attrs, struct arena *arena,
                    struct job_chunks *ret, struct diag *why)
{
    const char *asked = wire_attrs_value(attrs, "schedselect", NULL);
    const char *placed = wire_attrs_value(attrs, "exec_vnode", NULL);

    *ret = (struct job_chunks){ 0 };
    if (asked && *asked && select_parse(asked, NULL, arena, &ret->asked, why) != 0)
        return why->code;
    return exec_vnode_parse(placed ? placed : "", NULL, arena, &ret->placed, why);
}

/* The next host of exec_host2 ("host:port/0*2+host:port/1"), cut at its first dot; *at
 * moves behind it. Where the list has no more, it is this host. */
static const char *next_host(const char **at, const char *dflt, struct arena *arena)
{
    const char *host = *at;
    const char *plus = strchr(host, '+');

    *at = plus ? plus + 1 : host + strlen(host);
    return *host ? arena_strndup(arena, host, strcspn(host, ".:/+")) : dflt;
}

static const char *value_of(const struct chunk *c, const char *name)
{
    for (size_t k = 0; k < c->n; k++)
        if (strcmp(c->res[k].name, name) == 0)
            return c->res[k].value;
    return NULL;
}

const char *job_chunks_first(const struct job_chunks *chunks, const char *name)
{
    return chunks->asked.n > 0 ? value_of(&chunks->asked.chunks[0], name) : NULL;
}

/* How many tasks each of the chunks of that kind has: as mpiprocs says, one when it
 * does not. */
static int64_t tasks_of(const struct chunk *c)
{
    const char *mpiprocs = value_of(c, "mpiprocs");
    long long n = mpiprocs ? strtoll(mpiprocs, NULL, 10) : 1;

    return MIN_OF(MAX_OF(n, 0), NODEFILE_LINES_MAX + 1);
}

/* One line for each task of each chunk. False: there are too many. */
static bool list_tasks(const char *exec_host2, const char *host,
                       const struct job_chunks *chunks, struct arena *arena,
                       struct buf *text)
{
    const struct select *asked = &chunks->asked;
    size_t kind = 0;
    int64_t n_of_kind = 0, n_lines = 0;

    for (size_t i = 0; i < chunks->placed.n; i++) {
        const char *name = next_host(&exec_host2, host, arena);
        int64_t times;

        /* "2:mpiprocs=4+1": the first kind has two chunks. */
        while (kind < asked->n && n_of_kind >= asked->chunks[kind].count) {
            kind++;
            n_of_kind = 0;
        }
        n_of_kind++;
        times = kind < asked->n ? tasks_of(&asked->chunks[kind]) : 1;
        n_lines += times;
        if (n_lines > NODEFILE_LINES_MAX)
            return false;
        while (times-- > 0)
            buf_printf(text, "%s\n", name);
    }
    return true;
}

int node_file_write(const char *path, const struct wire_attrs *attrs, const char *host,
                    const struct job_chunks *chunks, struct arena *arena,
                    struct diag *why)
{
    const char *exec_host2 = wire_attrs_value(attrs, "exec_host2", NULL);
    struct buf text = { 0 };
    int status = 0;

    if (!list_tasks(exec_host2 ? exec_host2 : "", host, chunks, arena, &text)) {
        diag_set(why, PBSE_BADATVAL, "mpiprocs of all chunks exceed %d",
                 NODEFILE_LINES_MAX);
        status = START_FAILED_EARLY;
    } else if (home_lay(path, 0644, text.data ? text.data : "", text.len, why) != 0) {
        status = START_RETRY;
    }
    buf_fini(&text);
    return status;
}
