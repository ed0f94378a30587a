/* Unit tests of what libpbs refuses to send (cli.md 2). No server is needed: what is
 * refused is refused before a connection is looked for, what is not ends with the code
 * of a missing connection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/pbs_ifl.h"

#include "../unit.h"
#include "lib/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(s) ((char *)(uintptr_t)(s))
#define SENT    PBSE_SYSTEM

enum how {
    SUBMIT,
    ALTER,
    SELECT,
    SUBMIT_RESV,
    MODIFY_RESV,
    SERVER,
    QUEUE,
    NODE
};

static int try(enum how how, const char *name, const char *resource, const char *value)
{
    struct attropl a = { NULL, TEXT(name), TEXT(resource), TEXT(value),
                         how == SELECT ? EQ : SET };
    const int object = how == SERVER  ? MGR_OBJ_SERVER
                       : how == QUEUE ? MGR_OBJ_QUEUE
                                      : MGR_OBJ_NODE;

    switch (how) {
    case SUBMIT:
        free(pbs_submit(-1, &a, NULL, NULL, NULL));
        break;
    case ALTER:
        pbs_alterjob(-1, "1.x", (struct attrl *)(void *)&a, NULL);
        break;
    case SELECT:
        free(pbs_selectjob(-1, &a, NULL));
        break;
    case SUBMIT_RESV:
        free(pbs_submit_resv(-1, &a, NULL));
        break;
    case MODIFY_RESV:
        free(pbs_modify_resv(-1, "R1.x", &a, NULL));
        break;
    default:
        pbs_manager(-1, MGR_CMD_SET, object, "x", &a, NULL);
    }
    return pbs_errno;
}

static const struct {
    enum how how;
    const char *name, *resource, *value;
    int code;
} cases[] = {
    { SUBMIT, "Job_Name", NULL, "a-b_c+d.9", SENT },
    { SUBMIT, "Job_Name", NULL, "9lives", SENT },
    { SUBMIT, "Job_Name", NULL, "a b", PBSE_BADATVAL },
    { ALTER, "job_name", NULL, "", PBSE_BADATVAL },
    { SELECT, "Job_Name", NULL, "", SENT },
    { SUBMIT_RESV, "Reserve_Name", NULL, "a/b", PBSE_BADATVAL },
    { SUBMIT, "Checkpoint", NULL, "c=10", SENT },
    { SUBMIT, "Checkpoint", NULL, "c=", PBSE_BADATVAL },
    { SUBMIT, "Checkpoint", NULL, "x", PBSE_BADATVAL },
    { SUBMIT, "Hold_Types", NULL, "uos", SENT },
    { SUBMIT, "Hold_Types", NULL, "un", PBSE_BADATVAL },
    { SUBMIT, "Hold_Types", NULL, "pu", PBSE_BADATVAL },
    { SUBMIT, "Join_Path", NULL, "oe", SENT },
    { SUBMIT, "Join_Path", NULL, "oo", PBSE_BADATVAL },
    { SUBMIT, "Keep_Files", NULL, "oed", SENT },
    { SUBMIT, "Keep_Files", NULL, "d", PBSE_BADATVAL },
    { SUBMIT, "Keep_Files", NULL, "dn", SENT },
    { SUBMIT, "Keep_Files", NULL, "on", PBSE_BADATVAL },
    { SUBMIT, "Mail_Points", NULL, "abej", SENT },
    { SUBMIT, "Mail_Points", NULL, "j", PBSE_BADATVAL },
    { SUBMIT, "Mail_Points", NULL, "c", PBSE_BADATVAL },
    { SUBMIT_RESV, "Mail_Points", NULL, "c", SENT },
    { SUBMIT_RESV, "Mail_Points", NULL, "j", PBSE_BADATVAL },
    { SUBMIT, "Mail_Users", NULL, "a,b@h", SENT },
    { SUBMIT, "Mail_Users", NULL, "a,,b", PBSE_BADATVAL },
    { SUBMIT, "Mail_Users", NULL, "a@", PBSE_BADATVAL },
    { SUBMIT, "User_List", NULL, "a,b@h,c@i", SENT },
    { SUBMIT, "User_List", NULL, "a@h,c@H", PBSE_BADATVAL },
    { SUBMIT, "User_List", NULL, "a,b", PBSE_BADATVAL },
    { SELECT, "User_List", NULL, "a,b", SENT },
    { SUBMIT, "group_list", NULL, "a@h,b@h", PBSE_BADATVAL },
    { SUBMIT, "Shell_Path_List", NULL, "/bin/sh,/bin/csh@h", SENT },
    { SUBMIT, "Shell_Path_List", NULL, "bin/sh", PBSE_BADATVAL },
    { SUBMIT, "Priority", NULL, "-1024", SENT },
    { SUBMIT, "Priority", NULL, "1024", PBSE_BADATVAL },
    { SUBMIT, "Priority", NULL, "high", PBSE_BADATVAL },
    { SELECT, "Priority", NULL, "5000", SENT },
    { SELECT, "Priority", NULL, "abc", PBSE_BADATVAL },
    { SELECT, "Checkpoint", NULL, "c=5", SENT },
    { SELECT, "Checkpoint", NULL, "u", SENT },
    { SELECT, "Checkpoint", NULL, "zz", PBSE_BADATVAL },
    { SUBMIT, "Remove_Files", NULL, "oe", SENT },
    { SUBMIT, "Remove_Files", NULL, "x", PBSE_BADATVAL },
    { SUBMIT, "Rerunable", NULL, "y", SENT },
    { SUBMIT, "Rerunable", NULL, "yes", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "0-9:3", SENT },
    { SUBMIT, "array_indices_submitted", NULL, "5", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "1-1", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "5-3", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "1-2:", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "1-2:0", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "1-2,4", PBSE_BADATVAL },
    { SUBMIT, "array_indices_submitted", NULL, "1-9223372036854775807",
      PBSE_ATVALERANGE },
    { SUBMIT, "depend", NULL, "on:2,afterok:5.x:6.x@h", SENT },
    { SUBMIT, "depend", NULL, "afterok:5[]:6.x@h:15001", SENT },
    { SUBMIT, "depend", NULL, "afterok:123456789012.x,before:7@h", SENT },
    { SUBMIT, "depend", NULL, "afterok:", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:x", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5x", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5 ", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5.", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5@", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5.x@:", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5[a]", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5[", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:1234567890123", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "later:5", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "on:x", PBSE_BADATVAL },
    { SUBMIT, "depend", NULL, "afterok:5,", PBSE_BADATVAL },
    { SUBMIT, "stagein", NULL, "a b@h:/c\\,d,e@h:f", SENT },
    { SUBMIT, "stagein", NULL, "a@h", PBSE_BADATVAL },
    { SUBMIT, "stageout", NULL, "@h:b", PBSE_BADATVAL },
    { SUBMIT, "stageout", NULL, "a@:b", PBSE_BADATVAL },
    { SUBMIT, "sandbox", NULL, "private", SENT },
    { SUBMIT, "sandbox", NULL, "public", PBSE_BADATVAL },
    { SUBMIT, "umask", NULL, "999", SENT },
    { SUBMIT, "umask", NULL, "-1", PBSE_BADATVAL },
    { SUBMIT, "run_count", NULL, "-1", PBSE_BADATVAL },
    { SUBMIT, "Execution_Time", NULL, "1000000000", SENT },
    { SUBMIT, "Execution_Time", NULL, "noon", PBSE_BADATVAL },
    { SUBMIT, "Account_Name", NULL, "any thing", SENT },
    { SUBMIT, "project", NULL, "a/b", SENT }, /* the server's to judge */
    { SUBMIT, "Variable_List", NULL, "A=b", SENT },
    { SELECT, "job_state", NULL, "QR", SENT },
    { SELECT, "job_state", NULL, "QZ", PBSE_BADATVAL },
    { SELECT, "destination", NULL, "workq", SENT },
    { SUBMIT, "destination", NULL, "workq", PBSE_NOATTR },
    { SUBMIT_RESV, "Authorized_Users", NULL, "+a,-b@h", SENT },
    { MODIFY_RESV, "Authorized_Users", NULL, "", PBSE_BADATVAL },
    { MODIFY_RESV, "Authorized_Groups", NULL, "", SENT },
    { SUBMIT_RESV, "reserve_duration", NULL, "1:00:00", SENT },
    { SUBMIT_RESV, "reserve_start", NULL, "soon", PBSE_BADATVAL },
    { SUBMIT, "Resource_List", "walltime", "1:00", SENT },
    { SUBMIT, "Resource_List", "walltime", "abc", PBSE_BADATVAL },
    { SUBMIT, "Resource_List", "mem", "5x", PBSE_BADATVAL },
    { SUBMIT, "Resource_List", "walltime", "", SENT },
    { SUBMIT, "Resource_List", "of_the_site", "abc", SENT },
    { SUBMIT, "Resource_List", "select", "1:", SENT },
    { SUBMIT, "Resource_List", "select", "1:ncpus", SENT },
    { SUBMIT, "Resource_List", "select", "1:ncpus=", SENT },
    { SUBMIT, "Resource_List", "select", "+:=::+1", SENT },
    { SUBMIT, "Resource_List", "select", "2:ncpus=4:mem='8gb'+mem=1", SENT },
    { SUBMIT, "Resource_List", "select", "1:host=\"ncpus=x:ncpus=x+\"", SENT },
    { SUBMIT, "Resource_List", "select", "1:of_the_site=abc", SENT },
    { SUBMIT, "Resource_List", "select", "1:ncpus=x", PBSE_BADATVAL },
    { SUBMIT, "Resource_List", "select", "1:ncpus=-1", PBSE_BADATVAL },
    { SUBMIT, "Resource_List", "select", "ncpus=1+1:host=h:ncpus=1.5", PBSE_BADATVAL },
    { SUBMIT_RESV, "Resource_List", "select", "1:ncpus=1:mem=5x", PBSE_BADATVAL },
    { SELECT, "Resource_List", "select", "1:ncpus=x", SENT },
    { SELECT, "Resource_List", "ncpus", "many", PBSE_BADATVAL },
    { SUBMIT, "no_such", NULL, "1", PBSE_NOATTR },
    { SERVER, "scheduling", NULL, "maybe", PBSE_BADATVAL },
    { SERVER, "max_array_size", NULL, "abc", PBSE_BADATVAL },
    { SERVER, "total_jobs", NULL, "abc", SENT }, /* nobody may set it */
    { SERVER, "max_run", NULL, "5", SENT },
    { SERVER, "managers", NULL, "bob", SENT },
    { SERVER, "scheduling", NULL, "", SENT }, /* unset */
    { QUEUE, "queue_type", NULL, "bogus", PBSE_BADATVAL },
    { QUEUE, "queue_type", NULL, "e", SENT },
    { QUEUE, "resources_max", "mem", "x", PBSE_BADATVAL },
    { NODE, "state", NULL, "nowhere", SENT },
    { NODE, "resources_available", "ncpus", "@other", SENT },
    { NODE, "foo", NULL, "1", PBSE_NOATTR },
};

