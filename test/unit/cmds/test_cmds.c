/* Unit tests of src/cmds/common: dates, -l and -W lists, operands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/bounded.h"
#include "cmds/common/cell.h"
#include "cmds/common/datetime.h"
#include "cmds/common/full.h"
#include "cmds/common/operand.h"
#include "include/pbs_ifl.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

/* Sat Nov 21 2026 08:03:00 UTC: the moment of the examples in cli.md 1.9. */
#define NOW_AT 1795248180

static void test_dates(void)
{
    static const struct {
        const char *text, *expect; /* NULL: refused */
    } cases[] = {
        { "0900", "2026-11-21 09:00:00" },
        { "0700", "2026-11-22 07:00:00" },
        { "0803", "2026-11-22 08:03:00" },
        { "0804", "2026-11-21 08:04:00" },
        { "0900.30", "2026-11-21 09:00:30" },
        { "201500", "2026-12-20 15:00:00" },
        { "231200", "2026-11-23 12:00:00" },
        { "210700", "2026-11-21 07:00:00" },
        { "11010000", "2026-11-01 00:00:00" },
        { "01011200", "2027-01-01 12:00:00" },
        { "6802011200", "2068-02-01 12:00:00" },
        { "202702031405", "2027-02-03 14:05:00" },
        { "24:00", NULL },
        { "0060", NULL },
        { "000", NULL },
        { "202713011200", NULL },
        { "", NULL },
        { "0900.6", NULL },
        { "0900.60", NULL },
        { "2400", NULL },
        { "320900", NULL },
        { "00010900", NULL },
        { "6902011200", NULL },
        { "9x00", NULL },
    };

    setenv("TZ", "UTC", 1);
    tzset();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        time_t at = datetime_parse(cases[i].text, NOW_AT);
        char got[32] = "refused";
        struct tm tm;

        if (at >= 0)
            strftime(got, sizeof(got), "%Y-%m-%d %H:%M:%S", gmtime_r(&at, &tm));
        if (strcmp(got, cases[i].expect ? cases[i].expect : "refused") != 0)
            fprintf(stderr, "%s: got %s\n", cases[i].text, got);
        CU_ASSERT_STRING_EQUAL(got, cases[i].expect ? cases[i].expect : "refused");
    }
    CU_ASSERT_TRUE(datetime_is_clock("0900.30"));
    CU_ASSERT_FALSE(datetime_is_clock("210900"));
}

static void test_sizes(void)
{
    static const struct {
        const char *value;
        enum cell_size size;
        const char *expect;
    } cases[] = {
        { "100mb", SIZE_AS_SENT, "100mb" },
        { "9999kb", SIZE_AS_SENT, "9999k" },
        { "10000kb", SIZE_AS_SENT, "10mb" },
        { "10240001b", SIZE_AS_SENT, "10mb" },
        { "512b", SIZE_AS_SENT, "512 b" },
        { "7", SIZE_AS_SENT, "7 b" },
        { "100mb", SIZE_GB, "1gb" },
        { "2gb", SIZE_GB, "2gb" },
        { "2tb", SIZE_GB, "2048g" },
        { "20tb", SIZE_GB, "20tb" },
        { "100mb", SIZE_MW, "13mw" },
        { "2gb", SIZE_MW, "256mw" },
        { "10mb", SIZE_MW, "2mw" },
        { "10240kb", SIZE_MW, "2mw" },
        { "10mw", SIZE_MW, "10mw" },
        { "1b", SIZE_MW, "1mw" },
        { "100mw", SIZE_GB, "1gb" },
        { "10gw", SIZE_GB, "80gb" },
        { "9999pb", SIZE_AS_SENT, "9999p" },
        { "10000pb", SIZE_AS_SENT, "10?b" },
        { "99999999pb", SIZE_AS_SENT, "97657" },
    };
    char cell[CELL_MAX];

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cell_size(cell, cases[i].value, cases[i].size);
        if (strcmp(cell, cases[i].expect) != 0)
            fprintf(stderr, "%s: got %s\n", cases[i].value, cell);
        CU_ASSERT_STRING_EQUAL(cell, cases[i].expect);
    }
    CU_ASSERT_STRING_EQUAL(cell_cut(cell, "workq", 5), "workq");
    CU_ASSERT_STRING_EQUAL(cell_cut(cell, "workqq", 5), "work*");
}

