/* confirm.h - the extension of ConfirmResv: a scheduler's yes or no, and what goes with
 * it (wire.md 9, doc/extensions.md).
 *
 *     PBS_RESV_CONFIRM_SUCCESS[:seq=N][:partition=P][:away=1]
 *     PBS_RESV_CONFIRM_FAIL[:seq=N][:reason=TEXT]
 *
 * "seq", "away" and "reason" are ours, and sent only to servers that number their
 * questions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_CONFIRM_H
#define LIB_WIRE_CONFIRM_H

#include "lib/base/arena.h"

/* Texts are NULL when they were not given, and never empty. */
struct wire_confirm {
    bool yes;
    bool has_seq;
    int64_t seq;           /* the question that this answers; -1: no number was sent */
    bool away;             /* of a yes: who answers knows that some of these vnodes are
                              down or offline */
    const char *partition; /* who answers; has no colon */
    const char *reason;    /* of a no: everything behind "reason=", colons too */
};

/* Read an extension. False, with *ret unchanged, when 'text' (may be NULL) begins with
 * neither word. Of a field that comes twice the first counts; unknown fields are
 * skipped. Texts are copied into 'arena'. Time: linear in the text. */
bool wire_confirm_read(const char *text, struct arena *arena,
                       struct wire_confirm *ret) MUST_CHECK;

/* The extension as a text in 'arena'. A reason goes with a no only. */
const char *wire_confirm_text(const struct wire_confirm *c,
                              struct arena *arena) MUST_CHECK;

#endif
