/* When memory runs out a call of libpbs fails, and that is all: each allocation of each
 * call fails once.
 *
 * The server's answer waits in a socket pair, so that no other thread allocates.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "../unit.h"
#include "lib/wire/packet.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

static int countdown; /* 0: none fails; n: the n-th from now */

static bool fails(void)
{
    return countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return fails() ? NULL : __real_strndup(s, n);
}

/* The library's lists are not const, and not written to. */
#define TEXT(s) ((char *)(uintptr_t)(s))

static struct attrl walltime = { NULL, TEXT("Resource_List"), TEXT("walltime"),
                                 TEXT("20"), SET };
static struct attrl some = { &walltime, TEXT("Priority"), NULL, TEXT("5"), SET };
static struct attrl bad_walltime = { &some, TEXT("Resource_List"), TEXT("walltime"),
                                     TEXT("x"), SET };
static struct attrl bad = { &bad_walltime, TEXT("no_such"), NULL, TEXT("5"), SET };

static struct attropl *ops(struct attrl *list)
{
    return (struct attropl *)(void *)list;
}

/* Each frees what it gets and says whether it got all of it. */

static bool do_status(int c)
{
    struct batch_status *list = pbs_statjob(c, "", &some, NULL);
    bool all = list && list->next && list->attribs && list->attribs->next;

    pbs_statfree(list);
    return all;
}

static bool do_subjobs(int c)
{
    struct batch_status *list = pbs_statjob(c, "", NULL, "t");
    bool all = list && list->next && list->next->next;

    pbs_statfree(list);
    return all;
}

static bool do_host(int c)
{
    struct batch_status *list = pbs_stathost(c, "", NULL, NULL);
    bool all = list && list->attribs;

    pbs_statfree(list);
    return all;
}

static bool do_select(int c)
{
    char **ids = pbs_selectjob(c, ops(&some), NULL);
    bool all = ids && ids[0] && ids[1] && !ids[2];

    for (char **id = ids; id && *id; id++)
        free(*id);
    free(ids);
    return all;
}

static bool do_submit(int c)
{
    char *id = pbs_submit(c, ops(&some), NULL, "workq", "x");
    bool all = id != NULL;

    free(id);
    return all;
}

static bool do_submit_resv(int c)
{
    struct attropl start = { NULL, TEXT("reserve_start"), NULL, TEXT("4000000000"),
                             SET };
    char *text = pbs_submit_resv(c, &start, NULL);
    bool all = text != NULL;

    free(text);
    return all;
}

static bool do_delete(int c)
{
    char *ids[] = { TEXT("1.x"), TEXT("2.x"), TEXT("1.x") };
    struct batch_deljob_status *list = pbs_deljoblist(c, ids, 3, NULL);
    bool all = list && list->next;

    pbs_delstatfree(list);
    return all;
}

static bool do_preempt(int c)
{
    char *ids[] = { TEXT("1.x"), TEXT("2.x"), NULL };
    preempt_job_info *v = pbs_preempt_jobs(c, ids);
    bool all = v != NULL;

    free(v);
    return all;
}

static bool do_alter(int c)
{
    return pbs_alterjob(c, "5.x", &some, NULL) == 0;
}

static bool do_keep(int c)
{
    return pbs_relnodesjob(c, "5.x", "", "2") == 0;
}

/* What is refused here is refused with and without memory to say why. */
static bool do_bad(int c)
{
    const struct ecl_attribute_errors *errors;

    if (pbs_alterjob(c, "5.x", &bad, NULL) == 0)
        return false;
    errors = pbs_get_attributes_in_error(c);
    return pbs_errno == PBSE_NOATTR && errors && errors->ecl_numerrors == 2;
}

static struct wire_attr attrs[] = {
    { "job_state", NULL, "Q", 0 },
    { "Resource_List", "walltime", "00:00:20", 0 },
    { "resources_available", "host", "alpha", 0 },
    { "array_indices_remaining", NULL, "1-2", 0 },
};
static struct wire_object objects[] = { { 10, "1[].x", { 4, 4, attrs } },
                                        { 11, "1[0].x", { 3, 3, attrs } } };
static const char *id_list[] = { "1.x", "2.x" };
static struct wire_deleted_job jobs[] = { { "1.x", 15001, "S" },
                                          { "2.x", 15007, "000" } };

