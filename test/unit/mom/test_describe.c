/* Unit tests of mom/topology/describe.c: what of a host is told, how much of it, and
 * what nobody is told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/topology/describe.h"

#include "../unit.h"
#include "lib/base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUCH (1u << 20)

static size_t count(const char *text, const char *word)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, word)); at++)
        n++;
    return n;
}

/* NULL: it could not be described. The caller frees it. */
static char *describe(const char *synthetic, const char *xml, size_t max_bytes)
{
    const struct topology_source from = { .synthetic = synthetic,
                                          .xml = xml,
                                          .xml_len = xml ? strlen(xml) : 0 };
    struct diag why = { 0 };
    char *text;

    if (topology_describe(&from, max_bytes, &text, &why) == 0)
        return text;
    CU_ASSERT(why.code != 0 && why.text[0]);
    return NULL;
}

static void test_this_host(void)
{
    char *a = describe(NULL, NULL, MUCH), *b = describe(NULL, NULL, MUCH), host[256];
    static const char *const never[] = { "HostName", "ProcessName", "OSRelease",
                                         "Serial",   "UUID",        "LinuxCgroup" };

    CU_ASSERT_PTR_NOT_NULL_FATAL(a);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    CU_ASSERT_STRING_EQUAL(a, b);
    CU_ASSERT_EQUAL(strncmp(a, "hwloc<?xml ", 11), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(a, "</topology>"));
    CU_ASSERT(count(a, "type=\"PU\"") >= 1);
    CU_ASSERT_EQUAL(gethostname(host, sizeof(host)), 0);
    for (size_t i = 0; i < ARRAY_LEN(never); i++)
        CU_ASSERT_PTR_NULL(strstr(a, never[i]));
    free(a);
    free(b);
}

static void test_what_is_in_it(void)
{
    char *text = describe("pack:2 [numa] l3:1 core:4 pu:2", NULL, MUCH), *again;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    /* "Socket" is the word of hwloc 1, which servers look for. */
    CU_ASSERT_EQUAL(count(text, "type=\"Socket\""), 2);
    CU_ASSERT_EQUAL(count(text, "type=\"Core\""), 8);
    CU_ASSERT_EQUAL(count(text, "type=\"PU\""), 16);
    CU_ASSERT_EQUAL(count(text, "type=\"NUMANode\""), 2);
    CU_ASSERT_EQUAL(count(text, "type=\"Cache\""), 2);
    /* What was exported is read, and is the same host. */
    again = describe(NULL, text + strlen("hwloc"), MUCH);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    CU_ASSERT_STRING_EQUAL(again, text);
    free(text);
    free(again);
}

/* Less is told where it would be too long, and never a part of a text. */
static void test_it_has_a_limit(void)
{
    static const char big[] = "pack:4 l3:1 core:16 l2:1 l1d:1 pu:2";
    char *text = describe(big, NULL, MUCH);
    size_t all, without_caches = 0, sockets = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    all = strlen(text);
    free(text);
    for (size_t max = all; max > 0; max -= MIN_OF(max, (size_t)997)) {
        text = describe(big, NULL, max);
        if (!text) {
            CU_ASSERT(max < 1000);
            continue;
        }
        CU_ASSERT(strlen(text) <= max);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "</topology>"));
        CU_ASSERT_EQUAL(count(text, "type=\"Socket\""), 4);
        without_caches += !strstr(text, "Cache") && strstr(text, "Core");
        sockets += !strstr(text, "Core");
        free(text);
    }
    CU_ASSERT(without_caches > 0 && sockets > 0);
    CU_ASSERT_PTR_NULL(describe(big, NULL, 10));
}

static void test_nonsense_is_refused(void)
{
    static const char *const synthetic[] = { "", "nonsense", "pack:0", "pack:2 core" };
    static const char *const xml[] = { "",
                                       "x",
                                       "<topology>",
                                       "<?xml version=\"1.0\"?>",
                                       "<topology></topology>",
                                       "<topology><object type=\"Machine\">" };

    for (size_t i = 0; i < ARRAY_LEN(synthetic); i++)
        CU_ASSERT_PTR_NULL(describe(synthetic[i], NULL, MUCH));
    for (size_t i = 0; i < ARRAY_LEN(xml); i++)
        CU_ASSERT_PTR_NULL(describe(NULL, xml[i], MUCH));
}

static const struct unit_case cases[] = {
    { "a host is described, the same each time, without secrets", test_this_host },
    { "sockets, cores, memory and caches are told", test_what_is_in_it },
    { "a text that would be too long tells less", test_it_has_a_limit },
    { "what describes nothing is refused", test_nonsense_is_refused },
};

int main(void)
{
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
    return unit_main("mom/describe", cases, ARRAY_LEN(cases));
}
