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

/* Parse a select text. 'defs' may be NULL: then only the grammar is checked. Else also
 * unknown resources (PBSE_UNKRESC, "Unknown resource: foo"), resources that no chunk
 * may have, repeated ones, values, a count of 0 in all and differing aoe or eoe, with
 * the codes and texts of attributes.md 7.1. Values are kept without the quotes that
 * protected them. */
int select_parse(const char *text, const struct resource_defs *defs,
                 struct arena *arena, struct select *ret, struct diag *why) MUST_CHECK;

/* True when some chunk has no resources of its own: without a default_chunk that is
 * PBSE_INVALSELECTRESC. */
bool select_has_bare_chunk(const struct select *sel);

/* PBSE_INVALSELECTRESC with its name when a resource may not be asked for by 'who'
 * (enum attr_who bits). */
int select_check_writer(const struct select *sel, uint32_t who,
                        struct diag *why) MUST_CHECK;

/* The schedselect: counts and defaults made explicit (attributes.md 8). 'defaults' are
 * the default_chunk members that a chunk lacks, in order; may be NULL. */
const char *select_to_schedselect(const struct select *sel,
                                  const struct resources *defaults,
                                  struct arena *arena);

/* Add the job-wide sums of consumable chunk resources (ncpus, mem, ...) and nodect to
 * 'res' (attributes.md 8), replacing members that are there. 'sel' was parsed with
 * 'defs', from a schedselect where defaults count. */
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
/* 0, or PBSE_BADATVAL when the text is no place; the words lie in the arena. */
int place_parse(const char *text, struct arena *arena, struct place *ret,
                struct diag *why) MUST_CHECK;

/* The forms before select (attributes.md 7.4, 7.5): select and place of a request that
 * has neither, from 'nodes' or from the job-wide members of 'res'. 'asked' are the
 * members that the requester gave, without defaults; NULL: none. 'whole' is true for a
 * job, whose converted chunk is packed; a reservation's is free. */
int select_from_resources(const struct resources *res, const struct resources *asked,
                          const struct resource_defs *defs, bool whole,
                          struct arena *arena, const char **ret_select,
                          const char **ret_place, struct diag *why) MUST_CHECK;

/* The characters and the shape of a nodes text; its meaning is select_from_resources().
 */
bool nodes_is_valid(const char *text);

/* A value as it stands in a chunk: in quotes when it has characters that mean something
 * there. */
void chunk_value_print(const char *value, struct buf *out);

/* "(vn:ncpus=1:mem=1gb+vn2:ncpus=1)+(vn3:ncpus=2)" */
struct vnode_part {
    const char *vnode;
    size_t n;
    struct chunk_resource *res;
};
struct exec_chunk { /* one pair of parentheses */
    size_t n;
    struct vnode_part *parts;
};
struct exec_vnode {
    size_t n;
    struct exec_chunk *chunks;
};

/* 'defs' may be NULL: resources are then not looked up. A bare vnode name is accepted
 * as "(name)", and a single vnode needs no parentheses. PBSE_BADATVAL when it is not
 * one, PBSE_UNKRESC for an unknown resource. */
int exec_vnode_parse(const char *text, const struct resource_defs *defs,
                     struct arena *arena, struct exec_vnode *ret,
                     struct diag *why) MUST_CHECK;
const char *exec_vnode_print(const struct exec_vnode *ev, struct arena *arena);
bool exec_vnode_has(const struct exec_vnode *ev, const char *vnode);

/* Sum of one resource over all parts that lie on 'vnode' (NULL: on all); KiB for
 * sizes. */
int64_t exec_vnode_amount(const struct exec_vnode *ev, const char *vnode,
                          const char *resource);

/* The same of one part. */
int64_t vnode_part_amount(const struct vnode_part *part, const char *resource);

/* Add what lies on 'vnode' (NULL: on all) to 'sum', as values of the resources; 'ev'
 * was parsed with definitions. */
void exec_vnode_sum(const struct exec_vnode *ev, const char *vnode,
                    struct resources *sum);

#endif
