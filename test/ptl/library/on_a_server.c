/* Calls on a real server, each line "NAME RESULT"; test_library.py knows what they must
 * be.
 *
 * usage: on_a_server SCRIPT-FILE VNODE-SPECIFICATION
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pbs_error.h>
#include <pbs_ifl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT(s) ((char *)(size_t)(s))

static int c;

static void say(const char *name, int n)
{
    printf("%s %d\n", name, n);
}

static const char *value_of(const struct batch_status *st, const char *name)
{
    for (const struct attrl *a = st ? st->attribs : NULL; a; a = a->next)
        if (strcmp(a->name, name) == 0 && !a->resource)
            return a->value;
    return "-";
}

/* How many there are, and a value of the first. */
static void say_list(const char *name, struct batch_status *list, const char *attr)
{
    int n = 0;

    for (struct batch_status *st = list; st; st = st->next)
        n++;
    printf("%s %d %s %d\n", name, n, value_of(list, attr), pbs_errno);
    pbs_statfree(list);
}

static int set_server(const char *attr, const char *value)
{
    struct attropl a = { NULL, TEXT(attr), NULL, TEXT(value), SET };

    return pbs_manager(c, MGR_CMD_SET, MGR_OBJ_SERVER, "", &a, NULL);
}

static char *submit(const char *script, const char *name)
{
    struct attropl ncpus = { NULL, TEXT("Resource_List"), TEXT("ncpus"), TEXT("1"),
                             SET };
    struct attropl a = { &ncpus, TEXT("Job_Name"), NULL, TEXT(name), SET };
    char *id = pbs_submit(c, &a, script, NULL, NULL);

    say("pbs_submit", pbs_errno);
    return id ? id : TEXT("-");
}

static void say_state(const char *name, const char *id)
{
    struct attrl wanted = { NULL, TEXT("job_state"), NULL, TEXT(""), SET };

    say_list(name, pbs_statjob(c, id, &wanted, NULL), "job_state");
}

static void queued_job(const char *id, const char *vnodes)
{
    struct attrl priority = { NULL, TEXT("Priority"), NULL, TEXT("7"), SET };
    struct attropl name = { NULL, TEXT("Job_Name"), NULL, TEXT("first"), EQ };
    char **ids, *where;

    say("pbs_holdjob", pbs_holdjob(c, id, NULL, NULL));
    say_state("pbs_statjob", id);
    say("pbs_rlsjob", pbs_rlsjob(c, id, NULL, NULL));
    say_state("pbs_statjob", id);
    say("pbs_alterjob", pbs_alterjob(c, id, &priority, NULL));
    priority.value = TEXT("9");
    say("pbs_asyalterjob", pbs_asyalterjob(c, id, &priority, NULL));
    say_list("pbs_statjob", pbs_statjob(c, id, NULL, NULL), "Priority");
    ids = pbs_selectjob(c, &name, NULL);
    printf("pbs_selectjob %d %d\n", strcmp(ids[0], id), ids[1] == NULL);
    free(ids[0]);
    free(ids);
    say_list("pbs_selstat", pbs_selstat(c, &name, NULL, NULL), "Job_Name");
    where = pbs_locjob(c, id, NULL);
    printf("pbs_locjob %d\n", where && strstr(id, where) != NULL);
    free(where);
    say("pbs_rerunjob", pbs_rerunjob(c, id, NULL));
    say("pbs_runjob", pbs_runjob(c, id, vnodes, NULL));
    say_state("pbs_statjob", id);
    say("pbs_sigjob", pbs_sigjob(c, "9999.none", "SIGUSR1", NULL));
    say("pbs_asyrunjob", pbs_asyrunjob(c, "9999.none", vnodes, NULL));
    say("pbs_asyrunjob_ack", pbs_asyrunjob_ack(c, "9999.none", vnodes, NULL));
}

