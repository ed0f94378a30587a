/* depend_ids.h - the job ids in a list of dependencies, completed (cli.md 3.7).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_DEPEND_IDS_H
#define CMDS_COMMON_DEPEND_IDS_H

/* "afterok:5:6@host,on:2" -> "afterok:5.svr:6.svr@host,on:2", which the caller frees.
 * NULL for a subjob or a range: no job waits for one. What is no job id at all stays as
 * it is, for the verification to find. */
char *depend_ids_complete(const char *text);

#endif
