/* Unit tests of src/cmds/common/explain.h: the second line of an error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/attr_list.h"
#include "cmds/common/explain.h"
#include "include/pbs_error.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

/* Sat Nov 21 2026 08:03:00 UTC. */
#define NOW_AT 1795248180
#define HOUR_S 3600

/* Does the line say 'part'? Shows the line when it does not. */
static bool says(const struct buf *out, const char *part)
{
    bool found = out->data && strstr(out->data, part);

    if (!found)
        fprintf(stderr, "\"%s\" is not in \"%s\"\n", part, out->data ? out->data : "");
    return found;
}

static void test_windows(void)
{
    enum {
        S = WINDOW_START,
        E = WINDOW_END,
        L = WINDOW_LENGTH
    };
    static const struct {
        const char *story;
        struct window w;
        const char *part;
    } cases[] = {
        { "nothing", { 0 }, "needs two of the start -R, the end -E and" },
        { "a start alone",
          { .given = S, .start_at = NOW_AT + 60 },
          "only -R was given" },
        { "an end alone", { .given = E, .end_at = NOW_AT + 60 }, "only -E was given" },
        { "a length alone", { .given = L, .length_s = 60 }, "only -D was given" },
        { "an empty length", { .given = S | L, .start_at = NOW_AT + 60 }, "-D is 0 s" },
        { "a start that has passed",
          { .given = S | L, .start_at = NOW_AT - 60, .length_s = 60 },
          "the start -R is Sat Nov 21 08:02:00 2026, which has passed" },
        { "an end that has passed",
          { .given = E | L, .end_at = NOW_AT, .length_s = 60 },
          "the end -E is Sat Nov 21 08:03:00 2026, which has passed" },
        { "a start that is computed and has passed",
          { .given = E | L, .end_at = NOW_AT + HOUR_S, .length_s = 2 * HOUR_S },
          "the start would be Sat Nov 21 07:03:00 2026 (-E less -D)" },
        { "an end before the start",
          { .given = S | E, .start_at = NOW_AT + 600, .end_at = NOW_AT + 60 },
          "the end -E is Sat Nov 21 08:04:00 2026; it has to be after the start -R, "
          "Sat "
          "Nov 21 08:13:00 2026" },
        { "an end before the start that the reservation has",
          { .given = E,
            .known = S,
            .has_base = true,
            .start_at = NOW_AT + 600,
            .end_at = NOW_AT + 60 },
          "it has to be after the start, Sat Nov 21 08:13:00 2026" },
        { "a span from a start that no clock has shown",
          { .given = S | E | L,
            .start_at = INT64_MIN,
            .end_at = NOW_AT + 120,
            .length_s = 60 },
          "the start -R is -9223372036854775808, which has passed" },
        { "three that do not agree",
          { .given = S | E | L,
            .start_at = NOW_AT + 60,
            .end_at = NOW_AT + 120,
            .length_s = 61 },
          "from -R to -E are 60 s, but -D says 61 s" },
        { "nothing that this host can see",
          { .given = S | L, .start_at = NOW_AT + 60, .length_s = 60 },
          "here it is Sat Nov 21 08:03:00 2026" },
    };

    setenv("TZ", "UTC", 1);
    tzset();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct window w = cases[i].w;
        struct buf out = { 0 };

        w.known |= w.given;
        explain_window(&w, NOW_AT, &out);
        if (!says(&out, cases[i].part))
            CU_FAIL(cases[i].story);
        buf_fini(&out);
    }
}

/* "name[.resource]=value ..." as the attributes of a request. */
static struct attropl *attributes(const char *text)
{
    struct attropl *list = NULL;
    char *copy = xstrdup(text), *save = NULL;

    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *value = strchr(w, '='), *resource;

        *value++ = '\0';
        resource = strchr(w, '.');
        if (resource)
            *resource++ = '\0';
        attrs_set(&list, w, resource, value);
    }
    free(copy);
    return list;
}

static void test_window_of(void)
{
    struct attropl *sent = attributes("reserve_start=100 Resource_List.walltime=1:00");
    struct window w = explain_window_of(sent);

    CU_ASSERT_EQUAL(w.given, WINDOW_START | WINDOW_LENGTH);
    CU_ASSERT_EQUAL(w.start_at, 100);
    CU_ASSERT_EQUAL(w.length_s, 60);
    CU_ASSERT_FALSE(w.has_base);
    attrs_free(sent);
    sent = attributes("reserve_end=x reserve_duration=5 reserve_job=1");
    w = explain_window_of(sent);
    CU_ASSERT_EQUAL(w.given, WINDOW_LENGTH);
    CU_ASSERT_EQUAL(w.length_s, 5);
    CU_ASSERT_TRUE(w.has_base);
    attrs_free(sent);
}

