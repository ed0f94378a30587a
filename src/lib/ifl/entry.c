/* entry.c - the public calls: each goes through a pointer that a program may replace.
 *
 * The pointers are data symbols of their own, one for each call of pbs_ifl.h
 * (wire.md 15.2); schedulers and test programs put functions of theirs there. So a call
 * does nothing but the jump, and what stands behind it is in calls.h. Calls without a
 * pointer stand with what they are about: totpool() in resources.c, holdfast_why() in
 * status.c, holdfast_resv_act() in resv_act.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/calls.h"

int (*pfn_pbs_connect)(const char *) = ifl_connect;
int pbs_connect(const char *server)
{
    return pfn_pbs_connect(server);
}

int (*pfn_pbs_connect_extend)(const char *, const char *) = ifl_connect_extend;
int pbs_connect_extend(const char *server, const char *extend)
{
    return pfn_pbs_connect_extend(server, extend);
}

int (*pfn_pbs_connect_noblk)(const char *) = ifl_connect_noblk;
int pbs_connect_noblk(const char *server)
{
    return pfn_pbs_connect_noblk(server);
}

/* A handle is the descriptor itself (wire.md 15.2), so a child process has it too; only
 * one of the two may use it. */
int (*pfn_pbs_disconnect)(int) = ifl_disconnect;
int pbs_disconnect(int c)
{
    return pfn_pbs_disconnect(c);
}

char *(*pfn_pbs_default)(void) = ifl_default;
char *pbs_default(void)
{
    return pfn_pbs_default();
}

int (*pfn_pbs_query_max_connections)(void) = ifl_query_max_connections;
int pbs_query_max_connections(void)
{
    return pfn_pbs_query_max_connections();
}

int (*pfn_pbs_connection_set_nodelay)(int) = ifl_connection_set_nodelay;
int pbs_connection_set_nodelay(int c)
{
    return pfn_pbs_connection_set_nodelay(c);
}

int (*pfn_pbs_loadconf)(int) = ifl_loadconf;
int pbs_loadconf(int reload)
{
    return pfn_pbs_loadconf(reload);
}

/* The text stays the library's, until the thread's next call on the connection. */
char *(*pfn_pbs_geterrmsg)(int) = ifl_geterrmsg;
char *pbs_geterrmsg(int c)
{
    return pfn_pbs_geterrmsg(c);
}

int (*pfn_pbs_geterrno)(void) = ifl_geterrno;
int pbs_geterrno(void)
{
    return pfn_pbs_geterrno();
}

/* So does this list, until the next call that verifies attributes. */
struct ecl_attribute_errors *(*pfn_pbs_get_attributes_in_error)(int) =
    ifl_get_attributes_in_error;
struct ecl_attribute_errors *pbs_get_attributes_in_error(int c)
{
    return pfn_pbs_get_attributes_in_error(c);
}

char *(*pfn_pbs_submit)(int, struct attropl *, const char *, const char *,
                        const char *) = ifl_submit;
char *pbs_submit(int c, struct attropl *attribs, const char *script,
                 const char *destination, const char *extend)
{
    return pfn_pbs_submit(c, attribs, script, destination, extend);
}

char *(*pfn_pbs_submit_with_cred)(int, struct attropl *, char *, char *, char *, int,
                                  size_t, char *) = ifl_submit_with_cred;
char *pbs_submit_with_cred(int c, struct attropl *attribs, char *script,
                           char *destination, char *extend, int credtype,
                           size_t credlen, char *creddata)
{
    return pfn_pbs_submit_with_cred(c, attribs, script, destination, extend, credtype,
                                    credlen, creddata);
}

int (*pfn_pbs_alterjob)(int, const char *, struct attrl *, const char *) = ifl_alterjob;
int pbs_alterjob(int c, const char *id, struct attrl *attribs, const char *extend)
{
    return pfn_pbs_alterjob(c, id, attribs, extend);
}

int (*pfn_pbs_asyalterjob)(int, const char *, struct attrl *,
                           const char *) = ifl_asyalterjob;
int pbs_asyalterjob(int c, const char *id, struct attrl *attribs, const char *extend)
{
    return pfn_pbs_asyalterjob(c, id, attribs, extend);
}

int (*pfn_pbs_deljob)(int, const char *, const char *) = ifl_deljob;
int pbs_deljob(int c, const char *id, const char *extend)
{
    return pfn_pbs_deljob(c, id, extend);
}

struct batch_deljob_status *(*pfn_pbs_deljoblist)(int, char **, int,
                                                  const char *) = ifl_deljoblist;
struct batch_deljob_status *pbs_deljoblist(int c, char **ids, int n, const char *extend)
{
    return pfn_pbs_deljoblist(c, ids, n, extend);
}

int (*pfn_pbs_holdjob)(int, const char *, const char *, const char *) = ifl_holdjob;
int pbs_holdjob(int c, const char *id, const char *holds, const char *extend)
{
    return pfn_pbs_holdjob(c, id, holds, extend);
}

