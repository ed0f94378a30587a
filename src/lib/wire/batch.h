/* batch.h - batch requests and replies as structs (wire.md 5 to 8).
 *
 * The table of requests says for each number its name, body and reply kind; bodies are
 * field tables (field.h) that encode, decode, dump and make random ones for tests.
 * The same structs travel over TCP, the local socket and, inside IS messages, TPP.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_BATCH_H
#define LIB_WIRE_BATCH_H

#include "lib/wire/field.h"

/* Request numbers (wire.md 7.1). Ours start at 200. */
enum batch_number {
    BATCH_CONNECT = 0,
    BATCH_QUEUE_JOB = 1,
    BATCH_JOB_SCRIPT = 3,
    BATCH_RDY_TO_COMMIT = 4,
    BATCH_COMMIT = 5,
    BATCH_DELETE_JOB = 6,
    BATCH_HOLD_JOB = 7,
    BATCH_LOCATE_JOB = 8,
    BATCH_MANAGER = 9,
    BATCH_MESSAGE_JOB = 10,
    BATCH_MODIFY_JOB = 11,
    BATCH_MOVE_JOB = 12,
    BATCH_RELEASE_JOB = 13,
    BATCH_RERUN = 14,
    BATCH_RUN_JOB = 15,
    BATCH_SELECT_JOBS = 16,
    BATCH_SHUTDOWN = 17,
    BATCH_SIGNAL_JOB = 18,
    BATCH_STATUS_JOB = 19,
    BATCH_STATUS_QUEUE = 20,
    BATCH_STATUS_SERVER = 21,
    BATCH_TRACK_JOB = 22,
    BATCH_ASYRUN_JOB = 23,
    BATCH_RESCQ = 24,
    BATCH_RESERVE_RESC = 25,
    BATCH_RELEASE_RESC = 26,
    BATCH_FAILOVER = 27,
    BATCH_STAGE_IN = 48,
    BATCH_ORDER_JOB = 50,
    BATCH_SELECT_STATUS = 51,
    BATCH_REGISTER_DEP = 52,
    BATCH_COPY_FILES = 54,
    BATCH_DEL_FILES = 55,
    BATCH_MOVE_JOB_FILE = 57,
    BATCH_STATUS_NODE = 58,
    BATCH_DISCONNECT = 59,
    BATCH_JOB_CRED = 62,
    BATCH_COPY_FILES_CRED = 63,
    BATCH_DEL_FILES_CRED = 64,
    BATCH_SUBMIT_RESV = 70,
    BATCH_STATUS_RESV = 71,
    BATCH_DELETE_RESV = 72,
    BATCH_USER_CRED = 73,
    BATCH_CONFIRM_RESV = 75,
    BATCH_BEGIN_RESV = 76,
    BATCH_DEF_SCHED_REPLY = 80,
    BATCH_STATUS_SCHED = 81,
    BATCH_STATUS_RESOURCE = 82,
    BATCH_STATUS_HOOK = 83,
    BATCH_PY_SPAWN = 84,
    BATCH_COPY_HOOK_FILE = 85,
    BATCH_DEL_HOOK_FILE = 86,
    BATCH_RELEASE_NODES = 90,
    BATCH_MODIFY_RESV = 91,
    BATCH_RESV_OCCUR_END = 92,
    BATCH_PREEMPT_JOBS = 93,
    BATCH_CRED = 94,
    BATCH_AUTHENTICATE = 95,
    BATCH_MODIFY_JOB_ASYNC = 96,
    BATCH_ASYRUN_JOB_ACK = 97,
    BATCH_REGISTER_SCHED = 98,
    BATCH_DELETE_JOB_LIST = 100,

    BATCH_STATUS_CHANGES = 200,
    BATCH_RESV_WHY = 201,
    BATCH_RESV_ACT = 202,
    BATCH_DRY_RUN = 203,
    BATCH_OFFER_RESV = 204,
    BATCH_ANSWER_RESVS = 205,
    BATCH_DRY_OFFER = 206,
};

/* The names of our requests, and of attributes that a stranger must not be sent, in the
 * server's holdfast_extensions. */
#define EXTENSION_CHANGES "changes" /* StatusChanges */
#define EXTENSION_WHY     "why"     /* ResvWhy */
#define EXTENSION_ON_END  "on_end"  /* on_end, on_end_queue of reservations */
#define EXTENSION_DRY_RUN "dry_run" /* ResvAct with RESV_ACT_DRY_RUN */
#define EXTENSION_AUTO_EXTEND                                                          \
    "auto_extend" /* auto_extend, auto_extend_max, on_end=extend */
