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
#include "server/shell/lookups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

#define RECIPIENTS_MAX    64
/* While it is looked up who the mailer runs as. */
#define WAITING_MAX_BYTES ((size_t)16 << 20)
/* Mailers at a time: ten thousand jobs may end at once, and a mailer may hang. */
#define MAILERS_MAX       32

struct letter {
    struct seeker seeker; /* of the mailer's account */
    struct letters *all;
    struct arena *arena; /* of what follows */
    const char *to, *subject, *text;
    size_t bytes;
    struct letter *prev, *next;
};

struct letters {
    struct shell *sh;
    struct letter *waiting;
    size_t bytes; /* of them */
    unsigned n_mailers;
};

/* The text line by line. */
static void add_body(struct buf *out, const char *text)
{
    for (;;) {
        size_t len = strcspn(text, "\n");

        /* Only line ends of the text itself begin a new line. */
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
static int paper(const char *to, const char *subject, const char *text)
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
        /* Half a letter is not sent. */
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
    /* The number is bounded, because the list comes from a user. */
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

static void try_to_post(struct seeker *who);

static struct letter *first_ready(const struct letters *all)
{
    struct letter *l;

    DL_FOREACH (all->waiting, l) {
        if (!seeker_waits(&l->seeker))
            return l;
    }
    return NULL;
}

/* One mailer less: letters that only wait for that have their turn. */
static void on_mailer_end(void *arg, pid_t pid, int status)
{
    struct letters *all = arg;
    struct letter *l;

    (void)pid;
    (void)status;
    MUST(all->n_mailers > 0);
    all->n_mailers--;
    /* Each try ends the letter, or makes it wait for the account. */
    while (all->n_mailers < MAILERS_MAX && (l = first_ready(all)) != NULL)
        try_to_post(&l->seeker);
}

static void post(struct letter *l, const struct finding *account)
{
    struct shell *sh = l->all->sh;
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

    cfg.argv = arguments(mailer, from, l->to, l->arena);
    /* A mailer is named by its full path; anything else would be searched for. */
    if (!cfg.argv || *mailer != '/' || access(mailer, X_OK) < 0) {
        shell_log(sh, LOG_EV_DEBUG, LOG_IN_SERVER, "no mail to %s: %s", l->to,
                  l->subject);
        return;
    }
    if (account) {
        cfg.as_other = true;
        cfg.uid = account->uid;
        cfg.gid = account->gid;
    }
    cfg.fd[0] = paper(l->to, l->subject, l->text);
    if (cfg.fd[0] >= 0 &&
        child_start(sh->loop, &cfg, on_mailer_end, l->all, &pid, &why) == 0)
        l->all->n_mailers++;
    else
        shell_log(sh, LOG_EV_ERROR, LOG_IN_SERVER, "no mail to %s: %s (%s)", l->to,
                  l->subject, cfg.fd[0] < 0 ? "no memory file" : why.text);
    if (cfg.fd[0] >= 0)
        close(cfg.fd[0]);
}

static void letter_free(struct letter *l)
{
    struct letters *all = l->all;

    seeker_end(&l->seeker);
    DL_DELETE(all->waiting, l);
    all->bytes -= l->bytes;
    arena_free(l->arena);
    free(l);
}

/* A mailer of root's server runs as PBS_MAIL_USER. When there is no such account the
 * letter is not sent: root's rights are nothing to fall back to. */
static void try_to_post(struct seeker *who)
{
    struct letter *l = STRUCT_OF(who, struct letter, seeker);
    const struct shell *sh = l->all->sh;
    const char *user = sh->conf->mail_user;
    const struct need need = { .kind = NEED_ACCOUNT, .name = user };
    const struct finding *account = NULL;

    if (l->all->n_mailers >= MAILERS_MAX)
        return; /* and again when one of them has ended */
    if (geteuid() == 0 && strcmp(user, "root") != 0) {
        account = lookup(sh->lookups, &l->seeker, &need);
        if (!account)
            return; /* and again when it is known */
    }
    if (!account || account->found)
        post(l, account);
    else
        shell_log(l->all->sh, LOG_EV_ERROR, LOG_IN_SERVER,
                  "no mail to %s: %s (PBS_MAIL_USER names no account: %s)", l->to,
                  l->subject, user);
    letter_free(l);
}

void mail_send(struct letters *all, const char *to, const char *subject,
               const char *text)
{
    struct letter *l;

    /* Letters that wait take memory, and jobs of one user can cause many of them. */
    if (all->bytes > WAITING_MAX_BYTES) {
        shell_log(all->sh, LOG_EV_ERROR, LOG_IN_SERVER,
                  "no mail to %s: %s (too many wait for a mailer or its account)", to,
                  subject);
        return;
    }
    l = xcalloc(1, sizeof(*l));
    l->all = all;
    l->seeker.go_on = try_to_post;
    /* The letter may outlive the turn that wrote it. */
    l->arena = arena_new();
    l->to = arena_strdup(l->arena, to);
    l->subject = arena_strdup(l->arena, subject);
    l->text = arena_strdup(l->arena, text);
    l->bytes = arena_used_bytes(l->arena) + sizeof(*l);
    all->bytes += l->bytes;
    DL_APPEND(all->waiting, l);
    try_to_post(&l->seeker);
}

struct letters *letters_new(struct shell *sh)
{
    struct letters *all = xcalloc(1, sizeof(*all));

    all->sh = sh;
    return all;
}

bool letters_wait(const struct letters *all)
{
    return all && all->waiting;
}

void letters_free(struct letters *all)
{
    if (!all)
        return;
    while (all->waiting) {
        shell_log(all->sh, LOG_EV_ERROR, LOG_IN_SERVER,
                  "no mail to %s: %s (the server ends)", all->waiting->to,
                  all->waiting->subject);
        letter_free(all->waiting);
    }
    free(all);
}
