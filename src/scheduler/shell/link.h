/* link.h - one connection of the scheduler to the server: requests with their replies,
 * or commands with their acknowledgements.
 *
 * The scheduler has nothing else to do while it waits for an answer, so calls block,
 * but for no longer than LINK_TIMEOUT_MS, and a signal that ends the daemon ends the
 * wait. After a failure the link is of no use any more; link_close() it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_LINK_H
#define SCHEDULER_SHELL_LINK_H

#include "lib/base/diag.h"
#include "lib/io/conf.h"
#include "lib/wire/batch.h"
#include "scheduler/shell/resolver.h"

#define LINK_TIMEOUT_MS  600000
#define LINK_PACKET_MAX  (256u << 20)
#define LINK_OBJECTS_MAX 10000000

struct link;

/* Connect to the server of the settings and greet it: over its local socket where it is
 * on this host and answers there, else over TCP with PBS_AUTH_METHOD and
 * PBS_ENCRYPT_METHOD. 'user' names the caller in every request. A PBSE code with words
 * otherwise. */
int link_open(const struct conf *conf, struct resolver *resolver, const char *user,
              struct link **ret, struct diag *why) MUST_CHECK;

/* The same to another server, "host[:port]", over TCP. It is not waited for as long as
 * the own one: LINK_PEER_CONNECT_MS, then LINK_PEER_MS for each answer. */
#define LINK_PEER_CONNECT_MS 5000
#define LINK_PEER_MS         40000
int link_open_peer(const struct conf *conf, struct resolver *resolver,
                   const char *server, const char *user, struct link **ret,
                   struct diag *why) MUST_CHECK;

/* The same over the local socket of that path. */
int link_open_local(const char *path, const char *user, struct link **ret,
                    struct diag *why) MUST_CHECK;

void link_close(struct link *l); /* NULL is fine */

/* Send a request that has no reply. */
int link_send(struct link *l, const struct wire_request *rq,
              struct diag *why) MUST_CHECK;

/* Send a request and wait for its reply; the parts of a long one are joined. 0 when a
 * reply came, whatever its code. All memory is from 'arena'. */
int link_call(struct link *l, const struct wire_request *rq, struct arena *arena,
              struct wire_reply *ret, struct diag *why) MUST_CHECK;

/* Read the reply to a request that link_send() has sent: a short one, which comes in
 * one part. Replies come in the order of the requests, so all of them are read before
 * the next link_call(). */
int link_read_reply(struct link *l, struct arena *arena, struct wire_reply *ret,
                    struct diag *why) MUST_CHECK;

/* A command of the server (wire.md 12.3); *job_id is set for command 11. Waits for
 * 'timeout_ms' (< 0: until one comes or a signal). *command is -1 when none came. */
int link_read_command(struct link *l, int64_t timeout_ms, struct arena *arena,
                      int32_t *command, const char **job_id,
                      struct diag *why) MUST_CHECK;

/* Tell that the command is done. */
int link_send_done(struct link *l, struct diag *why) MUST_CHECK;

/* A call has failed in a way after which the link is of no use. */
bool link_is_broken(const struct link *l);

/* The socket, to wait on. */
int link_fd(const struct link *l);

#endif
