/* keys.c - see keys.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/keys.h"

void keys_init(struct keys *k, uint8_t kill, uint8_t interrupt, uint8_t suspend)
{
    *k = (struct keys){
        .kill = kill, .interrupt = interrupt, .suspend = suspend, .line_begins = true
    };
}

/* Each of these throws away the line that was being typed, or sends it. An empty line
 * is a line as well, so that "~." works behind it. */
static bool ends_line(const struct keys *k, uint8_t c)
{
    return c == '\n' || c == '\r' || c == k->kill || c == k->interrupt;
}

enum keys_act keys_type(struct keys *k, uint8_t c, struct buf *out)
{
    bool first = k->line_begins, second = k->has_tilde;

    MUST(!first || !second); /* a tilde that waits is the first character */
    k->line_begins = k->has_tilde = false;
    if (first && c == '~') {
        k->has_tilde = true;
        return KEYS_GO_ON;
    }
    if (second && c == '.')
        return KEYS_END;
    if (second && c == k->suspend) {
        k->line_begins = true; /* as if nothing had been typed */
        return KEYS_SUSPEND;
    }
    if (second)
        buf_add_char(out, '~');
    buf_add_char(out, (char)c);
    k->line_begins = ends_line(k, c);
    return KEYS_GO_ON;
}
