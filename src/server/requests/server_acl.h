/* server_acl.h - who may talk to the server at all (attributes.md 4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_SERVER_ACL_H
#define SERVER_REQUESTS_SERVER_ACL_H

#include "server/decide/request.h"

/* The server's acl_hosts (15008: the connection ends) and acl_users (15007), when they
 * are enabled. The server's own host, daemons, and with acl_host_moms_enable the hosts
 * of MoMs pass the first; managers and operators the second. 0: may go on. NEEDED, as
 * in know.h: the addresses of the requester's host are not known yet. */
int server_lets_in(const struct model *m, const struct request *rq) MUST_CHECK;

#endif
