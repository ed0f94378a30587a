/* describe.h - the text in which a host's processors, memory and devices are told to
 * the server (topology_info, execution.md 10).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_TOPOLOGY_DESCRIBE_H
#define MOM_TOPOLOGY_DESCRIBE_H

#include "lib/base/diag.h"

#include <stddef.h>

/* What is described: an exported topology, or made-up words of hwloc's ("pack:2 core:4
 * pu:2"); both NULL: this host. */
struct topology_source {
    const char *xml; /* ends with a NUL */
    size_t xml_len;  /* without it */
    const char *synthetic;
};

/* *ret, which the caller frees, is "hwloc" and the text, with at most 'max_bytes'. What
 * is the same host gives the same text each time: nothing is in it that changes while
 * the host runs, or that only root may know. Where it would be longer, devices are left
 * out, then caches, and at last everything but the sockets. PBSE_SYSTEM with words: the
 * source describes nothing. This may take a second, and what hostile text does to the
 * library is not known: it is for a process of its own. */
int topology_describe(const struct topology_source *from, size_t max_bytes, char **ret,
                      struct diag *why) MUST_CHECK;

#endif
