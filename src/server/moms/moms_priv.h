/* moms_priv.h - what the files of moms/ share; nobody else includes it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MOMS_MOMS_PRIV_H
#define SERVER_MOMS_MOMS_PRIV_H

#include "server/decide/effect.h"
#include "server/moms/moms.h"

#include <uthash.h>

enum command_kind {
    COMMAND_SEND,     /* QueueJob, JobScript, Commit: one message id, one answer */
    COMMAND_SIGNAL,   /* TermJob, Rerun, SIGKILL */
    COMMAND_STAGE_IN, /* CopyFiles before QueueJob */
    COMMAND_COPY,     /* CopyFiles after the end */
    COMMAND_UNSTAGE,  /* DelFiles: what was staged in goes */
    COMMAND_DELETE,   /* DeleteJob: the MoM may forget the job */
    COMMAND_RELEASE,  /* ModifyJob: the hosts that the job keeps */
    COMMAND_STOP,     /* suspend, resume and their forms for administrators */
    COMMAND_IMAGE,    /* HoldJob: an image, and then the end; others may be under way */
    COMMAND_FORWARD,
};

/* A client's request that went to MoMs, until all of them have answered. */
struct forwarded {
    uint64_t conn; /* who waits */
    size_t n_open; /* commands that are unanswered */
    int32_t code;  /* the first failure, 0: none yet */
    char *text;    /* of it, or of a success; NULL: none */
};

/* A command that its MoM has not answered. */
struct command {
    enum command_kind kind;
    char *msgid;
    char *job_id;
    int64_t run_version;
    struct forwarded
        *forwarded; /* COMMAND_FORWARD: whose part it is; NULL: nobody waits */
    int64_t due_at; /* unanswered then, the stream is closed */
    struct command *prev, *next;
};

/* One MoM: what the vnodes call it, and its stream while there is one. */
struct mom {
    char *key;  /* "host:port", host in lower case */
    char *host; /* as in Mom of its vnodes */
    uint32_t port;
    const struct book_host *at; /* while it has vnodes */
    struct mom_node *nodes;     /* utlist by next */
    uint64_t stream;            /* 0: none */
    char *peer_host;            /* its TPP address while there is a stream */
    uint32_t peer_port;
    bool registered;  /* REGISTERMOM has come on this stream ... */
    bool compared;    /* ... and the jobs that it lists have been compared */
    size_t n_tidings; /* of the MoM, that wait (tidings.h) */
    bool greet; /* say REPLYHELLO again: a vnode was created, or a host became known */
    uint64_t told_version; /* of the host book, in the last REPLYHELLO */
    struct command *commands;
    UT_hash_handle hh;
    UT_hash_handle hh_stream;
};

/* A vnode and its MoM; Mom and Port never change. */
struct mom_node {
    char *id;
    struct mom *mom;
    uint64_t number; /* in the order in which vnodes came */
    uint64_t listed; /* number of the tidings that named it last; 0: none has */
    struct mom_node *prev, *next;
    UT_hash_handle hh;
};

/* A job that has, or had, something to do with a MoM. */
struct mom_job {
    char *id;
    struct mom *mom;
    int64_t run_version; /* the run that the fields below speak of */
    struct mom **hosts;  /* those that may have a part of it (run_hosts.c) */
    size_t n_hosts;
    bool known;         /* the MoM may know of it */
    bool busy;          /* a command about it is unanswered */
    bool stop_told;     /* to stop or to go on, perhaps, and has not answered */
    bool image_told;    /* to make an image, and has not answered */
    unsigned n_tries;   /* of what it wants at present */
    int64_t retry_at;   /* not before; INT64_MIN: at once */
    unsigned n_resends; /* of its end, since the MoM did not know it */
    int64_t lost_at;    /* gone at its MoM unless heard of by then; 0: not missed */
    int64_t sure_at;    /* a hot start believes by then that it runs on; 0: not asked */
    char state;         /* that n_tries and retry_at speak of */
    bool pressed;       /* likewise: its deletion was asked for */
    bool looked_at;     /* not in the list of jobs to look at */
    struct mom_job *prev, *next;
    UT_hash_handle hh;
};

/* An entry of an OBITREPLY that leaves when its record is durable. */
struct obit_answer {
    struct mom *mom;
    char *job_id;
    bool accepted;
    struct obit_answer *prev, *next;
};

/* A MoM has said hello whose host may be one that is not known yet. */
struct hello {
    uint64_t stream;
    char *host; /* its TPP address and port */
    uint32_t port;
    uint32_t mom_port; /* as it says */
    struct hello *prev, *next;
};