static const struct {
    const char *name;
    bool (*call)(int c);
    struct wire_reply reply;
} cases[] = {
    { "status", do_status, { .choice = REPLY_STATUS, .objects = { 2, 2, objects } } },
    { "subjobs", do_subjobs, { .choice = REPLY_STATUS, .objects = { 2, 2, objects } } },
    { "hosts", do_host, { .choice = REPLY_STATUS, .objects = { 2, 2, objects } } },
    { "select", do_select, { .choice = REPLY_SELECT, .ids = { 2, id_list } } },
    { "submit", do_submit, { .choice = REPLY_COMMIT, .text = "1.x" } },
    { "submit_resv", do_submit_resv, { .choice = REPLY_TEXT, .text = "R1.x DONE" } },
    { "delete", do_delete, { .choice = REPLY_DELETE, .deleted = { 2, jobs } } },
    { "preempt", do_preempt, { .choice = REPLY_PREEMPT, .deleted = { 2, jobs } } },
    { "alter", do_alter, { .choice = REPLY_NULL } },
    { "release nodes", do_keep, { .choice = REPLY_NULL } },
    { "refusal", do_bad, { .choice = REPLY_NULL } },
};

static int answered(const struct wire_reply *reply, int *peer)
{
    struct buf payload = { 0 }, frame = { 0 };
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        abort();
    batch_encode_reply(&payload, reply);
    packet_put(&frame, PACKET_DATA, payload.data, payload.len);
    if (write(pair[1], frame.data, frame.len) != (ssize_t)frame.len)
        abort();
    buf_fini(&payload);
    buf_fini(&frame);
    *peer = pair[1];
    return pair[0];
}

/* The call with its n-th allocation failing; *reached: there was an n-th. */
static bool run_case(size_t i, int n, bool *reached)
{
    int peer, c = answered(&cases[i].reply, &peer);
    bool all;

    if (ifl_handle_add(c, 5))
        abort();
    countdown = n;
    all = cases[i].call(c);
    *reached = countdown == 0;
    countdown = 0;
    if (!all && pbs_errno == 0) {
        CU_FAIL("a call failed without a code");
        printf("%s, allocation %d\n", cases[i].name, n);
    }
    ifl_handle_close(ifl_handle_lock(c));
    close(peer);
    return all;
}

struct attempt {
    char *got;
    bool inner, after;
};

static void attempt(void *arg)
{
    struct attempt *a = arg;

    a->got = xmalloc(10);
    a->after = true;
}

static void attempt_nested(void *arg)
{
    struct attempt *a = arg;
    struct attempt first = { 0 };

    a->inner = xmem_try(attempt, &first);
    free(first.got);
    attempt(arg); /* still inside the outer one */
}

static void test_a_step_without_memory_is_left(void)
{
    struct attempt a = { 0 };

    CU_ASSERT_TRUE(xmem_try(attempt, &a));
    CU_ASSERT_TRUE(a.after);
    free(a.got);
    a = (struct attempt){ 0 };
    countdown = 1;
    CU_ASSERT_FALSE(xmem_try(attempt, &a));
    CU_ASSERT_FALSE(a.after);
    countdown = 2;
    CU_ASSERT_FALSE(xmem_try(attempt_nested, &a));
    CU_ASSERT_TRUE(a.inner);
    CU_ASSERT_FALSE(a.after);
}

static void test_each_allocation_may_fail(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool reached = true;
        int n = 0, failed = 0;

        CU_ASSERT_TRUE(run_case(i, 0, &reached)); /* what lasts is made: tables */
        for (reached = true; reached && n < 1000;)
            failed += !run_case(i, ++n, &reached);
        CU_ASSERT_TRUE(n < 1000);
        CU_ASSERT_TRUE(failed > 0);
        CU_ASSERT_TRUE(run_case(i, 0, &reached));
    }
}

static void test_settings_may_fail_too(void)
{
    bool ok = false;

    setenv("PBS_CONF_FILE", "/nonexistent", 1);
    setenv("PBS_HOME", "/nonexistent", 1);
    setenv("PBS_EXEC", "/nonexistent", 1);
    setenv("PBS_SERVER", "localhost", 1);
    for (int n = 1; n < 1000 && !ok; n++) {
        countdown = n;
        ok = pbs_loadconf(1) == 1 && pbs_default() != NULL;
        ok = ok && countdown > 0;
        countdown = 0;
    }
    CU_ASSERT_TRUE(ok);
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "a step without memory is left", test_a_step_without_memory_is_left },
        { "each allocation may fail", test_each_allocation_may_fail },
        { "settings may fail too", test_settings_may_fail_too },
    };

    return unit_main("libpbs without memory", tests, ARRAY_LEN(tests));
}
