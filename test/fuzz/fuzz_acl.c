/* Fuzz target: access lists. Lines: the list, user, host.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/acl.h"
#include "lib/base/arena.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

/* Adding the list's own sign-less members one by one must not crash either. */
static void evaluate(const struct attr_type *type, const char *list, const char *user,
                     const char *host)
{
    struct attr_value acl = { 0 };
    const char *groups[] = { user, host };

    if (attr_value_set(type, &acl, NULL, NULL, list, WIRE_OP_SET) == 0) {
        (void)acl_allows_host(&acl, host, "svr.example.com");
        (void)acl_allows_user(&acl, user, host);
        (void)acl_allows_group(&acl, groups, ARRAY_LEN(groups));
        (void)!attr_value_set(type, &acl, NULL, NULL, user, WIRE_OP_INCR);
        (void)!attr_value_set(type, &acl, NULL, NULL, list, WIRE_OP_DECR);
    }
    type->clear(&acl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len), *at = text;
    const char *list = strsep(&at, "\n");
    const char *user = at ? strsep(&at, "\n") : "";
    const char *host = at ? strsep(&at, "\n") : "";

    evaluate(&attr_acl_user, list, user, host);
    evaluate(&attr_acl_host, list, user, host);
    evaluate(&attr_acl_group, list, user, host);
    (void)acl_host_matches(list, host);
    (void)acl_user_matches(list, user, host);
    free(text);
    return 0;
}
