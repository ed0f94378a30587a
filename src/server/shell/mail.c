/* mail.c - letters to users.
 *
 * Who the letter goes to and what it says comes from users: no byte of it may begin
 * another header or another line than ours, so a recipient with a control character is
 * left out, and in the letter such characters are shown (lib/base/printable.h).
 *
 * The letter is a memory file and each recipient an argument of its own: no shell, no
 * waiting for a mailer that does not read. The mailer gets nothing of the server's: not
 * its environment, descriptors or directory, and not root's rights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/mail.h"

#include "lib/base/printable.h"
#include "lib/io/child.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECIPIENTS_MAX 64

/* The text line by line. */
static void add_body(struct buf *out, const char *text)
{
    for (;;) {
        size_t len = strcspn(text, "\n");

        buf_add_printable(out, text, len);
        if (!text[len])
            return;
        buf_add_char(out, '\n');
        text += len + 1;
    }
}

static void add_header(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, "%s: ", name);
    buf_add_printable(out, value, strlen(value));
    buf_add_char(out, '\n');
}

/* A memory file to be read from its beginning, -1: there is no room. */
static int letter(const char *to, const char *subject, const char *text)
{
    int fd = memfd_create("letter", MFD_CLOEXEC);
    struct buf all = { 0 };
    bool good;

    if (fd < 0)
        return -1;
    add_header(&all, "To", to);
    add_header(&all, "Subject", subject);
    buf_add_char(&all, '\n');
    add_body(&all, text);
    good =
        write(fd, all.data, all.len) == (ssize_t)all.len && lseek(fd, 0, SEEK_SET) == 0;
    buf_fini(&all);
    if (good)
        return fd;
    close(fd);
    return -1;
}

/* Something that looks like an option is none. */
static bool is_recipient(const char *name)
{
    return *name != '-' && !has_control(name);
}

/* argv: mailer -f from recipient...; NULL when nobody is left. */
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
        if (is_recipient(one)) {
            argv[n++] = one;
            n_to++;
        }
    MUST(n < RECIPIENTS_MAX + 4); /* NULL ends the list */
    return n_to > 0 ? argv : NULL;
}

static const char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                                           "SHELL=/bin/sh", "HOME=/", "LC_ALL=C.UTF-8",
                                           NULL };

/* Whom a mailer of root's server runs as. False: there is no such account, and root's
 * rights are nothing to fall back to. */
static bool become_less(const struct shell *sh, struct child_config *cfg)
{
    const char *user = sh->conf->mail_user;
    const struct passwd *pw;

    if (geteuid() != 0 || strcmp(user, "root") == 0)
        return true;
    pw = getpwnam(user);
    if (!pw)
        return false;
    cfg->as_other = true;
    cfg->uid = pw->pw_uid;
    cfg->gid = pw->pw_gid;
    return true;
}

void mail_send(struct shell *sh, const char *to, const char *subject, const char *text,
               struct arena *arena)
{
    const struct object *server = svr_model(sh->svr)->server;
    const char *mailer = obj_str(server, SERVER_A_MAILER, "");
    const char *from = obj_str(server, SERVER_A_MAIL_FROM, "adm");
    struct child_config cfg = { .path = mailer,
                                .envp = environment,
                                .fd = { -1, -1, -1 },
                                .dir = "/",
                                .new_session = true };
    struct diag why;
    pid_t pid;

    cfg.argv = arguments(mailer, from, to, arena);
    if (!cfg.argv || *mailer != '/' || access(mailer, X_OK) < 0) {
        shell_log(sh, LOG_EV_DEBUG, LOG_IN_SERVER, "no mail to %s: %s", to, subject);
        return;
    }
    if (!become_less(sh, &cfg)) {
        shell_log(sh, LOG_EV_ERROR, LOG_IN_SERVER,
                  "no mail to %s: %s (PBS_MAIL_USER names no account: %s)", to, subject,
                  sh->conf->mail_user);
        return;
    }
    cfg.fd[0] = letter(to, subject, text);
    if (cfg.fd[0] < 0 || child_start(sh->loop, &cfg, NULL, NULL, &pid, &why))
        shell_log(sh, LOG_EV_ERROR, LOG_IN_SERVER, "no mail to %s: %s (%s)", to,
                  subject, cfg.fd[0] < 0 ? "no memory file" : why.text);
    if (cfg.fd[0] >= 0)
        close(cfg.fd[0]);
}
