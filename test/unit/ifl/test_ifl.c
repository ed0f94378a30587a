/* Unit tests of libpbs against a server in a thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/pbs_ifl.h"
#include "lib/attr/resv_words.h"

#include "../unit.h"
#include "fake.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct fake *fake;

static int open_connection(void)
{
    int c;

    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE_FATAL(c >= 0);
    return c;
}

/* A fresh server and a connection to it; request 0 is its Connect. */
static int setup(void)
{
    fake = fake_start();
    return open_connection();
}

static void teardown(int c)
{
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    fake_stop(fake);
    fake = NULL;
}

/* The line without number, name and user: what the body says. */
static const char *body_of(size_t n)
{
    const char *line = fake_request(fake, n);
    const char *user = strstr(line, "user='"), *end = strchr(user + 6, '\'');

    return end[1] ? end + 2 : "";
}

static struct attrl *attr(struct attrl *next, const char *name, const char *resource,
                          const char *value, enum batch_op op)
{
    struct attrl *a = calloc(1, sizeof(*a));

    a->next = next;
    a->name = strdup(name);
    a->resource = resource ? strdup(resource) : NULL;
    a->value = value ? strdup(value) : NULL;
    a->op = op;
    return a;
}

static void attr_free(struct attrl *a)
{
    while (a) {
        struct attrl *next = a->next;

        free(a->name);
        free(a->resource);
        free(a->value);
        free(a);
        a = next;
    }
}

static void test_structures_have_the_known_layout(void)
{
    CU_ASSERT_EQUAL(sizeof(struct attrl), 40);
    CU_ASSERT_EQUAL(sizeof(struct attropl), 40);
    CU_ASSERT_EQUAL(offsetof(struct attrl, resource), 16);
    CU_ASSERT_EQUAL(offsetof(struct attrl, value), 24);
    CU_ASSERT_EQUAL(offsetof(struct attropl, op), 32);
    CU_ASSERT_EQUAL(sizeof(struct batch_status), 32);
    CU_ASSERT_EQUAL(offsetof(struct batch_status, text), 24);
    CU_ASSERT_EQUAL(sizeof(struct batch_deljob_status), 24);
    CU_ASSERT_EQUAL(offsetof(struct batch_deljob_status, code), 16);
    CU_ASSERT_EQUAL(sizeof(struct ecl_attrerr), 24);
    CU_ASSERT_EQUAL(offsetof(struct ecl_attrerr, ecl_errmsg), 16);
    CU_ASSERT_EQUAL(sizeof(struct ecl_attribute_errors), 16);
    CU_ASSERT_EQUAL(sizeof(preempt_job_info), 282);
    CU_ASSERT_EQUAL(offsetof(preempt_job_info, order), 276);
    CU_ASSERT_EQUAL(sizeof(enum batch_op), 4);
    CU_ASSERT_EQUAL(INTERNAL, 11);
    CU_ASSERT_EQUAL(RESV_IN_CONFLICT, 12);
#define SAME_STATE(state) CU_ASSERT_STRING_EQUAL(resv_state_long(state), #state)
    /* The daemons' names of these numbers. */
    SAME_STATE(RESV_NONE);
    SAME_STATE(RESV_UNCONFIRMED);
    SAME_STATE(RESV_CONFIRMED);
    SAME_STATE(RESV_WAIT);
    SAME_STATE(RESV_TIME_TO_RUN);
    SAME_STATE(RESV_RUNNING);
    SAME_STATE(RESV_FINISHED);
    SAME_STATE(RESV_BEING_DELETED);
    SAME_STATE(RESV_DELETED);
    SAME_STATE(RESV_DELETING_JOBS);
    SAME_STATE(RESV_DEGRADED);
    SAME_STATE(RESV_BEING_ALTERED);
    SAME_STATE(RESV_IN_CONFLICT);
#undef SAME_STATE
    CU_ASSERT_PTR_NULL(resv_state_long(RESV_IN_CONFLICT + 1));
    CU_ASSERT_PTR_NULL(resv_state_long(-1));
}

static void test_a_local_server_needs_no_more_than_connect(void)
{
    int c = setup();
    char expect[300];

    snprintf(expect, sizeof(expect), "0(Connect) user='%s'",
             getpwuid(geteuid())->pw_name);
    CU_ASSERT_STRING_EQUAL(fake_request(fake, 0), expect);
    CU_ASSERT_STRING_EQUAL(pbs_server, "localhost");
    CU_ASSERT_STRING_EQUAL(pbs_default(), "localhost");
    CU_ASSERT_EQUAL(pbs_query_max_connections(), 49);
    CU_ASSERT_EQUAL(pbs_connection_set_nodelay(c), 0);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(fake_request(fake, 1), "59(Disconnect)"));
    CU_ASSERT_EQUAL(pbs_statserver(c, NULL, NULL) == NULL, 1);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_SYSTEM);
    CU_ASSERT_EQUAL(pbs_disconnect(-1), 0);

    c = pbs_connect_extend("localhost", "qsub-daemon");
    CU_ASSERT_STRING_EQUAL(body_of(2), "extend='qsub-daemon'");
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    c = pbs_connect_noblk("localhost");
    CU_ASSERT_STRING_EQUAL(body_of(4), "extend='NOBLK'");
    teardown(c);
}

/* What 'run' leaves on stderr, for the texts that scripts look for. */
static int connect_quietly(const char *server, char *text, size_t size)
{
    int pipefd[2], saved = dup(2), c;
    ssize_t n;

    CU_ASSERT_EQUAL_FATAL(pipe(pipefd), 0);
    fflush(stderr);
    dup2(pipefd[1], 2);
    c = pbs_connect(server);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    close(pipefd[1]);
    n = read(pipefd[0], text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(pipefd[0]);
    return c;
}

/* A server that hangs takes nobody from the queue of its local socket. There is room
 * for one there, who gets no answer; the next one finds the queue full. */
static void test_who_cannot_wait_does_not_wait_for_a_server_that_hangs(void)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), waiting[64], n = 0;

    fake = fake_start();
    snprintf(a.sun_path, sizeof(a.sun_path), "%s/ipc/server.sock", fake_home(fake));
    unlink(a.sun_path);
    CU_ASSERT_EQUAL_FATAL(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
    CU_ASSERT_EQUAL_FATAL(listen(listener, 0), 0);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    CU_ASSERT_EQUAL(pbs_connect_noblk("localhost"), -1);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_PROTOCOL);
    do
        waiting[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    while (connect(waiting[n++], (struct sockaddr *)&a, sizeof(a)) == 0 && n < 64);
    CU_ASSERT_TRUE(n < 64);
    /* What is left is TCP, where nobody vouches for this program. */
    CU_ASSERT_EQUAL(pbs_connect_noblk("localhost"), -1);
    while (n > 0)
        close(waiting[--n]);
    close(listener);
    fake_stop(fake);
    fake = NULL;
}

