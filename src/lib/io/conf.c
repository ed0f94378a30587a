/* conf.c - reading pbs.conf and the environment into a struct, by a table.
 *
 * A text that is not understood leaves the default, as the format demands; what would
 * make the daemons disagree (a missing name, a host name with a colon) is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conf.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
#define TEXT(n, f, d, doc_)  { .name = n, .kind = CONF_TEXT, .offset = offsetof(struct conf, f), .dflt = d, .doc = doc_ }
#define FILE_ONLY(n, f, doc_) { .name = n, .kind = CONF_TEXT, .offset = offsetof(struct conf, f), .file_only = true, .doc = doc_ }
#define NEED(n, f, doc_)     { .name = n, .kind = CONF_TEXT, .offset = offsetof(struct conf, f), .required = true, .doc = doc_ }
#define HOST(n, f, doc_)     { .name = n, .kind = CONF_HOST, .offset = offsetof(struct conf, f), .doc = doc_ }
#define LOWER(n, f, d, doc_) { .name = n, .kind = CONF_LOWER, .offset = offsetof(struct conf, f), .dflt = d, .doc = doc_ }
#define PORT(n, f, d, doc_)  { .name = n, .kind = CONF_PORT, .offset = offsetof(struct conf, f), .dflt = d, .doc = doc_ }
#define NUMBER(n, f, d, doc_) { .name = n, .kind = CONF_NUMBER, .offset = offsetof(struct conf, f), .dflt = d, .doc = doc_ }
#define BOOL(n, f, d, doc_)  { .name = n, .kind = CONF_BOOL, .offset = offsetof(struct conf, f), .dflt = d, .doc = doc_ }

/* The required ones first, in the order in which a complaint names them. */
static const struct conf_setting settings[] = {
    NEED("PBS_HOME", home, "Directory of the daemons' files."),
    NEED("PBS_EXEC", exec, "Directory of the installation."),
    NEED("PBS_SERVER", server, "Name of the default server."),
    HOST("PBS_SERVER_HOST_NAME", server_host_name, "Host to connect to, when it differs from PBS_SERVER."),
    TEXT("PBS_PRIMARY", primary, NULL, "Host of the primary server of a pair."),
    TEXT("PBS_SECONDARY", secondary, NULL, "Host of the secondary server of a pair."),
    TEXT("PBS_MOM_HOME", mom_home, NULL, "PBS_HOME of the MoM, when that is shared."),
    HOST("PBS_MOM_NODE_NAME", mom_node_name, "Name of the MoM's natural vnode."),
    TEXT("PBS_LEAF_NAME", leaf_name, NULL, "Names under which this end joins the router network."),
    TEXT("PBS_LEAF_ROUTERS", leaf_routers, NULL, "Routers that this end connects to."),
    TEXT("PBS_COMM_NAME", comm_name, NULL, "Own name and port of the router."),
    TEXT("PBS_COMM_ROUTERS", comm_routers, NULL, "Routers that the router connects to."),
    TEXT("PBS_STORE", store, NULL, "Where the server keeps its objects: sqlite:<path> or postgresql:<conninfo>."),
    TEXT("PBS_STORE_PASSWORD_FILE", store_password_file, NULL, "File of mode 0600 whose first line is the password of a PostgreSQL store."),
    TEXT("PBS_TRUSTED_HOSTS", trusted_hosts, NULL, "Hosts whose privileged ports count."),
    TEXT("PBS_IFF_SERVERS", iff_servers, NULL, "Further servers, host or host:port, that pbs_iff vouches to; where they listen."),
    TEXT("PBS_CLUSTER_KEY", cluster_key, NULL, "File of the key that the daemons share."),
    TEXT("PBS_SERVER_SOCKET", server_socket, NULL, "Socket of the server for local clients."),
    TEXT("PBS_RCP", rcp, NULL, "Program for remote copies."),
    TEXT("PBS_SCP", scp, NULL, "Path of scp, to be used for remote copies."),
    TEXT("PBS_SCP_ARGS", scp_args, NULL, "Arguments of scp."),
    TEXT("PBS_CP", cp, "/bin/cp", "Program for local copies."),
    TEXT("PBS_ENVIRONMENT", environment, NULL, "File with the daemons' environment."),
    TEXT("PBS_TMPDIR", tmpdir, "/var/tmp", "Directory for temporary files."),
    TEXT("PBS_CORE_LIMIT", core_limit, NULL, "Limit of core files in bytes, or unlimited."),
    HOST("PBS_PUBLIC_HOST_NAME", public_host_name, "Name of this host for outsiders."),
    HOST("PBS_OUTPUT_HOST_NAME", output_host_name, "Host that job output is delivered to."),
    HOST("PBS_MAIL_HOST_NAME", mail_host_name, "Host in mail addresses of users."),
    TEXT("PBS_MAIL_USER", mail_user, "daemon", "Account that a server of root's runs the mailer as; without it no mail is sent."),
    HOST("PBS_SMTP_SERVER_NAME", smtp_server_name, "Host that takes mail."),
    LOWER("PBS_AUTH_METHOD", auth_method, "resvport", "Method of outgoing connections."),
    LOWER("PBS_ENCRYPT_METHOD", encrypt_method, "", "Method that encrypts connections."),
    LOWER("PBS_INTERACTIVE_AUTH_METHOD", interactive_auth_method, "resvport", "Method by which the hosts of interactive jobs prove themselves to qsub."),
    LOWER("PBS_INTERACTIVE_ENCRYPT_METHOD", interactive_encrypt_method, "", "Method that encrypts interactive jobs' terminals."),
    LOWER("PBS_SUPPORTED_AUTH_METHODS", supported_auth_methods, "resvport", "Methods that are accepted."),
    TEXT("PBS_AUTH_SERVICE_USERS", auth_service_users, "root", "Users accepted as daemons by methods that name them: none yet."),
    BOOL("PBS_REQUIRE_ENCRYPTION", require_encryption, "0", "TCP clients must encrypt."),
    TEXT("PBS_DAEMON_SERVICE_USER", daemon_service_user, NULL, "User that may run the scheduler, besides root."),
    TEXT("PBS_DAEMON_SERVICE_AUTH_USER", daemon_service_auth_user, NULL, "Name by which a method knows that user, over TCP."),
    TEXT("PBS_PRIVILEGED_AUTH_USER", privileged_auth_user, NULL, "Name of a method's that counts as root."),
    TEXT("PBS_MUNGE_SOCKET", munge_socket, NULL, "Socket of munged, when it is not the usual one."),
    FILE_ONLY("PBS_TLS_CA", tls_ca, "Certificate of the cluster's authority."),
    FILE_ONLY("PBS_TLS_CERT", tls_cert, "Certificate of this host."),
    FILE_ONLY("PBS_TLS_KEY", tls_key, "Private key of this host."),
    TEXT("PBS_DATA_SERVICE_HOST", data_service_host, NULL, "Host of an external data service."),
    PORT("PBS_BATCH_SERVICE_PORT", batch_port, "15001", "Port of the server."),
    PORT("PBS_BATCH_SERVICE_PORT_DIS", batch_port_dis, "15001", "Port of the server, old name."),
    PORT("PBS_MOM_SERVICE_PORT", mom_port, "15002", "Port of the MoM."),
    PORT("PBS_MANAGER_SERVICE_PORT", manager_port, "15003", "Port of the MoM as resource monitor."),
    PORT("PBS_DATA_SERVICE_PORT", data_port, "15007", "Port of the data service."),
    NUMBER("PBS_COMM_THREADS", comm_threads, "4", "Threads of the router."),
    NUMBER("PBS_COMM_LOG_EVENTS", comm_log_events, "0", "Log mask of the router."),
    NUMBER("PBS_SCHED_THREADS", sched_threads, "0", "Threads of the scheduler, 0: one per core."),
    NUMBER("PBS_STORE_WAIT", store_wait_s, "30", "How many seconds an answer waits for a store that has gone or does not answer (1 at least) before it says so."),
    NUMBER("PBS_JOURNAL_DAYS", journal_days, "30", "How many days the journal of changes goes back, 0: for ever."),
    NUMBER("PBS_LIMIT_STRANGERS", limit_strangers, "1000", "Most connections of server and router on which nobody has proved who he is, 0: no limit."),
    NUMBER("PBS_LIMIT_HOST_STRANGERS", limit_host_strangers, "250", "Most of these from one address, 0: no limit."),
    NUMBER("PBS_LIMIT_USER_CONNECTIONS", limit_user_connections, "500", "Most connections of one user to the server, 0: no limit."),
    NUMBER("PBS_LIMIT_STAFF_CONNECTIONS", limit_staff_connections, "64", "Connections of the server that are kept for managers and operators."),
    NUMBER("PBS_LIMIT_MEMORY", limit_memory_mib, "1024", "Most MiB of memory of all connections of a server or router, 0: no limit."),
    NUMBER("PBS_LIMIT_USER_MEMORY", limit_user_memory_mib, "256", "Most MiB of memory of one user's connections to the server, 0: no limit."),
    NUMBER("PBS_LIMIT_STRANGER_MEMORY", limit_stranger_memory_mib, "64", "Most MiB of memory of all connections on which nobody has proved who he is, 0: no limit."),
    NUMBER("PBS_LIMIT_ATTRIBUTES", limit_object_kib, "1024", "Most KiB that the attributes of one job or reservation take, the script not counted, 0: no limit."),
    NUMBER("PBS_LIMIT_USER_JOBS", limit_user_jobs_mib, "1024", "Most MiB that all jobs of one user take with their scripts, 0: no limit."),
    NUMBER("PBS_SYSLOG", syslog, "0", "Facility number for syslog, 0: off."),
    NUMBER("PBS_SYSLOGSEVR", syslog_severity, "3", "Least severity sent to syslog."),
    BOOL("PBS_START_SERVER", start_server, "0", "Start the server on this host."),
    BOOL("PBS_START_SCHED", start_sched, "0", "Start the scheduler on this host."),
    BOOL("PBS_START_MOM", start_mom, "0", "Start the MoM on this host."),
    BOOL("PBS_START_COMM", start_comm, "0", "Start the router on this host."),
    BOOL("PBS_USE_COMPRESSION", use_compression, "1", "Compress large messages."),
    BOOL("PBS_USE_MCAST", use_mcast, "1", "Send to many MoMs at once."),
    BOOL("PBS_LOCALLOG", local_log, "0", "Write log files although syslog is on."),
    BOOL("PBS_LOCAL_SOCKET", local_socket, "1", "Reach the server of this host through its local socket."),
    BOOL("PBS_LOG_HIGHRES_TIMESTAMP", highres_timestamp, "0", "Microseconds in log lines."),
    { .name = "PBS_SCHEDULER_MODIFY_EVENT", .kind = CONF_BOOL, .file_only = true,
      .offset = offsetof(struct conf, sched_modify_event), .dflt = "0",
      .doc = "Alterations by the scheduler run modifyjob hooks." },
};
/* clang-format on */