static void deletions(const char *id, const char *other)
{
    char *ids[] = { TEXT("9999.none"), TEXT(other), TEXT(other) };
    struct batch_deljob_status *list = pbs_deljoblist(c, ids, 3, NULL);

    printf("pbs_deljoblist %s %d %d\n", list ? list->name : "-", list ? list->code : 0,
           list && list->next);
    pbs_delstatfree(list);
    say("pbs_deljob", pbs_deljob(c, id, FORCE));
    say("pbs_deljob", pbs_deljob(c, "9999.none", NULL));
}

static void reservations(void)
{
    char from[32], to[32];
    struct attropl end = { NULL, TEXT("reserve_end"), NULL, to, SET };
    struct attropl start = { &end, TEXT("reserve_start"), NULL, from, SET };
    struct attropl name = { NULL, TEXT("Reserve_Name"), NULL, TEXT("other"), SET };
    char *text, *id;

    snprintf(from, sizeof(from), "%ld", (long)time(NULL) + 7200);
    snprintf(to, sizeof(to), "%ld", (long)time(NULL) + 10800);
    text = pbs_submit_resv(c, &start, NULL);
    printf("pbs_submit_resv %.1s %s %d\n", text, strchr(text, ' ') + 1, pbs_errno);
    id = strtok(text, " ");
    say_list("pbs_statresv", pbs_statresv(c, id, NULL, NULL), "reserve_state");
    pbs_modify_resv(c, "R9999.none", &name, NULL);
    say("pbs_modify_resv", pbs_errno);
    say("pbs_confirmresv",
        pbs_confirmresv(c, "R9999.none", "(x:ncpus=1)", 0, "PBS_RESV_CONFIRM_SUCCESS"));
    say("pbs_delresv", pbs_delresv(c, id, NULL));
    say("pbs_delresv", pbs_delresv(c, id, NULL));
    free(text);
}

static void status(void)
{
    say_list("pbs_statserver", pbs_statserver(c, NULL, NULL), "scheduling");
    say_list("pbs_statsched", pbs_statsched(c, NULL, NULL), "partition");
    say_list("pbs_statque", pbs_statque(c, "", NULL, NULL), "queue_type");
    say_list("pbs_statque", pbs_statque(c, "nosuch", NULL, NULL), "queue_type");
    say_list("pbs_statvnode", pbs_statvnode(c, "vn[0]", NULL, NULL), "state");
    say_list("pbs_statvnode", pbs_statvnode(c, "", NULL, NULL), "state");
    say_list("pbs_stathost", pbs_stathost(c, "", NULL, NULL), "state");
    say_list("pbs_statnode", pbs_statnode(c, "nosuch", NULL, NULL), "state");
    say_list("pbs_statrsc", pbs_statrsc(c, "ncpus", NULL, NULL), "type");
}

static void administration(void)
{
    struct attropl type = { NULL, TEXT("queue_type"), NULL, TEXT("execution"), SET };

    say("pbs_manager",
        pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "q2", &type, NULL));
    say("pbs_manager",
        pbs_manager(c, MGR_CMD_CREATE, MGR_OBJ_QUEUE, "q2", &type, NULL));
    printf("pbs_geterrmsg %s\n", pbs_geterrmsg(c));
    say("pbs_manager", pbs_manager(c, MGR_CMD_DELETE, MGR_OBJ_QUEUE, "q2", NULL, NULL));
}

static void not_for_us(void)
{
    say("pbs_register_sched",
        pbs_register_sched("nosuch", pbs_connect(NULL), pbs_connect(NULL)));
    say("pbs_defschreply",
        pbs_defschreply(c, 11, TEXT("9999.none"), 0, NULL, NULL) != 0);
}

int main(int argc, char **argv)
{
    char *id, *other;

    if (argc != 3 || (c = pbs_connect_extend(NULL, NULL)) < 0)
        return 2;
    say("pbs_manager", set_server("scheduling", "False"));
    id = submit(argv[1], "first");
    other = submit(argv[1], "second");
    queued_job(id, argv[2]);
    deletions(id, other);
    reservations();
    status();
    administration();
    not_for_us();
    say("pbs_terminate", pbs_terminate(c, SHUT_QUICK, NULL));
    say("pbs_disconnect", pbs_disconnect(c));
    free(id);
    free(other);
    return 0;
}
