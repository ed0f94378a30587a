/* select.h - select, place, schedselect and exec_vnode as structs (attributes.md 7, 8,
 * 11).
 *
 * Parsed forms live in an arena. Printing a parsed form gives back the text it came
 * from, up to what the grammar says is equivalent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_SELECT_H
#define LIB_ATTR_SELECT_H

#include "lib/attr/resource.h"

/* name=value of a chunk, spelled as written. 'def' is NULL when unknown and allowed. */
struct chunk_resource {
    const char *name;
    const char *value;
    const struct resource_def *def;
};

/* "N:res=val:..." */
struct chunk {
    int64_t count; /* 1 when not given */
    bool counted;  /* the count was written */
    size_t n;
    struct chunk_resource *res;
};

struct select {
    size_t n;
    struct chunk *chunks;
};

/* Parse a select text. Unknown resources: PBSE_UNKRESC with "Unknown resource: foo";
 * bad values PBSE_BADATVAL (wire.md 8.1). */
int select_parse(const char *text, const struct resource_defs *defs,
                 struct arena *arena, struct select *ret, struct diag *why) MUST_CHECK;

/* The schedselect: counts and defaults made explicit (attributes.md 8). 'defaults' are
 * the default_chunk members that a chunk lacks, in order; may be NULL. */
const char *select_to_schedselect(const struct select *sel,
                                  const struct resources *defaults,
                                  struct arena *arena);

/* Add the job-wide sums of consumable chunk resources (ncpus, mem, ...) and nodect to
 * 'res' (attributes.md 8), replacing members that are there. */
void select_sum(const struct select *sel, const struct resource_defs *defs,
                struct resources *res);

/* The subset rule of an alteration (reservations.md 13.5): both are schedselects. */
bool schedselect_is_subset(const char *wanted, const char *original);

enum place_arrange {
    PLACE_FREE,
    PLACE_PACK,
    PLACE_SCATTER,
    PLACE_VSCATTER
};
enum place_share {
    PLACE_SHARED,
    PLACE_EXCL,
    PLACE_EXCLHOST
};

struct place {
    enum place_arrange arrange;
    enum place_share share;
    bool share_given;
    const char *group; /* resource name of group=, NULL when none */
};
int place_parse(const char *text, struct arena *arena, struct place *ret,
                struct diag *why) MUST_CHECK;

/* "(vn:ncpus=1:mem=1gb+vn2:ncpus=1)+(vn3:ncpus=2)" */
struct vnode_share {
    const char *vnode;
    size_t n;
    struct chunk_resource *res;
};
struct exec_chunk { /* one pair of parentheses */
    size_t n;
    struct vnode_share *shares;
};
struct exec_vnode {
    size_t n;
    struct exec_chunk *chunks;
};

/* 'defs' may be NULL: resources are then not looked up. A bare vnode name is accepted
 * as "(name)". PBSE_BADATVAL / PBSE_IVALREQ when it is not one. */
int exec_vnode_parse(const char *text, const struct resource_defs *defs,
                     struct arena *arena, struct exec_vnode *ret,
                     struct diag *why) MUST_CHECK;
const char *exec_vnode_print(const struct exec_vnode *ev, struct arena *arena);
bool exec_vnode_has(const struct exec_vnode *ev, const char *vnode);

/* Sum of one resource over all shares that lie on 'vnode' (NULL: on all); KiB for
 * sizes. */
int64_t exec_vnode_amount(const struct exec_vnode *ev, const char *vnode,
                          const char *resource);

#endif
