/* committer.c - the store thread.
 *
 * Loop and thread share one slot under a mutex: a job goes in, its result comes out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/committer.h"

#include "server/shell/accounting.h"
#include "server/shell/outbox.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RETRY_MS      250
/* Another reason than the last is a line of the log, but not more often. */
#define SAY_MS        60000
#define DAY_S         86400

/* Old journal rows go every hour, and so many behind one commit. */
#define PRUNE_EVERY_S 3600
#define PRUNE_ROWS    2000

struct commit {
    struct store_record *records;
    size_t n_records, cap_records;
    struct store_note note;
    size_t n_notes;
    char *note_synced; /* NULL, or its value when the files are synced */
    size_t n_files;
    int *files;
    bool synced; /* it was tried */
    int sync_err;
};

enum slot {
    SLOT_IDLE,
    SLOT_GIVEN,
    SLOT_DONE
};

struct committer {
    struct shell *sh;
    pthread_t thread;
    struct loop_notify *done;
    struct loop_timer *retry, *lost;
    int64_t pruned_at;
    bool failing;             /* since the last commit that ended */
    struct diag reason, said; /* the last one, and the one that is in the log */
    int64_t said_ms;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t given;
    enum slot slot;
    bool quit;
    struct commit *commit;
    int64_t prune_before_at; /* 0: nothing to prune */
    bool prune_more;         /* there was more than may go at once */
    int err;
    bool out_of_reach; /* it may be back any moment, see store.h */
    struct diag why;
};

struct commit *commit_new(void)
{
    return xcalloc(1, sizeof(struct commit));
}

void commit_free(struct commit *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_files; i++)
        close(c->files[i]);
    free(c->files);
    free(c->note_synced);
    if (c->n_notes) {
        free((char *)c->note.key);
        free((char *)c->note.value);
    }
    free(c->records);
    free(c);
}

void commit_add(struct commit *c, struct store_record rec, bool with_last)
{
    /* The last record says up to where the commit makes the journal durable. */
    MUST(c->n_records == 0 || c->records[c->n_records - 1].seq <= rec.seq);
    /* Doubling keeps the cost of adding constant. */
    if (c->n_records == c->cap_records) {
        c->cap_records = c->cap_records ? 2 * c->cap_records : 64;
        c->records = xrealloc(c->records, c->cap_records * sizeof(*c->records));
    }
    MUST(!with_last || c->n_records > 0);
    if (with_last)
        c->records[c->n_records - 1].with_next = true;
    c->records[c->n_records++] = rec;
}

void commit_note(struct commit *c, const char *key, const char *value, size_t len)
{
    MUST(c->n_notes == 0);
    c->note = (struct store_note){ xstrdup(key), xstrndup(value, len) };
    c->n_notes = 1;
}

void commit_sync(struct commit *c, int fd)
{
    MUST(fd >= 0); /* the commit owns it from here on, and closes it */
    c->files = xrealloc(c->files, (c->n_files + 1) * sizeof(*c->files));
    c->files[c->n_files++] = fd;
}

void commit_note_synced(struct commit *c, const char *value, size_t len)
{
    MUST(c->n_notes == 1 && !c->note_synced);
    c->note_synced = xstrndup(value, len);
}

bool commit_is_empty(const struct commit *c)
{
    return c->n_records == 0 && c->n_notes == 0;
}

size_t commit_n_records(const struct commit *c)
{
    return c->n_records;
}

const char *commit_note_value(const struct commit *c)
{
    return c->n_notes ? c->note.value : NULL;
}

/* A descriptor reports a failure only once, and a second fdatasync() would succeed. A
 * commit that is tried again therefore keeps the result of its first try. */
int commit_sync_files(struct commit *c)
{
    if (c->synced)
        return c->sync_err;
    c->synced = true;
    MUST(!c->note_synced || c->n_notes == 1);
    for (size_t i = 0; i < c->n_files; i++)
        if (fdatasync(c->files[i]) < 0)
            c->sync_err = errno;
    /* The lines are in the file now, so the note can do without them. */
    if (c->sync_err == 0 && c->note_synced) {
        free((char *)c->note.value);
        c->note.value = c->note_synced;
        c->note_synced = NULL;
    }
    return c->sync_err;
}

static int commit_run(struct store *store, struct commit *c, struct diag *why)
{
    struct store_batch batch;

    MUST(!commit_is_empty(c));
    /* A failed sync does not keep the records from being stored; accounting learns of
     * it afterwards. */
    (void)commit_sync_files(c);
    batch = (struct store_batch){ .n_records = c->n_records,
                                  .records = c->records,
                                  .n_notes = c->n_notes,
                                  .notes = &c->note };
    return store_commit(store, &batch, why);
}

