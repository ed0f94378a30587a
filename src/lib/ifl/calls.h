/* calls.h - what stands behind the public calls of pbs_ifl.h, under other names: a
 * program may have put its own function in a call's place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IFL_CALLS_H
#define LIB_IFL_CALLS_H

#include "include/pbs_ifl.h"

/* Each is what the call of pbs_ifl.h with its name (pbs_ for ifl_) says. */
int ifl_connect(const char *server);
int ifl_connect_extend(const char *server, const char *extend);
int ifl_connect_noblk(const char *server);
int ifl_disconnect(int c);
char *ifl_default(void);
int ifl_query_max_connections(void);
int ifl_connection_set_nodelay(int c);
int ifl_loadconf(int reload);
char *ifl_geterrmsg(int c);
int ifl_geterrno(void);
struct ecl_attribute_errors *ifl_get_attributes_in_error(int c);
char *ifl_submit(int c, struct attropl *attribs, const char *script,
                 const char *destination, const char *extend);
char *ifl_submit_with_cred(int c, struct attropl *attribs, char *script,
                           char *destination, char *extend, int credtype,
                           size_t credlen, char *creddata);
int ifl_alterjob(int c, const char *id, struct attrl *attribs, const char *extend);
int ifl_asyalterjob(int c, const char *id, struct attrl *attribs, const char *extend);
int ifl_deljob(int c, const char *id, const char *extend);
struct batch_deljob_status *ifl_deljoblist(int c, char **ids, int n,
                                           const char *extend);
int ifl_holdjob(int c, const char *id, const char *holds, const char *extend);
int ifl_rlsjob(int c, const char *id, const char *holds, const char *extend);
char *ifl_locjob(int c, const char *id, const char *extend);
int ifl_movejob(int c, const char *id, const char *destination, const char *extend);
int ifl_msgjob(int c, const char *id, int file, const char *text, const char *extend);
int ifl_orderjob(int c, const char *id1, const char *id2, const char *extend);
int ifl_relnodesjob(int c, const char *id, const char *vnodes, const char *extend);
int ifl_rerunjob(int c, const char *id, const char *extend);
int ifl_runjob(int c, const char *id, const char *vnodes, const char *extend);
int ifl_asyrunjob(int c, const char *id, const char *vnodes, const char *extend);
int ifl_asyrunjob_ack(int c, const char *id, const char *vnodes, const char *extend);
int ifl_stagein(int c, char *id, char *vnodes, char *extend);
int ifl_sigjob(int c, const char *id, const char *signal, const char *extend);
char *ifl_submit_resv(int c, struct attropl *attribs, const char *extend);
char *ifl_modify_resv(int c, const char *id, struct attropl *attribs,
                      const char *extend);
int ifl_delresv(int c, const char *id, const char *extend);
int ifl_confirmresv(int c, const char *id, const char *vnodes, unsigned long start,
                    const char *extend);
char **ifl_selectjob(int c, struct attropl *criteria, const char *extend);
struct batch_status *ifl_selstat(int c, struct attropl *criteria, struct attrl *wanted,
                                 const char *extend);
struct batch_status *ifl_statjob(int c, const char *id, struct attrl *wanted,
                                 const char *extend);
struct batch_status *ifl_statque(int c, const char *id, struct attrl *wanted,
                                 const char *extend);
struct batch_status *ifl_statserver(int c, struct attrl *wanted, const char *extend);
struct batch_status *ifl_statsched(int c, struct attrl *wanted, const char *extend);
struct batch_status *ifl_statvnode(int c, const char *id, struct attrl *wanted,
                                   const char *extend);
struct batch_status *ifl_stathost(int c, const char *id, struct attrl *wanted,
                                  const char *extend);
struct batch_status *ifl_statnode(int c, const char *id, struct attrl *wanted,
                                  const char *extend);
struct batch_status *ifl_statresv(int c, const char *id, struct attrl *wanted,
                                  const char *extend);
struct batch_status *ifl_statrsc(int c, const char *id, struct attrl *wanted,
                                 const char *extend);
struct batch_status *ifl_stathook(int c, const char *id, struct attrl *wanted,
                                  const char *extend);
void ifl_statfree(struct batch_status *list);
void ifl_delstatfree(struct batch_deljob_status *list);
int ifl_manager(int c, int command, int object, const char *name,
                struct attropl *attribs, const char *extend);
int ifl_terminate(int c, int manner, const char *extend);
int ifl_register_sched(const char *name, int c1, int c2);
int ifl_defschreply(int c, int command, char *id, int error, char *text, char *extend);
preempt_job_info *ifl_preempt_jobs(int c, char **ids);
int ifl_py_spawn(int c, char *id, char **argv, char **envp);
int ifl_rescquery(int c, char **list, int n, int *available, int *allocated,
                  int *reserved, int *down);
int ifl_rescreserve(int c, char **list, int n, pbs_resource_t *handle);
int ifl_rescrelease(int c, pbs_resource_t handle);

#endif
