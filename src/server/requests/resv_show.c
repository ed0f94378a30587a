/* resv_show.c - what a status reply shows of a reservation beyond its stored values:
 * nothing yet. The overlay of an open alteration will live here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/show.h"

bool show_resv(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out)
{
    (void)m;
    (void)rq;
    (void)o;
    (void)attr;
    (void)out;
    return false;
}
