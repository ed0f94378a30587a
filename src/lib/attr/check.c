/* check.c - the own checks of single attributes (column "validation" of the tables).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/check.h"
#include "lib/attr/preempt.h"

#include "lib/base/printable.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MIN_SEQUENCE_ID  INT64_C(9999999)
#define MAX_SEQUENCE_ID  INT64_C(999999999999)
/* 2 GiB, in the unit of size_kib(). */
#define MAX_SCRIPT_KIB   (INT64_C(2) * 1024 * 1024)
#define MAX_RESEND_DELAY 1800
#define MAX_RANGES       20 /* of preempt_order */

/* Both ends belong to the range. 'code' is the error of PBS for this attribute: clients
 * print another text for each. */
static int in_range(const struct attr_value *v, int64_t low, int64_t high, int code,
                    struct diag *why)
{
    MUST(low <= high);
    return v->u.num >= low && v->u.num <= high ? 0 : diag_code(why, code);
}

static int bad_unless(bool good, struct diag *why)
{
    return good ? 0 : diag_code(why, PBSE_BADATVAL);
}

int check_positive(const struct attr_value *v, struct diag *why)
{
    return in_range(v, 1, INT64_MAX, PBSE_BADATVAL, why);
}

int check_not_negative(const struct attr_value *v, struct diag *why)
{
    return in_range(v, 0, INT64_MAX, PBSE_BADATVAL, why);
}

int check_priority(const struct attr_value *v, struct diag *why)
{
    return in_range(v, -1024, 1024, PBSE_BADATVAL, why);
}

/* The MoM of an interactive job calls there from a reserved port, by which others
 * believe it to be more than a user: no user may lead it to a service. */
int check_client_port(const struct attr_value *v, struct diag *why)
{
    return in_range(v, 1024, UINT16_MAX, PBSE_BADATVAL, why);
}

int check_queue_priority(const struct attr_value *v, struct diag *why)
{
    return in_range(v, -1024, 1023, PBSE_BADATVAL, why);
}

int check_resend_term_delay(const struct attr_value *v, struct diag *why)
{
    return in_range(v, 0, MAX_RESEND_DELAY, PBSE_BADATVAL, why);
}

int check_license_min(const struct attr_value *v, struct diag *why)
{
    return in_range(v, 0, INT64_MAX, PBSE_LICENSE_MIN_BADVAL, why);
}

int check_license_max(const struct attr_value *v, struct diag *why)
{
    return in_range(v, 0, INT64_MAX, PBSE_LICENSE_MAX_BADVAL, why);
}

int check_license_linger(const struct attr_value *v, struct diag *why)
{
    return in_range(v, 1, INT64_MAX, PBSE_LICENSE_LINGER_BADVAL, why);
}

int check_sequence_id(const struct attr_value *v, struct diag *why)
{
    return in_range(v, MIN_SEQUENCE_ID, MAX_SEQUENCE_ID,
                    PBSE_INVALID_MAX_JOB_SEQUENCE_ID, why);
}

int check_script_size(const struct attr_value *v, struct diag *why)
{
    if (v->u.size.number == 0)
        return diag_code(why, PBSE_BADATVAL);
    return size_kib(&v->u.size) > MAX_SCRIPT_KIB
               ? diag_code(why, PBSE_BADJOBSCRIPTMAXSIZE)
               : 0;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(text, *words) == 0)
            return true;
    return false;
}

static bool has_only(const char *text, const char *letters)
{
    return *text && !text[strspn(text, letters)];
}

/* True for letters of a set, or for "n" alone, which means none of them. */
static bool is_letters_or_n(const char *text, const char *letters)
{
    return strcmp(text, "n") == 0 || has_only(text, letters);
}

static bool is_prefix(const char *text, const char *word)
{
    return *text && strncasecmp(text, word, strlen(text)) == 0;
}

static bool is_number(const char *text)
{
    return has_only(text, "0123456789");
}

int check_queue_type(const struct attr_value *v, struct diag *why)
{
    /* The type may be cut short, without regard to case: "e" and "exec" mean Execution.
     */
    return bad_unless(is_prefix(v->u.str, "Execution") || is_prefix(v->u.str, "Route"),
                      why);
}

int check_require_cred(const struct attr_value *v, struct diag *why)
{
    return bad_unless(strcmp(v->u.str, "aes") == 0, why);
}

/* The partition of the default scheduler is that of vnodes and queues without one; it
 * cannot be given by name. */
int check_partition(const struct attr_value *v, struct diag *why)
{
    return strcmp(v->u.str, "pbs-default") == 0 ? diag_code(why, PBSE_DEFAULT_PARTITION)
                                                : 0;
}

int check_sharing(const struct attr_value *v, struct diag *why)
{
    static const char *const words[] = { "default_shared",
                                         "default_excl",
                                         "default_exclhost",
                                         "ignore_excl",
                                         "force_excl",
                                         "force_exclhost",
                                         NULL };

    return bad_unless(is_one_of(v->u.str, words), why);
}

int check_checkpoint(const struct attr_value *v, struct diag *why)
{
    const char *text = v->u.str;

    /* A letter alone, or c=MINUTES of CPU time, or w=MINUTES of wall time. An interval
     * of zero minutes is refused: it needs one digit that is not 0. */
    if (strlen(text) == 1)
        return bad_unless(strchr("nsucw", *text) != NULL, why);
    return bad_unless((*text == 'c' || *text == 'w') && text[1] == '=' &&
                          is_number(text + 2) &&
                          strspn(text + 2, "0") < strlen(text + 2),
                      why);
}

