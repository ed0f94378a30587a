/* sched_conn.c - the two connections of a scheduler (wire.md 12).
 *
 * Which commands are sent and when is the core's business; here it is only known which
 * connection is the first and which the second, and from where a scheduler may come.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client.h"
#include "server/shell/outbox.h"
#include "server/shell/trust.h"

#include <string.h>
#include <utlist.h>

static struct client *conn_of_sched(struct clients *cs, const char *sched,
                                    enum sched_role role)
{
    struct client *c;

    DL_FOREACH (cs->list, c)
        if (c->role == role && !c->closing && strcmp(c->sched, sched) == 0)
            return c;
    return NULL;
}

/* Whom the settings name as the scheduler's user; over TCP also root, since there no
 * kernel has told its uid. Names that only methods of authentication know count over
 * TCP alone. */
bool sched_conn_is_schedulers_user(const struct client *c)
{
    const struct conf *conf = c->all->sh->conf;

    if (str_same(c->user, conf->daemon_service_user))
        return true;
    return !c->local && (strcmp(c->user, "root") == 0 ||
                         str_same(c->user, conf->daemon_service_auth_user) ||
                         str_same(c->user, conf->privileged_auth_user));
}

bool sched_conn_may_register(const struct client *c, const char *sched)
{
    return sched_conn_is_schedulers_user(c) &&
           (c->local || trust_has_sched(c->all->sh, sched, c->peer.sin_addr));
}

void sched_conn_registered(struct client *c, const char *sched)
{
    struct shell *sh = c->all->sh;
    const struct client *first = conn_of_sched(c->all, sched, ROLE_FIRST);

    c->role = first ? ROLE_SECOND : ROLE_FIRST;
    c->sched = xstrdup(sched);
    conn_set_idle(c->conn, 0);
    if (first)
        svr_sched_attached(sh->svr, shell_now(sh), sched, first->number,
                           outbox_effects(sh->outbox));
}

/* "+0": the end of a cycle, whatever the number. Anything else ends the link. */
void sched_conn_packet(struct client *c, const char *data, size_t len)
{
    struct shell *sh = c->all->sh;
    struct effects *out = outbox_effects(sh->outbox);
    struct dis_in in = { data, data + len, out->arena };
    int32_t value;

    if (c->closing)
        return;
    while (in.at < in.end) {
        if (dis_get_int(&in, &value) != DIS_OK) {
            c->closing = true;
            conn_finish(c->conn);
            return;
        }
        svr_sched_done(sh->svr, shell_now(sh), c->sched, out);
    }
}

void clients_sched_command(struct clients *cs, const char *sched, int32_t command,
                           const char *job_id)
{
    struct client *c = conn_of_sched(cs, sched, ROLE_SECOND);
    struct buf bytes = { 0 };

    if (!c)
        return;
    dis_put_int(&bytes, command);
    if (job_id)
        dis_put_string(&bytes, job_id);
    conn_send_packet(c->conn, PACKET_DATA, bytes.data, bytes.len);
    buf_fini(&bytes);
    logfile_printf(cs->sh->log, LOG_EV_SCHED, LOG_IN_SERVER, cs->sh->daemon,
                   "Scheduler sent command %d", command);
}