struct moms {
    struct host_book *hosts; /* the engine's */
    struct hello *hellos;    /* that wait */
    struct mom *by_key;
    struct mom *by_stream;
    struct mom_node *by_node;
    struct mom_job *by_job;
    struct mom_job *touched; /* jobs to look at, in the order they were touched */
    char **new_nodes;        /* created since the last pump */
    size_t n_new_nodes;
    struct obit_answer *answers;
    struct tidings *tidings; /* utlist by next_one: what is not taken up whole yet */
    size_t tidings_bytes;    /* of memory */
    uint64_t n_tidings_ever; /* the number of the last ones */
    uint64_t n_nodes_ever;   /* and of the last vnode that came */
    bool greet;              /* a MoM has 'greet' set */
    bool left;               /* the last vnode of a MoM with a stream was deleted */
    uint64_t counter;        /* of message ids */
    int64_t next_at;         /* nothing is due before */
};

/* moms_table.c: looking up and making entries. */
struct mom *mom_of_stream(const struct moms *ms, uint64_t stream);
void mom_bind(struct moms *ms, struct mom *mom, uint64_t stream);
void mom_unbind(struct moms *ms, struct mom *mom);
struct mom *mom_of_node(const struct moms *ms, const char *node);
struct mom_node *moms_find_node(const struct moms *ms, const char *id);
/* Is one of these vnodes one of that MoM? */
bool vnodes_lie_at(const struct moms *ms, const struct exec_vnode *ev,
                   const struct mom *mom);
void moms_add_node(struct moms *ms, const struct node *n);
void moms_forget_node(struct moms *ms, const char *id);
struct mom_job *moms_job(struct moms *ms, const char *id); /* made when missing */
void moms_forget_job(struct moms *ms, struct mom_job *j);
void moms_touch_job(struct moms *ms, const char *job_id);
void moms_wake_at(struct moms *ms, int64_t at);
void moms_answer_obit(struct moms *ms, struct mom *mom, const char *job_id,
                      bool accepted);

/* Is it the MoM of the job's first vnode? Whatever another MoM says of the job is not
 * believed, and logged. */
bool mom_has_job(const struct moms *ms, struct moms_turn *t, const struct mom *mom,
                 const struct job *job);

/* link.c: the stream ends, by them or by us. */
void mom_stream_over(struct moms *ms, struct moms_turn *t, struct mom *mom);
void mom_close(struct moms_turn *t, uint64_t stream);

/* hello.c */
void mom_hello(struct moms *ms, struct moms_turn *t, uint64_t stream, const char *host,
               uint32_t port, const struct is_message *msg);
/* The stream has ended, all streams have: nobody waits there any longer. */
void hello_forget(struct moms *ms, uint64_t stream);
void hello_forget_all(struct moms *ms);

/* hello_reply.c: tell the MoM which addresses belong to the cluster. */
void mom_reply_hello(struct moms *ms, struct moms_turn *t, struct mom *mom);

/* moms.c: what the MoM says of jobs, and what it answers; no state block. */
void mom_take_message(struct moms *ms, struct moms_turn *t, struct mom *mom,
                      const struct is_message *msg);

/* Nobody can say how a vnode is now; what was known last holds for a while. */
void node_unknown(struct moms_turn *t, const struct node *n);

/* vnode_state.c: a vnode changes its stored bits and, where it is ours, its comment.
 * 'note' is a word for the log, NULL: none. */
void node_change_state(struct moms_turn *t, const struct node *n, uint32_t bits,
                       const char *comment, const char *note);

/* report.c */
void mom_take_usage(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_message *msg);
void mom_take_obits(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_message *msg);
/* Its MoM took the present run of a job, which is news when it was not known. */
void job_is_taken(struct moms_turn *t, const struct job *job);
/* The job is not at its MoM any more and nobody saw its end. */
void job_was_lost(struct moms_turn *t, const struct job *job);

/* jobs.c: what a job wants next. */
void look_at_job(struct moms *ms, struct moms_turn *t, struct mom_job *j);
/* The server starts with a job that runs or ends: its MoM may have heard of it. */
void job_of_before(struct moms *ms, const struct job *job);

