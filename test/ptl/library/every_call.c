/* Calls every entry point of the library once or more, on a server that test_library.py
 * plays, and says what each gave: a line "NAME RESULT". every_call.py does and says the
 * same.
 *
 * usage: every_call SCRIPT-FILE
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pbs_error.h>
#include <pbs_ifl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int words_differ(void); /* abi.c */

#define TEXT(s) ((char *)(size_t)(s))

static int c;

static void say(const char *name, const char *how, ...)
{
    va_list ap;

    printf("%s ", name);
    va_start(ap, how);
    vprintf(how, ap);
    va_end(ap);
    putchar('\n');
}

static void say_int(const char *name, int n)
{
    say(name, "%d", n);
}

static void say_text(const char *name, char *text)
{
    say(name, "%s %d", text ? text : "-", pbs_errno);
    free(text);
}

static void say_list(const char *name, struct batch_status *list)
{
    printf("%s %d", name, pbs_errno);
    for (struct batch_status *st = list; st; st = st->next) {
        printf(" %s", st->name);
        for (struct attrl *a = st->attribs; a; a = a->next)
            printf(",%s%s%s=%s", a->name, a->resource ? "." : "",
                   a->resource ? a->resource : "", a->value);
    }
    putchar('\n');
    pbs_statfree(list);
}

static struct attropl ncpus = { NULL, TEXT("Resource_List"), TEXT("ncpus"), TEXT("2"),
                                GE };
static struct attropl job[] = { { &ncpus, TEXT("Job_Name"), NULL, TEXT("one"), EQ } };
static struct attrl wanted = { NULL, TEXT("comment"), NULL, TEXT(""), SET };
static struct attrl priority = { NULL, TEXT("Priority"), NULL, TEXT("7"), INCR };
static struct attropl start = { NULL, TEXT("reserve_start"), NULL, TEXT("4000000000"),
                                SET };
static struct attropl type = { NULL, TEXT("queue_type"), NULL, TEXT("e"), SET };

static void connections(void)
{
    say_int("pbs_loadconf", pbs_loadconf(0));
    say("pbs_default", "%s", pbs_default());
    say_int("pbs_query_max_connections", pbs_query_max_connections());
    c = pbs_connect(NULL);
    say_int("pbs_connect", c > 2);
    say("pbs_server", "%s", pbs_server);
    say_int("pbs_connect_extend",
            pbs_disconnect(pbs_connect_extend("localhost", "hello")));
    say_int("pbs_connect_noblk", pbs_disconnect(pbs_connect_noblk("")));
    say_int("pbs_connection_set_nodelay", pbs_connection_set_nodelay(c));
    say_int("pbs_connection_set_nodelay", pbs_connection_set_nodelay(999));
}

static void jobs(const char *script)
{
    char bytes[] = "a\0b";

    say_text("pbs_submit", pbs_submit(c, job, script, "workq", "x"));
    say_text("pbs_submit", pbs_submit(c, NULL, NULL, NULL, NULL));
    say_text("pbs_submit", pbs_submit(c, NULL, "/no/such/file", NULL, NULL));
    say("pbs_geterrmsg", "%s", pbs_geterrmsg(c));
    say_text("pbs_submit_with_cred",
             pbs_submit_with_cred(c, NULL, NULL, NULL, NULL, 3, 3, bytes));
    say_int("pbs_alterjob", pbs_alterjob(c, "1.x", &priority, "y"));
    say_int("pbs_asyalterjob", pbs_asyalterjob(c, "1.x", &priority, NULL));
    say_int("pbs_holdjob", pbs_holdjob(c, "1.x", NULL, NULL));
    say_int("pbs_rlsjob", pbs_rlsjob(c, "1.x", "os", NULL));
    say_text("pbs_locjob", pbs_locjob(c, "1.x", NULL));
    say_int("pbs_movejob", pbs_movejob(c, "1.x", "q@h", NULL));
    say_int("pbs_msgjob", pbs_msgjob(c, "1.x", MSG_OUT | MSG_ERR, "hi", NULL));
    say_int("pbs_msgjob", pbs_msgjob(c, "1.x", 0, "", NULL));
    say_int("pbs_orderjob", pbs_orderjob(c, "1.x", "2.x", NULL));
    say_int("pbs_relnodesjob", pbs_relnodesjob(c, "1.x", "n1+n2", NULL));
    say_int("pbs_relnodesjob", pbs_relnodesjob(c, "1.x", "", "3"));
    say_int("pbs_relnodesjob", pbs_relnodesjob(c, "1.x", "", "0"));
    say("pbs_geterrmsg", "%s", pbs_geterrmsg(c));
    say_int("pbs_relnodesjob", pbs_relnodesjob(c, "1.x", "", "all"));
    say("pbs_geterrmsg", "%s", pbs_geterrmsg(c));
    say_int("pbs_rerunjob", pbs_rerunjob(c, "9.x", FORCE));
    say("pbs_geterrmsg", "%s", pbs_geterrmsg(c));
    say_int("pbs_geterrno", pbs_geterrno());
    say_int("pbs_rerunjob", pbs_rerunjob(c, "", NULL));
    say_int("pbs_runjob", pbs_runjob(c, "1.x", "(n1:ncpus=1)", NULL));
    say_int("pbs_asyrunjob", pbs_asyrunjob(c, "1.x", NULL, NULL));
    say_int("pbs_asyrunjob_ack", pbs_asyrunjob_ack(c, "1.x", "n1", NULL));
    say_int("pbs_stagein", pbs_stagein(c, TEXT("1.x"), TEXT("n1"), NULL));
    say_int("pbs_sigjob", pbs_sigjob(c, "1.x", "SIGUSR1", NULL));
    say_int("pbs_sigjob", pbs_sigjob(c, "1.x", NULL, NULL));
}

