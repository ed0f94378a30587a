/* replay.h - commands run within a test program, against a world read from a file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_CMDS_REPLAY_H
#define TEST_UNIT_CMDS_REPLAY_H

#include <stdbool.h>

/* The objects that the calls of libpbs find from now on; false when the file cannot be
 * read. Its form: test/golden/commands/README.md. */
bool world_load(const char *path);
void world_free(void);

/* Whether the caller is one who may change things. */
void world_set_operator(bool is_operator);

/* The main functions. */
int replay_pbsnodes(int argc, char **argv);
int replay_qalter(int argc, char **argv);
int replay_qdel(int argc, char **argv);
int replay_qdisable(int argc, char **argv);
int replay_qenable(int argc, char **argv);
int replay_qhold(int argc, char **argv);
int replay_qmove(int argc, char **argv);
int replay_qmsg(int argc, char **argv);
int replay_qorder(int argc, char **argv);
int replay_qrerun(int argc, char **argv);
int replay_qrls(int argc, char **argv);
int replay_qrun(int argc, char **argv);
int replay_qselect(int argc, char **argv);
int replay_qsig(int argc, char **argv);
int replay_qstart(int argc, char **argv);
int replay_qstat(int argc, char **argv);
int replay_qstop(int argc, char **argv);
int replay_qsub(int argc, char **argv);
int replay_qterm(int argc, char **argv);

#endif
