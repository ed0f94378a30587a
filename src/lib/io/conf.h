/* conf.h - settings of pbs.conf and the environment (operations.md 3).
 *
 * Every setting is a row of a table: name, kind, default, whether the environment may
 * override it, and a sentence. The file is $PBS_CONF_FILE, else /etc/pbs.conf (the path
 * given to configure). Order: default < file < environment.
 *
 * libpbs links this: it never exits, and running out of memory is an error value.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_CONF_H
#define LIB_IO_CONF_H

#include "lib/base/diag.h"

/* Texts are NULL when unset unless a default is named. */
struct conf {
    const char *exec;                /* PBS_EXEC, required */
    const char *home;                /* PBS_HOME, required */
    const char *server;              /* PBS_SERVER (PBS_DEFAULT), required */
    const char *server_host_name;    /* PBS_SERVER_HOST_NAME */
    const char *primary, *secondary; /* PBS_PRIMARY, PBS_SECONDARY */
    const char *mom_home;            /* PBS_MOM_HOME, default: home */
    const char *mom_node_name;       /* PBS_MOM_NODE_NAME */
    const char *leaf_name;           /* PBS_LEAF_NAME */
    const char *leaf_routers;        /* PBS_LEAF_ROUTERS; see conf_routers() */
    const char *comm_name;           /* PBS_COMM_NAME */
    const char *comm_routers;        /* PBS_COMM_ROUTERS */
    const char *store;               /* PBS_STORE; see conf_store() */
    const char *store_password_file; /* PBS_STORE_PASSWORD_FILE */
    unsigned store_wait_s;           /* PBS_STORE_WAIT, 30 */
    unsigned journal_days;           /* PBS_JOURNAL_DAYS, 30; 0: for ever */
    /* What others may make a daemon hold, see doc/security.md; 0: no limit. */
    unsigned limit_strangers;           /* PBS_LIMIT_STRANGERS, 1000 */
    unsigned limit_host_strangers;      /* PBS_LIMIT_HOST_STRANGERS, 250 */
    unsigned limit_user_connections;    /* PBS_LIMIT_USER_CONNECTIONS, 500 */
    unsigned limit_staff_connections;   /* PBS_LIMIT_STAFF_CONNECTIONS, 64 */
    unsigned limit_memory_mib;          /* PBS_LIMIT_MEMORY, 1024 */
    unsigned limit_user_memory_mib;     /* PBS_LIMIT_USER_MEMORY, 256 */
    unsigned limit_stranger_memory_mib; /* PBS_LIMIT_STRANGER_MEMORY, 64 */
    unsigned limit_object_kib;          /* PBS_LIMIT_ATTRIBUTES, 1024 */
    unsigned limit_user_jobs_mib;       /* PBS_LIMIT_USER_JOBS, 1024 */
    const char *trusted_hosts;          /* PBS_TRUSTED_HOSTS, comma list */
    const char *iff_servers;            /* PBS_IFF_SERVERS */
    const char *cluster_key;            /* PBS_CLUSTER_KEY; see conf_cluster_key() */
    const char *server_socket;        /* PBS_SERVER_SOCKET; see conf_server_socket() */
    const char *rcp, *scp, *scp_args; /* PBS_RCP, PBS_SCP, PBS_SCP_ARGS */
    const char *cp;                   /* PBS_CP, default /bin/cp */
    const char *environment;      /* PBS_ENVIRONMENT, default home/pbs_environment */
    const char *tmpdir;           /* PBS_TMPDIR, TMPDIR; default /var/tmp */
    const char *core_limit;       /* PBS_CORE_LIMIT */
    const char *public_host_name; /* PBS_PUBLIC_HOST_NAME */
    const char *output_host_name; /* PBS_OUTPUT_HOST_NAME */
    const char *mail_host_name;   /* PBS_MAIL_HOST_NAME */
    const char *mail_user;        /* PBS_MAIL_USER */
    const char *smtp_server_name; /* PBS_SMTP_SERVER_NAME */
    const char *auth_method;      /* PBS_AUTH_METHOD, lower case, "resvport" */
    const char *encrypt_method;   /* PBS_ENCRYPT_METHOD, "" */
    const char *interactive_auth_method; /* PBS_INTERACTIVE_AUTH_METHOD, "resvport" */
    const char *interactive_encrypt_method; /* PBS_INTERACTIVE_ENCRYPT_METHOD, "" */
    const char *supported_auth_methods;     /* PBS_SUPPORTED_AUTH_METHODS, "resvport" */
    const char *auth_service_users;         /* PBS_AUTH_SERVICE_USERS, "root" */
    const char *daemon_service_user;        /* PBS_DAEMON_SERVICE_USER */
    const char *daemon_service_auth_user;   /* PBS_DAEMON_SERVICE_AUTH_USER */
    const char *privileged_auth_user;       /* PBS_PRIVILEGED_AUTH_USER */
    const char *munge_socket;               /* PBS_MUNGE_SOCKET */
    const char *tls_ca, *tls_cert, *tls_key; /* PBS_TLS_*: below home/tls */
    const char *data_service_host;           /* PBS_DATA_SERVICE_HOST */
    unsigned batch_port;                     /* PBS_BATCH_SERVICE_PORT, 15001 */
    unsigned batch_port_dis;                 /* PBS_BATCH_SERVICE_PORT_DIS, 15001 */
    unsigned mom_port;                       /* PBS_MOM_SERVICE_PORT, 15002 */
    unsigned manager_port;                   /* PBS_MANAGER_SERVICE_PORT, 15003 */
    unsigned data_port;                      /* PBS_DATA_SERVICE_PORT, 15007 */
    unsigned comm_threads;                   /* PBS_COMM_THREADS, 4 */
    unsigned comm_log_events;         /* PBS_COMM_LOG_EVENTS, 0: forced lines only */
    unsigned sched_threads;           /* PBS_SCHED_THREADS, 0: one per core */
    unsigned syslog, syslog_severity; /* PBS_SYSLOG 0, PBS_SYSLOGSEVR 3 */
    bool start_server, start_sched, start_mom, start_comm; /* PBS_START_* */
    bool use_compression, use_mcast; /* PBS_USE_COMPRESSION, PBS_USE_MCAST: on */
    bool local_log;                  /* PBS_LOCALLOG */
    bool highres_timestamp;          /* PBS_LOG_HIGHRES_TIMESTAMP */
    bool sched_modify_event;         /* PBS_SCHEDULER_MODIFY_EVENT */
    bool local_socket;               /* PBS_LOCAL_SOCKET: on */
    bool require_encryption;         /* PBS_REQUIRE_ENCRYPTION */
    /* private: what the functions below return */
    char *made_routers, *made_store, *made_key, *made_socket;
};

