/* reads.h - which attributes are read, for checks that hold code to what its row says.
 *
 * Builds without --enable-checks do not note it: nothing has been read there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_READS_H
#define SERVER_MODEL_READS_H

#include "server/model/model.h"

/* From now on it is noted which attributes of the object are read, until reads_end().
 */
void reads_begin(const struct object *o);
void reads_end(const struct object *o);

/* Was that attribute read? */
bool reads_has(const struct object *o, int attr);
/* Forget what was read so far. */
void reads_forget(const struct object *o);

#endif
