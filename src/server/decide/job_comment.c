/* job_comment.c - see job_comment.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_comment.h"

#include "lib/base/date.h"

#include <string.h>

enum comment_origin job_comment_origin(const char *comment)
{
    static const struct {
        const char *begins;
        enum comment_origin origin;
    } rows[] = {
        { "Job run at ", COMMENT_OF_RUN },
        { "Job manually qrun on ", COMMENT_OF_RUN },
        { "Job Array Began at ", COMMENT_OF_RUN },
        { "Job held", COMMENT_OF_HOLD },
        { "job held", COMMENT_OF_HOLD },
        { "Job Array Held", COMMENT_OF_HOLD },
        { "Not Running: ", COMMENT_OF_WAIT },
        { "Can Never Run: ", COMMENT_OF_WAIT },
        { "Job was requeued", COMMENT_OF_WAIT },
        { "Job has been ", COMMENT_OF_WAIT },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strncmp(comment, rows[i].begins, strlen(rows[i].begins)) == 0)
            return rows[i].origin;
    return COMMENT_FOREIGN;
}

const char *array_began_comment(const struct svr_config *cfg, int64_t at,
                                struct arena *arena)
{
    char text[DATE_TEXT_BYTES];

    /* "Sat Nov 21 08:02:39 2026": the comment has neither seconds nor a year. */
    date_ctime(date_of(at, cfg->utc_offset_s ? cfg->utc_offset_s(cfg->arg, at) : 0),
               text);
    return arena_printf(arena, "Job Array Began at %.10s at %.5s", text, text + 11);
}