/* A list as "name=value;name=value". */
static void flatten(const struct attropl *list, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (; list; list = list->next)
        used +=
            (size_t)snprintf(out + used, size - used, "%s=%s;",
                             list->resource ? list->resource : list->name, list->value);
}

static void test_resource_lists(void)
{
    static const struct {
        const char *text, *expect; /* NULL: refused */
    } cases[] = {
        { "ncpus=2", "ncpus=2;" },
        { "ncpus=2, mem=1gb", "ncpus=2;mem=1gb;" },
        { "select=2:ncpus=1+1:ncpus=2", "select=2:ncpus=1+1:ncpus=2;" },
        { "a=\"x,y z\",b=1", "a=x,y z;b=1;" },
        { "a='it\"s'", "a=it\"s;" },
        { "a=1,a=2", "a=2;" },
        { "walltime", "walltime=;" },
        { "preempt_targets=queue=a,b", "preempt_targets=queue=a,b;" },
        { "", "" },
        { "a=1 b=2", "a=1;" }, /* a blank ends the value, and the list with it */
        { "a=1 b=2, c=3", "a=1;" },
        { "a=1 , b=2",
          "a=1;b=2;" }, /* but one before a comma is no more than a blank */
        { "a=1 ", "a=1;" },
        { "a= 5,b=1", "a=5;b=1;" },
        { "a b=3", "a=3;" }, /* what follows a blank within a name is dropped */
        { "a\n=3", "a=3;" },
        { "ncpus=1,", NULL },
        { "=3", NULL },
        { "a=1&2", NULL },
        { "&=1", NULL },
        { "a&b=1", NULL },
        { "select=\"1:ncpus=1 5", NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attropl *list = NULL;
        bool ok = attrs_add_resources(&list, "test", cases[i].text);
        char got[256];

        flatten(list, got, sizeof(got));
        CU_ASSERT_EQUAL(ok, cases[i].expect != NULL);
        if (ok && cases[i].expect)
            CU_ASSERT_STRING_EQUAL(got, cases[i].expect);
        attrs_free(list);
    }
}

static void test_other_attributes(void)
{
    static const struct {
        const char *text, *expect; /* NULL: refused */
    } cases[] = {
        { "umask=22", "umask=22;" },
        { "depend=on:2,umask=22", "depend=on:2;umask=22;" },
        { "block=true,group_list=a,b", "block=true;group_list=a,b;" },
        { "a='x=1,y',b=2", "a=x=1,y;b=2;" },
        { "  a=1", "a=1;" },
        { "a", NULL },
        { "=1", NULL },
        { "a=1,", NULL },
        { "a=\"open", NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attropl *list = NULL;
        const char *at = cases[i].text;
        char *name, *value, got[256];
        int more;

        while ((more = attrs_next_w(&at, &name, &value)) > 0) {
            attrs_set(&list, name, NULL, value);
            free(name);
            free(value);
        }
        flatten(list, got, sizeof(got));
        CU_ASSERT_EQUAL(more, cases[i].expect ? 0 : -1);
        if (more == 0 && cases[i].expect)
            CU_ASSERT_STRING_EQUAL(got, cases[i].expect);
        attrs_free(list);
    }
}

static void test_variables(void)
{
    struct buf out = { 0 };

    variable_add(&out, "A", "a,b\\c", ",");
    variable_add(&out, "B", "", ",");
    variable_add(&out, "C", "d'e\\", "'\\");
    CU_ASSERT_STRING_EQUAL(out.data, "A=a\\,b\\c,B=,C=d\\'e\\\\");
    buf_fini(&out);
}

static void test_operands(void)
{
    static const struct {
        const char *text, *id, *server; /* id NULL: refused */
    } cases[] = {
        { "5", "5.svr", "" },
        { " 5", "5.svr", "" },
        { "5.svr", "5.svr", "" },
        { "5.SVR", "5.SVR", "" },
        { "5.other", "5.other", "other" },
        { "5@other", "5.svr", "other" },
        { "5[3].svr", "5[3].svr", "" },
        { "5[2-6:2]", "5[2-6:2].svr", "" },
        { "12x", NULL, NULL },
        { "1.2@", NULL, NULL },
        { "12[a]", NULL, NULL },
        { "1234567890123", NULL, NULL },
        { "5.", NULL, NULL },
        { "", NULL, NULL },
    };
    char id[OPERAND_MAX], server[OPERAND_MAX];

    setenv("PBS_SERVER", "svr", 1);
    setenv("PBS_CONF_FILE", "/dev/null", 1);
    setenv("PBS_HOME", "/nonexistent", 1);
    setenv("PBS_EXEC", "/nonexistent", 1);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool ok = operand_job(cases[i].text, id, server);

        if (ok != (cases[i].id != NULL))
            fprintf(stderr, "%s: %s\n", cases[i].text, ok ? "taken" : "refused");
        CU_ASSERT_EQUAL(ok, cases[i].id != NULL);
        if (ok && cases[i].id) {
            CU_ASSERT_STRING_EQUAL(id, cases[i].id);
            CU_ASSERT_STRING_EQUAL(server, cases[i].server);
        }
    }
    CU_ASSERT_TRUE(operand_resv("R12", id, server));
    CU_ASSERT_STRING_EQUAL(id, "R12.svr");
    CU_ASSERT_FALSE(operand_resv("12", id, server));
    CU_ASSERT_FALSE(operand_resv("R12x", id, server));
    CU_ASSERT_FALSE(operand_resv("xyz", id, server));
    CU_ASSERT_TRUE(operand_destination("workq@host:15001", id, server));
    CU_ASSERT_STRING_EQUAL(id, "workq");
    CU_ASSERT_STRING_EQUAL(server, "host:15001");
    CU_ASSERT_FALSE(operand_destination("averyveryverylongqueue", id, server));
    CU_ASSERT_FALSE(operand_destination("a@b@c", id, server));
    CU_ASSERT_FALSE(operand_destination("a@", id, server));
}

/* PBS_SERVER may name a port. The server of that name is still the default one: another
 * server at the usual port would be asked otherwise. */
static void test_operands_of_a_server_with_a_port(void)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];

    setenv("PBS_SERVER", "svr:15051", 1);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    CU_ASSERT_TRUE(operand_job("5", id, server));
    CU_ASSERT_STRING_EQUAL(id, "5.svr");
    CU_ASSERT_STRING_EQUAL(server, "");
    CU_ASSERT_TRUE(operand_job("5.svr", id, server));
    CU_ASSERT_STRING_EQUAL(id, "5.svr");
    CU_ASSERT_STRING_EQUAL(server, "");
    CU_ASSERT_TRUE(operand_resv("R5.SVR", id, server));
    CU_ASSERT_STRING_EQUAL(server, "");
    CU_ASSERT_TRUE(operand_job("5.svr:15052", id, server));
    CU_ASSERT_STRING_EQUAL(server, "svr:15052");
    CU_ASSERT_TRUE(operand_job("5.sv", id, server));
    CU_ASSERT_STRING_EQUAL(server, "sv");
    setenv("PBS_SERVER", "svr", 1);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
}

