/* diag.h - why something was refused: a PBSE code and its words.
 *
 * Functions that can fail for a reason take a 'struct diag *' as last argument, fill it
 * and return the code. Texts that clients see come from the catalogue of pbs_error.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_DIAG_H
#define LIB_BASE_DIAG_H

#include "lib/base/base.h"

#include "include/pbs_error.h"

struct diag {
    int code;       /* 0 or PBSE_... */
    char text[256]; /* never longer on the wire (wire.md 8.1) */
};

/* The catalogue's text of a code, "" for a code that has none, NULL when unknown.
 * Texts that end in a blank do so on the wire too. */
const char *pbse_text(int code);

/* The macro's name of a code ("PBSE_PERM"), NULL when unknown. */
const char *pbse_name(int code);

/* Fill 'why' and return 'code'. 'why' may be NULL. diag_code() uses the catalogue's
 * text; diag_about() appends a blank and 'what' to it, so that texts that end in a
 * blank show two (attributes.md 19). */
int diag_set(struct diag *why, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
int diag_code(struct diag *why, int code);
int diag_about(struct diag *why, int code, const char *what);

#endif