enum conf_kind {
    CONF_TEXT,
    CONF_LOWER,
    CONF_HOST,
    CONF_PORT,
    CONF_NUMBER,
    CONF_BOOL
};

struct conf_setting {
    const char *name;
    enum conf_kind kind;
    size_t offset;    /* in struct conf */
    const char *dflt; /* as it would be written in the file; NULL: none */
    bool file_only;   /* the environment does not override it */
    bool required;
    const char *doc;
};

/* A limit of the settings in units of 'unit', where 0 stands for none: SIZE_MAX. */
size_t conf_limit(unsigned value, size_t unit);

/* The table, for the reference manual and tests. */
const struct conf_setting *conf_settings(size_t *n);

/* Read the settings. On success the caller owns *ret and ends it with conf_free(). Else
 * PBSE_INTERNAL with the words to print (without a line end), such as
 * "pbsconf error: pbs conf variables not found: PBS_HOME". PBSE_SYSTEM: no memory. */
int conf_load(struct conf **ret, struct diag *why) MUST_CHECK;
/* The same without a look for ports in /etc/services: ports that neither the file nor
 * the environment sets are 0. For who wants something else, and quickly. */
int conf_load_without_ports(struct conf **ret, struct diag *why) MUST_CHECK;
/* The file that conf_load() reads: PBS_CONF_FILE of the environment, else
 * PBS_CONF_DEFAULT. Lives as long as the environment. */
const char *conf_path(void);
/* The same from a file of this name, environment not looked at when 'env' is false. */
int conf_load_file(const char *path, bool env, struct conf **ret,
                   struct diag *why) MUST_CHECK;
void conf_free(struct conf *c);

/* Derived texts; all live as long as 'c' and are never NULL. */
const char *conf_server_host(const struct conf *c); /* where clients connect to */
const char *conf_routers(const struct conf *c);     /* routers a leaf connects to */
const char *conf_store(const struct conf *c);       /* "sqlite:HOME/server_priv/..." */
const char *conf_cluster_key(const struct conf *c); /* HOME/cluster.key */
/* HOME/ipc/server.sock; HOME/ipc/server.PORT.sock of a server on another port than that
 * of the file, so that it is taken for no other one of the same host. */
const char *conf_server_socket(const struct conf *c);

/* Walk a comma list such as PBS_SUPPORTED_AUTH_METHODS: true when 'word' is in it,
 * blanks around entries and letter case not counted. */
bool conf_list_has(const char *list, const char *word);

#endif
