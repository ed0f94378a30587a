/* Unit tests of mom/shell/topology.c: the program that is asked is a script of the
 * test, which may say or do anything.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/topology.h"

#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/hf-topology-XXXXXX";
static char last_log[256];
static char *reported; /* the last text; NULL: none */

/* What the asking needs of the rest of the shell. */

void shell_log(struct shell *s, int event, int log_class, const char *object,
               const char *text)
{
    (void)s;
    (void)event;
    (void)log_class;
    (void)object;
    snprintf(last_log, sizeof(last_log), "%s", text);
}

void shell_report_topology(struct shell *s, const char *text)
{
    free(reported);
    reported = xstrdup(text);
    loop_stop(s->loop);
}

/* The tests. */

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

static void put(const char *name, mode_t mode, const char *text)
{
    FILE *f = fopen(path_of(name), "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
    CU_ASSERT_EQUAL(chmod(path_of(name), mode), 0);
}

static void program(const char *lines)
{
    char text[2048];

    snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", lines);
    put("sbin/pbs_topology", 0755, text);
}

static struct conf conf = { .exec = root };

static void begin(struct shell *s)
{
    *s = (struct shell){ .conf = &conf, .loop = loop_new() };
    CU_ASSERT_PTR_NOT_NULL_FATAL(s->loop);
    last_log[0] = '\0';
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
}

static void end(struct shell *s)
{
    topology_close(s);
    loop_free(s->loop);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

static void is_found(const char *lines, const char *want)
{
    struct shell s;

    program(lines);
    begin(&s);
    CU_ASSERT_STRING_EQUAL(topology_find(&s), want);
    CU_ASSERT_EQUAL(last_log[0] != '\0', strcmp(want, TOPOLOGY_LEAST) == 0);
    end(&s);
}

static void test_a_whole_text_is_taken(void)
{
    is_found(
        "printf '%s' '<?xml version=\"1.0\"?><topology>a</topology>' | sed s/^/hwloc/",
        "hwloc<?xml version=\"1.0\"?><topology>a</topology>");
    is_found("printf 'hwloc<?xml >'; sleep 0.1; printf '</topology>\\n\\n'; exit 3",
             "hwloc<?xml ></topology>\n\n");
}

static void test_anything_else_is_not(void)
{
    is_found("exit 0", TOPOLOGY_LEAST);
    is_found("kill -SEGV $$", TOPOLOGY_LEAST);
    is_found("echo nonsense", TOPOLOGY_LEAST);
    is_found("printf 'hwloc<?xml >'; kill -9 $$", TOPOLOGY_LEAST);
    is_found("printf 'hwloc<?xml >\\001</topology>'", TOPOLOGY_LEAST);
    is_found("printf 'hwloc<?xml >\\303</topology>'", TOPOLOGY_LEAST);
    is_found("printf 'hwloc<?xml >\\000</topology>'", TOPOLOGY_LEAST);
    /* It is not read for ever: the pipe is closed. */
    is_found("exec yes 'hwloc<?xml ></topology>'", TOPOLOGY_LEAST);
}

static void test_without_the_program(void)
{
    struct shell s;

    CU_ASSERT_EQUAL(unlink(path_of("sbin/pbs_topology")), 0);
    begin(&s);
    CU_ASSERT_STRING_EQUAL(topology_find(&s), TOPOLOGY_LEAST);
    CU_ASSERT_PTR_NOT_NULL(strstr(last_log, "sbin/pbs_topology: No such file"));
    topology_ask(&s);
    CU_ASSERT_STRING_EQUAL(topology_find(&s), TOPOLOGY_LEAST);
    end(&s);
}

/* HUP: only what is new is reported. */
static void test_a_change_is_reported(void)
{
    struct shell s;

    program("printf 'hwloc<?xml 1></topology>'");
    begin(&s);
    CU_ASSERT_STRING_EQUAL(topology_find(&s), "hwloc<?xml 1></topology>");
    program("printf 'hwloc<?xml 2></topology>'");
    topology_ask(&s);
    topology_ask(&s); /* one question at a time */
    loop_run(s.loop);
    CU_ASSERT_STRING_EQUAL(reported, "hwloc<?xml 2></topology>");
    end(&s);
    free(reported);
    reported = NULL;
    begin(&s);
    CU_ASSERT_STRING_EQUAL(topology_find(&s), "hwloc<?xml 2></topology>");
    program("echo nonsense");
    topology_ask(&s);
    while (!last_log[0])
        CU_ASSERT(loop_turn(s.loop, true));
    CU_ASSERT_PTR_NULL(reported);
    program("printf 'hwloc<?xml 2></topology>'; sleep 1000");
    topology_ask(&s); /* ... and ended while it is open */
    end(&s);
    CU_ASSERT_PTR_NULL(reported);
}

/* What it is given: nothing of ours but what shall be described. */
static void test_what_the_program_is_given(void)
{
    struct shell s;

    program("printf 'hwloc<?xml '; env | sort | grep -v '^\\(PWD\\|SHLVL\\|_\\)=' | tr "
            "'\\n' ' '; "
            "echo \"$@; $(cat); $(ls /proc/self/fd | wc -l)</topology>\"");
    begin(&s);
    setenv("SECRET", "x", 1);
    setenv("HWLOC_FSROOT", "/x", 1);
    setenv("HWLOC_SYNTHETIC", "pack:1 pu:1", 1);
    CU_ASSERT_STRING_EQUAL(topology_find(&s),
                           "hwloc<?xml LC_ALL=C -s pack:1 pu:1; ; 4</topology>\n");
    end(&s);
    begin(&s);
    put("host.xml", 0600, "exported");
    setenv("HWLOC_SYNTHETIC", "pack:1", 1);
    setenv("HWLOC_XMLFILE", path_of("host.xml"), 1);
    CU_ASSERT_STRING_EQUAL(topology_find(&s),
                           "hwloc<?xml LC_ALL=C -x; exported; 4</topology>\n");
    CU_ASSERT_EQUAL(last_log[0], '\0');
    end(&s);
    unsetenv("SECRET");
    unsetenv("HWLOC_FSROOT");
}

static void test_processors_are_counted(void)
{
    static const struct {
        const char *text;
        unsigned pus, cores;
    } cases[] = {
        { TOPOLOGY_LEAST, 0, 0 },
        { "<object type=\"Core\" os_index=\"0\">\n<object type=\"PU\" os_index=\"0\"/>"
          "<object type=\"PU\" os_index=\"1\"/></object>",
          2, 1 },
        { "<info name=\"x\" value=\"&lt;object type=&quot;PU&quot;\"/>", 0, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct topology_counts has = topology_count(cases[i].text);

        CU_ASSERT_EQUAL(has.pus, cases[i].pus);
        CU_ASSERT_EQUAL(has.cores, cases[i].cores);
    }
}

static void test_whose_file_it_may_be(void)
{
    struct diag why;
    int fd;

    put("host.xml", 0600, "x");
    fd = topology_open_xml(path_of("host.xml"), &why);
    CU_ASSERT(fd >= 0);
    close(fd);
    CU_ASSERT_EQUAL(chmod(path_of("host.xml"), 0622), 0);
    CU_ASSERT(topology_open_xml(path_of("host.xml"), &why) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "only root may write"));
    CU_ASSERT_EQUAL(mkfifo(path_of("fifo"), 0600), 0);
    CU_ASSERT(topology_open_xml(path_of("fifo"), &why) < 0);
    CU_ASSERT(topology_open_xml(root, &why) < 0);
    CU_ASSERT_EQUAL(chmod(path_of("host.xml"), 0600), 0);
    CU_ASSERT_EQUAL(symlink("host.xml", path_of("link")), 0);
    CU_ASSERT(topology_open_xml(path_of("link"), &why) < 0);
    CU_ASSERT(topology_open_xml(path_of("none"), &why) < 0);
    if (geteuid() == 0) {
        CU_ASSERT_EQUAL(chown(path_of("host.xml"), 12345, 12345), 0);
        CU_ASSERT(topology_open_xml(path_of("host.xml"), &why) < 0);
    }
}

static const struct unit_case cases[] = {
    { "a whole text is taken", test_a_whole_text_is_taken },
    { "whatever else the program does, the least is told", test_anything_else_is_not },
    { "after a HUP what is new is reported, and nothing else",
      test_a_change_is_reported },
    { "the program is given what it shall describe, and nothing of the MoM's",
      test_what_the_program_is_given },
    { "processors are counted", test_processors_are_counted },
    { "only a file that root alone may write describes the host",
      test_whose_file_it_may_be },
    { "without the program the least is told", test_without_the_program },
};

int main(void)
{
    char command[64];
    int status;

    if (!mkdtemp(root) || chmod(root, 0755) < 0 || mkdir(path_of("sbin"), 0755) < 0)
        return 2;
    status = unit_main("mom/topology", cases, ARRAY_LEN(cases));
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command) == 0 ? status : 2;
}