/* The names that PBS has in /etc/services, and the port that each of them gives. Two
 * more (pbs_dis, pbs_dataservice) give ports that nobody here uses. */
static const struct {
    const char *service;
    size_t offset;
} services[] = {
    { "pbs", offsetof(struct conf, batch_port) },
    { "pbs_mom", offsetof(struct conf, mom_port) },
    { "pbs_resmon", offsetof(struct conf, manager_port) },
};

const struct conf_setting *conf_settings(size_t *n)
{
    *n = ARRAY_LEN(settings);
    return settings;
}

/* The table knows a member by its offset; these two turn that into a pointer of the
 * type that the kind has. */
static char **text_at(struct conf *c, size_t offset)
{
    MUST(offset + sizeof(char *) <= sizeof(*c));
    return (char **)(void *)((char *)c + offset);
}

static unsigned *number_at(struct conf *c, size_t offset)
{
    MUST(offset + sizeof(unsigned) <= sizeof(*c));
    return (unsigned *)(void *)((char *)c + offset);
}

static bool kind_is_text(enum conf_kind kind)
{
    return kind == CONF_TEXT || kind == CONF_LOWER || kind == CONF_HOST;
}

void conf_free(struct conf *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        if (kind_is_text(settings[i].kind))
            free(*text_at(c, settings[i].offset));
    /* What was derived is no row of the table. */
    free(c->made_routers);
    free(c->made_store);
    free(c->made_key);
    free(c->made_socket);
    free(c);
}