/* run_hosts.c: the MoMs of the run, from the vnodes that the job has. */
void run_note_hosts(const struct moms *ms, struct mom_job *j, const struct job *job);
/* That one says that it has a part of it. */
void run_note_host(struct mom_job *j, struct mom *mom);
/* Whatever they have of it is not wanted any more; 'job' as it is now, NULL: gone. */
void run_discard(struct moms_turn *t, const struct mom_job *j, const struct job *job);
void run_forget_hosts(struct mom_job *j);

/* command.c: building and sending; replies. */
void mom_send(struct moms_turn *t, const struct mom *mom, const struct is_message *msg);
void mom_discard(struct moms_turn *t, const struct mom *mom, const char *job_id,
                 int64_t run_version);
void send_job(struct moms *ms, struct moms_turn *t, struct mom_job *j,
              const struct job *job);
void send_signal(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                 const char *name);
/* The same with suspend and the like: COMMAND_STOP, and no line about a deletion. */
void send_word(struct moms *ms, struct moms_turn *t, struct mom_job *j,
               const char *name);
/* HoldJob; other commands about the job may leave before it is answered. */
void send_image(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                const struct job *job);
void send_copy(struct moms *ms, struct moms_turn *t, struct mom_job *j,
               const struct job *job);
/* Have the files of the job fetched, before it is sent; have them removed again: 'wait'
 * with the job until that is answered. */
void send_stage_in(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                   const struct job *job);
void send_unstage(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                  const struct job *job, bool wait);
void send_delete(struct moms *ms, struct moms_turn *t, struct mom_job *j);
void send_modify(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                 const struct body_manage *body);
void command_free(struct command *c);

/* forward.c: one MoM has answered its part of a client's request, or will not. The last
 * answer is the end of 'f', which is freed. */
void forwarded_answer(struct moms_turn *t, struct forwarded *f,
                      const struct wire_reply *reply);
/* The server ends: nobody is answered any more. */
void forwarded_drop(struct forwarded *f);
/* command.c: a command of a client's; 'rq' goes to the MoM as it is. */
void send_forwarded(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                    struct forwarded *f, const struct wire_request *rq);

/* release.c: the job gives vnodes back (hf_release); the MoM has let them go, or will
 * not. */
void send_release(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                  const struct job *job);
void reply_to_release(const struct moms *ms, struct moms_turn *t, const struct job *job,
                      const struct wire_reply *reply);
/* The MoM goes on with 'rest' of the job's exec_vnode, since hosts have failed; nothing
 * happens when that is all of it, or the job may lose none. */
void prune_job(const struct moms *ms, struct moms_turn *t, const struct job *job,
               const char *rest, bool at_start);

/* stopping.c: is the job to be suspended, or to go on? Its MoM is told; what it
 * answers, or says at its registration, becomes a record. A MoM that is away does
 * neither. */
bool job_is_being_stopped(const struct job *job);
void send_stop(struct moms *ms, struct moms_turn *t, struct mom_job *j,
               const struct job *job);
void reply_to_stop(struct moms_turn *t, struct mom_job *j, const struct job *job,
                   const struct wire_reply *reply);
void job_has_stopped(struct moms_turn *t, const struct job *job);
void job_has_gone_on(struct moms_turn *t, const struct job *job);
void stop_without_mom(struct moms_turn *t, const struct mom_job *j,
                      const struct job *job);

/* standing.c: IDLE: a busy host has stopped a job, or lets it go on. */
void mom_take_standing(struct moms *ms, struct moms_turn *t, struct mom *mom,
                       const struct is_message *msg);

/* checkpointing.c: is an image of the job to be made? Its MoM is told; what it makes is
 * in the obituary of the job. */
bool job_wants_image(const struct job *job);
void reply_to_image(struct moms_turn *t, struct mom_job *j, const struct job *job,
                    const struct wire_reply *reply);
void image_without_mom(struct moms_turn *t, struct mom_job *j, const struct job *job);

/* command_reply.c */
/* mom_actions.c: what hooks of a MoM ask for. */
void mom_take_actions(struct moms_turn *t, const struct mom *mom,
                      const struct is_message *msg);
void mom_take_hook_update(struct moms_turn *t, const struct mom *mom,
                          const struct is_message *msg);
void mom_take_reply(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_message *msg);
/* The command will not be answered any more. */
void command_failed(struct moms *ms, struct moms_turn *t, struct command *c);

/* A record about a job or vnode by the server itself. */
struct record *moms_record(struct moms_turn *t, enum fact fact, enum obj_kind kind,
                           const char *id);
/* A job that did not run is deleted at the request of 'actor' (copied). */
void moms_withdraw(struct moms_turn *t, const struct job *job, const char *actor);

#endif