static void test_why_a_connection_failed_is_told(void)
{
    char text[512], path[96];

    fake = fake_start();
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    CU_ASSERT_EQUAL(pbs_connect("no.such.host.invalid"), -1);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_BADHOST);
    CU_ASSERT_EQUAL(pbs_connect("localhost:99999"), -1);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_BADHOST);
    CU_ASSERT_EQUAL(pbs_connect("localhost:1"), -1);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_SYSTEM);
    CU_ASSERT_EQUAL(errno, ECONNREFUSED);

    snprintf(path, sizeof(path), "%s/ipc/server.sock", fake_home(fake));
    CU_ASSERT_EQUAL_FATAL(unlink(path), 0);
    CU_ASSERT_EQUAL(connect_quietly(NULL, text, sizeof(text)), -1);
    CU_ASSERT_EQUAL(pbs_errno, -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "auth: error returned: -1\n"
                                        "auth: Unable to authenticate connection "
                                        "(localhost:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(fake_request(fake, 0), "0(Connect)"));

    setenv("PBS_AUTH_METHOD", "munge", 1);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    CU_ASSERT_EQUAL(connect_quietly(NULL, text, sizeof(text)), -1);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(text, "Failed to load /opt/nowhere/lib/libauth_munge.so\n");
    fake_stop(fake);
}

static int call_alter(int c)
{
    struct attrl *a = attr(attr(NULL, "Priority", NULL, "5", INCR), "Resource_List",
                           "walltime", "20", SET);
    int err = pbs_alterjob(c, "5.x", a, NULL);

    attr_free(a);
    return err;
}

static int call_manager(int c)
{
    struct attrl *a = attr(NULL, "state", NULL, "offline", INCR);
    int err = pbs_manager(c, MGR_CMD_SET, MGR_OBJ_HOST, "n1",
                          (struct attropl *)(void *)a, NULL);

    attr_free(a);
    return err;
}

static int call_run(int c)
{
    return pbs_runjob(c, "5.x", "(n1:ncpus=1)", NULL);
}

static int call_run_ack(int c)
{
    return pbs_asyrunjob_ack(c, "5.x", "n1", NULL);
}

static int call_hold(int c)
{
    return pbs_holdjob(c, "5.x", "", NULL);
}

static int call_release(int c)
{
    return pbs_rlsjob(c, "5.x", "s", NULL);
}

static int call_move(int c)
{
    return pbs_movejob(c, "5.x", "workq@y", NULL);
}

static int call_message(int c)
{
    return pbs_msgjob(c, "5.x", MSG_ERR, "hello", NULL);
}

static int call_order(int c)
{
    return pbs_orderjob(c, "5.x", "6.x", NULL);
}

static int call_release_nodes(int c)
{
    return pbs_relnodesjob(c, "5.x", NULL, "2");
}

static int call_rerun(int c)
{
    return pbs_rerunjob(c, "5.x", "force");
}

static int call_signal(int c)
{
    return pbs_sigjob(c, "5.x", "SIGUSR1", NULL);
}

static int call_delresv(int c)
{
    return pbs_delresv(c, "R8.x", NULL);
}

static int call_confirm(int c)
{
    return pbs_confirmresv(c, "R8.x", "(n1:ncpus=1)", 77, "PBS_RESV_CONFIRM_SUCCESS");
}

static int call_terminate(int c)
{
    return pbs_terminate(c, SHUT_QUICK, NULL);
}

static int call_defschreply(int c)
{
    char id[] = "5.x", text[] = "no";

    return pbs_defschreply(c, 11, id, 15044, text, NULL);
}

static const struct {
    uint32_t number;
    int (*call)(int c);
    const char *body;
} plain_calls[] = {
    { BATCH_MODIFY_JOB, call_alter,
      "command=2 object_type=2 object_name='5.x' "
      "attrs=[Resource_List.walltime='20' Priority='5']" },
    { BATCH_MANAGER, call_manager,
      "command=2 object_type=7 object_name='n1' attrs=[state='offline' op2]" },
    { BATCH_RUN_JOB, call_run, "object_id='5.x' vnodes='(n1:ncpus=1)' argument=0" },
    { BATCH_ASYRUN_JOB_ACK, call_run_ack, "object_id='5.x' vnodes='n1' argument=0" },
    { BATCH_HOLD_JOB, call_hold,
      "command=2 object_type=2 object_name='5.x' attrs=[Hold_Types='u']" },
    { BATCH_RELEASE_JOB, call_release,
      "command=2 object_type=2 object_name='5.x' attrs=[Hold_Types='s']" },
    { BATCH_MOVE_JOB, call_move, "job_id='5.x' destination='workq@y'" },
    { BATCH_MESSAGE_JOB, call_message, "job_id='5.x' file=2 text='hello'" },
    { BATCH_ORDER_JOB, call_order, "job_id='5.x' destination='6.x'" },
    { BATCH_RELEASE_NODES, call_release_nodes,
      "job_id='5.x' vnodes='' extend='select=2'" },
    { BATCH_RERUN, call_rerun, "id='5.x' extend='force'" },
    { BATCH_SIGNAL_JOB, call_signal, "job_id='5.x' signal='SIGUSR1'" },
    { BATCH_DELETE_RESV, call_delresv,
      "command=1 object_type=2 object_name='R8.x' attrs=[]" },
    { BATCH_CONFIRM_RESV, call_confirm,
      "object_id='R8.x' vnodes='(n1:ncpus=1)' argument=77 "
      "extend='PBS_RESV_CONFIRM_SUCCESS'" },
    { BATCH_SHUTDOWN, call_terminate, "value=2" },
    { BATCH_DEF_SCHED_REPLY, call_defschreply,
      "command=11 job_id='5.x' error=15044 text='no'" },
};

