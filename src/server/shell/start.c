/* start.c - the steps of a start, each with its words and exit status (operations.md 9
 * and 11), and the way back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/start.h"

#include "lib/auth/auth.h"
#include "lib/base/version.h"
#include "lib/io/daemon.h"
#include "lib/io/net.h"
#include "lib/io/protect.h"
#include "lib/io/startup.h"
#include "server/shell/accounting.h"
#include "server/shell/calls.h"
#include "server/shell/clients.h"
#include "server/shell/find_out.h"
#include "server/shell/hook_dir.h"
#include "server/shell/lookups.h"
#include "server/shell/mail.h"
#include "server/shell/mom_link.h"
#include "server/shell/options.h"
#include "server/shell/outbox.h"
#include "server/shell/records.h"
#include "server/shell/secure.h"
#include "server/shell/server_name.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How often a start looks for its database. */
#define STORE_TRY_MS  1000

/* Numbers of jobs and reservations that are kept with one record: a server that is
 * killed leaves out so many at most. */
#define NUMBER_WINDOW 32

enum {
    EXIT_USAGE = 1,
    EXIT_LOCK = 2,
    EXIT_SETUP = 3,
    EXIT_NETWORK = 4
};

static int fail(struct shell *sh, int status, const char *words)
{
    if (sh->log)
        shell_log(sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, "%s", words);
    /* The terminal is told, too, as long as there is one. */
    fprintf(stderr, "%s: %s\n", sh->daemon[0] ? sh->daemon : sh->opt.argv0, words);
    return status;
}

static int read_settings(struct shell *sh)
{
    char name[256];
    struct diag why;

    options_to_env(&sh->opt);
    sh->conf = startup_conf();
    if (!sh->conf)
        return EXIT_USAGE;
    if (sh->conf->server_host_name)
        snprintf(sh->host, sizeof(sh->host), "%s", sh->conf->server_host_name);
    else
        net_host_name(sh->host, sizeof(sh->host));
    net_short_name(sh->host, name, sizeof(name));
    snprintf(sh->daemon, sizeof(sh->daemon), "Server@%s", name);
    if (server_name_check(sh->conf->server, &why) ||
        auth_user_name(geteuid(), sh->user, sizeof(sh->user), &why))
        return fail(sh, EXIT_USAGE, why.text);
    return -1;
}

static int make_dirs(struct shell *sh)
{
    struct diag why;
    struct stat st;

    if (stat(sh->conf->home, &st) < 0 || !S_ISDIR(st.st_mode))
        return fail(sh, EXIT_LOCK, "unable to open lock file");
    if (secure_make_dirs(sh->conf->home, &why))
        return fail(sh, EXIT_LOCK, why.text);
    return -1;
}

static int take_lock(struct shell *sh)
{
    struct diag why;
    int err;

    sh->lock_path = xasprintf("%s/server_priv/server.lock", sh->conf->home);
    err = daemon_lock(sh->lock_path, 0600, &sh->lock_fd, &why);
    if (!err)
        return -1;
    /* The lock is another server's, and its file must not be removed at the end. */
    free(sh->lock_path);
    sh->lock_path = NULL;
    if (err != PBSE_OBJBUSY)
        return fail(sh, EXIT_LOCK, "unable to open lock file");
    fprintf(stderr, "pbs_server: another server running\n");
    return EXIT_USAGE;
}

static struct store_config store_config(const struct shell *sh, char *holder,
                                        size_t size)
{
    snprintf(holder, size, "%s:%ld", sh->host, (long)getpid());
    return (struct store_config){ .url = conf_store(sh->conf),
                                  .password_file = sh->conf->store_password_file,
                                  .holder = holder };
}

static bool asked_and_agreed(struct shell *sh, const char *question)
{
    char *line = NULL;
    size_t size = 0;
    char first = '\n';

    if (sh->opt.force)
        return true;
    printf("%s %s: %s, \ndo you wish to continue y/(n)?", sh->daemon, sh->conf->server,
           question);
    /* Only a clear "y" goes on; the end of the input means no. */
    while (fflush(stdout) == 0 && getline(&line, &size, stdin) > 0) {
        first = line[0];
        if (first == 'y' || first == 'n' || first == '\n')
            break;
        printf("y(es) or n(o) please:");
    }
    free(line);
    if (first == 'y')
        return true;
    fprintf(stderr, "PBS server %s initialization aborted\n", sh->conf->server);
    return false;
}

