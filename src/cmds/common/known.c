/* known.c - see known.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/known.h"

#include "lib/io/net.h"

#include <stdio.h>
#include <string.h>

/* Does a host bear the name that 'text' has behind its dot? 'server' is what the
 * operand was read as: empty when the default server is meant, which is not looked up
 * here. */
static bool has_host(const char *text, const char *server)
{
    char host[OPERAND_MAX];
    struct in_addr addr;

    if (*server == '\0' || strchr(text, '@'))
        return true;
    snprintf(host, sizeof(host), "%.*s", (int)strcspn(server, ":"), server);
    return net_resolve(host, &addr, NULL) == 0;
}

bool known_job(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX])
{
    return operand_job(text, id, server) && has_host(text, server);
}

bool known_occurrence(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX],
                      int *ret)
{
    return operand_occurrence(text, id, server, ret) && has_host(text, server);
}