static int no_memory(struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM, "pbsconf error: no memory");
}

/* Take a text: in lower letters where the kind says so. A name of a host must not
 * have a port behind it. */
static int set_text(struct conf *c, const struct conf_setting *s, const char *value,
                    struct diag *why)
{
    char **at = text_at(c, s->offset);
    char *copy;

    if (s->kind == CONF_HOST && strchr(value, ':'))
        return diag_set(why, PBSE_INTERNAL, "pbsconf error: illegal value for: %s",
                        s->name);
    copy = strdup(value);
    if (!copy)
        return no_memory(why);
    /* Methods are compared letter by letter later, and sites write them as they
     * like. */
    for (char *p = copy; s->kind == CONF_LOWER && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    free(*at);
    *at = copy;
    return 0;
}

/* The number at the front of a text, as PBS reads it: what follows does not matter. A
 * sign is none of it: -1 would become the largest limit that there is. */
static bool read_number(const char *value, unsigned *ret)
{
    unsigned long n;

    while (isspace((unsigned char)*value))
        value++;
    if (!isdigit((unsigned char)*value))
        return false;
    n = strtoul(value, NULL, 10); /* ULONG_MAX when it is too large */
    *ret = (unsigned)n;
    return n <= UINT_MAX;
}

/* Take a value as its kind wants it. A number that cannot be read leaves the
 * default, as PBS does. */
static int set_value(struct conf *c, const struct conf_setting *s, const char *value,
                     struct diag *why)
{
    unsigned n;

