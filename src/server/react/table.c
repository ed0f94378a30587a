/* table.c - which facts cause which reactions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

const struct react_row react_rows[] = {
    /* server, queues, vnodes, schedulers */
    { FACT_CREATED, react_manager },
    { FACT_SET, react_manager },
    { FACT_DELETED, react_manager },

    /* reservations */

    /* jobs */
};
const size_t n_react_rows = ARRAY_LEN(react_rows);
