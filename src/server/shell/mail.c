/* mail.c - letters to users.
 *
 * Who the letter goes to and what it says comes from users: no byte of it may begin
 * another header or another line than ours, so a recipient with a control character is
 * left out, and in the letter such characters are shown (mail_text.h).
 *
 * The letter is a memory file and each recipient an argument of its own: no shell, no
 * waiting for a mailer that does not read. The mailer gets nothing of the server's: not
 * its environment, descriptors or directory, and not root's rights. What
 * pbs_environment says it has as jobs have it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/mail.h"

#include "lib/io/child.h"
#include "server/shell/lookups.h"
#include "server/shell/mail_text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>

/* While it is looked up who the mailer runs as. */
#define WAITING_MAX_BYTES ((size_t)16 << 20)
/* Mailers at a time: ten thousand jobs may end at once, and a mailer may hang. */
#define MAILERS_MAX       32
/* Of one mailer: 32 that hang would otherwise be the end of all letters. */
#define MAILER_MAX_MS     (600 * 1000)

struct letter {
    struct seeker seeker; /* of the mailer's account */
    struct letters *all;
    struct arena *arena; /* of what follows */
    const char *to, *subject, *text;
    bool to_owner;
    size_t bytes;
    struct letter *prev, *next;
};

/* A process that has a letter. */
struct mailer {
    struct letters *all;
    pid_t pid;
    struct loop_timer *limit;
    struct mailer *prev, *next;
};

struct letters {
    struct shell *sh;
    struct letter *waiting;
    size_t bytes; /* of them */
    unsigned n_mailers;
    struct mailer *mailers;
};

/* A memory file to be read from its beginning, -1: there is no room. */
static int paper(const struct mail_head *head, const char *text)
{
    int fd = memfd_create("letter", MFD_CLOEXEC);
    struct buf all = { 0 };
    bool good;

    if (fd < 0)
        return -1;
    mail_write(&all, head, text);
    good =
        /* Half a letter is not sent. */
        write(fd, all.data, all.len) == (ssize_t)all.len && lseek(fd, 0, SEEK_SET) == 0;
    buf_fini(&all);
    if (good)
        return fd;
    close(fd);
    return -1;
}

/* argv: mailer -f from recipient... */
static const char **arguments(const char *mailer, const struct mail_head *head,
                              struct arena *arena)
{
    const char **argv = ARENA_ARRAY(arena, const char *, MAIL_RECIPIENTS_MAX + 4);
    size_t n = 0;

    argv[n++] = mailer;
    argv[n++] = "-f";
    argv[n++] = head->from;
    for (size_t i = 0; head->to[i]; i++)
        argv[n++] = head->to[i];
    MUST(n < MAIL_RECIPIENTS_MAX + 4); /* NULL ends the list */
    return argv;
}

/* NULL-terminated. */
static char **environment(const struct shell *sh, struct arena *arena)
{
    static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                shell[] = "SHELL=/bin/sh", home[] = "HOME=/", lang[] = "LANG=C.UTF-8";
    static char *const without[] = { path, shell, home, lang, NULL };

    return site_env_with(&sh->environment, without, arena);
}

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

static void mailer_free(struct mailer *m)
{
    MUST(m->all->n_mailers > 0);
    m->all->n_mailers--;
    DL_DELETE(m->all->mailers, m);
    loop_timer_free(m->limit);
    free(m);
}

/* One mailer less: letters that only wait for that have their turn. */
static void on_mailer_end(void *arg, pid_t pid, int status)
{
    struct mailer *m = arg;
    struct letters *all = m->all;
    struct letter *l;

    MUST(m->pid == pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        shell_log(all->sh, LOG_EV_DEBUG, LOG_IN_SERVER,
                  "the mailer has ended with status %d", status);
    mailer_free(m);
    /* Each try ends the letter, or makes it wait for the account. */
    while (all->n_mailers < MAILERS_MAX && (l = first_ready(all)) != NULL)
        try_to_post(&l->seeker);
}

/* With all that it has started, which is in its session's group. */
static void on_mailer_limit(void *arg)
{
    struct mailer *m = arg;

    shell_log(m->all->sh, LOG_EV_ERROR, LOG_IN_SERVER,
              "the mailer has not ended in %d s and is killed", MAILER_MAX_MS / 1000);
    kill(-m->pid, SIGKILL);
}

static bool start_mailer(struct letters *all, const struct child_config *cfg,
                         struct diag *why)
{
    struct mailer *m = xcalloc(1, sizeof(*m));

    if (child_start(all->sh->loop, cfg, on_mailer_end, m, &m->pid, why) != 0) {
        free(m);
        return false;
    }
    m->all = all;
    m->limit = loop_timer_new(all->sh->loop, on_mailer_limit, m);
    loop_timer_set(m->limit, MAILER_MAX_MS);
    DL_APPEND(all->mailers, m);
    all->n_mailers++;
    return true;
}

static void post(struct letter *l, const struct finding *account)
{
    struct shell *sh = l->all->sh;
    const struct object *server = svr_model(sh->svr)->server;
    const char *mailer = obj_str(server, SERVER_A_MAILER, "");
    const struct mail_head head = {
        .to = mail_recipients(l->to, l->to_owner, sh->conf->mail_host_name, l->arena),
        .subject = l->subject,
        .from = obj_str(server, SERVER_A_MAIL_FROM, "adm"),
        .at = shell_now(sh),
    };
    struct child_config cfg = { .path = mailer,
                                .envp = (const char *const *)environment(sh, l->arena),
                                .fd = { -1, -1, -1 },
                                .dir = "/",
                                .new_session = true };
    struct diag why;

    /* A mailer is named by its full path; anything else would be searched for. */
    if (!head.to[0] || *mailer != '/' || access(mailer, X_OK) < 0) {
        shell_log(sh, LOG_EV_DEBUG, LOG_IN_SERVER, "no mail to %s: %s", l->to,
                  l->subject);
        return;
    }
    cfg.argv = arguments(mailer, &head, l->arena);
    if (account) {
        cfg.as_other = true;
        cfg.uid = account->uid;
        cfg.gid = account->gid;
    }
    cfg.fd[0] = paper(&head, l->text);
    if (cfg.fd[0] < 0 || !start_mailer(l->all, &cfg, &why))
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

void mail_send(struct letters *all, const char *to, bool to_owner, const char *subject,
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
    l->to_owner = to_owner;
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
    /* Those that have a letter go on without the server. */
    while (all->mailers)
        mailer_free(all->mailers);
    free(all);
}
