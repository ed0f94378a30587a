/* pbs_rmget.c - ask the MoM of a host about it (tpp.md 9).
 *
 * A leaf of the router network that speaks to one MoM: it proves itself to the router
 * as a daemon does, so only who may run daemons here can run it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"
#include "cmds/common/json.h"
#include "lib/base/printable.h"
#include "lib/io/conf.h"
#include "lib/io/loop.h"
#include "lib/io/net.h"
#include "lib/tpp/leaf.h"
#include "lib/wire/rm.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CMD     "pbs_rmget"
#define WAIT_MS 30000 /* a command of the MoM's configuration may take 10 s */

static const char usage[] =
    "Usage: pbs_rmget [-m host] [-p port] [-F json] name...\n"
    "       pbs_rmget --version | --help\n"
    "Asks the MoM of a host (this one by default) and prints a line for each name:\n"
    "name=value, or name=? and a code when there is none. Names are loadave, ncpus,\n"
    "physmem, availmem, totmem, uname, arch, nusers, nsessions, sessions, idletime,\n"
    "reslist, size[fs=/path], cput[session=N] and others; see pbs_rmget(8).\n";

struct asking {
    struct loop *loop;
    struct leaf *leaf;
    struct tpp_addr mom;
    struct wire_strings names;
    const char *host;
    bool as_json;       /* not a line for each name */
    uint64_t stream;    /* 0: nothing has been asked yet */
    const char *failed; /* in words; NULL: it was answered */
    int code;
};

static void stop(struct asking *a, const char *failed)
{
    a->failed = failed;
    loop_stop(a->loop);
}

static void on_up(void *arg)
{
    struct asking *a = arg;
    const struct rm_request rq = { .command = RM_REQUEST, .texts = a->names };
    struct buf b = { 0 };

    if (a->stream)
        return;
    a->stream = leaf_open_addr(a->leaf, &a->mom);
    rm_request_encode(&b, &rq);
    if (!a->stream || !leaf_send(a->leaf, a->stream, b.data, b.len))
        stop(a, "the router is gone");
    buf_fini(&b);
}

/* A terminal shows the text and does not obey it: it comes from another host. */
static void print_line(FILE *to, const char *before, const char *text)
{
    struct buf line = { 0 };

    buf_add_printable(&line, text, strlen(text));
    fprintf(to, "%s%s\n", before, line.len > 0 ? line.data : "");
    buf_fini(&line);
}

/* What stands behind "name=", and whether that is "? CODE"; NULL: the answer is to
 * another question. */
static const char *value_of(const char *answer, const char *name, bool *ret_is_code)
{
    size_t len = strlen(name);
    const char *value = answer + len + 1;

    if (strncmp(answer, name, len) != 0 || answer[len] != '=')
        return NULL;
    *ret_is_code = value[0] == '?' && value[1] == ' ' && value[2] &&
                   !value[2 + strspn(value + 2, "0123456789")];
    return value;
}

/* {"hosts": {HOST: {"values": {NAME: VALUE}, "codes": {NAME: CODE}}}} */
static void print_json(const struct asking *a, const struct rm_reply *reply)
{
    struct json *json = json_new(time(NULL));

    json_object_begin(json, "hosts", a->host);
    for (size_t i = 0; i < a->names.n; i++) {
        const char *name = a->names.v[i];
        bool is_code;
        const char *value = value_of(reply->texts.v[i], name, &is_code);

        json_attr(json, is_code ? "codes" : "values", name, value + 2 * is_code);
    }
    json_print_and_free(json);
}

/* NULL, or what is wrong with them. A value that was not to be had makes the command's
 * end 1; the others are printed. */
static const char *print_answers(struct asking *a, const struct rm_reply *reply)
{
    if (!reply->is_ok) {
        print_line(stderr, CMD ": ",
                   reply->texts.n > 0 ? reply->texts.v[0] : "refused");
        a->code = 1;
        return NULL;
    }
    for (size_t i = 0; i < a->names.n; i++) {
        bool is_code;

        if (reply->texts.n != a->names.n ||
            !value_of(reply->texts.v[i], a->names.v[i], &is_code))
            return "the answer cannot be read";
        a->code |= is_code;
    }
    if (a->as_json)
        print_json(a, reply);
    for (size_t i = 0; i < a->names.n && !a->as_json; i++)
        print_line(stdout, "", reply->texts.v[i]);
    return NULL;
}

static void on_message(void *arg, uint64_t stream, const struct tpp_addr *peer,
                       const char *data, size_t len)
{
    struct arena *arena = arena_new();
    struct asking *a = arg;
    struct rm_reply reply = { 0 };

    (void)peer;
    if (stream == a->stream)
        stop(a, rm_reply_decode(data, len, arena, &reply) == DIS_OK
                    ? print_answers(a, &reply)
                    : "the answer cannot be read");
    arena_free(arena);
}