static void test_refusals(void)
{
    static const struct {
        const char *sent;
        int error;
        const char *text;
        const char *part; /* NULL: nothing to add */
    } cases[] = {
        { "Resource_List.foo=1", PBSE_UNKRESC, "Unknown resource Resource_List.foo",
          "no resource \"foo\"" },
        { "Resource_List.select=1:foo=1", PBSE_UNKRESC, "Unknown resource: foo",
          "no resource \"foo\"" },
        { "Resource_List.place=scatter:Group=foo:excl", PBSE_UNKRESC,
          "Unknown resource Resource_List.place", "no resource \"foo\"" },
        { "", PBSE_UNKRESC, "Unknown resource", NULL },
        { "Resource_List.ncpus=abc", PBSE_BADATVAL,
          "Illegal attribute or resource value Resource_List.ncpus",
          "Resource_List.ncpus is \"abc\"; it has to be a whole number" },
        { "Resource_List.mem=1 Resource_List.ncpus=2x", PBSE_BADATVAL,
          "Illegal attribute or resource value Resource_List.ncpus",
          "Resource_List.ncpus is \"2x\"" },
        { "Resource_List.walltime=xx", PBSE_BADATVAL,
          "Illegal attribute or resource value Resource_List.walltime",
          "it has to be [[HH:]MM:]SS" },
        { "Resource_List.place=bogus", PBSE_BADATVAL,
          "Illegal attribute or resource value Resource_List.place",
          "one of free, pack, scatter and vscatter" },
        { "Reserve_Name=x Priority=5000", PBSE_BADATVAL,
          "Illegal attribute or resource value",
          "Priority is \"5000\"; it has to be a whole number from -1024 to 1024" },
        { "reserve_rrule=FREQ=DAILY", PBSE_BAD_RRULE_SYNTAX2, NULL,
          "the rule -r is \"FREQ=DAILY\"; it has to be FREQ=... with COUNT=n" },
        { "reserve_rrule=x", PBSE_BAD_RRULE_SYNTAX, NULL, "the rule -r is \"x\"" },
        { "reserve_start=1", PBSE_BAD_RRULE_SYNTAX, NULL, NULL },
        { "reserve_timezone=Mars", PBSE_BAD_ICAL_TZ, NULL,
          "PBS_TZID is \"Mars\"; it has to be the name of a time zone" },
        { "reserve_start=1", PBSE_BAD_ICAL_TZ, NULL, NULL },
        { "User_List=x", PBSE_BADUSER, NULL, "-u says \"x\"" },
        { "Job_Name=x", PBSE_R_UID, NULL, "has to exist on the server's host" },
        { "depend=afterok:x", PBSE_BADATVAL,
          "Illegal attribute or resource value depend",
          "depend is \"afterok:x\"; it has to be type:job[:job...]" },
        { "Join_Path=zz", PBSE_BADATVAL,
          "Illegal attribute or resource value Join_Path", "it has to be oe, eo or n" },
        { "Priority=5", PBSE_BADATVAL, "Illegal attribute or resource value", NULL },
        { "Reserve_Name=x nosuch=1", PBSE_NOATTR, "Undefined attribute ",
          "a reservation has no attribute \"nosuch\"" },
        { "Reserve_Name=x", PBSE_NOATTR, "Undefined attribute ", NULL },
        { "Authorized_Users=b,a,c,a", PBSE_DUPLIST, "Duplicate entry in list ",
          "Authorized_Users names \"a\" twice" },
        { "Authorized_Users=a,ab,b", PBSE_DUPLIST, "Duplicate entry in list ", NULL },
        { "Reserve_Name=x", PBSE_PERM, "Unauthorized Request ", NULL },
        { "Reserve_Name=x", PBSE_BADATVAL, NULL, NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct attropl *sent = attributes(cases[i].sent);
        struct buf out = { 0 };
        bool more =
            explain_refusal(&resv_table, sent, cases[i].error, cases[i].text, &out);

        CU_ASSERT_EQUAL(more, cases[i].part != NULL);
        CU_ASSERT_EQUAL(more, out.len > 0);
        if (cases[i].part && !says(&out, cases[i].part))
            CU_FAIL(cases[i].sent);
        buf_fini(&out);
        attrs_free(sent);
    }
}

/* A value of a megabyte must not fill the terminal. */
static void test_long_values(void)
{
    struct attropl *sent = NULL;
    struct buf out = { 0 };
    char value[1001];

    memset(value, 'x', 1000);
    value[1000] = '\0';
    attrs_set(&sent, "Resource_List", "ncpus", value);
    explain_value(&resv_table, sent, &out);
    CU_ASSERT_TRUE(out.len < 300);
    CU_ASSERT_TRUE(says(&out, "xxx\"...; it has to be a whole number"));
    buf_fini(&out);
    attrs_free(sent);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "times that were refused are explained", test_windows },
        { "the window of a request is read from its attributes", test_window_of },
        { "a refused value is named, and what would be right", test_refusals },
        { "a long value is shown in part", test_long_values },
    };

    return unit_main("explain", cases, ARRAY_LEN(cases));
}