static void deletions(void)
{
    char *ids[] = { TEXT("1.x"), TEXT("2.x"), TEXT("1.x"), TEXT("3.x") };
    struct batch_deljob_status *list;

    say_int("pbs_deljob", pbs_deljob(c, "1.x", DELETEHISTORY));
    say_int("pbs_deljob", pbs_deljob(c, "1.x", NULL));
    list = pbs_deljoblist(c, ids, 4, NOMAIL FORCE);
    for (struct batch_deljob_status *st = list; st; st = st->next)
        say("pbs_deljoblist", "%s %d", st->name, st->code);
    pbs_delstatfree(list);
    say_int("pbs_delstatfree", pbs_errno);
}

static void reservations(void)
{
    say_text("pbs_submit_resv", pbs_submit_resv(c, &start, "m"));
    say_text("pbs_modify_resv", pbs_modify_resv(c, "R1.x", &start, "force"));
    say_text("pbs_modify_resv", pbs_modify_resv(c, "R1.x", NULL, NULL));
    say_int("pbs_delresv", pbs_delresv(c, "R1.x", NULL));
    say_int("pbs_confirmresv",
            pbs_confirmresv(c, "R1.x", "(n1:ncpus=1)", 4000000000UL, "OK"));
}

static void status(void)
{
    char **ids = pbs_selectjob(c, job, "T");

    for (char **id = ids; id && *id; free(*id++))
        say("pbs_selectjob", "%s", *id);
    free(ids);
    say_list("pbs_selstat", pbs_selstat(c, job, &wanted, "S"));
    say_list("pbs_statjob", pbs_statjob(c, "1[].x", NULL, "t"));
    say_list("pbs_statque", pbs_statque(c, "workq", &wanted, NULL));
    say_list("pbs_statserver", pbs_statserver(c, &wanted, NULL));
    say_list("pbs_statsched", pbs_statsched(c, &wanted, NULL));
    say_list("pbs_statvnode", pbs_statvnode(c, "n1", &wanted, NULL));
    say_list("pbs_stathost", pbs_stathost(c, "alpha", NULL, NULL));
    say_list("pbs_stathost", pbs_stathost(c, "gamma", NULL, NULL));
    say_list("pbs_statnode", pbs_statnode(c, "", NULL, NULL));
    say_list("pbs_statresv", pbs_statresv(c, "", NULL, NULL));
    say_list("pbs_statrsc", pbs_statrsc(c, "ncpus", NULL, "p"));
    say_list("pbs_stathook", pbs_stathook(c, "h1", NULL, PBS_HOOK));
    say_list("pbs_stathook", pbs_stathook(c, "h1", NULL, "other"));
}

