/* resvport.c - the rules for vouching, in the protocol's order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/resvport.h"

#include "lib/auth/auth.h"

#include <string.h>
#include <strings.h>

static int check_method(const struct resvport_vouch *v, struct diag *why)
{
    if (!v->supported || strcasecmp(v->method, RESVPORT_METHOD) != 0)
        return diag_set(why, PBSE_NOSUP, "method %.100s is not supported", v->method);
    return 0;
}

/* Only root can have a reserved port, so the helper is root's; and a host must count
 * as one whose root is believed. */
static int check_helper(const struct resvport_vouch *v, struct diag *why)
{
    if (v->helper_port == 0 || v->helper_port >= RESVPORT_END)
        return diag_set(why, PBSE_BADCRED, "not from a reserved port");
    if (!v->helper_trusted)
        return diag_set(why, PBSE_BADCRED,
                        "reserved ports of this host do not count (see "
                        "PBS_TRUSTED_HOSTS)");
    if (!auth_user_is_name(v->user))
        return diag_set(why, PBSE_BADCRED, "not a user's name");
    return 0;
}

int resvport_check(const struct resvport_vouch *v, struct diag *why)
{
    int err = check_method(v, why);

    if (!err)
        err = check_helper(v, why);
    if (err)
        return err;
    if (!v->owner)
        return diag_set(why, PBSE_BADCRED, "there is no such connection");
    /* A connection does not change hands: else whoever may vouch could make another
     * user's connection useless. */
    if (*v->owner && strcmp(v->owner, v->user) != 0)
        return diag_set(why, PBSE_BADCRED, "the connection is %s's already", v->owner);
    if (*v->owner && v->encrypts)
        return diag_set(why, PBSE_BADCRED, "the connection is in use already");
    if (v->kernel_says)
        return diag_set(why, PBSE_BADCRED, "%s", v->kernel_says);
    return 0;
}
