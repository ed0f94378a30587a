/* server.c - is this a server of ours?
 *
 * Whoever runs a server of his own could keep reserved ports busy by answering slowly,
 * and would be told what this host says of its users. So the settings name the servers,
 * and a settings file counts when nobody but root can have written it: the caller names
 * it in the environment. It is opened once, and looked at and read through that
 * descriptor, because its name may mean another file in the next moment.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"
#include "lib/io/conf.h"
#include "lib/io/net.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *path, const char *why)
{
    fprintf(stderr, "pbs_iff: %s: %s\n", path, why);
    return IFF_USAGE;
}

static int read_settings(const char *path, struct conf **ret)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err;
    char again[32];
    struct stat st;
    struct diag why;

    if (fd < 0)
        return refuse(path, strerror(errno));
    snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != 0 ||
        (st.st_mode & S_IWOTH) || ((st.st_mode & S_IWGRP) && st.st_gid != 0))
        err = refuse(path, "others than root could have written it");
    else if (conf_load_file(again, false, ret, &why) != 0)
        err = refuse(path, why.text);
    else
        err = IFF_OK;
    close(fd);
    return err;
}

static bool host_has(const char *host, unsigned port, const struct sockaddr_in *server)
{
    struct addrinfo *list = NULL;
    bool found = false;

    if (port != ntohs(server->sin_port) || net_addresses(host, &list) != 0)
        return false;
    for (const struct addrinfo *i = list; i && !found; i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        found = in->sin_addr.s_addr == server->sin_addr.s_addr;
    }
    freeaddrinfo(list);
    return found;
}

/* One of a comma list "host" or "host:port". */
static bool list_has(const char *names, unsigned port, const struct sockaddr_in *server)
{
    char *list = strdup(names ? names : ""), *save = NULL;
    char host[256];
    unsigned its_port;
    bool found = false;

    for (char *one = list ? strtok_r(list, ", \t", &save) : NULL; one && !found;
         one = strtok_r(NULL, ", \t", &save))
        found = net_split(one, port, host, sizeof(host), &its_port) &&
                host_has(host, its_port, server);
    free(list);
    return found;
}

int iff_check_server(const struct sockaddr_in *server)
{
    const char *path = conf_path();
    char text[NET_TEXT_BYTES];
    struct conf *conf;
    bool known;
    int err = read_settings(path, &conf);

    if (err)
        return err;
    known = list_has(conf->server, conf->batch_port, server) ||
            list_has(conf->server_host_name, conf->batch_port, server) ||
            list_has(conf->primary, conf->batch_port, server) ||
            list_has(conf->secondary, conf->batch_port, server) ||
            list_has(conf->iff_servers, conf->batch_port, server);
    conf_free(conf);
    if (known)
        return IFF_OK;
    fprintf(stderr,
            "pbs_iff: %s is not the server of %s (PBS_SERVER, PBS_PRIMARY, "
            "PBS_SECONDARY; others can be named in PBS_IFF_SERVERS)\n",
            net_text(server, text), path);
    return IFF_USAGE;
}
