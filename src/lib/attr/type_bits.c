/* type_bits.c - values that are sets: the holds of a job, the state of a vnode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_state.h"
#include "lib/attr/number_ops.h"

#include <string.h>

static const char hold_letters[] = "soup"; /* order of printing */

DECODER(decode_hold)
{
    int64_t bits = 0;

    if (!*text)
        return PBSE_BADATVAL;
    for (; *text; text++) {
        const char *at = strchr(hold_letters, *text);

        if (*text == 'n')
            bits = 0;
        else if (at)
            bits |= 1 << (at - hold_letters);
        else
            return PBSE_BADATVAL;
    }
    return number_set(v, bits);
}

static void print_hold(const struct attr_value *v, struct buf *out)
{
    if (!v->u.num)
        buf_add_char(out, 'n');
    for (int i = 0; hold_letters[i]; i++)
        if (v->u.num & (1 << i))
            buf_add_char(out, hold_letters[i]);
}

DECODER(decode_node_state)
{
    int64_t bits;
    int err = node_state_parse(text, &bits);

    return err ? err : number_set(v, bits);
}

static void print_node_state(const struct attr_value *v, struct buf *out)
{
    node_state_print(v->u.num, out);
}

/* Who takes "offline" away means the vnode, whoever set it: the MoM's mark goes with
 * it. */
static int subtract_node_state(struct attr_value *v, const struct attr_value *less)
{
    int64_t gone = less->u.num;

    if (gone & NODE_OFFLINE)
        gone |= NODE_OFFLINE_BY_MOM;
    return number_set(v, v->u.num & ~gone);
}

const struct attr_type attr_hold = {
    .name = "hold set",
    .wire_type = 1,
    .decode = decode_hold,
    .print = print_hold,
    .add = number_add_bits,
    .subtract = number_subtract_bits,
    NUMBER_OPS,
};

const struct attr_type attr_node_state = {
    .name = "vnode state",
    .wire_type = 1,
    .decode = decode_node_state,
    .print = print_node_state,
    .add = number_add_bits,
    .subtract = subtract_node_state,
    NUMBER_OPS,
};
