/* keyboard.c - $kbd_idle: a workstation is there for jobs while nobody sits at it
 * (execution.md 30).
 *
 * The host is busy when its keyboard or mouse has been in use for a while, without a
 * pause of that length; it is free when they have not been touched for another while.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

void keyboard_set_rules(struct mom *m)
{
    m->keyboard_at = m->cfg.has_kbd_idle ? 0 : INT64_MAX;
    if (m->cfg.has_kbd_idle)
        return;
    m->keyboard_used_since = 0;
    m->keyboard_is_busy = false;
}

void keyboard_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    if (now_at < m->keyboard_at)
        return;
    m->keyboard_at = now_at + MAX_OF(m->cfg.kbd_poll_s, 1);
    out_add(out, MOM_READ_IDLE);
}

/* In use since when? 0: it is not. A touch is seen at the next look only. */
static int64_t used_since(const struct mom *m, int64_t now_at, int64_t idle_s)
{
    int64_t pause_s = MAX_OF(m->cfg.kbd_busy_s, m->cfg.kbd_poll_s + 1);

    if (idle_s >= m->cfg.kbd_idle_s || idle_s >= pause_s)
        return 0;
    return m->keyboard_used_since ? m->keyboard_used_since : now_at;
}

void mom_host_idle(struct mom *m, int64_t now_at, int64_t idle_s, struct mom_out *out)
{
    bool was_busy = m->keyboard_is_busy;

    /* The configuration may have changed since it was asked for. */
    if (!m->cfg.has_kbd_idle)
        return;
    m->keyboard_used_since = used_since(m, now_at, MAX_OF(idle_s, 0));
    if (idle_s >= m->cfg.kbd_idle_s)
        m->keyboard_is_busy = false;
    else if (m->keyboard_used_since &&
             now_at - m->keyboard_used_since >= m->cfg.kbd_busy_s)
        m->keyboard_is_busy = true;
    if (m->keyboard_is_busy != was_busy) {
        out_log(out, LOG_EV_SYSTEM, LOG_IN_SERVER, "kbd_idle",
                m->keyboard_is_busy ? "keyboard or mouse are in use: the host is busy"
                                    : "keyboard and mouse are idle: the host is not "
                                      "busy any more");
        if (m->registered)
            link_send_update(m, out);
    }
    standing_settle(m, now_at, out);
}
