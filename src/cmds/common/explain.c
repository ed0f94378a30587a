/* explain.c - see explain.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/explain.h"

#include "cmds/common/attr_list.h"
#include "include/pbs_error.h"
#include "lib/attr/resource.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* False for what is no whole number, and for one beyond 64 bits: such a text cannot be
 * explained as a time. */
static bool read_number(const char *text, int64_t *ret)
{
    char *end;

    if (!text)
        return false;
    errno = 0;
    *ret = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

struct window explain_window_of(const struct attropl *sent)
{
    const char *walltime = attrs_get(sent, "Resource_List", "walltime");
    const char *length = attrs_get(sent, "reserve_duration", NULL);
    struct window w = { .has_base = attrs_get(sent, "reserve_job", NULL) != NULL };

    if (read_number(attrs_get(sent, "reserve_start", NULL), &w.start_at))
        w.given |= WINDOW_START;
    if (read_number(attrs_get(sent, "reserve_end", NULL), &w.end_at))
        w.given |= WINDOW_END;
    /* pbs_ralter sends the length as reserve_duration, pbs_rsub as the walltime. */
    length = length ? length : walltime;
    if (length && duration_parse(length, &w.length_s) == 0)
        w.given |= WINDOW_LENGTH;
    w.known = w.given;
    return w;
}

static const char *date(int64_t at, char text[40])
{
    time_t t = (time_t)at;
    struct tm tm;

    /* A user may send any number; not each of them is a date. */
    if (!localtime_r(&t, &tm) || !strftime(text, 40, "%a %b %d %H:%M:%S %Y", &tm))
        snprintf(text, 40, "%" PRId64, at);
    return text;
}

static bool explain_empty(const struct window *w, struct buf *out)
{
    if (!(w->given & WINDOW_LENGTH) || w->length_s > 0)
        return false;
    buf_add_str(out, "the duration -D is 0 s; it has to be at least one second");
    return true;
}

/* A time that has passed already, given or computed. */
static bool explain_past(const struct window *w, time_t now_at, struct buf *out)
{
    char text[40];

    if (w->given & WINDOW_START && w->start_at <= now_at) {
        buf_printf(out, "the start -R is %s, which has passed",
                   date(w->start_at, text));
        return true;
    }
    if (w->given & WINDOW_END && w->end_at <= now_at) {
        buf_printf(out, "the end -E is %s, which has passed", date(w->end_at, text));
        return true;
    }
    if (w->given == (WINDOW_END | WINDOW_LENGTH) && w->end_at - w->length_s <= now_at) {
        buf_printf(out, "the start would be %s (-E less -D), which has passed",
                   date(w->end_at - w->length_s, text));
        return true;
    }
    return false;
}

/* A length that is not what start and end say. Both have to lie ahead (explain_past):
 * a user may send any 64-bit number, and only of two that are not negative can the
 * difference be counted. */
static bool explain_length(const struct window *w, struct buf *out)
{
    const unsigned all = WINDOW_START | WINDOW_END | WINDOW_LENGTH;

    if ((w->given & all) != all || w->end_at - w->start_at == w->length_s)
        return false;
    buf_printf(out,
               "from -R to -E are %" PRId64 " s, but -D says %" PRId64
               " s; leave one of the three out",
               w->end_at - w->start_at, w->length_s);
    return true;
}

static bool explain_order(const struct window *w, struct buf *out)
{
    const unsigned both = WINDOW_START | WINDOW_END;
    char start[40], end[40];

    if ((w->known & both) != both || w->end_at > w->start_at)
        return false;
    buf_printf(out, "the end%s is %s; it has to be after the start%s, %s",
               w->given & WINDOW_END ? " -E" : "", date(w->end_at, end),
               w->given & WINDOW_START ? " -R" : "", date(w->start_at, start));
    return true;
}

void explain_window(const struct window *w, time_t now_at, struct buf *out)
{
    char text[40];

    if (!w->has_base && __builtin_popcount(w->given) < 2)
        buf_printf(out,
                   "a new reservation needs two of the start -R, the end -E and the "
                   "duration -D; %s was given",
                   w->given & WINDOW_START    ? "only -R"
                   : w->given & WINDOW_END    ? "only -E"
                   : w->given & WINDOW_LENGTH ? "only -D"
                                              : "none");
    else if (!explain_empty(w, out) && !explain_past(w, now_at, out) &&
             !explain_length(w, out) && !explain_order(w, out))
        buf_printf(out,
                   "start and end have to lie ahead, the start first; here it is %s",
                   date(now_at, text));
}

/* What a value of a type has to look like. */
static const struct {
    const struct attr_type *type;
    const char *words;
} forms[] = {
    { &attr_bool, "True or False" },
    { &attr_long, "a whole number" },
    { &attr_int64, "a whole number" },
    { &attr_float, "a number, for example 0.5" },
    { &attr_size, "a number with b, kb, mb, gb, tb or pb, for example 2gb" },
    { &attr_duration, "[[HH:]MM:]SS, for example 1:30:00" },
    { &attr_seconds, "[[HH:]MM:]SS, for example 1:30:00" },
    { &attr_time, "a time, " DATETIME_FORM },
    { &attr_select, "chunks, for example 2:ncpus=4:mem=8gb+1:ncpus=1" },
    { &attr_place, "one of free, pack, scatter and vscatter, then one of excl, shared "
                   "and exclhost, for example scatter:excl" },
    { &attr_jobname, "up to 230 letters, digits, -, _, + and ." },
    { &attr_project, "text without any of / [ ] \" ; : | < > + , ? *" },
    { &attr_hold, "one or more of the letters u, o and s, or n" },
};

/* Attributes whose own check knows more than their type. */
static const struct {
    const char *name, *words;
} special[] = {
    { "Priority", "a whole number from -1024 to 1024" },
    { "Mail_Points", "n, or some of the letters a, b, c, e and (jobs) j" },
    { "Checkpoint", "n, s, c, w, c=minutes or w=minutes" },
    { "Join_Path", "oe, eo or n" },
    { "Keep_Files", "n, or some of the letters o, e and d" },
    { "Remove_Files", "o, e or oe" },
    { "Shell_Path_List",
      "absolute paths, path[@host], with commas between; each host once" },
    { "User_List", "user[@host], with commas between; each host once" },
    { "group_list", "group[@host], with commas between; each host once" },
    { "Mail_Users", "user[@host], with commas between" },
    { "array_indices_submitted", "first-last or first-last:step, for example 1-10:2" },
    { "stagein", "local@host:remote, with commas between" },
    { "stageout", "local@host:remote, with commas between" },
    { "sandbox", "HOME, O_WORKDIR or PRIVATE" },
    { "tolerate_node_failures", "none, job_start or all" },
    { "depend", "type:job[:job...] with commas between; types are after, afterok, "
                "afternotok, afterany, before..., on (with a count)" },
    { "Output_Path", "[host:]path, of a host that is known here" },
    { "Error_Path", "[host:]path, of a host that is known here" },
    { "Authorized_Users", "[+|-]user[@host], with commas between entries" },
    { "Authorized_Groups", "[+|-]group, with commas between entries" },
    { "on_end", "kill, requeue, hold or extend" },
    { "auto_extend",
      "a time from a minute to a year: seconds, or hours:minutes:seconds" },
    { "auto_extend_max",
      "a time of a second or more: seconds, or hours:minutes:seconds" },
};

static const char *form_of_type(const struct attr_type *type)
{
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        if (forms[i].type == type)
            return forms[i].words;
    return NULL;
}

/* What a value of 'attr' has to look like, NULL when nothing is known. */
static const char *form_of(const struct attr_table *table, const struct attropl *attr)
{
    int a = attr_find(table, attr->name);
    const char *words = NULL;

    /* Those of queues and vnodes go one further. */
    if (table == &job_table && strcasecmp(attr->name, "Priority") == 0)
        return "a whole number from -1024 to 1023";
    for (size_t i = 0; i < ARRAY_LEN(special); i++)
        if (strcasecmp(special[i].name, attr->name) == 0)
            return special[i].words;
    if (a < 0)
        return NULL;
    if (attr->resource) {
        struct resource_defs *defs = resource_defs_new();
        const struct resource_def *def = resource_find(defs, attr->resource);

        words = def ? form_of_type(def->type) : NULL;
        resource_defs_free(defs);
    } else {
        words = form_of_type(table->rows[a].type);
    }
    return words;
}

void explain_value(const struct attr_table *table, const struct attropl *attr,
                   struct buf *out)
{
    const char *form = form_of(table, attr);
    const char *value = attr->value ? attr->value : "";

    buf_printf(out, "%s%s%s is \"%.200s\"%s", attr->name, attr->resource ? "." : "",
               attr->resource ? attr->resource : "", value,
               strlen(value) > 200 ? "..." : "");
    if (form)
        buf_printf(out, "; it has to be %s", form);
}

/* Would the attribute's own row refuse this value? Resources of the site are not known
 * here, and lists of resources may name them: those pass. */
static bool row_refuses(const struct attr_table *table, const struct attropl *attr)
{
    int a = attr_find(table, attr->name);
    struct attr_value v = { 0 };
    struct diag why = { 0 };
    const struct attr_row *row;
    bool bad;

    if (a < 0 || attr->resource || attr_type_has_members(table->rows[a].type))
        return false;
    row = &table->rows[a];
    bad = row->type->decode(&v, NULL, NULL, attr->value ? attr->value : "") != 0 ||
          (row->check && v.set && row->check(&v, &why) != 0);
    row->type->clear(&v);
    return bad;
}

/* The attribute that the text names in its last word, "Resource_List.ncpus". */
static bool is_named(const struct attropl *attr, const char *text)
{
    const char *word = text ? strrchr(text, ' ') : NULL;
    size_t len = strlen(attr->name);

    if (!word || strncasecmp(word + 1, attr->name, len) != 0)
        return false;
    if (!attr->resource)
        return word[1 + len] == '\0';
    return word[1 + len] == '.' && strcasecmp(word + 2 + len, attr->resource) == 0;
}

static bool explain_bad_value(const struct attr_table *table,
                              const struct attropl *sent, const char *text,
                              struct buf *out)
{
    const struct attropl *bad = sent;

    /* The server's text is believed first. Without a name in it, the first value that
     * our own tables refuse is most likely the one. */
    while (bad && !is_named(bad, text))
        bad = bad->next;
    for (const struct attropl *a = sent; a && !bad; a = a->next)
        if (row_refuses(table, a))
            bad = a;
    if (bad)
        explain_value(table, bad, out);
    return bad != NULL;
}

/* "Unknown resource Resource_List.foo", "Unknown resource: foo". */
/* The server names the resource whose value it refuses. In a place it is the resource
 * behind "group=" that does not exist. */
static const char *resource_meant(const struct attropl *sent, const char *named,
                                  size_t *len)
{
    const char *place = attrs_get(sent, "Resource_List", "place");
    const char *group = NULL;

    if (place && strcasecmp(named, "place") == 0)
        group = strcasestr(place, "group=");
    if (group)
        named = group + strlen("group=");
    *len = group ? strcspn(named, ":") : strlen(named);
    return named;
}

static bool explain_resource(const struct attropl *sent, const char *text,
                             struct buf *out)
{
    const char *word = text ? strrchr(text, ' ') : NULL;
    const char *dot = word ? strchr(word, '.') : NULL;
    size_t len;

    if (!word || strcasecmp(word, " resource") == 0)
        return false;
    word = resource_meant(sent, dot ? dot + 1 : word + 1, &len);
    buf_printf(out,
               "the server has no resource \"%.*s\"; ncpus, mem, walltime and others "
               "are built in, \"qmgr -c 'list resource'\" lists those of this site",
               (int)len, word);
    return true;
}

static bool explain_name(const struct attr_table *table, const struct attropl *sent,
                         struct buf *out)
{
    for (const struct attropl *a = sent; a; a = a->next) {
        if (attr_find(table, a->name) >= 0)
            continue;
        buf_printf(out, "a %s has no attribute \"%s\"; its manual page names them",
                   table->kind, a->name);
        return true;
    }
    return false;
}

/* Which part of a rule is wrong only the server knows; most people miss the count. */
static bool explain_rule(const struct attropl *sent, struct buf *out)
{
    const char *rule = attrs_get(sent, "reserve_rrule", NULL);

    if (!rule)
        return false;
    buf_printf(out,
               "the rule -r is \"%.200s\"; it has to be FREQ=... with COUNT=n or "
               "UNTIL=time, for example FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10",
               rule);
    return true;
}

static bool explain_zone(const struct attropl *sent, struct buf *out)
{
    const char *zone = attrs_get(sent, "reserve_timezone", NULL);

    if (!zone)
        return false;
    buf_printf(out,
               "PBS_TZID is \"%.200s\"; it has to be the name of a time zone on the "
               "server's host, for example Europe/Berlin",
               zone);
    return true;
}

/* Somebody else's account, or the own one that the server does not know. */
static bool explain_account(const struct attropl *sent, struct buf *out)
{
    const char *list = attrs_get(sent, "User_List", NULL);

    if (list && *list)
        buf_printf(out,
                   "-u says \"%.200s\"; it has to be an account of the server's host "
                   "that you may use there, most often your own",
                   list);
    else
        buf_add_str(
            out, "the account has to exist on the server's host; from another host it "
                 "needs the server's flatuid, or a line in /etc/hosts.equiv or "
                 "~/.rhosts there; root needs an entry in the server's acl_roots, and "
                 "cannot reserve");
    return true;
}

/* The value of the first entry of a list that comes a second time. */
static bool explain_duplicate(const struct attropl *sent, struct buf *out)
{
    static const char *const lists[] = { "Authorized_Users", "Authorized_Groups",
                                         "Authorized_Hosts", "User_List",
                                         "group_list" };

    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const char *value = attrs_get(sent, lists[i], NULL);

        /* Each entry is compared with those before it. A command line is short enough
         * for that. */
        for (const char *p = value; p && *p; p += strcspn(p, ","), p += *p == ',') {
            size_t len = strcspn(p, ",");

            for (const char *q = value; q < p; q += strcspn(q, ",") + 1) {
                if (strcspn(q, ",") != len || strncmp(p, q, len) != 0)
                    continue;
                buf_printf(out, "%s names \"%.*s\" twice; once is enough", lists[i],
                           (int)len, p);
                return true;
            }
        }
    }
    return false;
}

