/* sched_conn.c - what the shell has to do with schedulers (wire.md 12): who may be one,
 * and the bytes on the secondary connection, which carries no requests.
 *
 * Who is registered, and which command is sent when, is the core's business.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/client.h"
#include "server/shell/outbox.h"

#include <string.h>

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

enum trust sched_conn_may_register(struct client *c, const char *sched)
{
    if (!sched_conn_is_schedulers_user(c))
        return TRUST_NO;
    if (c->local)
        return TRUST_YES;
    return trust_has_sched(c->all->sh, &c->seeker, sched, c->peer.sin_addr);
}

/* "+0": the end of a cycle, whatever the number. Anything else ends the link. */
void sched_conn_packet(struct client *c, const char *data, size_t len)
{
    struct shell *sh = c->all->sh;
    struct effects *out = outbox_effects(sh->outbox);
    struct dis_in in = { data, data + len, out->arena };
    int32_t value;

    if (client_is_closing(c))
        return;
    /* Several numbers may come in one packet. */
    while (in.at < in.end) {
        if (dis_get_int(&in, &value) != DIS_OK) {
            client_happens(c, LIFE_EV_CLOSE);
            return;
        }
        svr_sched_done(sh->svr, shell_now(sh), c->number, out);
    }
}

void sched_conn_command(struct client *c, int32_t command, const char *job_id)
{
    const struct shell *sh = c->all->sh;
    struct buf bytes = { 0 };

    MUST(c->life == LIFE_COMMANDS);
    dis_put_int(&bytes, command);
    if (job_id)
        dis_put_string(&bytes, job_id);
    conn_send_packet(c->conn, PACKET_DATA, bytes.data, bytes.len);
    buf_fini(&bytes);
    logfile_printf(sh->log, LOG_EV_SCHED, LOG_IN_SERVER, sh->daemon,
                   "Scheduler sent command %d", command);
}
