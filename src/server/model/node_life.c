/* node_life.c - see node_life.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/node_life.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "server/model/job_suspend.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MOM_PORT_DEFAULT 15002

uint32_t node_state_stored(const struct node *n)
{
    return (uint32_t)obj_num(&n->obj, NODE_A_HF_STATE, NODE_INITIAL);
}

bool node_bits_usable(uint32_t bits)
{
    uint32_t bad = bits & (uint32_t)NODE_UNUSABLE;

    /* While its last known state holds, a vnode that is not heard of counts as it
     * was. */
    if (bits & NODE_LAST_KNOWN)
        bad &= ~(uint32_t)NODE_STATE_UNKNOWN;
    return bad == 0;
}

bool node_may_be_reached(const struct node *n)
{
    uint32_t bits = node_state_stored(n);

    return (bits & NODE_LAST_KNOWN) || !(bits & (NODE_DOWN | NODE_STATE_UNKNOWN));
}

bool nodes_are_awaited(const struct model *m)
{
    return m->n_awaited > 0;
}

bool node_is_usable(const struct node *n)
{
    return node_bits_usable(node_state_stored(n));
}

/* True when 'word' is one of the colon-separated words of a place. */
static bool place_has(const char *place, const char *word)
{
    size_t len = strlen(word);

    for (const char *p = place; p && *p;) {
        size_t n = strcspn(p, ":");

        /* Whole words are compared, because "excl" is the beginning of "exclhost". */
        if (n == len && strncasecmp(p, word, len) == 0)
            return true;
        p += n + (p[n] != '\0');
    }
    return false;
}

static const char *place_of(const struct object *o, int attr)
{
    const struct resource_value *v = resources_find(obj_resources(o, attr), "place");

    return v && v->value.set && v->value.u.str ? v->value.u.str : "";
}

/* The table of attributes.md 11: does the holder have the vnode for itself? */
static bool is_exclusive(const struct node *n, const char *place)
{
    const char *sharing = obj_str(&n->obj, NODE_A_SHARING, "default_shared");

    /* The vnode's own word outweighs what is asked for, in this order. */
    if (strncasecmp(sharing, "force_excl", 10) == 0)
        return true;
    if (strcasecmp(sharing, "ignore_excl") == 0)
        return false;
    if (place_has(place, "excl") || place_has(place, "exclhost"))
        return true;
    return strncasecmp(sharing, "default_excl", 12) == 0 && !place_has(place, "shared");
}

static bool held_by_resv(const struct node *n)
{
    for (size_t i = 0; i < n->n_occurrences; i++) {
        const struct occurrence *oc = n->occurrences[i];

        if (oc->counted &&
            is_exclusive(n, place_of(&oc->resv->obj, RESV_A_RESOURCE_LIST)))
            return true;
    }
    return false;
}

static int64_t ncpus_used_by(const struct job *job, const struct node *n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < job->bookings.n; i++)
        if (job->bookings.v[i].node == n)
            sum += resources_amount(&job->bookings.v[i].amount, "ncpus", 0);
    return sum;
}

static uint32_t held_by_jobs(const struct node *n)
{
    int64_t has = resources_amount(obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE),
                                   "ncpus", 0);
    int64_t used = 0;

    for (size_t i = 0; i < n->n_jobs; i++) {
        /* A suspended job leaves the vnode to others, also where it had it alone. */
        if (!job_gave_back(n->jobs[i]) &&
            is_exclusive(n, place_of(&n->jobs[i]->obj, JOB_A_RESOURCE_LIST)))
            return NODE_JOB_EXCLUSIVE;
        used += ncpus_used_by(n->jobs[i], n);
    }
    /* A vnode without cpus is not busy, since nobody can use any. */
    return used > 0 && used >= has ? NODE_JOB_BUSY : NODE_FREE;
}

uint32_t node_state(const struct node *n)
{
    uint32_t by_jobs = held_by_jobs(n);

    /* Inside an exclusive reservation only an exclusive job shows; its cpus may all be
     * used without the vnode being busy (reservations.md 18). */
    if (held_by_resv(n))
        by_jobs = (by_jobs & NODE_JOB_EXCLUSIVE) | NODE_RESV_EXCLUSIVE;
    return node_state_stored(n) | by_jobs;
}

const char *node_state_text(uint32_t bits, struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret;

    node_state_print(bits, &text);
    ret = arena_strdup(arena, text.data ? text.data : "free");
    buf_fini(&text);
    return ret;
}

int node_state_change(uint32_t stored, const char *text, enum wire_op op, uint32_t *ret,
                      struct diag *why)
{
    int64_t bits;
    int err = node_state_parse(text, &bits);

    if (!err && (bits & ~(int64_t)NODE_SETTABLE))
        err = PBSE_BADNDATVAL; /* set by daemons only */
    if (err)
        return diag_code(why, err);
    /* An administrator who takes "offline" away means it, whoever has set it. */
    if (op == WIRE_OP_DECR) {
        if (bits & NODE_OFFLINE)
            bits |= NODE_OFFLINE_BY_MOM;
        *ret = stored & ~(uint32_t)bits;
    } else if (op == WIRE_OP_INCR) {
        *ret = stored | (uint32_t)bits;
    } else {
        /* A plain value replaces what administrators may set and nothing else. */
        *ret = (stored & ~(uint32_t)NODE_SETTABLE) | (uint32_t)bits;
    }
    return 0;
}

const char *node_mom_host(const struct node *n)
{
    const struct attr_value *mom = obj_attr(&n->obj, NODE_A_MOM);

    return mom->set && mom->u.list.n > 0 ? mom->u.list.v[0] : n->obj.id;
}

uint32_t node_mom_port(const struct node *n)
{
    return (uint32_t)obj_num(&n->obj, NODE_A_PORT, MOM_PORT_DEFAULT);
}

const char *node_default_host(const char *mom_host, struct arena *arena)
{
    /* An address is not shortened at its first dot. */
    if (isdigit((unsigned char)*mom_host))
        return arena_strdup(arena, mom_host);
    return arena_strndup(arena, mom_host, strcspn(mom_host, "."));
}

const struct node *node_natural(const struct node *n)
{
    const struct node *first = n->host ? n->host->nodes : n;

    /* The oldest vnode of a MoM is its natural one; a host may have several MoMs on
     * different ports. */
    while (first != n && node_mom_port(first) != node_mom_port(n))
        first = first->host_next;
    return first;
}
