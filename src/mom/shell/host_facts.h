/* host_facts.h - what a MoM answers when somebody asks it about its host (tpp.md 9,
 * execution.md 8 and 33).
 *
 * Asked in a thread: a file system may hang, and a walk over /proc takes its time.
 * Nothing here touches the MoM.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_HOST_FACTS_H
#define MOM_SHELL_HOST_FACTS_H

#include "lib/base/base.h"
#include "lib/base/buf.h"
#include "mom/shell/host_script.h"

/* How long a program of the configuration may take (pbs_mom -a). */
#define HOST_FACTS_SCRIPT_S 10
/* All programs of one message may take so many times as long together, and all of its
 * answers so many bytes; what goes beyond is not answered with a value. */
#define HOST_FACTS_SCRIPTS  3
#define HOST_FACTS_MOST     (1u << 20)

/* A line of the configuration without a dollar sign: "name value", "name !command". */
struct host_resource {
    const char *name, *value;
};

/* Who asks: what the questions of one message need. Begin with zeros and the first
 * five; end with host_facts_fini(). */
struct host_facts {
    const char *home;  /* of the MoM */
    int64_t script_ms; /* what one program may take */
    struct host_running *running;
    size_t n_own; /* of the configuration; the last of a name counts */
    const struct host_resource *own;
    /* The rest is host_facts.c's. */
    struct proc_entry *processes; /* one walk serves all questions */
    size_t n_processes;
    bool is_listed;
    int64_t scripts_until_ms; /* 0: none has begun */
    size_t told_bytes;
};

/* Append "QUERY=VALUE", or "QUERY=? CODE" with a code of enum rm_error. A query is a
 * name and maybe what it is about: "size[fs=/tmp]"; what a program of the configuration
 * is to know may be several of those, "quota[user=joe][fs=/home]". */
void host_facts_answer(struct host_facts *f, const char *query, struct buf *out);
void host_facts_fini(struct host_facts *f);

/* Does a host of that name come under one of these ($restricted), each a name or an
 * asterisk and the end of one? Names of hosts have no case. */
bool host_is_among(const char *host, const char *const *patterns, size_t n);

#endif
