/* Fuzz target: pbs.conf.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conf.h"
#include "lib/io/net.h"

#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const char fuzz_frames[] = "";

static void look(const struct conf *c)
{
    char host[256];
    unsigned port;

    FUZZ_CHECK(c->exec && c->home && c->server);
    FUZZ_CHECK(*conf_store(c) && conf_routers(c) && conf_server_host(c));
    FUZZ_CHECK(*conf_cluster_key(c) && *conf_server_socket(c));
    (void)conf_list_has(c->supported_auth_methods, "munge");
    if (net_split(c->server, 15001, host, sizeof(host), &port))
        FUZZ_CHECK(port > 0 && port < 65536);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char path[40];
    struct conf *c = NULL;
    struct diag why = { 0 };
    int fd = memfd_create("pbs.conf", 0);

    FUZZ_CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (conf_load_file(path, false, &c, &why) == 0) {
        look(c);
        conf_free(c);
    } else {
        FUZZ_CHECK(why.code != 0 && *why.text);
    }
    close(fd);
    return 0;
}