static int found_one(void *arg UNUSED, const struct store_record *object UNUSED)
{
    return 1;
}

static bool holds_jobs(const struct store_config *cfg)
{
    struct store *s;
    struct diag why;
    bool found;

    if (store_open_as(cfg, &s, &why))
        return false; /* the start itself will say why */
    /* The walk stops at the first job. */
    found = store_load_kind(s, kind_name(OBJ_JOB), found_one, NULL, &why) != 0;
    store_close(s);
    return found;
}

/* Ask before the terminal is gone. An old store is put aside, never deleted. */
static int confirm_start(struct shell *sh)
{
    char holder[300];
    struct store_config cfg = store_config(sh, holder, sizeof(holder));
    struct diag why;

    if (sh->opt.start != SVR_COLD && sh->opt.start != SVR_CREATE)
        return -1;
    /* There is nothing that could be lost. */
    if (!store_exists(&cfg))
        return -1;
    if (sh->opt.start == SVR_COLD) {
        if (holds_jobs(&cfg) && !asked_and_agreed(sh, "Cold mode and jobs exists"))
            return EXIT_USAGE;
        return -1;
    }
    if (!asked_and_agreed(sh, "Create mode and server database exists"))
        return EXIT_USAGE;
    if (store_put_aside(&cfg, clock_read(), &why))
        return fail(sh, EXIT_SETUP, why.text);
    return -1;
}