static void on_closed(void *arg, uint64_t stream)
{
    struct asking *a = arg;

    if (stream == a->stream)
        stop(a, "the MoM does not answer this host, or is not there");
}

static void on_down(void *arg)
{
    (void)arg;
}

static void on_log(void *arg, int event, const char *text)
{
    (void)arg;
    (void)event;
    (void)text;
}

static void on_limit(void *arg)
{
    struct asking *a = arg;

    stop(a, a->stream
                ? "no answer in time"
                : "no router lets this command join; it needs the rights of a daemon");
}

/* A port that nobody else has while 'fd' is open: part of this leaf's address. */
static bool take_port(int *fd, uint16_t *port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET };
    socklen_t size = sizeof(addr);

    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return false;
    if (bind(*fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0 &&
        getsockname(*fd, (struct sockaddr *)&addr, &size) == 0) {
        *port = ntohs(addr.sin_port);
        return true;
    }
    close(*fd);
    return false;
}

static int make_leaf(struct asking *a, const struct conf *conf, uint16_t port,
                     struct diag *why)
{
    struct leaf_config cfg = { .loop = a->loop,
                               .node_type = TPP_LEAF,
                               .events = { .message = on_message,
                                           .closed = on_closed,
                                           .down = on_down,
                                           .up = on_up,
                                           .log = on_log,
                                           .arg = a } };

    return leaf_new_by_conf(conf, port, false, &cfg, &a->leaf, why);
}

static int run(struct asking *a)
{
    struct loop_timer *limit = loop_timer_new(a->loop, on_limit, a);

    loop_timer_set(limit, WAIT_MS);
    a->failed = "stopped";
    loop_run(a->loop);
    loop_timer_free(limit);
    if (a->failed)
        fprintf(stderr, CMD ": %s\n", a->failed);
    return a->failed ? 2 : a->code;
}

static int ask(struct asking *a, const struct conf *conf)
{
    struct diag why;
    uint16_t port;
    int fd, code = 2;

    if (!take_port(&fd, &port)) {
        fprintf(stderr, CMD ": no port is free\n");
        return 2;
    }
    a->loop = loop_new();
    if (!a->loop) {
        fprintf(stderr, CMD ": the system refuses an event loop\n");
    } else if (make_leaf(a, conf, port, &why) != 0) {
        fprintf(stderr, CMD ": %s\n", why.text);
    } else {
        code = run(a);
        leaf_free(a->leaf);
    }
    loop_free(a->loop);
    close(fd);
    return code;
}

/* Where the MoM of 'host' is on the router network: its second port. */
static bool find_mom(const char *host, unsigned port, struct tpp_addr *ret)
{
    struct in_addr ip;
    struct diag why;

    if (net_resolve(host, &ip, &why) != 0) {
        fprintf(stderr, CMD ": %s\n", why.text);
        return false;
    }
    *ret = tpp_addr_ipv4(ntohl(ip.s_addr), (uint16_t)port);
    return true;
}

static bool read_port(const char *text, unsigned *ret)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (end == text || *end || n < 1 || n > UINT16_MAX)
        return false;
    *ret = (unsigned)n;
    return true;
}

int main(int argc, char **argv)
{
    char own[256];
    const char *host = own;
    unsigned port = 0;
    struct conf *conf = NULL;
    struct asking a = { 0 };
    struct diag why;
    int c, code = 2;

    if (cmd_told(argc, argv, usage))
        return cmd_finish(CMD, 0);
    net_host_name(own, sizeof(own));
    while ((c = getopt(argc, argv, "m:p:F:")) != -1) {
        if (c == 'm' && *optarg) {
            host = optarg;
        } else if (c == 'F' && strcmp(optarg, "json") == 0) {
            a.as_json = true;
        } else if (c != 'p' || !read_port(optarg, &port)) {
            fputs(usage, stderr);
            return 2;
        }
    }
    for (int i = optind; i < argc; i++)
        if (!*argv[i])
            optind = argc; /* an empty name would end the list of names */
    if (optind == argc) {
        fputs(usage, stderr);
        return 2;
    }
    a.names = (struct wire_strings){ .n = (size_t)(argc - optind),
                                     .v = (const char **)argv + optind };
    a.host = host;
    if (conf_load(&conf, &why) != 0)
        fprintf(stderr, "%s\n", why.text);
    else if (find_mom(host, port ? port : conf->manager_port, &a.mom))
        code = ask(&a, conf);
    conf_free(conf);
    return cmd_finish(CMD, code);
}