static void test_plain_calls_send_their_request_and_give_its_code(void)
{
    const struct wire_reply refusal = { .code = PBSE_PERM,
                                        .choice = REPLY_TEXT,
                                        .text = "Unauthorized Request " };
    int c = setup();

    for (size_t i = 0; i < ARRAY_LEN(plain_calls); i++) {
        char name[16];

        fake_null(fake, 1);
        fake_reply(fake, &refusal);
        CU_ASSERT_EQUAL(plain_calls[i].call(c), 0);
        CU_ASSERT_EQUAL(pbs_errno, 0);
        CU_ASSERT_PTR_NULL(pbs_geterrmsg(c));
        CU_ASSERT_EQUAL(plain_calls[i].call(c), PBSE_PERM);
        CU_ASSERT_EQUAL(pbs_geterrno(), PBSE_PERM);
        CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "Unauthorized Request ");
        snprintf(name, sizeof(name), "%u(", plain_calls[i].number);
        CU_ASSERT_EQUAL(strncmp(fake_request(fake, 1 + 2 * i), name, strlen(name)), 0);
        CU_ASSERT_STRING_EQUAL(body_of(1 + 2 * i), plain_calls[i].body);
    }
    teardown(c);
}

static void test_calls_without_an_answer_do_not_wait_for_one(void)
{
    int c = setup();
    struct attrl *a = attr(NULL, "no_such_name", NULL, "x", SET);

    fake_silence(fake);
    fake_silence(fake);
    CU_ASSERT_EQUAL(pbs_asyrunjob(c, "5.x", "n1", NULL), 0);
    CU_ASSERT_EQUAL(pbs_asyalterjob(c, "5.x", a, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(fake_request(fake, 1), "23(AsyrunJob)"));
    CU_ASSERT_PTR_NOT_NULL(strstr(fake_request(fake, 2), "no_such_name='x'"));
    attr_free(a);
    teardown(c);
}

static void test_a_missing_id_is_refused_without_words(void)
{
    int c = setup();
    char *none[] = { NULL };
    char empty[] = "", *ids[] = { empty };

    CU_ASSERT_EQUAL(pbs_runjob(c, NULL, "n1", NULL), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(pbs_sigjob(c, "", "x", NULL), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(pbs_sigjob(c, "5.x", NULL, NULL), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(pbs_delresv(c, NULL, NULL), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(pbs_msgjob(c, "5.x", 1, "", NULL), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(pbs_orderjob(c, "5.x", "", NULL), PBSE_IVALREQ);
    CU_ASSERT_EQUAL(pbs_deljob(c, NULL, NULL), PBSE_IVALREQ);
    CU_ASSERT_PTR_NULL(pbs_deljoblist(c, ids, 1, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_IVALREQ);
    CU_ASSERT_PTR_NULL(pbs_deljoblist(c, ids, 0, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_IVALREQ);
    CU_ASSERT_PTR_NULL(pbs_modify_resv(c, "", NULL, NULL));
    CU_ASSERT_PTR_NULL(pbs_locjob(c, "", NULL));
    CU_ASSERT_PTR_NULL(pbs_preempt_jobs(c, none));
    CU_ASSERT_PTR_NULL(pbs_geterrmsg(c));
    CU_ASSERT_EQUAL(pbs_relnodesjob(c, "5.x", "", "many"), PBSE_IVALREQ);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c),
                           "only a \"select=\" string is valid in -k option");
    CU_ASSERT_EQUAL(pbs_relnodesjob(c, "5.x", "", "-3"), PBSE_INVALSELECTRESC);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "illegal -k value");
    CU_ASSERT_EQUAL(fake_count(fake), 1);
    teardown(c);
}

static void test_texts_come_with_code_0_too(void)
{
    const struct wire_reply made = { .choice = REPLY_TEXT, .text = "R4.x UNCONFIRMED" };
    const struct wire_reply place = { .choice = REPLY_LOCATE, .text = "pbs9" };
    int c = setup();
    struct attrl *a = attr(NULL, "reserve_start", NULL, "100", SET);
    char *text;

    fake_reply(fake, &made);
    fake_reply(fake, &made);
    fake_reply(fake, &place);
    fake_reply(fake, &place);
    text = pbs_submit_resv(c, (struct attropl *)(void *)a, "m");
    CU_ASSERT_STRING_EQUAL(text, "R4.x UNCONFIRMED");
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "R4.x UNCONFIRMED");
    free(text);
    text = pbs_modify_resv(c, "R4.x", (struct attropl *)(void *)a, NULL);
    CU_ASSERT_STRING_EQUAL(text, "R4.x UNCONFIRMED");
    free(text);
    text = pbs_locjob(c, "5.x", NULL);
    CU_ASSERT_STRING_EQUAL(text, "pbs9");
    free(text);
    CU_ASSERT_PTR_NULL(pbs_submit_resv(c, (struct attropl *)(void *)a, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_PROTOCOL); /* not what was asked for */
    CU_ASSERT_STRING_EQUAL(body_of(1), "id='' destination='' "
                                       "attrs=[reserve_start='100'] extend='m'");
    CU_ASSERT_STRING_EQUAL(body_of(2), "object_type=4 resv_id='R4.x' "
                                       "attrs=[reserve_start='100']");
    attr_free(a);
    teardown(c);
}

static struct wire_object object(struct arena *arena, uint32_t type, const char *name,
                                 const char *value)
{
    struct wire_object o = { .type = type, .name = name };

    wire_attrs_add(&o.attrs, arena, "Resource_List", "ncpus", value, WIRE_OP_SET);
    wire_attrs_add(&o.attrs, arena, "comment", NULL, "", WIRE_OP_SET);
    return o;
}

/* Two attributes: Resource_List.ncpus and an empty comment. */
static void test_parts_of_a_status_are_one_list(void)
{
    struct arena *arena = arena_new();
    struct wire_object o[] = { object(arena, OBJECT_JOB, "1.x", "1"),
                               object(arena, OBJECT_JOB, "2.x", "2"),
                               object(arena, OBJECT_JOB, "3.x", "3") };
    struct wire_reply parts[] = {
        { .choice = REPLY_STATUS, .more = true, .objects = { 2, 2, o } },
        { .choice = REPLY_STATUS, .objects = { 1, 1, &o[2] } },
    };
    int c = setup();
    struct attrl *wanted = attr(attr(NULL, "comment", NULL, "x", SET), "Resource_List",
                                "ncpus", NULL, SET);
    struct batch_status *list;

    fake_parts(fake, parts, 2);
    list = pbs_statjob(c, "", wanted, "t");
    CU_ASSERT_STRING_EQUAL(
        body_of(1), "id='' wanted=[Resource_List.ncpus='' comment=''] extend='t'");
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT_STRING_EQUAL(list->name, "1.x");
    CU_ASSERT_STRING_EQUAL(list->attribs->name, "Resource_List");
    CU_ASSERT_STRING_EQUAL(list->attribs->resource, "ncpus");
    CU_ASSERT_STRING_EQUAL(list->attribs->next->value, "");
    CU_ASSERT_PTR_NULL(list->attribs->next->resource);
    CU_ASSERT_PTR_NULL(list->attribs->next->next);
    CU_ASSERT_PTR_NULL(list->text);
    CU_ASSERT_STRING_EQUAL(list->next->next->name, "3.x");
    CU_ASSERT_STRING_EQUAL(list->next->next->attribs->value, "3");
    CU_ASSERT_PTR_NULL(list->next->next->next);
    pbs_statfree(list);
    attr_free(wanted);
    arena_free(arena);
    teardown(c);
}

static void test_an_error_after_a_part_drops_the_part(void)
{
    struct arena *arena = arena_new();
    struct wire_object o = object(arena, OBJECT_JOB, "1.x", "1");
    struct wire_reply parts[] = {
        { .choice = REPLY_STATUS, .more = true, .objects = { 1, 1, &o } },
        { .code = PBSE_SYSTEM, .choice = REPLY_TEXT, .text = "System error: " },
    };
    const struct wire_reply none = { .choice = REPLY_STATUS };
    int c = setup();

    fake_parts(fake, parts, 2);
    fake_reply(fake, &none);
    CU_ASSERT_PTR_NULL(pbs_statjob(c, "", NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "System error: ");
    CU_ASSERT_PTR_NULL(pbs_statjob(c, "", NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, 0); /* nothing to tell is no error */
    arena_free(arena);
    teardown(c);
}

static struct batch_status *stat_server(int c, struct attrl *wanted)
{
    return pbs_statserver(c, wanted, NULL);
}

static struct batch_status *stat_sched(int c, struct attrl *wanted)
{
    return pbs_statsched(c, wanted, NULL);
}

static struct batch_status *stat_queue(int c, struct attrl *wanted)
{
    return pbs_statque(c, "workq", wanted, NULL);
}

static struct batch_status *stat_vnode(int c, struct attrl *wanted)
{
    return pbs_statvnode(c, "n1", wanted, NULL);
}

static struct batch_status *stat_resv(int c, struct attrl *wanted)
{
    return pbs_statresv(c, "R1.x", wanted, NULL);
}

static struct batch_status *stat_resource(int c, struct attrl *wanted)
{
    return pbs_statrsc(c, NULL, wanted, "p");
}

static struct batch_status *stat_hook(int c, struct attrl *wanted)
{
    return pbs_stathook(c, "h1", wanted, "pbshook");
}

static struct batch_status *select_stat(int c, struct attrl *wanted)
{
    return pbs_selstat(c, NULL, wanted, "x");
}

static void test_every_status_call_asks_and_checks_names(void)
{
    static const struct {
        struct batch_status *(*call)(int c, struct attrl *wanted);
        const char *known;
        const char *line;
    } cases[] = {
        { stat_server, "scheduling", "21(StatusSvr)" },
        { stat_sched, "partition", "81(StatusSched)" },
        { stat_queue, "queue_type", "20(StatusQue)" },
        { stat_vnode, "State", "58(StatusNode)" }, /* letter case does not count */
        { stat_resv, "reserve_start", "71(StatusResv)" },
        { stat_resource, "flag", "82(StatusRsc)" },
        { stat_hook, "event", "83(StatusHook)" },
        { select_stat, "job_state", "51(SelStat)" },
    };
    const struct wire_reply none = { .choice = REPLY_STATUS };
    int c = setup();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attrl *good = attr(NULL, cases[i].known, NULL, NULL, SET);
        struct attrl *bad = attr(attr(NULL, "nosuch", NULL, NULL, SET), cases[i].known,
                                 NULL, NULL, SET);

        fake_reply(fake, &none);
        CU_ASSERT_PTR_NULL(cases[i].call(c, good));
        CU_ASSERT_EQUAL(pbs_errno, 0);
        CU_ASSERT_EQUAL(
            strncmp(fake_request(fake, i + 1), cases[i].line, strlen(cases[i].line)),
            0);
        CU_ASSERT_PTR_NOT_NULL(strstr(body_of(i + 1), cases[i].known));
        CU_ASSERT_PTR_NULL(cases[i].call(c, bad));
        CU_ASSERT_EQUAL(pbs_errno, PBSE_NOATTR);
        CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "Undefined attribute ");
        CU_ASSERT_EQUAL(fake_count(fake), i + 2);
        attr_free(good);
        attr_free(bad);
    }
    CU_ASSERT_PTR_NULL(pbs_stathook(c, NULL, NULL, "other"));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_IVALREQ);
    teardown(c);
}

/* Its refusal has a text of its own. */
static void test_changes_of_hooks_are_for_the_server_to_judge(void)
{
    const struct wire_reply no = { .code = PBSE_NOATTR,
                                   .choice = REPLY_TEXT,
                                   .text = "Undefined attribute  - nosuch" };
    int c = setup();
    struct attrl *a = attr(NULL, "nosuch", NULL, "1", SET);
    struct attropl *attribs = (struct attropl *)(void *)a;

    fake_reply(fake, &no);
    CU_ASSERT_EQUAL(pbs_manager(c, MGR_CMD_SET, MGR_OBJ_SITE_HOOK, "h1", attribs, NULL),
                    PBSE_NOATTR);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "Undefined attribute  - nosuch");
    CU_ASSERT_EQUAL(pbs_manager(c, MGR_CMD_SET, MGR_OBJ_SERVER, "", attribs, NULL),
                    PBSE_NOATTR);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "Undefined attribute ");
    CU_ASSERT_EQUAL(fake_count(fake), 2);
    attr_free(a);
    teardown(c);
}

static void test_all_bad_names_are_listed_once(void)
{
    int c = setup();
    struct attrl *list = NULL;
    struct ecl_attribute_errors *bad;

    for (int i = 0; i < 25; i++) {
        char name[16];

        snprintf(name, sizeof(name), "nosuch%d", i % 21);
        list = attr(list, i % 2 ? name : "Priority", NULL, "1", SET);
    }
    CU_ASSERT_EQUAL(pbs_alterjob(c, "5.x", list, NULL), PBSE_NOATTR);
    bad = pbs_get_attributes_in_error(c);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bad);
    CU_ASSERT_EQUAL_FATAL(bad->ecl_numerrors, 12);
    for (int i = 0; i < bad->ecl_numerrors; i++) {
        CU_ASSERT_EQUAL(bad->ecl_attrerr[i].ecl_errcode, PBSE_NOATTR);
        CU_ASSERT_STRING_EQUAL(bad->ecl_attrerr[i].ecl_errmsg, "Undefined attribute ");
        CU_ASSERT_PTR_NOT_NULL(
            strstr(bad->ecl_attrerr[i].ecl_attribute->name, "nosuch"));
    }
    attr_free(list);
    fake_null(fake, 1);
    CU_ASSERT_EQUAL(pbs_alterjob(c, "5.x", NULL, NULL), 0);
    CU_ASSERT_PTR_NULL(pbs_get_attributes_in_error(c));
    teardown(c);
}

static void test_an_answer_that_is_no_reply_ends_the_talk(void)
{
    static const char wrong_magic[] = "HTTP/1.0 400 Bad";
    static const char wrong_type[] = "PKTV1\0\0\0\0\0\x0c+3+2+0+0+1+0";
    static const char leading_zero[] = "PKTV1\0\0\0\0\0\x04+202";
    static const char cut[] = "PKTV1\0\0\0\0\0\x0c+2+2";
    static const struct {
        const char *bytes;
        size_t len;
        const char *text;
    } cases[] = {
        { wrong_magic, sizeof(wrong_magic) - 1, "Supporting protocol failure" },
        { wrong_type, sizeof(wrong_type) - 1, "Supporting protocol failure" },
        { leading_zero, sizeof(leading_zero) - 1,
          "Input count or value has leading zero" },
        { cut, sizeof(cut) - 1, "Premature end of message" },
        { "", 0, "End of File" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int c = setup();

        fake_cut(fake, cases[i].bytes, cases[i].len);
        CU_ASSERT_EQUAL(pbs_rerunjob(c, "5.x", NULL), PBSE_PROTOCOL);
        CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), cases[i].text);
        CU_ASSERT_EQUAL(pbs_rerunjob(c, "5.x", NULL), PBSE_PROTOCOL);
        teardown(c);
    }
}