int start_prepare(struct shell *sh)
{
    /* Each step says -1 to go on, or the exit status of the server. */
    int rc = read_settings(sh);

    if (rc < 0)
        rc = make_dirs(sh);
    if (rc < 0)
        rc = take_lock(sh);
    if (rc < 0)
        rc = confirm_start(sh);
    if (rc < 0 && sh->opt.lock_memory && mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
        return fail(sh, EXIT_SETUP, strerror(errno));
    return rc;
}

static int open_log(struct shell *sh)
{
    char *dir = xasprintf("%s/server_logs", sh->conf->home);
    struct logfile_config cfg = {
        .dir = dir,
        .file = sh->opt.log_file,
        .daemon = sh->daemon,
        .mask = sh->opt.log_mask ? sh->opt.log_mask : LOG_MASK_DEFAULT,
        .to_stderr = sh->opt.foreground && isatty(2),
        .conf = sh->conf,
    };
    struct diag why;
    int err = startup_log(&cfg, &sh->log, &why);

    free(dir);
    if (err)
        return fail(sh, EXIT_SETUP, why.text);
    return -1;
}

/* What others could have written is not trusted (operations.md 2.1). */
static int check_security(struct shell *sh)
{
    struct diag why = { 0 };

    if (secure_check(sh->conf->home, sh->conf->environment, sh->log, &why) == 0)
        return -1;
    shell_log(sh, LOG_EV_ERROR, LOG_IN_SERVER, "chk_file_sec has a failure");
    shell_log(sh, LOG_EV_ERROR, LOG_IN_SERVER, "pbsd_init failed");
    return fail(sh, EXIT_SETUP, why.text);
}

/* Before the log, whose lines have the time zone of the file. One that others could
 * have written is not read: check_security() will say so. */
static int read_environment(struct shell *sh, struct diag *why)
{
    struct diag issue;

    if (secure_check(sh->conf->home, sh->conf->environment, NULL, &issue) != 0)
        return 0;
    return startup_environment(sh->conf, &sh->environment, why);
}

static int tell_environment(struct shell *sh, int err, const struct diag *why)
{
    startup_log_environment(sh->log, sh->conf, &sh->environment, err, why);
    if (!err)
        return -1;
    fprintf(stderr, "%s: %s\n%s: " NO_ENVIRONMENT "\n", sh->daemon, why->text,
            sh->daemon);
    return EXIT_SETUP;
}

static void log_methods(struct shell *sh)
{
    char *list = xstrdup(sh->conf->supported_auth_methods), *save = NULL;

    for (char *one = strtok_r(list, ", ", &save); one;
         one = strtok_r(NULL, ", ", &save))
        shell_log(sh, LOG_EV_FORCE, LOG_IN_SERVER,
                  "Supported authentication method: %s", one);
    free(list);
}

/* A start that was asked what to do with an old store has to have seen it. */
static bool may_wait_for_store(const struct shell *sh)
{
    return sh->opt.start != SVR_COLD && sh->opt.start != SVR_CREATE;
}

/* After a failure of power the database may be up later than we are, and nobody is
 * there to start us again: that is told, and waited for. */
static void say_waiting(struct shell *sh, const struct diag *why)
{
    char words[400];

    snprintf(words, sizeof(words),
             "%s: waiting for the database, which is tried every second; check "
             "PBS_STORE if it should be there",
             why->text);
    (void)fail(sh, 0, words);
    signal(SIGHUP, SIG_IGN); /* nothing to read anew; an end by SIGTERM is fine */
    daemon_ready();
}

static int wait_for_store(struct shell *sh, const struct store_config *cfg,
                          struct diag *why)
{
    int err = store_open_as(cfg, &sh->store, why);

    if (err != PBSE_TRYAGAIN || !may_wait_for_store(sh))
        return err;
    say_waiting(sh, why);
    do {
        poll(NULL, 0, STORE_TRY_MS);
        err = store_open_as(cfg, &sh->store, why);
    } while (err == PBSE_TRYAGAIN);
    if (!err)
        shell_log(sh, LOG_EV_SYSTEM | LOG_EV_FORCE, LOG_IN_SERVER,
                  "the database is there, the server starts");
    MUST(err || sh->store);
    return err;
}

static int open_store(struct shell *sh)
{
    char holder[300];
    struct store_config cfg = store_config(sh, holder, sizeof(holder));
    struct diag why;

    if (wait_for_store(sh, &cfg, &why))
        return fail(sh, EXIT_SETUP, why.text);
    /* Whatever was asked for, a new store has to get its first objects. */
    if (store_is_new(sh->store))
        sh->opt.start = SVR_CREATE;
    shell_log(sh, LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_IN_FILE,
              "Version %s, started, initialization type = %d", PBS_VERSION,
              (int)sh->opt.start);
    log_methods(sh);
    return -1;
}

/* An administrator who did not mean it finds the way back here. */
static void say_renamed(struct shell *sh, const char *old)
{
    char words[400];

    snprintf(
        words, sizeof(words),
        "the server of this store was named %s and is %s now, as PBS_SERVER says: "
        "what there is keeps its ids, new ids end in %s; if this is not meant, stop "
        "the server and set PBS_SERVER=%s, and PBS_SERVER_HOST_NAME to this host",
        old, sh->conf->server, sh->conf->server, old);
    (void)fail(sh, 0, words);
}

static int claim_store(struct shell *sh)
{
    struct arena *arena = arena_new();
    const char *old = NULL;
    struct diag why;
    int err = server_name_claim(sh->store, sh->conf->server,
                                arena_printf(arena, "%s@%s", sh->user, sh->host),
                                clock_read(), arena, &old, &why);

    if (old)
        say_renamed(sh, old);
    arena_free(arena);
    return err ? fail(sh, EXIT_SETUP, why.text) : -1;
}

static int64_t utc_offset_s(void *arg, int64_t at)
{
    time_t t = (time_t)at;
    struct tm tm;

    (void)arg;
    return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

static int load_core(struct shell *sh)
{
    struct svr_config cfg = {
        .server_name = sh->conf->server,
        .server_host = sh->host,
        .server_port = sh->conf->batch_port,
        .mom_port = sh->conf->mom_port,
        .home = sh->conf->home,
        .max_object_bytes = (size_t)sh->conf->limit_object_kib << 10,
        .max_user_jobs_bytes = (size_t)sh->conf->limit_user_jobs_mib << 20,
        .version = PBS_VERSION,
        .holdfast_version = HOLDFAST_VERSION,
        .root_user = sh->user,
        .utc_offset_s = utc_offset_s,
        .number_window = NUMBER_WINDOW,
    };
    struct diag why;

    if (hook_dir_open(sh->conf->home, sh->conf->exec, &sh->hooks, &why))
        return fail(sh, EXIT_SETUP, why.text);
    /* The core has copies of all settings. */
    sh->svr = svr_new(&cfg);
    sh->bundles = bundles_new();
    if (records_load(sh->store, sh->bundles, sh->svr, &why))
        return fail(sh, EXIT_SETUP, why.text);
    /* Why reservations were denied is good to know and no reason not to start. */
    if (records_load_denials(sh->store, sh->svr, shell_now(sh), &why))
        shell_log(sh, LOG_EV_ERROR, LOG_IN_SERVER,
                  "Reasons of earlier denials cannot be read: %s", why.text);
    return -1;
}

/* A file of the working directory would be another one after each start by hand. */
static int check_accounting_name(struct shell *sh)
{
    const char *name = sh->opt.accounting_file;

    if (!name || !*name || *name == '/')
        return -1;
    (void)fail(sh, EXIT_SETUP, "-A needs an absolute path, or an empty text");
    return fail(sh, EXIT_SETUP, "pbsd_init failed");
}

static int open_accounting(struct shell *sh)
{
    char *dir = xasprintf("%s/server_priv/accounting", sh->conf->home);
    struct arena *arena = arena_new();
    const char *note = NULL;
    struct diag why;
    int err;

    sh->accounting = accounting_new(dir, sh->opt.accounting_file, sh->log);
    err = store_note_get(sh->store, ACCOUNTING_NOTE, arena, &note, &why);
    if (!err)
        /* Lines that a crash has kept from the file are written now. */
        err = accounting_repair(sh->accounting, note, &why);
    if (!err)
        accounting_begin(sh->accounting, shell_now(sh));
    arena_free(arena);
    free(dir);
    return err ? fail(sh, EXIT_SETUP, why.text) : -1;
}

int start_recover(struct shell *sh)
{
    struct diag why;
    int err = read_environment(sh, &why);
    /* The log comes before all that may fail, so that each failure is in it. */
    int rc = open_log(sh);

    if (rc < 0)
        protect_logged(sh->log, sh->daemon);
    if (rc < 0)
        rc = check_accounting_name(sh);
    if (rc < 0)
        rc = check_security(sh);
    if (rc < 0)
        rc = tell_environment(sh, err, &why);
    if (rc < 0)
        rc = open_store(sh);
    if (rc < 0)
        rc = claim_store(sh);
    if (rc < 0)
        rc = load_core(sh);
    if (rc < 0)
        rc = open_accounting(sh);
    if (rc >= 0)
        return rc;
    sh->loop = loop_new();
    if (!sh->loop)
        return fail(sh, EXIT_SETUP, "no event loop");
    sh->find_out = find_out_new(sh);
    sh->lookups = lookups_new(sh, LOOKUP_PATIENCE_S);
    sh->letters = letters_new(sh);
    sh->calls = calls_new(sh);
    /* From here on effects can leave, and the core may start. */
    sh->outbox = outbox_new(sh);
    sh->committer = committer_new(sh);
    svr_start(sh->svr, shell_now(sh), sh->opt.start, outbox_effects(sh->outbox));
    return -1;
}

int start_network(struct shell *sh)
{
    char words[128];
    struct diag why;

    if (clients_new(sh, &sh->clients, &why)) {
        snprintf(words, sizeof(words),
                 "init_network failed using ports Server:%u MOM:%u RM:%u",
                 sh->conf->batch_port, sh->conf->mom_port, sh->conf->manager_port);
        /* PBS's line names the ports; ours before it names the reason. */
        fail(sh, EXIT_NETWORK, why.text);
        return fail(sh, EXIT_NETWORK, words);
    }
    sh->moms = mom_link_new(sh);
    shell_log(sh, LOG_EV_SYSTEM, LOG_IN_SERVER,
              "Server pid = %ld ready;  using ports Server:%u MOM:%u RM:%u",
              (long)getpid(), sh->conf->batch_port, sh->conf->mom_port,
              sh->conf->manager_port);
    return -1;
}

void start_undo(struct shell *sh)
{
    mom_link_free(sh->moms);
    committer_free(sh->committer);
    outbox_free(sh->outbox); /* before the table of clients, whose shares it charges */
    clients_free(sh->clients);
    loop_timer_free(sh->deadline);
    accounting_free(sh->accounting);
    /* The core goes after everything that calls it. */
    svr_free(sh->svr);
    letters_free(sh->letters);
    calls_free(sh->calls);
    find_out_free(sh->find_out);
    lookups_free(sh->lookups);
    hook_dir_close(sh->hooks);
    bundles_free(sh->bundles);
    store_close(sh->store);
    logfile_close(sh->log);
    loop_free(sh->loop);
    if (sh->lock_path)
        /* Only a server that has the lock removes its file. */
        unlink(sh->lock_path);
    free(sh->lock_path);
    site_env_fini(&sh->environment);
    conf_free(sh->conf);
}