/* A record contradicts the store. What was decided before is fact all the same; its
 * lines of the accounting file are lost, since their place is noted with the whole
 * commit. */
static void save_before(struct store *store, const struct commit *c, struct diag *why)
{
    const struct store_batch batch = { .n_records = c->n_records,
                                       .records = c->records };
    struct diag first = *why, ignored;
    uint64_t seq;

    if (store_commit_before(store, &batch, &seq, &ignored) == 0)
        (void)diag_set(why, PBSE_INTERNAL,
                       "%.180s; what was decided before record %" PRIu64 " is saved",
                       first.text, seq);
}

/* The thread works on the commit in the slot. It holds the lock when it comes and when
 * it leaves, but not while it writes: the loop never waits for a disk. */
static void slot_work(struct committer *k)
{
    struct commit *c = k->commit;
    int64_t prune_before_at = k->prune_before_at;
    struct diag why = { 0 }, ignored;
    uint64_t n_pruned = 0;
    int err;

    MUST(c); /* the loop frees a commit only after its result was taken */
    pthread_mutex_unlock(&k->lock);
    err = commit_run(k->sh->store, c, &why);
    if (err == PBSE_INTERNAL)
        save_before(k->sh->store, c, &why);
    /* Old journal rows are only in the way; another hour will do as well. */
    if (!err && prune_before_at &&
        store_journal_prune(k->sh->store, prune_before_at, PRUNE_ROWS, &n_pruned,
                            &ignored))
        n_pruned = 0;
    pthread_mutex_lock(&k->lock);
    k->prune_more = n_pruned == PRUNE_ROWS;
    k->err = err;
    k->out_of_reach = err && store_is_out_of_reach(k->sh->store);
    k->why = why;
    k->slot = SLOT_DONE;
    loop_notify_poke(k->done);
    if (err)
        return;
    pthread_mutex_unlock(&k->lock); /* nobody waits for this */
    store_tidy(k->sh->store);
    pthread_mutex_lock(&k->lock);
}

static void *thread_main(void *arg)
{
    struct committer *k = arg;

    pthread_mutex_lock(&k->lock);
    /* What was given is finished even at the end. */
    while (!k->quit || k->slot == SLOT_GIVEN) {
        if (k->slot == SLOT_GIVEN)
            slot_work(k);
        else
            pthread_cond_wait(&k->given, &k->lock);
    }
    pthread_mutex_unlock(&k->lock);
    return NULL;
}

static unsigned wait_s(const struct committer *k)
{
    return MAX_OF(k->sh->conf->store_wait_s, 1u);
}

static void give(struct committer *k)
{
    pthread_mutex_lock(&k->lock);
    /* One commit is under way at a time, and a failed one is tried again unchanged. */
    MUST(k->commit && k->slot == SLOT_IDLE);
    k->slot = SLOT_GIVEN;
    pthread_cond_signal(&k->given);
    pthread_mutex_unlock(&k->lock);
}

static void on_retry(void *arg)
{
    give(arg);
}

/* Once, and again when there is something else to say: "the server closed the
 * connection" comes before the reason why it does not come back. */
static void say_failing(struct committer *k)
{
    int64_t now_ms = clock_mono_ms();

    if (*k->said.text &&
        (strcmp(k->said.text, k->reason.text) == 0 || now_ms < k->said_ms + SAY_MS))
        return;
    shell_log(k->sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER,
              "the store cannot be written, changes are refused: %s", k->reason.text);
    k->said = k->reason;
    k->said_ms = now_ms;
}

/* A database that has gone is waited for (on_lost() ends that). One that says it cannot
 * has said all that there is to say, so that nobody has to wait for anything. */
static void commit_failed(struct committer *k)
{
    MUST(k->commit); /* the very same one is tried again */
    svr_set_store_failed(k->sh->svr, true);
    k->failing = true;
    k->reason = k->why;
    say_failing(k);
    if (!k->out_of_reach)
        outbox_give_up(k->sh->outbox);
    if (!k->sh->stopping)
        loop_timer_set(k->retry, RETRY_MS);
    else
        k->sh->status = 3; /* shell_stop() will not wait for ever */
}

/* The commit took longer than store_wait_s, whether the store fails or does not answer.
 * Clients that wait for it are refused. */