static void test_a_reply_may_come_in_several_packets(void)
{
    static const char pieces[] = "PKTV1\0\x30\0\0\0\x04+2+2"
                                 "PKTV1\0\x72\0\0\0\x08+0+0+7+0"
                                 "PKTV1\0\1\0\0\0\x0b+3yes+2+2+0";
    int c = setup();

    fake_raw(fake, pieces, sizeof(pieces) - 1);
    fake_null(fake, 1);
    CU_ASSERT_EQUAL(pbs_rerunjob(c, "5.x", NULL), 0);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "yes");
    CU_ASSERT_EQUAL(pbs_rerunjob(c, "5.x", NULL), 0); /* the rest was thrown away */
    CU_ASSERT_PTR_NULL(pbs_geterrmsg(c));
    teardown(c);
}

/* A script of a chunk and ten bytes. */
static void make_script(char *path)
{
    char *text = malloc(65546);
    int fd = mkstemp(path);

    memset(text, 'x', 65546);
    CU_ASSERT_EQUAL(write(fd, text, 65546), 65546);
    close(fd);
    free(text);
}

static void test_a_script_travels_in_chunks(void)
{
    const struct wire_reply queued = { .choice = REPLY_QUEUE, .text = "5.x" };
    const struct wire_reply done = { .choice = REPLY_COMMIT, .text = "5.x" };
    const struct wire_reply bad = { .code = PBSE_JOBSCRIPTMAXSIZE,
                                    .choice = REPLY_TEXT,
                                    .text = "too large" };
    int c = setup();
    struct attrl *a = attr(NULL, "Job_Name", NULL, "n", INCR);
    struct attropl *attribs = (struct attropl *)(void *)a;
    char path[] = "/tmp/hf-script-XXXXXX", *id;

    make_script(path);
    fake_reply(fake, &queued);
    fake_null(fake, 2);
    fake_reply(fake, &done);
    id = pbs_submit(c, attribs, path, "workq", "e");
    CU_ASSERT_STRING_EQUAL(id, "5.x");
    free(id);
    CU_ASSERT_STRING_EQUAL(body_of(1),
                           "id='' destination='workq' attrs=[Job_Name='n'] extend='e'");
    CU_ASSERT_EQUAL(strncmp(body_of(2), "sequence=0 file_type=0 size_bytes=65536 ", 40),
                    0);
    CU_ASSERT_EQUAL(strncmp(body_of(3), "sequence=1 file_type=0 size_bytes=10 ", 37),
                    0);
    CU_ASSERT_STRING_EQUAL(body_of(4), "id='5.x'");

    fake_reply(fake, &queued);
    fake_reply(fake, &bad);
    CU_ASSERT_PTR_NULL(pbs_submit(c, attribs, path, NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_JOBSCRIPTMAXSIZE);
    CU_ASSERT_EQUAL(fake_count(fake), 7); /* no commit */

    fake_reply(fake, &queued);
    fake_null(fake, 2);
    fake_reply(fake, &bad);
    id = pbs_submit(c, attribs, path, NULL, NULL);
    CU_ASSERT_STRING_EQUAL(id, "5.x"); /* told although the commit failed */
    CU_ASSERT_EQUAL(pbs_errno, PBSE_JOBSCRIPTMAXSIZE);
    free(id);
    unlink(path);
    CU_ASSERT_PTR_NULL(pbs_submit(c, attribs, path, NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_BADSCRIPT);
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(c), "cannot access script file");
    attr_free(a);
    teardown(c);
}

static void test_without_a_script_one_request_makes_the_job(void)
{
    const struct wire_reply done = { .choice = REPLY_COMMIT, .text = "5.x" };
    int c = setup();
    char *id;

    fake_reply(fake, &done);
    fake_reply(fake, &done);
    id = pbs_submit(c, NULL, NULL, NULL, NULL);
    CU_ASSERT_STRING_EQUAL(id, "5.x");
    free(id);
    id = pbs_submit(c, NULL, "", NULL, "more");
    CU_ASSERT_STRING_EQUAL(id, "5.x");
    free(id);
    CU_ASSERT_STRING_EQUAL(body_of(1), "id='' destination='' attrs=[] extend=':C:'");
    CU_ASSERT_STRING_EQUAL(body_of(2),
                           "id='' destination='' attrs=[] extend=':C:more'");
    teardown(c);
}

static void test_deletions_tell_what_was_not_deleted(void)
{
    struct wire_deleted_job gone[] = { { "8.x", PBSE_UNKJOBID, NULL },
                                       { "9.x", PBSE_PERM, NULL } };
    struct wire_reply two = { .choice = REPLY_DELETE, .deleted = { 2, gone } };
    struct wire_reply one = { .code = PBSE_UNKJOBID,
                              .choice = REPLY_DELETE,
                              .deleted = { 1, gone } };
    const struct wire_reply all = { .choice = REPLY_DELETE };
    const struct wire_reply no = { .code = PBSE_BADCRED, .choice = REPLY_NULL };
    char a[] = "8.x", b[] = "9.x", same[] = "8.x", *ids[] = { a, b, same };
    int c = setup();
    struct batch_deljob_status *list;

    fake_reply(fake, &two);
    fake_reply(fake, &all);
    fake_reply(fake, &one);
    fake_reply(fake, &all);
    fake_reply(fake, &no);
    list = pbs_deljoblist(c, ids, 3, "force");
    CU_ASSERT_STRING_EQUAL(body_of(1), "ids=['8.x' '9.x'] extend='force'");
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT_STRING_EQUAL(list->name, "9.x"); /* last first */
    CU_ASSERT_EQUAL(list->code, PBSE_PERM);
    CU_ASSERT_STRING_EQUAL(list->next->name, "8.x");
    CU_ASSERT_PTR_NULL(list->next->next);
    pbs_delstatfree(list);
    CU_ASSERT_PTR_NULL(pbs_deljoblist(c, ids, 1, NULL));
    CU_ASSERT_EQUAL(pbs_errno, 0);
    CU_ASSERT_EQUAL(pbs_deljob(c, "8.x", NULL), PBSE_UNKJOBID);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_UNKJOBID);
    CU_ASSERT_EQUAL(pbs_deljob(c, "8.x", NULL), 0);
    CU_ASSERT_EQUAL(pbs_deljob(c, "8.x", NULL), PBSE_BADCRED);
    teardown(c);
}

