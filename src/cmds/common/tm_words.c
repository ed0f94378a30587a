/* tm_words.c - see tm_words.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/tm_words.h"

#include "include/tm.h"
#include "lib/base/base.h"

#include <stdio.h>

const char *tm_words(int code)
{
    static const struct {
        int code;
        const char *text;
    } rows[] = {
        { TM_ENOTCONNECTED,
          "no MoM answers on this host, or it does not take this program for a task of "
          "the job" },
        { TM_EBADENVIRONMENT, "the job's variables (PBS_JOBID, PBS_JOBCOOKIE, "
                              "PBS_NODENUM, PBS_TASKNUM, PBS_MOMPORT) are not there" },
        { TM_ENOTFOUND, "the job has no such vnode or task" },
        { TM_EUNKNOWNCMD, "the MoM does not know this request" },
        { TM_ENOTIMPLEMENTED, "the MoM does not serve this request" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].code == code)
            return rows[i].text;
    return "the MoM could not do it; its log may say why";
}

int tm_call_failed(const char *command, const char *call, int code)
{
    fprintf(stderr, "%s: %s returned %d: %s\n", command, call, code, tm_words(code));
    return 1;
}
