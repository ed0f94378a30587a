/* vnode_report.h - a MoM's report about its vnodes on its way to records. The files
 * vnodes.c, vnode_state.c and vnode_resources.c share it; nobody else includes it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MOMS_VNODE_REPORT_H
#define SERVER_MOMS_VNODE_REPORT_H

#include "server/model/node_life.h"
#include "server/moms/moms_priv.h"

/* Bits that a report clears; what administrators and hooks set stays. */
#define REPORT_CLEARS                                                                  \
    (NODE_DOWN | NODE_STATE_UNKNOWN | NODE_LAST_KNOWN | NODE_STALE | NODE_BUSY |       \
     NODE_SLEEP | NODE_UNRESOLVABLE)

/* A record about one vnode that is begun with its first difference. */
struct node_record {
    struct moms_turn *t;
    const struct node *n;
    struct record *rec;
};

/* vnode_state.c: put a value of the vnode into its record, when it is another one than
 * the vnode has. 'resource' is NULL for an attribute without resources; 'text' is
 * copied, NULL takes the value away. */
void node_put(struct node_record *nr, int attr, const char *resource, const char *text);
void node_put_num(struct node_record *nr, int attr, int64_t num);
/* Its stored bits, with the time of the change. */
void node_put_state(struct node_record *nr, uint32_t bits);
/* The same, from the state that the MoM reports, with comment and note. */
void node_put_reported_state(struct node_record *nr, uint32_t mom_state);
/* The bits that a vnode with the bits 'stored' has after a MoM reported 'mom_state'. */
uint32_t node_reported_bits(uint32_t stored, uint32_t mom_state);

/* vnode_names.c: the entries of a list by their names; of two with the same name the
 * first. What they take is the arena's, but for what vnode_names_clear() frees. */
struct vnode_name;
void vnode_names_add(struct vnode_name **names, const struct is_state *state,
                     struct arena *arena);
const struct is_vnode *vnode_names_find(const struct vnode_name *names,
                                        const char *name);
void vnode_names_clear(struct vnode_name **names);

/* One state block with its list of vnodes, while a part of it is taken up. */
struct report {
    struct moms_turn *t;
    const struct is_state *state;
    const struct vnode_name *names; /* of the list */
    struct resource_defs *fresh; /* resources that this part defines; NULL: none yet */
};

/* What this report gives: members in order, for hf_from_mom. */
struct given {
    struct wire_attrs list; /* name = resource, value = text, "@vnode" for another's */
};

/* vnode_resources.c: records of the resources that an entry of the list defines. They
 * are applied before any value of them is taken. */
void report_define(struct report *rp, const struct is_vnode *vn);
/* Gather into 'g' what the report gives to a vnode. 'n' is NULL for
 * a vnode that is about to be made, whose name is 'vnode'. What is gathered first wins.
 * report_give_listed(): what the list says of it; report_give_block(): what the block
 * says of the host, 'natural' when the vnode stands for the host; report_give_place():
 * its host and its own name, which every vnode has. */
void report_give_listed(struct report *rp, struct given *g, const struct node *n,
                        const struct is_vnode *vn);
void report_give_block(struct report *rp, struct given *g, const struct node *n,
                       const char *vnode, bool natural);
void report_give_place(struct report *rp, struct given *g, const struct node *n,
                       const char *vnode, const char *mom_host);
/* What was gathered becomes changes of a vnode's record; values of an earlier report
 * that this one does not give any more go away. */
void report_put(struct node_record *nr, const struct given *g);
/* The same for the record that creates a vnode. */
void report_record(struct record *rec, const struct given *g, struct arena *arena);

#endif
