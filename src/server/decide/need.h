/* need.h - what may have to be known of the world outside, and what was found out
 * (doc/design/032).
 *
 * The core cannot ask: name services block, files and Python take their time, and an
 * answer has to be an input. So a handler says what it needs, and is asked again when
 * it is known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_NEED_H
#define SERVER_DECIDE_NEED_H

#include "lib/base/arena.h"
#include "lib/wire/batch.h"

enum need_kind {
    NEED_NOTHING,
    /* Of the whole site: one answer is good for everybody, for a while. */
    NEED_GROUPS,     /* of the user 'name' of this host, the primary one first */
    NEED_ADDRS,      /* IPv4 addresses of the host 'name' */
    NEED_FULL_NAME,  /* 'found': the host's name resolves, and to itself */
    NEED_ZONE,       /* the contents of the zoneinfo file of the time zone 'name' */
    NEED_EQUIVALENT, /* 'found': the user 'detail' ("user@host") is the account 'name'
                      * of this host, whose full name is 'data' with its NUL: its files
                      * say so */
    NEED_MOM_HOSTS, /* each host of a MoM has been asked for; the core's own, which asks
                     * for them anyway */
    /* The same, asked by the shell alone. */
    NEED_PEER,    /* what the host with the IPv4 address 'name' is called: 'words' in
                   * lower case; 'addrs' are those of that name, for who wants proof */
    NEED_USER,    /* the account of the uid 'name': 'words'; not found: why */
    NEED_ACCOUNT, /* 'uid' and 'gid' of the user 'name' */
    /* Of one request: nobody else gets the answer. */
    NEED_FILE,     /* what is in the file 'name' of the directory of hooks */
    NEED_WRITTEN,  /* 'data' stands in the file 'name' of that directory */
    NEED_COMPILED, /* 'found': 'data', a text of the hook 'name', is sound; 'detail' is
                    * "py", "json", "ini" or "xml" */
    NEED_TRANSFER, /* the job 'name' goes to 'detail' ("queue@host[:port]"): 'data' are
                    * the requests that hand it over. 'found': that server has it; else
                    * 'code' and 'words' say why not */
    NEED_TOLD, /* the server 'detail' ("@host[:port]") is told 'data', one request that
                * 'name' tells from others. 'found': it has said yes, and 'words' are
                * what finding_words() finds in its answer; else 'code' and 'words' */
    NEED_VERDICT, /* of the hooks of the event 'name' on the request that asks */
    NEED_KIND_COUNT,
};

/* One thing to be found out. */
struct need {
    enum need_kind kind;
    const char *name;
    const char *detail; /* NULL where the kind has none */
    const char *data;   /* likewise, 'len' bytes */
    size_t len;
    /* Of a transfer: it is not begun later than this, so that it is over before the
     * next attempt is made. 0: at any time. */
    int64_t begin_until_at;
    uint64_t asker; /* whose it is alone, filled in by the engine; 0: everybody's */
};

/* What was found out. */
struct finding {
    bool
        failed; /* nobody could say, 'words' may tell why; it may be asked again soon */
    bool found; /* there is such a user, host, file; the text is sound; the hooks accept
                 */
    struct wire_strings groups;
    size_t n_addrs;
    const uint32_t *addrs; /* in host byte order */
    int code;              /* of a transfer that was refused: the other server's word */
    bool doubt; /* of a transfer: the other server was asked to keep the job, and may
                 * have it */
    uint32_t uid, gid;         /* of an account */
    int64_t learned_at;        /* when it came, filled in by the engine; 0: not known */
    const char *data;          /* of a file, 'len' bytes */
    const char *words;         /* a name; why it is not found; NULL: nothing is said */
    struct wire_attrs changes; /* of a verdict: attributes that hooks set */
    size_t len;
};

/* Does finding it out change something elsewhere? Then all that led to the question is
 * durable before it leaves. */
bool need_is_deed(enum need_kind kind);

/* Is the answer for one request only? */
bool need_is_private(enum need_kind kind);

/* The same question has the same key, whatever 'data' is: one request asks one thing
 * about one name. To be freed. */
char *need_key(const struct need *need) MUST_CHECK;

/* What another server has said with a reply, for finding.words: its text, as one line
 * of so many bytes of it at most, in 'arena'; of a status the value of the first
 * attribute that it has; NULL. */
#define FINDING_MAX_WORDS 1000
const char *finding_words(const struct wire_reply *reply, struct arena *arena);

/* Copies that live as long as 'arena', with all they point to. */
struct need need_copy(const struct need *need, struct arena *arena);
struct finding finding_copy(const struct finding *f, struct arena *arena);

#endif