int (*pfn_pbs_rlsjob)(int, const char *, const char *, const char *) = ifl_rlsjob;
int pbs_rlsjob(int c, const char *id, const char *holds, const char *extend)
{
    return pfn_pbs_rlsjob(c, id, holds, extend);
}

char *(*pfn_pbs_locjob)(int, const char *, const char *) = ifl_locjob;
char *pbs_locjob(int c, const char *id, const char *extend)
{
    return pfn_pbs_locjob(c, id, extend);
}

int (*pfn_pbs_movejob)(int, const char *, const char *, const char *) = ifl_movejob;
int pbs_movejob(int c, const char *id, const char *destination, const char *extend)
{
    return pfn_pbs_movejob(c, id, destination, extend);
}

int (*pfn_pbs_msgjob)(int, const char *, int, const char *, const char *) = ifl_msgjob;
int pbs_msgjob(int c, const char *id, int file, const char *text, const char *extend)
{
    return pfn_pbs_msgjob(c, id, file, text, extend);
}

int (*pfn_pbs_orderjob)(int, const char *, const char *, const char *) = ifl_orderjob;
int pbs_orderjob(int c, const char *id1, const char *id2, const char *extend)
{
    return pfn_pbs_orderjob(c, id1, id2, extend);
}

int (*pfn_pbs_relnodesjob)(int, const char *, const char *,
                           const char *) = ifl_relnodesjob;
int pbs_relnodesjob(int c, const char *id, const char *vnodes, const char *extend)
{
    return pfn_pbs_relnodesjob(c, id, vnodes, extend);
}

int (*pfn_pbs_rerunjob)(int, const char *, const char *) = ifl_rerunjob;
int pbs_rerunjob(int c, const char *id, const char *extend)
{
    return pfn_pbs_rerunjob(c, id, extend);
}

int (*pfn_pbs_runjob)(int, const char *, const char *, const char *) = ifl_runjob;
int pbs_runjob(int c, const char *id, const char *vnodes, const char *extend)
{
    return pfn_pbs_runjob(c, id, vnodes, extend);
}

int (*pfn_pbs_asyrunjob)(int, const char *, const char *, const char *) = ifl_asyrunjob;
int pbs_asyrunjob(int c, const char *id, const char *vnodes, const char *extend)
{
    return pfn_pbs_asyrunjob(c, id, vnodes, extend);
}

int (*pfn_pbs_asyrunjob_ack)(int, const char *, const char *,
                             const char *) = ifl_asyrunjob_ack;
int pbs_asyrunjob_ack(int c, const char *id, const char *vnodes, const char *extend)
{
    return pfn_pbs_asyrunjob_ack(c, id, vnodes, extend);
}

int (*pfn_pbs_stagein)(int, char *, char *, char *) = ifl_stagein;
int pbs_stagein(int c, char *id, char *vnodes, char *extend)
{
    return pfn_pbs_stagein(c, id, vnodes, extend);
}

int (*pfn_pbs_sigjob)(int, const char *, const char *, const char *) = ifl_sigjob;
int pbs_sigjob(int c, const char *id, const char *signal, const char *extend)
{
    return pfn_pbs_sigjob(c, id, signal, extend);
}

char *(*pfn_pbs_submit_resv)(int, struct attropl *, const char *) = ifl_submit_resv;
char *pbs_submit_resv(int c, struct attropl *attribs, const char *extend)
{
    return pfn_pbs_submit_resv(c, attribs, extend);
}

char *(*pfn_pbs_modify_resv)(int, const char *, struct attropl *,
                             const char *) = ifl_modify_resv;
char *pbs_modify_resv(int c, const char *id, struct attropl *attribs,
                      const char *extend)
{
    return pfn_pbs_modify_resv(c, id, attribs, extend);
}

int (*pfn_pbs_delresv)(int, const char *, const char *) = ifl_delresv;
int pbs_delresv(int c, const char *id, const char *extend)
{
    return pfn_pbs_delresv(c, id, extend);
}

int (*pfn_pbs_confirmresv)(int, const char *, const char *, unsigned long,
                           const char *) = ifl_confirmresv;
int pbs_confirmresv(int c, const char *id, const char *vnodes, unsigned long start,
                    const char *extend)
{
    return pfn_pbs_confirmresv(c, id, vnodes, start, extend);
}

/* The array and each id in it are for free() of the caller. */
char **(*pfn_pbs_selectjob)(int, struct attropl *, const char *) = ifl_selectjob;
char **pbs_selectjob(int c, struct attropl *criteria, const char *extend)
{
    return pfn_pbs_selectjob(c, criteria, extend);
}

struct batch_status *(*pfn_pbs_selstat)(int, struct attropl *, struct attrl *,
                                        const char *) = ifl_selstat;
struct batch_status *pbs_selstat(int c, struct attropl *criteria, struct attrl *wanted,
                                 const char *extend)
{
    return pfn_pbs_selstat(c, criteria, wanted, extend);
}

struct batch_status *(*pfn_pbs_statjob)(int, const char *, struct attrl *,
                                        const char *) = ifl_statjob;
struct batch_status *pbs_statjob(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    return pfn_pbs_statjob(c, id, wanted, extend);
}