static void test_selected_ids_end_with_null(void)
{
    const char *v[] = { "1.x", "2.x" };
    const struct wire_reply two = { .choice = REPLY_SELECT, .ids = { 2, v } };
    const struct wire_reply none = { .choice = REPLY_SELECT };
    int c = setup();
    struct attrl *a = attr(attr(NULL, "destination", NULL, "workq", EQ),
                           "Resource_List", "ncpus", "2", GE);
    char **ids;

    fake_reply(fake, &two);
    fake_reply(fake, &none);
    ids = pbs_selectjob(c, (struct attropl *)(void *)a, "T");
    CU_ASSERT_STRING_EQUAL(body_of(1), "criteria=[Resource_List.ncpus='2' op6 "
                                       "destination='workq' op4] wanted=[] extend='T'");
    CU_ASSERT_PTR_NOT_NULL_FATAL(ids);
    CU_ASSERT_STRING_EQUAL(ids[1], "2.x");
    CU_ASSERT_PTR_NULL(ids[2]);
    free(ids[0]);
    free(ids[1]);
    free(ids);
    ids = pbs_selectjob(c, NULL, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ids);
    CU_ASSERT_PTR_NULL(ids[0]);
    free(ids);
    attr_free(a);
    teardown(c);
}

static struct wire_object vnode(struct arena *a, const char *name, const char *host,
                                const char *mem, const char *jobs, const char *state)
{
    struct wire_object o = { .type = OBJECT_NODE, .name = name };

    wire_attrs_add(&o.attrs, a, "Mom", NULL, "pbs1", WIRE_OP_SET);
    wire_attrs_add(&o.attrs, a, "state", NULL, state, WIRE_OP_SET);
    wire_attrs_add(&o.attrs, a, "jobs", NULL, jobs, WIRE_OP_SET);
    wire_attrs_add(&o.attrs, a, "resources_available", "host", host, WIRE_OP_SET);
    wire_attrs_add(&o.attrs, a, "resources_available", "ncpus", "2", WIRE_OP_SET);
    wire_attrs_add(&o.attrs, a, "resources_available", "mem", mem, WIRE_OP_SET);
    wire_attrs_add(&o.attrs, a, "resources_assigned", "ncpus", "1", WIRE_OP_SET);
    wire_attrs_add(&o.attrs, a, "resources_assigned", "gas", "2", WIRE_OP_SET);
    return o;
}