static void test_each_value_is_judged(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int code = try(cases[i].how, cases[i].name, cases[i].resource, cases[i].value);

        if (code != cases[i].code)
            printf("\n%s %s=%s: %d", cases[i].name,
                   cases[i].resource ? cases[i].resource : "", cases[i].value, code);
        CU_ASSERT_EQUAL(code, cases[i].code);
    }
}

static void test_a_long_name_has_a_code_of_its_own(void)
{
    char name[232];

    memset(name, 'n', 231);
    name[231] = '\0';
    CU_ASSERT_EQUAL(try(SUBMIT, "Job_Name", NULL, name), PBSE_JOBNBIG);
    name[230] = '\0';
    CU_ASSERT_EQUAL(try(SUBMIT, "Job_Name", NULL, name), SENT);
}

static void test_the_text_names_a_resource(void)
{
    const struct ecl_attribute_errors *bad;

    try(SUBMIT, "Resource_List", "walltime", "abc");
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(-1), "Illegal attribute or resource value "
                                              "Resource_List.walltime");
    bad = pbs_get_attributes_in_error(-1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bad);
    CU_ASSERT_EQUAL(bad->ecl_attrerr[0].ecl_errcode, PBSE_BADATVAL);
    CU_ASSERT_STRING_EQUAL(bad->ecl_attrerr[0].ecl_errmsg, pbs_geterrmsg(-1));
    try(SUBMIT, "Resource_List", "select", "2:ncpus=1+1:ncpus=1:mem=5x");
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(-1),
                           "Illegal attribute or resource value select.mem");
    try(SERVER, "scheduling", NULL, "maybe");
    CU_ASSERT_STRING_EQUAL(pbs_geterrmsg(-1), "Illegal attribute or resource value");
}