#define EXTENSION_OCCURRENCE "occurrence" /* ResvAct about one of a series */
#define EXTENSION_PUSH       "push"       /* ResvAct with RESV_ACT_PUSH */
#define EXTENSION_RELEASE    "release" /* ... RESV_ACT_RELEASE; auto_extend_release */
#define EXTENSION_ANSWERS    "answers" /* AnswerResvs */

/* The attribute of the reservation in the reply to DryRun that is its number. */
#define ATTR_DRY_RUN         "dry_run"

/* Bodies, lettered as in wire.md 7.2. Texts are never NULL after decoding. */

struct body_queue { /* A: QueueJob, SubmitResv */
    const char *id;
    const char *destination;
    struct wire_attrs attrs;
};

struct body_script { /* B: JobScript, MoveJobFile */
    uint32_t sequence;
    uint32_t file_type; /* 0 script, 1 stdin, 2 stdout, 3 stderr, 4 checkpoint */
    uint32_t size_bytes;
    const char *job_id;
    struct wire_bytes data;
};

struct body_id { /* C: Commit, RdyToCommit, LocateJob, Rerun; C': RegisterSched; ResvWhy
                  */
    const char *id;
};

struct body_manage { /* D: Manager, DeleteJob, HoldJob, ModifyJob, DeleteResv, ... */
    uint32_t command;
    uint32_t object_type;
    const char *object_name;
    struct wire_attrs attrs;
};

struct body_move { /* F: MoveJob, OrderJob */
    const char *job_id;
    const char *destination;
};

struct body_run { /* G: RunJob, AsyrunJob, AsyrunJob_ack, StageIn, ConfirmResv; DryRun
                   */
    const char *object_id;
    const char *vnodes;
    uint64_t argument; /* ConfirmResv: start_at, 0 keeps it */
};

struct body_select { /* H: SelectJobs, SelStat */
    struct wire_attrs criteria;
    struct wire_attrs wanted;
};

struct body_number { /* I: Shutdown, FailOver */
    uint32_t value;
};

struct body_signal { /* J */
    const char *job_id;
    const char *signal;
};

struct body_status { /* K */
    const char *id;
    struct wire_attrs wanted;
};

struct body_authenticate { /* wire.md 4.3 */
    const char *method;
    const char *encrypt_method; /* "" when none */
    uint32_t port;
};

struct body_modify_resv { /* X */
    uint32_t object_type;
    const char *resv_id;
    struct wire_attrs attrs;
};

struct body_list { /* Y: PreemptJobs, DeleteJobList */
    struct wire_strings ids;
};

struct body_files { /* P: CopyFiles, DelFiles (towards a MoM) */
    const char *job_id;
    const char *owner;
    const char *user;
    const char *group;
    uint32_t direction;
    size_t n_pairs;
    struct wire_file_pair {
        uint32_t flag;
        const char *local;
        const char *remote;
    } * pairs;
};

struct body_sched_reply { /* S: DefSchReply */
    int32_t command;
    const char *job_id;
    int32_t error;
    const char *text; /* NULL when none travels */
};

struct body_message { /* E: MessJob */
    const char *job_id;
    uint32_t file; /* 1 output, 2 error, 3 both, 0 default */
    const char *text;
};

struct body_track { /* L: TrackJob; the extension names the queue */
    const char *job_id;
    uint32_t hops;
    const char *location;
    uint32_t state; /* the letter's number */
};

struct body_resources { /* N: Rescq, ReserveResc, ReleaseResc */
    int32_t handle;
    struct wire_strings resources;
};

struct body_register_dep { /* O: RegistDep */
    const char *owner;
    const char *parent_id;
    const char *child_id;
    uint32_t type;
    uint32_t operation;
    int64_t cost;
};

struct body_files_cred { /* P+: CopyFiles_Cred, DelFiles_Cred */
    struct body_files files;
    uint32_t credential_type;
    struct wire_bytes credential;
};

struct body_job_cred { /* Q: JobCred */
    uint32_t type;
    struct wire_bytes data;
};

struct body_user_cred { /* R: UserCred */
    const char *user;
    uint32_t type;
    struct wire_bytes data;
};

struct body_spawn { /* T: PySpawn */
    const char *job_id;
    struct wire_strings argv; /* no empty words */
    struct wire_strings envp;
};

struct body_hook_file { /* U: CopyHookFile */
    uint32_t sequence;
    uint32_t size_bytes;
    const char *name; /* base name */
    struct wire_bytes data;
};

