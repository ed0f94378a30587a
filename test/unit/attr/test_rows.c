/* Unit tests of the attribute tables, the checks of single attributes and the resource
 * definitions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resource.h"
#include "lib/attr/resv_attrs.h"
#include "lib/attr/sched_attrs.h"
#include "lib/attr/server_attrs.h"
#include "lib/attr/who.h"

#include "../unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct attr_table *const tables[] = {
    &server_table, &queue_table, &node_table, &resv_table,
    &job_table,    &sched_table, &hook_table,
};

static void test_every_row_is_complete(void)
{
    for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
        for (size_t i = 0; i < tables[t]->n; i++) {
            const struct attr_row *row = &tables[t]->rows[i];

            CU_ASSERT_PTR_NOT_NULL_FATAL(row->name);
            CU_ASSERT_PTR_NOT_NULL_FATAL(row->type);
            CU_ASSERT_PTR_NOT_NULL_FATAL(row->doc);
            CU_ASSERT_TRUE(isupper((unsigned char)row->doc[0]));
            CU_ASSERT_EQUAL(row->doc[strlen(row->doc) - 1], '.');
            if (row->flags & ATTR_INTERNAL)
                CU_ASSERT_EQUAL(strncmp(row->name, "hf_", 3), 0);
            if (row->flags & ATTR_INTERNAL)
                CU_ASSERT_EQUAL(row->read | row->write, 0);
        }
    }
}

static void test_every_attribute_is_found_by_name_in_any_case(void)
{
    for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
        size_t shown = 0;

        for (size_t i = 0; i < tables[t]->n; i++) {
            const struct attr_row *row = &tables[t]->rows[i];
            char name[64];

            snprintf(name, sizeof(name), "%s", row->name);
            for (char *p = name; *p; p++)
                *p = (char)toupper((unsigned char)*p);
            CU_ASSERT_EQUAL(attr_find_any(tables[t], name), (int)i);
            CU_ASSERT_EQUAL(attr_find(tables[t], name),
                            row->flags & ATTR_INTERNAL ? -1 : (int)i);
            shown += !(row->flags & ATTR_INTERNAL);
        }
        CU_ASSERT_EQUAL(tables[t]->n_order, shown);
        for (size_t i = 1; i < tables[t]->n_order; i++)
            CU_ASSERT_TRUE(strcasecmp(tables[t]->rows[tables[t]->order[i - 1]].name,
                                      tables[t]->rows[tables[t]->order[i]].name) < 0);
        CU_ASSERT_EQUAL(attr_find(tables[t], ""), -1);
        CU_ASSERT_EQUAL(attr_find(tables[t], "nosuch"), -1);
        CU_ASSERT_EQUAL(attr_find_any(tables[t], "hf_nosuch"), -1);
        CU_ASSERT_EQUAL(attr_find_any(tables[t], "zzz"), -1);
    }
}

static void test_every_default_decodes_passes_its_check_and_prints_the_same(void)
{
    struct resource_defs *defs = resource_defs_new();
    struct arena *arena = arena_new();

    for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
        for (size_t i = 0; i < tables[t]->n; i++) {
            const struct attr_row *row = &tables[t]->rows[i];
            struct attr_value v = { 0 };

            if (!row->dflt)
                continue;
            CU_ASSERT_EQUAL(
                attr_value_set(row->type, &v, defs, NULL, row->dflt, WIRE_OP_SET), 0);
            CU_ASSERT_TRUE(!row->check || row->check(&v, NULL) == 0);
            if (strchr(row->dflt, ' ') == NULL)
                CU_ASSERT_STRING_EQUAL(attr_value_text(row->type, &v, arena),
                                       row->dflt);
            row->type->clear(&v);
        }
    }
    arena_free(arena);
    resource_defs_free(defs);
}

static void test_users_cannot_write_what_the_server_decides(void)
{
    static const int resv[] = {
        RESV_A_RESERVE_STATE,    RESV_A_RESERVE_SUBSTATE,   RESV_A_RESERVE_INDEX,
        RESV_A_RESERVE_COUNT,    RESV_A_RESERVE_EXECVNODES, RESV_A_RESERVE_RETRY,
        RESV_A_RESERVE_STANDING, RESV_A_RESV_NODES,         RESV_A_PARTITION,
    };

    for (size_t i = 0; i < ARRAY_LEN(resv); i++)
        CU_ASSERT_EQUAL(resv_rows[resv[i]].write & EVERYONE, 0);
    CU_ASSERT_EQUAL(resv_rows[RESV_A_RESERVE_RETRY].read, EVERYONE);
    CU_ASSERT_EQUAL(resv_rows[RESV_A_RESERVE_START].write, EVERYONE);
    CU_ASSERT_EQUAL(server_rows[SERVER_A_RESERVE_RETRY_TIME].read, EVERYONE);
    CU_ASSERT_EQUAL(server_rows[SERVER_A_RESERVE_RETRY_INIT].write, WHO_MANAGER);
    CU_ASSERT_EQUAL(server_rows[SERVER_A_TOTAL_JOBS].write, 0);
    CU_ASSERT_EQUAL(job_rows[JOB_A_COMMENT].write, STAFF_DAEMON);
    CU_ASSERT_EQUAL(job_rows[JOB_A_SCHEDSELECT].read, WHO_MANAGER);
}

static void test_rows_are_in_the_order_of_replies(void)
{
    CU_ASSERT_STRING_EQUAL(resv_rows[0].name, "Reserve_Name");
    CU_ASSERT_TRUE(RESV_A_RESERVE_START < RESV_A_RESERVE_END);
    CU_ASSERT_TRUE(RESV_A_RESOURCE_LIST < RESV_A_RESV_NODES);
    CU_ASSERT_STRING_EQUAL(job_rows[0].name, "Job_Name");
    CU_ASSERT_STRING_EQUAL(queue_rows[0].name, "queue_type");
    CU_ASSERT_STRING_EQUAL(node_rows[0].name, "Mom");
    CU_ASSERT_STRING_EQUAL(server_rows[0].name, "server_state");
    CU_ASSERT_STRING_EQUAL(sched_rows[0].name, "sched_host");
}

static void test_attributes_check_their_values(void)
{
    static const struct {
        const struct attr_table *table;
        int attr;
        const char *text;
        int code;
    } cases[] = {
        { &job_table, JOB_A_PRIORITY, "1024", 0 },
        { &job_table, JOB_A_PRIORITY, "1025", 15014 },
        { &job_table, JOB_A_PRIORITY, "-1024", 0 },
        { &job_table, JOB_A_PRIORITY, "-1025", 15014 },
        { &job_table, JOB_A_MAX_RUN_SUBJOBS, "0", 0 },
        { &job_table, JOB_A_MAX_RUN_SUBJOBS, "-1", 15014 },
        { &queue_table, QUEUE_A_PRIORITY, "1023", 0 },
        { &queue_table, QUEUE_A_PRIORITY, "1024", 15014 },
        { &queue_table, QUEUE_A_PRIORITY, "-1025", 15014 },
        { &job_table, JOB_A_CHECKPOINT, "c=5", 0 },
        { &job_table, JOB_A_CHECKPOINT, "c=0", 15014 },
        { &job_table, JOB_A_CHECKPOINT, "x", 15014 },
        { &job_table, JOB_A_KEEP_FILES, "oed", 0 },
        { &job_table, JOB_A_KEEP_FILES, "d", 15014 },
        { &job_table, JOB_A_SANDBOX, "private", 0 },
        { &job_table, JOB_A_SANDBOX, "elsewhere", 15014 },
        { &resv_table, RESV_A_MAIL_POINTS, "abce", 0 },
        { &resv_table, RESV_A_MAIL_POINTS, "an", 15014 },
        { &queue_table, QUEUE_A_QUEUE_TYPE, "e", 0 },
        { &queue_table, QUEUE_A_QUEUE_TYPE, "bogus", 15014 },
        { &queue_table, QUEUE_A_PARTITION, "pbs-default", 15228 },
        { &server_table, SERVER_A_RESEND_TERM_DELAY, "0", 0 },
        { &server_table, SERVER_A_RESEND_TERM_DELAY, "-1", 15014 },
        { &server_table, SERVER_A_RESEND_TERM_DELAY, "1800", 0 },
        { &server_table, SERVER_A_RESEND_TERM_DELAY, "1801", 15014 },
        { &server_table, SERVER_A_RESERVE_RETRY_TIME, "1", 0 },
        { &server_table, SERVER_A_RESERVE_RETRY_TIME, "0", 15014 },
        { &server_table, SERVER_A_RESERVE_RETRY_INIT, "-5", 15014 },
        { &server_table, SERVER_A_JOBSCRIPT_MAX_SIZE, "2gb", 0 },
        { &server_table, SERVER_A_JOBSCRIPT_MAX_SIZE, "3gb", 15176 },
        { &server_table, SERVER_A_MAX_JOB_SEQUENCE_ID, "9999998", 15225 },
        { &server_table, SERVER_A_MAX_JOB_SEQUENCE_ID, "9999999", 0 },
        { &server_table, SERVER_A_MAX_JOB_SEQUENCE_ID, "999999999999", 0 },
        { &server_table, SERVER_A_MAX_JOB_SEQUENCE_ID, "1000000000000", 15225 },
        { &server_table, SERVER_A_PBS_LICENSE_LINGER_TIME, "0", 15120 },
        { &server_table, SERVER_A_MANAGERS, "bob", 15008 },
        { &server_table, SERVER_A_MANAGERS, "bob@*", 0 },
        { &node_table, NODE_A_SHARING, "force_excl", 0 },
        { &node_table, NODE_A_SHARING, "mine", 15014 },
        { &sched_table, SCHED_A_JOB_RUN_WAIT, "NONE", 0 },
        { &sched_table, SCHED_A_OPT_BACKFILL_FUZZY, "12", 0 },
        { &sched_table, SCHED_A_OPT_BACKFILL_FUZZY, "12h", 15014 },
        { &sched_table, SCHED_A_PREEMPT_ORDER, "SCR 80 SC 50 S", 0 },
        { &sched_table, SCHED_A_PREEMPT_ORDER, "SCR 80", 15014 },
        { &sched_table, SCHED_A_PREEMPT_ORDER, "SS", 15014 },
        { &sched_table, SCHED_A_PREEMPT_ORDER, "S 50 C 60 R", 15014 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct attr_row *row = &cases[i].table->rows[cases[i].attr];
        struct attr_value v = { 0 };
        struct diag why = { 0 };

        CU_ASSERT_EQUAL(
            attr_value_set(row->type, &v, NULL, NULL, cases[i].text, WIRE_OP_SET), 0);
        CU_ASSERT_PTR_NOT_NULL_FATAL(row->check);
        CU_ASSERT_EQUAL(row->check(&v, &why), cases[i].code);
        if (cases[i].code)
            CU_ASSERT_STRING_EQUAL(why.text, pbse_text(cases[i].code));
        row->type->clear(&v);
    }
}

static void test_the_printed_reference_hides_what_is_internal(void)
{
    struct buf out = { 0 };

    attr_table_print(&resv_table, &out);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "\nreserve_start (time)\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "written by: nobody"));
    CU_ASSERT_PTR_NULL(strstr(out.data, "hf_"));
    buf_fini(&out);
}

static void test_resources_show_the_numbers_of_the_wire(void)
{
    static const struct {
        const char *name;
        int type;
        uint32_t flag;
        const char *text;
    } cases[] = {
        { "arch", 3, 132159, "hm" },
        { "cpupercent", 1, 61, "r" },
        { "cput", 1, 3135, "m" },
        { "file", 5, 1087, "m" },
        { "max_walltime", 1, 2111, "" },
        { "mem", 5, 181311, "hqnm" },
        { "min_walltime", 1, 2111, "" },
        { "mpiprocs", 1, 147519, "hq" },
        { "naccelerators", 1, 181311, "hqnm" },
        { "nchunk", 1, 131133, "hr" },
        { "ncpus", 1, 181311, "hqnm" },
        { "nodect", 1, 16437, "qr" },
        { "nodes", 3, 63, "" },
        { "ompthreads", 1, 131135, "h" },
        { "place", 3, 1087, "m" },
        { "select", 3, 63, "" },
        { "soft_walltime", 1, 2101, "r" },
        { "vntype", 4, 131135, "h" },
        { "walltime", 1, 3135, "m" },
        { "foo2", 1, 163903, "hn" },
    };
    struct resource_defs *defs = resource_defs_new();

    CU_ASSERT_EQUAL(resource_define(defs, "foo2", "long", "nh", NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct resource_def *def = resource_find(defs, cases[i].name);
        struct buf flags = { 0 };

        CU_ASSERT_PTR_NOT_NULL_FATAL(def);
        CU_ASSERT_EQUAL(def->type->wire_type, cases[i].type);
        CU_ASSERT_EQUAL(def->wire_flags, cases[i].flag);
        resource_flags_print(def, &flags);
        CU_ASSERT_STRING_EQUAL(flags.data ? flags.data : "", cases[i].text);
        buf_fini(&flags);
    }
    CU_ASSERT_STRING_EQUAL(resource_at(defs, 0)->name, "cput");
    CU_ASSERT_STRING_EQUAL(resource_at(defs, resource_count(defs) - 1)->name, "foo2");
    CU_ASSERT_STRING_EQUAL(resource_type_name(resource_find(defs, "VNTYPE")),
                           "string_array");
    resource_defs_free(defs);
}

static void test_definitions_of_a_site_are_checked(void)
{
    static const struct {
        const char *name, *type, *flags;
        int code;
        const char *text;
    } cases[] = {
        { "r1", NULL, NULL, 0, NULL },
        { "r1", NULL, NULL, 15055, "Duplicate entry in list " },
        { "NCPUS", NULL, NULL, 15055, "Duplicate entry in list " },
        { "fo.o", NULL, NULL, 15014, "Illegal attribute or resource value" },
        { "9x", NULL, NULL, 15014, "Illegal attribute or resource value" },
        { "", NULL, NULL, 15014, "Illegal attribute or resource value" },
        { "r2", "bogus", NULL, 15014, "Illegal attribute or resource value" },
        { "r2", "long", "x", 15014, "Illegal attribute or resource value" },
        { "r2", "long", "hnf", 15014,
          "Erroneous to have flag 'n' and 'f' on resource \"r2\"." },
        { "r2", "long", "n", 15014,
          "Erroneous to have flag 'n' without 'h' on resource \"r2\"." },
        { "r2", "long", "f", 15014,
          "Erroneous to have flag 'f' without 'h' on resource \"r2\"." },
        { "r2", "long", "ir", 15014,
          "Erroneous to have flag 'i' and 'r' on resource \"r2\"." },
        { "r3", "boolean", "q", 15014,
          "Erroneous to have flag 'n', 'f', or 'q' on resource \"r3\" which is type "
          "string, string_array, or boolean." },
        { "r4", "size", "hfi", 0, NULL },
    };
    struct resource_defs *defs = resource_defs_new();
    struct diag why = { 0 };
    const struct resource_def *r4;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CU_ASSERT_EQUAL(
            resource_define(defs, cases[i].name, cases[i].type, cases[i].flags, &why),
            cases[i].code);
        if (cases[i].code)
            CU_ASSERT_STRING_EQUAL(why.text, cases[i].text);
    }
    r4 = resource_find(defs, "R4");
    CU_ASSERT_PTR_NOT_NULL_FATAL(r4);
    CU_ASSERT_EQUAL(r4->read & WHO_USER, 0);
    CU_ASSERT_EQUAL(resource_redefine(defs, "r4", NULL, "h", &why), 0);
    CU_ASSERT_EQUAL(r4->read & WHO_USER, WHO_USER);
    CU_ASSERT_PTR_EQUAL(r4->type, &attr_size);
    CU_ASSERT_EQUAL(resource_redefine(defs, "r4", "string", "q", &why), 15014);
    CU_ASSERT_PTR_EQUAL(r4->type, &attr_size);
    CU_ASSERT_EQUAL(resource_redefine(defs, "mem", "long", NULL, &why), 15004);
    CU_ASSERT_EQUAL(resource_undefine(defs, "mem", &why), 15004);
    CU_ASSERT_EQUAL(resource_undefine(defs, "nosuch", &why), 15035);
    CU_ASSERT_EQUAL(resource_undefine(defs, "r4", &why), 0);
    CU_ASSERT_PTR_NULL(resource_find(defs, "r4"));
    CU_ASSERT_STRING_EQUAL(r4->name, "r4"); /* what points there still may */
    resource_defs_free(defs);
}

