/* mail_text.h - a letter as its mailer reads it: who gets it, its headers, its lines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_MAIL_TEXT_H
#define SERVER_SHELL_MAIL_TEXT_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

/* The list comes from a user; further names are left out. */
#define MAIL_RECIPIENTS_MAX 64

/* The names of the comma or blank list 'to', NULL behind the last one; what cannot be a
 * recipient (with a control character, or like an option) is left out. With 'host'
 * (PBS_MAIL_HOST_NAME; NULL: none) a name without a host gets that one, and the owner's
 * own host is replaced by it where 'to_owner' says that 'to' is the owner. */
const char **mail_recipients(const char *to, bool to_owner, const char *host,
                             struct arena *arena);

struct mail_head {
    const char *const *to; /* of mail_recipients() */
    const char *subject;
    const char *from;
    int64_t at; /* epoch seconds */
};

/* Append headers, an empty line and the text. Only line ends of 'text' begin a new
 * line; other control characters are shown. */
void mail_write(struct buf *out, const struct mail_head *head, const char *text);

#endif