struct body_hook_name { /* V: DelHookFile */
    const char *name;
};

struct body_release_nodes { /* W: RelnodesJob */
    const char *job_id;
    const char *vnodes; /* joined with '+', "" all but the first */
};

struct body_cred { /* Z: Cred */
    const char *job_id;
    const char *credential_id;
    uint32_t type;
    const char *data;
    uint64_t valid_s;
};

struct wire_class { /* objects of a type, and what is wanted of each */
    uint32_t type;  /* enum wire_object_type */
    struct wire_attrs wanted;
};

struct body_changes { /* StatusChanges: doc/extensions.md */
    uint64_t since;   /* the number of the mark that came last, 0: everything */
    size_t n_classes;
    struct wire_class *classes;
};

/* ResvAct: an ordinary request about a reservation with what PBS's own cannot say
 * (doc/extensions.md). */
enum resv_act {
    RESV_ACT_SUBMIT = 1,
    RESV_ACT_ALTER = 2,
    RESV_ACT_DELETE = 3,
    RESV_ACT_STATUS = 4,
};
enum resv_act_flag {
    RESV_ACT_DRY_RUN = 1, /* decide, and change nothing */
    RESV_ACT_PUSH = 2,    /* move the reservations behind it */
    RESV_ACT_FORCE = 4,
    RESV_ACT_RELEASE = 16, /* with more time: give back vnodes without jobs */
    RESV_ACT_FROM = 8,     /* of a status: that occurrence and those behind it */
};

struct body_resv_act {
    uint32_t what;       /* enum resv_act */
    uint32_t flags;      /* enum resv_act_flag bits */
    uint32_t occurrence; /* counted from 1; 0: none is meant */
    const char *id;      /* "" when it is submitted */
    struct wire_attrs attrs;
};

/* What a reservation would have, and when. */
struct wire_offer {
    const char *id;
    uint64_t start_at;
    uint64_t end_at;
    const char *vnodes; /* an exec_vnode */
};

/* OfferResv: a scheduler's yes to an alteration with other times than were asked for,
 * where the question allows that (doc/design/050-push.md). */
enum {
    PUSH_MOST = 100,             /* so many may be moved by one */
    PUSH_FARTHEST_S = 7 * 86400, /* and each by so much */
};
struct body_offer_resv { /* OfferResv; DryOffer: the same for a dry run */
    uint64_t seq;        /* the question, or the dry run, that this answers */
    const char *partition;
    size_t n; /* the reservation that is asked about first, then those that it moves */
    struct wire_offer *offers;
};

/* What a scheduler says about one reservation: the fields of a ConfirmResv. */
struct wire_answer {
    const char *id;
    const char *vnodes;
    uint64_t start_at;
    const char *extend; /* confirm.h */
};

/* AnswerResvs: many answers in one request, so that they travel and are saved together;
 * each is judged after the one before has become fact (answers.h has the reply). */
enum {
    ANSWERS_MOST = 1000,
};
struct body_answer_resvs {
    size_t n;
    struct wire_answer *answers;
};

struct wire_request {
    uint32_t number; /* enum batch_number */
    const char *user;
    const void *body;   /* struct of the request's row; NULL when it has none */
    const char *extend; /* NULL when none */
};

enum reply_choice {
    REPLY_NULL = 1,
    REPLY_QUEUE = 2,
    REPLY_RDY_TO_COMMIT = 3,
    REPLY_COMMIT = 4,
    REPLY_SELECT = 5,
    REPLY_STATUS = 6,
    REPLY_TEXT = 7,
    REPLY_LOCATE = 8,
    REPLY_RESC_QUERY = 9,
    REPLY_PREEMPT = 10,
    REPLY_DELETE = 11,
};

/* Commands of Manager requests (wire.md 1). */
enum manager_command {
    MANAGER_CREATE = 0,
    MANAGER_DELETE = 1,
    MANAGER_SET = 2,
    MANAGER_UNSET = 3,
    MANAGER_IMPORT = 7,
    MANAGER_EXPORT = 8,
};

/* Object types of Manager requests and status records (wire.md 1). */
enum wire_object_type {
    OBJECT_SERVER = 0,
    OBJECT_QUEUE = 1,
    OBJECT_JOB = 2,
    OBJECT_NODE = 3,
    OBJECT_RESV = 4,
    OBJECT_RESOURCE = 5,
    OBJECT_SCHED = 6,
    OBJECT_HOST = 7,
    OBJECT_HOOK = 8,
    OBJECT_PBS_HOOK = 9,
    OBJECT_ARRAY_PARENT = 10,
    OBJECT_SUBJOB = 11,

