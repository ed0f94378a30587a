/* node1.h - the MoM of tests and fuzz targets: node1, 4 cpus, commanded by 10.0.0.1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_MOM_NODE1_H
#define TEST_UNIT_MOM_NODE1_H

#include "mom/mom.h"

#define SERVER_IP   0x0a000001
#define SERVER_PORT 15001

/* The server's leaf. */
static inline const struct tpp_addr *node1_server(void)
{
    static struct tpp_addr addr;

    addr = tpp_addr_ipv4(SERVER_IP, SERVER_PORT);
    return &addr;
}

static inline struct mom_config node1_config(void)
{
    static const uint32_t server_ip = SERVER_IP;

    return (struct mom_config){ .host = "node1",
                                .node_name = "node1",
                                .version = "23.06.06",
                                .port = 15002,
                                .server_port = SERVER_PORT,
                                .server_host = "svr",
                                .ncpus = 4,
                                .mem_kb = 1000,
                                .topology = "hwloc<x/>",
                                .n_server_ips = 1,
                                .server_ips = &server_ip,
                                .min_check_poll_s = 10,
                                .max_check_poll_s = 120,
                                .cputmult = 1,
                                .wallmult = 1 };
}

#endif
