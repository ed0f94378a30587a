/* mail.c - letters to users.
 *
 * The letter is a memory file and each recipient an argument of its own: no shell, no
 * waiting for a mailer that does not read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/mail.h"

#include "lib/io/child.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECIPIENTS_MAX 64

static int letter(const char *to, const char *subject, const char *text)
{
    int fd = memfd_create("letter", MFD_CLOEXEC);

    if (fd < 0)
        return -1;
    if (dprintf(fd, "To: %s\nSubject: %s\n\n%s", to, subject, text) < 0 ||
        lseek(fd, 0, SEEK_SET) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* argv: mailer -f from recipient... A name that looks like an option is left out. */
static const char **arguments(const char *mailer, const char *from, const char *to,
                              struct arena *arena)
{
    const char **argv = ARENA_ARRAY(arena, const char *, RECIPIENTS_MAX + 4);
    char *list = arena_strdup(arena, to), *save = NULL;
    size_t n = 0, n_to = 0;

    argv[n++] = mailer;
    argv[n++] = "-f";
    argv[n++] = from;
    for (char *one = strtok_r(list, ", ", &save); one && n_to < RECIPIENTS_MAX;
         one = strtok_r(NULL, ", ", &save))
        if (*one != '-') {
            argv[n++] = one;
            n_to++;
        }
    return n_to > 0 ? argv : NULL;
}

void mail_send(struct shell *sh, const char *to, const char *subject, const char *text,
               struct arena *arena)
{
    const struct object *server = svr_model(sh->svr)->server;
    const char *mailer = obj_str(server, SERVER_A_MAILER, "");
    const char *from = obj_str(server, SERVER_A_MAIL_FROM, "adm");
    struct child_config cfg = { .path = mailer, .fd = { -1, -1, -1 }, .dir = "/" };
    struct diag why;
    pid_t pid;

    cfg.argv = arguments(mailer, from, to, arena);
    if (!cfg.argv || *mailer != '/' || access(mailer, X_OK) < 0) {
        shell_log(sh, LOG_EV_DEBUG, LOG_IN_SERVER, "no mail to %s: %s", to, subject);
        return;
    }
    cfg.fd[0] = letter(to, subject, text);
    if (cfg.fd[0] < 0 || child_start(sh->loop, &cfg, NULL, NULL, &pid, &why))
        shell_log(sh, LOG_EV_ERROR, LOG_IN_SERVER, "no mail to %s: %s", to, subject);
    if (cfg.fd[0] >= 0)
        close(cfg.fd[0]);
}