    OBJECT_MARK = 200, /* at the end of the reply to StatusChanges */
};

struct wire_object {
    uint32_t type;
    const char *name;
    struct wire_attrs attrs;
};

struct wire_objects {
    size_t n;
    size_t cap; /* private to wire_objects_add() */
    struct wire_object *v;
};

struct wire_deleted {
    size_t n;
    struct wire_deleted_job {
        const char *id;
        uint32_t code;     /* DELETE */
        const char *order; /* PREEMPT: "S", "C", "Q", "D" or "000" */
    } * v;
};

struct wire_resc_query {
    size_t n;
    uint32_t *numbers; /* n available, n allocated, n reserved, n down */
};

/* Objects that are bytes already: n of them, as in the body of a status reply. */
struct wire_encoded {
    size_t n;
    const char *data; /* NULL: none */
    size_t len;
};

struct wire_reply {
    int32_t code;
    int32_t aux;
    uint32_t choice;  /* enum reply_choice */
    bool more;        /* further parts follow */
    const char *text; /* QUEUE, RDY_TO_COMMIT, COMMIT: job id; TEXT, LOCATE: the text */
    struct wire_objects objects; /* STATUS */
    struct wire_encoded encoded; /* STATUS: instead of objects; decoding fills objects
                                  */
    struct wire_strings ids;     /* SELECT */
    struct wire_deleted deleted; /* DELETE, PREEMPT */
    struct wire_resc_query resources; /* RESC_QUERY */
};

/* Append an object with an empty attribute list; valid until the next append. */
struct wire_object *wire_objects_add(struct wire_objects *list, struct arena *arena,
                                     uint32_t type, const char *name);

/* What the request table says of a number: NULL for an unknown one. */
struct batch_row {
    const char *name;                /* as in wire.md 7.1, e.g. "SubmitResv" */
    const struct wire_field *fields; /* NULL: no body */
    size_t body_size_bytes;
    bool no_extension; /* Disconnect only */
};
const struct batch_row *batch_row(uint32_t number);

/* Request <-> DIS payload (no packet header). Encoding never fails for a request whose
 * texts keep the limits; decoding refuses every excess with a DIS code (dis.h), leaves
 * *ret alone then, and takes all memory from 'arena'. 'known' tells a request number
 * without a row (answer 15005) from bytes that are wrong (answer 15056): on DIS_OK with
 * *known false only number and user of *ret are set. batch_decode_request() wants the
 * bytes to be one request and no more. */
void batch_encode_request(struct buf *out, const struct wire_request *rq);
enum dis_error batch_decode_request(const char *data, size_t len, struct arena *arena,
                                    struct wire_request *ret, bool *known) MUST_CHECK;

/* One request at the cursor, which stands behind it afterwards: several in one packet
 * are served in order. DIS_EOD leaves the cursor alone: the message may go on in the
 * next packet. After an unknown number the rest of the bytes means nothing. */
enum dis_error batch_read_request(struct dis_in *in, struct wire_request *ret,
                                  bool *known) MUST_CHECK;

/* A whole reply. What is decoded lies in the arena; the codes are those of dis.h. */
void batch_encode_reply(struct buf *out, const struct wire_reply *reply);
enum dis_error batch_decode_reply(const char *data, size_t len, struct arena *arena,
                                  struct wire_reply *ret) MUST_CHECK;

/* One reply at the cursor, as batch_read_request(). */
enum dis_error batch_read_reply(struct dis_in *in, struct wire_reply *ret) MUST_CHECK;

/* The front of a status reply over 'n' objects; the objects' bytes follow. */
void batch_put_status_head(struct buf *out, size_t n, bool more);
void batch_put_object(struct buf *out, const struct wire_object *o);

/* For a reader in the same process: 'encoded' becomes 'objects', in 'arena'. */
void batch_open_reply(struct wire_reply *reply, struct arena *arena);

/* The reply as it travels inside IS messages: without protocol type and version. */
void batch_put_reply_part(struct buf *out, const struct wire_reply *reply);
enum dis_error batch_read_reply_part(struct dis_in *in,
                                     struct wire_reply *ret) MUST_CHECK;

/* One line for people, as in the captures. */
void batch_dump_request(struct buf *out, const struct wire_request *rq);
void batch_dump_reply(struct buf *out, const struct wire_reply *reply);

/* A random reply of that choice, for tests; see wire_random(). */
void batch_random_reply(uint64_t *seed, enum reply_choice choice, struct arena *arena,
                        struct wire_reply *ret);

#endif