/* Servers may send any number. */
static void test_arithmetic_stays_in_range(void)
{
    CU_ASSERT_EQUAL(bounded_add(INT64_MAX, 1), INT64_MAX);
    CU_ASSERT_EQUAL(bounded_add(INT64_MIN, -1), INT64_MIN);
    CU_ASSERT_EQUAL(bounded_add(-5, 3), -2);
    CU_ASSERT_EQUAL(bounded_sub(INT64_MIN, 1), INT64_MIN);
    CU_ASSERT_EQUAL(bounded_sub(0, INT64_MIN), INT64_MAX);
    CU_ASSERT_EQUAL(bounded_sub(3, 5), -2);
    CU_ASSERT_EQUAL(bounded_mul(INT64_MAX, 60), INT64_MAX);
    CU_ASSERT_EQUAL(bounded_mul(INT64_MIN, 60), INT64_MIN);
    CU_ASSERT_EQUAL(bounded_mul(INT64_MIN, -1), INT64_MAX);
    CU_ASSERT_EQUAL(bounded_mul(-7, 6), -42);
    CU_ASSERT_EQUAL(bounded_percent(1, 3), 33);
    CU_ASSERT_EQUAL(bounded_percent(3, 1), 300);
    CU_ASSERT_EQUAL(bounded_percent(INT64_MAX, INT64_MAX), 100);
    CU_ASSERT_EQUAL(bounded_percent(INT64_MAX, 1), INT64_MAX);
    CU_ASSERT_EQUAL(bounded_percent(INT64_MAX / 2, INT64_MAX), 50);
}

