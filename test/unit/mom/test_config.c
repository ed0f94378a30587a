/* Unit tests of mom_priv/config: the core calculates with its numbers, so a number that
 * it could not calculate with is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/config.h"

#include "../unit.h"
#include "lib/base/log.h"
#include "mom/shell/directives.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char said[2048];

static void note(void *arg, int event, int log_class, const char *object,
                 const char *words)
{
    (void)arg;
    size_t len = strlen(said);

    /* An error is the server class's, whatever it is about. */
    CU_ASSERT(!(event & LOG_EV_ERROR) ||
              (log_class == LOG_IN_SERVER && strcmp(object, "pbs_mom") == 0));
    snprintf(said + len, sizeof(said) - len, "%04x;%s;%s: %s\n", (unsigned)event,
             log_class == LOG_IN_SERVER ? "Svr" : "n/a", object, words);
}

/* Read a file of these bytes; the caller ends '*ret'. */
static bool read_bytes(const char *bytes, size_t len, struct config *ret)
{
    const struct config_log log = { .fn = note };
    char path[] = "/tmp/hf-config-XXXXXX";
    int fd = mkstemp(path);
    bool ok;

    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_EQUAL(write(fd, bytes, len), (ssize_t)len);
    close(fd);
    said[0] = '\0';
    ok = config_read("/nonexistent", path, "h1", &log, ret);
    unlink(path);
    return ok;
}

/* The same of one line, or of several. */
static bool read_line(const char *line, struct config *ret)
{
    char text[4096];

    return read_bytes(text, (size_t)snprintf(text, sizeof(text), "%s\n", line), ret);
}

/* What stands behind it would be left out, and a line that forbids something may stand
 * there. */
static void test_a_nul_byte_is_refused(void)
{
    static const char text[] = "$prologalarm 5\n\0$restrict_user on\n";
    struct config c;

    CU_ASSERT_FALSE(read_bytes(text, sizeof(text) - 1, &c));
    config_fini(&c);
    CU_ASSERT_TRUE(read_bytes(text, strlen(text), &c));
    config_fini(&c);
}