/* The golden list. */

static const struct attr_table *table_of(const char *kind)
{
    for (size_t t = 0; t < ARRAY_LEN(tables); t++)
        if (strcmp(tables[t]->kind, kind) == 0)
            return tables[t];
    return NULL;
}

static const char *letters(uint16_t who, char *text)
{
    static const struct {
        uint16_t bit;
        char letter;
    } of[] = { { WHO_USER, 'u' },
               { WHO_OPERATOR, 'o' },
               { WHO_MANAGER, 'm' },
               { WHO_DAEMON, 's' } };
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(of); i++)
        if (who & of[i].bit)
            text[n++] = of[i].letter;
    if (n == 0)
        text[n++] = '-';
    text[n] = '\0';
    return text;
}

/* One line of the list against one row; what differs is printed. */
static void check_golden(const struct attr_row *row, char *line)
{
    char readers[8], writers[8];
    const char *want[5] = { NULL };
    char *save = NULL;
    size_t n = 0;

    for (char *field = strtok_r(line, "\t", &save); field && n < ARRAY_LEN(want);
         field = strtok_r(NULL, "\t", &save))
        want[n++] = field;
    CU_ASSERT_FATAL(n >= 4);
    const char *got[5] = { row->name, letters(row->read, readers),
                           letters(row->write, writers), row->type->name, row->dflt };

    for (size_t i = 0; i < n; i++) {
        CU_ASSERT(str_same(want[i], got[i]));
        if (!str_same(want[i], got[i]))
            printf("%s: \"%s\" in the list, \"%s\" in the table\n", row->name, want[i],
                   got[i] ? got[i] : "");
    }
}

