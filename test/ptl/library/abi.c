/* Layouts, constants and types that compiled programs carry with them (wire.md 15.1).
 * To compile is to pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pbs_error.h>
#include <pbs_ifl.h>
#include <stddef.h>
#include <string.h>

#define SAME_TYPE(a, b) _Static_assert(__builtin_types_compatible_p(a, b), #a " is " #b)

#define CALL(name, type, args)                                                         \
    SAME_TYPE(__typeof__(name), type args);                                            \
    SAME_TYPE(__typeof__(*pfn_##name), type args);
#define PLAIN(name, type, args) SAME_TYPE(__typeof__(name), type args);
#include "calls.def"

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define AT(type, member, offset, member_type)                                          \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member);             \
    SAME_TYPE(__typeof__(((type *)0)->member), member_type)

SIZE(struct attrl, 40);
AT(struct attrl, next, 0, struct attrl *);
AT(struct attrl, name, 8, char *);
AT(struct attrl, resource, 16, char *);
AT(struct attrl, value, 24, char *);
AT(struct attrl, op, 32, enum batch_op);
SIZE(struct attropl, 40);
AT(struct attropl, next, 0, struct attropl *);
AT(struct attropl, name, 8, char *);
AT(struct attropl, resource, 16, char *);
AT(struct attropl, value, 24, char *);
AT(struct attropl, op, 32, enum batch_op);
SIZE(struct batch_status, 32);
AT(struct batch_status, next, 0, struct batch_status *);
AT(struct batch_status, name, 8, char *);
AT(struct batch_status, attribs, 16, struct attrl *);
AT(struct batch_status, text, 24, char *);
SIZE(struct batch_deljob_status, 24);
AT(struct batch_deljob_status, next, 0, struct batch_deljob_status *);
AT(struct batch_deljob_status, name, 8, char *);
AT(struct batch_deljob_status, code, 16, int);
SIZE(struct ecl_attrerr, 24);
AT(struct ecl_attrerr, ecl_attribute, 0, struct attropl *);
AT(struct ecl_attrerr, ecl_errcode, 8, int);
AT(struct ecl_attrerr, ecl_errmsg, 16, char *);
SIZE(struct ecl_attribute_errors, 16);
AT(struct ecl_attribute_errors, ecl_numerrors, 0, int);
AT(struct ecl_attribute_errors, ecl_attrerr, 8, struct ecl_attrerr *);
SIZE(preempt_job_info, 282);
AT(preempt_job_info, job_id, 0, char[276]);
AT(preempt_job_info, order, 276, char[6]);
SIZE(pbs_resource_t, 4);

#define IS(name, value) _Static_assert((name) == (value), #name)
IS(RESOURCE_T_NULL, 0);
IS(RESOURCE_T_ALL, -1);
IS(MGR_CMD_NONE, -1);
IS(MGR_CMD_CREATE, 0);
IS(MGR_CMD_DELETE, 1);
IS(MGR_CMD_SET, 2);
IS(MGR_CMD_UNSET, 3);
IS(MGR_CMD_LIST, 4);
IS(MGR_CMD_PRINT, 5);
IS(MGR_CMD_ACTIVE, 6);
IS(MGR_CMD_IMPORT, 7);
IS(MGR_CMD_EXPORT, 8);
IS(MGR_OBJ_NONE, -1);
IS(MGR_OBJ_SERVER, 0);
IS(MGR_OBJ_QUEUE, 1);
IS(MGR_OBJ_JOB, 2);
IS(MGR_OBJ_NODE, 3);
IS(MGR_OBJ_RESV, 4);
IS(MGR_OBJ_RSC, 5);
IS(MGR_OBJ_SCHED, 6);
IS(MGR_OBJ_HOST, 7);
IS(MGR_OBJ_SITE_HOOK, 8);
IS(MGR_OBJ_PBS_HOOK, 9);
IS(MGR_OBJ_JOBARRAY_PARENT, 10);
IS(MGR_OBJ_SUBJOB, 11);
IS(SET, 0);
IS(UNSET, 1);
IS(INCR, 2);
IS(DECR, 3);
IS(EQ, 4);
IS(NE, 5);
IS(GE, 6);
IS(GT, 7);
IS(LE, 8);
IS(LT, 9);
IS(DFLT, 10);
IS(INTERNAL, 11);
IS(PREEMPT_METHOD_LOW, 0);
IS(PREEMPT_METHOD_SUSPEND, 1);
IS(PREEMPT_METHOD_CHECKPOINT, 2);
IS(PREEMPT_METHOD_REQUEUE, 3);
IS(PREEMPT_METHOD_DELETE, 4);
IS(PREEMPT_METHOD_HIGH, 5);
IS(RESV_NONE, 0);
IS(RESV_UNCONFIRMED, 1);
IS(RESV_CONFIRMED, 2);
IS(RESV_WAIT, 3);
IS(RESV_TIME_TO_RUN, 4);
IS(RESV_RUNNING, 5);
IS(RESV_FINISHED, 6);
IS(RESV_BEING_DELETED, 7);
IS(RESV_DELETED, 8);
IS(RESV_DELETING_JOBS, 9);
IS(RESV_DEGRADED, 10);
IS(RESV_BEING_ALTERED, 11);
IS(RESV_IN_CONFLICT, 12);
IS(TYPE_ATTR_READONLY, 1);
IS(TYPE_ATTR_PUBLIC, 2);
IS(TYPE_ATTR_INVISIBLE, 4);
IS(MSG_OUT, 1);
IS(MSG_ERR, 2);
IS(SHUT_IMMEDIATE, 0);
IS(SHUT_DELAY, 1);
IS(SHUT_QUICK, 2);
IS(PBS_INTERACTIVE, 1);
IS(PBS_TERM_BUF_SZ, 80);
IS(PBS_TERM_CCA, 6);
IS(PBS_MAXUSER, 256);
IS(PBS_MAXGRPN, 256);
IS(PBS_MAXHOSTNAME, 255);
IS(PBS_MAXSERVERNAME, 255);
IS(PBS_MAXQUEUENAME, 15);
IS(PBS_MAXSVRJOBID, 275);
IS(PBS_MAXCLTJOBID, 537);
IS(PBS_MAXDEST, 256);
IS(PBS_MAXROUTEDEST, 277);
IS(PBS_MAXSEQNUM, 12);
IS(PBS_MAXJOBNAME, 230);

#define NAME(macro, text)
#define CODE(macro, number) IS(macro, number);
#include "names.def"
#undef NAME
#undef CODE

/* Words: their addresses are nothing, their characters are what travels. */
int words_differ(void);
int words_differ(void)
{
    static const char *const words[][2] = {
        { USER_HOLD, "u" },
        { OTHER_HOLD, "o" },
        { SYSTEM_HOLD, "s" },
        { NO_HOLD, "n" },
        { NO_JOIN, "n" },
        { BAD_PASSWORD_HOLD, "p" },
        { NO_KEEP, "n" },
        { MAIL_AT_ABORT, "a" },
        { CHECKPOINT_UNSPECIFIED, "u" },
        { FORCE, "force" },
        { NOMAIL, "nomail" },
        { DELETEHISTORY, "deletehist" },
        { SITE_HOOK, "hook" },
        { PBS_HOOK, "pbshook" },
        { SUPPRESS_EMAIL, "suppress_email" },
#define NAME(macro, text) { macro, text },
#define CODE(macro, number)
#include "names.def"
    };
    int n = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        n += strcmp(words[i][0], words[i][1]) != 0;
    return n;
}