static int create(int object, const char *name)
{
    return pbs_manager(-1, MGR_CMD_CREATE, object, name, NULL, NULL);
}

static void test_names_of_new_queues_are_judged(void)
{
    CU_ASSERT_EQUAL(create(MGR_OBJ_QUEUE, "q-1_a"), SENT);
    CU_ASSERT_EQUAL(create(MGR_OBJ_QUEUE, "exactly15chars_"), SENT);
    CU_ASSERT_EQUAL(create(MGR_OBJ_QUEUE, "sixteen_letters_"), PBSE_QUENBIG);
    CU_ASSERT_PTR_NULL(pbs_geterrmsg(-1)); /* qmgr prints the number alone */
    CU_ASSERT_EQUAL(create(MGR_OBJ_QUEUE, "_q"), PBSE_IVAL_OBJ_NAME);
    CU_ASSERT_EQUAL(create(MGR_OBJ_QUEUE, "a.b"), PBSE_IVAL_OBJ_NAME);
    CU_ASSERT_EQUAL(create(MGR_OBJ_NODE, "a.b"), SENT);
    CU_ASSERT_EQUAL(pbs_manager(-1, MGR_CMD_DELETE, MGR_OBJ_QUEUE, "a.b", NULL, NULL),
                    SENT);
}

/* The last case: it stays switched off. */
static void test_nothing_is_judged_after_it_was_switched_off(void)
{
    set_no_attribute_verification();
    CU_ASSERT_EQUAL(try(SUBMIT, "no_such", NULL, "1"), SENT);
    CU_ASSERT_EQUAL(create(MGR_OBJ_QUEUE, "a.b"), SENT);
    CU_ASSERT_PTR_NULL(pbs_get_attributes_in_error(-1));
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "each value is judged", test_each_value_is_judged },
        { "a long name has a code of its own", test_a_long_name_has_a_code_of_its_own },
        { "the text names a resource", test_the_text_names_a_resource },
        { "names of new queues are judged", test_names_of_new_queues_are_judged },
        { "nothing is judged after it was switched off",
          test_nothing_is_judged_after_it_was_switched_off },
    };

    return unit_main("ifl verification", tests, ARRAY_LEN(tests));
}