static void test_numbers_have_bounds(void)
{
    static const struct {
        const char *line;
        bool taken;
    } rows[] = {
        { "$min_check_poll 1", true },
        { "$min_check_poll 0", false },
        { "$min_check_poll -1", false },
        { "$min_check_poll ten", false },
        { "$max_check_poll 2147483647", true },
        { "$max_check_poll 2147483648", false },
        { "$copy_alarm 2147483647", true },
        { "$copy_alarm 9223372036854775807",
          false }, /* as milliseconds it was negative */
        { "$copy_alarm 99999999999999999999", false },
        { "$cputmult 0.5", true },
        { "$cputmult 0", false },
        { "$cputmult inf", false },
        { "$wallmult nan", false },
        { "$wallmult infinity", false },
        { "$wallmult 1e999", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config c;

        CU_ASSERT_EQUAL(read_line(rows[i].line, &c), rows[i].taken);
        if (!rows[i].taken)
            CU_ASSERT_PTR_NOT_NULL(strstr(said, "bad value"));
        CU_ASSERT(c.copy_alarm_s > 0 && c.copy_alarm_s <= INT32_MAX);
        CU_ASSERT(c.max_check_poll_s >= c.min_check_poll_s);
        config_fini(&c);
    }
}

#define TEN "0123456789"

/* Each directive of execution.md 6, rightly and wrongly: what is said of it. */
static const struct {
    const char *line;
    bool taken;
    const char *words; /* among what is said; NULL: nothing is expected */
} directive_lines[] = {
    { "$action terminate 60 !/x/y %jobid a", true,
      "0002;Svr;action: terminate: /x/y\n" },
    { "$action checkpoint 0 !ck", true, "action: checkpoint: /nonexistent/ck" },
    { "$action multinodebusy 0 requeue", true, NULL },
    { "$action multinodebusy 0 !/x", true,
      "multinodebusy: a script is known, and not" },
    { "$action nonsense 60 !/x", false, NULL },
    { "$action terminate soon !/x", false, NULL },
    { "$action terminate 60 /x", false, NULL },
    { "$action terminate 60", false, NULL },
    { "$alien_attach on", true, "alien_attach: true" },
    { "$alien_kill off", true, "alien_kill: false" },
    { "$alien_kill", false, "No value specified, no action taken." },
    { "$attach_allow false", true, "attach_allow: false" },
    { "$attach_allow maybe", false,
      "set_attach_allow: Illegal value \"maybe\", no action taken." },
    { "$cgroups /sys/fs/cgroup/jobs", true, "cgroups: /sys/fs/cgroup/jobs" },
    { "$cgroups /x memory pids=100", true, "cgroups: /x memory pids=100" },
    { "$cgroups off", true, "cgroups: off" },
    { "$cgroups", false, "bad value" },
    { "$cgroups x", false, "bad value" },
    { "$cgroups off memory", false, "bad value" },
    { "$cgroups /x io", false, "bad value" },
    { "$cgroups /x pids=0", false, "bad value" },
    { "$cgroups /x pids=9x", false, "bad value" },
    { "$checkpoint_path /x", true, NULL },
    { "$checkpoint_path x", false, NULL },
    { "$checkpoint_path", false, "No value specified, no action taken." },
    { "$clienthost h", true, NULL },
    { "$clienthost", false, NULL },
    { "$configversion 3", true, "will treat as old-style" },
    { "$copy_alarm 5", true, "copy_alarm: setting 5" },
    { "$cputmult 2", true, NULL },
    { "$enforce mem", true, NULL },
    { "$enforce !mem", true, NULL },
    { "$enforce delta_cpufactor 2.5", true, NULL },
    { "$enforce delta_cpufactor", false, "bad value" },
    { "$enforce delta_cpufactor -1", false, "bad value" },
    { "$enforce !delta_cpufactor", false, "bad value" },
    { "$enforce mem 5", false, "bad value" },
    { "$enforce nonsense", false, "bad value" },
    { "$gen_nodefile_on_sister_mom no", true, "gen_nodefile_on_sister_mom: false" },
    { "$gen_nodefile_on_sister_mom maybe", false,
      "set_gen_nodefile_on_sister_mom: Illegal value \"maybe\", no action taken." },
    { "$ideal_load 1.5", true, "add_static: " },
    { "$ideal_load 1.5 suspend", false, "bad value" },
    { "$job_launch_delay 30", true, "job_launch_delay: setting 30" },
    { "$job_launch_delay 0", false, "bad value" },
    { "$jobdir_root PBS_USER_HOME", true, NULL },
    { "$jobdir_root /nonexist", false,
      "pbs_mom: No such file or directory (2) in tmp_file_sec_user, Security violation "
      "\"/nonexist\" resolves to \"(null)\"\n" },
    { "$jobdir_root PBS_USER_HOME wrong", false, "bad value" },
    { "$kbd_idle 10 20 1", true, "kbd_idle: 10 20 1" },
    { "$kbd_idle 1800", true, "kbd_idle: 1800 10 1" },
    { "$kbd_idle 1800 0", true, "kbd_idle: 1800 0 1" },
    { "$kbd_idle 0", false, "bad value" },
    { "$kbd_idle -1", false, "bad value" },
    { "$kbd_idle 10 10 0", false, "bad value" },
    { "$kbd_idle 10 10 1 1", false, "bad value" },
    { "$kbd_idle x", false, "bad value" },
    { "$kbd_idle", false, "bad value" },
    { "$logevent 0x1ff", true, NULL },
    { "$logevent many", false, NULL },
    { "$max_check_poll 200", true, "max_check_poll: setting 200" },
    { "$max_load 3", true, "max_load: 3\n" },
    { "$max_load 3 suspend", true, "add name max_load value 3 suspend" },
    { "$max_load 3 resume", false, "bad value" },
    { "$max_load 3suspend", false, "bad value" },
    { "$max_load nan", false, "bad value" },
    { "$max_load", false, "bad value" },
    { "$max_load -1", false, "bad value" },
    { "$max_poll_downtime 60", true, NULL },
    { "$min_check_poll 0", false, "0002;n/a;min_check_poll: bad value \"0\"\n" },
    { "$min_check_poll 0", false,
      "[1] command \"$min_check_poll 0\" failed, aborting\n" },
    { "$min_check_poll 121", true,
      "read_config, min_check_poll(121) > max_check_poll(120)\n" },
    { "$momname other", true, NULL },
    { "$momname", false, NULL },
    { "$momname " TEN TEN TEN TEN TEN TEN "123", true, NULL },
    { "$momname " TEN TEN TEN TEN TEN TEN "1234", false, "momname: bad value" },
    { "$momname two words", false, "momname: bad value" },
    { "$port 15102", true, "port: setting 15102" },
    { "$port 70000", false, "bad value" },
    { "$prologalarm 5", true, "0002;Svr;prolog alarm: 5\n" },
    { "$prologalarm 0", false, "bad value" },
    { "$reject_root_scripts true", true, "reject_root_scripts: true" },
    { "$report_hook_checksums 1", true, "report_hook_checksums: known, and not" },
    { "$restart_background yes", true, "restart_background: true" },
    { "$restart_background maybe", false, NULL },
    { "$restart_transmogrify no", true, "restart_transmogrify: false" },
    { "$restrict_user maybe", false,
      "set_restrict_user: Illegal value \"maybe\", no action taken." },
    { "$restrict_user on", true, "restrict_user: true" },
    { "$restrict_user", false, "No value specified, no action taken." },
    { "$restrict_user_exceptions a,b c", true, "restrict_user_exceptions: a,b c" },
    { "$restrict_user_exceptions 1,2,3,4,5,6,7,8,9,10", true, NULL },
    { "$restrict_user_exceptions 1,2,3,4,5,6,7,8,9,10,11", false, "bad value" },
    { "$restrict_user_exceptions", false, "No value specified, no action taken." },
    { "$restrict_user_exceptions , ,", false, "No value specified, no action taken." },
    { "$restrict_user_maxsysid 500", true, "restrict_user_maxsysid: setting 500" },
    { "$restrict_user_maxsysid 0", false, "bad value" },
    { "$restricted *.site", true, NULL },
    { "$restricted", false, "restricted: No value specified" },
    { "$sister_join_job_alarm 20", true, "sister_join_job_alarm: setting 20" },
    { "$sister_join_job_alarm 0", false, "bad value" },
    { "$suspendsig 20 18", true, "suspendsig: 20 18" },
    { "$suspendsig 20", true, NULL },
    { "$suspendsig 0", false, "bad value" },
    { "$suspendsig 20 x", false, "bad value" },
    { "$suspendsig 99", false, "bad value" },
    { "$tmpdir /tmp", true, NULL },
    { "$tmpdir tmp", false, "Security violation" },
    { "$tmpdir /", false, "Security violation \"/\" resolves to \"(null)\"" },
    { "$usecp h:/a /b", true, NULL },
    { "$usecp h:/a", false, "usecp, invalid host specification: h:/a" },
    { "$usecp :/a /b", false, "usecp, invalid host specification: :/a /b" },
    { "$usecp h: /b", false, "usecp, invalid host specification: h: /b" },
    { "$usecp", false, "usecp, invalid host specification: " },
    { "$usecp nohost", false, "usecp, invalid host specification: nohost" },
    { "$vnodedef_additive 0", true, "vnodedef_additive: false" },
    { "$wallmult 0.5", true, NULL },
    { "tape 4", true, "0080;n/a;add_static: " },
    { "tape 4", true, "[1] add name tape value 4\n" },
    { "", true, "0100;Svr;parse_config: file /tmp/hf-config-" },
    { "$pbsserver h", false,
      "pbs_mom: parse_config, command name pbsserver not found" },
    { "$foo", false, "0001;Svr;pbs_mom: parse_config, command name foo not found\n" },
};

static void test_every_line_is_answered(void)
{
    for (size_t i = 0; i < ARRAY_LEN(directive_lines); i++) {
        const char *line = directive_lines[i].line, *words = directive_lines[i].words;
        struct config c;
        bool taken = read_line(line, &c);

        if (taken != directive_lines[i].taken || (words && !strstr(said, words)))
            fprintf(stderr, "%s: %d %s\n", line, taken, said);
        CU_ASSERT_EQUAL(taken, directive_lines[i].taken);
        if (words)
            CU_ASSERT_PTR_NOT_NULL(strstr(said, words));
        config_fini(&c);
    }
}

/* A line that is longer than a buffer would lose arguments of a script that root runs.
 */
static void test_long_actions_keep_their_words(void)
{
    char line[3000] = "$action terminate 0 !/x ", *end = line + strlen(line);
    struct config c;

    memset(end, 'a', 2000);
    strcpy(end + 2000, " last");
    CU_ASSERT_TRUE(read_line(line, &c));
    CU_ASSERT_EQUAL_FATAL(c.actions[CONFIG_ACTION_TERMINATE].n_args, 2);
    CU_ASSERT_EQUAL(strlen(c.actions[CONFIG_ACTION_TERMINATE].args[0]), 2000);
    CU_ASSERT_STRING_EQUAL(c.actions[CONFIG_ACTION_TERMINATE].args[1], "last");
    config_fini(&c);
}

static bool has_line(const char *directive)
{
    size_t len = strlen(directive);

    for (size_t k = 0; k < ARRAY_LEN(directive_lines); k++) {
        const char *line = directive_lines[k].line;

        if (strncmp(line + 1, directive, len) == 0 &&
            (!line[len + 1] || line[len + 1] == ' '))
            return true;
    }
    fprintf(stderr, "no line for %s\n", directive);
    return false;
}

static void test_every_directive_is_known(void)
{
    const char *name;
    bool is_served;

    test_every_line_is_answered();
    for (size_t i = 0; (name = directive_name(i, &is_served)); i++)
        CU_ASSERT(has_line(name));
}

/* The second is never more than the first, or a host would be busy and free in turns.
 */
static void test_loads(void)
{
    static const struct {
        const char *lines;
        double max, ideal; /* < 0: not set */
    } rows[] = {
        { "$max_load 4.5\n$ideal_load 2", 4.5, 2 },
        { "$ideal_load 2\n$max_load 4.5", 4.5, 2 },
        { "$max_load 4.5", 4.5, 4.5 },
        { "$max_load 2\n$ideal_load 3", 2, 2 },
        { "$max_load 2\n$max_load 3", 3, 3 },
        { "$ideal_load 3", -1, -1 },
        { "", -1, -1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config c;

        CU_ASSERT(read_line(rows[i].lines, &c));
        CU_ASSERT_DOUBLE_EQUAL(c.max_load, rows[i].max, 0.001);
        CU_ASSERT_DOUBLE_EQUAL(c.ideal_load, rows[i].ideal, 0.001);
        config_fini(&c);
    }
}

static void test_what_lines_mean(void)
{
    struct config c;

    CU_ASSERT(read_line("$enforce cpuburst\n$enforce average_trialperiod 7\n"
                        "$enforce mem\n$enforce !mem\n$suspendsig 20\n"
                        "$reject_root_scripts yes\n$gen_nodefile_on_sister_mom off\n"
                        "$action terminate 9 !t %jobid b\n$max_load 3 suspend\n"
                        "$kbd_idle 600\n$restrict_user on\n"
                        "$restrict_user_exceptions ann bob",
                        &c));
    CU_ASSERT(c.enforce.cpuburst && !c.enforce.cpuaverage && !c.enforce.mem);
    CU_ASSERT(c.enforce.average_trialperiod_s > 6.9 &&
              c.enforce.delta_cpufactor > 1.04);
    CU_ASSERT(c.suspend_signo == 20 && c.resume_signo == SIGCONT);
    CU_ASSERT(c.reject_root_scripts && !c.nodefile_on_sisters);
    CU_ASSERT_EQUAL(c.actions[CONFIG_ACTION_TERMINATE].limit_s, 9);
    CU_ASSERT_EQUAL(c.actions[CONFIG_ACTION_TERMINATE].n_args, 2);
    CU_ASSERT_STRING_EQUAL(c.actions[CONFIG_ACTION_TERMINATE].args[1], "b");
    CU_ASSERT_PTR_NULL(c.actions[CONFIG_ACTION_CHECKPOINT].path);
    CU_ASSERT(c.load_suspends && c.kbd_idle_s == 600 && c.kbd_busy_s == 10);
    CU_ASSERT(c.restrict_user && c.restrict_max_system_uid == 999);
    CU_ASSERT_EQUAL_FATAL(c.n_restrict_exempt, 2);
    CU_ASSERT_STRING_EQUAL(c.restrict_exempt[1], "bob");
    config_fini(&c);
    /* What no line says is as it was before there were lines. */
    CU_ASSERT(read_line("$max_load 3", &c));
    CU_ASSERT(!c.load_suspends && !c.kbd_idle_s && !c.restrict_user);
    config_fini(&c);
}

static const struct unit_case cases[] = {
    { "every directive is known, and says so when it is not served",
      test_every_directive_is_known },
    { "lines mean what they say", test_what_lines_mean },
    { "a file with a NUL byte is refused", test_a_nul_byte_is_refused },
    { "a long action keeps all of its words", test_long_actions_keep_their_words },
    { "a host is not free at a load at which it is busy", test_loads },
    { "a number that nothing can be calculated with is refused",
      test_numbers_have_bounds },
};

int main(void)
{
    return unit_main("mom/config", cases, ARRAY_LEN(cases));
}
