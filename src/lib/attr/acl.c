/* acl.c - evaluation of access control lists (attributes.md 4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/acl.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A pattern that begins with '*' matches every host that ends in the rest of it. */
bool acl_host_matches(const char *pattern, const char *host)
{
    size_t have, need;

    if (*pattern != '*')
        return strcasecmp(pattern, host) == 0;
    pattern++;
    have = strlen(host);
    need = strlen(pattern);
    return have >= need && strcasecmp(host + have - need, pattern) == 0;
}

bool acl_user_matches(const char *pattern, const char *user, const char *host)
{
    size_t len = strcspn(pattern, "@");

    /* Names of users have upper and lower case, those of hosts do not. */
    if (strlen(user) != len || memcmp(pattern, user, len) != 0)
        return false;
    /* A user without a host is that user on every host. */
    return !pattern[len] || acl_host_matches(pattern + len + 1, host);
}

struct candidate {
    const char *name; /* user, or host */
    const char *host; /* of the user; NULL when hosts are compared */
    const char *const *groups;
    size_t n_groups;
};

static bool matches(const char *member, const struct candidate *c)
{
    for (size_t i = 0; i < c->n_groups; i++)
        if (strcmp(member, c->groups[i]) == 0)
            return true;
    if (!c->name)
        return false;
    return c->host ? acl_user_matches(member, c->name, c->host)
                   : acl_host_matches(member, c->name);
}

/* The first member that matches decides. A member that is a sign alone says what holds
 * when no other one matches. */
static bool evaluate(const struct strings *members, const struct candidate *c)
{
    bool otherwise = false;

    for (size_t i = 0; i < members->n; i++) {
        const char *member = members->v[i];
        bool deny = *member == '-';

        if (*member == '+' || *member == '-')
            member++;
        if (!*member)
            otherwise = !deny;
        else if (matches(member, c))
            return !deny;
    }
    return otherwise;
}

static bool is_empty(const struct attr_value *acl)
{
    return !acl->set || acl->u.list.n == 0;
}

/* Read one number of a dotted address, 0 to 255. */
static bool read_octet(const char **p, uint32_t *address)
{
    uint32_t octet = 0;
    size_t n = 0;

    for (; isdigit((unsigned char)**p) && n < 3; n++, ++*p)
        octet = octet * 10 + (uint32_t)(**p - '0');
    /* The first number ends up highest, so that a mask of N bits is a shift. */
    *address = *address << 8 | octet;
    return n > 0 && octet <= 255;
}

static bool read_address(const char **p, uint32_t *ret)
{
    uint32_t address = 0;

    for (int i = 0; i < 4; i++) {
        if (i > 0 && *(*p)++ != '.')
            return false;
        if (!read_octet(p, &address))
            return false;
    }
    *ret = address;
    return true;
}

/* Read a subnet: "A.B.C.D/N" or "A.B.C.D/M.M.M.M". */
static bool read_subnet(const char *member, uint32_t *net, uint32_t *mask)
{
    uint32_t bits = 0;

    if (!read_address(&member, net) || *member++ != '/')
        return false;
    /* A mask with points is taken as it is, even one with gaps. */
    if (strchr(member, '.'))
        return read_address(&member, mask) && !*member;
    if (!read_octet(&member, &bits) || *member || bits < 1 || bits > 32)
        return false;
    *mask = UINT32_MAX << (32 - bits);
    return true;
}

/* Walk over the subnets of the list in the same way. A mask of 0 never matches: it
 * would let everybody in. */
static bool subnets_allow(const struct strings *members, uint32_t address)
{
    for (size_t i = 0; i < members->n; i++) {
        const char *member = members->v[i];
        bool deny = *member == '-';
        uint32_t net, mask;

        if (*member == '+' || *member == '-')
            member++;
        if (read_subnet(member, &net, &mask) && mask &&
            (address & mask) == (net & mask))
            return !deny;
    }
    return false;
}

bool acl_allows_host(const struct attr_value *acl, const char *host,
                     const char *own_host)
{
    struct candidate c = { .name = host };
    const char *p = host;
    uint32_t address;

    if (is_empty(acl))
        return strcasecmp(host, own_host) == 0;
    if (evaluate(&acl->u.list, &c))
        return true;
    return read_address(&p, &address) && !*p && subnets_allow(&acl->u.list, address);
}

bool acl_allows_user(const struct attr_value *acl, const char *user, const char *host)
{
    struct candidate c = { .name = user, .host = host };

    return !is_empty(acl) && evaluate(&acl->u.list, &c);
}

bool acl_allows_group(const struct attr_value *acl, const char *const *groups, size_t n)
{
    struct candidate c = { .groups = groups, .n_groups = n };

    return !is_empty(acl) && evaluate(&acl->u.list, &c);
}