static void administration(void)
{
    struct attropl unknown = { &type, TEXT("no_such"), NULL, TEXT("1"), SET };
    const struct ecl_attribute_errors *bad;

    say_int("pbs_manager",
            pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "q2", &type, NULL));
    say_int("pbs_manager",
            pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "q2", &unknown, NULL));
    bad = pbs_get_attributes_in_error(c);
    say("pbs_get_attributes_in_error", "%d %s %d %s", bad->ecl_numerrors,
        bad->ecl_attrerr[0].ecl_attribute->name, bad->ecl_attrerr[0].ecl_errcode,
        bad->ecl_attrerr[0].ecl_errmsg);
    set_no_attribute_verification();
    say_int("set_no_attribute_verification",
            pbs_manager(c, MGR_CMD_SET, MGR_OBJ_QUEUE, "q2", &unknown, NULL));
    say_int("pbs_terminate", pbs_terminate(c, SHUT_QUICK, NULL));
}

static void for_schedulers(void)
{
    char *ids[] = { TEXT("1.x"), TEXT("2.x"), NULL };
    char *argv[] = { TEXT("run"), TEXT("it"), NULL }, *envp[] = { TEXT("A=b"), NULL };
    preempt_job_info *v;

    say_int("pbs_register_sched",
            pbs_register_sched("default", pbs_connect(NULL), pbs_connect(NULL)));
    say_int("pbs_defschreply",
            pbs_defschreply(c, 11, TEXT("1.x"), 15044, TEXT("no"), NULL));
    v = pbs_preempt_jobs(c, ids);
    say("pbs_preempt_jobs", "%s %s %s %s %d", v[0].job_id, v[0].order, v[1].job_id,
        v[1].order, pbs_errno);
    free(v);
    say_int("pbs_py_spawn", pbs_py_spawn(c, TEXT("1.x"), argv, envp));
}

static void resources(void)
{
    char *list[] = { TEXT("nodes"), TEXT("mem") };
    int a[2], b[2], d[2], e[2];
    pbs_resource_t handle = RESOURCE_T_NULL;

    say_int("pbs_rescquery", pbs_rescquery(c, list, 2, a, b, d, e));
    say("pbs_rescquery", "%d %d %d %d %d %d %d %d", a[0], a[1], b[0], b[1], d[0], d[1],
        e[0], e[1]);
    say("pbs_rescreserve", "%d %d", pbs_rescreserve(c, list, 2, &handle), handle);
    say_int("pbs_rescrelease", pbs_rescrelease(c, handle));
    say_int("totpool", totpool(c, 1));
    say_int("usepool", usepool(c, 0));
    say_int("totpool", totpool(c, 1)); /* refused now */
    say("avail", "%s", avail(c, TEXT("nodes")));
    say("avail", "%s", avail(c, TEXT("nodes")));
    say("avail", "%s", avail(c, TEXT("nodes")));
    say("avail", "%s", avail(c, TEXT("nodes")));
}

/* Replies that are none, and what they leave of the connection. */
static void strange_answers(void)
{
    say_int("pbs_rerunjob",
            pbs_rerunjob(c, "1.x", NULL)); /* an unexpected choice is fine */
    say_text("pbs_locjob", pbs_locjob(c, "1.x", NULL)); /* here it is not */
    say_list("pbs_statserver", pbs_statserver(c, NULL, NULL));
    say("pbs_geterrmsg", "%s", pbs_geterrmsg(c));
    say_list("pbs_statserver", pbs_statserver(c, NULL, NULL));
    say("pbs_geterrmsg", "%s", pbs_geterrmsg(c));
}

static int own_default_calls;

static char *own_default(void)
{
    own_default_calls++;
    return TEXT("mine");
}

int main(int argc, char **argv)
{
    if (argc != 2 || words_differ())
        return 2;
    pbs_client_thread_set_single_threaded_mode();
    connections();
    jobs(argv[1]);
    deletions();
    reservations();
    status();
    administration();
    for_schedulers();
    resources();
    strange_answers();
    say_int("pbs_disconnect", pbs_disconnect(c));
    say_int("pbs_disconnect", pbs_disconnect(c));
    pfn_pbs_default = own_default;
    c = strcmp(pbs_default(), "mine");
    say("pfn_pbs_default", "%s %d", c ? "ours" : "mine", own_default_calls);
    pbs_errno = 4711;
    say_int("__pbs_errno_location", *__pbs_errno_location());
    say("__pbs_server_location", "%s", __pbs_server_location());
    return 0;
}
