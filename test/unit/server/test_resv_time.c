/* Unit tests of server/model/resv_time.c: every combination of given times, and the
 * times of the attempts to replace lost vnodes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_time.h"

#include "../unit.h"

#define NOW 1000000

#define S   GIVEN_START
#define E   GIVEN_END
#define W   GIVEN_WALLTIME
#define D   GIVEN_DURATION

struct window_case {
    const char *story;
    uint32_t given;
    int64_t start_at, end_at, walltime_s, duration_s;
    int64_t expect_start_at, expect_length_s; /* length 0: refused */
};

/* clang-format off */
static const struct window_case windows[] = {
    { "start and end", S | E, NOW, NOW + 60, 0, 0, NOW, 60 },
    { "start one second ago", S | E, NOW - 1, NOW + 60, 0, 0, 0, 0 },
    { "no time between", S | E, NOW + 5, NOW + 5, 0, 0, 0, 0 },
    { "end before start", S | E, NOW + 6, NOW + 5, 0, 0, 0, 0 },
    { "start and walltime", S | W, NOW, 0, 30, 0, NOW, 30 },
    { "walltime of nothing", S | W, NOW, 0, 0, 0, 0, 0 },
    { "negative walltime", S | W, NOW, 0, -5, 0, 0, 0 },
    { "start past, walltime", S | W, NOW - 1, 0, 30, 0, 0, 0 },
    { "end and walltime", E | W, 0, NOW + 30, 30, 0, NOW, 30 },
    { "end and a walltime one second too long", E | W, 0, NOW + 30, 31, 0, 0, 0 },
    { "all three agree", S | E | W, NOW, NOW + 30, 30, 0, NOW, 30 },
    { "all three do not", S | E | W, NOW, NOW + 30, 31, 0, 0, 0 },
    { "start and duration", S | D, NOW + 1, 0, 0, 30, NOW + 1, 30 },
    { "duration of nothing", S | D, NOW + 1, 0, 0, 0, 0, 0 },
    { "end and duration", E | D, 0, NOW + 30, 0, 30, NOW, 30 },
    { "end and negative duration", E | D, 0, NOW + 30, 0, -30, 0, 0 },
    { "start, end and duration", S | E | D, NOW, NOW + 30, 0, 30, NOW, 30 },
    { "start, end and another duration", S | E | D, NOW, NOW + 30, 0, 29, 0, 0 },
    { "both lengths, equal", S | D | W, NOW, 0, 30, 30, NOW, 30 },
    { "both lengths, different", S | D | W, NOW, 0, 30, 31, 0, 0 },
    { "both lengths, start past", S | D | W, NOW - 1, 0, 30, 30, 0, 0 },
    { "nothing", 0, 0, 0, 0, 0, 0, 0 },
    { "only a start", S, NOW, 0, 0, 0, 0, 0 },
    { "only an end", E, 0, NOW + 5, 0, 0, 0, 0 },
    { "only a walltime", W, 0, 0, 30, 0, 0, 0 },
    { "only a duration", D, 0, 0, 0, 30, 0, 0 },
    { "two lengths", W | D, 0, 0, 30, 30, 0, 0 },
    { "end and two lengths", E | W | D, 0, NOW + 30, 30, 30, 0, 0 },
    { "everything", S | E | W | D, NOW, NOW + 30, 30, 30, 0, 0 },
    { "an end beyond all numbers", S | W, INT64_MAX - 5, 0, 30, 0, 0, 0 },
    { "a start before all numbers", E | W, 0, -5, INT64_MAX, 0, 0, 0 },
    { "a length beyond all numbers", S | E, INT64_MIN, INT64_MAX, 0, 0, 0, 0 },
};
/* clang-format on */

static void test_window(void)
{
    for (size_t i = 0; i < ARRAY_LEN(windows); i++) {
        const struct window_case *c = &windows[i];
        struct resv_times t = { c->given, c->start_at, c->end_at, c->walltime_s,
                                c->duration_s };
        struct diag why = { 0 };
        int err = resv_times_derive(&t, NOW, false, &why);
        int expect = c->expect_length_s ? 0 : PBSE_BADTSPEC;

        if (err != expect)
            fprintf(stderr, "%s: %d\n", c->story, err);
        CU_ASSERT_EQUAL(err, expect);
        if (err) {
            CU_ASSERT_EQUAL(t.walltime_s, c->walltime_s);
            CU_ASSERT_EQUAL(t.start_at, c->start_at);
            CU_ASSERT_STRING_EQUAL(why.text, "Bad time specification(s)");
            continue;
        }
        CU_ASSERT_EQUAL(t.start_at, c->expect_start_at);
        CU_ASSERT_EQUAL(t.end_at, c->expect_start_at + c->expect_length_s);
        CU_ASSERT_EQUAL(t.walltime_s, c->expect_length_s);
        CU_ASSERT_EQUAL(t.duration_s, c->expect_length_s);
    }
}

