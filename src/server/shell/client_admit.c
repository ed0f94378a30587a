/* client_admit.c - whose a connection is, and whether there is room for it.
 *
 * A connection on the local socket is authenticated by the kernel's word on its peer,
 * as soon as the name of that uid is known. One on TCP is a stranger until a method of
 * wire.md 4 makes it somebody.
 * When the table is full the oldest stranger goes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client.h"

#include <stdio.h>
#include <unistd.h>
#include <utlist.h>

/* It belongs to 'key' from now on, and its memory is counted there. */
static void enter(struct client *c, enum crowd_rank rank, const char *key)
{
    c->rank = rank;
    c->share = crowd_enter(&c->all->crowd, rank, key);
    conn_set_budget(c->conn, &c->share->memory);
    budget_recount(&c->share->memory, 0, c->counted);
}

void client_leave(struct client *c)
{
    struct clients *cs = c->all;

    budget_recount(&c->share->memory, c->counted, 0);
    conn_set_budget(c->conn, NULL);
    crowd_leave(&cs->crowd, c->rank, c->share);
    if (c->rank == CROWD_STRANGER)
        DL_DELETE2(cs->strangers, c, s_prev, s_next);
}

static void set_max_message(struct client *c)
{
    /* Root sends what users never need, such as large lists. */
    bool is_root = c->server_uid || c->host_root;

    conn_set_max_frame(c->conn, is_root ? CONN_MAX_FRAME_BYTES : CLIENT_MAX_USER_BYTES);
}

/* Say that somebody has to go or is refused: at most one line a minute. */
static void log_crowd(struct clients *cs, enum crowd_verdict verdict, const char *key)
{
    static const char *const words[] = {
        [CROWD_FOR_STRANGER] =
            "unauthenticated ones are dropped, those first of whoever "
            "has most of them",
        [CROWD_FOR_IDLE] = "idle ones are dropped of the user who has most",
        [CROWD_USER_FULL] = "further ones of that user are refused, see "
                            "PBS_LIMIT_USER_CONNECTIONS",
        [CROWD_FULL] = "further ones are refused",
    };
    const struct crowd *w = &cs->crowd;
    int64_t now_at = shell_now(cs->sh);

    /* Many connections at once must not fill the log. */
    if (cs->crowded_at && now_at < cs->crowded_at + 60)
        return;
    cs->crowded_at = now_at;
    shell_log(cs->sh, LOG_EV_SECURITY, LOG_IN_REQUEST,
              "%zu connections, %zu of them unauthenticated, and one more from %s: %s",
              crowd_size(w), w->n[CROWD_STRANGER], key, words[verdict]);
}

static bool is_idle(const struct client *c)
{
    /* A client that waits for a reply, or sends or reads something, is not idle. */
    bool rests = c->life == LIFE_READY || c->life == LIFE_RESTING;

    return rests && c != c->all->serving && c->message.len == c->message_at &&
           conn_unsent_bytes(c->conn) == 0;
}

static bool drop_stranger_of(struct clients *cs, const struct share *whose)
{
    struct client *c;

    /* The list is in the order of arrival, so the oldest one goes. */
    DL_FOREACH2 (cs->strangers, c, s_next)
        if (c->share == whose && c != cs->serving) { /* it may speak for another */
            client_gone(c);
            return true;
        }
    return false;
}

static bool drop_idle_of(struct clients *cs, const struct share *whose)
{
    struct client *c;

    DL_FOREACH (cs->list, c)
        if (c->share == whose && is_idle(c)) {
            client_gone(c);
            return true;
        }
    return false;
}

bool clients_make_room(struct clients *cs, enum crowd_rank rank, const char *key)
{
    const struct share *whose = NULL;
    enum crowd_verdict verdict = crowd_asks(&cs->crowd, rank, key, &whose);

    if (verdict == CROWD_COME_IN)
        return true;
    /* The administrator hears of it, whoever has to go. */
    log_crowd(cs, verdict, key);
    if (verdict == CROWD_FOR_STRANGER)
        return drop_stranger_of(cs, whose);
    return verdict == CROWD_FOR_IDLE && drop_idle_of(cs, whose);
}

static enum crowd_rank rank_of(const struct client *c)
{
    const struct shell *sh = c->all->sh;

