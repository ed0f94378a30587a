/* Unit tests of the paths that libpbs makes complete (cli.md 2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "../unit.h"
#include "lib/io/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char own[256], dir[] = "/tmp/hf-paths-XXXXXX";

/* "H" stands for this host, "D" for the directory we are in. */
static void expand(const char *text, char *to, size_t size)
{
    size_t n = 0;

    for (; *text; text++)
        n += (size_t)snprintf(to + n, size - n, "%.*s",
                              *text == 'H' || *text == 'D' ? 256 : 1,
                              *text == 'H'   ? own
                              : *text == 'D' ? dir
                                             : text);
}

static const struct {
    const char *given, *made; /* NULL: no value */
} cases[] = {
    { "/abs/path", "H:/abs/path" },
    { "  /abs/path", "H:/abs/path" },
    { "rel", "H:D/rel" },
    { "./rel", "H:D/./rel" },
    { "/tmp", "H:/tmp/" },
    { "/tmp/", "H:/tmp/" },
    { ".", "H:D/./" },
    { "localhost:/x", "localhost:/x" },
    { "localhost:b", "localhost:b" },
    { ":x", "H:x" },
    { ":/x", "H:/x" },
    { "/a:b", "H:/a:b" },
    { "a/b:c", "H:a/b:c" }, /* no host: a colon in a path */
    { "under_score:/x", NULL },
    { "no.such.host.invalid:/x", NULL },
    { "no.such.host.invalid:x", NULL },
    { "localhost:", NULL },
    { "", NULL },
    { "   ", NULL },
};

static void test_paths_are_made_complete(void)
{
    const struct conf conf = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char want[600] = "", *made = NULL;
        int err = ifl_path(&conf, cases[i].given, &made);

        CU_ASSERT_EQUAL(err, cases[i].made ? 0 : PBSE_BADATVAL);
        if (cases[i].made && made) {
            expand(cases[i].made, want, sizeof(want));
            if (strcmp(want, made) != 0)
                printf("\n%s: %s", cases[i].given, made);
            CU_ASSERT_STRING_EQUAL(made, want);
        }
        free(made);
    }
}

static void test_the_settings_name_another_host(void)
{
    const struct conf conf = { .output_host_name = "files" };
    char *made;

    CU_ASSERT_EQUAL_FATAL(ifl_path(&conf, "/x", &made), 0);
    CU_ASSERT_STRING_EQUAL(made, "files:/x");
    free(made);
    CU_ASSERT_EQUAL_FATAL(ifl_path(&conf, "localhost:/x", &made), 0);
    CU_ASSERT_STRING_EQUAL(made, "localhost:/x");
    free(made);
}

static void test_a_wrong_pwd_is_not_believed(void)
{
    const struct conf conf = { .output_host_name = "h" };
    char *made, want[64];

    setenv("PWD", "/usr", 1);
    CU_ASSERT_EQUAL_FATAL(ifl_path(&conf, "x", &made), 0);
    snprintf(want, sizeof(want), "h:%s/x", dir);
    CU_ASSERT_STRING_EQUAL(made, want);
    free(made);
}

static void test_lists_without_paths_are_sent_as_they_are(void)
{
    struct attropl n = { NULL, (char *)(uintptr_t) "Job_Name", NULL,
                         (char *)(uintptr_t) "x", SET };
    struct attropl o = { &n, (char *)(uintptr_t) "Output_Path", NULL,
                         (char *)(uintptr_t) "localhost:/y", SET };
    struct ifl_paths p;

    CU_ASSERT_EQUAL(ifl_paths(-1, &n, &p), 0);
    CU_ASSERT_PTR_EQUAL(p.list, &n);
    ifl_paths_fini(&p);
    CU_ASSERT_EQUAL(ifl_paths(-1, &o, &p), 0);
    CU_ASSERT_STRING_EQUAL(p.list->value, "localhost:/y");
    CU_ASSERT_STRING_EQUAL(p.list->next->name, "Job_Name");
    CU_ASSERT_PTR_NULL(p.list->next->next);
    ifl_paths_fini(&p);
    o.value = (char *)(uintptr_t) "a_b:/y";
    CU_ASSERT_EQUAL(ifl_paths(-1, &o, &p), PBSE_BADATVAL);
    CU_ASSERT_PTR_NOT_NULL(pbs_get_attributes_in_error(-1));
    ifl_paths_fini(&p);
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "paths are made complete", test_paths_are_made_complete },
        { "the settings name another host", test_the_settings_name_another_host },
        { "a wrong PWD is not believed", test_a_wrong_pwd_is_not_believed },
        { "lists without paths are sent as they are",
          test_lists_without_paths_are_sent_as_they_are },
    };
    int rc;

    setenv("PBS_CONF_FILE", "/nonexistent", 1);
    setenv("PBS_HOME", "/nonexistent", 1);
    setenv("PBS_EXEC", "/nonexistent", 1);
    setenv("PBS_SERVER", "localhost", 1);
    net_host_name(own, sizeof(own));
    if (!mkdtemp(dir) || chdir(dir) || setenv("PWD", dir, 1))
        return 2;
    rc = unit_main("libpbs paths", tests, ARRAY_LEN(tests));
    rmdir(dir);
    return rc;
}
