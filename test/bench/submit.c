/* submit.c - many equal jobs over one connection, for benches.
 *
 * usage: submit count script [name[.resource]=value ...]
 *
 * PBS_CONF_FILE says which server. A process for each qsub would take more time than
 * the server does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/pbs_error.h"
#include "include/pbs_ifl.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cut "name.resource=value" in place. */
static void read_attr(char *word, struct attropl *ret)
{
    char *value = strchr(word, '='), *dot;

    if (!value)
        errx(2, "%s has no value", word);
    *value++ = '\0';
    dot = strchr(word, '.');
    if (dot)
        *dot++ = '\0';
    *ret = (struct attropl){ .name = word, .resource = dot, .value = value, .op = SET };
}

static struct attropl *read_attrs(int n, char **words)
{
    struct attropl *v = calloc((size_t)n + 1, sizeof(*v));

    if (!v)
        err(1, "attributes");
    for (int i = 0; i < n; i++) {
        read_attr(words[i], &v[i]);
        v[i].next = i + 1 < n ? &v[i + 1] : NULL;
    }
    return v;
}

int main(int argc, char **argv)
{
    int connection;
    struct attropl *attrs;

    if (argc < 3)
        errx(2, "usage: submit count script [name[.resource]=value ...]");
    attrs = read_attrs(argc - 3, argv + 3);
    connection = pbs_connect(NULL);
    if (connection < 0)
        errx(1, "no connection: %d", pbs_errno);
    for (long left = atol(argv[1]); left > 0; left--) {
        char *id = pbs_submit(connection, argc > 3 ? attrs : NULL, argv[2], NULL, NULL);

        if (!id)
            errx(1, "refused: %d", pbs_errno);
        puts(id);
        free(id);
    }
    pbs_disconnect(connection);
    free(attrs);
    return 0;
}
