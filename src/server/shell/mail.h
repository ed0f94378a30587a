/* mail.h - letters to users, through the program named by the server's attribute
 * 'mailer' (operations.md 18).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_MAIL_H
#define SERVER_SHELL_MAIL_H

#include "server/shell/shell.h"

/* No letter waits at first. */
struct letters *letters_new(struct shell *sh);
/* NULL is fine. Those that wait are not sent, and the log says so. */
void letters_free(struct letters *all);

/* Start the mailer; nobody waits for it. 'to' is a comma list; 'to_owner': it is the
 * owner, at the host that he asked from (mail_text.h). Without a mailer, or one
 * that cannot be started, a line is logged and nothing happens. A letter waits while
 * the account that mailers run as is looked up. */
void mail_send(struct letters *all, const char *to, bool to_owner, const char *subject,
               const char *text);

/* Does a letter wait? */
bool letters_wait(const struct letters *all);

#endif