static void test_job_may_have_started(void)
{
    struct resv_times t = { .given = S | W, .start_at = NOW - 100, .walltime_s = 30 };

    CU_ASSERT_EQUAL(resv_times_derive(&t, NOW, true, NULL), 0);
    CU_ASSERT_EQUAL(t.end_at, NOW - 70);
}

/* From NOW + 100 to NOW + 700, changed. */
static void test_altered_window(void)
{
    static const struct {
        const char *story;
        uint32_t given;
        int64_t start_at, end_at, duration_s;
        bool good;
        int64_t expect_start_at, expect_end_at;
    } cases[] = {
        { "to start now", GIVEN_START, NOW, 0, 0, true, NOW, NOW + 700 },
        { "to have started", GIVEN_START, NOW - 1, 0, 0, false, 0, 0 },
        { "ended so long after now", GIVEN_END | GIVEN_DURATION, 0, NOW + 50, 50, true,
          NOW, NOW + 50 },
        { "and one second less", GIVEN_END | GIVEN_DURATION, 0, NOW + 50, 51, false, 0,
          0 },
        { "no length", GIVEN_END, 0, NOW + 100, 0, false, 0, 0 },
        { "one second long", GIVEN_END, 0, NOW + 101, 0, true, NOW + 100, NOW + 101 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct resv_times was = { .given = cases[i].given,
                                        .start_at = NOW + 100,
                                        .end_at = NOW + 700,
                                        .duration_s = 600,
                                        .walltime_s = 600 };
        struct resv_times t = was;
        int err;

        if (cases[i].given & GIVEN_START)
            t.start_at = cases[i].start_at;
        if (cases[i].given & GIVEN_END)
            t.end_at = cases[i].end_at;
        if (cases[i].given & GIVEN_DURATION)
            t.duration_s = cases[i].duration_s;
        err = resv_times_alter(&t, NOW, NULL);
        if ((err == 0) != cases[i].good)
            fprintf(stderr, "%s: %d\n", cases[i].story, err);
        CU_ASSERT_EQUAL(err, cases[i].good ? 0 : PBSE_BADTSPEC);
        if (err)
            continue;
        CU_ASSERT_EQUAL(t.start_at, cases[i].expect_start_at);
        CU_ASSERT_EQUAL(t.end_at, cases[i].expect_end_at);
        CU_ASSERT_EQUAL(t.duration_s, t.end_at - t.start_at);
    }
}

static void test_next_retry(void)
{
    static const struct {
        const char *story;
        int64_t now_at, start_at, interval_s, expect_at;
    } cases[] = {
        { "long before the start", 0, 10000, 600, 600 },
        { "the interval reaches across the start", 9500, 10000, 600, 9995 },
        { "the interval ends within the last seconds", 9397, 10000, 600, 9995 },
        { "the interval ends just before them", 9395, 10000, 600, 9995 },
        { "the early attempt failed", 9995, 10000, 600, 10000 },
        { "an attempt after the early one failed", 9999, 10000, 600, 10000 },
        { "the attempt at the start failed", 10000, 10000, 600, 10600 },
        { "while it runs", 10007, 10000, 600, 10607 },
        { "a short interval shortens the last seconds", 9990, 10000, 3, 9993 },
        { "and is early by itself", 9996, 10000, 3, 9997 },
        { "then at the start", 9997, 10000, 3, 10000 },
        { "an interval of one second", 9999, 10000, 1, 10000 },
        { "lost in the last seconds", 9998, 10000, 600, 10000 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t got_at =
            resv_next_retry(cases[i].now_at, cases[i].start_at, cases[i].interval_s);

        if (got_at != cases[i].expect_at)
            fprintf(stderr, "%s: %lld\n", cases[i].story, (long long)got_at);
        CU_ASSERT_EQUAL(got_at, cases[i].expect_at);
    }
}

/* From wherever one begins, attempts go forward and meet the instant right before the
 * start and the start itself. */
static void test_attempts_meet_the_start(void)
{
    static const int64_t intervals_s[] = { 1, 2, 3, 5, 7, 60, 600, 100000 };

    for (size_t i = 0; i < ARRAY_LEN(intervals_s); i++)
        for (int64_t from_at = 9000; from_at < 10000; from_at += 13) {
            int64_t early_at = 10000 - MIN_OF(intervals_s[i], RESV_RETRY_EARLY_S);
            bool early = from_at >= early_at;
            bool start = false;

            for (int64_t at = from_at; at < 10000;) {
                int64_t next_at = resv_next_retry(at, 10000, intervals_s[i]);

                CU_ASSERT_TRUE_FATAL(next_at > at);
                at = next_at;
                early |= at == early_at;
                start |= at == 10000;
            }
            CU_ASSERT_TRUE(early && start);
        }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a window follows from what was given, or is refused", test_window },
        { "a reservation from a job may have started", test_job_may_have_started },
        { "an altered window begins now at the earliest", test_altered_window },
        { "the next retry is where it should be", test_next_retry },
        { "attempts meet the start", test_attempts_meet_the_start },
    };

    return unit_main("resv_time", cases, ARRAY_LEN(cases));
}