    if (c->server_uid || c->host_root)
        return CROWD_ROOT;
    if (sched_conn_is_schedulers_user(c) || svr_is_staff(sh->svr, c->user, c->host))
        return CROWD_STAFF;
    return CROWD_USER;
}

/* It has proved whose it is. Who gets no room is told, and its connection ends. */
static void come_in(struct client *c)
{
    enum crowd_rank rank = rank_of(c);
    bool room = clients_make_room(c->all, rank, c->user);

    /* Those who are turned away are counted apart, so they cannot fill the room of
     * others. */
    enter(c, room ? rank : CROWD_TURNED_AWAY, c->user);
    set_max_message(c);
    if (!room)
        client_refuse(c, 0, c->user, PBSE_NOCONNECTS, true);
}

void client_is_known(struct client *c)
{
    /* Who has been somebody before stays what it was. */
    if (c->rank != CROWD_STRANGER)
        return;
    client_leave(c);
    come_in(c);
}

void clients_sweep(void *arg)
{
    struct clients *cs = arg;
    int64_t now_ms = clock_mono_ms();

    /* The list is in the order of arrival, so the first one is due first. */
    while (cs->strangers && cs->strangers->since_ms + cs->stranger_ms <= now_ms) {
        shell_log(cs->sh, LOG_EV_DEBUG, LOG_IN_REQUEST,
                  "timeout connection from %s: not authenticated in time",
                  cs->strangers->host);
        client_gone(cs->strangers);
    }
    if (cs->strangers)
        loop_timer_set(cs->sweep, cs->strangers->since_ms + cs->stranger_ms - now_ms);
}

void client_enter_stranger(struct client *c, const char *key)
{
    struct clients *cs = c->all;

    c->since_ms = clock_mono_ms();
    enter(c, CROWD_STRANGER, key);
    DL_APPEND2(cs->strangers, c, s_prev, s_next);
    if (!loop_timer_is_set(cs->sweep))
        loop_timer_set(cs->sweep, cs->stranger_ms);
}

/* The kernel has told the uid of its peer, and a name service the name. */
static void become_local(struct client *c, const char *user)
{
    snprintf(c->user, sizeof(c->user), "%s", user);
    /* Root, and the user who runs the server, could change its store as well. */
    c->server_uid = c->uid == 0 || c->uid == geteuid();
    /* While its name was looked up it counted as a stranger. */
    if (c->share)
        client_leave(c);
    come_in(c);
}

/* The kernel has told whose it is, so it counts as a user's, by its uid until that has
 * a name. When users have no room it may be one of the staff: it waits among strangers.
 */
static void wait_for_name(struct client *c, const char *uid)
{
    struct clients *cs = c->all;
    const struct share *whose = NULL;
    bool too_many = crowd_asks(&cs->crowd, CROWD_USER, uid, &whose) == CROWD_USER_FULL;

    if (!too_many && clients_make_room(cs, CROWD_USER, uid)) {
        enter(c, CROWD_USER, uid);
        client_happens(c, LIFE_EV_LOOK);
    } else if (!too_many && clients_make_room(cs, CROWD_STRANGER, uid)) {
        client_enter_stranger(c, uid);
        client_happens(c, LIFE_EV_LOOK);
    } else {
        enter(c, CROWD_TURNED_AWAY, uid);
        client_refuse(c, 0, uid, PBSE_NOCONNECTS, true);
    }
}

static void refuse_local(struct client *c, const char *uid, const char *why)
{
    shell_log(c->all->sh, LOG_EV_SECURITY, LOG_IN_REQUEST, "local client refused: %s",
              why ? why : "no name service tells the name of its uid");
    if (!c->share)
        enter(c, CROWD_TURNED_AWAY, uid);
    client_happens(c, LIFE_EV_CLOSE);
}

void client_name_local(struct client *c)
{
    char uid[24];
    const struct need need = { .kind = NEED_USER, .name = uid };
    const struct finding *f;

    /* The number is the question. Names of accounts are found by a service. */
    snprintf(uid, sizeof(uid), "%lu", (unsigned long)c->uid);
    f = lookup(c->all->sh->lookups, &c->seeker, &need);
    if (!f) {
        wait_for_name(c, uid);
        return;
    }
    if (f->found)
        become_local(c, f->words);
    else
        refuse_local(c, uid, f->words);
    seeker_end(&c->seeker);
}
