/* tm_words.h - what the codes of task management mean for who reads them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_TM_WORDS_H
#define CMDS_COMMON_TM_WORDS_H

/* Of a code of tm.h; never NULL. */
const char *tm_words(int code);
/* Say on the error output that a call of tm.h has failed. Returns 1. */
int tm_call_failed(const char *command, const char *call, int code);

#endif
