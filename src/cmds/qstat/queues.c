/* queues.c - the tables of queues and of servers (cli.md 4.6, 4.7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qstat/qstat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CELL_MAX 64

static const char *or_else(const char *value, const char *missing)
{
    return value && *value ? value : missing;
}

static const char *cut(char out[CELL_MAX], const char *text, size_t width)
{
    snprintf(out, CELL_MAX, "%.*s", (int)width, text);
    if (strlen(text) > width)
        out[width - 1] = '*';
    return out;
}

/* The number behind "Queued:" and its like in state_count, as text. */
static const char *state_count(const struct batch_status *o, const char *word,
                               char out[CELL_MAX])
{
    const char *all = or_else(status_value(o, "state_count", NULL), "");
    const char *at = strstr(all, word);

    char number[CELL_MAX];

    snprintf(number, sizeof(number), "%ld",
             at && at[strlen(word)] == ':' ? strtol(at + strlen(word) + 1, NULL, 10)
                                           : 0L);
    return cut(out, number, 5);
}

static bool is_true(const struct batch_status *o, const char *name)
{
    return strcasecmp(or_else(status_value(o, name, NULL), "False"), "True") == 0;
}

static const char *const words[] = { "Queued",  "Running", "Held",
                                     "Waiting", "Transit", "Exiting" };

static void print_counts(const struct batch_status *o)
{
    char cell[CELL_MAX];

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        printf(" %5s", state_count(o, words[i], cell));
}

void qstat_print_queues(const struct batch_status *queues)
{
    char name[CELL_MAX], max[CELL_MAX], total[CELL_MAX], type[CELL_MAX];

    if (!queues)
        return;
    puts("Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext "
         "Type");
    puts("---------------- ----- ----- --- --- ----- ----- ----- ----- ----- ----- "
         "----");
    for (; queues; queues = queues->next) {
        printf("%-16s %5s %5s %3s %3s", cut(name, queues->name, 16),
               cut(max, or_else(status_value(queues, "max_running", NULL), "0"), 5),
               cut(total, or_else(status_value(queues, "total_jobs", NULL), "0"), 5),
               is_true(queues, "enabled") ? "yes" : "no",
               is_true(queues, "started") ? "yes" : "no");
        print_counts(queues);
        printf(" %-4s\n",
               cut(type, or_else(status_value(queues, "queue_type", NULL), "--"), 4));
    }
}

static long count_of(const struct batch_status *o, const char *word)
{
    char cell[CELL_MAX];

    return strtol(state_count(o, word, cell), NULL, 10);
}

void qstat_print_limits(const char *server, const struct batch_status *queues)
{
    long running = 0, queued = 0;

    printf("\nserver: %s\n\n", server);
    puts("Queue            Memory CPU Time Walltime Node   Run   Que   Lm  State");
    puts("---------------- ------ -------- -------- ---- ----- ----- ----  -----");
    for (; queues; queues = queues->next) {
        long run = count_of(queues, "Running");
        long que = count_of(queues, "Queued") + count_of(queues, "Held") +
                   count_of(queues, "Waiting");

        printf("%-16.16s %6.6s %8.8s %8.8s %4.4s %5ld %5ld %4.4s   %c %c\n",
               queues->name,
               or_else(status_value(queues, "resources_max", "mem"), "--  "),
               or_else(status_value(queues, "resources_max", "cput"), "  --   "),
               or_else(status_value(queues, "resources_max", "walltime"), "  --   "),
               or_else(status_value(queues, "resources_max", "nodect"), "-- "), run,
               que, or_else(status_value(queues, "max_running", NULL), "  --   "),
               is_true(queues, "enabled") ? 'E' : 'D',
               is_true(queues, "started") ? 'R' : 'S');
        running += run;
        queued += que;
    }
    printf("%47s----- -----\n%47s%5ld %5ld\n", "", "", running, queued);
}

void qstat_print_servers(const struct batch_status *servers)
{
    char name[CELL_MAX], max[CELL_MAX], total[CELL_MAX], state[CELL_MAX];

    if (!servers)
        return;
    puts("Server             Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status");
    puts(
        "---------------- ----- ----- ----- ----- ----- ----- ----- ----- -----------");
    for (; servers; servers = servers->next) {
        printf("%-16s %5s %5s", cut(name, servers->name, 16),
               cut(max, or_else(status_value(servers, "max_running", NULL), "0"), 5),
               cut(total, or_else(status_value(servers, "total_jobs", NULL), "0"), 5));
        print_counts(servers);
        printf(
            " %-10s\n",
            cut(state, or_else(status_value(servers, "server_state", NULL), "--"), 10));
    }
}