static const char *value_of(const struct batch_status *st, const char *name,
                            const char *resource)
{
    for (const struct attrl *a = st->attribs; a; a = a->next)
        if (strcmp(a->name, name) == 0 && str_same(a->resource, resource))
            return a->value;
    return "(none)";
}

static void test_vnodes_of_a_host_are_merged(void)
{
    struct arena *arena = arena_new();
    struct wire_object o[] = {
        vnode(arena, "v1", "alpha", "1mb", "1.x/0", "free"),
        vnode(arena, "n2", "beta", "5kb", "", "free"),
        vnode(arena, "v2", "alpha", "512b", "2.x/0", "offline"),
    };
    const struct wire_reply all = { .choice = REPLY_STATUS, .objects = { 3, 3, o } };
    int c = setup();
    struct attrl *wanted = attr(NULL, "state", NULL, NULL, SET);
    struct batch_status *list;

    for (int i = 0; i < 4; i++)
        fake_reply(fake, &all);
    list = pbs_stathost(c, NULL, NULL, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT_STRING_EQUAL(list->name, "alpha");
    CU_ASSERT_STRING_EQUAL(value_of(list, "Mom", NULL), "pbs1");
    CU_ASSERT_STRING_EQUAL(value_of(list, "state", NULL), "<various>");
    CU_ASSERT_STRING_EQUAL(value_of(list, "jobs", NULL), "1.x/0, 2.x/0");
    CU_ASSERT_STRING_EQUAL(value_of(list, "resources_available", "ncpus"), "4");
    CU_ASSERT_STRING_EQUAL(value_of(list, "resources_available", "mem"), "1025kb");
    CU_ASSERT_STRING_EQUAL(value_of(list, "resources_available", "host"), "alpha");
    CU_ASSERT_STRING_EQUAL(value_of(list, "resources_assigned", "ncpus"), "2");
    CU_ASSERT_STRING_EQUAL(value_of(list, "resources_assigned", "gas"), "(none)");
    CU_ASSERT_STRING_EQUAL(list->next->name, "beta");
    CU_ASSERT_STRING_EQUAL(value_of(list->next, "resources_assigned", "gas"), "(none)");
    CU_ASSERT_STRING_EQUAL(value_of(list->next, "resources_available", "mem"), "5kb");
    CU_ASSERT_PTR_NULL(list->next->next);
    pbs_statfree(list);
    CU_ASSERT_STRING_EQUAL(body_of(1), "id='' wanted=[]");

    list = pbs_statnode(c, "beta", wanted, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT_STRING_EQUAL(body_of(2),
                           "id='' wanted=[resources_available.host='' state='']");
    CU_ASSERT_STRING_EQUAL(list->name, "beta");
    CU_ASSERT_STRING_EQUAL(list->attribs->name, "state");
    CU_ASSERT_PTR_NULL(list->attribs->next);
    pbs_statfree(list);
    CU_ASSERT_PTR_NULL(pbs_stathost(c, "gamma", NULL, NULL));
    CU_ASSERT_EQUAL(pbs_errno, PBSE_UNKNODE);
    attr_free(wanted);
    arena_free(arena);
    teardown(c);
}

static void test_names_are_not_added(void)
{
    struct arena *arena = arena_new();
    struct wire_object o[] = {
        vnode(arena, "1", "10", "1mb", "", "free"),
        vnode(arena, "2", "10", "1mb", "", "free"),
    };
    const struct wire_reply all = { .choice = REPLY_STATUS, .objects = { 2, 2, o } };
    int c = setup();
    struct batch_status *list;

    wire_attrs_add(&o[0].attrs, arena, "resources_available", "vnode", "1",
                   WIRE_OP_SET);
    wire_attrs_add(&o[1].attrs, arena, "resources_available", "vnode", "2",
                   WIRE_OP_SET);
    fake_reply(fake, &all);
    list = pbs_stathost(c, "10", NULL, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT_STRING_EQUAL(value_of(list, "resources_available", "host"), "10");
    CU_ASSERT_STRING_EQUAL(value_of(list, "resources_available", "vnode"), "<various>");
    pbs_statfree(list);
    arena_free(arena);
    teardown(c);
}

static void test_sums_stay_within_their_type(void)
{
    static const struct {
        const char *one, *two, *merged;
    } cases[] = {
        { "9223372036854775806kb", "1kb", "9223372036854775807kb" },
        { "9223372036854775807kb", "1kb", "<various>" },
        { "9223372036854775807b", "1b", "9007199254740993kb" },
    };
    uint32_t numbers[] = { INT_MAX, INT_MAX, 1, 1 };
    const struct wire_reply counts = { .choice = REPLY_RESC_QUERY,
                                       .resources = { 1, numbers } };
    struct arena *arena = arena_new();
    int c = setup();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct wire_object o[] = {
            vnode(arena, "v1", "alpha", cases[i].one, "", "free"),
            vnode(arena, "v2", "alpha", cases[i].two, "", "free"),
        };
        const struct wire_reply all = { .choice = REPLY_STATUS,
                                        .objects = { 2, 2, o } };
        struct batch_status *list;

        fake_reply(fake, &all);
        list = pbs_stathost(c, NULL, NULL, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(list);
        CU_ASSERT_STRING_EQUAL(value_of(list, "resources_available", "mem"),
                               cases[i].merged);
        pbs_statfree(list);
    }
    for (int i = 0; i < 3; i++)
        fake_reply(fake, &counts);
    CU_ASSERT_EQUAL(totpool(c, 1), INT_MAX);
    CU_ASSERT_EQUAL(usepool(c, 1), INT_MAX);
    CU_ASSERT_STRING_EQUAL(avail(c, (char *)"nodes"), "yes");
    arena_free(arena);
    teardown(c);
}

/* The server's first command follows the reply at once: it must be left to the caller.
 */
static void test_a_scheduler_gets_its_first_command(void)
{
    static const char answer[] = "PKTV1\0\0\0\0\0\x0c+2+2+0+0+1+0"
                                 "PKTV1\0\0\0\0\0\2+6";
    const struct wire_reply no = { .code = 15213, .choice = REPLY_NULL };
    int c1 = setup(), c2 = pbs_connect(NULL);
    char rest[64];

    fake_null(fake, 1);
    fake_raw(fake, answer, sizeof(answer) - 1);
    CU_ASSERT_EQUAL(pbs_register_sched("default", c1, c2), 0);
    CU_ASSERT_EQUAL(recv(c2, rest, sizeof(rest), 0), 13);
    CU_ASSERT_EQUAL(memcmp(rest + 11, "+6", 2), 0);
    CU_ASSERT_STRING_EQUAL(body_of(2), "id='default'");

    fake_reply(fake, &no);
    CU_ASSERT_EQUAL(pbs_register_sched("nosuch", c2, c1), -1);
    CU_ASSERT_EQUAL(pbs_errno, 15213);
    CU_ASSERT_EQUAL(pbs_terminate(c2, 0, NULL), PBSE_SYSTEM); /* closed */
    teardown(c1);
}

static void test_preemption_tells_the_order_for_each_job(void)
{
    struct wire_deleted_job done[] = { { "1.x", 0, "S" }, { "2.x", 0, "000" } };
    const struct wire_reply reply = { .code = 1,
                                      .choice = REPLY_PREEMPT,
                                      .deleted = { 2, done } };
    char a[] = "1.x", b[] = "2.x", *ids[] = { a, b, NULL };
    int c = setup();
    preempt_job_info *got;

    fake_reply(fake, &reply);
    got = pbs_preempt_jobs(c, ids);
    CU_ASSERT_PTR_NOT_NULL_FATAL(got);
    CU_ASSERT_STRING_EQUAL(got[0].job_id, "1.x");
    CU_ASSERT_STRING_EQUAL(got[0].order, "S");
    CU_ASSERT_STRING_EQUAL(got[1].order, "000");
    CU_ASSERT_EQUAL(pbs_errno, 1);
    free(got);
    teardown(c);
}

static int own_rerun(int c, const char *id, const char *extend)
{
    return c == 7 && id && !extend ? 4711 : 0;
}

static void test_a_program_may_replace_a_call(void)
{
    int (*kept)(int, const char *, const char *) = pfn_pbs_rerunjob;

    pfn_pbs_rerunjob = own_rerun;
    CU_ASSERT_EQUAL(pbs_rerunjob(7, "5.x", NULL), 4711);
    pfn_pbs_rerunjob = kept;
    CU_ASSERT_EQUAL(pbs_rerunjob(7, NULL, NULL), PBSE_IVALREQ);
}

#define CALLS_EACH 20

static void *share(void *arg)
{
    int c = *(int *)arg;
    intptr_t wrong = 0;

    wrong += pbs_errno != 0; /* another thread's errors are not ours */
    for (int i = 0; i < CALLS_EACH; i++)
        wrong += pbs_rerunjob(c, "5.x", NULL) != 0;
    wrong += pbs_sigjob(c, "", "x", NULL) != PBSE_IVALREQ;
    return (void *)wrong;
}

static void test_threads_share_a_connection(void)
{
    int c = setup();
    pthread_t threads[4];

    fake_null(fake, CALLS_EACH * (int)ARRAY_LEN(threads));
    CU_ASSERT_EQUAL(pbs_rerunjob(c, "", NULL), PBSE_IVALREQ);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, share, &c), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        void *wrong;

        pthread_join(threads[i], &wrong);
        CU_ASSERT_PTR_NULL(wrong);
    }
    CU_ASSERT_EQUAL(pbs_errno, PBSE_IVALREQ);
    CU_ASSERT_EQUAL(fake_count(fake), 1 + CALLS_EACH * ARRAY_LEN(threads));
    teardown(c);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "structures have the known layout", test_structures_have_the_known_layout },
        { "a local server needs no more than Connect",
          test_a_local_server_needs_no_more_than_connect },
        { "why a connection failed is told", test_why_a_connection_failed_is_told },
        { "plain calls send their request and give its code",
          test_plain_calls_send_their_request_and_give_its_code },
        { "calls without an answer do not wait for one",
          test_calls_without_an_answer_do_not_wait_for_one },
        { "a missing id is refused without words",
          test_a_missing_id_is_refused_without_words },
        { "texts come with code 0 too", test_texts_come_with_code_0_too },
        { "parts of a status are one list", test_parts_of_a_status_are_one_list },
        { "an error after a part drops the part",
          test_an_error_after_a_part_drops_the_part },
        { "every status call asks and checks names",
          test_every_status_call_asks_and_checks_names },
        { "changes of hooks are for the server to judge",
          test_changes_of_hooks_are_for_the_server_to_judge },
        { "all bad names are listed once", test_all_bad_names_are_listed_once },
        { "an answer that is no reply ends the talk",
          test_an_answer_that_is_no_reply_ends_the_talk },
        { "a reply may come in several packets",
          test_a_reply_may_come_in_several_packets },
        { "a script travels in chunks", test_a_script_travels_in_chunks },
        { "without a script one request makes the job",
          test_without_a_script_one_request_makes_the_job },
        { "deletions tell what was not deleted",
          test_deletions_tell_what_was_not_deleted },
        { "selected ids end with NULL", test_selected_ids_end_with_null },
        { "vnodes of a host are merged", test_vnodes_of_a_host_are_merged },
        { "names are not added", test_names_are_not_added },
        { "sums stay within their type", test_sums_stay_within_their_type },
        { "who cannot wait does not wait for a server that hangs",
          test_who_cannot_wait_does_not_wait_for_a_server_that_hangs },
        { "a scheduler gets its first command",
          test_a_scheduler_gets_its_first_command },
        { "preemption tells the order for each job",
          test_preemption_tells_the_order_for_each_job },
        { "a program may replace a call", test_a_program_may_replace_a_call },
        { "threads share a connection", test_threads_share_a_connection },
    };

    return unit_main("ifl", cases, ARRAY_LEN(cases));
}