bool explain_refusal(const struct attr_table *table, const struct attropl *sent,
                     int error, const char *text, struct buf *out)
{
    switch (error) {
    case PBSE_UNKRESC:
        return explain_resource(sent, text, out);
    case PBSE_BADATVAL:
        return explain_bad_value(table, sent, text, out);
    case PBSE_NOATTR:
        return explain_name(table, sent, out);
    case PBSE_DUPLIST:
        return explain_duplicate(sent, out);
    case PBSE_BAD_RRULE_SYNTAX:
    case PBSE_BAD_RRULE_SYNTAX2:
        return explain_rule(sent, out);
    case PBSE_BAD_ICAL_TZ:
        return explain_zone(sent, out);
    case PBSE_BADUSER:
    case PBSE_R_UID:
        return explain_account(sent, out);
    default:
        return false;
    }
}

void explain_time(const char *cmd, const char *text)
{
    fprintf(stderr,
            "%s: \"%.200s\" is no time; write " DATETIME_FORM
            ", for example 1430 or 202712240800\n",
            cmd, text);
}

void explain_say(const char *cmd, const char *words)
{
    fprintf(stderr, "%s: %s\n", cmd, words);
}

void explain_print(const char *cmd, const struct attr_table *table,
                   const struct attropl *sent, int error, const char *text)
{
    struct window w = explain_window_of(sent);
    struct buf words = { 0 };

    if (error == PBSE_BADTSPEC)
        explain_window(&w, time(NULL), &words);
    else
        explain_refusal(table, sent, error, text, &words);
    if (words.len > 0)
        explain_say(cmd, words.data);
    buf_fini(&words);
}