int check_sandbox(const struct attr_value *v, struct diag *why)
{
    static const char *const words[] = { "HOME", "O_WORKDIR", "PRIVATE", NULL };

    return bad_unless(is_one_of(v->u.str, words), why);
}

/* The letter d says where files are kept, so one that says which (or that none is) has
 * to be there (cli.md 2). */
int check_keep_files(const struct attr_value *v, struct diag *why)
{
    const char *text = v->u.str;
    bool some = strpbrk(text, "oe"), none = strchr(text, 'n');

    return bad_unless(has_only(text, "oedn") && some != none, why);
}

int check_remove_files(const struct attr_value *v, struct diag *why)
{
    return bad_unless(has_only(v->u.str, "oe"), why);
}

int check_join_path(const struct attr_value *v, struct diag *why)
{
    const char *text = v->u.str;

    /* In these letters alone (cli.md 2): who joins the files reads no others, and a
     * word that is accepted and not heeded would leave two files without a warning. */
    return bad_unless(strcmp(text, "oe") == 0 || strcmp(text, "eo") == 0 ||
                          strcmp(text, "n") == 0,
                      why);
}

int check_job_mail_points(const struct attr_value *v, struct diag *why)
{
    return bad_unless(is_letters_or_n(v->u.str, "abej"), why);
}

int check_resv_mail_points(const struct attr_value *v, struct diag *why)
{
    return bad_unless(is_letters_or_n(v->u.str, "abce"), why);
}

int check_tolerate(const struct attr_value *v, struct diag *why)
{
    static const char *const words[] = { "all", "job_start", "none", NULL };

    return bad_unless(is_one_of(v->u.str, words), why);
}

int check_job_run_wait(const struct attr_value *v, struct diag *why)
{
    static const char *const words[] = { "none", "runjob_hook", "execjob_hook", NULL };

    return bad_unless(is_one_of(v->u.str, words), why);
}

int check_backfill_fuzzy(const struct attr_value *v, struct diag *why)
{
    static const char *const words[] = { "off", "low", "medium", "med", "high", NULL };

    return bad_unless(is_one_of(v->u.str, words) || is_number(v->u.str), why);
}

/* True for one to four different letters of S, C, R, D. */
static bool is_methods(const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!strchr("SCRD", word[i]) || memchr(word, word[i], i))
            return false;
    return len > 0;
}

/* True for methods with percentages between them that fall: "SCR 80 SC 50 S". */
static bool is_preempt_order(const char *text)
{
    long last = 100;

    for (int words = 0;; words++) {
        size_t len;

        text += strspn(text, " \t");
        len = strcspn(text, " \t");
        /* Methods stand first, third and so on, percentages between them: the last word
         * must be one of methods, so the number of words is odd. */
        if (len == 0)
            return words % 2 == 1 && words < 2 * MAX_RANGES;
        if (words % 2 == 0) {
            if (!is_methods(text, len))
                return false;
        } else {
            long percent = 0;

            /* Three digits suffice for a percentage, and cannot overflow. */
            if (len > 3)
                return false;
            for (size_t i = 0; i < len; i++) {
                if (!isdigit((unsigned char)text[i]))
                    return false;
                percent = percent * 10 + (text[i] - '0');
            }
            /* A percentage that does not fall would leave a range that no job is ever
             * in. */
            if (percent >= last)
                return false;
            last = percent;
        }
        text += len;
    }
}

int check_preempt_order(const struct attr_value *v, struct diag *why)
{
    return bad_unless(is_preempt_order(v->u.str), why);
}

/* Levels, highest first; several joined by '+' make one (scheduling.md 22). */
int check_preempt_prio(const struct attr_value *v, struct diag *why)
{
    const char *p = v->u.str;

    for (;;) {
        size_t len;

        p += strspn(p, " \t");
        len = strcspn(p, ",+ \t");
        if (!preempt_condition_find(p, len))
            return diag_code(why, PBSE_BADATVAL);
        p += len;
        p += strspn(p, " \t");
        if (!*p)
            return 0;
        if (*p != ',' && *p != '+')
            return diag_code(why, PBSE_BADATVAL);
        p++;
    }
}

int check_preempt_sort(const struct attr_value *v, struct diag *why)
{
    return bad_unless(strcmp(v->u.str, "min_time_since_start") == 0, why);
}

/* Whether a host's name resolves is for the caller to know; here: USER@HOST. */
int check_manager_list(const struct attr_value *v, struct diag *why)
{
    for (size_t i = 0; i < v->u.list.n; i++) {
        const char *at = strchr(v->u.list.v[i], '@');

        if (!at || !at[1])
            return diag_code(why, PBSE_BADHOST);
    }
    return 0;
}

/* The names become headers of letters and arguments of the mailer, where a control
 * character could say something else. */
int check_mail_users(const struct attr_value *v, struct diag *why)
{
    bool good = true;

    for (size_t i = 0; i < v->u.list.n; i++)
        good = good && !has_control(v->u.list.v[i]);
    return bad_unless(good, why);
}

/* A reservation asks for more time half a minute before its end, so a step is longer;
 * and one of more than a year is a slip. */
int check_auto_extend(const struct attr_value *v, struct diag *why)
{
    return in_range(v, AUTO_EXTEND_MIN_S, AUTO_EXTEND_MAX_S, PBSE_BADATVAL, why);
}

int check_on_end(const struct attr_value *v, struct diag *why)
{
    static const char *const words[] = { "kill", "requeue", "hold", "extend" };
    bool good = false;

    /* The word is compared and shown as it is, so it has one form. */
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        good = good || strcmp(v->u.str, words[i]) == 0;
    return bad_unless(good, why);
}
