/* acl.h - evaluation of access control lists (attributes.md 4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_ACL_H
#define LIB_ATTR_ACL_H

#include "lib/attr/value.h"

/* First match in stored order wins; unset or empty: hosts allow 'own_host' only, users
 * and groups deny. 'host' may be a dotted address, which is tried against subnets
 * ("10.1.0.0/16") too. The values are lists of any kind (attr_acl_..., attr_strings).
 */
bool acl_allows_host(const struct attr_value *acl, const char *host,
                     const char *own_host);
bool acl_allows_user(const struct attr_value *acl, const char *user, const char *host);
bool acl_allows_group(const struct attr_value *acl, const char *const *groups,
                      size_t n);

/* One member without its sign: "*.a.b" and a host, "bob@*.a.b" and a user. */
bool acl_host_matches(const char *pattern, const char *host);
bool acl_user_matches(const char *pattern, const char *user, const char *host);

#endif
