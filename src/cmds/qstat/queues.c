/* queues.c - the tables of queues and of servers (cli.md 4.6, 4.7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/bounded.h"
#include "cmds/qstat/qstat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The number behind "Queued:" and its like in state_count. */
static int64_t count_of(const struct batch_status *o, const char *word)
{
    const char *all = cell_or(status_value(o, "state_count", NULL), "");
    /* No word of the list is the end of another one, so the first place is the right
     * one. */
    const char *at = strstr(all, word);

    return at && at[strlen(word)] == ':' ? strtoll(at + strlen(word) + 1, NULL, 10) : 0;
}

/* Jobs that are held or wait for their time count as queued (cli.md 4.6). */
static int64_t count_waiting(const struct batch_status *o)
{
    return bounded_add(count_of(o, "Queued"),
                       bounded_add(count_of(o, "Held"), count_of(o, "Waiting")));
}

/* A value for a column, "0" when it is not set. */
static const char *number_cell(char out[CELL_MAX], const struct batch_status *o,
                               const char *attr)
{
    return cell_cut(out, cell_or(status_value(o, attr, NULL), "0"), 5);
}

static bool is_true(const struct batch_status *o, const char *name)
{
    return strcasecmp(cell_or(status_value(o, name, NULL), "False"), "True") == 0;
}

static void print_counts(const struct batch_status *o)
{
    static const char *const words[] = { "Queued",  "Running", "Held",
                                         "Waiting", "Transit", "Exiting" };
    char number[CELL_MAX], cell[CELL_MAX];

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        snprintf(number, sizeof(number), "%" PRId64, count_of(o, words[i]));
        printf(" %5s", cell_cut(cell, number, 5));
    }
}

/* Begun arrays have no column (cli.md 4.6). */
static void queue_heading(void)
{
    puts("Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext "
         "Type");
    puts("---------------- ----- ----- --- --- ----- ----- ----- ----- ----- ----- "
         "----");
}

void qstat_print_queues(struct qstat *q, const struct batch_status *queues)
{
    char name[CELL_MAX], max[CELL_MAX], total[CELL_MAX], type[CELL_MAX];

    if (queues && !q->headed)
        queue_heading();
    /* One heading stands above the queues of all operands. */
    q->headed |= queues != NULL;
    for (; queues; queues = queues->next) {
        printf("%-16s %5s %5s %3s %3s", cell_cut(name, queues->name, 16),
               number_cell(max, queues, "max_running"),
               number_cell(total, queues, "total_jobs"),
               is_true(queues, "enabled") ? "yes" : "no",
               is_true(queues, "started") ? "yes" : "no");
        print_counts(queues);
        printf(
            " %-4s\n",
            cell_cut(type, cell_or(status_value(queues, "queue_type", NULL), "--"), 4));
    }
}

static const char *limit(const struct batch_status *q, const char *resource,
                         const char *missing)
{
    return cell_or(status_value(q, "resources_max", resource), missing);
}

static const char *memory_limit(const struct qstat *q, const struct batch_status *queue,
                                char out[CELL_MAX])
{
    const char *value = status_value(queue, "resources_max", "mem");

    if (!value)
        return "--  ";
    cell_size(out, value, q->size);
    return out;
}

void qstat_print_limits(const struct qstat *q, const struct batch_status *queues)
{
    int64_t running = 0, queued = 0;
    char memory[CELL_MAX];

    printf("\nserver: %s\n\n", q->server);
    puts("Queue            Memory CPU Time Walltime Node   Run   Que   Lm  State");
    puts("---------------- ------ -------- -------- ---- ----- ----- ----  -----");
    for (; queues; queues = queues->next) {
        int64_t run = count_of(queues, "Running");
        int64_t que = count_waiting(queues);

        printf("%-16.16s %6.6s %8.8s %8.8s %4.4s %5" PRId64 " %5" PRId64
               " %4.4s   %c %c\n",
               queues->name, memory_limit(q, queues, memory),
               limit(queues, "cput", "  --   "), limit(queues, "walltime", "  --   "),
               limit(queues, "nodect", "-- "), run, que,
               cell_or(status_value(queues, "max_running", NULL), "  --   "),
               is_true(queues, "enabled") ? 'E' : 'D',
               is_true(queues, "started") ? 'R' : 'S');
        running = bounded_add(running, run);
        queued = bounded_add(queued, que);
    }
    /* The totals stand under the columns Run and Que. */
    printf("%47s----- -----\n%47s%5" PRId64 " %5" PRId64 "\n", "", "", running, queued);
}

static void server_heading(void)
{
    puts("Server             Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status");
    puts(
        "---------------- ----- ----- ----- ----- ----- ----- ----- ----- -----------");
}

void qstat_print_servers(struct qstat *q, const struct batch_status *servers)
{
    char name[CELL_MAX], max[CELL_MAX], total[CELL_MAX], state[CELL_MAX];

    if (servers && !q->headed)
        server_heading();
    q->headed |= servers != NULL;
    for (; servers; servers = servers->next) {
        printf("%-16s %5s %5s", cell_cut(name, servers->name, 16),
               number_cell(max, servers, "max_running"),
               number_cell(total, servers, "total_jobs"));
        print_counts(servers);
        printf(" %-10s\n",
               cell_cut(state,
                        cell_or(status_value(servers, "server_state", NULL), "--"),
                        10));
    }
}