/* What "-f" prints of one object. */
static char *full_text(struct full *f, struct attrl *attribs)
{
    const struct batch_status job = { .name = (char *)"1.svr", .attribs = attribs };
    FILE *before = stdout;
    char *text = NULL;
    size_t len;

    stdout = open_memstream(&text, &len);
    full_print(f, "Job Id", "Jobs", &job);
    if (f->json)
        json_print_and_free(f->json);
    fclose(stdout);
    stdout = before;
    return text;
}

/* U+009b begins a command to a terminal just as ESC [ does. */
static void test_no_value_commands_a_terminal(void)
{
    static const struct {
        enum full_form form;
        const char *expect;
    } cases[] = {
        { FULL_LINES, "x = gr\xc3\xbc\xc3\x9f^[[1m??31m?\n" },
        { FULL_DSV, "|x=gr\xc3\xbc\xc3\x9f^[[1m??31m?\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attrl a = { .name = (char *)"x",
                           .value = (char *)"gr\xc3\xbc\xc3\x9f\x1b[1m\xc2\x9b"
                                            "31m\x9b" };
        struct full f = { .form = cases[i].form, .delimiter = "|" };
        char *text = full_text(&f, &a);

        CU_ASSERT_PTR_NOT_NULL(strstr(text, cases[i].expect));
        free(text);
    }
}

static void test_numbers_of_json(void)
{
    static const struct {
        const char *value, *expect;
    } cases[] = {
        { "0.1", "\t0.1\n" },
        { "23.06", "\t23.06\n" },
        { "123456789.012345", "\t123456789.012345\n" },
        { "9007199254740993", "\t9007199254740993\n" },
        { "1.2.3", "\t\"1.2.3\"\n" },
        { "007", "\t\"007\"\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attrl a = { .name = (char *)"x", .value = (char *)cases[i].value };
        struct full f = { .form = FULL_JSON, .json = json_new(0) };
        char *text = full_text(&f, &a);

        CU_ASSERT_PTR_NOT_NULL(strstr(text, cases[i].expect));
        free(text);
    }
}

static void test_estimates_are_dates(void)
{
    static const struct {
        const char *value, *expect;
    } cases[] = {
        { "1795248180", "Sat Nov 21 08:03:00 2026" },
        { "0", "UNKNOWN" }, /* the scheduler has looked, and found no time */
    };

    setenv("TZ", "UTC", 1);
    tzset();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attrl vnode = { .name = (char *)"estimated",
                               .resource = (char *)"exec_vnode",
                               .value = (char *)"(v1)" };
        struct attrl start = { .next = &vnode,
                               .name = (char *)"estimated",
                               .resource = (char *)"start_time",
                               .value = (char *)cases[i].value };
        struct full lines = { .form = FULL_LINES }, json = { .form = FULL_JSON };
        char *text = full_text(&lines, &start);

        CU_ASSERT_PTR_NOT_NULL(strstr(text, cases[i].expect));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "estimated.exec_vnode = (v1)\n"));
        free(text);
        json.json = json_new(0);
        text = full_text(&json, &start);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, cases[i].expect));
        free(text);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "dates are filled in from today", test_dates },
        { "arithmetic stays in range", test_arithmetic_stays_in_range },
        { "no value commands a terminal", test_no_value_commands_a_terminal },
        { "numbers of JSON stay as they are", test_numbers_of_json },
        { "estimates are shown as dates", test_estimates_are_dates },
        { "-l lists are read with their quotes", test_resource_lists },
        { "-W settings end at the last comma before an equals sign",
          test_other_attributes },
        { "a comma in a variable is no end of it", test_variables },
        { "operands name a job and a server", test_operands },
        { "a server is the default one with its port or without it",
          test_operands_of_a_server_with_a_port },
        { "sizes fit into five characters", test_sizes },
    };

    return unit_main("cmds", cases, ARRAY_LEN(cases));
}
