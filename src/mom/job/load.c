/* load.c - $max_load and $ideal_load: whether the host has too much to do for more jobs
 * (execution.md 30). The server hears of it as a bit of the host's state.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#define LOAD_INTERVAL_S 10

void load_set_rules(struct mom *m)
{
    /* Between the two the state stays as it is, which needs an order of them. */
    if (m->cfg.ideal_load > m->cfg.max_load)
        m->cfg.ideal_load = m->cfg.max_load;
    MUST(m->cfg.ideal_load >= 0 || !m->cfg.has_max_load);
    /* The numbers may be others now: look at once. A host of which nobody asks is not
     * busy. */
    m->load_at = m->cfg.has_max_load ? 0 : INT64_MAX;
    m->is_busy = m->is_busy && m->cfg.has_max_load;
}

void load_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    if (now_at < m->load_at)
        return;
    m->load_at = now_at + LOAD_INTERVAL_S;
    out_add(out, MOM_READ_LOAD);
}

static void say_busy(struct mom *m, double load, struct mom_out *out)
{
    out_log(out, LOG_EV_SYSTEM, LOG_IN_SERVER, "max_load",
            m->is_busy ? "load average %.2f: the host is busy"
                       : "load average %.2f: the host is not busy any more",
            load);
    if (m->registered)
        link_send_update(m, out);
}

void mom_host_load(struct mom *m, int64_t now_at, double load, struct mom_out *out)
{
    bool was_busy = m->is_busy;

    /* The configuration may have changed since the load was asked for. */
    if (!m->cfg.has_max_load || !(load >= 0))
        return;
    if (load >= m->cfg.max_load)
        m->is_busy = true;
    else if (load < m->cfg.ideal_load || load <= 0) /* there is no load below 0 */
        m->is_busy = false;
    if (m->is_busy != was_busy)
        say_busy(m, load, out);
    standing_settle(m, now_at, out);
}