static void on_lost(void *arg)
{
    struct committer *k = arg;

    MUST(k->commit); /* recovered() stops the timer before the commit is freed */
    svr_set_store_failed(k->sh->svr, true);
    k->failing = true;
    shell_log(
        k->sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER,
        "the store has not saved anything for %u seconds: whoever waits for it is "
        "told so, changes are refused; it is tried on: %s",
        wait_s(k), *k->reason.text ? k->reason.text : "there is no answer yet");
    outbox_give_up(k->sh->outbox);
}

/* Another server has taken the store over. This one ends without a further reply, since
 * nothing that it says would be durable. */
static void fenced(struct committer *k)
{
    shell_log(k->sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER,
              "the store is not this server's any more, it ends: %s", k->why.text);
    k->sh->status = 3;
    loop_stop(k->sh->loop);
}

/* A mistake of ours, which the next try would meet again. A start makes the model of
 * what is stored, so this one ends; whoever waits is not answered, and looks again. */
static void contradicted(struct committer *k)
{
    shell_log(k->sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER,
              "what is to be saved cannot be true, which is a fault of this program: "
              "%s; the server ends: start it again, and report this line",
              k->why.text);
    k->sh->status = 3;
    loop_stop(k->sh->loop);
}

static void recovered(struct committer *k)
{
    loop_timer_clear(k->lost);
    svr_set_store_failed(k->sh->svr, false);
    if (k->failing)
        shell_log(k->sh, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER,
                  "the store can be written again");
    k->failing = false;
    k->reason = k->said = (struct diag){ 0 };
}

static void on_done(void *arg)
{
    struct committer *k = arg;
    struct commit *c = k->commit;
    uint64_t seq = c->n_records ? c->records[c->n_records - 1].seq : 0;
    int err;

    /* The lock makes what the thread has written visible here. */
    pthread_mutex_lock(&k->lock);
    MUST(k->slot == SLOT_DONE); /* the thread pokes once for each result */
    err = k->err;
    k->slot = SLOT_IDLE;
    pthread_mutex_unlock(&k->lock);
    if (err) {
        /* Only a lease that another server holds ends the server; any other failure is
         * tried again. */
        if (err == PBSE_OBJBUSY)
            fenced(k);
        else if (err == PBSE_INTERNAL)
            contradicted(k);
        else
            commit_failed(k);
        return;
    }
    recovered(k);
    if (c->n_files > 0)
        accounting_synced(k->sh->accounting, c->sync_err);
    k->commit = NULL;
    commit_free(c);
    /* The next commit may begin with this call, so the slot is empty before. */
    outbox_committed(k->sh->outbox, seq);
}

void committer_start(struct committer *k, struct commit *c)
{
    int64_t now_at = shell_now(k->sh);
    unsigned days = k->sh->conf->journal_days;

    MUST(!k->commit); /* the order of commits is the order of the journal */
    k->commit = c;
    k->prune_before_at = 0;
    /* Old rows are removed a few at a time behind a commit, so that no commit waits
     * long. */
    if (days > 0 && (k->prune_more || now_at >= k->pruned_at + PRUNE_EVERY_S)) {
        k->prune_before_at = now_at - (int64_t)days * DAY_S;
        k->pruned_at = now_at;
    }
    loop_timer_set(k->lost, (int64_t)wait_s(k) * 1000);
    give(k);
}

struct committer *committer_new(struct shell *sh)
{
    struct committer *k = xcalloc(1, sizeof(*k));
    sigset_t all, before;
    int err;

    k->sh = sh;
    k->done = loop_notify_new(sh->loop, on_done, k);
    k->retry = loop_timer_new(sh->loop, on_retry, k);
    k->lost = loop_timer_new(sh->loop, on_lost, k);
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->given, NULL);
    sigfillset(&all); /* signals are the loop's business */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&k->thread, NULL, thread_main, k);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    /* Without the thread nothing could ever be stored. */
    if (err)
        abort();
    return k;
}

void committer_free(struct committer *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->quit = true;
    pthread_cond_signal(&k->given);
    pthread_mutex_unlock(&k->lock);
    /* The thread still uses the commit until it has ended. */
    pthread_join(k->thread, NULL);
    MUST(k->slot != SLOT_GIVEN); /* the thread ends when it has done all */
    loop_notify_free(k->done);
    loop_timer_free(k->retry);
    loop_timer_free(k->lost);
    pthread_mutex_destroy(&k->lock);
    pthread_cond_destroy(&k->given);
    commit_free(k->commit);
    free(k);
}
