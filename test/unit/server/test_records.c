/* Unit tests of src/server/shell: records become rows of the store and are read from
 * them, and the options of the command line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/options.h"
#include "server/shell/records.h"

#include "../unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void test_records_become_rows(void)
{
    struct arena *a = arena_new();
    struct record rec = { .seq = 7,
                          .at = 9,
                          .fact = FACT_SET,
                          .kind = OBJ_QUEUE,
                          .id = "workq",
                          .actor = "a@b",
                          .note = "n" };
    struct store_record row;

    record_change(&rec, a, QUEUE_A_ENABLED, NULL, "True");
    record_change(&rec, a, QUEUE_A_RESOURCES_MAX, "ncpus", NULL);
    rec.changes[1].before = "3";
    row = records_to_store(&rec, a);
    CU_ASSERT_EQUAL(row.op, STORE_CHANGE);
    CU_ASSERT_EQUAL_FATAL(row.n, 2);
    CU_ASSERT_STRING_EQUAL(row.kind, kind_name(OBJ_QUEUE));
    CU_ASSERT_STRING_EQUAL(row.changes[0].attr, "enabled");
    CU_ASSERT_STRING_EQUAL(row.changes[0].resource, "");
    CU_ASSERT_STRING_EQUAL(row.changes[0].after, "True");
    CU_ASSERT_STRING_EQUAL(row.changes[1].resource, "ncpus");
    CU_ASSERT_STRING_EQUAL(row.changes[1].before, "3");
    CU_ASSERT_PTR_NULL(row.changes[1].after);
    arena_free(a);
}

/* A server reads what is stored, as at its start. */
static int load(struct store *s, struct diag *why)
{
    const struct svr_config cfg = { .server_name = "svr", .server_host = "svr" };
    struct svr *svr = svr_new(&cfg);
    int err = records_load(s, NULL, svr, why);

    svr_free(svr);
    return err;
}

static void test_unknown_rows_refuse_the_start(void)
{
    struct store_change c = { "no_such_attribute", "", NULL, "1" };
    struct store_record r = { .seq = 1,
                              .actor = "",
                              .fact = "f",
                              .op = STORE_CREATE,
                              .kind = "queue",
                              .id = "q",
                              .n = 1,
                              .changes = &c };
    struct store_batch batch = { .n_records = 1, .records = &r };
    struct store *s;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &s, &why), 0);
    r.kind = kind_name(OBJ_QUEUE);
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    CU_ASSERT_EQUAL(load(s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "no_such_attribute"));
    store_close(s);
    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &s, &why), 0);
    r.kind = "dragon";
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    CU_ASSERT_EQUAL(load(s, &why), PBSE_SYSTEM);
    store_close(s);
}

/* Loads a store that holds one object with these attributes. */
static int load_one(const char *kind, const char *id, size_t n, struct store_change *c)
{
    struct store_record r = { .seq = 1,
                              .actor = "",
                              .fact = "f",
                              .op = STORE_CREATE,
                              .kind = kind,
                              .id = id,
                              .n = n,
                              .changes = c };
    struct store_batch batch = { .n_records = 1, .records = &r };
    struct store *s;
    struct diag why;
    int err;

    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &s, &why), 0);
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    err = load(s, &why);
    store_close(s);
    return err;
}

/* What former versions kept is not read, of the objects that had it. */
static void test_former_rows_are_passed_over(void)
{
    struct store_change alter[] = { { "hf_alter_start", "", NULL, "1795248000" },
                                    { "hf_alter_resources", "ncpus", NULL, "2" },
                                    { "reserve_state", "", NULL, "1" },
                                    { "reserve_substate", "", NULL, "1" } };
    struct store_change again[] = { { "hf_verify_again", "", NULL, "True" },
                                    { "job_state", "", NULL, "Q" },
                                    { "substate", "", NULL, "10" } };

    CU_ASSERT_EQUAL(load_one("resv", "R1.svr", 4, alter), 0);
    CU_ASSERT_EQUAL(load_one("queue", "q", 2, alter), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(load_one("job", "1.svr", 3, again), 0);
    CU_ASSERT_EQUAL(load_one("resv", "R1.svr", 1, again), PBSE_SYSTEM);
}

static void test_options(void)
{
    static const struct {
        const char *argv[6];
        int rc;
    } cases[] = {
        { { "s", "-N", "-t", "hot", NULL }, -1 },
        { { "s", "-t", "lukewarm", NULL }, 1 },
        { { "s", "-a", "maybe", NULL }, 1 },
        { { "s", "-a", "TRUE", "-f", NULL }, -1 },
        { { "s", "-p", "0", NULL }, 1 },
        { { "s", "-p", "15001", NULL }, -1 },
        { { "s", "-M", "x", NULL }, 1 },
        { { "s", "-M", "host:15002", NULL }, -1 },
        { { "s", "-M", "host:x", NULL }, 1 },
        { { "s", "-R", "host:15003", NULL }, 1 },
        { { "s", "operand", NULL }, 1 },
        { { "s", "--vers", NULL }, 1 },
        { { "s", "-Z", NULL }, 1 },
        { { "s", "-A", "relative", NULL }, -1 }, /* the start says no, in its log */
        { { "s", "-A", "", NULL }, -1 },
        { { "s", "-g", "old", "-F", "30", NULL }, -1 },
    };
    int saved = dup(2), null = open("/dev/null", O_WRONLY);

    fflush(stderr);
    dup2(null, 2);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct options opt;
        int argc = 0;

        while (cases[i].argv[argc])
            argc++;
        optind = 0;
        CU_ASSERT_EQUAL(options_parse(argc, (char **)cases[i].argv, &opt), cases[i].rc);
        if (i == 0) {
            CU_ASSERT_TRUE(opt.foreground);
            CU_ASSERT_EQUAL(opt.start, SVR_HOT);
            CU_ASSERT_EQUAL(opt.scheduling, -1);
        }
    }
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    close(null);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "records become rows", test_records_become_rows },
        { "unknown rows refuse the start", test_unknown_rows_refuse_the_start },
        { "former rows are passed over", test_former_rows_are_passed_over },
        { "options are understood or refused", test_options },
    };

    return unit_main("server records", cases, ARRAY_LEN(cases));
}
