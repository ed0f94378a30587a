/* qrls.c - the command as a function of the test program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#define main replay_qrls
#include "cmds/qrls.c"