    if (kind_is_text(s->kind))
        return set_text(c, s, value, why);
    if (!read_number(value, &n) || (s->kind == CONF_PORT && (n == 0 || n > 65535)))
        return 0;
    if (s->kind == CONF_BOOL)
        *(bool *)((char *)c + s->offset) = n != 0;
    else
        *number_at(c, s->offset) = n;
    return 0;
}

/* A line of another name is passed over, since the file is shared with programs that
 * have settings of their own. */
static const struct conf_setting *setting_find(const char *name)
{
    if (strcmp(name, "PBS_DEFAULT") == 0) /* the old name of PBS_SERVER */
        name = "PBS_SERVER";
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        if (strcmp(name, settings[i].name) == 0)
            return &settings[i];
    return NULL;
}

/* Ports are 0 until set_ports(). */
static int set_defaults(struct conf *c, struct diag *why)
{
    int err = 0;

    for (size_t i = 0; i < ARRAY_LEN(settings) && !err; i++)
        if (settings[i].dflt)
            err = set_value(c, &settings[i], settings[i].dflt, why);
    for (size_t i = 0; i < ARRAY_LEN(services); i++)
        *number_at(c, services[i].offset) = 0;
    return err;
}

static unsigned default_port(size_t offset)
{
    unsigned n;

    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        if (settings[i].kind == CONF_PORT && settings[i].offset == offset &&
            settings[i].dflt && read_number(settings[i].dflt, &n))
            return n;
    return 0;
}

/* Ports that the file has not set come from /etc/services where they are there. Only
 * those are looked up: each look-up reads that file from its beginning, which was half
 * of what a command did. */
static void set_ports(struct conf *c)
{
    for (size_t i = 0; i < ARRAY_LEN(services); i++) {
        unsigned *port = number_at(c, services[i].offset);
        struct servent entry, *found = NULL;
        char room[1024];

        if (*port)
            continue;
        if (getservbyname_r(services[i].service, "tcp", &entry, room, sizeof(room),
                            &found) == 0 &&
            found)
            *port = ntohs((uint16_t)found->s_port);
        else
            *port = default_port(services[i].offset);
    }
}

/* NAME=VALUE: blanks before the name and after the value do not count. */
static int read_line(struct conf *c, char *line, struct diag *why)
{
    const struct conf_setting *s;
    char *eq, *end = line + strlen(line);

    while (isspace((unsigned char)*line))
        line++;
    eq = strchr(line, '=');
    /* A line without "=" is none of ours, and no mistake: shells read the file, too. */
    if (*line == '#' || !eq)
        return 0;
    while (end > eq && isspace((unsigned char)end[-1]))
        *--end = '\0';
    *eq = '\0';
    s = setting_find(line);
    return s ? set_value(c, s, eq + 1, why) : 0;
}

static int read_file(struct conf *c, const char *path, struct diag *why)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int err = 0;

