/* authenticate.c - saying who we are on a TCP connection (wire.md 4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int fail(int code)
{
    int keep = errno;

    ifl_set_error(-1, code, NULL);
    errno = keep;
    return -1;
}

/* Another method than the helper's needs a plug-in, and the text is that of one which
 * cannot be loaded. */
int ifl_authenticate(const struct conf *conf, int c, const char *host, unsigned port)
{
    int code;

    if (strcmp(conf->auth_method, "resvport") != 0) {
        fprintf(stderr, "Failed to load %s/lib/libauth_%s.so\n", conf->exec,
                conf->auth_method);
        return fail(PBSE_SYSTEM);
    }
    code = ifl_resvport(conf, c, host, port);
    if (code == 0)
        return 0;
    fprintf(stderr, "auth: error returned: %d\n", code);
    fprintf(stderr, "auth: Unable to authenticate connection (%s:%u)\n", host, port);
    errno = 0; /* no words of the system's belong to it */
    return fail(code);
}