struct batch_status *(*pfn_pbs_statque)(int, const char *, struct attrl *,
                                        const char *) = ifl_statque;
struct batch_status *pbs_statque(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    return pfn_pbs_statque(c, id, wanted, extend);
}

struct batch_status *(*pfn_pbs_statserver)(int, struct attrl *,
                                           const char *) = ifl_statserver;
struct batch_status *pbs_statserver(int c, struct attrl *wanted, const char *extend)
{
    return pfn_pbs_statserver(c, wanted, extend);
}

struct batch_status *(*pfn_pbs_statsched)(int, struct attrl *,
                                          const char *) = ifl_statsched;
struct batch_status *pbs_statsched(int c, struct attrl *wanted, const char *extend)
{
    return pfn_pbs_statsched(c, wanted, extend);
}

struct batch_status *(*pfn_pbs_statvnode)(int, const char *, struct attrl *,
                                          const char *) = ifl_statvnode;
struct batch_status *pbs_statvnode(int c, const char *id, struct attrl *wanted,
                                   const char *extend)
{
    return pfn_pbs_statvnode(c, id, wanted, extend);
}

struct batch_status *(*pfn_pbs_stathost)(int, const char *, struct attrl *,
                                         const char *) = ifl_stathost;
struct batch_status *pbs_stathost(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    return pfn_pbs_stathost(c, id, wanted, extend);
}

struct batch_status *(*pfn_pbs_statnode)(int, const char *, struct attrl *,
                                         const char *) = ifl_statnode;
struct batch_status *pbs_statnode(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    return pfn_pbs_statnode(c, id, wanted, extend);
}

struct batch_status *(*pfn_pbs_statresv)(int, const char *, struct attrl *,
                                         const char *) = ifl_statresv;
struct batch_status *pbs_statresv(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    return pfn_pbs_statresv(c, id, wanted, extend);
}

struct batch_status *(*pfn_pbs_statrsc)(int, const char *, struct attrl *,
                                        const char *) = ifl_statrsc;
struct batch_status *pbs_statrsc(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    return pfn_pbs_statrsc(c, id, wanted, extend);
}

struct batch_status *(*pfn_pbs_stathook)(int, const char *, struct attrl *,
                                         const char *) = ifl_stathook;
struct batch_status *pbs_stathook(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    return pfn_pbs_stathook(c, id, wanted, extend);
}

void (*pfn_pbs_statfree)(struct batch_status *) = ifl_statfree;
void pbs_statfree(struct batch_status *list)
{
    pfn_pbs_statfree(list);
}

void (*pfn_pbs_delstatfree)(struct batch_deljob_status *) = ifl_delstatfree;
void pbs_delstatfree(struct batch_deljob_status *list)
{
    pfn_pbs_delstatfree(list);
}

int (*pfn_pbs_manager)(int, int, int, const char *, struct attropl *,
                       const char *) = ifl_manager;
int pbs_manager(int c, int command, int object, const char *name,
                struct attropl *attribs, const char *extend)
{
    return pfn_pbs_manager(c, command, object, name, attribs, extend);
}

int (*pfn_pbs_terminate)(int, int, const char *) = ifl_terminate;
int pbs_terminate(int c, int manner, const char *extend)
{
    return pfn_pbs_terminate(c, manner, extend);
}

int (*pfn_pbs_register_sched)(const char *, int, int) = ifl_register_sched;
int pbs_register_sched(const char *name, int c1, int c2)
{
    return pfn_pbs_register_sched(name, c1, c2);
}

int (*pfn_pbs_defschreply)(int, int, char *, int, char *, char *) = ifl_defschreply;
int pbs_defschreply(int c, int command, char *id, int error, char *text, char *extend)
{
    return pfn_pbs_defschreply(c, command, id, error, text, extend);
}

preempt_job_info *(*pfn_pbs_preempt_jobs)(int, char **) = ifl_preempt_jobs;
preempt_job_info *pbs_preempt_jobs(int c, char **ids)
{
    return pfn_pbs_preempt_jobs(c, ids);
}

int (*pfn_pbs_py_spawn)(int, char *, char **, char **) = ifl_py_spawn;
int pbs_py_spawn(int c, char *id, char **argv, char **envp)
{
    return pfn_pbs_py_spawn(c, id, argv, envp);
}

int (*pfn_pbs_rescquery)(int, char **, int, int *, int *, int *, int *) = ifl_rescquery;
int pbs_rescquery(int c, char **list, int n, int *available, int *allocated,
                  int *reserved, int *down)
{
    return pfn_pbs_rescquery(c, list, n, available, allocated, reserved, down);
}

int (*pfn_pbs_rescreserve)(int, char **, int, pbs_resource_t *) = ifl_rescreserve;
int pbs_rescreserve(int c, char **list, int n, pbs_resource_t *handle)
{
    return pfn_pbs_rescreserve(c, list, n, handle);
}

int (*pfn_pbs_rescrelease)(int, pbs_resource_t) = ifl_rescrelease;
int pbs_rescrelease(int c, pbs_resource_t handle)
{
    return pfn_pbs_rescrelease(c, handle);
}
