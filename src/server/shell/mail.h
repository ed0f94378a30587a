/* mail.h - letters to users, through the program named by the server's attribute
 * 'mailer' (operations.md 18).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_MAIL_H
#define SERVER_SHELL_MAIL_H

#include "server/shell/shell.h"

/* Start the mailer; nobody waits for it. 'to' is a comma list. Without a mailer, or one
 * that cannot be started, a line is logged and nothing happens. */
void mail_send(struct shell *sh, const char *to, const char *subject, const char *text,
               struct arena *arena);

#endif
