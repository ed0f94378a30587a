/* resv_words.h - what the numbers of a reservation's state are called.
 *
 * Apart from resv_number.h, so that programs that use libpbs, whose header declares the
 * same numbers, can have the words too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_RESV_WORDS_H
#define LIB_ATTR_RESV_WORDS_H

#include "lib/base/base.h"

/* "CO" and "RESV_CONFIRMED" for 2; NULL for a number that is no state. */
const char *resv_state_short(int64_t state);
const char *resv_state_long(int64_t state);

#endif