/* The row that a line is about; lines come in the order of rows, '*at' is where to
 * look. */
static size_t row_of(const struct attr_table *t, const char *line, size_t *at)
{
    char name[64];
    int row;

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, "\t"), line);
    row = attr_find(t, name);
    if (row < (int)*at)
        printf("%s is missing or out of order\n", name);
    CU_ASSERT_FATAL(row >= (int)*at);
    *at = (size_t)row + 1;
    return (size_t)row;
}

static void test_rows_are_those_of_the_golden_list(void)
{
    FILE *f = fopen(GOLDEN_ATTRIBUTES, "r");
    const struct attr_table *table = NULL;
    size_t at = 0, n_checked = 0;
    char line[512];

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || *line == '\0')
            continue;
        if (strncmp(line, "object ", 7) == 0) {
            table = table_of(line + 7);
            CU_ASSERT_PTR_NOT_NULL_FATAL(table);
            at = 0;
            continue;
        }
        CU_ASSERT_PTR_NOT_NULL_FATAL(table);
        check_golden(&table->rows[row_of(table, line, &at)], line);
        n_checked++;
    }
    fclose(f);
    CU_ASSERT(n_checked > 300);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "rows are those of the golden list", test_rows_are_those_of_the_golden_list },
        { "every row is complete", test_every_row_is_complete },
        { "every attribute is found by name in any case",
          test_every_attribute_is_found_by_name_in_any_case },
        { "every default decodes, passes its check and prints the same",
          test_every_default_decodes_passes_its_check_and_prints_the_same },
        { "users cannot write what the server decides",
          test_users_cannot_write_what_the_server_decides },
        { "rows are in the order of replies", test_rows_are_in_the_order_of_replies },
        { "attributes check their values", test_attributes_check_their_values },
        { "the printed reference hides what is internal",
          test_the_printed_reference_hides_what_is_internal },
        { "resources show the numbers of the wire",
          test_resources_show_the_numbers_of_the_wire },
        { "definitions of a site are checked", test_definitions_of_a_site_are_checked },
    };

    return unit_main("attr rows", cases, ARRAY_LEN(cases));
}
