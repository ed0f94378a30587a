/* topology.h - what the host has of processors, memory and devices: asked of a program
 * of its own (pbs_topology), at the start and at SIGHUP.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_TOPOLOGY_H
#define MOM_SHELL_TOPOLOGY_H

#include "mom/shell/shell.h"

/* The least with which servers take a host for complete (tpp.md 5.3). */
#define TOPOLOGY_LEAST                                                                 \
    "hwloc<?xml version=\"1.0\"?><topology><object type=\"Machine\">"                  \
    "<object type=\"Socket\" os_index=\"0\"></object></object></topology>"

/* Before the loop runs: find it out, which takes a moment. The text is there until
 * topology_close(); without an answer it is the least that servers take. HWLOC_XMLFILE
 * and HWLOC_SYNTHETIC of the MoM's environment have another host described; whoever
 * starts the MoM sets them, and nobody else can. */
const char *topology_find(struct shell *s);
/* While it runs: find it out again, and report a text that is another one. */
void topology_ask(struct shell *s);
void topology_close(struct shell *s);

/* How many processors and cores a text tells of, 0: none. */
struct topology_counts {
    unsigned pus, cores;
};
struct topology_counts topology_count(const char *text);

/* Is that the whole text of a topology, in characters that can be printed? */
bool topology_is_text(const char *text, size_t len);
/* Open the file of an exported topology. -1 with words: it is no plain file of root's
 * (or of the user of a MoM without root) that nobody else may write. */
int topology_open_xml(const char *path, struct diag *why) MUST_CHECK;

#endif