    if (!f) /* the environment may say it all */
        return errno == ENOMEM ? no_memory(why) : 0;
    /* The last line may lack its end; getline() gives it all the same. */
    while (!err && getline(&line, &room, f) >= 0)
        err = read_line(c, line, why);
    free(line);
    fclose(f);
    return err;
}

/* Two names mean something else in some environments: inside a job PBS_ENVIRONMENT says
 * batch or interactive, and TMPDIR stands in for PBS_TMPDIR. */
static const char *env_value(const struct conf_setting *s)
{
    const char *value = getenv(s->name);

    if (strcmp(s->name, "PBS_ENVIRONMENT") == 0 && value && value[0] != '/')
        return NULL;
    if (strcmp(s->name, "PBS_TMPDIR") == 0 && !value)
        return getenv("TMPDIR");
    if (strcmp(s->name, "PBS_SERVER") == 0 && !value)
        return getenv("PBS_DEFAULT");
    return value;
}

/* Take what the environment says, after the file. */
static int read_env(struct conf *c, struct diag *why)
{
    int err = 0;

    for (size_t i = 0; i < ARRAY_LEN(settings) && !err; i++) {
        const char *value = settings[i].file_only ? NULL : env_value(&settings[i]);

        if (value)
            err = set_value(c, &settings[i], value, why);
    }
    return err;
}

/* Say which settings are missing, all of them at once. */
static int check_required(struct conf *c, struct diag *why)
{
    char missing[128] = ""; /* the few required names fit, see the table */

    for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
        const char *value =
            kind_is_text(settings[i].kind) ? *text_at(c, settings[i].offset) : NULL;

        if (settings[i].required && (!value || !*value)) {
            strcat(missing, " ");
            strcat(missing, settings[i].name);
        }
    }
    if (missing[0])
        return diag_set(why, PBSE_INTERNAL,
                        "pbsconf error: pbs conf variables not found:%s", missing);
    return 0;
}

/* 0 is how the administrator writes that there is no limit. */
size_t conf_limit(unsigned value, size_t unit)
{
    return value == 0 ? SIZE_MAX : value * unit;
}

/* Of a pair the primary is asked first, whatever PBS_SERVER says. */
const char *conf_server_host(const struct conf *c)
{
    if (c->primary && c->secondary)
        return c->primary;
    return c->server_host_name ? c->server_host_name : c->server;
}

/* Set *ret to a copy of 'given', or to what the format makes when it is NULL. False
 * when there is no memory. */
static PRINTF_LIKE(3, 4) bool make_text(char **ret, const char *given, const char *fmt,
                                        ...)
{
    va_list ap;

    if (given) {
        *ret = strdup(given);
        return *ret != NULL;
    }
    va_start(ap, fmt);
    if (vasprintf(ret, fmt, ap) < 0)
        *ret = NULL;
    va_end(ap);
    return *ret != NULL;
}

