/* zonefile.h - zoneinfo files by name, for lib/cal/zone.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_ZONEFILE_H
#define LIB_IO_ZONEFILE_H

#include "lib/base/buf.h"
#include "lib/base/diag.h"

#define ZONEFILE_DIR "/usr/share/zoneinfo"

/* Append the contents of the zone's file. The name comes from users: it never leads out
 * of 'dir'. PBSE_BAD_ICAL_TZ when there is no such zone, or it is no plain file of a
 * reasonable size. */
int zonefile_read(const char *dir, const char *name, struct buf *out,
                  struct diag *why) MUST_CHECK;

#endif
