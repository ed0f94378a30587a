/* reference.c - prints the pages of doc/reference from the tables that the daemons run
 * by: "reference attributes|jobs|requests|reservations|settings".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_words.h"
#include "lib/attr/row.h"
#include "lib/io/conf.h"
#include "lib/wire/batch.h"
#include "lib/wire/field.h"
#include "server/model/job_phase.h"
#include "server/model/resv_state.h"
#include "server/requests/handlers.h"

#include <stdio.h>
#include <string.h>

#define REQUEST_NUMBER_MAX 1000

static void print_attributes(struct buf *out)
{
    static const struct attr_table *const tables[] = {
        &server_table, &queue_table, &node_table, &resv_table,
        &job_table,    &sched_table, &hook_table,
    };

    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        if (i > 0)
            buf_add_char(out, '\n');
        attr_table_print(tables[i], out);
    }
}

static const char *asker(const struct request_row *row)
{
    if (!row)
        return "outside the core";
    return row->who & WHO_USER ? "anyone" : "operators and managers";
}

static void print_requests(struct buf *out)
{
    buf_add_str(out,
                "Requests: number, name, who may ask, fields of the body in order\n"
                "(outside the core: answered by the daemon's shell, or 15005)\n");
    for (uint32_t number = 0; number < REQUEST_NUMBER_MAX; number++) {
        const struct batch_row *row = batch_row(number);
        const struct request_row *served = request_row(number);

        if (!row)
            continue;
        buf_printf(out, "\n%u %s (%s%s)\n   ", number, row->name, asker(served),
                   served && served->silent ? "; no answer is sent" : "");
        for (const struct wire_field *f = row->fields; f && f->name; f++)
            buf_printf(out, " %s", f->name);
        buf_add_str(out, row->fields && row->fields->name ? "\n" : " no body\n");
    }
}

static const char *const event_names[RESV_EVENT_COUNT] = {
    [RESV_EV_CONFIRM] = "a scheduler confirms",
    [RESV_EV_DENY] = "every scheduler denies",
    [RESV_EV_NODES_LOST] = "a vnode of it becomes unusable",
    [RESV_EV_HEAL] = "every vnode of it is usable again",
    [RESV_EV_CONFLICT] = "maintenance takes vnodes of it",
    [RESV_EV_OPEN] = "its start comes",
    [RESV_EV_MOVE_OUT] = "it is altered to start later",
    [RESV_EV_OVER] = "its end comes, others are left",
    [RESV_EV_TURN] = "no job runs, the next one comes",
    [RESV_EV_END] = "its end comes, or it is deleted",
    [RESV_EV_EMPTY] = "its last job is gone",
};

static void add_phase(struct buf *out, enum resv_phase phase)
{
    buf_printf(out, "%s, substate %d", resv_state_long(resv_phase_state(phase)),
               (int)resv_phase_substate(phase));
}

static void print_reservations(struct buf *out)
{
    buf_add_str(out, "States of a reservation, and what follows what\n");
    for (int phase = PHASE_NONE + 1; phase < PHASE_COUNT; phase++) {
        buf_add_char(out, '\n');
        add_phase(out, (enum resv_phase)phase);
        buf_add_char(out, '\n');
        for (int event = 0; event < RESV_EVENT_COUNT; event++) {
            enum resv_phase next =
                resv_next((enum resv_phase)phase, (enum resv_event)event);

            if (next == PHASE_NONE)
                continue;
            buf_printf(out, "    %-36s -> ", event_names[event]);
            add_phase(out, next);
            buf_add_char(out, '\n');
        }
    }
}

static const char *const job_event_names[JOB_EVENT_COUNT] = {
    [JOB_EV_QUEUE] = "nothing keeps it from running",
    [JOB_EV_STAGE_IN] = "files are to be fetched first",
    [JOB_EV_HOLD] = "a hold is on it",
    [JOB_EV_WAIT] = "its Execution_Time is to come",
    [JOB_EV_DEPEND] = "it waits for other jobs",
    [JOB_EV_DEPEND_OVER] = "not any more, and another hold is on",
    [JOB_EV_RUN] = "it is given vnodes",
    [JOB_EV_STAGE_FAIL] = "files for it could not be fetched",
    [JOB_EV_START] = "its MoM tells the session",
    [JOB_EV_SUSPEND] = "a client suspends it",
    [JOB_EV_SCHED_SUSPEND] = "the scheduler suspends it",
    [JOB_EV_RESUME] = "it is resumed",
    [JOB_EV_END_WITH_FILES] = "its run ends and left files",
    [JOB_EV_END] = "its run ends and left none",
    [JOB_EV_DELIVERED] = "its files are delivered",
    [JOB_EV_BEGIN] = "its first subjob starts",
    [JOB_EV_EXPIRE] = "a subjob's end is done",
    [JOB_EV_LEAVE] = "it is offered to another server",
    [JOB_EV_MOVE] = "another server has it",
    [JOB_EV_FINISH] = "into history: it ended well",
    [JOB_EV_FAIL] = "into history: it did not end well",
    [JOB_EV_TERMINATE] = "into history: it was deleted",
};

static void add_job_phase(struct buf *out, enum job_phase phase)
{
    buf_printf(out, "%c, substate %d", job_phase_state(phase),
               (int)job_phase_substate(phase));
}

static void print_jobs(struct buf *out)
{
    buf_add_str(out, "States of a job, and what follows what\n");
    for (int phase = JOB_PHASE_NONE + 1; phase < JOB_PHASE_COUNT; phase++) {
        buf_add_char(out, '\n');
        add_job_phase(out, (enum job_phase)phase);
        buf_add_char(out, '\n');
        for (int event = 0; event < JOB_EVENT_COUNT; event++) {
            enum job_phase next =
                job_next((enum job_phase)phase, (enum job_event)event);

            if (next == JOB_PHASE_NONE)
                continue;
            buf_printf(out, "    %-36s -> ", job_event_names[event]);
            add_job_phase(out, next);
            buf_add_char(out, '\n');
        }
    }
}

static void print_settings(struct buf *out)
{
    size_t n;
    const struct conf_setting *s = conf_settings(&n);

    buf_add_str(out, "Settings of pbs.conf; the environment overrides the file\n\n");
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "%s\n    %s\n", s[i].name, s[i].doc);
        if (s[i].required)
            buf_add_str(out, "    must be there\n");
        else if (s[i].dflt && *s[i].dflt)
            buf_printf(out, "    default: %s\n", s[i].dflt);
        if (s[i].file_only)
            buf_add_str(out, "    in the file only\n");
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(struct buf *out);
    } pages[] = {
        { "attributes", print_attributes }, { "jobs", print_jobs },
        { "requests", print_requests },     { "reservations", print_reservations },
        { "settings", print_settings },
    };
    struct buf out = { 0 };
    int status = 1;

    for (size_t i = 0; argc == 2 && i < ARRAY_LEN(pages); i++)
        if (strcmp(argv[1], pages[i].name) == 0)
            pages[i].print(&out);
    if (out.len > 0)
        status = fwrite(out.data, out.len, 1, stdout) == 1 ? 0 : 1;
    buf_fini(&out);
    return fflush(stdout) ? 1 : status;
}