/* The local socket of the server. When only the environment names a port, another
 * server than that of the file is meant, and its socket has another name. */
static bool make_socket(struct conf *c, unsigned file_port)
{
    MUST(c->home); /* check_required() has seen to it */
    if (c->batch_port == file_port || getenv("PBS_HOME") || getenv("PBS_SERVER_SOCKET"))
        return make_text(&c->made_socket, c->server_socket, "%s/ipc/server.sock",
                         c->home);
    return make_text(&c->made_socket, NULL, "%s/ipc/server.%u.sock", c->home,
                     c->batch_port);
}

/* Settings that follow from others when they are not set. */
static bool make_derived(struct conf *c, unsigned file_port)
{
    bool pair = c->primary && c->secondary;
    char *environment, *mom_home;

    /* Both replace what the table has set, so that conf_free() finds them in their
     * rows. */
    if (!make_text(&environment, c->environment, "%s/pbs_environment", c->home))
        return false;
    free((char *)c->environment);
    c->environment = environment;
    if (!make_text(&mom_home, c->mom_home, "%s", c->home))
        return false;
    free((char *)c->mom_home);
    c->mom_home = mom_home;
    return make_text(&c->made_routers, c->leaf_routers, "%s%s%s", conf_server_host(c),
                     pair ? "," : "", pair ? c->secondary : "") &&
           make_text(&c->made_store, c->store, "sqlite:%s/server_priv/holdfast.db",
                     c->home) &&
           make_text(&c->made_key, c->cluster_key, "%s/cluster.key", c->home) &&
           make_socket(c, file_port);
}

const char *conf_routers(const struct conf *c)
{
    return c->made_routers;
}

const char *conf_store(const struct conf *c)
{
    return c->made_store;
}

const char *conf_cluster_key(const struct conf *c)
{
    return c->made_key;
}

const char *conf_server_socket(const struct conf *c)
{
    return c->made_socket;
}

static int load(const char *path, bool env, bool ports, struct conf **ret,
                struct diag *why)
{
    struct conf *c = calloc(1, sizeof(*c));
    unsigned file_port;
    int err;

    if (!c)
        return no_memory(why);
    err = set_defaults(c, why);
    if (!err)
        err = read_file(c, path, why);
    if (!err && ports)
        set_ports(c);
    /* make_socket() compares it with the port that the environment may name. */
    file_port = c->batch_port;
    if (!err && env)
        err = read_env(c, why);
    if (!err)
        err = check_required(c, why);
    if (!err && !make_derived(c, file_port))
        err = no_memory(why);
    if (err) {
        conf_free(c);
        return err;
    }
    *ret = c;
    return 0;
}

int conf_load_file(const char *path, bool env, struct conf **ret, struct diag *why)
{
    return load(path, env, true, ret, why);
}

const char *conf_path(void)
{
    const char *path = getenv("PBS_CONF_FILE");

    return path && *path ? path : PBS_CONF_DEFAULT;
}

int conf_load(struct conf **ret, struct diag *why)
{
    return conf_load_file(conf_path(), true, ret, why);
}

int conf_load_without_ports(struct conf **ret, struct diag *why)
{
    return load(conf_path(), true, false, ret, why);
}

/* Words of such lists are compared without case: a host name may be among them. */
bool conf_list_has(const char *list, const char *word)
{
    size_t len = strlen(word);

    while (list && *list) {
        const char *end = list + strcspn(list, ","), *last = end;

        while (list < end && isspace((unsigned char)*list))
            list++;
        while (last > list && isspace((unsigned char)last[-1]))
            last--;
        if (len > 0 && (size_t)(last - list) == len &&
            strncasecmp(list, word, len) == 0)
            return true;
        list = *end ? end + 1 : end;
    }
    return false;
}
